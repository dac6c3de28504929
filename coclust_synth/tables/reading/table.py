"""Tables that are read: the only module that opens data files.

A table is read and its schema completed once, by `as_table`, into a `Table` that is
handed on. Files are known by their name: ``.csv``, ``.tsv`` or ``.txt``, each also with
``.gz``, and ``.parquet``.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import warnings
import zlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from coclust_synth.exceptions import (
    DataWarning,
    ParameterError,
    SchemaError,
    TableError,
)
from coclust_synth.tables.files.inputs import read_gzip
from coclust_synth.tables.reading.infer import (
    check_names,
    check_table,
    conform,
    parse_text,
)
from coclust_synth.tables.reading.native import FrameLike, as_pandas
from coclust_synth.tables.reading.texts.cells import cell_text
from coclust_synth.tables.reading.texts.text import parse_column
from coclust_synth.tables.schema import Column, Schema, unknown_column
from coclust_synth.tables.table import Table

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
TABLE_SUFFIXES = (*TEXT_SUFFIXES, ".parquet")
DELIMITERS = (",", ";", "\t", "|")

_UTF16_MARKS = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE  # as spreadsheets save texts
_SAMPLE_SIZE = 65536
_MAX_FIELD = 131_072  # characters, as of Python's csv and other readers
_MAX_BLOCK = 2**31 - 1  # pyarrow holds the size of a block in 32 bits


class Source(NamedTuple):
    """A table of which only the cells were read.

    Attributes
    ----------
    frame : DataFrame
        Typed, or all texts.
    delimiter : str or None
        Between the fields of a text file; None of what is typed.
    """

    frame: pd.DataFrame
    delimiter: str | None

    def complete(self, schema: Schema | None = None) -> Table:
        """The table, typed and with all that is to be known of its columns.

        Raises
        ------
        TableError
            If the table cannot be modelled.
        SchemaError
            If the table does not fit the schema.
        """
        if self.delimiter is not None:
            table = parse_text(self.frame, schema, delimiter=self.delimiter)
            return table.with_schema(replace(table.schema, delimiter=self.delimiter))
        return conform(self.frame, schema)


# What estimators and commands take for a table.
TableLike: TypeAlias = (
    Table | Source | pd.DataFrame | FrameLike | str | os.PathLike[str]
)


def as_table(table: TableLike, schema: Schema | None = None) -> Table:
    """The table that an estimator or a command is given.

    Parameters
    ----------
    table : DataFrame, path or Table
        A Table is given back as it is: it was checked before. A frame of polars,
        pyarrow or another library comes in by `as_pandas`.
    schema : Schema, default=None
        What is known of the columns already.

    Returns
    -------
    Table

    Raises
    ------
    ParameterError
        If the name of the file does not say what it is.
    TableError
        If this is no table, or cannot be read or modelled as one.
    SchemaError
        If the table does not fit the schema, or is a Table, which has one.
    """
    if isinstance(table, Table):
        if schema is not None:
            raise SchemaError(
                "Expected no schema beside a Table, which has its own. Received both. "
                "Leave the schema out, or give the DataFrame."
            )
        return table
    if schema is not None and not isinstance(schema, Schema):
        raise SchemaError(
            "Expected a Schema, or none. Received an object of type "
            f"{type(schema).__name__}. Build one by infer_schema or Schema.load."
        )
    return open_table(table).complete(schema)


def open_table(table: TableLike, encoding: str | None = None) -> Source:
    """The cells of a table, which `Source.complete` makes a `Table` of.

    A Source is given back as it is.

    Parameters
    ----------
    table : DataFrame, path, Table or Source
    encoding : str, optional
        As of `read_table`.

    Raises
    ------
    ParameterError
        If the name of the file does not say what it is, or an encoding is given that
        there is not, or of what is no text file.
    TableError
        If this is no table, or the file cannot be read as one.
    """
    if encoding is not None:
        _check_encoding(encoding)
        if (
            not isinstance(table, str | os.PathLike)
            or table_suffix(table) == ".parquet"
        ):
            raise ParameterError(
                "Expected an encoding of a text file alone. Received "
                f"{encoding!r} with what is none. Leave it out."
            )
    if isinstance(table, Source):
        return table
    table = as_pandas(table)
    if isinstance(table, Table):
        return Source(table.frame, None)
    if isinstance(table, pd.DataFrame):
        return Source(table, None)
    if not isinstance(table, str | os.PathLike):
        raise TableError(
            "Expected a frame in memory or the path of a file. Received an object of "
            f"type {type(table).__name__}. Collect it, or convert it by "
            "pandas.DataFrame."
        )
    path = Path(table)
    if _check_readable(path) == ".parquet":
        return Source(_read_parquet(path), None)
    return Source(*_read_cells(path, encoding))


def read_table(
    path: str | os.PathLike,
    schema: Schema | None = None,
    *,
    encoding: str | None = None,
) -> Table:
    """Read a table and find its schema.

    Parameters
    ----------
    path : path
        A CSV file, whose separator is found out, or a Parquet file.
    schema : Schema, default=None
        What is known of its columns already.
    encoding : str, optional
        Of a CSV file, as Python names it, such as latin-1 or cp1252; by default UTF-8,
        or UTF-16 if the file begins with its mark.

    Returns
    -------
    Table
        The typed DataFrame and its complete Schema, as a tuple.

    Raises
    ------
    ParameterError
        If the name of the file does not say what it is, or an encoding is given that
        there is not, or of a Parquet file.
    TableError
        If the file cannot be read as a table, or the table cannot be modelled.
    SchemaError
        If the table does not fit the schema.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("age;sex\\n31;F\\n52;?\\n31;F\\n40;M\\n")
    ...     frame, schema = read_table(path)
    >>> schema["age"].kind, schema.delimiter, frame["sex"].isna().tolist()
    ('integer', ';', [False, True, False, False])
    """
    return as_table(open_table(Path(path), encoding), schema)


def read_as_is(path: str | os.PathLike | Source) -> pd.DataFrame:
    """Read a table whose columns are of no known kind, such as a generalised one.

    Parameters
    ----------
    path : path or Source
        As for `read_table`, or its cells.

    Returns
    -------
    DataFrame
        Columns of a text file whose present cells are all numbers, or all dates, come
        typed; the others as the texts that stand there: ``?`` and an empty cell are
        then values. Those of a Parquet file come as they are.

    Raises
    ------
    ParameterError
        If the name of the file does not say what it is.
    TableError
        If the file cannot be read as a table.
    """
    source = path if isinstance(path, Source) else open_table(Path(path))
    cells, delimiter = source
    if delimiter is None:
        return cells
    check_table(cells)
    typed = {}
    for name in cells.columns:
        series, column = parse_column(cells[name], Column(name=name))
        numbers = column.kind in ("integer", "real", "datetime")
        typed[name] = series if numbers else cells[name]
    return pd.DataFrame(typed)


def read_texts(
    path: str | os.PathLike,
    columns: Collection[str] | None = None,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    laid_out: Collection[str] = (),
) -> pd.DataFrame:
    """Read every cell of a table as a text, none in the light of another.

    Nothing is found out from the rows, neither types nor marks of missing values, nor
    the separator: two files that differ in some rows have all their other cells in
    common. This is how a table must be read whose rows are to be protected by
    differential privacy; a `Domain` says what the texts mean.

    Parameters
    ----------
    path : path
        A CSV file of any number of rows, or a Parquet file. Fields of a CSV file that
        hold a separator, a quote or the end of a line must be within double quotes,
        quotes inside doubled; empty lines are skipped where there are several columns.
    columns : collection of str, optional
        Those to read, in the order of the file; by default all.
    delimiter : str, optional
        One character that separates the fields of a CSV file; by default a comma, of
        ``.tsv`` files a tab.
    encoding : str, default="utf-8"
        Of a CSV file, as Python names it; a byte order mark is left out.
    laid_out : collection of str, default=()
        Columns that must hold texts, as `Domain.laid_out_numbers` names them.

    Returns
    -------
    DataFrame
        Columns of objects: texts as `cell_text` gives them, None where it is missing.

    Raises
    ------
    ParameterError
        If the name of the file does not say what it is, or there is no such encoding.
    TableError
        If the file cannot be read as a table, or a column asked for is not there, or
        twice, or holds numbers and must hold texts.

    Warns
    -----
    DataWarning
        If all columns are one, whose name holds what may separate several.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("age,sex\\n31,F\\n52,?\\n")
    ...     read_texts(path)["age"].tolist()
    ['31', '52']
    """
    path = Path(path)
    suffix = _check_readable(path)
    if suffix == ".parquet":
        table = _open_parquet(path)
    else:
        if delimiter is None:
            delimiter = "\t" if suffix.startswith(".tsv") else ","
        _check_text_format(delimiter, encoding)
        where = f"Expected a table with a header in {str(path)!r}."
        data = _as_utf8(_read_bytes(path), encoding, where)
        _check_quotes(data, delimiter, where, all_of_them=True)
        table = _parse_cells(data, delimiter, _header(data, delimiter), where)
    known = table.column_names
    for name in columns or ():
        if name not in known:
            between = "" if delimiter is None else f" Fields end at {delimiter!r}."
            other = _other_separator(known, delimiter)
            between += other and f" To split them elsewhere, say {other}."
            raise TableError(unknown_column(name, tuple(known)) + between)
    chosen = [i for i, n in enumerate(known) if columns is None or n in columns]
    names = [known[i] for i in chosen]
    check_names(names)
    if columns is None and (other := _other_separator(known, delimiter)):
        warnings.warn(
            f"Expected fields that end at {delimiter!r}. Received one column, "
            f"{known[0]!r}. If it is several, say {other}.",
            DataWarning,
            stacklevel=2,
        )
    for i, name in zip(chosen, names, strict=True):
        if name in laid_out:
            check_texts(name, table.column(i).type)
    texts = (cell_texts_of(table.column(i)) for i in chosen)
    # The number of rows does not depend on which columns there are.
    return pd.DataFrame(
        dict(zip(names, texts, strict=True)),
        index=pd.RangeIndex(table.num_rows),
        dtype=object,
    )


def check_texts(name: str, type_: pa.DataType) -> None:
    """Refuse a column of numbers where texts are declared: 1.234 may be laid out 1234.

    Raises
    ------
    TableError
    """
    if pa.types.is_integer(type_) or pa.types.is_floating(type_):
        raise TableError(
            f"Column {name!r}: expected texts, as its domain says how they are laid "
            f"out. Received numbers, of type {type_}. Leave out `format` in the domain."
        )


def table_suffix(path: str | os.PathLike) -> str:
    """Which of `TABLE_SUFFIXES` the name of a file ends with.

    Raises
    ------
    ParameterError
        If none.
    """
    name = Path(path).name.lower()
    for suffix in sorted(TABLE_SUFFIXES, key=len, reverse=True):
        if name.endswith(suffix):
            return suffix
    if "::" in name:
        # Not shown: the address of a base may hold a password.
        raise ParameterError(
            "Expected a table file. Received a table of a base, which this reads no "
            "rows of. Write it to a file, or a part of it."
        )
    raise ParameterError(
        "Expected the name of a table file to end with one of "
        f"{', '.join(TABLE_SUFFIXES)}. Received {str(path)!r}. Rename the file, or "
        "convert it."
    )


def _check_readable(path: Path) -> str:
    """Suffix of a table file that exists."""
    suffix = table_suffix(path)
    if not os.path.isfile(path):
        received = "a directory" if os.path.isdir(path) else "no such file"
        raise TableError(
            f"Expected a table in the file {str(path)!r}. Received {received}. "
            "Check the path."
        )
    return suffix


# --- text files -------------------------------------------------------------


def _read_cells(path: Path, encoding: str | None) -> tuple[pd.DataFrame, str]:
    """Every cell of a text file as a text, and the separator."""
    where = f"Expected a table with a header in {str(path)!r}."
    data = _read_bytes(path)
    found = "utf-16" if data.startswith(_UTF16_MARKS) else "utf-8"
    data = _as_utf8(data, encoding or found, where)
    tabs = table_suffix(path).startswith(".tsv")
    delimiter = "\t" if tabs else _sniff_delimiter(data)
    _check_quotes(data, delimiter, where)
    header = _header(data, delimiter)
    check_table(pd.DataFrame(np.empty((2, len(header))), columns=header))
    cells = _parse_cells(data, delimiter, header, where)
    _check_lengths(cells, where)
    return cells.to_pandas(), delimiter


def _as_utf8(data: bytes, encoding: str, where: str) -> bytes:
    """The content of a text file, in UTF-8 without a byte order mark."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        likely = "utf-16" if data.startswith(_UTF16_MARKS) else "latin1"
        raise TableError(
            f"{where} Received a text that is not {encoding.upper()}, on line {line}. "
            f"Convert the file, for instance by iconv -f {likely} -t utf-8, or say "
            f"its encoding (encoding={likely!r}, --encoding {likely})."
        ) from None
    text = text.removeprefix("\ufeff").lstrip("\r\n")
    if not text.strip(" \t\r\n"):
        raise TableError(f"{where} Received an empty file. Check the path.")
    if text[-1] not in "\r\n":
        text += "\n"  # a header by itself is no table without
    return text.encode("utf-8", "surrogatepass")


