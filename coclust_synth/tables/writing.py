"""Tables that are written: the same table gives the same bytes.

Texts of a few categories are spelt out in a table and looked up again where a Parquet
file is written, cell by cell. A table that has their codes instead is written from
these: the same bytes, for a third of the work.
"""

from __future__ import annotations

import base64
import csv
import gzip
import io
import itertools
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pyarrow.parquet as pq

from coclust_synth.exceptions import TableError
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.files import check_writable, write_files
from coclust_synth.tables.reading.native import arrow_table
from coclust_synth.tables.reading.table import table_suffix
from coclust_synth.tables.reading.texts.cells import cell_texts
from coclust_synth.tables.reading.texts.text import format_column
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.dtypes import pandas_dtype

# Dtype of texts that are held as codes.
_CODED = "category"
# Before pyarrow 20 a file cannot tell of other types than those it was written from.
_CAN_TELL = hasattr(pq.ParquetWriter, "add_key_value_metadata")


def write_table(
    frame: pd.DataFrame, path: str | os.PathLike, schema: Schema, *, force: bool = False
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
    lines = itertools.chain([names], zip(*cells, strict=True))
    text = csv_text(lines, "\t" if suffix.startswith(".tsv") else delimiter)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise TableError(
            "Expected texts that UTF-8 can hold. Received "
            f"{error.object[error.start : error.end]!r}. Replace it in the table."
        ) from None
    return gzip.compress(content, mtime=0) if suffix.endswith(".gz") else content


def csv_text(lines: Iterable[Iterable[str]], delimiter: str) -> str:
    """Lines of fields that end with LF, in which a CR is quoted too."""
    text = io.StringIO(newline="")
    # Only what a line may end with is quoted.
    file = SimpleNamespace(write=lambda line: text.write(line[:-2] + "\n"))
    csv.writer(file, delimiter=delimiter, lineterminator="\r\n").writerows(lines)
    return text.getvalue()


def parquet_table(frame: pd.DataFrame) -> pa.Table:
    """A table as a Parquet file holds it.

    Raises
    ------
    TableError
        If it cannot.
    """
    try:
        return arrow_table(frame)
    except (pa.ArrowException, OverflowError) as error:
        raise TableError(
            "Expected columns that a Parquet file can hold. Received values of "
            f"several types, or of a type that it lacks: {error}. Write a CSV file."
        ) from None


def _format_parquet(frame: pd.DataFrame) -> bytes:
    content = io.BytesIO()
    pa.parquet.write_table(parquet_table(frame), content)
    return content.getvalue()


def with_codes(schema):
    """The same schema, whose listed texts are held as codes of their categories.

    Parameters
    ----------
    schema : Schema

    Returns
    -------
    Schema
    """
    columns = [
        replace(column, dtype=_CODED) if _is_text(column) else column
        for column in schema.columns
    ]
    return replace(schema, columns=tuple(columns))


def coded_bytes(frame, schema):
    """The Parquet file that `table_bytes` gives of a table whose texts are spelt out.

    Parameters
    ----------
    frame : DataFrame
        With the dtypes of ``with_codes(schema)``.
    schema : Schema

    Returns
    -------
    bytes
    """
    coded = {name: frame[name] for name in frame.columns if _is_text(schema[name])}
    nothing = np.zeros(len(frame), dtype=np.int64)
    blank = {
        name: pd.array([None], dtype=schema[name].dtype).take(nothing) for name in coded
    }
    spelt = table = parquet_table(frame.assign(**blank))
    for name, series in coded.items():
        at = spelt.column_names.index(name)
        listed = _by_appearance(series.cat, spelt.schema.field(at).type)
        table = table.set_column(at, name, listed)
    content = io.BytesIO()
    # The file tells of the types of texts, not of codes.
    with pq.ParquetWriter(content, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        told = base64.b64encode(spelt.schema.serialize().to_pybytes())
        writer.add_key_value_metadata({**spelt.schema.metadata, "ARROW:schema": told})
    return content.getvalue()


def _by_appearance(cells, dtype):
    """Cells as codes of categories, which are numbered as they appear, as in a file."""
    codes = cells.codes.to_numpy()
    seen = pd.unique(codes)
    seen = seen[seen >= 0]
    number = np.full(len(cells.categories) + 1, -1, dtype=np.int32)  # -1 for missing
    number[seen] = np.arange(len(seen), dtype=np.int32)
    codes = number[codes]
    listed = pa.array(cells.categories.to_numpy()[seen], type=dtype)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), listed)


def _is_text(column):
    """Whether cells of a column are texts of a list, and can be held as codes."""
    if column.kind not in LISTED_KINDS or column.dtype.startswith(_CODED):
        return False
    return _CAN_TELL and isinstance(pandas_dtype(column.dtype, column), pd.StringDtype)
