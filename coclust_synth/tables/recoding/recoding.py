"""Recoding by hand: what somebody decided to blur in a table before it is released.

A recoding says of some columns what becomes of their values: top and bottom codes,
rounding, groups, prefixes, values that are left out. It is declared in TOML::

    [[recode]]
    column = "age"
    suppress = [999]                # left out: missing from here on
    bottom = 18                     # what is below becomes 18,
    top = 90                        # what is above 90
    round = 5                       # to the nearest multiple; halves away from zero

    [[recode]]
    column = "postcode"
    prefix = 3                      # of the code, its first three characters

    [[recode]]
    column = "job"
    groups = { health = ["nurse", "doctor"], school = ["teacher"] }
    rest = "other"                  # of all that is in no group; else it stays

    [[recode]]
    column = "income"
    groups = { low = [{ to = 20000 }], middle = [{ from = 20001, to = 60000 }] }

    [[recode]]
    column = "born"
    format = "%d.%m.%Y"             # how texts are laid out; of numbers "comma", "# %"
    bottom = 1930-01-01

In this order: values that are left out, as the table has them, then bottom and top
codes and rounding, or groups, or a prefix. Bounds are numbers or dates
(``1930-01-31``), and ends of ranges belong to them; in groups, and for what is left
out, a time of the day is in its day. A text in quotes is compared as it stands, a
number as a number.

**Every cell is recoded on its own**: what becomes of it depends on nothing but its text
and the file, never on other rows. So a recoding can stand before a differentially
private release without cost, provided that the file was not written with the table at
hand. It is no protection in itself, and it cannot be undone in what is released.
"""

import datetime
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any, Self

import numpy as np
import pandas as pd

from coclust_synth.exceptions import DataWarning, SchemaError
from coclust_synth.tables.files import read_declared
from coclust_synth.tables.literals import parse_toml
from coclust_synth.tables.reading.table import Source, TableLike, open_table
from coclust_synth.tables.reading.texts.cells import cell_texts, parse_number
from coclust_synth.tables.reading.texts.text import MISSING_MARKS, TYPED_MISSING_MARKS
from coclust_synth.tables.recoding.column import NUMBERS, ColumnRecoding
from coclust_synth.tables.recoding.values import is_in, is_of_dates, read_for
from coclust_synth.tables.schema import unknown_column
from coclust_synth.tables.values.columns import examples
from coclust_synth.tables.values.dtypes import TEXT_DTYPE


