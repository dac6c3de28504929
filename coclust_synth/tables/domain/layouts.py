"""How texts of a declared column are laid out: 31.12.2020, 08:30, 1.234,50 €, 12 %."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal

import numpy as np

from coclust_synth.tables import clock
from coclust_synth.tables.clock import write_date_as
from coclust_synth.tables.domain.dates import parse_date, parse_time
from coclust_synth.tables.reading.texts.layouts import (
    date_parser,
    is_date_layout,
    is_number_layout,
    number_parser,
    number_writer,
)


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
        With a `format`.
    """
    if column.is_time:
        return lambda text: texts_of_times([parse_time(text)], column.format)[0]
    if column.is_date:
        return lambda text: write_date_as(column.format, parse_date(text))
    return number_writer(column.format, _digits_of(column.unit))


def _digits_of(unit):
    """As many decimals as multiples of a unit have; as they come without one."""
    exponent = 0 if unit is None else Decimal(repr(unit)).as_tuple().exponent
    return f".{-exponent}f" if exponent < 0 else ""


def texts_of_times(times: list[datetime.timedelta], layout: str | None) -> list[str]:
    """Times in one of `clock.LAYOUTS`, by default with seconds."""
    seconds = [round(time.total_seconds()) for time in times]
    return clock.write_times(np.array(seconds, dtype=np.int64), layout or clock.FULL)
