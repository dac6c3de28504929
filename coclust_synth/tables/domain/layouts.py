"""How texts of a declared column are laid out: 31.12.2020, 08:30, 1.234,50 €, 12 %.

A layout is declared, as the rest of a domain is, and each text is read by it alone:
other rows play no part.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal

import numpy as np

from coclust_synth.tables import clock
from coclust_synth.tables.domain.dates import parse_date, parse_time
from coclust_synth.tables.reading.cells import parse_number
from coclust_synth.tables.reading.number_layouts import NumberLayout

_DIGITS = re.compile(r"(short|\.[0-9]+f)?")
# What a layout of dates names, each once: a day, and a time of it or none.
_DAY, _MINUTE, _SECOND = ("Y", "d", "m"), ("H", "M", "Y", "d", "m"), ("S",)


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
            column.fail("format", f"one of {', '.join(clock.LAYOUTS)}")
    elif column.is_date:
        named = sorted(re.findall("%(.)", layout))
        if named not in _named(column):
            words = "%Y, %m, %d" + (", %H, %M and, if wanted, %S" * column.is_timed)
            column.fail("format", f"of {words}, each once, such as %d.%m.%Y")
    else:
        found = NumberLayout.parse(layout)
        if str(found) != layout or not _DIGITS.fullmatch(found.digits):
            column.fail("format", "a layout of numbers, such as 'comma .2f' or '# %'")


def _named(column):
    if not column.is_timed:
        return [sorted(_DAY)]
    return [sorted(_MINUTE), sorted(_MINUTE + _SECOND)]


def seconds_of_layout(column) -> int:
    """Seconds of which dates with times, or times, are multiples in their layout."""
    layout = column.format
    if layout is None or not column.is_timed:
        return 1
    return 1 if layout.endswith(":ss") or "%S" in layout else 60


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
    layout = column.format
    if column.is_time:
        return parse_time
    if column.is_date:
        return parse_date if layout is None else _date_parser(layout)
    return parse_number if layout is None else _number_parser(layout)


def _date_parser(layout):
    read = datetime.datetime.strptime
    whole_days = "%H" not in layout

    def parse(text):
        try:
            found = read(text, layout) if text.isascii() else None
        except ValueError:
            found = None
        if found is None:
            return parse_date(text)
        return found.date() if whole_days else found

    return parse


def _number_parser(layout):
    read = NumberLayout.parse(layout).read

    def parse(text):
        found = read([text])
        return None if found is None else parse_number(found[0])

    return parse


def writer_of(column) -> Callable[[str], str]:
    """The rule that lays out a text as `cell_text` gives it; undoes `parser_of`.

    Parameters
    ----------
    column : DomainColumn
        With a `format`.
    """
    if column.is_time:
        return lambda text: write_times([parse_time(text)], column.format)[0]
    if column.is_date:
        return lambda text: _instant(text).strftime(column.format)
    layout = NumberLayout.parse(column.format)
    digits = layout.digits or _digits_of(column.unit)

    def write(text):
        return layout.write(format(Decimal(text), digits.removeprefix("short")))

    return write


def _digits_of(unit):
    """As many decimals as multiples of a unit have; as they come without one."""
    exponent = 0 if unit is None else Decimal(repr(unit)).as_tuple().exponent
    return f".{-exponent}f" if exponent < 0 else ""


def _instant(text):
    date = parse_date(text)
    if isinstance(date, datetime.datetime):
        return date
    return datetime.datetime.combine(date, datetime.time.min)


def write_times(times: list[datetime.timedelta], layout: str | None) -> list[str]:
    """Times in one of `clock.LAYOUTS`, by default with seconds."""
    seconds = [round(time.total_seconds()) for time in times]
    return clock.write_times(np.array(seconds, dtype=np.int64), layout or clock.FULL)
