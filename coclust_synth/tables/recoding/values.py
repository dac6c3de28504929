"""Values that a recoding names: texts, numbers, dates, and ranges of these."""

import datetime
from collections.abc import Mapping
from decimal import Decimal

from coclust_synth.tables.reading.cells import parse_number


def is_in(text, value):
    """Whether a text is a value that was named, or in a range."""
    if isinstance(value, str):
        return text == value
    if not isinstance(value, Mapping):
        return _day(text) == value if is_date(value) else _same(text, value)
    number = read_for(text, value)
    if number is None:
        return False
    low, high = ends_of(value)
    return (low is None or low <= number) and (high is None or number <= high)


def read_for(text, span):
    """What a text is beside the ends of a range: a date, or a number, or None."""
    end = next(iter(span.values()))
    return _day(text) if is_date(end) else parse_number(text)


def _same(text, number):
    found = parse_number(text)
    return found is not None and found == exact(number)


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


def _day(text):
    """The date of a text, the day if it has a time."""
    try:
        return datetime.datetime.fromisoformat(text).date()
    except ValueError:
        return None


def as_date(text):
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
