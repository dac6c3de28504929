"""Parquet files as tables, their cells as texts, and folders of such files, which
together are one table.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pyarrow.parquet as pq

from coclust_synth.exceptions import TableError
from coclust_synth.tables.reading.infer import check_names, check_table
from coclust_synth.tables.reading.texts.cells import cell_text


def open_parquet(path: Path) -> pa.Table:
    """The table of a file, as it stands there.

    Raises
    ------
    TableError
    """
    try:
        with pa.parquet.ParquetFile(path) as file:
            table = file.read()
    except (pa.ArrowException, OSError):
        raise TableError(
            f"Expected a Parquet file in {str(path)!r}. Received a file that is "
            "truncated, or none. Check the file, or fetch it again."
        ) from None
    return table


def cell_texts_of(column: pa.ChunkedArray) -> np.ndarray:
    """Text of each cell, None where it is missing; see `cell_text`."""
    if not len(column):
        return np.empty(0, dtype=object)
    if not pa.types.is_dictionary(column.type):
        try:
            column = column.dictionary_encode()
        except pa.ArrowNotImplementedError:  # of lists and the like
            return np.array([*map(cell_text, column.to_pylist()), None])[:-1]
    column = column.unify_dictionaries().combine_chunks()
    values = column.dictionary
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = values.cast(pa.large_binary())  # a cell may hold what is no UTF-8
    if pa.types.is_floating(values.type) or (
        pa.types.is_temporal(values.type) and getattr(values.type, "tz", 0) is None
    ):
        # Not as Python's numbers and dates: of fewer bits, and of any year.
        values = values.to_numpy(zero_copy_only=False)
    else:
        values = values.to_pylist()
    texts = np.array([*map(cell_text, values), None], dtype=object)
    return texts[column.indices.fill_null(len(values)).to_numpy()]


def read_parquet(path: Path) -> pd.DataFrame:
    """The table of a file in the types of pandas, its cells checked.

    Raises
    ------
    TableError
    """
    table = open_parquet(path)
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            raise TableError(
                f"Column {name!r}: expected values of type {column.type}. Received "
                f"other values in {str(path)!r} ({error}). Write the file again."
            ) from None
    frame = frame_of_arrow(table)
    check_table(frame, str(path))
    return frame


def frame_of_arrow(table: pa.Table) -> pd.DataFrame:
    """What a Parquet file holds, in the types of pandas.

    Parameters
    ----------
    table : pyarrow.Table

    Returns
    -------
    DataFrame
        Integers of which some are missing have pandas' own types.
    """
    frame = table.to_pandas().reset_index(drop=True)
    check_names(frame.columns)
    for name in frame.columns:
        column = table[name]
        # Without a note by pandas, missing integers would come as reals.
        if pa.types.is_integer(column.type) and frame[name].dtype.kind == "f":
            dtype = str(column.type).replace("u", "U").replace("i", "I")
            frame[name] = column.to_pandas(integer_object_nulls=True).astype(dtype)
    return frame


@dataclass(frozen=True)
class ParquetFolder:
    """Parquet files of one schema, rows of one after those of another.

    Attributes
    ----------
    files : tuple of Path
        In the order of their names, which is that of the rows.
    rows : tuple of int
        Of each file.
    schema : pyarrow.Schema
        Columns that hold dictionaries have the type of what these list: which values a
        file lists says nothing of the table.
    """

    files: tuple[Path, ...]
    rows: tuple[int, ...]
    schema: pa.Schema

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> ParquetFolder:
        """Look at what the files of a folder, or a single file, say of themselves.

        Files whose names begin with a dot or an underscore, such as ``_SUCCESS``, are
        left out, as engines do.

        Raises
        ------
        TableError
            If there is no Parquet file, one is damaged, or they differ in columns.
        """
        path = Path(path)
        found = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
        files = tuple(file for file in found if file.name[0] not in "._")
        if not files:
            raise TableError(
                f"Expected Parquet files in the folder {str(path)!r}, directly in it. "
                "Received none. Check the path."
            )
        heads = [_head(file) for file in files]
        schema = _plain(heads[0][1])
        for file, (_, other) in zip(files, heads, strict=True):
            if not _plain(other).equals(schema):
                raise TableError(
                    f"Expected Parquet files of the same columns as {str(files[0])!r}, "
                    f"in the same order. Received {_difference(_plain(other), schema)} "
                    f"in {str(file)!r}. Write them again with one schema."
                )
        check_names(schema.names)
        return cls(files, tuple(rows for rows, _ in heads), schema)

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return sum(self.rows)

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows, of some columns or all."""
        return self.take(None, columns)

    def take(
        self, positions: np.ndarray | None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """Some rows of the table, read one row group at a time.

        Parameters
        ----------
        positions : ndarray of int64, increasing; or None for all rows
        columns : sequence of str, optional

        Returns
        -------
        pyarrow.Table
            In the order of the table.
        """
        names = self.schema.names if columns is None else list(columns)
        schema = pa.schema([self.schema.field(name) for name in names])
        # Texts come as dictionaries: those that are not taken are never made.
        texts = [field.name for field in schema if _is_text(field.type)]
        taken, first = [schema.empty_table()], 0
        for file in self.files:
            with pq.ParquetFile(file, read_dictionary=texts) as opened:
                for group in range(opened.num_row_groups):
                    last = first + opened.metadata.row_group(group).num_rows
                    at = None
                    if positions is not None:
                        low, high = np.searchsorted(positions, (first, last))
                        at = positions[low:high] - first
                    if at is None or len(at):
                        part = opened.read_row_group(group, columns=names)
                        part = part.select(names)
                        part = part if at is None else part.take(pa.array(at))
                        part = part.replace_schema_metadata(None).cast(schema)
                        taken.append(part)
                    first = last
        return pa.concat_tables(taken)


def _head(file: Path) -> tuple[int, pa.Schema]:
    try:
        with pq.ParquetFile(file) as opened:
            return opened.metadata.num_rows, opened.schema_arrow
    except (pa.ArrowException, OSError):
        raise TableError(
            f"Expected a Parquet file in {str(file)!r}. Received a file that is "
            "truncated, or none. Check the file, or fetch it again."
        ) from None


def _is_text(dtype: pa.DataType) -> bool:
    return pa.types.is_string(dtype) or pa.types.is_large_string(dtype)


def _plain(schema: pa.Schema) -> pa.Schema:
    """The same columns without dictionaries, and without notes of who wrote them."""
    types = [
        own.value_type if pa.types.is_dictionary(own) else own for own in schema.types
    ]
    return pa.schema(list(zip(schema.names, types, strict=True)))


def _difference(own: pa.Schema, first: pa.Schema) -> str:
    """What columns are not as those of the first file."""
    types = dict(zip(first.names, first.types, strict=True))
    missing = [f"no {name!r}" for name in first.names if name not in own.names]
    more = [f"{name!r} too" for name in own.names if name not in types]
    others = [
        f"{field.name!r} of {field.type} instead of {types[field.name]}"
        for field in own
        if field.name in types and field.type != types[field.name]
    ]
    return ", ".join([*missing, *more, *others]) or "another order"
