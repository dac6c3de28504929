"""A checked table, handed from stage to stage: rows, schema, and columns as arrays.

Stages after the door work on arrays: ends are released, parts are cut and coded, rules
are found in the same columns. The first that asks for one has it converted, the others
are given the same array.
"""

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import (
    as_dates,
    check_bounds,
    listed_codes,
    to_values,
)


class TableValues:
    """A table whose columns come as arrays.

    Parameters
    ----------
    frame : DataFrame of n rows
        Not to be changed from here on.
    others : iterable of (TableValues, collection of str)
        Tables that have columns of these names in common with it: what was converted
        there is not converted again.
    """

    def __init__(
        self, frame: pd.DataFrame, *others: "tuple[TableValues, Collection[str]]"
    ) -> None:
        self.frame = frame
        self._read: dict[tuple, tuple[np.ndarray, np.ndarray]] = {}
        for other, names in others:
            self._read |= {k: own for k, own in other._read.items() if k[0] in names}

    @classmethod
    def of(cls, table: "pd.DataFrame | TableValues") -> Self:
        """The values of a DataFrame; what is some already comes back as it is."""
        return table if isinstance(table, cls) else cls(table)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.frame)

    def read(self, column: Column) -> tuple[np.ndarray, np.ndarray]:
        """A column of the table, see `to_values`; the arrays cannot be written to.

        Raises
        ------
        TableError, SchemaError
            As `to_values`.
        """
        key = _key(column)
        if key not in self._read:
            found = to_values(self.frame[column.name], replace(column, bounds=None))
            for array in found:
                array.flags.writeable = False
            self._read[key] = found
        values, missing = self._read[key]
        check_bounds(values[~missing], column)
        return values, missing

    def codes(self, column: Column) -> np.ndarray:
        """Category of each cell: -1 where it is missing, -2 where it is none of them.

        Parameters
        ----------
        column : Column
            Of kind categorical, ordinal or boolean.

        Returns
        -------
        ndarray of int64, shape (n,)
        """
        if _key(column) in self._read:
            values, missing = self.read(column)
            return np.where(missing, -1, values)
        return listed_codes(self.frame[column.name], column)


class _Table(NamedTuple):
    frame: pd.DataFrame
    schema: Schema


class Table(_Table):
    """A table that was read and checked: made by `as_table`, once, and handed on.

    It is a tuple of two parts: ``frame, schema = read_table(path)``.

    Attributes
    ----------
    frame : DataFrame of n rows
        Typed, with a plain index.
    schema : Schema
        Complete, of its columns in their order.
    values : TableValues
        Its columns as arrays, each converted once.
    """

    def __repr__(self) -> str:
        """Counts only: its rows are those of people."""
        return f"<Table: rows {len(self.frame):,}, columns {len(self.schema.columns)}>"

    @cached_property
    def values(self) -> TableValues:
        """The columns as arrays."""
        return TableValues(self.frame)

    def with_schema(self, schema: Schema) -> Self:
        """The same rows, of whose columns something else is known."""
        table = type(self)(self.frame, schema)
        table.values = self.values
        return table

    def drop(self, *names: str) -> Self:
        """The same table, in which columns are left out; see `Schema.drop`."""
        return self.with_schema(self.schema.drop(*names))

    def as_key(self, *names: str) -> Self:
        """The same table, in which columns are keys; see `Schema.as_key`."""
        return self.with_schema(self.schema.as_key(*names))

    def keep(self, *names: str) -> Self:
        """The same table, in which columns are kept; see `Schema.keep`."""
        return self.with_schema(self.schema.keep(*names))

    def as_dates(self) -> Self:
        """The same table, in which dates that stand for none are dates as any."""
        columns = tuple(map(as_dates, self.schema.columns))
        return self.with_schema(replace(self.schema, columns=columns))


def _key(column):
    """What the array of a column depends on."""
    kept = column.kind, column.dtype, column.categories, column.unit, column.format
    return column.name, column.no_date, *kept