@dataclass(frozen=True)
class Recoding:
    """What becomes of the values of some columns of a table.

    Parameters
    ----------
    columns : tuple of ColumnRecoding
        One for each column.

    Raises
    ------
    SchemaError
        If there is none, or two are of one column.

    Examples
    --------
    >>> text = '[[recode]]\\ncolumn = "age"\\ntop = 90\\nround = 5'
    >>> recoding = Recoding.from_toml(text)
    >>> recoding.of_cells(pd.DataFrame({"age": ["31", "97", None]}))["age"].tolist()
    ['30', '90', None]
    """

    columns: tuple[ColumnRecoding, ...]

    def __post_init__(self) -> None:
        names = [own.column for own in self.columns]
        if not names:
            raise SchemaError(
                "Expected a recoding of some columns, each under [[recode]]. Received "
                "none. Write one, or leave the file out."
            )
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SchemaError(
                "Expected one [[recode]] for each column. Received several of "
                f"{', '.join(map(repr, twice))}. Put them together."
            )

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Read a recoding from TOML.

        Raises
        ------
        SchemaError
            If the text is no TOML or no recoding.
        """
        content = parse_toml(text, "a recoding")
        listed = content.pop("recode", [])
        is_list = isinstance(listed, list) and all(isinstance(o, dict) for o in listed)
        if content or not is_list:
            raise SchemaError(
                "Expected a recoding that lists its columns, each under [[recode]]. "
                f"Received {', '.join(map(repr, content)) or repr(listed)}. Write one "
                "[[recode]] for each, and nothing else."
            )
        return cls(tuple(map(_from_dict, listed)))

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """Read a recoding from a file; see `from_toml`.

        Raises
        ------
        SchemaError
        """
        return cls.from_toml(read_declared(path, "a recoding"))

    def of_table(self, table: TableLike) -> Source:
        """The cells of a table as they are from here on.

        Parameters
        ----------
        table : DataFrame, path or Table

        Returns
        -------
        Source
            What any estimator takes for a table.

        Raises
        ------
        SchemaError
            If a column is not there, or holds no numbers where some are expected.
            (Of texts that no range of a group can hold a DataWarning tells.)
        ParameterError, TableError
            If the table does not read.
        """
        source = open_table(table)
        if source.delimiter is None:
            typed = {own.column: self._typed(source.frame, own) for own in self.columns}
            return source._replace(frame=source.frame.assign(**typed))
        frame = self.of_cells(source.frame, strict=True)
        names = [own.column for own in self.columns]
        return source._replace(frame=frame.assign(**frame[names].fillna("")))

    def of_cells(self, frame: pd.DataFrame, strict: bool = False) -> pd.DataFrame:
        """The texts of a table as they are from here on, each on its own.

        Parameters
        ----------
        frame : DataFrame of texts, None or blank where missing
        strict : bool, default=False
            As of `ColumnRecoding.recode`.

        Returns
        -------
        DataFrame
            None where a value is missing or left out.

        Raises
        ------
        SchemaError
            If a column is not there.
        """
        recoded = {}
        for own in self.columns:
            _check_there(own.column, frame)
            codes, texts = cell_texts(frame[own.column].astype(object))
            found = _recoded(own, codes, texts, strict)
            recoded[own.column] = pd.Series(found, frame.index, dtype=object)
        return frame.assign(**recoded)

    def _typed(self, frame, own):
        """A typed column as it is from here on, of its type where it can be."""
        _check_there(own.column, frame)
        series = frame[own.column]
        if not any(isinstance(value, str) for value in series):
            own = replace(own, format=None)  # which is of texts
        codes, texts = cell_texts(series)
        found = _recoded(own, codes, texts, strict=True)
        if not own.is_numeric:
            return pd.Series(found, index=series.index, dtype=TEXT_DTYPE)
        known = pd.Series(texts, dtype=object).reindex(codes).to_numpy()
        values = [
            old if new is text else _like(new, old)
            for old, text, new in zip(series, known, found, strict=True)
        ]
        return _of_dtype(values, series)

    @property
    def laid_out_numbers(self) -> tuple[str, ...]:
        """Columns of numbers with a `format`, which files must hold as texts."""
        laid_out = (own for own in self.columns if own.format is not None)
        return tuple(own.column for own in laid_out if not is_of_dates(own.format))

    def to_dict(self) -> list[dict[str, Any]]:
        """JSON compatible form: what a manifest tells."""
        return [own.to_dict() for own in self.columns]


def _recoded(own, codes, texts, strict):
    """What becomes of the cells of a column, None where they are missing."""
    is_number = any(getattr(own, name) is not None for name in NUMBERS)
    marks = TYPED_MISSING_MARKS if is_number else MISSING_MARKS
    found = [
        text if text in marks and not _names(own, text) else own.recode(text, strict)
        for text in texts
    ]
    if strict:
        _tell_back(own, texts, found)
        _tell_unfound(own, texts)
        _tell_misspelt(own, texts)
        _tell_unread(own, {*texts}.intersection(found) - marks)
    return np.array([*found, None], dtype=object)[codes]  # the last is that of -1


def _tell_back(own, texts, found):
    """Say which values become one that is left out, and are released as it."""
    back = [
        f"{text!r} as {new!r}"
        for text, new in zip(texts, found, strict=True)
        if new is not None and new != text and own.leaves_out(new)
    ]
    if back:
        warnings.warn(
            f"Expected no value of column {own.column!r} to become one that is left "
            f"out. Received {back[0]}"
            + (f" and {len(back) - 1} more" if len(back) > 1 else "")
            + (
                ": they are released, since `suppress` names values as the table has "
                "them. To leave them out, name these in `suppress` too."
            ),
            DataWarning,
            stacklevel=2,
        )


def _tell_unfound(own, texts):
    """Say that a number or date to leave out is no cell, where some do not read."""
    for value in own.suppress:
        if isinstance(value, str) or any(
            is_in(text, value, own.reading) for text in texts
        ):
            continue
        read = (read_for(text, {"from": value}, own.reading) for text in texts)
        cells = zip(texts, read, strict=True)
        unread = [text for text, own_value in cells if own_value is None]
        unread = [text for text in unread if any(map(str.isdigit, text))]
        if unread:
            warnings.warn(
                f"Expected {value} in column {own.column!r}, to be left out. Received "
                f"no such cell, and {examples(sorted(unread))}, which do not read as "
                "numbers or dates. Write the value in quotes, as the table has it, "
                "or give its `format`, as a schema of `inspect` does.",
                DataWarning,
                stacklevel=2,
            )


def _tell_misspelt(own, texts):
    """Say which texts that are named are cells but for capitals, or blanks around."""
    named = {*_named_texts(own)}
    others = {text.strip().casefold(): text for text in texts if text not in named}
    wrong = [
        f"{value!r}, where cells have {others[value.strip().casefold()]!r}"
        for value in sorted(named.difference(texts))
        if value.strip().casefold() in others
    ]
    if wrong:
        warnings.warn(
            f"Expected values of column {own.column!r} as its cells have them. "
            f"Received {'; '.join(wrong[:3])}: such cells are neither left out nor "
            "put into a group. Spell the values as the table does.",
            DataWarning,
            stacklevel=2,
        )


def _tell_unread(own, stayed):
    """Say which texts no range can hold, of those that stay as they are."""
    spans = [
        value
        for values in (own.groups or {}).values()
        for value in values
        if isinstance(value, Mapping)
    ]
    stayed = stayed - {*(own.groups or {}), own.rest}
    reading = own.reading
    unread = [
        text
        for text in stayed
        if all(read_for(text, span, reading) is None for span in spans)
    ]
    if spans and unread:
        warnings.warn(
            f"Expected numbers or dates in column {own.column!r}, whose groups have "
            f"ranges. Received {examples(sorted(unread))}, which no range holds: they "
            "stay as they are. Name them in a group, or say what the rest becomes.",
            DataWarning,
            stacklevel=2,
        )


def _names(own, text):
    """Whether what could be a mark of missing values is a value that is named."""
    return text in _named_texts(own)


def _named_texts(own):
    """The texts that are left out or grouped."""
    listed = [*own.suppress]
    for values in (own.groups or {}).values():
        listed += values
    return [value for value in listed if isinstance(value, str)]


def _like(text, old):
    """The value of a text that takes the place of another."""
    if text is None or isinstance(old, str):
        return text
    if isinstance(old, datetime.date):
        day = datetime.date.fromisoformat(text)
        return pd.Timestamp(day) if isinstance(old, datetime.datetime) else day
    if isinstance(old, Decimal):
        return Decimal(text)
    number = parse_number(text)
    return int(number) if number == int(number) else float(number)


def _of_dtype(values, series):
    """Values in a column of the type of another, or of one that holds them."""
    if isinstance(series.dtype, pd.CategoricalDtype):  # new values are none of them
        return pd.Series(values, series.index)
    nullable = series.dtype.name.replace("i", "I").replace("u", "U")
    for dtype in (series.dtype, nullable if series.dtype.kind in "iu" else None):
        try:
            found = pd.Series(values, series.index, dtype=dtype)
        except (TypeError, ValueError, OverflowError):
            continue
        if all(
            a is None or pd.isna(a) or a == b
            for a, b in zip(values, found, strict=True)
        ):
            return found
    return pd.Series(values, series.index)


def _check_there(name, frame):
    if name not in frame.columns:
        raise SchemaError(unknown_column(name, tuple(frame.columns), "the table"))


def _from_dict(content):
    known = [own.name for own in fields(ColumnRecoding)]
    unknown = [name for name in content if name not in known]
    if unknown or not isinstance(content.get("column"), str):
        received = (
            ", ".join(map(repr, unknown)) or f"column = {content.get('column')!r}"
        )
        raise SchemaError(
            "Expected a [[recode]] of column, a name, and some of "
            f"{', '.join(known[1:])}. Received {received}. Correct it."
        )
    return ColumnRecoding(**content)
