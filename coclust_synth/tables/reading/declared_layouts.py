"""Texts laid out as is declared, each read alone: 31.12.2020, 1.234,50 €, 12 %.

How a whole column is laid out is found out by `coclust_synth.tables.reading.text`; here
it is said, and other rows play no part.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal

from coclust_synth.tables.reading.cells import parse_number
from coclust_synth.tables.reading.number_layouts import NumberLayout
from coclust_synth.tables.values.date_layouts import has_hours, padded

_DIGITS = re.compile(r"(short|\.[0-9]+f)?")
# What a layout of dates names, each once, and one of dates with times besides.
_DAY, _TIMES = "Ydm", ("HM", "HMS", "IMp", "IMSp")


def is_number_layout(layout: str) -> bool:
    """Whether a text is a layout of numbers: see `NumberLayout`."""
    found = NumberLayout.parse(layout)
    return str(found) == layout and _DIGITS.fullmatch(found.digits) is not None


def is_date_layout(layout: str, *, timed: bool) -> bool:
    """Whether a text is a strftime pattern of days, or of days with times."""
    named = sorted(re.findall("%(.)", padded(layout)))
    known = [_DAY + time for time in _TIMES] if timed else [_DAY]
    return named in [sorted(own) for own in known]


def number_parser(layout: str | None) -> Callable[[str], Decimal | None]:
    """The rule that tells the number of a text, or None."""
    if layout is None:
        return parse_number
    read = NumberLayout.parse(layout).read

    def parse(text: str) -> Decimal | None:
        found = read([text])
        return None if found is None else parse_number(found[0])

    return parse


def number_writer(layout: str, digits: str = "") -> Callable[[str], str]:
    """The rule that lays out a number as Python writes it.

    Parameters
    ----------
    layout : str
    digits : str, default=""
        Such as ``.2f``, where the layout says none.
    """
    found = NumberLayout.parse(layout)
    digits = (found.digits or digits).removeprefix("short")
    return lambda text: found.write(format(Decimal(text), digits))


def date_parser(layout: str) -> Callable[[str], datetime.date | None]:
    """The rule that tells the date of a text, a datetime if it has a time, or None."""
    read, layout = datetime.datetime.strptime, padded(layout)
    whole_days = not has_hours(layout)

    def parse(text: str) -> datetime.date | None:
        if not text.isascii():
            return None
        try:
            found = read(text, layout)
        except ValueError:
            return None
        return found.date() if whole_days else found

    return parse
