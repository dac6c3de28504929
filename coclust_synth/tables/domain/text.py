"""A domain as TOML, and as plain values: what is written, and what is read again."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import fields

from coclust_synth.tables.domain.column import DomainColumn
from coclust_synth.tables.domain.layouts import parse_date, parse_time, texts_of_times
from coclust_synth.tables.literals import check_column_fields, decode, encode, to_toml

FROM_DATA = "not differentially private: domain taken from the data"

HEAD = """\
# The declared domain of a table, for differentially private releases: one [[column]]
# for each column, with
#   categories  every value, in order; or instead
#   low, high   lowest and highest number, whole for a column of whole numbers, or date,
#               such as 2024-12-31 or 2024-12-31T23:59:59, or time, such as "08:30"
#   bins        intervals of equal width between them; or instead
#   step        their width; of dates in days, or "day", "week", "month" or "year"; of
#               times such as "00:15"
# or instead of these four
#   edges       where each interval starts, and last the highest number or date
# and, if wanted,
#   scale       "log": intervals of equal ratio, for amounts that reach from small to
#               very large; `low` is then above 0
#   zero        true: an interval of the number 0 alone, where many amounts are 0
#   unit        released numbers are multiples of it, such as 0.01 or 1000
#   format      how texts are laid out: dates "%d.%m.%Y", times "hh:mm", numbers "comma"
#               (1234,5), "comma thousands .2f" (1.234,50), "$# thousands" or "# %"
#   clamp       true: what is outside goes to the nearest interval, and is no error
#   other       name of a cell for all values that are no category
#   missing     mark of a missing value ("" too): a cell for them, and for empty ones
#   coerce      true: what is no number, or date, counts as missing, and is no error
# Take them from documentation, never from the rows: the domain is not protected.
# Leave out a column that names persons: give it to `dp` by --person-id, so that all
# rows of a person are protected together.
"""
_BLANK = """\
[[column]]
name = {name}
# categories = []
# low =
# high =
# bins =
"""
_DEFAULTS = {field.name: field.default for field in fields(DomainColumn)}


def column_block(column: DomainColumn) -> str:
    """A column as TOML."""
    lines = (f"{k} = {to_toml(v)}\n" for k, v in column_to_dict(column).items())
    return "[[column]]\n" + "".join(lines)


def blank_block(name: str) -> str:
    """A column as TOML, to be filled in."""
    return _BLANK.format(name=to_toml(name))


def commented_block(name: str, reason: str) -> str:
    """A column that is not declared, with the reason, to be filled in if wanted."""
    lines = [*reason.splitlines(), *blank_block(name).replace("# ", "").splitlines()]
    return "".join(f"# {line}\n" for line in lines)


def column_to_dict(column: DomainColumn) -> dict:
    """A column as JSON types; `column_from_dict` gives it back."""
    content = {name: getattr(column, name) for name in _DEFAULTS}
    if column.categories is not None:
        content["categories"] = [encode(value) for value in column.categories]
    if column.edges is not None:
        content["edges"] = [_plain(edge) for edge in column.edges]
    content |= {name: _plain(content[name]) for name in ("low", "high", "step")}
    return {k: v for k, v in content.items() if k == "name" or v != _DEFAULTS[k]}


def column_from_dict(content: Mapping) -> DomainColumn:
    """A column from JSON types, or those of TOML.

    Raises
    ------
    SchemaError
        On a field that does not exist, or a wrong value.
    """
    content = dict(content)
    where = check_column_fields(content, tuple(_DEFAULTS))
    if isinstance(content.get("categories"), list | tuple):
        content["categories"] = tuple(decode(v, where) for v in content["categories"])
    if isinstance(content.get("edges"), list | tuple):
        content["edges"] = tuple(map(_dated, content["edges"]))
    for name in ("low", "high", "step"):
        content[name] = _dated(content.get(name))
    return DomainColumn(**content)


def _plain(value):
    if isinstance(value, datetime.timedelta):
        return texts_of_times([value], None)[0]
    return value.isoformat() if isinstance(value, datetime.date) else value


def _dated(value):
    """A date or time for a text that is one, and any other value as it is."""
    if isinstance(value, datetime.time):
        value = value.isoformat()
    if not isinstance(value, str):
        return value
    date, time = parse_date(value), parse_time(value)
    return value if date is None and time is None else time if date is None else date
