"""What is asked of a table that is known by counts.

One rule says what a cell is, whoever counts:

- NULL, and NaN among numbers, is missing; there is one zero, -0.0 being 0.0;
- texts are compared byte by byte: ``''`` is a value, as are texts that differ in case
  or in blanks;
- decimals are the numbers nearest to them, infinite numbers are refused;
- instants with a time zone are those of UTC;
- what a dictionary lists is what its cells say, whatever else is listed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import pyarrow as pa

from coclust_synth.exceptions import TableError
from coclust_synth.tables.column import Column
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.rows import DomainRows
from coclust_synth.tables.rows import ColumnCounts, DistinctRows
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import Table

# What the driver holds at most: about 1 GB each.
MAX_VALUES = 20_000_000
MAX_PROFILES = 20_000_000


class TooManyRowsError(TableError):
    """There are more different coded rows than the driver is to hold."""


@dataclass(frozen=True, eq=False)
class ValueCodes:
    """The code of each value of a column.

    Attributes
    ----------
    column : Column
        Complete.
    codes : ndarray of shape (m,), int32
        Of the values of `CountSource.column_counts`, in their order; -1 leaves a value
        out of its row.
    missing : int
        Of rows without a value; -1 likewise.
    n_codes : int
    """

    column: Column
    codes: np.ndarray
    missing: int
    n_codes: int


@runtime_checkable
class CountSource(Protocol):
    """A table, known by what can be counted of it.

    Two sources of the same rows give the same answers, whatever the order of the rows,
    but for `sample`: that is the same where they are read from the same files.
    """

    @property
    def engine(self) -> str:
        """What counts: ``"memory"``, ``"duckdb"``, ``"spark"``, or a kind of base."""

    @property
    def n_rows(self) -> int:
        """Rows of the table."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""

    def schema(self, declared: Schema | None = None) -> Schema:
        """The complete description of the columns, as `conform` gives it.

        Raises
        ------
        TableError, SchemaError
            As `conform`; if a column that is not dropped has more than 20 million
            different values.
        """

    def column_counts(self, column: Column) -> ColumnCounts:
        """How often each value of a column occurs; the column is complete."""

    def profiles(
        self, coded: Sequence[ValueCodes], *, limit: int = MAX_PROFILES
    ) -> DistinctRows:
        """The distinct coded rows, and how many rows have each.

        Raises
        ------
        TooManyRowsError
            If there are more than `limit`, by default 20 million: a TableError.
        TableError
            If the table is no longer the one whose values were counted.
        """

    def sample(self, n: int, seed: np.random.SeedSequence) -> Table:
        """Different rows, each set of so many as likely as any other; or all."""

    def domain_rows(self, domain: Domain) -> DomainRows:
        """The distinct rows of a declared domain's columns, and how many have each.

        Each cell is read on its own, as `Domain.encode` reads it: no row changes how
        another is read, and one row more is one more in one count. More than 20
        million different cells or rows are refused, which is outside of any budget.

        Raises
        ------
        TableError
            If there is a cell that the domain declares nothing for, a column is not
            there, or there are too many.
        """

    def bounded(self, person_id: str, max_rows: int) -> Self:
        """At most so many rows of each person, chosen at random, as `bound_rows`."""

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
        """Write Parquet files that have, for each row, what its profile is told.

        Parameters
        ----------
        coded : sequence of ValueCodes
        rows : DistinctRows
            As ``profiles(coded)`` gave them. A row of the table that is none of them,
            because the table changed, is not written: count the files.
        labels : pyarrow.Table
            Of these rows, in their order: the columns to write.
        folder : Path
            Exists, and is empty.
        columns : sequence of str, default=()
            Of the table, that are written too, as they are, in front of the others.
        is_sorted : bool, default=False
            Whether rows come in the order of the labels, then of these columns, and not
            in one that may tell of that of the table.
        """

    def map_arrow(
        self, function: Callable[[pa.RecordBatch], Any], columns: Sequence[str]
    ) -> Iterator[Any]:
        """What a function gives for each batch of rows, in no particular order.

        Spark calls it where the rows are: it must pickle, and what it gives too.
        """

    def map_codes(
        self, function: Callable[[np.ndarray], Any], coded: Sequence[ValueCodes]
    ) -> Iterator[Any]:
        """What a function gives for the codes of each batch of rows.

        Parameters
        ----------
        function : callable
            Takes codes of shape (n, d), int32, numbered within their columns, -1 for
            what is left out. As of `map_arrow`.
        coded : sequence of ValueCodes

        Raises
        ------
        TableError
            If there is a value that was not counted: the table changed.
        """


def check_same_rows(rows: DistinctRows, coded, counts) -> None:
    """Refuse profiles of another table than the one whose values were counted.

    Parameters
    ----------
    rows : DistinctRows
    coded : sequence of ValueCodes
    counts : sequence of ColumnCounts
        Of the same columns.

    Raises
    ------
    TableError
    """
    for k, (own, known) in enumerate(zip(coded, counts, strict=True)):
        codes = rows.codes[:, k] - np.where(rows.codes[:, k] < 0, 0, rows.offsets[k])
        found = np.bincount(codes + 1, rows.counts, own.n_codes + 1)
        expected = np.bincount(own.codes + 1, known.counts, own.n_codes + 1)
        expected[own.missing + 1] += known.n_missing
        if (found != expected).any():
            raise changed_table(own.column.name)


def changed_table(name: str) -> TableError:
    """The error of a table that changed while it was counted."""
    return TableError(
        f"Column {name!r}: expected the rows that were counted before. Received "
        "others: the table has changed meanwhile. Begin again, on a copy that does "
        "not change."
    )


def check_profiles(n: int, limit: int) -> None:
    """Refuse more distinct coded rows than the driver is to hold.

    Raises
    ------
    TooManyRowsError
    """
    if n > limit:
        raise TooManyRowsError(
            f"Expected at most {limit:,} different coded rows. Received more. Drop "
            "columns, or ask for fewer parts of each."
        )
