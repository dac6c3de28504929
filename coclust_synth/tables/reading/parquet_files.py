"""Parquet files as tables, and their cells as texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

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
                f"what is none in {str(path)!r} ({error}). Write the file again."
            ) from None
    frame = frame_of_arrow(table)
    check_table(frame)
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
