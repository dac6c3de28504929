"""Dates and times of a domain: as numbers, as texts, and cut along the calendar."""

from __future__ import annotations

import datetime
import re

import numpy as np

from coclust_synth.tables import clock

PERIODS = ("day", "week", "month", "year")
SECONDS_A_DAY = 86_400

_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)?"
)
_MONDAY = 4  # days from 1970-01-01 to the first Monday


def parse_date(text: str) -> datetime.date | None:
    """The date that a text stands for.

    Parameters
    ----------
    text : str
        In ISO 8601: ``2024-12-31``, with a time of day behind ``T`` or a blank if
        wanted: ``2024-12-31T23:59``, ``2024-12-31 23:59:58.5``. No time zone.

    Returns
    -------
    date, datetime or None
        A datetime if the text has a time of day, without fractions of a second. None
        for anything else, such as ``31/12/2024`` or a thirtieth of February.
    """
    if not _DATE.fullmatch(text):
        return None
    text = text.partition(".")[0]
    try:
        if len(text) == 10:
            return datetime.date.fromisoformat(text)
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def parse_time(text: str) -> datetime.timedelta | None:
    """The time of a day, or the duration, that a text stands for.

    Such as ``08:30``, ``8:30:05`` or ``125:10``; None for anything else, see `clock`.
    """
    found = clock.read_times([text], None)
    return None if found is None else datetime.timedelta(seconds=int(found[0][0]))


def seconds_of(date: datetime.date | datetime.timedelta) -> int:
    """Seconds of a time, or from 1970-01-01 to a date or datetime without a zone."""
    if isinstance(date, datetime.timedelta):
        return date.days * SECONDS_A_DAY + date.seconds
    if not isinstance(date, datetime.datetime):
        date = datetime.datetime.combine(date, datetime.time.min)
    elapsed = date - datetime.datetime(1970, 1, 1)
    return elapsed.days * SECONDS_A_DAY + elapsed.seconds


def period_starts(low: int, high: int, step: str | int, a_day: int) -> np.ndarray:
    """Where the periods of a range of dates start.

    Parameters
    ----------
    low, high : int
        First and last date, from 1970-01-01 on.
    step : {"day", "week", "month", "year"} or int
        Periods of the calendar, weeks from Monday on, of which the first and the last
        may be cut short; or days of each period, from `low` on.
    a_day : int
        How many units of `low` and `high` a day has: 1, or `SECONDS_A_DAY`.

    Returns
    -------
    ndarray of int64
        Increasing, `low` first.
    """
    if not isinstance(step, str):
        return np.arange(low, high + 1, step * a_day)
    first, last = low // a_day, high // a_day
    if step == "week":
        first -= (first - _MONDAY) % 7
        days = np.arange(first, last + 1, 7)
    else:
        period = f"M8[{step[0].upper()}]"
        ends = np.array([first, last], dtype="M8[D]").astype(period).astype(np.int64)
        periods = np.arange(ends[0], ends[1] + 1).astype(period)
        days = periods.astype("M8[D]").astype(np.int64)
    starts = days * a_day
    starts[0] = low
    return starts
