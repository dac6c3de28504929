"""A table in memory that is asked for counts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from coclust_synth.scale.source import (
    MAX_PROFILES,
    ValueCodes,
    changed_table,
    check_profiles,
)
from coclust_synth.tables.column import Column
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.rows import DomainRows
from coclust_synth.tables.people.bounded import bound_rows
from coclust_synth.tables.reading.table import TableLike, open_table
from coclust_synth.tables.rows import ColumnCounts, DistinctRows, collapse, count_values
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import Table, TableValues

_BATCH_ROWS = 2**20


class FrameSource:
    """A `CountSource` of a table in memory.

    Parameters
    ----------
    table : DataFrame, path or Table

    Examples
    --------
    >>> import pandas as pd
    >>> source = FrameSource(pd.DataFrame({"age": [20, 35, 20]}))
    >>> source.column_counts(source.schema()["age"])
    ColumnCounts(values=array([20, 35]), counts=array([2, 1]), n_missing=0)
    """

    def __init__(self, table: TableLike) -> None:
        self._known = table if isinstance(table, Table) else None
        self._cells = open_table(table)
        self._values = TableValues(self._cells.frame)

    @property
    def engine(self) -> str:
        """What counts."""
        return "memory"

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self._cells.frame)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._cells.frame.columns)

    def schema(self, declared: Schema | None = None) -> Schema:
        """The complete description of the columns; see `CountSource.schema`."""
        return self._table(declared).schema

    def column_counts(self, column: Column) -> ColumnCounts:
        """How often each value of a column occurs."""
        return count_values(*self._read(column))

    def profiles(
        self, coded: Sequence[ValueCodes], *, limit: int = MAX_PROFILES
    ) -> DistinctRows:
        """The distinct coded rows; see `CountSource.profiles`."""
        rows = collapse(self._codes(coded), [own.n_codes for own in coded])[0]
        check_profiles(len(rows.counts), limit)
        return rows

    def sample(self, n: int, seed: np.random.SeedSequence) -> Table:
        """Different rows, or all; see `CountSource.sample`."""
        at = sample_positions(self.n_rows, n, seed)
        table = self._table(None)
        if at is None:
            return table
        return Table(table.frame.iloc[at].reset_index(drop=True), table.schema)

    def domain_rows(self, domain: Domain) -> DomainRows:
        """The rows of a declared domain's columns; see `CountSource.domain_rows`."""
        return DomainRows.of(domain.encode(self._cells.frame))

    def bounded(self, person_id: str, max_rows: int) -> "FrameSource":
        """At most so many rows of each person; see `bound_rows`."""
        kept = bound_rows(self._cells.frame, person_id, max_rows)
        return FrameSource(kept.reset_index(drop=True))

    def write_joined(
        self,
        coded: Sequence[ValueCodes],
        rows: DistinctRows,
        labels: pa.Table,
        folder: Path,
        columns: Sequence[str] = (),
        *,
        is_sorted: bool = False,
    ) -> None:
        """One file of what each row's profile is told; see `CountSource`."""
        found, inverse = collapse(self._codes(coded), [own.n_codes for own in coded])
        if not np.array_equal(found.codes, rows.codes):
            raise changed_table(coded[0].column.name)
        joined = labels.take(pa.array(inverse))
        kept = self._cells.frame[list(columns)]
        own = pa.Table.from_pandas(kept, preserve_index=False)
        for name in reversed(own.column_names):
            joined = joined.add_column(0, name, own[name])
        if is_sorted:
            order = [*labels.column_names, *columns]
            joined = joined.sort_by([(name, "ascending") for name in order])
        pq.write_table(joined, folder / "part-00000.parquet")

    def map_arrow(
        self, function: Callable[[pa.RecordBatch], Any], columns: Sequence[str]
    ) -> Iterator[Any]:
        """What a function gives for each batch of rows."""
        table = pa.Table.from_pandas(
            self._cells.frame[list(columns)], preserve_index=False
        )
        return map(function, table.to_batches(max_chunksize=_BATCH_ROWS))

    def map_codes(
        self, function: Callable[[np.ndarray], Any], coded: Sequence[ValueCodes]
    ) -> Iterator[Any]:
        """What a function gives for the codes of each batch of rows."""
        codes = self._codes(coded)
        for start in range(0, len(codes), _BATCH_ROWS):
            yield function(codes[start : start + _BATCH_ROWS])

    def _table(self, declared):
        """The table, read by a schema once."""
        if self._known is None or declared is not None:
            known = self._cells.complete(declared)
            self._known, self._values = known, known.values
        return self._known

    def _read(self, column):
        return self._values.read(replace(column, bounds=None))

    def _codes(self, coded):
        """Code of each cell, (n, d)."""
        codes = np.empty((self.n_rows, len(coded)), dtype=np.int32)
        for k, own in enumerate(coded):
            values, missing = self._read(own.column)
            known = np.unique(values[~missing])
            at = np.searchsorted(known, values[~missing])
            codes[missing, k] = own.missing
            codes[~missing, k] = own.codes[at]
        return codes


def sample_positions(
    n_rows: int, n: int, seed: np.random.SeedSequence
) -> np.ndarray | None:
    """Rows that are drawn without replacement, in order; None for all."""
    if n >= n_rows:
        return None
    rng = np.random.default_rng(seed)
    return np.sort(rng.choice(n_rows, n, replace=False, shuffle=False))
