"""Dates and times of a domain as numbers, and the texts of a column as they are laid
out: 31.12.2020, 08:30, 1.234,50 €, 12 %.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal

import numpy as np

from coclust_synth.tables import clock
from coclust_synth.tables.clock import write_date_as
from coclust_synth.tables.reading.texts.layouts import (
    date_parser,
    is_date_layout,
    is_number_layout,
    number_parser,
    number_writer,
)

PERIODS = ("day", "week", "month", "year")
SECONDS_A_DAY = 86_400

_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)?"
)
_WHOLE = re.compile("-?[0-9]+")
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


def check_layout(column) -> None:
    """Refuse a layout that does not suit what is declared.

    Parameters
    ----------
    column : DomainColumn
        Of numbers, dates or times; its `fail` raises.
    """
    layout = column.format
    if layout is None:
        return
    if not isinstance(layout, str):
        column.fail("format", "a text")
    if column.is_time:
        if layout not in clock.LAYOUTS:
            plain = ", ".join(clock.PLAIN_LAYOUTS)
            column.fail("format", f"one of {plain}, or such as 'h:mm AM'")
        if clock.has_halves(layout) and column.ends[1].days:
            column.fail("high", "below 24:00, as the format has AM and PM")
    elif column.is_date:
        if not is_date_layout(layout, timed=column.is_timed):
            times = ", %H or %I and %p, %M and, if wanted, %S"
            words = "%Y, %m, %d" + (times if column.is_timed else " (or no %d)")
            column.fail("format", f"of {words}, each once, such as %d.%m.%Y")
    elif not is_number_layout(layout):
        column.fail("format", "a layout of numbers, such as 'comma .2f' or '# %'")


def seconds_of_layout(column) -> int:
    """Seconds of which dates with times, or times, are multiples in their layout."""
    layout = column.format
    if layout is None or not column.is_timed:
        return 1
    return 1 if clock.has_seconds(layout) or "%S" in layout else 60


def parser_of(column) -> Callable:
    """The rule that tells the number or date of a text, or None, of no other text.

    Parameters
    ----------
    column : DomainColumn

    Returns
    -------
    callable
        From a text to a Decimal, a date, a datetime or a timedelta. Dates in ISO 8601
        and times of any layout are read, too.
    """
    if column.is_time:
        return parse_time
    if not column.is_date:
        return number_parser(column.format)
    if column.format is None:
        return parse_date
    parse = date_parser(column.format)

    def parse_either(text):
        found = parse(text)
        return parse_date(text) if found is None else found

    return parse_either


def writer_of(column) -> Callable[[str], str]:
    """The rule that lays out a text as `cell_text` gives it; undoes `parser_of`.

    Parameters
    ----------
    column : DomainColumn
        With a `format`, or of numbers that are not all whole: without one 2 among
        these is written 2.0.
    """
    if column.is_time:
        return lambda text: texts_of_times([parse_time(text)], column.format)[0]
    if column.is_date:
        return lambda text: write_date_as(column.format, parse_date(text))
    if column.format is None:
        return lambda text: f"{text}.0" if _WHOLE.fullmatch(text) else text
    said = column.categories or ()
    is_whole = column.is_integer if column.is_numeric else float not in map(type, said)
    some = "" if is_whole else ".1f+"
    return number_writer(column.format, _digits_of(column.unit) or some)


def _digits_of(unit):
    """As many decimals as multiples of a unit have; as they come without one."""
    exponent = 0 if unit is None else Decimal(repr(unit)).as_tuple().exponent
    return f".{-exponent}f" if exponent < 0 else ""


def texts_of_times(times: list[datetime.timedelta], layout: str | None) -> list[str]:
    """Times in one of `clock.LAYOUTS`, by default with seconds."""
    seconds = [round(time.total_seconds()) for time in times]
    return clock.write_times(np.array(seconds, dtype=np.int64), layout or clock.FULL)
