"""Dates of which some are of a month or a year only."""

import json

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.tables.parts.folded.folding import (
    find_foldings,
    fold,
    folding_of,
    with_spelt,
)
from coclust_synth.tables.table import TableValues


def registry(n=900, seed=4):
    """When a disease was found, and when it ended, as far as anybody knows."""
    rng = np.random.default_rng(seed)
    found = np.datetime64("2005-01-01") + rng.integers(0, 3000, n)
    ended = found + rng.integers(1, 2000, n)
    length = rng.choice([4, 7, 10], n, p=[0.2, 0.3, 0.5])
    found = [str(day)[:known] for day, known in zip(found, length, strict=True)]
    ended[rng.random(n) < 0.3] = np.datetime64("NaT")
    table = pd.DataFrame({"site": rng.choice([*"abc"], n), "found": found})
    return table.astype("str").assign(ended=ended.astype("M8[s]"))


def foldings(table, k=20):
    schema = infer_schema(table).keep("found")
    values = TableValues(table)
    return values, schema, find_foldings(values, schema, 10, k)


def test_dates_of_a_month_are_found_and_come_back():
    table = registry()
    values, schema, found = foldings(table)
    (own,) = found
    assert str(own) == "found is a date, a month or a year"
    folded, complete = fold(values, schema, found)
    assert {*folded.frame["found"]} == {"= year", "= month", "= day"}
    assert complete["found (date)"].kind == "datetime"
    assert own.made.bounds is None
    pd.testing.assert_frame_equal(with_spelt(folded.frame, found), table)
    assert folding_of(json.loads(json.dumps(own.to_dict()))) == own


@pytest.mark.parametrize("text", ["soon", "2013-13", "2013-02-30", "2013-1"])
def test_none_are_found_beside_what_is_no_date(text):
    table = registry()
    table.loc[:15, "found"] = text
    assert foldings(table)[2] == ()


@pytest.mark.slow
def test_none_are_found_where_few_are_of_a_month():
    table = registry()
    is_day = table["found"].str.len() == 10
    few = pd.concat([table[is_day], table[~is_day][:19]])
    assert foldings(few)[2] == ()
    assert foldings(few, k=10)[2] != ()


@pytest.mark.slow
def test_drawn_dates_are_as_partial_as_those_of_the_table():
    table = registry()
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0)
    synthesizer.fit(table, schema=infer_schema(table).keep("found"))
    drawn = synthesizer.sample(900)
    assert [*drawn] == [*table]
    shares = [
        own["found"].str.len().value_counts(normalize=True) for own in (table, drawn)
    ]
    assert (shares[0] - shares[1]).abs().max() < 0.03
    # New days come, and none ends before the first day on which it was found.
    assert not {*drawn["found"]} <= {*table["found"]}
    drawn = drawn.dropna()
    ended = drawn["ended"].dt.strftime("%Y-%m-%d")
    assert (drawn["found"].astype("object") <= ended).mean() > 0.99
