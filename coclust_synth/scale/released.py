"""What a release may tell of a table that is known by counts.

The rules of `tables.parts.rare.released`, column by column: each value is a row that
stands for all that have it. A category is released in the light of the columns that its
own is nested in; which may be, a sample tells, and counts of all rows decide.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from coclust_synth.scale.source import CountSource, ValueCodes
from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.rare.pools import Pool, Pooled
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN, agreeing
from coclust_synth.tables.parts.rare.released import ReleasedTable, release_values
from coclust_synth.tables.rows import ColumnCounts
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import Table, TableValues
from coclust_synth.tables.values.series import from_values

# Of a sample so many times as many rows may have another value as of all.
_SLACK = 2


@dataclass(frozen=True, eq=False)
class _ReleasedColumn:
    """What each value of a column is released as; missing is the last.

    `near` has what they were, but for numbers far from all others.
    """

    original: Column
    counts: ColumnCounts
    column: Column
    cells: pd.Series
    near: pd.Series
    pools: tuple[Pool, ...]
    pooled: tuple[Pooled, ...]
    unclipped: Mapping[str, Column]

    @property
    def rows(self):
        """Rows that have each value."""
        return rows_of_values(self.counts)


@dataclass(frozen=True, eq=False)
class ReleasedCounts:
    """The columns of a table as they are released, and the parts of their values.

    Attributes
    ----------
    coding : TableCoding
        Parts of the released values of all rows.
    coded : tuple of ValueCodes
        Part of each value of the table.
    pooled : tuple of Pooled
        How much is released as something else, in the order of the columns.
    """

    coding: TableCoding
    coded: tuple[ValueCodes, ...]
    pooled: tuple[Pooled, ...]
    _columns: tuple[_ReleasedColumn, ...]

    @classmethod
    def of(
        cls,
        source: CountSource,
        schema: Schema,
        rare: int,
        sample: Table,
        **options: Any,
    ) -> "ReleasedCounts":
        """Decide what is released, from counts of all rows.

        Parameters
        ----------
        source : CountSource
        schema : Schema
            Complete; of the columns that are modelled.
        rare : int
            As of `release_values`.
        sample : Table
            Some rows, in which columns are looked for that others are nested in.
        **options
            Of `TableCoding.learn`: binning, bins and cuts.
        """
        columns = [_released(source, column, rare) for column in schema.columns]
        for j, own in enumerate(columns):
            nested_in = _parents(own, schema, sample) if own.pools else []
            if nested_in:
                columns[j] = _released_within(source, own, nested_in, rare)
        # A column that another is nested in comes before it, as it has fewer values.
        pools = [pool for own in columns for pool in own.pools]
        order = {c.name: len(c.categories or ()) for c in schema.columns}
        pools.sort(key=lambda pool: order[pool.name])
        learnt = [_parts(own, options) for own in columns]
        coding = TableCoding(
            replace(schema, columns=tuple(own.column for own in columns), rules=None),
            tuple(parts for parts, _ in learnt),
            tuple(pools),
        )
        pooled = tuple(each for own in columns for each in own.pooled)
        return cls(coding, tuple(of for _, of in learnt), pooled, tuple(columns))

    def of_rows(self, sample: Table) -> ReleasedTable:
        """Some rows of the table, as they are released."""
        cells, near, unchanged = {}, {}, set()
        unclipped: dict[str, Column] = {}
        for own in self._columns:
            name = own.original.name
            values, missing = sample.values.read(own.original)
            at = np.searchsorted(own.counts.values, values)
            at[missing] = len(own.counts.values)
            cells[name] = own.cells.take(at).reset_index(drop=True)
            if own.original.kind not in LISTED_KINDS:
                near[name] = own.near.take(at).reset_index(drop=True)
            unclipped |= own.unclipped
            if own.column == own.original and own.original.kind in LISTED_KINDS:
                unchanged.add(name)
        frame = sample.values.frame.reset_index(drop=True).assign(**near)
        listed = {*frame.columns} - near.keys()
        return ReleasedTable(
            TableValues(pd.DataFrame(cells), (sample.values, unchanged)),
            self.coding.schema,
            self.coding.pools,
            self.pooled,
            TableValues(frame, (sample.values, listed)),
            unclipped,
        )


def _released(source, column, rare):
    """A column on its own."""
    counts = source.column_counts(column)
    frame, rows = cells_of_values(counts, column).to_frame(), rows_of_values(counts)
    released = release_values(frame, Schema((column,)), rare, rows=rows)
    return _as_released(column, counts, released, np.arange(len(rows)))


def rows_of_values(counts):
    """Rows that have each value, and at the end those without any if there are."""
    return np.append(counts.counts, [counts.n_missing][: counts.n_missing > 0])


def cells_of_values(counts, column):
    """The values of a column, and at the end a missing one if there is any."""
    n, absent = len(counts.values), int(counts.n_missing > 0)
    values = np.append(counts.values, np.zeros(absent, dtype=counts.values.dtype))
    return from_values(values, np.arange(n + absent) == n, column)


def _as_released(column, counts, released, at):
    """One column of a released table, whose rows have the values at some places."""
    cells = released.frame[column.name]
    places = np.zeros(len(rows_of_values(counts)), dtype=np.int64)
    places[at] = np.arange(len(at))
    return _ReleasedColumn(
        column,
        counts,
        released.schema[column.name],
        cells.take(places).reset_index(drop=True),
        released.original.frame[column.name].take(places).reset_index(drop=True),
        tuple(pool for pool in released.pools if pool.name == column.name),
        tuple(each for each in released.pooled if each.column == column.name),
        {n: own for n, own in released.unclipped.items() if n == column.name},
    )


def _parents(own, schema, sample):
    """Columns in which the sample shows this one to be nested."""
    codes = sample.values.codes(own.original)
    found = []
    for column in schema.columns:
        if column.kind not in LISTED_KINDS or column.name == own.original.name:
            continue
        if len(column.categories) >= len(own.original.categories):
            continue
        above = sample.values.codes(column)
        is_value = codes >= 0
        agree = agreeing(codes[is_value].astype(np.int64), 1 + above[is_value])
        if agree.sum() >= (1 - _SLACK * MAX_BROKEN) * is_value.sum():
            found.append(column)
    return found


def _released_within(source, own, nested_in, rare):
    """A column beside those that it may be nested in, decided by counts of all rows.

    Where it is nested the other column's value is that of most rows of a value. Of rows
    of a value, or without one, that differ in the other columns, the most that are
    alike say what all are released as.
    """
    columns = (own.original, *nested_in)
    coded, known = [], []
    for column in columns:
        counts = source.column_counts(column)
        n, missing = len(counts.values), int(counts.n_missing > 0)
        codes = np.arange(n, dtype=np.int32)
        coded.append(ValueCodes(column, codes, n if missing else -1, n + missing))
        known.append(cells_of_values(counts, column))
    rows = source.profiles(coded)
    local = rows.codes - rows.offsets
    frame = pd.DataFrame(
        {
            column.name: cells.take(local[:, k]).reset_index(drop=True)
            for k, (column, cells) in enumerate(zip(columns, known, strict=True))
        }
    )
    released = release_values(frame, Schema(columns), rare, rows=rows.counts)
    by_rows = np.argsort(-rows.counts, kind="stable")
    first = by_rows[np.unique(local[by_rows, 0], return_index=True)[1]]
    return _as_released(
        own.original,
        own.counts,
        replace(released, values=TableValues(released.frame.iloc[first])),
        local[first, 0],
    )


def _parts(own, options):
    """The parts of a released column, and the part of each of its original values."""
    values = TableValues(own.cells.to_frame())
    schema = Schema((own.column,))
    cuts = {n: c for n, c in (options.get("cuts") or {}).items() if n in schema.names}
    coding = TableCoding.learn(
        values, schema, rows=own.rows, **(options | {"cuts": cuts})
    )
    codes = np.append(coding.encode(values)[:, 0], np.int32(-1))
    n, n_codes = len(own.counts.values), int(coding.n_parts_per_variable[0])
    of_values = ValueCodes(own.original, codes[:n], int(codes[n]), n_codes)
    return coding.parts[0], of_values
