"""Columns of dates that lack some, and have one that stands for none in other rows.

Of what goes on a registry has 9999-12-31, of what is not known an empty cell: two
things. To what is learnt a date is missing in both, and a column is made that says
which of them it is, drawn as any other and left out of what is released.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.labels import distinct_name
from coclust_synth.tables.parts.no_dates import with_no_date_of
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.dtypes import TEXT_DTYPE
from coclust_synth.tables.values.series import from_values

_MISSING = "missing"


@dataclass(frozen=True)
class OpenEnds:
    """A column of dates, and the one that stands for none beside missing ones.

    Attributes
    ----------
    dates : Column
        As it is learnt from: its `no_date` is what missing ones are where the made
        column says so. Without bounds, which are values of the table.
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
        """The same rows, in which the date is missing, and what these were."""
        own = frame[self.column]
        lacks = own.isna().to_numpy(dtype=bool)
        none = np.zeros_like(lacks)
        none[~lacks] = to_values(own[~lacks], self.dates)[1]
        which = np.select([none, lacks], [self.dates.no_date, _MISSING], None)
        which = pd.Series(which, index=own.index, dtype=TEXT_DTYPE)
        return frame.assign(**{self.column: own.mask(none), self.made.name: which})

    def spelt_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows as they were: the date where one is missing that stands for none."""
        own, which = frame[self.column], frame[self.made.name]
        none = (own.isna() & (which == self.dates.no_date)).to_numpy(dtype=bool)
        date = from_values(np.zeros(len(own), int), np.ones(len(own), bool), self.dates)
        own = own.mask(none, date.set_axis(own.index))
        return frame.assign(**{self.column: own}).drop(columns=self.made.name)

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
    values: TableValues,
    schema: Schema,
    *,
    persons: Persons | None = None,
    but: Collection[str] = (),
) -> tuple[OpenEnds, ...]:
    """The columns of dates that lack some, and in which a date stands for none.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete. No rule that it states is about the column.
    persons : Persons, optional
        Of the rows; by default each row is an individual.
    but : collection of str
        Columns that are not looked at.

    Returns
    -------
    tuple of OpenEnds
        Of dates that `with_no_date_of` finds.
    """
    taken, found = {*schema.names}, []
    for column in schema.kept.columns:
        is_stated = any(column.name in rule.columns for rule in schema.rules or ())
        if column.kind != "datetime" or is_stated or column.name in but:
            continue
        dates = with_no_date_of(*values.read(column), column, persons)
        if dates.no_date is None or dates is column:
            continue
        made = Column(
            name=distinct_name(f"{column.name} (none)", taken),
            kind="categorical",
            dtype=TEXT_DTYPE,
            missing=("",),
            categories=(dates.no_date, _MISSING),
            public=True,
        )
        found.append(OpenEnds(replace(dates, bounds=None, step=None), made))
    return tuple(found)
