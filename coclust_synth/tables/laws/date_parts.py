"""Months, weekdays and hours of dates: which a date has, and those in a run."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import SteppedRuler

#: How many values each part of a date has.
PART_SIZES = {"month": 12, "weekday": 7, "hour": 24}
# 1970-01-01 was a Thursday; weekdays are counted from Monday.
_FIRST_WEEKDAY = 3
# Every weekday of every month is among so many days, one after the other.
_ALL_DAYS = 366 + 7


def units_a_day(ruler: SteppedRuler) -> int:
    """Units of a ruler of dates in a day."""
    return int(np.timedelta64(1, "D").astype(f"m8[{ruler.unit}]").astype(np.int64))


def weekday(days: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weekday of each day since 1970-01-01, from 0 for Monday."""
    return (days + _FIRST_WEEKDAY) % 7


def month(days: NDArray[np.int64]) -> NDArray[np.int64]:
    """Month of each day since 1970-01-01, from 0 for January."""
    return days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12


def date_part(
    part: str, values: NDArray[np.int64], ruler: SteppedRuler
) -> NDArray[np.int64]:
    """A part of each date, from 0.

    Parameters
    ----------
    part : {"month", "weekday", "hour"}
    values : ndarray of int64, shape (n,)
        Units since 1970-01-01.
    ruler : SteppedRuler
        Of dates.

    Returns
    -------
    ndarray of int64, shape (n,)

    Examples
    --------
    >>> date_part("weekday", np.array([0, 3, 4]), SteppedRuler(1, unit="D"))
    array([3, 6, 0])
    """
    unit = units_a_day(ruler)
    if part == "hour":
        return values % unit * PART_SIZES["hour"] // unit
    return {"month": month, "weekday": weekday}[part](values // unit)


def parts_held(
    parts: Sequence[str],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    ruler: SteppedRuler,
) -> NDArray[np.bool_]:
    """Which combinations of parts dates of a run can have.

    Parameters
    ----------
    parts : sequence of str
        Some of `PART_SIZES`, in their order.
    lows, highs : ndarray of int64, shape (m,)
        Ends of each run, both included.
    ruler : SteppedRuler

    Returns
    -------
    ndarray of bool, shape (m, size of the first part, ...)

    Examples
    --------
    >>> week = np.array([4]), np.array([6])
    >>> parts_held(["weekday"], *week, SteppedRuler(1, unit="D"))[0].nonzero()[0]
    array([0, 1, 2])
    """
    unit = units_a_day(ruler)
    first, last = lows // unit, highs // unit
    spans = np.minimum(last - first + 1, _ALL_DAYS)
    runs = np.repeat(np.arange(len(lows)), spans)
    place = np.arange(len(runs)) - np.repeat(np.cumsum(spans) - spans, spans)
    days = first[runs] + place
    of_year, of_week = month(days), weekday(days)
    n_hours = PART_SIZES["hour"]
    begin = np.where(days == first[runs], (lows % unit * n_hours // unit)[runs], 0)
    end = (highs % unit * n_hours // unit)[runs]
    end = np.where(days == last[runs], end, n_hours - 1)
    held = np.zeros((len(lows), *PART_SIZES.values()), dtype=bool)
    for hour in range(n_hours):
        on = (begin <= hour) & (hour <= end)
        held[runs[on], of_year[on], of_week[on], hour] = True
    left_out = [i for i, part in enumerate(PART_SIZES) if part not in parts]
    return np.any(held, axis=tuple(i + 1 for i in left_out))
