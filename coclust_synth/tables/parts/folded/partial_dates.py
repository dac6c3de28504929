"""Columns of dates of which some are told to the month or to the year only.

A trial writes 2013-07-04, 2013-07 and 2013 for the days on which patients say that they
began to take something. What is learnt is how much of a date is known, with the date
beside it, from the first day of what is known on.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.labels import distinct_name
from coclust_synth.tables.parts.folded.spelt import (
    completed,
    count_individuals,
    fewest,
    is_open,
    with_cells,
)
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.texts.layouts import date_parser
from coclust_synth.tables.reading.texts.text import format_column, parse_column
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues

_PARTIAL = re.compile(r"[12][0-9]{3}(-[0-9]{2}(-[0-9]{2})?)?")
# What the first day of a month, or of a year, adds to it; what is known by length.
_FIRST_DAY, _FORMAT = "0001-01-01", "%Y-%m-%d"
_KNOWN = {4: "year", 7: "month", 10: "day"}


@dataclass(frozen=True)
class PartialDates:
    """A column of dates, some of them of a month or a year.

    Attributes
    ----------
    column : str
        Of texts.
    made : Column
        Of the dates that are made of them. Without bounds, which are values of the
        table.
    """

    column: str
    made: Column

    def __str__(self):
        return f"{self.column} is a date, a month or a year"

    @property
    def labels(self) -> tuple[str, ...]:
        """Texts that stand for others, by how much of a date is known."""
        return tuple(f"= {known}" for known in _KNOWN.values())

    @property
    def numbers(self) -> tuple[str, ...]:
        """Name of the column of dates."""
        return (self.made.name,)

    @property
    def made_columns(self) -> tuple[Column, ...]:
        """It."""
        return (self.made,)

    def folded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The same rows, with the label for each date, and the dates."""
        own = frame[self.column]
        codes, texts = pd.factorize(own)
        # A missing cell, of code -1, is the last text.
        texts = [*texts, ""]
        dates = _dates(texts, self.made)[0]
        known = dates.notna()
        labels = [
            f"= {_KNOWN[len(text)]}" if is_date else None
            for text, is_date in zip(texts, known, strict=True)
        ]
        cells = np.array(labels, dtype=object)[codes]
        cells = own.mask(known.to_numpy()[codes], pd.Series(cells, index=own.index))
        return frame.assign(**{self.column: cells, self.made.name: dates.array[codes]})

    def spelt_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows as they were: each label gives way to what is known of the date.

        Parameters
        ----------
        frame : DataFrame
            Texts may be held as codes of categories.
        """
        own = frame[self.column]
        cells = own.astype(object).to_numpy(copy=True)
        for length, label in zip(_KNOWN, self.labels, strict=True):
            rows = np.flatnonzero(own == label)
            # A few rows of persons have a label and no date: another row's, then.
            dates = frame[self.made.name].iloc[rows].ffill().bfill()
            texts = pd.Series(format_column(dates, self.made), dtype=object)
            none = dates.isna().to_numpy()
            cells[rows] = np.where(none, None, texts.str[:length])
        return with_cells(frame, self.column, cells).drop(columns=self.made.name)

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {"column": self.column, "dates": Schema((self.made,)).to_dict()}

    @classmethod
    def from_dict(cls, data: dict) -> Self:
        """Inverse of `to_dict`."""
        (made,) = Schema.from_dict(data["dates"]).columns
        return cls(str(data["column"]), made)


def find_partial_dates(
    values: TableValues,
    schema: Schema,
    rare: int,
    k: int,
    *,
    persons: Persons | None = None,
    but: Collection[str] = (),
) -> tuple[PartialDates, ...]:
    """The columns of which each text is a date, a month or a year.

    Some of the texts would not come back; k individuals and `rare` have a day, and as
    many a month or a year. No rule that the schema states is about them.

    Parameters are those of `find_spelt`.
    """
    columns, found = schema.kept.columns, []
    names = {own.name for own in columns}
    for column in (c for c in columns if is_open(c) and c.name not in but):
        texts = column.categories
        if any(column.name in r.columns for r in schema.rules or ()):
            continue
        if not all(map(_PARTIAL.fullmatch, texts)):
            continue
        name = distinct_name(f"{column.name} (date)", names)
        hint = Column(name=name, kind="datetime", format=_FORMAT, missing=("",))
        dates, made = _dates([*texts, ""], hint)
        labels = [f"= {known}" for known in _KNOWN.values()]
        if dates[:-1].isna().any() or {*labels} & {*texts}:
            continue
        codes = np.maximum(values.codes(column), -1)
        is_day = np.array([*(len(text) == 10 for text in texts), False])
        is_day = np.where(codes < 0, -1, is_day[codes])
        holders = count_individuals(is_day, persons)
        enough = len(holders) == 2 and holders.min() >= max(k, column.rare or rare)
        if enough and fewest(codes, persons) < (column.rare or rare):
            made = completed(dates, made)
            found.append(PartialDates(column.name, replace(made, bounds=None)))
    return tuple(found)


def _dates(texts, made):
    """The dates of texts, missing where they are none, and their column."""
    parse = date_parser(_FORMAT)
    cells = [
        text + _FIRST_DAY[len(text) :] if _PARTIAL.fullmatch(text) else ""
        for text in texts
    ]
    cells = [text if text and parse(text) is not None else "" for text in cells]
    return parse_column(pd.Series(cells, dtype=object), made)
