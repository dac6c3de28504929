"""Stretches of time in which dates have habits of their own."""

import json

import numpy as np
import pandas as pd
import pytest

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.laws.eras import find_eras
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.rows import count_values

DAYS, SECONDS = SteppedRuler(1, unit="D"), SteppedRuler(1, unit="s")


def eras_of(values, ruler=DAYS, persons=None, k=20):
    """The atoms of dates, their calendar, and its eras."""
    order = np.argsort(values, kind="stable")
    values = values[order]
    none = np.zeros(len(values), dtype=bool)
    atoms = learn_atoms(count_values(values, none), None, ruler, spread=True)
    codes = atoms.encode(values, none)
    calendar = atoms.grains
    if not isinstance(calendar, Calendar):
        calendar = Calendar(ruler)
    rows = (atoms.lows < atoms.highs)[codes]
    ends = atoms.lows[codes[rows]], atoms.highs[codes[rows]]
    who = None if persons is None else persons[order][rows]
    eras = find_eras(calendar, values[rows], ends, who, k)
    whole = Calendar(calendar.finest, calendar.weekdays, calendar.days)
    assert json.loads(json.dumps(whole.to_dict())) == whole.to_dict()
    return atoms, eras


def days_from(rng, first, last, n, share_of_firsts):
    """Days of which a share are the first of a month, and others any."""
    days = pd.date_range(first, last)
    own = np.where(
        rng.random(n) < share_of_firsts,
        rng.choice(days[days.day == 1], n),
        rng.choice(days, n),
    )
    return own.astype("datetime64[D]").astype(np.int64)


@pytest.mark.slow
def test_firsts_of_months_are_of_the_era_that_has_them(rng):
    old = days_from(rng, "1960-01-01", "1979-12-31", 400, 0.7)
    new = days_from(rng, "1980-01-01", "2009-12-31", 2000, 0.0)
    values = np.append(old, new)
    atoms, eras = eras_of(values)
    assert len(eras) == 2
    start = np.int64(eras[1].start).astype("datetime64[D]")
    assert np.datetime64("1978-01-01") < start < np.datetime64("1982-01-01")
    calendar = Calendar(DAYS, eras=eras)
    again = Calendar.from_dict(json.loads(json.dumps(calendar.to_dict())))
    codes = atoms.encode(values, np.zeros(len(values), bool))
    for own in (calendar, again):
        drawn = own.rounded(
            values,
            atoms.lows[codes],
            atoms.highs[codes],
            values[:0],
            np.random.default_rng(0),
        )
        firsts = pd.DatetimeIndex(drawn.astype("datetime64[D]")).day == 1
        assert abs(firsts[:400].mean() - 0.71) < 0.08
        assert firsts[400:].mean() < 0.06


def test_hours_change_with_time(rng):
    """Shops that closed at noon are open in the afternoon alone."""
    days = rng.integers(10_000, 14_000, 3000)
    hours = np.where(
        days < 12_000, rng.integers(8, 12, 3000), rng.integers(14, 18, 3000)
    )
    values = days * 86_400 + hours * 3600 + rng.integers(0, 3600, 3000)
    _, eras = eras_of(values, SECONDS)
    assert len(eras) == 2
    assert abs(eras[1].start / 86_400 - 12_000) < 100
    # An era may hold a few days of the other, whose four hours have 20 rows at most.
    assert eras[0].calendar.hours[14:].sum() < 0.06
    assert eras[1].calendar.hours[:12].sum() < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("weekdays", [5, pytest.param(7, marks=pytest.mark.slow)])
def test_habits_that_stay_have_no_eras(seed, weekdays):
    rng = np.random.default_rng(seed)
    days = pd.date_range("1990-01-01", "2019-12-31")
    values = days_from(rng, "1990-01-01", "2019-12-31", 1500, 0.1)
    likely = days[days.day_of_week < weekdays]
    some = rng.choice(likely, 1500).astype("datetime64[D]").astype(np.int64)
    assert not eras_of(np.append(values, some))[1]


@pytest.mark.slow
def test_eras_are_of_k_individuals(rng):
    old = days_from(rng, "1960-01-01", "1979-12-31", 100, 1.0)
    new = days_from(rng, "1980-01-01", "2009-12-31", 2000, 0.0)
    values = np.append(old, new)
    assert len(eras_of(values)[1]) > 1
    assert all(own.n_individuals >= 300 for own in eras_of(values, k=300)[1])
    # Of five persons who have all the old dates nothing is told.
    persons = np.append(rng.integers(0, 5, 100), 5 + np.arange(2000))
    starts = [own.start for own in eras_of(values, persons=persons)[1]]
    assert all(start > -1000 for start in starts[1:])


@pytest.mark.slow
@pytest.mark.parametrize("rest", [0.0, 0.2])
def test_a_day_that_one_person_has_often_is_no_habit_of_an_era(rng, rest):
    """Nor where all that are not on the first of a month are one person's."""
    old = days_from(rng, "1960-01-01", "1979-12-31", 600, 1 - rest)
    new = days_from(rng, "1980-01-01", "2009-12-31", 3000, 0.0)
    days = pd.date_range("1960-01-01", "1979-12-31")
    own = rng.choice(days[days.day == 13], 60, replace=False)
    values = np.concatenate([old, new, own.astype("datetime64[D]").astype(np.int64)])
    persons = np.append(np.arange(3600) // 2, np.full(60, 1800))
    _, eras = eras_of(values, persons=persons)
    of_days = eras[0].calendar.days
    assert len(eras) == 2 and of_days[0] == 1
    assert of_days[12] <= 2 * np.median(of_days)
    _, alone = eras_of(values)
    assert alone[0].calendar.days[12] > 4 * np.median(alone[0].calendar.days)


@pytest.mark.slow
def test_eras_of_few_have_the_calendar_of_all(rng):
    old = days_from(rng, "1960-01-01", "1979-12-31", 300, 1.0)
    new = days_from(rng, "1980-01-01", "2009-12-31", 2000, 0.0)
    calendar = Calendar(DAYS, eras=eras_of(np.append(old, new))[1])
    coarser = calendar.of_most(1000)
    few = [own for own in coarser.eras if own.n_individuals < 1000]
    assert few and all((own.calendar.days == 1).all() for own in few)
    assert len(calendar.of_most(20).eras) == len(calendar.eras)
    assert calendar.of_most(20).eras[0].calendar is calendar.eras[0].calendar
