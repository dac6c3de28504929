"""Dates that another nearly tells, some of them missing."""

import json

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.structured.dates.drawn_dates import left_on_calendar
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.trees._tree_kernels import Leaves
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.laws.learnt_calendars import calendar_beside
from coclust_synth.tables.rows import ColumnCounts

HOUR, DAY = 3600, 86400


def mails(n=3000, seed=0):
    """Eight mails that leave at nine; less than half are opened, most of them soon."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2023-03-07", periods=8, freq="14D") + pd.Timedelta(hours=9)
    sent = pd.Series(rng.choice(days, n))
    wait = pd.to_timedelta(rng.exponential(9, n).clip(0.01) ** 2 * 120 // 1, unit="s")
    opened = (sent + wait).where(rng.random(n) < 0.4)
    return pd.DataFrame({"group": rng.choice(["a", "b"], n), "sent": sent}).assign(
        opened=opened
    )


@pytest.fixture(scope="module")
def table():
    return mails()


@pytest.fixture(scope="module")
def fitted(table):
    return CoclusterSynthesizer(k=20, n_iterations=2, random_state=0).fit(table)


def waits(frame):
    return (frame["opened"] - frame["sent"]).dt.total_seconds().dropna()


@pytest.mark.slow
def test_as_many_are_missing_as_in_the_table(table, fitted):
    drawn = fitted.sample(6000)
    assert abs(drawn["opened"].isna().mean() - table["opened"].isna().mean()) < 0.02


@pytest.mark.slow
def test_waits_are_those_of_the_table(table, fitted):
    own, real = waits(fitted.sample(6000)), waits(table)
    assert (own >= 0).all()
    for q in (0.25, 0.5, 0.75, 0.95):
        assert 0.85 < own.quantile(q) / real.quantile(q) < 1.18


def test_what_the_other_date_tells_is_left_out(rng):
    """All rows begin at nine on a Tuesday: the calendar has no more to say."""
    ruler = SteppedRuler(1, unit="s")
    begin = 5 * DAY + 9 * HOUR
    dates = begin + np.floor(rng.exponential(2 * HOUR, 4000)).astype(np.int64)
    counts = ColumnCounts(*np.unique(dates, return_counts=True))
    hours = np.bincount(dates % DAY // HOUR, minlength=24) / len(dates)
    calendar = Calendar(ruler, hours=hours / hours.max())
    drawn = begin + np.floor(rng.exponential(2 * HOUR, 40_000)).astype(np.int64)
    rows = np.repeat(np.arange(4000), 10)
    own = calendar_beside(calendar, counts, rows, drawn)
    has = np.bincount(dates % DAY // HOUR, minlength=24) >= 100
    assert own.hours[has].min() > 0.6
    # Were they drawn at any hour, it would say which are likelier.
    drawn = begin // DAY * DAY + rng.integers(0, DAY, 40_000)
    own = calendar_beside(calendar, counts, rows, drawn)
    assert own.hours.argmax() == 9
    assert np.abs(own.hours - calendar.hours).max() < 0.06


def test_days_that_no_row_may_fall_on_stay_so(rng):
    ruler = SteppedRuler(1, unit="D")
    weekdays = np.array([1.0, 1, 1, 1, 1, 0, 0])
    calendar = Calendar(ruler, weekdays=weekdays)
    days = np.array([day for day in range(700) if (day + 3) % 7 < 5])
    counts = ColumnCounts(days, np.full(len(days), 4))
    drawn = np.repeat(days, 16) + rng.choice([0, 0, 0, 0, 1], 16 * len(days))
    own = calendar_beside(calendar, counts, np.repeat(days, 16), drawn)
    assert own.weekdays[5:].tolist() == [0, 0]
    assert own.weekdays[:5].min() > 0.7
    assert (own.days == 1).all() and (own.feasts == 1).all()


@pytest.mark.slow
def test_rows_that_have_the_date_of_another_are_left_as_they_are(fitted):
    """One code more says so: that of no distance."""
    structure = fitted.model_.structure
    (own,) = [drawn for drawn in structure.columns if drawn.calendar]
    scale, n_parts = structure.scales["opened"], own.residuals.n_parts
    of_all = slice(*own.tree.leaves.indptr[-2:])
    codes, rows = own.tree.leaves.code[of_all], own.tree.leaves.rows[of_all]
    leaves = Leaves(np.array([0, len(codes)]), codes, rows)
    tied = np.append(codes, n_parts).astype(codes.dtype), np.append(rows, 300)
    base, leaf = np.linspace(19_500, 19_600, 500), np.zeros(500, dtype=np.int64)
    found = [
        left_on_calendar(
            *(own.calendar, scale, base, own.residuals, leaf),
            *(some, np.random.default_rng(0)),
        )
        for some in (leaves, Leaves(np.array([0, len(tied[0])]), *tied))
    ]
    for alone, beside in zip(*found, strict=True):
        np.testing.assert_array_equal(alone, beside)
    assert len(found[0][0]) == n_parts and not found[0][1].all()


@pytest.mark.slow
def test_it_is_saved(fitted):
    structure = fitted.model_.structure
    content, arrays = json.loads(json.dumps(structure.to_dict())), structure.arrays()
    again = Structure.from_dict(content, arrays)
    (own,) = [drawn.calendar for drawn in structure.columns if drawn.calendar]
    (same,) = [drawn.calendar for drawn in again.columns if drawn.calendar]
    assert same.to_dict() == own.to_dict()
    # Models that were saved before have that of the column.
    for drawn in content["columns"]:
        del drawn["calendar"]
    (before,) = [
        drawn.calendar
        for drawn in Structure.from_dict(content, arrays).columns
        if drawn.calendar
    ]
    assert np.abs(before.weekdays - own.weekdays).max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("clock", [False, True])
def test_days_that_tell_a_date_end_on_its_calendar(clock, tmp_path):
    """What is received on workdays was done on Sundays, some days after."""
    rng = np.random.default_rng(5)
    n = 1500
    week, weekday = rng.integers(0, 104, n), rng.integers(0, 5, n)
    received = pd.Timestamp("2022-01-03") + pd.to_timedelta(7 * week + weekday, "D")
    days = rng.geometric(0.15, n)
    on = (weekday + days) % 7
    days += np.where(on > 4, 7 - on, 0)
    done = received + pd.to_timedelta(days, "D")
    if clock:
        done += pd.to_timedelta(rng.integers(480, 1020, n), "min")
    table = pd.DataFrame({"received": received, "done": done, "days": days})
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(table)
    if clock:
        model.save(tmp_path / "model")
        model = CoclusterSynthesizer.load(tmp_path / "model")
    drawn = model.sample(n, random_state=1)
    assert (drawn["done"].dt.day_of_week < 5).all()
    between = drawn["done"].dt.normalize() - drawn["received"]
    assert (between.dt.days == drawn["days"]).all()
    # Nor on the day that begins with the last moment, which nothing is left of.
    assert drawn["done"].dt.hour.isin(table["done"].dt.hour).all()
    shares = [t["days"].value_counts(normalize=True) for t in (table, drawn)]
    assert shares[0].sub(shares[1], fill_value=0).abs().max() < 0.02
