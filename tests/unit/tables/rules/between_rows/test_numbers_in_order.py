"""Numbers that rows of persons are in the order of: visits of several rows."""

import numpy as np
import pytest
from support.evidence import evidence_of

from coclust_synth.tables.rules.between_rows.order import find_order_of_rows


def visits(rng, n=200, mean=2.0):
    """Persons come one to some times, and two to four things are done each time."""
    n_visits = 1 + rng.poisson(mean, n)
    visit = np.concatenate([np.arange(1, own + 1) for own in n_visits])
    size = rng.integers(2, 5, len(visit))
    columns = {
        "visit": np.repeat(visit, size),
        "line": np.concatenate([np.arange(1, own + 1) for own in size]),
        "score": rng.integers(1, 6, size.sum()),
    }
    return columns, np.repeat(np.repeat(np.arange(n), n_visits), size)


def order_of(columns, persons, rows=slice(None), but=(), **others):
    columns = {name: x for name, x in (columns | others).items() if name not in but}
    columns = {name: x[rows] for name, x in columns.items()}
    return find_order_of_rows(evidence_of(columns, persons[rows]), (), 20)


def test_visits_of_several_rows_are_the_order_in_any_table(rng):
    """The lines count in each visit, and are no order."""
    columns, persons = visits(rng)
    anywhere = rng.permutation(len(persons))
    for rows in (slice(None), anywhere, anywhere[np.argsort(persons[anywhere])]):
        assert order_of(columns, persons, rows) == "visit"
    assert order_of(columns, persons, anywhere, but=["visit", "line"]) is None


@pytest.mark.slow
def test_visits_have_no_holes_and_are_not_as_many_in_all_persons(rng):
    columns, persons = visits(rng)
    anywhere = rng.permutation(len(persons))
    few = np.where(columns["visit"] == 2, 9, columns["visit"])
    but = ["visit", "line"]
    assert order_of(columns, persons, anywhere, but, few=few) is None
    three = np.arange(len(persons)) % 3  # of nearly each person of so many rows
    persons = np.arange(len(persons)) // 12
    assert order_of(columns, persons, anywhere, but, three=three) is None


@pytest.mark.slow
def test_numbers_that_seldom_rise_are_the_order_if_they_do_not_fall(rng):
    columns, persons = visits(rng)
    year = 1990 + 3 * columns["visit"]
    own = {"score": columns["score"], "year": year}
    assert order_of(own, persons) == "year"
    assert order_of({"score": columns["score"], "year": -year}, persons) is None
    ever = np.minimum(columns["visit"], 2)  # it rises once
    assert order_of({"score": columns["score"], "ever": ever}, persons) is None


@pytest.mark.slow
def test_numbers_with_decimals_are_the_order_of_the_table_only(rng):
    hours = np.round(np.cumsum(rng.random((100, 6)), axis=1), 2).ravel()
    columns, persons = {"hours": hours}, np.repeat(np.arange(100), 6)
    columns["score"] = rng.integers(1, 6, 600)
    assert order_of(columns, persons) == "hours"
    assert order_of(columns, persons, rng.permutation(600)) is None


@pytest.mark.slow
def test_lines_that_begin_again_and_again_are_no_order(rng):
    """Of orders that nothing names; where visits begin again something says which."""
    columns, persons = visits(rng)
    assert order_of(columns, persons, but=["visit"]) is None
    by_line = np.lexsort((columns["visit"], columns["line"], persons))
    by_line = by_line[columns["line"][by_line] <= 2]  # at all visits
    done = np.array(["weight", "blood", "eyes", "heart"])[columns["line"] - 1]
    own = {"visit": columns["visit"], "score": columns["score"]}
    assert order_of(own, persons, by_line, done=done) == "visit"
    assert order_of(own, persons, by_line) is None
