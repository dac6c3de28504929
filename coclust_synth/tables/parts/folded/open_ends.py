"""Columns of dates that lack some, and have one that stands for none in other rows.

Of what goes on a registry has 9999-12-31, of what is not known an empty cell: two
things. To what is learnt both are that date, which stands for none, and a column is
made that says which of them it is, drawn as any other and left out of what is released.
Of missing cells of few none is made: they are that date, as rare categories are others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.labels import distinct_name
from coclust_synth.tables.people.people import Persons, count_holders
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.columns import as_dates, to_values
from coclust_synth.tables.values.dtypes import TEXT_DTYPE
from coclust_synth.tables.values.series import from_values

_MISSING = "missing"


@dataclass(frozen=True)
class OpenEnds:
    """A column of dates, and which of those that stand for none are missing.

    Attributes
    ----------
    dates : Column
        With its `no_date`. Without bounds, which are values of the table.
    made : Column
        Which of the two a cell without a date is.
    """

    dates: Column
    made: Column

    def __str__(self):
        return f"{self.column} is {self.dates.no_date} where there is none, or missing"

    @property
    def column(self) -> str:
        """Name of the column of dates."""
        return self.dates.name

    @property
    def labels(self) -> tuple[str, ...]:
        """No texts stand for others."""
        return ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """Name of the column that is made."""
        return (self.made.name,)

    @property
    def made_columns(self) -> tuple[Column, ...]:
        """It."""
        return (self.made,)

    def folded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The same rows, in which no date is missing, and which were."""
        own = frame[self.column]
        lacks = own.isna().to_numpy(dtype=bool)
        _, none = to_values(own, self.dates)
        which = np.select([lacks, none], [_MISSING, self.made.categories[0]], None)
        which = pd.Series(which, index=own.index, dtype=TEXT_DTYPE)
        own = _filled(own, lacks, self.dates)
        return frame.assign(**{self.column: own, self.made.name: which})

    def dates_of(self, cells: Mapping) -> pd.Series:
        """The dates of rows that were drawn, some of them missing again.

        Parameters
        ----------
        cells : DataFrame or mapping of column name to Series of n values
        """
        own = cells[self.column]
        _, none = to_values(own, self.dates)
        is_open = (cells[self.made.name] == self.dates.no_date).to_numpy(dtype=bool)
        return _filled(own, none & ~is_open, as_dates(self.dates))

    def spelt_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows as they were, with the dates that are missing."""
        own = self.dates_of(frame)
        return frame.assign(**{self.column: own}).drop(columns=self.made.name)

    def in_words(self, said: str) -> str:
        """A text about rows, of one column between commas, that tells of dates alone.

        A made cell is missing where there is a date: that is said of the dates. None
        is left of what is told by it.
        """
        made, none = f"{self.made.name} ", f"{self.column} is {self.dates.no_date}"
        if said.startswith(made):
            texts = said.removeprefix(made).split(f", {made}")
            texts = [text.removeprefix("= ") for text in texts if text[:2] == "= "]
            return ", ".join(f"{self.column} is {text}" for text in texts)
        if said.startswith(none):
            said = said.replace(none, f"{none} or missing", 1)
        return "" if made in f"{said} " else said

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {
            "column": self.column,
            "no_date": Schema((self.dates, self.made)).to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict) -> Self:
        """Inverse of `to_dict`."""
        return cls(*Schema.from_dict(data["no_date"]).columns)


def find_open_ends(
    values: TableValues, schema: Schema, rare: int, persons: Persons | None = None
) -> tuple[OpenEnds, ...]:
    """The columns that lack dates, and in which one stands for none.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete. It says which dates stand for none.
    rare : int
        Individuals who have each of the two, at least: what goes with it is told. Of
        the others cells are missing, too.
    persons : Persons, optional
        Of the rows; by default each row is an individual.

    Returns
    -------
    tuple of OpenEnds
    """
    taken, found = {*schema.names}, []
    for column in schema.kept.columns:
        if column.no_date is None:
            continue
        lacks = values.frame[column.name].isna().to_numpy(dtype=bool)
        which = np.select([lacks, values.read(column)[1]], [1, 0], 2)
        is_said = count_holders(which, 3, persons)[:2] >= (column.rare or rare)
        if not (lacks.any() and is_said[1]):
            continue
        made = Column(
            name=distinct_name(f"{column.name} (none)", taken),
            kind="categorical",
            dtype=TEXT_DTYPE,
            missing=("",),
            categories=(column.no_date, _MISSING)[0 if is_said[0] else 1 :],
            public=True,
        )
        found.append(OpenEnds(replace(column, bounds=None, step=None), made))
    return tuple(found)


def _filled(own, rows, column):
    """A column, missing in some rows, or with the date that stands for none there."""
    none = from_values(np.zeros(len(own), int), np.ones(len(own), bool), column)
    return own.mask(rows, none.set_axis(own.index))
