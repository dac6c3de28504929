"""A table with nothing left in it that describes few individuals, column by column.

What plain synthetic tables are learnt from: their values, and the ends of their
columns, are all taken from here. See `rare` for categories, `rare_numbers` for numbers
and dates, `far_numbers` for those that are far from all others. A column that the
schema calls public is left as it is.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.far_numbers import without_far_numbers
from coclust_synth.tables.parts.rare.pools import (
    CodedColumn,
    Pool,
    Pooled,
    coded_numbers,
)
from coclust_synth.tables.parts.rare.rare import pool_categories
from coclust_synth.tables.parts.rare.rare_numbers import pool_numbers
from coclust_synth.tables.people.people import Persons, count_holders
from coclust_synth.tables.reading.settling import require_decided
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.series import from_values

# Values of whole numbers that categories are nested in, at most.
_MAX_NUMBERS = 20


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """A table whose values are those that a release may hold.

    Attributes
    ----------
    values : TableValues of n rows
        The columns that are kept.
    schema : Schema
        Of these, complete; its domains are those of the release.
    pools : tuple of Pool
        What values are released as that are not in the domain; a column that another
        is nested in comes before it.
    pooled : tuple of Pooled
        How much that is, in the order of the columns.
    original : TableValues of n rows
        What the table was, but for numbers far from all others.
    unclipped : mapping of str to Column
        Numbers and dates of which rare values or ends were moved, as they were before
        that; lists of few values too, unless a larger group than an atom is asked for.
    """

    values: TableValues
    schema: Schema
    pools: tuple[Pool, ...]
    pooled: tuple[Pooled, ...]
    original: TableValues
    unclipped: Mapping[str, Column]

    @property
    def frame(self) -> pd.DataFrame:
        """The rows, of the columns that are kept."""
        return self.values.frame

    def drop(self, names: Collection[str]) -> "ReleasedTable":
        """The same without some columns, of which no others are told."""
        columns = tuple(c for c in self.schema.columns if c.name not in names)
        return replace(self, schema=replace(self.schema, columns=columns))

    def with_own_ends(self) -> "ReleasedTable":
        """The same with all of its numbers: for atoms, which gather rare ones."""
        own, others = self.original.frame, []
        for column in self.schema.columns:
            if column.name not in self.unclipped:
                others.append(column.name)
                self.values.read(column)  # for both tables
        values = TableValues(
            self.frame.assign(**{name: own[name] for name in self.unclipped}),
            (self.values, others),
            (self.original, self.unclipped),
        )
        columns = tuple(self.unclipped.get(c.name, c) for c in self.schema.columns)
        schema = replace(self.schema, columns=columns)
        return replace(self, values=values, schema=schema)


def release_values(
    table: pd.DataFrame | TableValues,
    schema: Schema,
    rare: int,
    *,
    persons: Persons | None = None,
    hierarchies: Mapping[str, GeneralizationHierarchy] | None = None,
    rows: np.ndarray | None = None,
) -> ReleasedTable:
    """Put the rare and the extreme values of a table together.

    Parameters
    ----------
    table : DataFrame or TableValues, of n rows
    schema : Schema
        Complete, without undecided columns.
    rare : int
        Individuals that a category describes at least, where its column says nothing.
    persons : Persons, optional
        Of the rows; by default each row is an individual.
    hierarchies : mapping of column name to GeneralizationHierarchy, optional
        Rare categories of texts are released as their nodes.
    rows : ndarray of shape (n,), int64, optional
        Individuals whom each row stands for, without `persons`; by default one.

    Returns
    -------
    ReleasedTable

    Raises
    ------
    SchemaError
        If a column is undecided, or values do not fit.
    """
    require_decided(schema)
    columns = {column.name: column for column in schema.kept.columns}
    table, moved = without_far_numbers(
        TableValues.of(table), columns.values(), persons=persons, rows=rows
    )
    columns = {name: _held(table, column) for name, column in columns.items()}
    # Bounds of the table that was are no longer its ends, nor declared by hand.
    columns |= {name: replace(columns[name], bounds=None) for name in moved}
    released, changed = {name: table.frame[name] for name in columns}, set()
    pools, pooled = [], {}

    # Fewer values first: a column can only be nested in one of fewer.
    listed = [c for c in columns.values() if c.kind in LISTED_KINDS]
    done, numbers = [], _few_numbers(table, columns.values(), persons, rows)
    for column in sorted(listed, key=lambda c: len(c.categories)):
        name = column.name
        if column.public:
            values, missing = table.read(column)
            done.append(CodedColumn(column, np.where(missing, -1, values)))
            continue
        coded, pool, pooled[name] = pool_categories(
            table,
            column,
            column.rare or rare,
            persons=persons,
            parents=done,
            numbers=numbers,
            hierarchy=(hierarchies or {}).get(name),
            rows=rows,
        )
        # A new table's rare values of an ordinal column are not known to be near any.
        if pool is None or column.kind != "ordinal":
            done.append(coded)
        if pool is not None:
            pools.append(pool)
            changed.add(name)
            missing = coded.codes < 0
            columns[name] = coded.column
            released[name] = from_values(
                np.where(missing, 0, coded.codes), missing, coded.column
            )
    unclipped = {}
    for name, column in columns.items():
        if column.kind not in LISTED_KINDS and not column.public:
            released[name], columns[name], pooled[name] = pool_numbers(
                table, column, column.rare or rare, persons=persons, rows=rows
            )
            changed.add(name)
            if pooled[name] is None or (column.rare or rare) <= MIN_ROWS:
                # Bounds that stay are declared by hand; others are of the values.
                by_hand = columns[name].bounds == column.bounds
                bounds = column.bounds if by_hand else None
                unclipped[name] = replace(column, bounds=bounds)
            pooled[name] = pooled[name] or moved.get(name)
    return ReleasedTable(
        TableValues(pd.DataFrame(released), (table, set(columns) - changed)),
        # Rules are about the values of the table.
        replace(schema, columns=tuple(columns.values()), rules=None),
        tuple(pools),
        tuple(pooled[name] for name in columns if pooled.get(name) is not None),
        table,
        unclipped,
    )


def _held(table, column):
    """A column of categories without those that no row has: of other rows, left out.

    Those of a dtype of categories are the frame's own, whoever has them.
    """
    is_listed = column.kind in ("categorical", "ordinal")
    is_own = (column.dtype or "").startswith("category")
    if not is_listed or is_own or column.public:
        return column
    values, missing = table.read(column)
    held = np.zeros(len(column.categories), dtype=bool)
    held[values[~missing]] = True
    if held.all() or not held.any():
        return column
    pairs = zip(column.categories, held, strict=True)
    return replace(column, categories=tuple(value for value, own in pairs if own))


def _few_numbers(table, columns, persons, rows):
    """Columns of few whole numbers, and of these the ones that 20 individuals hold."""
    found = []
    for column in columns:
        if column.kind == "integer":
            values, missing = table.read(column)
            numbers, codes = np.unique(values[~missing], return_inverse=True)
            if 1 < len(numbers) <= _MAX_NUMBERS:
                of_rows = np.full(len(values), len(numbers))
                of_rows[~missing] = codes
                holders = count_holders(of_rows, len(numbers) + 1, persons, rows)
                many = numbers[holders[:-1] >= MIN_ROWS]
                if len(many) > 1:
                    found.append(coded_numbers(table, column, many.tolist()))
    return found
