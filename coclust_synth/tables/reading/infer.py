"""From a table to its schema.

`infer_schema` describes a typed table, `parse_text` types a table of texts first,
and `conform` fits a table to a schema that the user wrote or kept. Columns that look
like identifiers or free text come out undecided; `require_decided` refuses them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from coclust_synth.exceptions import DataWarning, SchemaError, TableError
from coclust_synth.tables.clock import NUMBER_LAYOUTS
from coclust_synth.tables.draws.rulers import make_ruler
from coclust_synth.tables.reading.as_others import read_as_others
from coclust_synth.tables.reading.native import as_pandas
from coclust_synth.tables.reading.texts.identifiers import (
    MIN_PRESENT,
    NAMED,
    OF_SEVERAL_ROWS,
    doubt_about,
    is_called_code,
)
from coclust_synth.tables.reading.texts.odd_cells import odd_texts
from coclust_synth.tables.reading.texts.patterns import PATTERN, are_in_patterns
from coclust_synth.tables.reading.texts.text import (
    MAX_DECIMALS,
    parse_column,
)
from coclust_synth.tables.reading.texts.told_codes import tells_codes
from coclust_synth.tables.schema import (
    LISTED_KINDS,
    Column,
    Schema,
    unknown_column,
)
from coclust_synth.tables.table import Table, TableValues
from coclust_synth.tables.values.columns import (
    bounds_of,
    date_layout,
    exact_unit,
    list_categories,
    shown,
)
from coclust_synth.tables.values.dtypes import (
    TEXT_DTYPE,
    describe,
    split_dtype,
)
from coclust_synth.tables.values.numbers import are_near

# Two numbers that say yes or no, or which of two: categories, of the type they have.
_CODES = ({0, 1}, {1, 2})


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
        If a column holds one value only, or none.

    Examples
    --------
    >>> import pandas as pd
    >>> schema = infer_schema(pd.DataFrame({"age": [20, 35, 50]}))
    >>> schema["age"].bounds, schema["age"].step
    ((20, 50), 5)
    """
    frame = as_pandas(frame)
    check_table(frame)
    hints = _hints(frame, None)
    return with_told_codes(_complete(frame, hints, Schema(()))).schema


