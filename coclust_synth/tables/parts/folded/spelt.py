"""Columns of texts that spell the numbers of another.

A laboratory keeps its results twice: as numbers, and as texts that also hold words
(``NOT DONE``, ``<5``). Few of these texts are common, and all others would be released
as ``(other)``; but they say nothing that the number does not. Such cells get one text,
the label, before a table is learnt from, and those drawn with it the number of their
row.

Where no column has the numbers (``<0.2`` among results), one is made of them, that is
drawn beside the words, and left out of what is released.
"""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.tables.clock import read_times
from coclust_synth.tables.column import Column
from coclust_synth.tables.labels import distinct_name
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.infer import conform
from coclust_synth.tables.reading.texts.layouts import date_parser, number_parser
from coclust_synth.tables.reading.texts.odd_cells import odd_texts
from coclust_synth.tables.reading.texts.text import format_column, parse_column
from coclust_synth.tables.relations import Never
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.dtypes import TEXT_DTYPE

# Of the texts that read as numbers, this share at most is not that of the other column.
_MAX_OTHERS = 0.005
# Larger whole numbers are not told apart by a float.
_LARGEST = 1e15
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
# A number would lose the zeros that it begins with.
_ZEROS_LEAD = re.compile(r"[^0-9.,]*0[0-9]")


