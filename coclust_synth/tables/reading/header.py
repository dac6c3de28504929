"""Names of columns that are the first row: a file without a line of names.

Names are released as they are. Taken for names, the cells of the first row would tell
all of somebody.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError, TableError, no_data_warnings
from coclust_synth.tables.reading.texts.text import parse_column
from coclust_synth.tables.table import Table
from coclust_synth.tables.values.columns import examples

_MOST = 2 / 3


def check_header(table: Table) -> None:
    """Refuse a table each of whose names could be a cell of its own column.

    Numbers and dates could, most of which are from the lowest to the highest of their
    column, and categories; of columns of texts that nearly all differ nothing is known.
    Names that count (0, 1, 2 or years), and marks (a column of ``yes`` or nothing that
    is called ``yes``), say nothing.

    Raises
    ------
    TableError
    """
    inside = {}  # of names of which something is known
    for column in table.schema.columns:
        name = column.name
        if _has_order(column):
            cell = _as_cell(column)
            if cell is None:
                return
            if not pd.isna(cell):
                inside[name] = _is_between(table.frame[name], cell)
        elif len(column.categories or ()) > 1:
            if name not in map(str, column.categories):
                return
            inside[name] = True
    names = [*inside]
    some_in_order = any(_has_order(table.schema[name]) for name in names)
    is_row = len(names) > 1 and np.mean([*inside.values()]) >= _MOST
    if some_in_order and is_row and not _count(names):
        raise TableError(
            "Expected names of columns that are no cells of a row, as names are "
            f"released. Received {examples(names)}. Write a line of names above the "
            "first row."
        )


def _is_between(series, cell):
    try:
        return bool(series.min() <= cell <= series.max())
    except TypeError:  # dates of a time zone, or in texts: to be one is enough
        return True


def _has_order(column):
    return column.kind in ("integer", "real", "datetime")


def _as_cell(column):
    """The name of a column as one of its values; None if it is none."""
    hint = replace(column, treatment="keep", dtype=None, bounds=None, step=None)
    try:
        with no_data_warnings():
            return parse_column(pd.Series([column.name]), hint)[0].iloc[0]
    except SchemaError:
        return None


def _count(names):
    """Whether names are whole numbers, each as much more than the one before."""
    try:
        return len({*np.diff([*map(int, names)])}) == 1
    except ValueError:
        return False
