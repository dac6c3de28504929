"""What one column holds: its kind, what it can be, and whether it tells who is who."""

from __future__ import annotations

import datetime
from dataclasses import replace

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.clock import NUMBER_LAYOUTS, write_date_as
from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.draws.rulers import make_ruler
from coclust_synth.tables.reading.texts.identifiers import (
    MIN_PRESENT,
    NAMED,
    doubt_about,
    is_called_code,
)
from coclust_synth.tables.reading.texts.layouts import writes_numbers
from coclust_synth.tables.reading.texts.lists import format_of_texts
from coclust_synth.tables.reading.texts.odd_cells import odd_texts
from coclust_synth.tables.reading.texts.patterns import PATTERN
from coclust_synth.tables.reading.texts.text import MAX_DECIMALS
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.columns import (
    bounds_of,
    date_layout,
    exact_unit,
    list_categories,
    shown,
)
from coclust_synth.tables.values.dtypes import TEXT_DTYPE, describe, split_dtype
from coclust_synth.tables.values.numbers import are_near

# Two numbers that say yes or no, or which of two: categories, of the type they have.
_CODES = ({0, 1}, {1, 2})
# More decimals than most columns have are a step only where the largest number has two
# digits more in a double.
_MAX_DECIMALS, _LOST = 12, 100 * np.finfo(float).eps
_ANY_DATE = datetime.datetime(2001, 2, 3, 4, 5, 6)


def complete_column(
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
        column = as_codes(series, column, rows)
        if _may_be_dates(column, hint):
            layout = date_layout(series, hint.format)
            if layout is not None:
                column = replace(column, kind="datetime", format=layout)
    if column.kind in LISTED_KINDS and column.categories is None:
        column = replace(column, categories=_categories(series, column))
        if hint.kind is None and _is_text(column):
            column = replace(column, format=format_of_texts(column.categories))
    if column.kind == "datetime" and column.unit is None:
        column = replace(column, unit=_unit(series, column))
    _check_layout(column)
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


def as_codes(
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


def _check_layout(column: Column) -> None:
    """Refuse a layout of numbers that writes none, or of dates that tells nothing."""
    layout = column.format
    if not layout or column.kind in LISTED_KINDS or column.is_time:
        return
    if column.kind == "datetime":
        is_one = write_date_as(layout, _ANY_DATE) != layout
        what = "dates, such as '%d.%m.%Y'"
    else:
        is_one, what = writes_numbers(layout), "numbers, such as 'comma .2f' or '# %'"
    if not is_one:
        raise SchemaError(
            f"Column {column.name!r}: expected `format` to be a layout of {what}. "
            f"Received {layout!r}. Correct it in the schema."
        )


def _may_be_dates(column: Column, hint: Column) -> bool:
    """Whether texts or whole numbers may be dates, where nothing else is said."""
    if hint.dtype is not None or hint.categories is not None:
        return False
    if column.kind == "categorical":
        return True
    is_described = hint.bounds is not None or hint.step is not None
    is_number = column.kind in ("integer", "real") and not is_described
    return is_number and not is_called_code(column.name)


def _is_text(column: Column) -> bool:
    """Whether a column is of texts, as those of files are."""
    return column.kind == "categorical" and column.dtype == TEXT_DTYPE


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
    lost = np.abs(values).max(initial=0) * _LOST
    for decimals in range(_MAX_DECIMALS + 1):
        if decimals > MAX_DECIMALS and not 10.0**-decimals > lost:
            return None
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
        reason += f", numbers or dates except for {n_odd}, which `inspect` names"
    return replace(column, treatment="undecided", role=role, reason=reason)
