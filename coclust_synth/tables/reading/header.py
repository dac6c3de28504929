"""Names of columns that are the first row: a file without a line of names.

Names are released as they are. Taken for names, the cells of the first row would tell
all of somebody.
"""

import re
import warnings
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from coclust_synth.exceptions import (
    DataWarning,
    SchemaError,
    TableError,
    no_data_warnings,
)
from coclust_synth.tables.reading.texts.odd_cells import odd_texts
from coclust_synth.tables.reading.texts.text import parse_column
from coclust_synth.tables.table import Table
from coclust_synth.tables.values.columns import examples

# Of 673 public tables nine are refused with these: none has a line of names.
_MOST, _MANY_STEPS = 2 / 3, 3
# A second line has one text in so many columns at least, and so many rows are below it.
_MANY_CELLS, _MANY_ROWS = 3, 20
_YEAR, _YEARS = re.compile(r"(18|19|20)\d\d"), (1800, 2100)


def check_header(table: Table) -> None:
    """Refuse a table whose names could be the cells of a row.

    All numbers and dates have names that read as theirs do; two thirds of the names are
    between the ends of their column, before numbers that rise from row to row, or one
    of its categories; and one at least is such a category or a date. Where none is, but
    a number, all must be so where it is whole, none beside columns of texts that mostly
    differ, and the numbers not count, as years and times do. Of such texts, and of
    marks (a column of ``yes`` or nothing), nothing else is known.

    All that are so are told at least where they are one number but 0, as pandas names a
    column, or rise by unequal steps as most rows do.

    Raises
    ------
    TableError

    Warns
    -----
    DataWarning
    """
    inside, numbers, is_told, is_whole = {}, [], False, True
    has_texts = False
    for column in table.schema.columns:
        name = column.name
        if column.kind in ("integer", "real", "datetime"):
            cell = _as_cell(column)
            if cell is None:
                return
            if not pd.isna(cell):
                inside[name] = _is_between(table.frame[name], cell)
                numbers.append(name)
                is_told |= column.kind == "datetime"
                is_whole &= name.isdecimal()
        elif 2 * table.frame[name].nunique() > table.frame[name].count():
            has_texts = True
        elif len(column.categories or ()) > 1:
            inside[name] = name in map(str, column.categories)
            is_told |= inside[name]
    if not numbers or np.mean([*inside.values()]) < _MOST:
        return
    are_all = all(inside.values()) and not has_texts
    cells = table.frame[numbers]
    may_tell = (not is_whole or are_all) and not _are_years_of(numbers, cells)
    if len(inside) > 1 and (is_told or (may_tell and not _count(numbers))):
        raise TableError(
            "Expected names of columns in the first line, as names are released, and "
            f"not cells of a row. Received {examples([*inside])}. Write a line of "
            "names above the first row; if these are names, choose others that look "
            "like no cell (y2020)."
        )
    if are_all and _go_as_rows(numbers, cells):
        warnings.warn(
            "The names of the columns may be the first row of a file without a line "
            f"of names: {examples([*inside])}. Names are released as they are: if "
            "this is somebody's row, write a line of names above it.",
            DataWarning,
            stacklevel=2,
        )


def check_second_line(table: Table) -> None:
    """Refuse a table whose first rows are more names, units or descriptions.

    Two columns or more would be of numbers or dates but for texts in their first rows
    alone, and none that is so has a value in the first one. Nor has a row below them
    the value of another column, as rows of the same sex have.

    Raises
    ------
    TableError
    """
    frame, columns = table.frame, table.schema.columns
    first = frame.iloc[0]
    if any(c.kind != "categorical" and pd.notna(first[c.name]) for c in columns):
        return
    odd = {c.name: frame[c.name].isin(odd_texts(c)).to_numpy() for c in columns}
    # How many cells are so, where these are the first ones of a column and no others.
    first_ones = {
        n: own.sum() for n, own in odd.items() if 0 < own.sum() == own.argmin()
    }
    if len(first_ones) < 2:
        return
    rows = frame.iloc[max(first_ones.values()) :]
    if not any((rows[name] == first[name]).any() for name in frame):
        told = examples([str(first[name]) for name in first_ones])
        raise TableError(
            "Expected rows of cells below the names of the columns. Received a second "
            f"line of names, units or descriptions: {told}. Remove it, or "
            "the line above it; if it is somebody's row, move it down."
        )


