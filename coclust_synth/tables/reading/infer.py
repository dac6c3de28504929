"""From a table to its schema.

`infer_schema` describes a typed table, `parse_text` types a table of texts first,
and `conform` fits a table to a schema that the user wrote or kept. Columns that look
like identifiers or free text come out undecided; `require_decided` refuses them.
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
from coclust_synth.tables.reading.texts.codes import tells_codes
from coclust_synth.tables.reading.texts.identifiers import (
    OF_SEVERAL_ROWS,
    can_be_key,
    doubt_about,
    is_called_code,
)
from coclust_synth.tables.reading.texts.patterns import PATTERN
from coclust_synth.tables.reading.texts.text import parse_column
from coclust_synth.tables.schema import Schema, unknown_column
from coclust_synth.tables.table import Table, TableValues
from coclust_synth.tables.values.dtypes import used_categories


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
        if hint.treatment != "drop" and cells.count() < 2:
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


def settle(table: Table, role: str, *names: str) -> Table:
    """Keep undecided columns that are named as those of a role, where that settles it.

    Parameters
    ----------
    table : Table
    role : {"quasi-identifier", "sensitive"}
    *names : str
        Columns of the table. Those that nobody doubts, or that even so look like
        numbers or names of persons or free text (see `doubt_about`), stay as they are.

    Returns
    -------
    Table
    """
    settled = [
        name
        for name in names
        if table.schema[name].treatment == "undecided"
        and _is_settled(table, name, role)
    ]
    return table.keep(*settled)


def settle_patterns(table: Table) -> Table:
    """Keep undecided columns of measures in patterns, for draws of their numbers.

    Parameters
    ----------
    table : Table
        Those that even so look like identifiers, names, places or free text (see
        `doubt_about`) stay undecided.

    Returns
    -------
    Table
    """
    settled = [
        column.name
        for column in table.schema.columns
        if (column.treatment, column.format) == ("undecided", PATTERN)
        and _is_drawn_well(table, column)
    ]
    return table.keep(*settled) if settled else table


def _is_drawn_well(table: Table, column: Column) -> bool:
    """Whether nobody doubts a column in patterns whose numbers are drawn."""
    values, missing = table.values.read(column)
    return doubt_about(values[~missing], column, is_drawn=True) is None


def as_categorical(table: Table, *names: str) -> Table:
    """Take columns of numbers for codes, see `Schema.as_categorical`, and list these.

    Parameters
    ----------
    table : Table
    *names : str
        Columns of the table.

    Returns
    -------
    Table

    Raises
    ------
    SchemaError
        If there is no such column, or it has no numbers.
    """
    schema = table.schema.as_categorical(*names)
    columns = [
        complete_column(table.frame[own.name], own, table.values)
        if own.name in names
        else own
        for own in schema.columns
    ]
    return table.with_schema(replace(schema, columns=tuple(columns)))


def with_told_codes(table: Table, said: Iterable[str] = ()) -> Table:
    """Take for codes the numbers that are called so and that texts tell.

    By texts that are kept and have no role: names of persons tell what stays with one.

    Parameters
    ----------
    table : Table
    said : iterable of str
        Columns of which it is said what they are: they stay as they are.

    Returns
    -------
    Table
    """
    columns = table.schema.columns
    called = [own for own in columns if own.name not in said and _may_be_codes(own)]
    if not called:
        return table
    texts = [
        table.values.codes(column)
        for column in columns
        if column.kind == "categorical"
        and (column.treatment, column.role) == ("keep", "other")
        and isinstance(next(iter(column.categories or ()), None), str)
    ]
    codes = [column.name for column in called if _are_told(table, column, texts)]
    return as_categorical(table, *codes) if codes else table


def _is_settled(table: Table, name: str, role: str) -> bool:
    column = replace(table.schema[name], role=role)
    values, missing = table.values.read(column)
    return doubt_about(values[~missing], column) is None


def require_decided(schema: Schema) -> None:
    """Refuse a schema with columns that the user must keep or drop.

    Raises
    ------
    SchemaError
        Naming each such column, why, and how to decide.
    """
    columns = [c for c in schema.columns if c.treatment == "undecided"]
    if not columns:
        return
    reasons = "; ".join(f"{c.name!r} ({c.reason or 'not settled'})" for c in columns)
    first = columns[0].name
    ways = [f"--drop {first!r}", f"--keep {first!r}"]
    calls = [f"schema.drop({first!r})", f"schema.keep({first!r})"]
    identifiers = [c for c in columns if c.role == "identifier"]
    several = next((c.name for c in identifiers if OF_SEVERAL_ROWS in c.reason), None)
    each = next((c.name for c in columns if can_be_key(c)), None)
    if several is not None:
        ways += [
            f"--person-id {several!r} (if it tells which rows are one person's or "
            "household's)",
            f"in `synth` beside --person-id --key {several!r} (if it tells which rows "
            "of one person belong together, as those of a stay)",
        ]
        calls += [f"person_id={several!r}", f"schema.as_key({several!r})"]
    if each is not None:
        ways.append(f"in `synth` --key {each!r} (to make it anew)")
        calls += [f"schema.as_key({each!r})"] if several is None else []
    all_of_them = ",".join(column.name for column in columns)
    at_once = f" To leave out all of them: --drop {all_of_them!r}." * (len(columns) > 1)
    raise SchemaError(
        f"Expected a decision about every column. Received undecided: {reasons}. On "
        f"the command line say {' or '.join(ways)}; in a schema file treatment = "
        f'"drop" or "keep"; in Python {" or ".join(calls)}.{at_once}'
    )


# --- all columns ------------------------------------------------------------


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
        if is_used and series.nunique() < 2:
            flat.append(hint.name)
    warn_of_flat(flat, stacklevel=4)
    return table.with_schema(replace(given, columns=tuple(columns)))


def _said(hints: list[Column]) -> set[str]:
    """Columns of which a schema says what they are."""
    return {hint.name for hint in hints if hint.kind is not None}


def _may_be_codes(column: Column) -> bool:
    """Whether a column has plain whole numbers, and the name of one of codes."""
    return (
        column.kind in ("integer", "real")
        and column.treatment != "drop"
        and column.format is None
        and (column.step or 0) >= 1
        and is_called_code(column.name)
    )


def _are_told(table: Table, column: Column, texts: list[np.ndarray]) -> bool:
    numbers, missing = table.values.read(column)
    found = np.unique(numbers[~missing], return_inverse=True)[1]
    return len(found) > 0 and any(tells_codes(own[~missing], found) for own in texts)
