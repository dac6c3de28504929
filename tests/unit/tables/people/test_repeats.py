"""Rows that repeat as those of one person do, and rows of people who are alike."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.tables.people.repeats import Repeats


def find(table):
    table = table.add_prefix("c") if not isinstance(table.columns[0], str) else table
    # Numbers that seem to be of persons are looked at too.
    schema = infer_schema(table)
    return Repeats.find(table, schema.keep(*schema.undecided).kept.columns)


def clerks(rng, n, n_columns=12):
    """People whose answers go with what they are, of one of five kinds."""
    kind = rng.integers(0, 5, n)
    spread = rng.integers(3, 9, n_columns)
    answers = rng.integers(0, spread, (n, n_columns)) + kind[:, None]
    return pd.DataFrame(answers).assign(age=rng.integers(18, 80, n))


@pytest.mark.slow
@pytest.mark.parametrize("usual", [1, 3])
def test_rows_of_one_person_are_found(rng, usual):
    people = clerks(rng, 800)
    rows = people.loc[np.repeat(people.index, usual + rng.integers(0, 4, 800))]
    found = find(rows.sample(frac=1, random_state=0).reset_index(drop=True))
    assert (found.n_rows, found.n_different) == (len(rows), 800)
    assert found.largest == rows.groupby(level=0).size().max()
    assert find(people) is None


@pytest.mark.parametrize(
    "share, n_columns", [(0.5, 4), (0.5, 10), (0.5, 12), (0.03, 20), (0.2, 12)]
)
def test_answers_of_yes_and_no_are_those_of_many(rng, share, n_columns):
    table = pd.DataFrame(rng.random((3000, n_columns)) < share)
    assert table.duplicated(keep=False).mean() > 0.4
    assert find(table) is None


@pytest.mark.slow
def test_what_goes_together_repeats_by_chance(rng):
    people = clerks(rng, 5000, n_columns=4).drop(columns="age")
    assert people.duplicated(keep=False).mean() > 0.4
    assert find(people) is None
    # Of each answer two columns tell, or a column of each category.
    twice = [people.add_prefix("a"), (people * 7).add_prefix("b")]
    assert find(pd.concat(twice, axis=1)) is None
    assert find(pd.get_dummies(people.astype(str))) is None


def test_one_row_of_many_is_no_person(rng):
    """Half of the people have 0 in all columns, and nobody has in some."""
    spent = rng.gamma(1, 1000, (2000, 8)).round() * (rng.random((2000, 1)) < 0.5)
    table = pd.DataFrame(spent)
    assert table.duplicated(keep=False).mean() > 0.4
    assert find(table) is None


@pytest.mark.slow
def test_few_rows_say_nothing(rng):
    people = clerks(rng, 800)
    assert find(pd.concat([people, people[:79]], ignore_index=True)) is None
    assert find(pd.concat([people, people[:81]], ignore_index=True)) is not None
    few = clerks(rng, 19)
    assert find(pd.concat([few, few], ignore_index=True)) is None


def test_missing_cells_are_equal(rng):
    people = clerks(rng, 300).astype(float).mask(rng.random((300, 13)) < 0.2)
    assert find(pd.concat([people, people], ignore_index=True)).n_different == 300


def test_without_columns_or_rows_there_are_no_repeats(rng):
    people = clerks(rng, 300).add_prefix("c")
    assert Repeats.find(people, ()) is None
    assert Repeats.find(people[:0], infer_schema(people).columns) is None


@pytest.mark.slow
def test_columns_that_tell_each_other_count_as_one(rng):
    hospital, group = rng.integers(0, 200, 20_000), rng.integers(0, 100, 20_000)
    place, beds = np.round(rng.uniform(40, 50, 200), 3), rng.permutation(2000)[:200]
    tariff, points = rng.uniform(100, 9000, 100).round(2), rng.permutation(900)[:100]
    stays = pd.DataFrame({"hospital": hospital.astype(str), "group": group.astype(str)})
    stays = stays.assign(lat=place[hospital], lon=place[hospital] - 30)
    stays = stays.assign(
        beds=beds[hospital], tariff=tariff[group], points=points[group]
    )
    assert stays.duplicated(keep=False).mean() > 0.4
    assert find(stays) is None
    assert find(stays.assign(sex=rng.choice(["m", "f"], 20_000))) is None
