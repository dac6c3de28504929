"""Parts of dates, and the combinations of them that a run holds."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import (
    PART_SIZES,
    Calendar,
    date_part,
    parts_held,
)


@pytest.mark.parametrize("unit", ["D", "s", "ms", "ns"])
def test_parts_are_those_of_the_calendar(unit, rng):
    dates = pd.to_datetime(rng.integers(-(10**9), 2 * 10**9, 500), unit="s")
    values = dates.to_numpy().astype(f"M8[{unit}]").astype(np.int64)
    ruler = SteppedRuler(1, unit=unit)
    assert (date_part("month", values, ruler) == dates.month - 1).all()
    assert (date_part("weekday", values, ruler) == dates.day_of_week).all()
    if unit != "D":
        assert (date_part("hour", values, ruler) == dates.hour).all()


def naive_parts_held(parts, lows, highs, ruler):
    held = np.zeros((len(lows), *(PART_SIZES[part] for part in parts)), dtype=bool)
    for run, (low, high) in enumerate(zip(lows, highs, strict=True)):
        for value in range(low, high + 1):
            own = [date_part(part, np.array([value]), ruler)[0] for part in parts]
            held[run, *own] = True
    return held


@pytest.mark.parametrize("parts", [["month"], ["month", "weekday"], ["weekday"]])
def test_a_run_of_days_holds_the_parts_of_its_days(parts):
    rng, ruler = np.random.default_rng(1), SteppedRuler(1, unit="D")
    lows = rng.integers(-500, 500, 12)
    highs = lows + rng.integers(0, [3, 12, 40, 500] * 3)
    expected = naive_parts_held(parts, lows, highs, ruler)
    assert (parts_held(parts, lows, highs, ruler) == expected).all()


@pytest.mark.parametrize(
    "parts", [["hour"], ["weekday", "hour"], ["month", "weekday", "hour"]]
)
def test_a_run_of_times_holds_the_hours_that_it_reaches(parts):
    rng = np.random.default_rng(2)
    # Hours as the unit of a test: the ruler is one of seconds.
    hours = rng.integers(-2000, 2000, 12)
    ends = hours + rng.integers(0, [3, 12, 40, 500] * 3)
    ruler, expected = SteppedRuler(1, unit="s"), []
    for low, high in zip(hours, ends, strict=True):
        seconds = np.arange(low, high + 1) * 3600
        own = [date_part(part, seconds, ruler) for part in parts]
        expected.append(set(zip(*own, strict=True)))
    held = parts_held(parts, hours * 3600, ends * 3600, ruler)
    every = list(product(*(range(PART_SIZES[part]) for part in parts)))
    found = [{c for c in every if run[c]} for run in held]
    assert found == expected


def test_a_calendar_moves_dates_to_the_parts_that_are_wanted():
    rng, ruler = np.random.default_rng(3), SteppedRuler(60, unit="s")
    low, high = np.full((2, 3000), [[17_600 * 86_400], [18_700 * 86_400 - 60]])
    values = ruler.down(rng.integers(18_000 * 86_400, 18_300 * 86_400, 3000))
    wanted = {
        "month": rng.integers(0, 12, 3000),
        "weekday": rng.integers(0, 7, 3000),
        "hour": rng.integers(0, 24, 3000),
    }
    moved = Calendar(ruler).rounded(values, low, high, values[:0], rng, wanted)
    for part, own in wanted.items():
        assert (date_part(part, moved, ruler) == own).all()
    assert ((low <= moved) & (moved <= high) & (moved % 60 == 0)).all()


def test_a_date_stays_where_its_run_has_none_that_is_wanted():
    ruler, rng = SteppedRuler(1, unit="D"), np.random.default_rng(4)
    monday = np.array([4])
    args = monday, monday, monday + 4, monday[:0], rng
    assert Calendar(ruler).rounded(*args, {"weekday": np.array([6])}) == monday
    assert Calendar(ruler).rounded(*args, {"weekday": np.array([3])}) == monday + 3
