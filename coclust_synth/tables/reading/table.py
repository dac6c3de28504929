"""Tables that are read, from frames or files.

A table is read and its schema completed once, by `as_table`, into a `Table` that is
handed on. Files are known by their name: ``.csv``, ``.tsv`` or ``.txt``, each also with
``.gz``, and ``.parquet``.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa

from coclust_synth.exceptions import (
    DataWarning,
    ParameterError,
    SchemaError,
    TableError,
)
from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.header import (
    check_header,
    check_second_line,
    warn_of_second_line,
)
from coclust_synth.tables.reading.infer import (
    check_names,
    check_table,
    conform,
    parse_text,
)
from coclust_synth.tables.reading.native import FrameLike, as_pandas
from coclust_synth.tables.reading.parquet import (
    cell_texts_of,
    open_parquet,
    read_parquet,
)
from coclust_synth.tables.reading.text_files import (
    check_encoding,
    other_separator,
    read_declared_cells,
    read_found_cells,
)
from coclust_synth.tables.reading.texts.text import parse_column
from coclust_synth.tables.schema import Schema, unknown_column
from coclust_synth.tables.table import Table

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
TABLE_SUFFIXES = (*TEXT_SUFFIXES, ".parquet")


class Source(NamedTuple):
    """A table of which only the cells were read.

    Attributes
    ----------
    frame : DataFrame
        Typed, or all texts.
    delimiter : str or None
        Between the fields of a text file; None of what is typed.
    path : str, optional
        Of a file.
    """

    frame: pd.DataFrame
    delimiter: str | None
    path: str | None = None

    def complete(
        self, schema: Schema | None = None, *, left_out: Collection[str] = ()
    ) -> Table:
        """The table, typed and with all that is to be known of its columns.

        Columns that are `left_out` are in no warning, and in the way of nothing.

        Raises
        ------
        TableError
            If the table cannot be modelled.
        SchemaError
            If the table does not fit the schema.
        """
        check_table(self.frame, self.path)
        if self.delimiter is None:
            table = conform(self.frame, schema, left_out=left_out)
        else:
            table = parse_text(
                self.frame, schema, delimiter=self.delimiter, left_out=left_out
            )
            table = table.with_schema(replace(table.schema, delimiter=self.delimiter))
        check_header(table)
        check_second_line(table)
        warn_of_second_line(table, left_out)
        return table

    def without_empty_rows(self) -> Source:
        """The rows but those that hold nothing, as spreadsheets leave them.

        Of texts of several columns alone, one of which is empty in no other row: where
        every column is, a row that holds nothing may be one of somebody.

        Warns
        -----
        DataWarning
            If there are any.
        """
        if self.delimiter is None or self.frame.shape[1] == 1:
            return self
        columns = [self.frame[name].to_numpy() for name in self.frame.columns]
        empty = np.arange(len(self.frame))
        for cells in columns:
            empty = empty[_are_blank(cells[empty])]
        n_empty = len(empty)
        if not 0 < n_empty < len(self.frame) or not any(
            np.count_nonzero(_are_blank(cells)) == n_empty for cells in columns
        ):
            return self
        one = n_empty == 1
        rows = f"{n_empty:,} row{'' if one else 's'} of empty cells alone"
        warnings.warn(
            f"Expected rows that hold something. Received {rows}, as spreadsheets "
            f"leave them. {'It is' if one else 'They are'} left out; if one is "
            "somebody's row, write NA in it.",
            DataWarning,
            stacklevel=3,
        )
        kept = np.delete(np.arange(len(self.frame)), empty)
        return self._replace(frame=self.frame.iloc[kept].reset_index(drop=True))


def _are_blank(cells: np.ndarray) -> np.ndarray:
    """Which texts are nothing, or nothing but blanks."""
    return np.array([not cell or cell.isspace() for cell in cells], dtype=bool)


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

    Warns
    -----
    DataWarning
        If rows are left out, as of `Source.without_empty_rows`.
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
    return open_table(table).without_empty_rows().complete(schema)


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
        check_encoding(encoding)
        if (
            not isinstance(table, str | os.PathLike)
            or table_suffix(table) == ".parquet"
        ):
            raise ParameterError(
                f"Expected an encoding for a text file alone. Received {encoding!r} "
                "for a table that is none. Leave it out."
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
    suffix = _check_readable(path)
    if suffix == ".parquet":
        return Source(read_parquet(path), None, str(path))
    delimiter = "\t" if suffix.startswith(".tsv") else None
    return Source(*read_found_cells(path, encoding, delimiter), str(path))


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
    cells = source.frame
    if source.delimiter is None:
        return cells
    check_table(cells, source.path)
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
        table = open_parquet(path)
    else:
        if delimiter is None:
            delimiter = "\t" if suffix.startswith(".tsv") else ","
        table = read_declared_cells(path, encoding, delimiter)
    known = table.column_names
    for name in columns or ():
        if name not in known:
            between = "" if delimiter is None else f" Fields end at {delimiter!r}."
            other = other_separator(known, delimiter)
            between += other and f" To split them elsewhere, say {other}."
            raise TableError(unknown_column(name, tuple(known)) + between)
    chosen = [i for i, n in enumerate(known) if columns is None or n in columns]
    names = [known[i] for i in chosen]
    check_names(names)
    if columns is None and (other := other_separator(known, delimiter)):
        warnings.warn(
            f"Expected fields that end at {delimiter!r}. Received one column, "
            f"{known[0]!r}. If these are several columns, say {other}.",
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
            "Expected a table file. Received a table of a base, whose rows are not "
            "read here. Write the table, or a part of it, to a file."
        )
    raise ParameterError(
        "Expected the name of a table file to end with one of "
        f"{', '.join(TABLE_SUFFIXES)}. Received {str(path)!r}. Rename the file, or "
        "convert it: save the sheet of a spreadsheet as CSV."
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
