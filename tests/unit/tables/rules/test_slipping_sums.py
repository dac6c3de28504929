"""Sums of two columns that most rows are, where more slip than a rule allows."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of
from support.structures import drawn_from, learnt

from coclust_synth.tables.rules.found import rules_of

SUM, TOTAL = "left ~ came + days - 1", "total ~ net + extra"


def stays(slips=0.2, n=2000, seed=0):
    """Days of stays, both of which count, and dates some of which are of any year."""
    rng, first = np.random.default_rng(seed), pd.Timestamp("2021-01-01")
    came, days = rng.integers(0, 600, n), 1 + rng.geometric(0.15, n)
    off = np.where(rng.random(n) < slips, rng.integers(-150, 150, n), 0)
    return pd.DataFrame(
        {
            "came": first + pd.to_timedelta(came, "D"),
            "left": first + pd.to_timedelta(came + days - 1 + off, "D"),
            "days": days,
            "ward": rng.choice(list("abc"), n),
        }
    )


def totals(slips=0.2, n=2000, seed=0):
    """A total of two amounts, and in some rows another number."""
    rng = np.random.default_rng(seed)
    net, extra = np.exp(rng.normal(5, 0.7, (2, n))).astype(int)
    any_other = np.exp(rng.normal(5.7, 0.7, n)).astype(int)
    total = np.where(rng.random(n) < slips, any_other, net + extra)
    return pd.DataFrame({"net": net, "extra": extra, "total": total})


def nearly(table, persons=None):
    rules = rules_of(evidence_of(table, persons), None, 20)
    return {str(rule) for rule in rules.all if rule.relation.about}


def are_stays(table):
    lasted = (table["left"] - table["came"]).dt.days
    return (lasted + 1 == table["days"]).mean(), (lasted < 0).mean()


@pytest.mark.slow
def test_dates_are_as_far_apart_as_days_say_as_often_as_in_the_table():
    """Of dates a fifth of which slip nothing was kept: next to no stay was right."""
    table = stays()
    assert nearly(table) == {SUM}
    drawn = are_stays(drawn_from(learnt(table)))
    assert drawn == pytest.approx(are_stays(table), abs=0.03)


@pytest.mark.slow
def test_totals_are_so_as_often_as_in_the_table():
    table = totals()
    assert nearly(table) == {TOTAL}
    drawn = drawn_from(learnt(table))
    own, new = ((t["net"] + t["extra"] == t["total"]).mean() for t in (table, drawn))
    assert new == pytest.approx(own, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "fit"), [(stays, SUM), (totals, TOTAL)])
def test_it_is_so_in_half_of_the_rows(make, fit):
    assert nearly(make(n=800)) == {fit}
    assert fit not in nearly(make(slips=0.6, n=800))


@pytest.mark.slow
def test_a_charge_that_few_have_is_to_be_in_the_sum_of_these():
    """A total that is one amount says nothing of another that nearly all have as 0."""
    table = totals(slips=0.0, n=800)
    rare = np.random.default_rng(1).random(len(table)) < 0.1
    table["total"] = np.where(rare, 2 * table["total"], table["net"])
    table["extra"] = np.where(rare, table["extra"], 0)
    assert TOTAL not in nearly(table)


def test_a_code_that_many_have_is_no_slip():
    """9999 would be drawn as any number about it."""
    table = totals(slips=0.0, n=800)
    table.loc[::10, "total"] = 9999
    assert not nearly(table)


@pytest.mark.slow
def test_rows_of_one_person_are_one():
    """Who has most rows is no evidence: of all others hardly one is the sum."""
    one, others = totals(slips=0.0, n=900), totals(slips=1.0, n=300, seed=1)
    table = pd.concat([one, others], ignore_index=True)
    persons = np.where(table.index < 900, 0, table.index)
    assert TOTAL in nearly(table)
    rules = rules_of(evidence_of(table, persons), None, 20)
    assert not any(str(rule) == TOTAL for rule in rules.all)


@pytest.mark.parametrize("seed", range(5))
def test_columns_that_have_nothing_to_do_with_each_other_are_no_sum(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 60, (600, 4)), columns=list("abcd"))
    assert not nearly(table)


@pytest.mark.slow
def test_what_stays_is_told_by_what_stays_only():
    """The total of a person is no sum of what changes from row to row."""
    who = np.tile(np.arange(600), 2)
    rows = pd.concat([totals(n=600)] * 2, ignore_index=True)
    assert nearly(rows, who) == {TOTAL}
    half = np.arange(1200) >= 600
    changing = rows.assign(extra=rows.extra + np.where(half & (who % 4 == 0), 1, 0))
    assert nearly(changing, who) == set()
