"""Columns of dates that lack some, and have one that stands for none in other rows.

Of what goes on a registry has 9999-12-31, of what is not known an empty cell: two
things. To what is learnt both are that date, which stands for none, and a column is
made that says which of them it is, drawn as any other and left out of what is released.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.labels import distinct_name
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
        which = np.select([lacks, none], [_MISSING, self.dates.no_date], None)
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
        """Texts about rows, between commas, that tell of the dates alone.

        A made cell is missing where there is a date: that is said of the dates.
        """
        none, made = f"{self.column} is {self.dates.no_date}", self.made.name
        texts = [
            text.replace(none, f"{none} or missing").replace(
                f"{made} = ", f"{self.column} is "
            )
            for text in said.split(", ")
            if not text.startswith(f"{made} is ")
        ]
        return ", ".join(text for text in texts if made not in text)

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


def find_open_ends(values: TableValues, schema: Schema) -> tuple[OpenEnds, ...]:
    """The columns that lack dates, and in which one stands for none.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete. It says which dates stand for none.

    Returns
    -------
    tuple of OpenEnds
    """
    taken, found = {*schema.names}, []
    for column in schema.kept.columns:
        if column.no_date is None or not values.frame[column.name].isna().any():
            continue
        made = Column(
            name=distinct_name(f"{column.name} (none)", taken),
            kind="categorical",
            dtype=TEXT_DTYPE,
            missing=("",),
            categories=(column.no_date, _MISSING),
            public=True,
        )
        found.append(OpenEnds(replace(column, bounds=None, step=None), made))
    return tuple(found)


def _filled(own, rows, column):
    """A column, missing in some rows, or with the date that stands for none there."""
    none = from_values(np.zeros(len(own), int), np.ones(len(own), bool), column)
    return own.mask(rows, none.set_axis(own.index))
