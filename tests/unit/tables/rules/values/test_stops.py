"""Numbers that stop beside a category: all beyond are looked at together."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of
from support.structures import drawn_from, learnt

from coclust_synth.tables.relations import Never
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.values.stops import beyond_stops


def naive_stops(together, in_order, least):
    """The same, one bin after the other."""
    never = np.zeros(together.shape, dtype=bool)
    places = [b for b, is_number in enumerate(in_order) if is_number]
    for category, own in enumerate(together):
        for order in (places, places[::-1]):
            beyond = []
            for b in order:
                if own[b]:
                    break
                beyond.append(b)
            of_beyond = sum(together[:, b].sum() for b in beyond)
            if own.sum() * of_beyond / together.sum() >= least:
                never[category, beyond] = True
    return never


@pytest.mark.parametrize("seed", range(20))
def test_bins_beyond_the_last_one_are_as_when_counted_one_by_one(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 7, 2))
    together = rng.integers(0, 40, shape) * (rng.random(shape) < 0.5)
    together[0, 0] += 1
    in_order = np.arange(shape[1]) < shape[1] - rng.integers(0, 2)
    found = beyond_stops(together, in_order, 10)
    assert np.array_equal(found, naive_stops(together, in_order, 10))


def loans(n=4_000, seed=0):
    """Of those that are paid back nothing is due; others owe any amount."""
    rng = np.random.default_rng(seed)
    status = rng.choice(["Running", "Late", "Paid"], n, p=[0.9, 0.05, 0.05])
    due = np.where(status == "Paid", 0.0, rng.lognormal(9, 0.5, n).round(2))
    due[rng.random(n) < 0.02] = 0.0
    return pd.DataFrame({"status": status, "due": due})


def never(table, k=20, persons=None):
    rules = rules_of(evidence_of(table, persons), None, k).all
    return [str(r.relation) for r in rules if isinstance(r.relation, Never)]


def test_no_amount_is_drawn_where_nothing_is_due():
    """Each run of amounts is too rare to be missed beside 200 loans: .06 of them."""
    table = loans()
    (rule,) = never(table)
    assert rule.startswith("status, due: never Paid with ")
    drawn = drawn_from(learnt(table))
    paid, of_table = (own["status"] == "Paid" for own in (drawn, table))
    assert paid.mean() == pytest.approx(of_table.mean(), abs=0.002)
    assert not drawn.loc[paid, "due"].any()


def test_what_one_row_has_beyond_is_no_rule():
    table = loans()
    row = table.index[table["status"] == "Paid"][0]
    table.loc[row, "due"] = table["due"].max()
    assert not never(table)


def test_those_beyond_are_as_many_as_a_rule_is_about():
    """Of 240 of four large sizes, 60 each, 72 would be of a kind that has none."""
    rng = np.random.default_rng(0)
    size, large = rng.integers(0, 100, 3_000), np.arange(3_000) < 240
    size[large] = np.repeat([200, 201, 202, 203], 60)
    kind = np.where((rng.random(3_000) < 0.3) & ~large, "a", "b")
    table = pd.DataFrame({"kind": kind, "size": size})
    assert len(never(table, k=200)) == 1
    assert not never(table, k=250)


@pytest.mark.slow
def test_rows_of_one_person_are_no_more_than_one():
    table = loans()
    persons = np.arange(len(table))
    assert never(table, persons=persons)
    assert not never(table, persons=persons // 40)


@pytest.mark.parametrize("seed", range(3))
def test_independent_columns_have_no_such_rule(seed):
    rng = np.random.default_rng(seed)
    number = rng.lognormal(3, 1, 2_000).round(1)
    table = {f"c{m}": rng.integers(0, m, 2_000).astype(str) for m in (2, 7, 30)}
    assert not never(pd.DataFrame({"number": number, **table}))