def _header(data: bytes, delimiter: str) -> list[str]:
    _, header = next(_records(data, delimiter))
    return header


def _parse_cells(
    data: bytes, delimiter: str, header: list[str], where: str
) -> pa.Table:
    """Every cell of a text as a text."""
    try:
        return pa.csv.read_csv(
            pa.BufferReader(data),
            read_options=pa.csv.ReadOptions(block_size=min(len(data) + 1, _MAX_BLOCK)),
            parse_options=pa.csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=True,
                # Of a single column, an empty line is a missing value.
                ignore_empty_lines=len(header) > 1,
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types={name: pa.string() for name in header},
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        for line, record in _records(data, delimiter):
            if len(record) != len(header):
                other = _other_separator(header, delimiter) or "another separator"
                other = f"say {other}, " * (len(header) == 1)
                raise TableError(
                    f"{where} Line {line} must have {len(header)} fields, as the "
                    f"header has, that end at {delimiter!r}. Received {len(record)}. "
                    f"Correct that line, {other}or quote the fields that hold a "
                    "separator."
                ) from None
        raise TableError(
            f"{where} Received a text that is none with the separator {delimiter!r} "
            f"({str(error).splitlines()[0]}). Correct the file."
        ) from None


def _other_separator(header: list[str], delimiter: str | None) -> str:
    """How to say what else the fields of a text may end at; empty if nothing may."""
    if delimiter is None or len(header) > 1:
        return ""
    held = [own for own in DELIMITERS if own in header[0] and own != delimiter]
    likely = max(held, key=header[0].count, default="")
    typed = f"${likely!r}" if likely == "\t" else f"{likely!r}"
    return likely and f"delimiter={likely!r} (--delimiter {typed})"


def _check_lengths(cells: pa.Table, where: str) -> None:
    """Refuse names and cells that are whole texts, not values of a table."""
    for name, column in zip(cells.column_names, cells.columns, strict=True):
        longest = pa.compute.max(pa.compute.utf8_length(column)).as_py() or 0
        if max(longest, len(name)) > _MAX_FIELD:
            raise TableError(
                f"{where} Received fields of more than {_MAX_FIELD:,} characters, in "
                f"column {name[:40]!r} (the longest has {max(longest, len(name)):,}). "
                "Leave such texts out, or close a quote that was left open."
            )


def _check_text_format(delimiter: str, encoding: str) -> None:
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise ParameterError(
            "Expected a delimiter of one ASCII character, neither a quote nor the end "
            f"of a line. Received {delimiter!r}. Give for instance ';'."
        )
    _check_encoding(encoding)


def _check_encoding(encoding: str) -> None:
    try:
        "".encode(encoding)
    except LookupError:
        raise ParameterError(
            f"Expected an encoding of texts. Received {encoding!r}. Give for instance "
            "utf-8, latin-1 or cp1252."
        ) from None


def _read_bytes(path: Path) -> bytes:
    try:
        if path.suffix.lower() == ".gz":
            return read_gzip(path)
        return path.read_bytes()
    except (gzip.BadGzipFile, EOFError, zlib.error):
        received = "a file that is truncated, or not compressed by gzip"
    except OSError as error:
        received = error.strerror or str(error)
    raise TableError(
        f"Expected to be able to read {str(path)!r}. Received: {received}. "
        "Check the file, or fetch it again."
    )


def _records(
    data: bytes, delimiter: str, *, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Fields of every line that has some, after the number of the line it starts."""
    file = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", "ignore", newline="")
    # The limit of the csv module is everybody's; ours are checked when they are cells.
    limit = csv.field_size_limit(2**31 - 1)
    try:
        reader = csv.reader(file, delimiter=delimiter, strict=strict)
        line = 1
        for record in reader:
            if record:
                yield line, record
            line = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


def _sniff_delimiter(data: bytes) -> str:
    """Separator that cuts most lines of the head of a file as it cuts the header."""
    best, best_score = ",", (0.0, 0)
    head = data[:_SAMPLE_SIZE]
    for delimiter in DELIMITERS:
        if delimiter.encode() not in head:
            continue
        widths = [len(r) for _, r in _records(head, delimiter)]
        if len(data) > _SAMPLE_SIZE and len(widths) > 1:
            widths.pop()  # cut short
        same = sum(width == widths[0] for width in widths) / len(widths)
        if widths[0] > 1 and (same, widths[0]) > best_score:
            best, best_score = delimiter, (same, widths[0])
    return best


def _check_quotes(
    data: bytes, delimiter: str, where: str, *, all_of_them: bool = False
) -> None:
    """Refuse a quote that is never closed: it would swallow the lines after it.

    Only an odd number of quotes tells of one for certain; of all of them, even ones
    that are closed by the quote of a later field are found.
    """
    n_quotes = data.count(b'"')
    if n_quotes == 0 or (n_quotes % 2 == 0 and not all_of_them):
        return
    line = 1
    try:
        for start, _ in _records(data, delimiter, strict=True):
            line = start
    except csv.Error:
        raise TableError(
            f"{where} Received a quote that is opened and not closed, after line "
            f"{line}. Close it, or double the quotes inside a field."
        ) from None


# --- Parquet ----------------------------------------------------------------


def _open_parquet(path: Path) -> pa.Table:
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


def _read_parquet(path: Path) -> pd.DataFrame:
    table = _open_parquet(path)
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
