"""Numbers of rows of a person that are alike in another column."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.generators.plain.persons.kept.row_numbers import (
    RowNumber,
    find_row_numbers,
)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))), st.integers(0, 1))
def test_each_row_has_its_number(pairs, first):
    person, values = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    person = np.sort(person)
    seen, expected = Counter(), []
    for pair in zip(person.tolist(), values.tolist(), strict=True):
        expected.append(seen[pair] + first)
        seen[pair] += 1
    told = RowNumber("refill", "drug", first).told(values, person)
    assert told.tolist() == expected


def refills(n=200, seed=0):
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n), rng.integers(2, 7, n))
    drug = rng.choice(["aspirin", "statin", "zinc"], len(person))
    day = np.datetime64("2022-01-01") + np.cumsum(rng.integers(1, 9, len(person)))
    table = pd.DataFrame({"who": person, "day": day, "drug": drug})
    table["refill"] = table.groupby(["who", "drug"]).cumcount() + 1
    table["visit"] = table.groupby("who").cumcount() + 1
    table["x"] = rng.integers(1, 5, len(person))
    return table.astype({"day": "datetime64[us]"})


def found(table, k=20):
    evidence = evidence_of(table.drop(columns="who"), table["who"].to_numpy())
    names = evidence.coding.names
    return find_row_numbers(evidence, np.arange(len(table)), names, set(), k)


@pytest.mark.slow
def test_rows_of_one_code_are_counted():
    refill = RowNumber("refill", "drug")
    assert found(refills()) == (refill,)  # nor the visits: no two are alike
    assert str(refill) == "refill = number of the row among those of one drug"
    assert found(refills(), k=201) == ()


@pytest.mark.slow
def test_a_few_rows_may_have_another_number():
    table = refills()
    table.loc[:2, "refill"] += 1
    assert len(found(table)) == 1
    table.loc[:20, "refill"] += 1
    assert found(table) == ()


@pytest.mark.slow
def test_drawn_rows_are_counted():
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    synthesizer = CoclusterSynthesizer(**options).fit(refills())
    assert "refill = number of the row among those of one drug" in (
        synthesizer.model_.structure.told_by_row_before
    )
    drawn = synthesizer.sample()
    counted = drawn.groupby(["who", "drug"]).cumcount() + 1
    most = drawn["refill"].max()
    assert (drawn["refill"] == np.minimum(counted, most)).all()
    assert (counted == drawn["refill"]).mean() > 0.95


def bills(n=300, seed=1):
    """What a visit costs, and what those of its year have cost; visits of a month."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), rng.integers(2, 9, n))
    start = rng.integers(18_600, 19_300, n)[who]
    days = rng.integers(1, 120, len(who))
    days = pd.Series(days).groupby(who).cumsum().to_numpy() + start
    table = pd.DataFrame({"who": who, "day": days.astype("M8[D]").astype("M8[s]")})
    table["cost"] = np.round(rng.gamma(2, 40, len(who)), 2)
    year, month = table["day"].dt.year, table["day"].dt.to_period("M")
    so_far = table.groupby(["who", year])["cost"].cumsum()
    table["so_far"] = so_far.round(2)
    table["nth"] = table.groupby(["who", month]).cumcount() + 1
    return table


@pytest.mark.slow
def test_rows_of_a_year_are_added_up_and_those_of_a_month_counted():
    nth, so_far = found(bills())
    assert nth == RowNumber("nth", "day", 1, "month")
    assert so_far == RowNumber("so_far", "day", 1, "year", "cost")
    assert str(so_far) == "so_far = sum of cost so far in rows of one year of day"
    assert RowNumber.from_dict(so_far.to_dict()) == so_far
    table = bills()
    table.loc[:99, "so_far"] += 1
    assert found(table) == (nth,)


def test_rows_in_a_row_are_counted():
    table, rng = refills(), np.random.default_rng(2)
    table["drug"] = rng.choice(["aspirin", "statin"], len(table))
    runs = (table[["who", "drug"]] != table[["who", "drug"]].shift()).any(axis=1)
    table["refill"] = table.groupby(runs.cumsum()).cumcount() + 1
    (own,) = found(table)
    assert own == RowNumber("refill", "drug", 1, "run")
    assert str(own).endswith("those of one drug in a row")
    numbers = own.in_rows(table, table["who"].to_numpy(), infer_schema(table), {})
    assert (numbers == table["refill"]).all()


@pytest.mark.slow
def test_drawn_rows_are_added_up_year_by_year():
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    drawn = CoclusterSynthesizer(**options).fit(bills()).sample()
    own = drawn.groupby(["who", drawn["day"].dt.year])["cost"].cumsum()
    assert np.isclose(own, drawn["so_far"], atol=0.006).mean() > 0.99


def sums_of_sums(n=300):
    """Bills, and sums so far of what has been added up, which stand before these."""
    table = bills(n)
    table["cost"] = table["cost"].round()
    year = table["day"].dt.year
    for name, of in (("so_far", "cost"), ("all", "so_far"), ("area", "all")):
        table[name] = table.groupby(["who", year])[of].cumsum()
    return table[["who", "day", "area", "all", "so_far", "cost"]]


def test_what_is_added_up_comes_before_its_sum():
    rules = found(sums_of_sums())
    assert [own.target for own in rules] == ["so_far", "all", "area"]
    assert [own.added for own in rules] == ["cost", "so_far", "all"]


def test_numbers_that_would_tell_each_other_tell_nothing_in_circles():
    rng, rows = np.random.default_rng(0), []
    for who in range(200):
        n_rows: Counter = Counter()
        for _ in range(6):
            pairs = ((n_rows["b", b] + 1, b) for b in range(1, 7))
            a, b = rng.permutation([p for p in pairs if n_rows["a", p[0]] + 1 == p[1]])[
                0
            ]
            n_rows["a", a] += 1
            n_rows["b", b] += 1
            rows.append((who, a, b))
    table = pd.DataFrame(rows, columns=["who", "a", "b"])
    assert found(table) == (RowNumber("a", "b"),)


@pytest.mark.slow
def test_drawn_rows_are_added_up_from_what_was_added_up():
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    drawn = CoclusterSynthesizer(**options).fit(sums_of_sums()).sample()
    for name, of in (("so_far", "cost"), ("all", "so_far"), ("area", "all")):
        own = drawn.groupby(["who", drawn["day"].dt.year])[of].cumsum()
        own = own.clip(upper=drawn[name].max())
        assert (own == drawn[name]).mean() > 0.99
