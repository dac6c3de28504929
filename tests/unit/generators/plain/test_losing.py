"""A column that several others exclude values of keeps its rows."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.generators.plain import losing
from coclust_synth.generators.plain.losing import learn_in_order
from coclust_synth.generators.plain.structured.drawing.rows import draw_rows
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.found import rules_of

K = 20
#: Of the months that a card is held, those in which it was used so.
SHARES = ["bought", "paid", "at once", "in parts"]


def table(n):
    """Cards held for twelve months or eleven; half of them used in all, or in none."""
    rng = np.random.default_rng(0)
    held, shares = np.where(rng.random(n) < 0.8, 12, 11), {}
    for name in SHARES:
        some = rng.integers(1, held) / held
        shares[name] = np.where(rng.random(n) < 0.5, rng.integers(0, 2, n), some)
    return pd.DataFrame(shares).round(6).assign(held=held)


@pytest.fixture(scope="module")
def cards():
    return table(3000)


def learn(frame, first_seen=True, stated=None):
    evidence = evidence_of(frame)
    rules = rules_of(evidence, stated, K)
    told = evidence, rules, np.zeros(len(frame), np.int64), K
    if not first_seen:
        return learn_structure(*told)
    return learn_in_order(*told, np.random.default_rng(0))


def n_short(structure, frame):
    clusters = np.zeros(len(frame), np.int64)
    drawn = draw_rows(structure, clusters, np.random.default_rng(1))
    return (frame["held"] == 12).sum() - (drawn["held"] == 12).sum()


def columns_of(structure):
    return [structure.coding.names[each.column] for each in structure.columns]


@pytest.mark.slow
@pytest.mark.parametrize("n", [3000, pytest.param(6000, marks=pytest.mark.slow)])
def test_a_column_that_loses_rows_is_drawn_first(n):
    """Where rules say what never meets, of 6000 rows, and where leaves do."""
    cards = table(n)
    in_their_order, learnt = learn(cards, first_seen=False), learn(cards)
    assert bool(in_their_order.rules.tables) == (n == 6000)
    assert n_short(in_their_order, cards) > 0.05 * n
    assert abs(n_short(learnt, cards)) <= 5
    assert columns_of(learnt) == ["held", *SHARES]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [["held", *SHARES], ["bought", "held"]])
def test_columns_that_lose_nothing_stay_in_their_order(cards, columns):
    assert columns_of(learn(cards[columns])) == columns


@pytest.mark.slow
def test_an_order_that_loses_more_rows_is_not_taken(cards, monkeypatch):
    lost = iter([1.0, 0.0])  # of the other order, then of that of the table
    monkeypatch.setattr(losing, "_lost", lambda short: next(lost))
    assert columns_of(learn(cards)) == list(cards)


@pytest.mark.slow
def test_what_a_rule_tells_stays_behind_what_tells_it(cards):
    told, rule = (
        cards.assign(days=30 * cards["held"]),
        Fit("days", ("held",), (30.0,), 0.0),
    )
    assert columns_of(learn(told))[:2] == ["held", "days"]
    assert columns_of(learn(told, stated=(rule,))) == ["held", *SHARES, "days"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_order_and_trees(cards):
    one, other = learn(cards).arrays(), learn(cards).arrays()
    assert all((one[name] == other[name]).all() for name in one)
