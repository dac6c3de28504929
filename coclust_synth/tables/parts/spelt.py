"""Columns of texts that spell the numbers of another.

A laboratory keeps its results twice: as numbers, and as texts that also hold words
(``NOT DONE``, ``<5``). Few of these texts are common, and all others would be released
as ``(other)``; but they say nothing that the number does not. Such cells get one text,
the label, before a table is learnt from, and those drawn with it the number of their
row.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.relations import Nested, Never, Relation
from coclust_synth.tables.schema import Column, Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.dtypes import TEXT_DTYPE

# Of the texts that read as numbers, this share at most is not that of the other column.
_MAX_OTHERS = 0.005
# Larger whole numbers are not told apart by a float.
_LARGEST = 1e15


@dataclass(frozen=True)
class Spelt:
    """A column of texts, and the one whose numbers they spell.

    Attributes
    ----------
    column : str
        Of texts.
    number : str
        Of kind integer or real.

    Examples
    --------
    >>> frame = pd.DataFrame({"x": [7.5, 8.0, 9.0], "text": ["7.5", "low", "9"]})
    >>> Spelt("text", "x").folded(frame)["text"].tolist()
    ['= x', 'low', '= x']
    """

    column: str
    number: str

    def __str__(self):
        return f"{self.column} = {self.number} where it is a number"

    @property
    def label(self) -> str:
        """Text of the cells that spell a number."""
        return f"= {self.number}"

    def spells(self, frame: pd.DataFrame) -> np.ndarray:
        """Which cells spell the number of their row, (n,) bool."""
        codes, texts = pd.factorize(frame[self.column])
        numbers = np.array([*map(_as_number, texts), np.nan])
        return numbers[codes] == _numbers(frame[self.number])

    def folded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The same rows, with the label for what spells a number."""
        own = frame[self.column].mask(self.spells(frame), self.label)
        return frame.assign(**{self.column: own})

    def spelt_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows as they were: each label gives way to the number, missing where it is.

        Parameters
        ----------
        frame : DataFrame
            Texts may be held as codes of categories.
        """
        own, numbers = frame[self.column], _numbers(frame[self.number])
        rows = np.flatnonzero(own == self.label)
        cells = own.astype(object).to_numpy(copy=True)
        cells[rows] = [None if math.isnan(x) else _spell(x) for x in numbers[rows]]
        dtype = "category" if isinstance(own.dtype, pd.CategoricalDtype) else own.dtype
        own = pd.Series(cells, index=own.index, name=own.name, dtype=dtype)
        return frame.assign(**{self.column: own})

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {"column": self.column, "number": self.number}

    @classmethod
    def from_dict(cls, data: dict) -> Self:
        """Inverse of `to_dict`."""
        return cls(str(data["column"]), str(data["number"]))


def find_spelt(
    values: TableValues,
    schema: Schema,
    rare: int,
    k: int,
    *,
    persons: Persons | None = None,
    but: Collection[str] = (),
) -> tuple[Spelt, ...]:
    """The columns of texts that spell the numbers of others.

    Where a text reads as a number it is that of the row, but for .5 % of such rows; k
    individuals at least have such a text, and one of these is of fewer than `rare`: of
    texts that all come back the table is learnt from as it is. No rule that the schema
    states is about both columns, or lists texts of the one.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete.
    rare : int
        Individuals that a text describes at least, where its column says nothing.
    k : int
    persons : Persons, optional
        Of the rows; by default each row is an individual.
    but : collection of str
        Columns of texts that are not looked at.

    Returns
    -------
    tuple of Spelt
        One for each such column, of the number that it spells in most rows.
    """
    columns, found = schema.kept.columns, []
    numbers = [c.name for c in columns if c.kind in ("integer", "real")]
    for column in (c for c in columns if _is_open(c) and c.name not in but):
        codes = np.maximum(values.codes(column), -1)
        read = np.array([*map(_as_number, column.categories), np.nan])[codes]
        if np.isnan(read).all():
            continue
        told = {n: read == _numbers(values.frame[n]) for n in numbers}
        number = max(told, key=lambda name: told[name].sum(), default=None)
        if number is None:
            continue
        spells, n_read = told[number], (~np.isnan(read)).sum()
        own = Spelt(column.name, number)
        stated = schema.rules or ()
        if any(_is_of_both(r, own) or _lists_texts(r, own) for r in stated):
            continue
        if (
            n_read - spells.sum() <= _MAX_OTHERS * n_read
            and own.label not in column.categories
            and _count(np.where(spells, 0, -1), persons).sum() >= max(k, 1)
            and _fewest(np.where(spells, codes, -1), persons) < (column.rare or rare)
        ):
            found.append(own)
    return tuple(found)


def fold(
    values: TableValues, schema: Schema, spelt: Sequence[Spelt]
) -> tuple[TableValues, Schema]:
    """A table and its schema with labels for what spells a number.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete.
    spelt : sequence of Spelt

    Returns
    -------
    values, schema
    """
    if not spelt:
        return values, schema
    frame, columns = values.frame, {c.name: c for c in schema.columns}
    for own in spelt:
        frame = own.folded(frame)
        left = set(frame[own.column].dropna())
        listed = columns[own.column].categories
        listed = (*(text for text in listed if text in left), own.label)
        columns[own.column] = replace(columns[own.column], categories=listed)
    others = set(columns) - {own.column for own in spelt}
    schema = replace(schema, columns=tuple(columns.values()))
    return TableValues(frame, (values, others)), schema


def with_spelt(frame: pd.DataFrame, spelt: Sequence[Spelt]) -> pd.DataFrame:
    """Rows that were drawn, with numbers for labels."""
    for own in spelt:
        frame = own.spelt_out(frame)
    return frame


def is_of_labels(rule: Relation, spelt: Sequence[Spelt]) -> bool:
    """Whether a rule found beside labels need not hold of the texts themselves.

    It is about a text and its number, which go together anyway, or another column tells
    the label.
    """
    told = rule.label if isinstance(rule, Nested) else getattr(rule, "target", None)
    return any(told == own.column or _is_of_both(rule, own) for own in spelt)


def schema_with_spelt(
    frame: pd.DataFrame, schema: Schema, spelt: Sequence[Spelt]
) -> Schema:
    """The schema of rows as `with_spelt` gives them.

    Parameters
    ----------
    frame : DataFrame
    schema : Schema
        Of the same rows with labels.
    spelt : sequence of Spelt
    """
    columns = {c.name: c for c in schema.columns}
    for own in spelt:
        texts = tuple(frame[own.column].dropna().unique())
        columns[own.column] = replace(columns[own.column], categories=texts)
    return replace(schema, columns=tuple(columns.values()))


def _is_open(column: Column) -> bool:
    """Whether a column is of texts whose rare ones are not released."""
    is_text = column.kind == "categorical" and column.dtype == TEXT_DTYPE
    return is_text and not column.public


def _is_of_both(rule, own):
    """Whether a rule is about a text and its number."""
    return {own.column, own.number} <= set(rule.columns)


def _lists_texts(rule, own):
    """Whether a rule names values of a column of texts."""
    lists = isinstance(rule, Never) and rule.values is not None
    return lists and own.column in rule.columns


def _count(labels, persons):
    """Individuals of each label that is not below 0, some of them perhaps of none."""
    if persons is not None:
        return persons.count(labels)
    return np.bincount(labels[labels >= 0])


def _fewest(labels, persons):
    """Individuals of the label that fewest have."""
    counts = _count(labels, persons)
    return counts[counts > 0].min()


def _numbers(series):
    """A column of numbers as float64, nan where missing."""
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def _as_number(text):
    """The number that a text spells, nan where it spells none, or otherwise."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) and _spell(number) == text else math.nan


def _spell(number):
    """A number in the fewest digits that tell it: 7, 7.5."""
    is_whole = number == int(number) and abs(number) < _LARGEST
    return str(int(number)) if is_whole else repr(float(number))