def parse_text(
    frame: pd.DataFrame, schema: Schema | None = None, *, delimiter: str = ","
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
        If a column holds one value only, or none.
    """
    check_table(frame)
    parsed = {}
    columns = []
    hints = _hints(frame, schema)
    for hint in hints:
        if hint.treatment == "drop":
            # Not looked into, so that it cannot be in the way.
            parsed[hint.name], column = frame[hint.name], hint.open
        else:
            parsed[hint.name], column = parse_column(frame[hint.name], hint)
            if hint.kind is None:
                column = _as_codes(parsed[hint.name], column)
        columns.append(column)
    read_as_others(frame, hints, parsed, columns, delimiter)
    found = _complete(pd.DataFrame(parsed), columns, schema or Schema(()))
    return with_told_codes(found, _said(hints))


def conform(frame: pd.DataFrame, schema: Schema | None) -> Table:
    """Fit a typed table to a schema, and fill what the schema leaves out.

    Parameters
    ----------
    frame : DataFrame
        The table.
    schema : Schema or None
        Of exactly its columns, in any order; None leaves all out.

    Returns
    -------
    Table
        With a plain index, and a complete schema.

    Raises
    ------
    TableError
        If the table cannot be modelled.
    SchemaError
        If the columns differ, or values do not fit.

    Warns
    -----
    DataWarning
        If a column holds one value only, or none.
    """
    check_table(frame)
    frame = frame.reset_index(drop=True)
    hints = _hints(frame, schema)
    found = _complete(frame, hints, schema or Schema(()))
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
        If a column holds one value only, or none.

    Examples
    --------
    >>> ages = CountedColumn(pd.Series([20, 35, 50]), np.array([7, 1, 4]))
    >>> conform_counted({"age": ages})["age"].bounds
    (20, 50)
    """
    n_rows = min((int(own.rows.sum()) for own in columns.values()), default=0)
    check_table(pd.DataFrame(index=range(min(n_rows, 2)), columns=list(columns)))
    complete, flat = [], []
    for hint in _hints_of(tuple(columns), schema):
        cells, rows = columns[hint.name]
        table = TableValues(cells.to_frame(hint.name))
        complete.append(_complete_column(cells, hint, table, rows))
        if hint.treatment != "drop" and cells.count() < 2:
            flat.append(hint.name)
    _warn_of_flat(flat, stacklevel=3)
    return replace(schema or Schema(()), columns=tuple(complete))


def check_table(frame: pd.DataFrame) -> None:
    """Refuse a table without columns, with fewer than two rows, or unclear names.

    Raises
    ------
    TableError
        Saying what is wrong.
    """
    expected = "Expected a table of at least one column and two rows. Received "
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
                "Rename the columns, for instance by frame.columns.astype(str)."
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
            f"{', '.join(map(repr, twice))}. Rename the columns."
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
        _complete_column(table.frame[own.name], own, table.values)
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
    each = next((c.name for c in identifiers if OF_SEVERAL_ROWS not in c.reason), None)
    if several is not None:
        ways += [
            f"--person-id {several!r} (if it tells which rows are one person's or "
            "household's)",
            f"in `synth` beside --person-id --key {several!r} (if it tells which rows "
            "of one person belong together, as those of a stay)",
        ]
        calls += [f"person_id={several!r}", f"schema.as_key({several!r})"]
    if each is not None:
        ways.append(f"in `synth` --key {each!r} (to make it anew, if all rows differ)")
        calls += [f"schema.as_key({each!r})"] if several is None else []
    raise SchemaError(
        f"Expected a decision about every column. Received undecided: {reasons}. On "
        f"the command line say {' or '.join(ways)}; in a schema file treatment = "
        f'"drop" or "keep"; in Python {" or ".join(calls)}.'
    )


# --- one column -------------------------------------------------------------


def _hints(frame: pd.DataFrame, schema: Schema | None) -> list[Column]:
    """Column of the schema for each column of the table."""
    return _hints_of(tuple(frame.columns), schema)


def _hints_of(names: tuple[str, ...], schema: Schema | None) -> list[Column]:
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


def _complete(frame: pd.DataFrame, hints: list[Column], given: Schema) -> Table:
    table, columns, flat = Table(frame, given), [], []
    for hint in hints:
        series = frame[hint.name]
        columns.append(_complete_column(series, hint, table.values))
        if hint.treatment != "drop" and series.nunique() < 2:
            flat.append(hint.name)
    _warn_of_flat(flat, stacklevel=4)
    return table.with_schema(replace(given, columns=tuple(columns)))


def _warn_of_flat(names: list[str], *, stacklevel: int) -> None:
    if names:
        warnings.warn(
            "Expected columns of at least two values. Received one value, or none, in "
            f"{', '.join(map(repr, names))}. They are kept; drop them if they are of "
            "no use.",
            DataWarning,
            stacklevel=stacklevel,
        )


def _complete_column(
    series: pd.Series, hint: Column, table: TableValues, rows: np.ndarray | None = None
) -> Column:
    """What is to be known of a column; `rows` have each of its cells, or one has."""
    if hint.treatment == "drop":
        return hint.open
    kind, dtype = describe(series)
    if hint.kind is None and hint.categories is not None:
        kind = "categorical"
    elif hint.kind is None and hint.format in NUMBER_LAYOUTS:
        kind, hint = "datetime", replace(hint, kind="datetime")
    column = replace(
        hint,
        kind=hint.kind or kind,
        dtype=hint.dtype or dtype,
        missing=hint.missing or (),
    )
    if hint.kind is None:
        column = _as_codes(series, column, rows)
        if _may_be_dates(column, hint):
            layout = date_layout(series, hint.format)
            if layout is not None:
                column = replace(column, kind="datetime", format=layout)
    if column.kind in LISTED_KINDS and column.categories is None:
        column = replace(column, categories=_categories(series, column))
        if hint.kind is None and _are_in_patterns(column):
            column = replace(column, format=PATTERN)
    if column.kind == "datetime" and column.unit is None:
        column = replace(column, unit=_unit(series, column))
    values, missing = table.read(column)
    values = values[~missing]
    rows = None if rows is None else rows[~missing]
    if column.kind not in LISTED_KINDS:
        if column.bounds is None:
            column = replace(column, bounds=bounds_of(values, column))
        if column.step is None:
            column = replace(column, step=_step(values, column))
        else:
            _check_step(values, column, rows)
    if column.treatment == "undecided" and (not column.reason or column.role in NAMED):
        return _judge(values, column, rows)
    return column


def _may_be_dates(column: Column, hint: Column) -> bool:
    """Whether texts or whole numbers may be dates, where nothing else is said."""
    if hint.dtype is not None or hint.categories is not None:
        return False
    if column.kind == "categorical":
        return True
    is_described = hint.bounds is not None or hint.step is not None
    is_number = column.kind in ("integer", "real") and not is_described
    return is_number and not is_called_code(column.name)


def _are_in_patterns(column: Column) -> bool:
    """Whether texts of which nothing is said are numbers in patterns."""
    is_text = column.kind == "categorical" and column.dtype == TEXT_DTYPE
    return is_text and are_in_patterns(column.categories)


def _as_codes(
    series: pd.Series, column: Column, rows: np.ndarray | None = None
) -> Column:
    """A column of two numbers that are codes of categories, or as it is."""
    described = column.bounds is not None or column.step is not None
    if column.kind not in ("integer", "real") or described:
        return column
    is_present = series.notna().to_numpy(dtype=bool)
    n_present = is_present.sum() if rows is None else rows[is_present].sum()
    if n_present < MIN_PRESENT or split_dtype(column.dtype)[0] == "object":
        return column
    codes = set(series.dropna().unique().tolist())
    return replace(column, kind="categorical") if codes in _CODES else column


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


def _categories(series: pd.Series, column: Column) -> tuple:
    if column.kind == "boolean":
        if describe(series)[0] == "boolean" or series.isna().all():
            return False, True
        raise SchemaError(
            f"Column {column.name!r}: expected the two `categories` of a boolean that "
            "does not hold true and false, the false one first. Received none. Give "
            "them in the schema."
        )
    categories = list_categories(series)
    ordered = getattr(series.dtype, "ordered", False)
    if column.kind == "ordinal" and not ordered:
        if any(isinstance(category, str) for category in categories):
            raise SchemaError(
                f"Column {column.name!r}: expected the `categories` of an ordinal "
                "column of texts, in order. Received none. List them in the schema."
            )
    return categories


def _unit(series: pd.Series, column: Column) -> str:
    kind = describe(series)[0]
    is_laid_out = kind == "categorical" or column.format in NUMBER_LAYOUTS
    if kind == "datetime" or (column.format and is_laid_out):
        return exact_unit(series, column)
    return "D"  # to_values says what is wrong, if anything


def _step(values: np.ndarray, column: Column) -> int | float | None:
    """Largest step of which every value is a multiple, but for what doubles lose."""
    if column.kind != "real":
        return int(np.gcd.reduce(values)) or 1 if len(values) else None
    values = np.unique(values)
    for decimals in range(MAX_DECIMALS + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            rounded = np.round(values, decimals)
        if _are_written_so(values, rounded, column).all() and len(values):
            return float(f"1e-{decimals}")
    return None


def _are_written_so(
    values: np.ndarray, rounded: np.ndarray, column: Column
) -> np.ndarray:
    """Whether values are rounded ones, but for what doubles lose."""
    # A float32 is compared as such: its double has more decimals than it was given.
    single = "32" in column.dtype or column.dtype.startswith("float[")
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = rounded.astype(np.float32 if single else np.float64)
        return are_near(values, rounded) | (rounded == values)


def _check_step(values: np.ndarray, column: Column, rows: np.ndarray | None) -> None:
    """Refuse values that are no multiples of the step that a schema says."""
    # Where doubles have no digits that could tell, any number is one.
    largest = np.abs(values).max(initial=0)
    ruler = make_ruler(column.kind, column.step, largest, column.unit)
    on_step = ruler.snap(values)
    off = values != on_step
    if column.kind == "real":
        off &= ~_are_written_so(values, on_step, column)
    if off.any():
        n_rows = off.sum() if rows is None else rows[off].sum()
        raise SchemaError(
            f"Column {column.name!r}: expected multiples of the step {column.step}"
            f"{_counted_from(column)}. Received {shown(values[off], column)} ({n_rows} "
            "rows). Correct `step` in the schema, or change them in the table."
        )


def _counted_from(column: Column) -> str:
    """Where the multiples of the step of dates begin, for a message."""
    if column.kind != "datetime":
        return ""
    start = "midnight" if column.is_time else "1970-01-01"
    return f" (in {column.unit}, from {start} on)"


def _judge(values: np.ndarray, column: Column, rows: np.ndarray | None) -> Column:
    """Keep a column, or leave it undecided with the reason."""
    doubt = doubt_about(values, column, rows)
    if doubt is None:
        return replace(column, treatment="keep")
    role = doubt.role if column.role == "other" else column.role
    reason, n_odd = doubt.reason, len(odd_texts(column))
    if column.format == PATTERN and rows is None:
        if doubt_about(values, column, is_drawn=True) is None:
            reason += ", in patterns whose numbers `fit` and `synth` draw anyway"
    if n_odd:
        # Not which: a reason is written where values are not.
        reason += f", numbers or dates but for {n_odd}, which `inspect` names"
    return replace(column, treatment="undecided", role=role, reason=reason)
