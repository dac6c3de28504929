"""Tables that are written: the same table gives the same bytes."""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from coclust_synth.exceptions import TableError
from coclust_synth.tables.files.outputs import check_writable, write_files
from coclust_synth.tables.reading.cells import cell_texts
from coclust_synth.tables.reading.table import table_suffix
from coclust_synth.tables.reading.text import format_column
from coclust_synth.tables.schema import Schema

_DECIMAL_DIGITS = 38  # as many as Parquet, DuckDB and Spark hold


def write_table(
    frame: pd.DataFrame,
    path: str | os.PathLike,
    schema: Schema,
    *,
    force: bool = False,
) -> None:
    """Write a table in the layout of the file it was learned from.

    Parameters
    ----------
    frame : DataFrame
        The table; its columns are those of the schema, or some of them.
    path : path
        Where to; its extension says in which format.
    schema : Schema
        Complete description of its columns.
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    ParameterError
        If the name of the file does not say what it is.
    OutputError
        If the file exists, or cannot be written. Nothing is left behind.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from coclust_synth import infer_schema
    >>> frame = pd.DataFrame({"age": [31, 52], "sex": ["F", "M"]})
    >>> schema = infer_schema(frame)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     write_table(frame, path, schema)
    ...     path.read_text()
    'age,sex\\n31,F\\n52,M\\n'
    """
    table_suffix(path)
    check_writable(path, force)
    write_files({path: table_bytes(frame, path, schema)})


def table_bytes(frame: pd.DataFrame, path: str | os.PathLike, schema: Schema) -> bytes:
    """Give what `write_table` writes, for a file to be written with others or not.

    Raises
    ------
    ParameterError
        If the name of the file does not say what it is.
    TableError
        If a Parquet file cannot hold the table.
    """
    if table_suffix(path) == ".parquet":
        return _format_parquet(frame)
    cells = [format_column(frame[name], schema[name]) for name in frame.columns]
    return _text_bytes(frame.columns, cells, path, schema.delimiter)


def released_bytes(
    frame: pd.DataFrame,
    path: str | os.PathLike,
    *,
    delimiter: str = ",",
    lay_out: Mapping[str, Callable[[str], str]] | None = None,
) -> bytes:
    """Give a table of any number of rows as a file, each cell written on its own.

    Cells of a text file are as `cell_text` gives them, empty where they are missing,
    which a `Domain` reads as what they were; `lay_out` says of some columns how their
    texts are laid out (see `Domain.lay_out`). Nothing is found out from the table.

    Raises
    ------
    ParameterError
        If the name of the file does not say what it is.
    """
    if table_suffix(path) == ".parquet":
        return _format_parquet(frame)
    cells = []
    for name in frame.columns:
        codes, texts = cell_texts(frame[name])
        texts = [*map((lay_out or {}).get(name, str), texts)]
        cells.append(np.array([*texts, ""], dtype=object)[codes])
    return _text_bytes(frame.columns, cells, path, delimiter)


def _text_bytes(
    names: Iterable[str],
    cells: list[np.ndarray],
    path: str | os.PathLike,
    delimiter: str,
) -> bytes:
    """A text file of some columns of texts; `.tsv` has a delimiter of its own."""
    suffix = table_suffix(path)
    text = io.StringIO(newline="")
    # Only what a line may end with is quoted: CR too, though lines end with LF.
    lines = SimpleNamespace(write=lambda line: text.write(line[:-2] + "\n"))
    writer = csv.writer(
        lines,
        delimiter="\t" if suffix.startswith(".tsv") else delimiter,
        lineterminator="\r\n",
    )
    writer.writerow(names)
    writer.writerows(zip(*cells, strict=True))
    try:
        content = text.getvalue().encode("utf-8")
    except UnicodeEncodeError as error:
        raise TableError(
            "Expected texts that UTF-8 can hold. Received "
            f"{error.object[error.start : error.end]!r}. Replace it in the table."
        ) from None
    return gzip.compress(content, mtime=0) if suffix.endswith(".gz") else content


def parquet_table(frame: pd.DataFrame) -> pa.Table:
    """A table as a Parquet file holds it.

    Raises
    ------
    TableError
        If it cannot.
    """
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, OverflowError) as error:
        raise TableError(
            "Expected columns that a Parquet file can hold. Received values of "
            f"several types, or of one it has not: {error}. Write a CSV file."
        ) from None
    return _with_wide_decimals(table, frame)


def _format_parquet(frame: pd.DataFrame) -> bytes:
    content = io.BytesIO()
    pa.parquet.write_table(parquet_table(frame), content)
    return content.getvalue()


def _with_wide_decimals(table: pa.Table, frame: pd.DataFrame) -> pa.Table:
    """The same, its decimals of one type however many digits these rows have.

    Arrow gives objects the precision of the longest: files of one table would differ.
    """
    fields = [
        field.with_type(pa.decimal128(_DECIMAL_DIGITS, field.type.scale))
        if pa.types.is_decimal(field.type) and frame[field.name].dtype == object
        else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields, table.schema.metadata))
