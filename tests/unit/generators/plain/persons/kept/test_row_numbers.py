"""Numbers of rows of a person that are alike in another column."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
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


def test_rows_of_one_code_are_counted():
    refill = RowNumber("refill", "drug")
    assert found(refills()) == (refill,)  # nor the visits: no two are alike
    assert str(refill) == "refill = number of the row among those of one drug"
    assert found(refills(), k=201) == ()


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
