"""Values that a recoding names: texts, numbers, dates, and ranges of these."""

import datetime
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import NamedTuple

from coclust_synth.tables.clock import has_hours, write_date_as
from coclust_synth.tables.reading.texts.layouts import (
    date_parser,
    number_parser,
    number_writer,
)


class Reading(NamedTuple):
    """How texts of a column are read, each by itself.

    Attributes
    ----------
    number, day, bare_day : callable
        The number of a text, its day, and its day if it has no time; or None.
    write : callable
        The text of a number or a day.
    """

    number: Callable
    day: Callable
    bare_day: Callable
    write: Callable

    @classmethod
    def of(cls, layout):
        """By a layout of numbers or dates, or None."""
        plain = cls(number_parser(None), _iso_day, _bare_iso_day, written)
        if layout is None:
            return plain
        if not is_of_dates(layout):
            lay_out = number_writer(layout)
            return plain._replace(
                number=number_parser(layout),
                write=lambda number: lay_out(written(number)),
            )
        parse = date_parser(layout)
        return plain._replace(
            day=lambda text: _day_of(parse(text)),
            bare_day=lambda text: None if has_hours(layout) else parse(text),
            write=lambda day: write_date_as(layout, day),
        )


def is_of_dates(layout):
    """Whether a layout is of dates, and not of numbers."""
    return "%Y" in layout or "%y" in layout


def is_in(text, value, reading):
    """Whether a text is a value that was named, or in a range."""
    if isinstance(value, str):
        return text == value
    if not isinstance(value, Mapping):
        if is_date(value):
            return reading.day(text) == value
        return reading.number(text) == exact(value)
    number = read_for(text, value, reading)
    if number is None:
        return False
    low, high = ends_of(value)
    return (low is None or low <= number) and (high is None or number <= high)


def read_for(text, span, reading):
    """What a text is beside the ends of a range: a date, or a number, or None."""
    end = next(iter(span.values()))
    return reading.day(text) if is_date(end) else reading.number(text)


def overlap(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    one, other = (
        own if isinstance(own, Mapping) else {"from": own, "to": own}
        for own in (one, other)
    )
    (low, high), (low_2, high_2) = ends_of(one), ends_of(other)
    ends = [end for end in (low, high, low_2, high_2) if end is not None]
    if len({*map(is_date, ends)}) > 1:
        return False
    starts_late = high is not None and low_2 is not None and low_2 > high
    ends_early = high_2 is not None and low is not None and high_2 < low
    return not starts_late and not ends_early


def ends_of(span):
    return tuple(
        None if span.get(e) is None else exact(span[e]) for e in ("from", "to")
    )


def exact(value):
    return value if is_date(value) else Decimal(str(value))


def _iso_day(text):
    try:
        return datetime.datetime.fromisoformat(text).date()
    except ValueError:
        return None


def _day_of(date):
    return date.date() if isinstance(date, datetime.datetime) else date


def _bare_iso_day(text):
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


def written(value):
    if is_date(value):
        return value.isoformat()
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").removesuffix(".")
    return "0" if text in ("-0", "") else text


def as_json(value):
    if isinstance(value, Mapping):
        return {name: as_json(own) for name, own in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(own) for own in value]
    return value.isoformat() if is_date(value) else value


def is_value(value):
    return isinstance(value, str) or is_number(value) or is_day(value)


def is_span(value):
    if not isinstance(value, Mapping) or not value or {*value} - {"from", "to"}:
        return False
    ends = list(value.values())
    if not all(is_number(end) or is_day(end) for end in ends):
        return False
    if len({*map(is_date, ends)}) > 1:
        return False
    return len(ends) < 2 or exact(value["from"]) <= exact(value["to"])


def is_number(value):
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) < float("inf")


def is_day(value):
    return is_date(value) and not isinstance(value, datetime.datetime)


def is_date(value):
    return isinstance(value, datetime.date)


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)
