"""Co-clusterings of tables that an engine counts: see `coclust_synth.scale`."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.grid.individuals import cheapest_labels
from coclust_synth.scale.released import cells_of_values, rows_of_values
from coclust_synth.scale.source import CountSource, ValueCodes, changed_table
from coclust_synth.tables.column import Column
from coclust_synth.tables.files import atomic_folder, check_folder
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.parts import Parts
from coclust_synth.tables.rows import DistinctRows, collapse
from coclust_synth.tables.schema import Schema


class CodedCounts(NamedTuple):
    """The distinct coded rows of a source, and what their codes mean."""

    rows: DistinctRows
    coding: TableCoding
    coded: tuple[ValueCodes, ...]


def learn_counts(source: CountSource, schema: Schema | None, **options) -> CodedCounts:
    """Make the parts of all columns from counts, and count the coded rows.

    Parameters
    ----------
    source : CountSource
    schema : Schema, optional
        What is known of the columns. By default every one is modelled, also one that
        looks like an identifier.
    **options
        Of `TableCoding.learn`.
    """
    complete = source.schema(schema)
    if schema is None:
        complete = source.schema(complete.keep(*complete.names))
    parts: list[Parts] = []
    coded: list[ValueCodes] = []
    cuts = options.pop("cuts", None) or {}
    for column in complete.kept.columns:
        counts = source.column_counts(column)
        own = TableCoding.learn(
            cells_of_values(counts, column).to_frame(),
            Schema((column,)),
            rows=rows_of_values(counts),
            cuts={n: at for n, at in cuts.items() if n == column.name},
            **options,
        )
        parts += own.parts
        coded.append(_value_codes(own, column, counts))
    coding = TableCoding(complete.kept, tuple(parts))
    return CodedCounts(source.profiles(coded), coding, tuple(coded))


def code_counts(source: CountSource, coding: TableCoding) -> CodedCounts:
    """Count the rows of a source by the parts of another table.

    Values that belong to no part are left out of their rows, as of new individuals.

    Raises
    ------
    ParameterError
        If rare values were put together: what a value is taken for may then depend on
        other columns of its row.
    SchemaError
        If a column is not there.
    """
    if coding.pools:
        names = ", ".join(repr(pool.name) for pool in coding.pools)
        raise ParameterError(
            "Expected parts that depend on the values of their own column alone. "
            f"Received rare values put together by other columns, in {names}. Fit "
            "without them."
        )
    missing = [name for name in coding.names if name not in source.names]
    if missing:
        raise SchemaError(
            f"Expected a column {missing[0]!r}. Received a table of "
            f"{', '.join(map(repr, source.names))}. Give a table of the same columns."
        )
    # Kinds are those of the fit; other values may be there now.
    known = {
        column.name: replace(column, dtype=None, categories=None, bounds=None)
        for column in coding.schema.columns
    }
    here = source.schema(
        Schema(tuple(known.get(name, _dropped(name)) for name in source.names))
    )
    coded = []
    for column, parts in zip(coding.schema.columns, coding.parts, strict=True):
        counts = source.column_counts(here[column.name])
        own = TableCoding(Schema((column,)), (parts,))
        coded.append(_value_codes(own, here[column.name], counts))
    return CodedCounts(source.profiles(coded), coding, tuple(coded))


class Places(NamedTuple):
    """The clusters of a grid where rows are put, as `cheapest_labels` asks for them."""

    cells: np.ndarray
    row_sizes: np.ndarray
    column_labels: np.ndarray

    @classmethod
    def of(cls, grid, rows: DistinctRows):
        """Those where some of these rows cost least, and the labels of the rows."""
        places = cls(grid.cells, grid.row_sizes, grid.column_labels)
        while True:
            labels = cheapest_labels(places, rows)
            used = np.unique(labels)
            if len(used) == len(places.row_sizes):
                return places, labels
            places = places._replace(
                cells=places.cells[used], row_sizes=places.row_sizes[used]
            )


def count_clusters(source: CountSource, coded, places: Places) -> Contingency:
    """Put all rows of a source in their clusters, batch by batch, and count them.

    Parameters
    ----------
    source : CountSource
    coded : sequence of ValueCodes
        None of which leaves out a value.
    places : Places

    Returns
    -------
    Contingency
        Each cluster is one of its rows.

    Raises
    ------
    TableError
        If the table changed.
    """
    n_codes = [own.n_codes for own in coded]
    sizes = np.zeros(len(places.row_sizes), dtype=np.int64)
    counts = np.zeros((len(sizes), sum(n_codes)), dtype=np.int64)
    count = partial(_count_batch, places, n_codes)
    for of_sizes, of_counts in source.map_codes(count, coded):
        sizes += of_sizes
        counts += of_counts
    ends = np.cumsum(n_codes)[:-1]
    for own, found in zip(coded, np.split(counts.sum(axis=0), ends), strict=True):
        known = source.column_counts(own.column)
        expected = np.bincount(own.codes, known.counts, own.n_codes)
        if known.n_missing:
            expected[own.missing] += known.n_missing
        if (found != expected).any():
            raise changed_table(own.column.name)
    return Contingency.from_clusters(counts, sizes)


def _count_batch(places, n_codes, codes):
    """Rows of each cluster, and of each part in it, of a batch."""
    rows, _ = collapse(codes, n_codes)
    labels = cheapest_labels(places, rows)
    n_clusters, n_parts = len(places.row_sizes), rows.n_parts
    sizes = np.zeros(n_clusters, dtype=np.int64)
    np.add.at(sizes, labels, rows.counts)
    counts = np.zeros((n_clusters, n_parts), dtype=np.int64)
    at, which = np.nonzero(rows.codes >= 0)
    np.add.at(counts, (labels[at], rows.codes[at, which]), rows.counts[at])
    return sizes, counts


def write_labels(
    source: CountSource,
    coding: TableCoding,
    grid: Grid,
    out: str | os.PathLike[str],
    name: str,
) -> None:
    """Write the rows of a source with the cluster of each, as a folder.

    Parameters
    ----------
    source : CountSource
    coding : TableCoding
    grid : Grid
        Of the parts of the coding.
    out : path
    name : str
        Column of the clusters.

    Raises
    ------
    ParameterError, SchemaError
        If there is a column of that name, or as `code_counts`.
    TableError
        If the table changed while it was counted. There is no folder then.
    OutputError
        If it cannot be written, or holds files.
    """
    if name in source.names:
        raise ParameterError(
            f"Expected another name for the clusters. Received {name!r}, which is a "
            "column of the table. Choose one that is not there."
        )
    check_folder(out, False, lambda name: False)
    rows, _, coded = code_counts(source, coding)
    labels = pa.table({name: cheapest_labels(grid, rows)})
    with atomic_folder(out) as folder:
        source.write_joined(coded, rows, labels, folder, columns=source.names)
        files = folder.glob("*.parquet")
        if sum(pq.read_metadata(file).num_rows for file in files) != source.n_rows:
            raise changed_table(coding.names[0])


def _value_codes(coding, column, counts):
    """The part of each value of a column, by the coding of it alone."""
    cells = cells_of_values(counts, column)
    # The last is that of a missing value, where there is one.
    codes = np.append(coding.encode(cells.to_frame(), strict=False)[:, 0], np.int32(-1))
    n = len(counts.values)
    n_codes = int(coding.n_parts_per_variable[0])
    return ValueCodes(column, codes[:n], int(codes[n]), n_codes)


def _dropped(name):
    return Column(name=name, treatment="drop")