def warn_of_second_line(table: Table, left_out: Collection[str] = ()) -> None:
    """Warn of a first row that most columns have one text in, which no other row has.

    Questionnaires are exported so: ``Response`` stands below each question.
    """
    kept = [c.name for c in table.schema.columns if c.treatment != "drop"]
    frame = table.frame[[name for name in kept if name not in left_out]]
    first = frame.iloc[0].dropna()
    texts = first[[isinstance(cell, str) for cell in first]]
    if not len(texts) or len(frame) < _MANY_ROWS:
        return
    text = texts.mode()[0]
    below = frame.iloc[1:][texts.index[texts == text]]
    n_columns, is_below = below.shape[1], (below == text).any(axis=None)
    if n_columns >= max(_MANY_CELLS, len(first) / 2) and not is_below:
        warnings.warn(
            "Expected rows of cells below the names of the columns. Received a first "
            f"row that has {text!r} in {n_columns} columns, which no other row has. "
            "If it is a second line of names, remove it.",
            DataWarning,
            stacklevel=3,
        )


def _is_between(series, cell):
    """Whether a cell is between the ends of a column, or before those that rise."""
    try:
        is_inside = bool(series.min() <= cell <= series.max())
    except TypeError:  # dates of a time zone, or in texts: to be one is enough
        return True
    return is_inside or _goes_before(series, cell)


def _goes_before(series, cell):
    """Whether the numbers of a column rise or fall from row to row, this one too.

    It is no farther from the first of them than others are from each other.
    """
    if not pd.api.types.is_numeric_dtype(series) or series.isna().any():
        return False
    steps = np.diff([cell, *series.to_numpy(float)])
    is_sorted = len(steps) > _MANY_STEPS and abs(np.sign(steps).sum()) == len(steps)
    return bool(is_sorted and abs(steps[0]) <= np.abs(steps[1:]).max())


def _as_cell(column):
    """The name of a column as one of its values; None if it is none."""
    hint = replace(column, treatment="keep", dtype=None, bounds=None, step=None)
    try:
        with no_data_warnings():
            return parse_column(pd.Series([column.name]), hint)[0].iloc[0]
    except SchemaError:
        return None


def _count(names):
    """Whether names are numbers that rise, few of them by equal steps."""
    try:
        steps = np.diff([*map(float, names)])
    except ValueError:
        return False
    if len(steps) < _MANY_STEPS:
        return np.allclose(steps, steps[:1])
    return bool((steps > 0).all()) or np.allclose(steps, steps[0])


def _go_as_rows(names, cells):
    """Whether most rows rise and fall as names do that neither count nor are years."""
    try:
        steps = np.diff([*map(float, names)])
    except ValueError:
        return True
    if _are_years_of(names, cells) or names == ["0"]:  # which pandas gives a column
        return False
    numbers = _numbers(cells)
    if len(steps) and np.allclose(steps, 1 if len(steps) == 1 else steps[0]):
        return False
    rises = np.sign(np.diff(numbers, axis=1)) == np.sign(steps)
    return bool(rises.all(axis=1).mean() >= _MOST)


def _are_years_of(names, cells):
    """Whether names are years in order, above values that are none: totals by year.

    Each value counts once: years of which many are 0 or 9999 are still years.
    """
    if not all(map(_YEAR.fullmatch, names)):
        return False
    steps = np.sign(np.diff([*map(int, names)]))
    (low, high), values = _YEARS, np.unique(_numbers(cells))
    values = values[~np.isnan(values)]
    are_none = (values < low) | (values > high)
    are_many = are_none.sum() > (1 - _MOST) * len(values)
    return bool(are_many and abs(steps.sum()) == len(steps))


def _numbers(cells):
    return cells.apply(pd.to_numeric, errors="coerce").to_numpy(float)
