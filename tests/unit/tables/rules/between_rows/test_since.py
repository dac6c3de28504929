"""Numbers that say how far a row of a person is from the one before."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.relations import Cases, Fit
from coclust_synth.tables.rules.between_rows.since import (
    find_counting_on,
    find_counts_of_cases,
    find_since,
)
from coclust_synth.tables.rules.between_rows.steps import LaterRows
from coclust_synth.tables.rules.compared.numbers import NumberScale

WHOLE = SimpleNamespace(kind="integer", unit=None)
DATES = {"came", "left"}


def before(name):
    return f"{name} before"


def found(columns, k=20, told=(), find=find_since):
    numbers = {name: np.asarray(x, dtype=float) for name, x in columns.items()}
    evidence = SimpleNamespace(
        numbers=numbers,
        dates=DATES,
        n_of=lambda rows: int(rows.sum()) // 2,
        scales={name: NumberScale(WHOLE, SteppedRuler(1)) for name in numbers},
        coding=SimpleNamespace(schema=dict.fromkeys(numbers, WHOLE)),
    )
    names = [name for name in numbers if before(name) in numbers]
    rows = LaterRows(evidence, names, before, k)
    return find(rows, {fit.target: fit for fit in told})


def visits(per_day=1, n=600, seed=0):
    """When people came and left, this time and the last time, in days."""
    rng = np.random.default_rng(seed)
    came = rng.integers(0, 900 * per_day, n) / per_day
    left = came + rng.integers(0, 9 * per_day, n) / per_day
    again = left + rng.integers(1, 40 * per_day, n) / per_day
    stayed = rng.integers(0, 9 * per_day, n) / per_day
    times = {"came": again, "left": again + stayed}
    times |= {before("came"): came, before("left"): left}
    return times | {before("since"): rng.integers(0, 40, n)}


def since(later, earlier, unit=1.0):
    return Fit("since", (later, before(earlier)), (unit, -unit), 0.0, False)


def test_days_since_the_last_visit_are_told():
    columns = visits()
    columns["since"] = columns["came"] - columns[before("came")]
    assert found(columns) == [since("came", "came")]
    columns["since"] = columns["came"] - columns[before("left")]
    assert found(columns) == [since("came", "left")]


@pytest.mark.parametrize("unit, constant", [(1, -0.5), (24, -0.5), (1440, 0), (24, 0)])
def test_days_hours_and_minutes_are_rounded_or_complete(unit, constant):
    columns = visits(per_day=1440)
    apart = unit * (columns["came"] - columns[before("came")]) + constant
    columns["since"] = np.floor(apart + 0.5 + 1e-9)
    (fit,) = found(columns)
    assert fit == replace(since("came", "came", unit), constant=fit.constant)
    assert fit.constant == pytest.approx(constant, abs=1e-6)
    told = np.floor(fit.predict(columns) + 0.5) == columns["since"]
    assert told.all() or not constant  # halves may be rounded to either side


def test_few_may_be_missing_or_wrong_and_no_more():
    columns = visits()
    columns["since"] = columns["came"] - columns[before("came")]
    columns["since"][::3] = np.nan
    assert found(columns) == [since("came", "came")]
    columns["since"][1] += 1
    assert found(columns) == [since("came", "came")]
    columns["since"][:30] += 1
    assert found(columns) == []


def test_what_is_nearly_always_one_value_or_told_already_is_not_told():
    columns = visits()
    apart = columns["came"] - columns[before("came")]
    columns["since"] = apart
    assert found(columns, k=301) == []
    told = Fit("since", ("left",), (1.0,), 0.0, False)
    assert found(columns, told=[told]) == []
    of_it = Fit("came", ("since",), (1.0,), 0.0, False)
    assert found(columns, told=[of_it]) == []
    columns["came"] = columns[before("came")] + np.where(np.arange(600) < 2, 5, 0)
    columns["left"] = columns["came"]
    columns["since"] = np.zeros(600)
    assert found(columns) == []


def test_rows_are_counted():
    columns = {"number": np.arange(600) % 7 + 2, before("number"): np.arange(600) % 7}
    columns |= {"stays": np.ones(600), before("stays"): np.ones(600)}
    two_more = Fit("number", (before("number"),), (1.0,), 2.0, False)
    assert found(columns, find=find_counting_on) == [two_more]
    assert found(columns, k=301, find=find_counting_on) == []
    columns["number"][:9] += 1
    assert found(columns, find=find_counting_on) == []


def donors(n=600, seed=0):
    """Whether blood was given, and how often it was so far, now and before."""
    rng = np.random.default_rng(seed)
    result = rng.choice(["given", "late", "sick"], (2, n), p=[0.6, 0.2, 0.2])
    so_far = rng.integers(0, 9, n)
    own = {"result": result[0], "so_far": so_far + (result[0] == "given")}
    return pd.DataFrame(own | {before("result"): result[1], before("so_far"): so_far})


def counted(evidence, told=(), k=20):
    told = {fit.target: fit for fit in told}
    return find_counts_of_cases(LaterRows(evidence, ("so_far",), before, k), told)


def test_rows_of_some_values_are_counted():
    table = donors()
    (fit,) = counted(evidence_of(table))
    assert (fit.target, fit.by) == ("so_far", "result")
    assert [values for values, _ in fit.cases] == [("late", "sick"), ("given",)]
    numbers = {before("so_far"): np.array([3.0, 3.0])}
    result = np.array(["given", "late"], dtype=object)
    assert fit.predict(numbers | {"result": result}).tolist() == [4, 3]
    nearly = Fit("so_far", (before("so_far"),), (1.0,), 0.0, False, about=True)
    assert counted(evidence_of(table), [nearly]) == [fit]
    assert counted(evidence_of(table), [replace(nearly, about=False)]) == []


def test_what_few_are_counted_by_is_not_told():
    table = donors()
    evidence = evidence_of(table)
    k = int((table["result"] == "late").sum()) + 1
    (fit,) = counted(evidence, k=k)
    assert isinstance(fit, Cases) and "late" not in fit.cases[0][0]
    assert counted(evidence, k=300) == []
    table.loc[:2, "so_far"] += 1
    assert len(counted(evidence_of(table))) == 1
    table.loc[:9, "so_far"] += 1
    assert counted(evidence_of(table)) == []
