"""From a table to its schema.

`infer_schema` describes a typed table, `parse_text` types a table of texts first,
and `conform` fits a table to a schema that the user wrote or kept. Columns that look
like identifiers or free text come out undecided, see `settling`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError, TableError
from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.as_others import read_as_others
from coclust_synth.tables.reading.native import as_pandas
from coclust_synth.tables.reading.notices import (
    warn_of_blanks,
    warn_of_flat,
    warn_of_mixed_dates,
)
from coclust_synth.tables.reading.one_column import as_codes, complete_column
from coclust_synth.tables.reading.settling import with_told_codes
from coclust_synth.tables.reading.texts.text import parse_column
from coclust_synth.tables.schema import Schema, unknown_column
from coclust_synth.tables.table import Table, TableValues
from coclust_synth.tables.values.dtypes import used_categories

# Of a box to be ticked so many rows at least have it, and have it not.
_FEW = 10


def infer_schema(frame: pd.DataFrame) -> Schema:
    """Describe the columns of a typed table.

    Parameters
    ----------
    frame : DataFrame
        The table. None, NaN, NaT and NA are missing; a text such as ``?`` is not.

    Returns
    -------
    Schema
        Complete. Columns that look like identifiers, names or free text are undecided,
        if they have more than 20 present values; the reason says by which sign. A
        sample of 500 rows and more is judged as its table.

    Raises
    ------
    TableError
        If the table, or a column of it, cannot be modelled.

    Warns
    -----
    DataWarning
        If a column holds one value only, or none, or dates in several layouts.

    Examples
    --------
    >>> import pandas as pd
    >>> schema = infer_schema(pd.DataFrame({"age": [20, 35, 50]}))
    >>> schema["age"].bounds, schema["age"].step
    ((20, 50), 5)
    """
    frame = as_pandas(frame)
    check_table(frame)
    hints = _hints(tuple(frame.columns), None)
    found = _complete(frame, hints, Schema(()))
    warn_of_mixed_dates(found.schema, hints)
    return with_told_codes(found).schema


def parse_text(
    frame: pd.DataFrame,
    schema: Schema | None = None,
    *,
    delimiter: str = ",",
    left_out: Collection[str] = (),
) -> Table:
    """Find the types of a table whose cells are all texts.

    Parameters
    ----------
    frame : DataFrame of str
        Cells as they stand in a text file.
    schema : Schema, default=None
        What is known of its columns already.
    delimiter : str, default=","
        Between the fields of the file.
    left_out : collection of str, default=()
        Names of columns that nothing is made of: they are looked into all the same, but
        no warning is about them, and those that cannot be modelled come out dropped.

    Returns
    -------
    Table
        Typed, with a complete schema.

    Raises
    ------
    TableError
        If the table cannot be modelled.
    SchemaError
        If the table does not fit the schema.

    Warns
    -----
    DataWarning
        If a column holds one value only, or none; numbers or dates with blanks around
        them, which are not written back; or dates in several layouts.
    """
    check_table(frame)
    parsed = {}
    columns = []
    hints = _hints(tuple(frame.columns), schema)
    for hint in hints:
        if hint.treatment == "drop":
            # Not looked into, so that it cannot be in the way.
            parsed[hint.name], column = frame[hint.name], hint.open
        else:
            parsed[hint.name], column = parse_column(frame[hint.name], hint)
            if hint.kind is None:
                column = as_codes(parsed[hint.name], column)
        columns.append(column)
    read_as_others(frame, hints, parsed, columns, delimiter)
    warn_of_blanks(frame, columns, left_out)
    found = _complete(pd.DataFrame(parsed), columns, schema or Schema(()), left_out)
    warn_of_mixed_dates(found.schema, hints, left_out)
    return with_told_codes(found, _said(hints))


def conform(
    frame: pd.DataFrame, schema: Schema | None, *, left_out: Collection[str] = ()
) -> Table:
    """Fit a typed table to a schema, and fill what the schema leaves out.

    Parameters
    ----------
    frame : DataFrame
        The table.
    schema : Schema or None
        Of exactly its columns, in any order; None leaves all out.
    left_out : collection of str, default=()
        As of `parse_text`.

    Returns
    -------
    Table
        With a plain index, and a complete schema. Its frame has no category in a dtype
        that no row has.

    Raises
    ------
    TableError
        If the table cannot be modelled.
    SchemaError
        If the columns differ, or values do not fit.

    Warns
    -----
    DataWarning
        If a column holds one value only, or none, or dates in several layouts.
    """
    check_table(frame)
    frame = used_categories(frame.reset_index(drop=True))
    frame.attrs = {}  # notes of the table: files of pandas have those of their frame
    hints = _hints(tuple(frame.columns), schema)
    found = _complete(frame, hints, schema or Schema(()), left_out)
    warn_of_mixed_dates(found.schema, hints, left_out)
    return with_told_codes(found, _said(hints))


class CountedColumn(NamedTuple):
    """The different cells of a column, and how many rows have each.

    Attributes
    ----------
    cells : Series
        Of the type that the column has; a missing one is there at most once.
    rows : ndarray of int64, shape (m,)
    """

    cells: pd.Series
    rows: np.ndarray


def conform_counted(
    columns: Mapping[str, CountedColumn], schema: Schema | None = None
) -> Schema:
    """Describe a table of which only counts of cells are known; see `conform`.

    Parameters
    ----------
    columns : mapping of column name to CountedColumn
        All columns of the table, in their order.
    schema : Schema, optional
        What is known of them already.

    Returns
    -------
    Schema
        That of the table itself.

    Raises
    ------
    TableError
        If the table cannot be modelled.
    SchemaError
        If the columns differ, or values do not fit.

    Warns
    -----
    DataWarning
        If a column holds one value only, or none, or dates in several layouts.

    Examples
    --------
    >>> ages = CountedColumn(pd.Series([20, 35, 50]), np.array([7, 1, 4]))
    >>> conform_counted({"age": ages})["age"].bounds
    (20, 50)
    """
    n_rows = min((int(own.rows.sum()) for own in columns.values()), default=0)
    check_table(pd.DataFrame(index=range(min(n_rows, 2)), columns=list(columns)))
    complete, flat = [], []
    for hint in _hints(tuple(columns), schema):
        cells, rows = columns[hint.name]
        table = TableValues(cells.to_frame(hint.name))
        complete.append(complete_column(cells, hint, table, rows))
        if hint.treatment != "drop" and _is_flat(cells, rows):
            flat.append(hint.name)
    warn_of_flat(flat, stacklevel=3)
    found = replace(schema or Schema(()), columns=tuple(complete))
    warn_of_mixed_dates(found, _hints(tuple(columns), schema))
    return found


def check_table(frame: pd.DataFrame, path: str | None = None) -> None:
    """Refuse a table without columns, with fewer than two rows, or unclear names.

    Of a file the message names its `path`.

    Raises
    ------
    TableError
        Saying what is wrong.
    """
    where = "" if path is None else f" in {path!r}"
    expected = f"Expected a table of at least one column and two rows{where}. Received "
    if frame.shape[1] == 0:
        raise TableError(f"{expected}no column. Give a table that has some.")
    check_names(frame.columns)
    if len(frame) < 2:
        rows = ("no row", "one row")[len(frame)]
        raise TableError(f"{expected}{rows}. Give a table that has more.")


def check_names(names: Iterable) -> None:
    """Refuse names of columns that are no texts, hold a NUL, or are not different.

    Columns that a generator adds to those of a table have names with a NUL.

    Raises
    ------
    TableError
    """
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for name in names:
        if not isinstance(name, str):
            raise TableError(
                f"Expected column names that are texts. Received {name!r}. "
                "Rename them, for instance by frame.columns = frame.columns.map(str)."
            )
        if "\0" in name:
            raise TableError(
                f"Expected column names without the character NUL. Received {name!r}. "
                "Rename the column."
            )
        if name in seen:
            twice[name] = None
        seen.add(name)
    if twice:
        raise TableError(
            "Expected column names that are different. Received more than one "
            f"{', '.join(map(repr, twice))}. Rename the columns, remove what stands "
            "above their names, or write a line of names as the first one."
        )


def _hints(names: tuple[str, ...], schema: Schema | None) -> list[Column]:
    """Column of the schema for each column of the table."""
    if schema is None:
        return [Column(name=name, treatment="undecided") for name in names]
    for name in schema.names:
        if name not in names:
            raise SchemaError(unknown_column(name, names, "the table"))
    left = [name for name in names if name not in schema.names]
    if left:
        raise SchemaError(
            "Expected a schema that describes every column of the table. "
            f"Received a table that also has {', '.join(map(repr, left))}. "
            "Add them to the schema, or remove them from the table."
        )
    return [schema[name] for name in names]


def _complete(
    frame: pd.DataFrame,
    hints: list[Column],
    given: Schema,
    left_out: Collection[str] = (),
) -> Table:
    table, columns, flat = Table(frame, given), [], []
    for hint in hints:
        series = frame[hint.name]
        is_used = hint.treatment != "drop" and hint.name not in left_out
        try:
            column = complete_column(series, hint, table.values)
        except TableError:
            if is_used:
                raise
            column = replace(hint, treatment="drop")
        columns.append(column)
        if is_used and _is_flat(series):
            flat.append(hint.name)
    warn_of_flat(flat, stacklevel=4)
    return table.with_schema(replace(given, columns=tuple(columns)))


def _said(hints: list[Column]) -> set[str]:
    """Columns of which a schema says what they are."""
    return {hint.name for hint in hints if hint.kind is not None}


def _is_flat(cells: pd.Series, rows: np.ndarray | None = None) -> bool:
    """Whether a column has one value, or none, and is no box that some have ticked.

    Where cells are counted, `rows` are those of each.
    """
    if cells.nunique() > 1:
        return False
    is_there = cells.notna().to_numpy()
    n_there, n_lack = np.bincount(~is_there, weights=rows, minlength=2)
    return bool(min(n_there, n_lack) < _FEW)
