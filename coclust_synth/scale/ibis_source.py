"""A table of an engine that is asked for counts, by way of ibis.

Nothing but GROUP BY, joins on equal values and comparisons with thresholds is asked of
the engine: DuckDB, Spark and others answer these alike.
"""

from __future__ import annotations

import pickle
import shutil
import sys
import tempfile
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from coclust_synth.exceptions import TableError
from coclust_synth.scale.cuts import Cuts
from coclust_synth.scale.frame_source import sample_positions
from coclust_synth.scale.row_keys import (
    CellCodes,
    CellLookup,
    key_columns,
    make_key,
    of_codes,
    rows_of_keys,
)
from coclust_synth.scale.source import (
    MAX_PROFILES,
    MAX_VALUES,
    ValueCodes,
    changed_table,
    check_profiles,
    check_same_rows,
)
from coclust_synth.tables.column import Column
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.rows import DomainRows
from coclust_synth.tables.people.bounded import row_of_nobody
from coclust_synth.tables.reading.infer import CountedColumn, conform_counted
from coclust_synth.tables.reading.parquet import (
    ParquetFolder,
    cell_texts_of,
    frame_of_arrow,
)
from coclust_synth.tables.reading.table import check_texts
from coclust_synth.tables.rows import ColumnCounts, DistinctRows
from coclust_synth.tables.schema import Schema, unknown_column
from coclust_synth.tables.table import Table, TableValues
from coclust_synth.validation import check_integer

# What `str.strip` takes away: an engine's own may know fewer blanks, and two persons
# would be made of one.
_BLANKS = "".join(c for c in map(chr, range(0x3001)) if c.isspace())
_AROUND = f"^[{_BLANKS}]+|[{_BLANKS}]+$"
# How much more than a sample is drawn, so that it is hardly ever too small: that many
# standard deviations.
_MARGIN = 6.0


class _Distinct(NamedTuple):
    """The different cells of a column, NULL among them."""

    cells: pa.ChunkedArray
    rows: np.ndarray
    values: TableValues


def _not_null(schema: pa.Schema, as_read: pa.Schema) -> pa.Schema:
    """Types of files; those of an engine of columns that are of type null."""
    return pa.schema(
        [
            as_read.field(own.name) if pa.types.is_null(own.type) else own
            for own in schema
        ]
    )