@dataclass(frozen=True)
class Spelt:
    """A column of texts, and the one whose numbers they spell.

    Attributes
    ----------
    column : str
        Of texts.
    number : str
        Of kind integer or real.
    made : Column, optional
        Of the numbers, or dates, where the table has no such column: made of the texts.
        Without bounds, which are values of the table.
    decimals : tuple of int, default=()
        How many decimals some texts have, zeros at their ends among them: 11.0 beside
        11. Such texts have a label of their own.

    Examples
    --------
    >>> frame = pd.DataFrame({"x": [7.5, 8.0, 9.0], "text": ["7.5", "low", "9"]})
    >>> Spelt("text", "x").folded(frame)["text"].tolist()
    ['= x', 'low', '= x']
    """

    column: str
    number: str
    made: Column | None = None
    decimals: tuple[int, ...] = ()

    def __str__(self):
        if self.made is not None:
            return f"{self.column} is a number, or a word"
        return f"{self.column} = {self.number} where it is a number"

    @property
    def label(self) -> str:
        """Text of the cells that spell a number."""
        return f"= {self.number}"

    @property
    def labels(self) -> tuple[str, ...]:
        """Texts that stand for others."""
        return self.label, *(f"{self.label}, decimals: {n}" for n in self.decimals)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Names of the columns of numbers."""
        return (self.number,)

    @property
    def made_columns(self) -> tuple[Column, ...]:
        """Those of these that are made."""
        return () if self.made is None else (self.made,)

    def with_number(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The same rows, with the column of numbers where it is one that is made."""
        if self.made is None or self.number in frame:
            return frame
        codes, texts = pd.factorize(frame[self.column])
        # A missing cell, of code -1, is the last text.
        numbers, _ = _made([*texts, ""], self.made)
        return frame.assign(**{self.number: numbers.array[codes]})

    def spells(self, frame: pd.DataFrame) -> np.ndarray:
        """Label of each cell that spells the number of its row, -1 of others, (n,)."""
        if self.made is not None:
            return frame[self.number].notna().to_numpy() - 1
        codes, texts = pd.factorize(frame[self.column])
        read = [_read(text, self.decimals) for text in [*texts, ""]]
        numbers, labels = map(np.array, zip(*read, strict=True))
        is_own = numbers[codes] == _numbers(frame[self.number])
        return np.where(is_own, labels[codes], -1)

    def folded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The same rows, with the label for what spells a number."""
        frame = self.with_number(frame)
        labels, own = self.spells(frame), frame[self.column]
        for i, label in enumerate(self.labels):
            own = own.mask(labels == i, label)
        return frame.assign(**{self.column: own})

    def spelt_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows as they were: each label gives way to the number, missing where it is.

        Parameters
        ----------
        frame : DataFrame
            Texts may be held as codes of categories.
        """
        own, numbers = frame[self.column], frame[self.number]
        cells = own.astype(object).to_numpy(copy=True)
        if self.made is None:
            of_rows = _numbers(numbers)
            for label, n in zip(self.labels, (0, *self.decimals), strict=True):
                rows = np.flatnonzero(own == label)
                cells[rows] = [_spell(x, n) for x in of_rows[rows]]
        else:
            rows = np.flatnonzero(own == self.label)
            # A few rows of persons have a label and no number: another row's, then.
            numbers = numbers.iloc[rows].ffill().bfill()
            texts = format_column(numbers, self.made)
            cells[rows] = np.where(numbers.isna(), None, texts)
            frame = frame.drop(columns=self.number)
        return with_cells(frame, self.column, cells)

    def to_dict(self) -> dict:
        """JSON compatible form."""
        own: dict = {"column": self.column, "number": self.number}
        if self.decimals:
            own["decimals"] = list(self.decimals)
        if self.made is None:
            return own
        return own | {"made": Schema((self.made,)).to_dict()}

    @classmethod
    def from_dict(cls, data: dict) -> Self:
        """Inverse of `to_dict`."""
        made = None
        if "made" in data:
            (made,) = Schema.from_dict(data["made"]).columns
        decimals = tuple(map(int, data.get("decimals", ())))
        return cls(str(data["column"]), str(data["number"]), made, decimals)


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
        One for each such column, of the number that it spells in most rows; then those
        of columns that are numbers or dates but for a few words (see `odd_texts`), of
        which some would not come back, and that no rule which the schema states is
        about.
    """
    columns, found = schema.kept.columns, []
    numbers = [c.name for c in columns if c.kind in ("integer", "real")]
    for column in (c for c in columns if is_open(c) and c.name not in but):
        codes = np.maximum(values.codes(column), -1)
        decimals = _decimals(column.categories, codes, persons, max(k, rare))
        texts = [*column.categories, ""]
        read = np.array([_read(text, decimals)[0] for text in texts])[codes]
        if np.isnan(read).all():
            continue
        told = {n: read == _numbers(values.frame[n]) for n in numbers}
        number = max(told, key=lambda name: told[name].sum(), default=None)
        if number is None:
            continue
        spells, n_read = told[number], (~np.isnan(read)).sum()
        own = Spelt(column.name, number, decimals=decimals)
        stated = schema.rules or ()
        if any(_is_of_both(r, own) or _lists_texts(r, own) for r in stated):
            continue
        if (
            n_read - spells.sum() <= _MAX_OTHERS * n_read
            and not {*own.labels} & {*column.categories}
            and count_individuals(np.where(spells, 0, -1), persons).sum() >= max(k, 1)
            and fewest(np.where(spells, codes, -1), persons) < (column.rare or rare)
        ):
            found.append(own)
    spelt = {own.column for own in found}
    for column in (c for c in columns if is_open(c) and c.name not in {*but, *spelt}):
        own = _with_words(column, columns)
        if own is None or any(column.name in r.columns for r in schema.rules or ()):
            continue
        codes = np.maximum(values.codes(column), -1)
        is_number = np.array([*_made(column.categories, own.made)[0].notna(), False])
        codes = np.where(is_number[codes], codes, -1)
        n_holders = count_individuals(np.where(codes < 0, -1, 0), persons).sum()
        if n_holders >= max(k, 1) and fewest(codes, persons) < (column.rare or rare):
            found.append(own)
    return tuple(found)


def _with_words(column, columns):
    """A column of numbers with a few words, and the numbers made of it; or None."""
    words = odd_texts(column)
    texts = [text for text in column.categories if text.strip() not in words]
    if not words or not texts:
        return None
    name = distinct_name(f"{column.name} (number)", {own.name for own in columns})
    # Of a type that can be missing, as beside a word it is: "-" is no number either.
    numbers, made = parse_column(pd.Series([*texts, ""]), Column(name=name))
    made = replace(completed(numbers, made), bounds=None, missing=("",))
    own = Spelt(column.name, name, made)
    return None if own.label in column.categories else own


def completed(numbers, made):
    """A column of numbers that is made, with its step and bounds."""
    (made,) = conform(numbers.to_frame(made.name), Schema((made,))).schema.columns
    return replace(made, treatment="keep", reason=None)


def _made(texts, made):
    """The numbers or dates of texts, missing where they are none, and their column."""
    parse = _parser(made)
    cells = [text if parse(text.strip()) is not None else "" for text in texts]
    hint = Column(name=made.name, kind=made.kind, format=made.format, missing=("",))
    return parse_column(pd.Series(cells, dtype=object), hint)


def _parser(made):
    """The rule that tells the number, or the date, of one text; None of others."""
    if made.is_time:
        return lambda text: read_times([text], made.format)
    if made.kind == "datetime":
        return date_parser(made.format)
    read = number_parser(made.format)

    def parse(text):
        number = read(text)  # 1e400 and 000 are some, and read as texts
        is_text = number is None or _ZEROS_LEAD.match(text)
        return number if not is_text and math.isfinite(float(number)) else None

    return parse


def is_open(column: Column) -> bool:
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


def with_cells(frame, column, cells):
    """The same rows, with these cells in a column of texts, or of codes of texts."""
    own = frame[column]
    dtype = "category" if isinstance(own.dtype, pd.CategoricalDtype) else own.dtype
    own = pd.Series(cells, index=own.index, name=own.name, dtype=dtype)
    return frame.assign(**{column: own})


def count_individuals(labels, persons):
    """Individuals of each label that is not below 0, some of them perhaps of none."""
    if persons is not None:
        return persons.count(labels)
    return np.bincount(labels[labels >= 0])


def fewest(labels, persons):
    """Individuals of the label that fewest have."""
    counts = count_individuals(labels, persons)
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


def _spell(number, decimals=0):
    """A number in the fewest digits that tell it (7, 7.5), or with so many decimals.

    None where it is missing.
    """
    if math.isnan(number):
        return None
    is_whole = number == int(number) and abs(number) < _LARGEST
    text = str(int(number)) if is_whole else repr(float(number))
    n = len(text.partition(".")[2])
    return f"{number:.{decimals}f}" if n < decimals and "e" not in text else text


def _read(text, decimals):
    """The number that a text spells, and its label; nan and -1 where it spells none."""
    n = len(text.partition(".")[2])
    if n in decimals and _DECIMAL.fullmatch(text):
        return float(text), decimals.index(n) + 1
    number = _as_number(text)
    return number, -1 if math.isnan(number) else 0


def _decimals(texts, codes, persons, least):
    """How many decimals texts have of which some end in zeros, and enough have them."""
    n_decimals = [
        len(text.partition(".")[2]) if _DECIMAL.fullmatch(text) else -1
        for text in [*texts, ""]
    ]
    with_zeros = {
        n
        for n, text in zip(n_decimals, texts, strict=False)
        if n > 0 and text.endswith("0")
    }
    holders = count_individuals(np.array(n_decimals)[codes], persons)
    return tuple(n for n in sorted(with_zeros) if holders[n] >= least)
