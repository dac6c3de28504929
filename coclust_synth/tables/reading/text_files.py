"""Text files as tables of texts: encoding, separator, quotes and cells."""

from __future__ import annotations

import codecs
import csv
import functools
import gzip
import io
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

from coclust_synth.exceptions import DataWarning, ParameterError, TableError
from coclust_synth.tables.files import read_gzip
from coclust_synth.tables.reading.infer import check_table

_DELIMITERS = (",", ";", "\t", "|")

_UTF16_MARKS = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE  # as spreadsheets save texts
_NO_TEXTS = {  # by what they begin with: what they are, and what to do
    b"PK\x03\x04": ("a spreadsheet or an archive", "Save a sheet as CSV, or unpack it"),
    b"\xd0\xcf\x11\xe0": ("an old spreadsheet", "Save a sheet as CSV"),
    b"PAR1\x15": ("a Parquet file", "Name it .parquet"),
    b"\x1f\x8b": ("a file compressed by gzip", "Add .gz to its name"),
}
_SAMPLE_SIZE = 65536
_MAX_FIELD = 131_072  # characters, as of Python's csv and other readers
_MAX_BLOCK = 2**31 - 1  # pyarrow holds the size of a block in 32 bits


def read_found_cells(
    path: Path, encoding: str | None, delimiter: str | None
) -> tuple[pd.DataFrame, str]:
    """Every cell of a text file as a text, and the separator.

    Parameters
    ----------
    path : Path
    encoding : str or None
        By default what the file begins with says.
    delimiter : str or None
        By default it is found out.

    Raises
    ------
    TableError

    Warns
    -----
    DataWarning
        If rows have the names of the columns again; they are left out.
    """
    where = f"Expected a table with a header in {str(path)!r}."
    data = _read_bytes(path)
    found = "utf-16" if data.startswith(_UTF16_MARKS) else "utf-8"
    data = _as_utf8(data, encoding or found, where)
    delimiter = delimiter or _sniff_delimiter(data)
    _check_quotes(data, delimiter, where)
    header = _header(data, delimiter)
    check_table(pd.DataFrame(np.empty((2, len(header))), columns=header))
    cells = _parse_cells(data, delimiter, header, where)
    _check_lengths(cells, where)
    return _without_names_again(cells).to_pandas(), delimiter


def read_declared_cells(path: Path, encoding: str, delimiter: str) -> pa.Table:
    """Every cell of a text file as a text, where nothing is found out.

    Raises
    ------
    ParameterError
        If there is no such encoding, or delimiter.
    TableError
    """
    _check_text_format(delimiter, encoding)
    where = f"Expected a table with a header in {str(path)!r}."
    data = _as_utf8(_read_bytes(path), encoding, where)
    _check_quotes(data, delimiter, where, all_of_them=True)
    return _parse_cells(data, delimiter, _header(data, delimiter), where)


def other_separator(header: list[str], delimiter: str | None) -> str:
    """How to say what else the fields of a text may end at; empty if nothing may."""
    if delimiter is None or len(header) > 1:
        return ""
    held = [own for own in _DELIMITERS if own in header[0] and own != delimiter]
    likely = max(held, key=header[0].count, default="")
    typed = f"${likely!r}" if likely == "\t" else f"{likely!r}"
    return likely and f"delimiter={likely!r} (--delimiter {typed})"


def _as_utf8(data: bytes, encoding: str, where: str) -> bytes:
    """The content of a text file, in UTF-8 without a byte order mark."""
    for start, (received, advice) in _NO_TEXTS.items():
        if data.startswith(start):  # which some encodings read as texts
            raise TableError(f"{where} Received {received}. {advice}.")
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
            pa.BufferReader(_in_arrow(data)),
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
        for i, (line, record) in enumerate(_records(data, delimiter)):
            if len(record) != len(header):
                other = other_separator(header, delimiter)
                way = f"say {other}, " if other else ""
                if i == 1 and not other:
                    way = "remove what stands above the names of the columns, "
                raise TableError(
                    f"{where} Line {line} must have {len(header)} fields, as the "
                    f"header has, that end at {delimiter!r}. Received {len(record)}. "
                    f"Correct that line, {way}or quote the fields that hold a "
                    "separator."
                ) from None
        raise TableError(
            f"{where} Received a text that cannot be read with the separator "
            f"{delimiter!r} ({str(error).splitlines()[0]}). Correct the file."
        ) from None


def _in_arrow(data: bytes) -> pa.Buffer:
    """A copy in memory that is Arrow's.

    A thread of Arrow's may let go of it last, when the program already ends: were it an
    object of Python, which to free takes the interpreter, that thread would crash.
    """
    buffer = pa.allocate_buffer(len(data))
    with pa.FixedSizeBufferWriter(buffer) as writer:
        writer.write(data)
    return buffer


def _without_names_again(cells: pa.Table) -> pa.Table:
    """The rows but those of the names of the columns, as of files put together.

    A row whose cells stand elsewhere in their columns may be one of somebody.
    """
    if cells.num_columns == 1:
        return cells
    named = [
        pa.compute.equal(column, name)
        for name, column in zip(cells.column_names, cells.columns, strict=True)
    ]
    again = functools.reduce(pa.compute.and_, named)
    n_again = pa.compute.sum(again).as_py()
    if not n_again or any(pa.compute.sum(each).as_py() > n_again for each in named):
        return cells
    rows = "1 row. It is" if n_again == 1 else f"{n_again:,} rows. They are"
    warnings.warn(
        "Expected the names of the columns in the first line alone. Received them "
        f"again in {rows} left out, as they come from files that were put together.",
        DataWarning,
        stacklevel=4,
    )
    return cells.filter(pa.compute.invert(again))


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
    check_encoding(encoding)


def check_encoding(encoding: str) -> None:
    """Refuse an encoding that there is not.

    Raises
    ------
    ParameterError
    """
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
    for delimiter in _DELIMITERS:
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
