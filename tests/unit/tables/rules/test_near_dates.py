"""Dates that are told by how long after another they are."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of
from support.structures import drawn_from, learnt

from coclust_synth.tables.rules.found import rules_of


def stays(n=2000, seed=0, days=730):
    """Stays of some weeks, of which some seem to end a little before they begin."""
    rng = np.random.default_rng(seed)
    began = rng.integers(0, days, n)
    lasted = np.where(rng.random(n) < 0.5, 0.2, rng.exponential(60, n))
    slip = np.where(rng.random(n) < 0.05, -0.4, 0.0)
    ended = began + np.round(np.where(slip < 0, slip, lasted), 1)
    first = pd.Timestamp("2021-01-01")
    return pd.DataFrame(
        {
            "admitted": first + pd.to_timedelta(began, "D"),
            "left": first + pd.to_timedelta(np.round(ended * 24), "h"),
            "ward": rng.choice(list("abc"), n),
        }
    )


def near_dates(table):
    rules = rules_of(evidence_of(table), None, 20)
    return {str(rule) for rule in rules.all if rule.relation.about}


def lengths(table):
    return (table["left"] - table["admitted"]).dt.total_seconds() / 86400


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_end_of_a_stay_is_told_by_how_long_it_lasted(seed):
    """Its end was that of some stay that began about then: a third were below 0."""
    table = stays(seed=seed)
    assert near_dates(table) == {"left ~ admitted"}
    own, drawn = lengths(table), lengths(drawn_from(learnt(table)))
    assert (drawn < 0).mean() == pytest.approx((own < 0).mean(), abs=0.02)
    assert drawn.min() >= -0.5
    levels = [0.25, 0.5, 0.75, 0.9]
    expected = own.quantile(levels).to_numpy()
    assert drawn.quantile(levels).to_numpy() == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("seed", range(20))
def test_dates_that_have_nothing_to_do_with_each_other_tell_nothing(seed):
    rng, first = np.random.default_rng(seed), pd.Timestamp("1990-01-01")
    began, ended = rng.integers(0, 9000, (2, 1000))
    table = pd.DataFrame(
        {
            "born": first + pd.to_timedelta(began, "D"),
            "seen": first + pd.to_timedelta(ended, "D"),
        }
    )
    assert not near_dates(table)


def test_an_age_is_no_length_of_a_stay(rng):
    """Dates of birth and of visits are drawn as before: ages say less than windows."""
    born = rng.integers(0, 25_000, 2000)
    seen = 30_000 + rng.integers(0, 300, 2000)
    first = pd.Timestamp("1940-01-01")
    table = pd.DataFrame(
        {
            "born": first + pd.to_timedelta(born, "D"),
            "seen": first + pd.to_timedelta(seen, "D"),
        }
    )
    assert not near_dates(table)


@pytest.mark.slow
def test_the_date_that_takes_fewer_bits_tells(rng):
    table = stays()
    planned = table["admitted"] - pd.to_timedelta(rng.integers(0, 30, 2000), "D")
    found = near_dates(table.assign(planned=planned))
    assert "left ~ admitted" in found


@pytest.mark.slow
def test_what_rows_of_a_person_are_in_the_order_of_is_told_by_no_date(rng):
    """It follows on that of the row before."""
    table = stays(300).sort_values("admitted", ignore_index=True)
    asked = table["admitted"] - pd.to_timedelta(rng.integers(20, 80, 300), "D")
    table = table.assign(asked=asked)
    whose = np.arange(300) // 3
    found = [rules_of(evidence_of(table, of), None, 20).all for of in (None, whose)]
    told = [{r.relation.target for r in own if r.relation.about} for own in found]
    assert ["admitted" in own for own in told] == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_few_ends_without_a_beginning_are_drawn_with_none(seed):
    """Of 15 of them the rest took windows: a third ended before they began."""
    whole = stays(seed=seed)
    without = whole.index[::80][:15]
    table = whole.assign(admitted=whole["admitted"].mask(whole.index.isin(without)))
    table.loc[table.index[1::3], "left"] = pd.NaT
    table.loc[without, "left"] = whole.loc[without, "left"]
    table = pd.concat([table, table.assign(left=pd.NaT)])
    table = table.reset_index(drop=True)
    assert near_dates(table) == {"left ~ admitted"}
    drawn = drawn_from(learnt(table))
    own, made = lengths(table).dropna(), lengths(drawn).dropna()
    assert (made < 0).mean() == pytest.approx((own < 0).mean(), abs=0.02)
    # As far from the middle of all dates as those 15 were nobody is from the other.
    assert made.max() <= own.max() * 1.05
    missing = table["left"].isna().mean()
    assert drawn["left"].isna().mean() == pytest.approx(missing, abs=0.02)


def test_ends_without_a_beginning_that_a_run_tells_of_are_told_by_none():
    table = stays(4000)
    table.loc[table.index[::100], "admitted"] = pd.NaT
    assert not near_dates(table)
