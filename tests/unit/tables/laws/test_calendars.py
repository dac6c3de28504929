"""On which days and at what hours dates fall."""

import json

import numpy as np
import pandas as pd
import pytest

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.parts.atoms import AtomParts, learn_atoms
from coclust_synth.tables.rows import count_values

DAYS, SECONDS = SteppedRuler(1, unit="D"), SteppedRuler(1, unit="s")
QUARTERS = SteppedRuler(900, unit="s")


def numbers(dates, unit):
    return pd.DatetimeIndex(dates).to_numpy().astype(f"datetime64[{unit}]").astype(int)


def atoms_of(values, ruler):
    counts = count_values(values, np.zeros(len(values), dtype=bool))
    atoms = learn_atoms(counts, None, ruler, spread=True)
    return AtomParts.from_dict(json.loads(json.dumps(atoms.to_dict())))


def drawn(values, ruler, n=20_000):
    atoms, rng = atoms_of(values, ruler), np.random.default_rng(1)
    own = values[rng.integers(0, len(values), n)]
    new, _ = atoms.draw(atoms.encode(own, np.zeros(n, bool)), rng)
    return pd.DatetimeIndex(new.astype(f"datetime64[{ruler.unit}]"))


def test_weekends_stay_free(rng):
    days = pd.date_range("2019-01-01", "2023-12-31")
    values = numbers(rng.choice(days[days.day_of_week < 5], 4000), "D")
    new = drawn(values, DAYS)
    assert (new.day_of_week < 5).all()
    assert abs(numbers(new, "D").mean() - values.mean()) < 0.01 * np.ptp(values)


@pytest.mark.parametrize("share", [0.3, 0.8])
def test_weekdays_have_their_shares(rng, share):
    days = pd.date_range("2015-01-01", "2023-12-31")
    weights = np.where(days.day_of_week == 0, share, (1 - share) / 6)
    values = numbers(rng.choice(days, 3000, p=weights / weights.sum()), "D")
    real = pd.DatetimeIndex(values.astype("datetime64[D]")).day_of_week == 0
    assert abs((drawn(values, DAYS).day_of_week == 0).mean() - real.mean()) < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("n", [300, 5000])
@pytest.mark.parametrize("frequency", ["MS", "ME"])
def test_first_and_last_days_of_months(rng, n, frequency):
    days = pd.date_range("2005-01-01", "2023-12-31", freq=frequency)
    new = drawn(numbers(rng.choice(days, n), "D"), DAYS)
    assert (new.is_month_start if frequency == "MS" else new.is_month_end).all()


@pytest.mark.parametrize("n", [500, 40_000])
def test_office_hours(rng, n):
    """Of many rows a run is shorter than a day, and may end in a night."""
    days = pd.date_range("2022-01-01", "2023-12-31")
    slots = rng.choice(days[days.day_of_week < 5], n) + pd.to_timedelta(
        rng.integers(4 * 8, 4 * 17, n) * 15, "min"
    )
    new = drawn(numbers(slots, "s"), QUARTERS)
    assert (new.day_of_week < 5).all()
    assert ((new.hour >= 8) & (new.hour < 17)).mean() > 0.999
    assert (new.minute % 15 == 0).all()
    by_hour = np.bincount(new.hour, minlength=24) / len(new)
    np.testing.assert_allclose(by_hour[8:17], 1 / 9, atol=0.04)


@pytest.mark.parametrize("seed", range(10))
def test_dates_on_any_day_have_no_calendar(seed):
    rng = np.random.default_rng(seed)
    birthdays = rng.integers(-20_000, 15_000, 3000)
    stamps = rng.integers(1_600_000_000, 1_700_000_000, 3000)
    assert not isinstance(atoms_of(birthdays, DAYS).grains, Calendar)
    assert not isinstance(atoms_of(stamps, SECONDS).grains, Calendar)
    assert not isinstance(atoms_of(birthdays, SteppedRuler(1)).grains, Calendar)


def test_what_fewer_than_twenty_have_is_not_told(rng):
    days = pd.date_range("2010-01-01", "2023-12-31")
    working, saturdays = days[days.day_of_week < 5], days[days.day_of_week == 5]
    dates = np.append(rng.choice(working, 3000), rng.choice(saturdays, 19))
    weekdays = atoms_of(numbers(dates, "D"), DAYS).grains.weekdays
    assert (weekdays[5:] == 0).all() and (weekdays[:5] > 0.8).all()
    dates = np.append(dates, rng.choice(saturdays, 2))
    weekdays = atoms_of(numbers(dates, "D"), DAYS).grains.weekdays
    assert 0 < weekdays[5] < 0.1 and weekdays[6] == 0