class IbisSource:
    """A `CountSource` of a table that an engine reads.

    Parameters
    ----------
    table : ibis.Table
        Not to be written to while it is used: what is found to have changed is refused.
    folder : ParquetFolder, optional
        The files that it is read from, where this machine reads them too: samples are
        then the same for any engine, and columns have the types of the files.
    temp : path, optional
        Where label files and bounded tables are put, which the engine must be able to
        read; a new folder in it is removed with the source. By default that of the
        system.
    """

    def __init__(
        self,
        table: ibis.Table,
        *,
        folder: ParquetFolder | None = None,
        temp: str | Path | None = None,
    ) -> None:
        self.table, self.folder = table, folder
        self._engine = table.get_backend()
        as_read = table.schema().to_pyarrow()
        self._types = as_read if folder is None else _not_null(folder.schema, as_read)
        self._temp = Path(tempfile.mkdtemp(prefix="coclust_synth-", dir=temp))
        self._distinct: dict[str, _Distinct] = {}
        self._schema: Schema | None = None
        self._n_rows: int | None = None
        self._written_by: IbisSource | None = None
        weakref.finalize(self, shutil.rmtree, self._temp, ignore_errors=True)

    @property
    def engine(self) -> str:
        """What counts."""
        return {"pyspark": "spark"}.get(self._engine.name, self._engine.name)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        if self._n_rows is None:
            self._n_rows = self._number(self.table.count())
        return self._n_rows

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._types.names)

    def schema(self, declared: Schema | None = None) -> Schema:
        """The complete description of the columns; see `CountSource.schema`."""
        dropped = set()
        if declared is not None:
            dropped = {c.name for c in declared.columns if c.treatment == "drop"}
        columns = {}
        for name in self._types.names:
            if name in dropped:
                # Not looked into: a few cells stand for them.
                empty = pd.Series([None, None], dtype=object, name=name)
                columns[name] = CountedColumn(empty, np.array([1, self.n_rows - 1]))
            else:
                found = self._count(name)
                columns[name] = CountedColumn(found.values.frame[name], found.rows)
        self._schema = conform_counted(columns, declared)
        return self._schema

    def column_counts(self, column: Column) -> ColumnCounts:
        """How often each value of a column occurs."""
        return self._canonical(column)[0]

    def profiles(
        self, coded: Sequence[ValueCodes], *, limit: int = MAX_PROFILES
    ) -> DistinctRows:
        """The distinct coded rows; see `CountSource.profiles`."""
        rows = self._grouped(list(map(self._of_cells, coded)), limit)
        check_same_rows(rows, coded, [self.column_counts(own.column) for own in coded])
        return rows

    def _grouped(self, coded, limit=MAX_PROFILES):
        """The distinct rows of cells' codes."""
        keyed, keys = self._keyed(coded)
        counted = keyed.group_by(keys).aggregate(n=keyed.count())
        found = self._arrow(counted.limit(limit + 1))
        check_profiles(len(found), limit)
        return rows_of_keys(
            [found[key].to_numpy() for key in keys],
            found["n"].to_numpy(),
            [own.n_codes for own in coded],
        )

    def sample(self, n: int, seed: np.random.SeedSequence) -> Table:
        """Different rows, or all; see `CountSource.sample`.

        Without files the engine draws them, which no seed repeats.
        """
        schema = self._schema or self.schema()
        names = [column.name for column in schema.columns if column.treatment != "drop"]
        if self.folder is not None:
            at = sample_positions(self.n_rows, n, seed)
            rows = self.folder.take(at, names)
        else:
            rows = self._drawn(n, names, np.random.default_rng(seed))
        kept = tuple(schema[name] for name in names)
        return Table(frame_of_arrow(rows), replace(schema, columns=kept))

    def domain_rows(self, domain: Domain) -> DomainRows:
        """The distinct rows of a domain's columns; see `CountSource.domain_rows`."""
        coded = []
        for column in domain.columns:
            if column.name not in self.names:
                raise TableError(unknown_column(column.name, self.names))
            cells = self._count(column.name).cells
            if column.name in domain.laid_out_numbers:
                check_texts(column.name, cells.type)
            texts = cell_texts_of(cells)
            codes = column.encode(pd.Series(texts, dtype=object)).astype(np.int64)
            is_null = cells.is_null().to_numpy()
            missing = int(codes[is_null][0]) if is_null.any() else -1
            coded.append(CellCodes(column.name, codes, missing, column.size))
        rows = self._grouped(coded)
        if (rows.codes < 0).any():
            raise changed_table(domain.names[0])
        return DomainRows((rows.codes - rows.offsets).astype(np.int64), rows.counts)

    def bounded(self, person_id: str, max_rows: int) -> IbisSource:
        """At most so many rows of each person, chosen at random and written down.

        One person changes at most `max_rows` of them, whatever the lots: these are
        drawn row by row, and rows are compared with rows of the same person only. Names
        are compared as the column's type has them, texts without blanks around them.

        Raises
        ------
        TableError
            If there is no such column, or a row names nobody.
        """
        check_integer("max_rows", max_rows, minimum=1)
        if person_id not in self.table.columns:
            raise TableError(unknown_column(person_id, tuple(self.table.columns)))
        person = self._cell(person_id)
        if person.type().is_string():
            # As cells are read by `cell_text`: blanks around a name are not of it.
            person = person.re_replace(_AROUND, "").nullif("")
        if self._number(person.isnull().sum()):
            raise TableError(row_of_nobody(person_id))
        place = ibis.row_number().over(group_by=person, order_by=ibis.random())
        lots = f"lot {uuid.uuid4().hex}"
        kept = self.table.mutate(**{lots: place})
        kept = kept.filter(kept[lots] < max_rows).drop(lots)
        # An engine that computed it again would draw other lots.
        bounded = IbisSource(self._written(kept), temp=self._temp)
        bounded._written_by = self  # whose folder holds it
        return bounded

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
        """Files of what each row's profile is told; see `CountSource`."""
        n_codes = [own.n_codes for own in coded]
        local = np.where(rows.codes < 0, -1, rows.codes - rows.offsets)
        told = labels
        keyed, keys = self._keyed(list(map(self._of_cells, coded)), columns)
        for key, of_key in zip(keys, key_columns(n_codes), strict=True):
            own = make_key(local.T.astype(np.int64), n_codes, of_key, np.int64(0))
            told = told.append_column(f"to {key}", pa.array(own))
        table = self._upload(told)
        joined = keyed.inner_join(table, [keyed[k] == table[f"to {k}"] for k in keys])
        joined = joined.select(*columns, *labels.column_names)
        if is_sorted:
            joined = joined.order_by([*labels.column_names, *columns])
        self._write(joined, folder)

    def map_arrow(
        self, function: Callable[[pa.RecordBatch], Any], columns: Sequence[str]
    ) -> Iterator[Any]:
        """What a function gives for each batch of rows."""
        table = self.table.select(*columns)
        if self._engine.name == "pyspark":
            return self._mapped_by_spark(function, table)
        return map(function, table.to_pyarrow_batches())

    def map_codes(
        self, function: Callable[[np.ndarray], Any], coded: Sequence[ValueCodes]
    ) -> Iterator[Any]:
        """What a function gives for the codes of each batch of rows."""
        lookups = [
            CellLookup.of(self._count(own.name).cells, own)
            for own in map(self._of_cells, coded)
        ]
        names = [own.column.name for own in coded]
        return self.map_arrow(partial(of_codes, function, lookups), names)

    def _mapped_by_spark(self, function, table):
        """What a function gives, called by the workers of Spark."""

        def told(batches):
            for batch in batches:
                found = pa.array([pickle.dumps(function(batch))], pa.binary())
                yield pa.record_batch({"found": found})

        with _clear_errors(self._engine.name):
            rows = self._of_spark(table).mapInArrow(told, "found binary").collect()
        return (pickle.loads(row.found) for row in rows)

    # --- what a cell is ------------------------------------------------------

    def _cell(self, name):
        """The expression of a column, by the rule of `source`."""
        cell = self.table[name]
        if cell.type().is_floating():
            cell = cell.isnan().ifelse(ibis.null(cell.type()), cell) + 0.0
        return cell

    def _count(self, name):
        """The different cells of a column, counted once."""
        if name not in self._distinct:
            grouped = self.table.select(v=self._cell(name)).group_by("v")
            counted = grouped.aggregate(n=ibis._.count())
            found = self._arrow(counted.limit(MAX_VALUES + 1))
            if len(found) > MAX_VALUES:
                raise TableError(
                    f"Expected at most {MAX_VALUES:,} different values in {name!r}. "
                    "Received more. Drop the column, or round its values beforehand."
                )
            cells = found["v"].cast(self._types.field(name).type)
            frame = frame_of_arrow(pa.table({name: cells}))
            rows = found["n"].to_numpy().astype(np.int64)
            self._distinct[name] = _Distinct(cells, rows, TableValues(frame))
        return self._distinct[name]

    def _canonical(self, column):
        """Counts of a column's values, and which of them each different cell has."""
        found = self._count(column.name)
        values, missing = found.values.read(replace(column, bounds=None))
        distinct, position = np.unique(values[~missing], return_inverse=True)
        counts = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(counts, position, found.rows[~missing])
        place = np.full(len(values), -1)
        place[~missing] = position
        n_missing = int(found.rows[missing].sum())
        return ColumnCounts(distinct, counts, n_missing), place

    # --- codes and keys ------------------------------------------------------

    def _of_cells(self, own):
        """The code of each different cell, of those of a column's values."""
        place = self._canonical(own.column)[1]
        codes = np.append(own.codes, own.missing).astype(np.int64)[place]
        return CellCodes(own.column.name, codes, own.missing, own.n_codes)

    def _keyed(self, coded, columns=()):
        """The table as keys of its coded rows, behind some of its columns."""
        cells = {f"cell {k}": self._cell(own.name) for k, own in enumerate(coded)}
        table = self.table.select(*columns, **cells)
        all_cuts = []
        for k, own in enumerate(coded):
            cuts = Cuts.of(self._count(own.name).cells, own.codes)
            if cuts is None:
                lookup = self._lookup(own, k)
                table = table.left_join(lookup, table[f"cell {k}"] == lookup[f"is {k}"])
                table = table.drop(f"is {k}")
            all_cuts.append(cuts)
        codes = [
            # What is in no list is missing.
            ibis.coalesce(table[f"code {k}"], own.missing)
            if cuts is None
            else cuts.expression(table[f"cell {k}"], own.missing)
            for k, (own, cuts) in enumerate(zip(coded, all_cuts, strict=True))
        ]
        n_codes = [own.n_codes for own in coded]
        zero = ibis.literal(0, "int64")
        keys = {
            f"key {i}": make_key(codes, n_codes, of_key, zero)
            for i, of_key in enumerate(key_columns(n_codes))
        }
        return table.select(*columns, **keys), list(keys)

    def _lookup(self, own, k):
        """A table of a column's cells and their codes."""
        cells = self._count(own.name).cells
        told = pa.table({f"is {k}": cells, f"code {k}": pa.array(own.codes)})
        return self._upload(told.filter(cells.is_valid()))

    # --- tables and files ----------------------------------------------------

    def _arrow(self, table):
        """What an expression gives, in memory."""
        with _clear_errors(self._engine.name):
            if self._engine.name != "pyspark":
                return table.to_pyarrow()
            # By way of pandas, as ibis does it, whole numbers would become reals.
            return self._of_spark(table).toArrow()

    def _of_spark(self, table):
        """An expression as Spark's own data frame."""
        from pyspark.sql import SparkSession

        return SparkSession.active().sql(self._engine.compile(table))

    def _upload(self, table):
        """A table of the driver's, for the engine to join."""
        name = f"coclust_synth_{uuid.uuid4().hex}"
        if self._engine.name == "duckdb":
            return self._engine.create_table(name, table, temp=True)
        if self._engine.name == "pyspark":
            path = self._temp / f"{name}.parquet"
            pq.write_table(table, path)
            return self._engine.read_parquet(str(path))
        return ibis.memtable(table)

    def _number(self, expression):
        """A whole number; that of no rows is 0."""
        (found,) = self._arrow(expression.name("n").as_table())["n"].to_pylist()
        return int(found or 0)

    def _written(self, table):
        """A table of the engine's that is computed once and for all."""
        folder = self._temp / uuid.uuid4().hex
        folder.mkdir()
        self._write(table, folder)
        reads_files = self._engine.name in ("duckdb", "pyspark")
        engine = self._engine if reads_files else ibis.duckdb.connect()
        return engine.read_parquet(f"{folder}/*.parquet")

    def _write(self, table, folder):
        """Write a table of the engine's into an empty folder."""
        with _clear_errors(self._engine.name):
            if self._engine.name == "duckdb":
                path = str(folder / "part-00000.parquet").replace("'", "''")
                sql = self._engine.compile(table)
                self._engine.raw_sql(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")
            elif self._engine.name == "pyspark":
                found = self._of_spark(table)
                found.write.mode("overwrite").parquet(str(folder))
            else:
                self._engine.to_parquet_dir(table, folder)

    def _drawn(self, n, names, rng):
        """Rows that the engine draws, and of these as many as were asked for."""
        table = self.table.select(*names)
        if n >= self.n_rows:
            return self._arrow(table).cast(self._arrow_schema(names))
        share = (n + _MARGIN * np.sqrt(n)) / self.n_rows
        rows = self._arrow(table.filter(ibis.random() < share))
        if len(rows) < n:
            raise changed_table(names[0])
        at = np.sort(rng.choice(len(rows), n, replace=False, shuffle=False))
        return rows.take(pa.array(at)).cast(self._arrow_schema(names))

    def _arrow_schema(self, names):
        return pa.schema([self._types.field(name) for name in names])


@contextmanager
def _clear_errors(engine):
    """Tell of an engine's error what it is: no memory, no disk, no such file."""
    known = {
        "duckdb": "Error",
        "psycopg": "Error",
        "pyspark.errors": "PySparkException",
        "pyarrow": "ArrowException",
    }
    errors = [
        getattr(sys.modules[m], own) for m, own in known.items() if m in sys.modules
    ]
    try:
        yield
    except tuple(errors) as error:
        raise TableError(
            f"Expected {engine} to count this table. Received from it: "
            f"{str(error).strip().splitlines()[0]}. Give it more memory, more room "
            "for temporary files, or look into its own log; if a value cannot be "
            "handed over, give it another type in a view."
        ) from error
