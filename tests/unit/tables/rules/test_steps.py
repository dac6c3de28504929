"""Columns that change as others do, from row to row of a person."""

from types import SimpleNamespace

import numpy as np
import pytest

from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.steps import find_steps


def before(name):
    return f"{name} before"


def panel(n=600, seed=0):
    """Rows after the first, of two a person, each years after the one before."""
    rng = np.random.default_rng(seed)
    year, apart = rng.integers(1990, 2000, n), rng.integers(0, 5, n)
    age, pay = rng.integers(20, 60, n), rng.integers(0, 5000, n)
    return {
        "year": year + apart,
        before("year"): year,
        "age": age + apart,
        before("age"): age,
        "pay": rng.integers(0, 5000, n),
        before("pay"): pay,
    }


def steps_of(columns, k=20, told=(), dates=()):
    numbers = {name: np.asarray(x, dtype=float) for name, x in columns.items()}
    evidence = SimpleNamespace(
        numbers=numbers, dates=set(dates), n_of=lambda rows: int(rows.sum()) // 2
    )
    names = ("year", "age", "pay")
    return find_steps(evidence, names, before, {fit.target: fit for fit in told}, k)


AGE = Fit("age", ("age before", "year", "year before"), (1.0, 1.0, -1.0), 0.0, False)


def test_an_age_goes_with_the_year():
    """The year has fewer values, and tells the age; the pay goes with nothing."""
    assert steps_of(panel()) == [AGE]


def test_what_is_missing_speaks_neither_for_nor_against():
    columns = panel() | {"age": np.where(np.arange(600) % 7, panel()["age"], np.nan)}
    assert steps_of(columns) == [AGE]


@pytest.mark.parametrize("wrong, found", [(2, [AGE]), (30, [])])
def test_few_rows_may_differ(wrong, found):
    columns = panel()
    columns["age"] = columns["age"] + (np.arange(600) < wrong)
    assert steps_of(columns) == found


def test_columns_that_hardly_change_are_not_alike_for_it():
    """Most rows change neither: all that count are those where one does."""
    rng = np.random.default_rng(1)
    columns = panel()
    for name in ("age", "pay"):
        moved = np.where(rng.random(600) < 0.002, 1, 0)
        columns[name] = columns[before(name)] + moved
    columns["year"] = columns["year before"] + np.eye(600, dtype=int)[0]
    assert steps_of(columns) == []


def test_fewer_than_k_individuals_tell_nothing():
    columns = panel()
    columns["year"] = np.where(np.arange(600) < 50, columns["year"], 0)
    columns["year before"] = np.where(np.arange(600) < 50, columns["year before"], 0)
    columns["age"] = np.where(
        np.arange(600) < 50, columns["age"], columns["age before"]
    )
    assert steps_of(columns, k=15) == [AGE]
    assert steps_of(columns, k=26) == []


def test_no_column_is_told_from_itself():
    columns = panel()
    years = {"year": columns["year"] + columns["age"]}
    years[before("year")] = columns["year before"] + columns["age before"]
    columns |= years | {"age": years["year"] - 7, "age before": years["year before"]}
    columns["age before"] = columns["age before"] - 7
    (only,) = steps_of(columns)
    assert (only.target, only.parents[1]) == ("age", "year")
    told = Fit("year", ("age",), (1.0,), 0.0, False)
    assert steps_of(columns, told=[told]) == []


def test_a_date_does_not_go_with_a_number():
    assert steps_of(panel(), dates=["year"]) == []
