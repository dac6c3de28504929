"""Names of columns that are the first row: a file without a line of names.

Names are released as they are. Taken for names, the cells of the first row would tell
all of somebody.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError, TableError, no_data_warnings
from coclust_synth.tables.reading.texts.odd_cells import odd_texts
from coclust_synth.tables.reading.texts.text import parse_column
from coclust_synth.tables.table import Table
from coclust_synth.tables.values.columns import examples

# Of 673 public tables nine are refused with these: none has a line of names.
_MOST, _MANY_STEPS = 2 / 3, 3


def check_header(table: Table) -> None:
    """Refuse a table whose names could be the cells of a row.

    All numbers and dates have names that read as theirs do; two thirds of the names are
    between the ends of their column, or one of its categories; and one at least is
    such a category or a date. Where none is, but a number, all must be so where it is
    whole, none beside columns of texts that mostly differ, and the numbers not count,
    as years and times do. Of such texts, and of marks (a column of ``yes`` or nothing),
    nothing else is known.

    Raises
    ------
    TableError
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
    if len(inside) < 2 or not numbers or np.mean([*inside.values()]) < _MOST:
        return
    may_tell = not is_whole or (all(inside.values()) and not has_texts)
    if is_told or (may_tell and not _count(numbers)):
        raise TableError(
            "Expected names of columns that are no cells of a row, as names are "
            f"released. Received {examples([*inside])}. Write a line of names above "
            "the first row, or if these are names, others that no cell is like (y2020)."
        )


def check_second_line(table: Table) -> None:
    """Refuse a table whose first rows are more names, units or descriptions.

    Two columns or more would be of numbers or dates but for texts in their first rows
    alone, and none that is so has a value in the first one.

    Raises
    ------
    TableError
    """
    columns, first = table.schema.columns, table.frame.iloc[0]
    if any(c.kind != "categorical" and pd.notna(first[c.name]) for c in columns):
        return
    told = [
        str(first[column.name])
        for column in columns
        if _stand_first(table.frame[column.name].isin(odd_texts(column)).to_numpy())
    ]
    if len(told) > 1:
        raise TableError(
            "Expected rows of cells below the names of the columns. Received a second "
            f"line of names, units or descriptions: {examples(told)}. Remove it, or "
            "the line above it; if it is somebody's row, move it down."
        )


def _stand_first(is_odd):
    """Whether these are the first cells of a column, and no others."""
    return 0 < is_odd.sum() == is_odd.argmin()


def _is_between(series, cell):
    try:
        return bool(series.min() <= cell <= series.max())
    except TypeError:  # dates of a time zone, or in texts: to be one is enough
        return True


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