def test_moved_dates_stay_in_their_runs_and_off_the_heaps(rng):
    days = pd.date_range("2019-01-01", "2023-12-31")
    days = days[days.day_of_week < 5]
    dates = np.append(rng.choice(days, 3000), np.repeat(days[[40, 500]], 200))
    atoms = atoms_of(numbers(dates, "D"), DAYS)
    codes = rng.integers(0, atoms.n_parts, 20_000)
    values, _ = atoms.draw(codes, rng)
    assert (atoms.lows[codes] <= values).all() and (values <= atoms.highs[codes]).all()
    is_heap = atoms.lows == atoms.highs
    assert is_heap.sum() >= 2
    assert not np.isin(values[~is_heap[codes]], atoms.lows[is_heap]).any()


@pytest.mark.parametrize("ruler", [DAYS, SteppedRuler(3600, unit="s")])
def test_the_likeliness_of_a_range_is_the_mean_weight_of_its_dates(rng, ruler):
    hours = np.ones(24) if ruler is DAYS else rng.random(24)
    calendar = Calendar(ruler, rng.random(7), rng.random(32), hours)
    lows = rng.integers(-500, 500, 50) * ruler.step
    highs = lows + rng.integers(0, 100, 50) * ruler.step
    expected = []
    for low, high in zip(lows, highs, strict=True):
        own = np.arange(low, high + 1, ruler.step).astype(f"datetime64[{ruler.unit}]")
        dates = pd.DatetimeIndex(own)
        day = np.where(dates.is_month_end, 31, dates.day - 1)
        weight = calendar.weekdays[dates.day_of_week] * calendar.days[day]
        expected.append((weight * calendar.hours[dates.hour]).mean())
    np.testing.assert_allclose(calendar.likeliness(lows, highs), expected)
    assert calendar.likeliness(lows[:0], highs[:0]).shape == (0,)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.06, 0.2])
def test_unknown_birthdays_are_on_the_first_of_january(rng, share):
    days = pd.date_range("1935-01-01", "2012-12-31")
    births = pd.Series(rng.choice(days, 6000))
    unknown = rng.random(6000) < share
    births[unknown] = pd.to_datetime(births[unknown].dt.year.astype(str) + "-01-01")
    values = numbers(births, "D")
    new = drawn(values, DAYS)
    on_it = [(b.month == 1) & (b.day == 1) for b in (pd.DatetimeIndex(births), new)]
    assert abs(on_it[0].mean() - on_it[1].mean()) < 0.02
    first = (new.day == 1) & (new.month != 1)
    assert abs(first.mean() - (1 - share) * 11 / 365) < 0.015
    assert abs(numbers(new, "D").mean() - values.mean()) < 0.01 * np.ptp(values)


def test_no_day_of_the_year_is_told_where_births_are_anywhere(rng):
    values = numbers(rng.choice(pd.date_range("1935-01-01", "2012-12-31"), 9000), "D")
    assert not isinstance(atoms_of(values, DAYS).grains, Calendar)


def some_quarters(rng, n=4000):
    """Times by day, from 8 to 18 h, of which 70 % are at a quarter of an hour."""
    minutes = rng.integers(0, 300, n) * 1440 + rng.integers(480, 1080, n)
    is_round = rng.random(n) < 0.7
    return np.where(is_round, minutes // 15 * 15, minutes) * 60


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_times_are_round_as_often_as_in_the_table(rng, unit):
    values = some_quarters(rng) * (1000 if unit == "ms" else 1)
    ruler = SteppedRuler(60 if unit == "s" else 60_000, unit=unit)
    atoms = atoms_of(values, ruler)
    assert atoms.grains.steps == (15 * ruler.step,)
    codes = atoms.encode(values, np.zeros(len(values), dtype=bool))
    new, _ = atoms.draw(codes, rng)
    for step in (15, 30, 60):
        shares = [(of % (step * ruler.step) == 0).mean() for of in (values, new)]
        assert shares[1] == pytest.approx(shares[0], abs=0.03)
    hours = [of // (60 * ruler.step) % 24 for of in (values, new)]
    assert hours[1].min() == 8 and hours[1].max() <= 18


def test_times_at_any_minute_have_no_steps(rng):
    minutes = rng.integers(0, 300, 4000) * 1440 + rng.integers(480, 1080, 4000)
    atoms = atoms_of(minutes * 60, SteppedRuler(60, unit="s"))
    assert atoms.grains.steps == ()


def test_dates_that_many_share_have_a_calendar_for_what_they_tell(rng):
    """As working days on most of which 20 came."""
    days = pd.date_range("2023-01-02", "2023-12-29")
    days = days[days.day_of_week < 5]
    values = numbers(rng.choice(days, 6500), "D")
    atoms = atoms_of(values, DAYS)
    assert (atoms.lows == atoms.highs).mean() > 0.8
    assert (atoms.calendar.weekdays[5:] == 0).all()
    assert (atoms.calendar.weekdays[:5] > 0.8).all()
    few = atoms_of(values[:600], DAYS)
    assert few.calendar is None and (few.grains.weekdays[5:] == 0).all()
