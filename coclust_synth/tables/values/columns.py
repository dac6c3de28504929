"""From a pandas Series to the plain arrays that are modelled.

With `dtypes` and `series`, which goes back, the only place that knows pandas dtypes. A
column becomes an array and a mask of what is missing (where the array holds 0)::

    categorical, ordinal, boolean   int64 codes into ``column.categories``
    integer                         int64
    real                            float64
    datetime                        int64, in ``column.unit`` since 1970, UTC if zoned;
                                    of times without a date, since midnight
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from coclust_synth.exceptions import SchemaError, TableError
from coclust_synth.tables import clock
from coclust_synth.tables.clock import NUMBER_LAYOUTS, layout_of_digits
from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.literals import VALUE_TYPES
from coclust_synth.tables.values.dtypes import (
    coarsest_unit,
    describe,
    holds_missing,
    not_supported,
    read_dates,
)

# Of the four centuries that dates in numbers are of; a column of more has others.
_MOST_DAYS = 146_097


def to_values(series: pd.Series, column: Column) -> tuple[np.ndarray, np.ndarray]:
    """Turn a column of a table into an array.

    Parameters
    ----------
    series : Series
        Values, of `column.dtype` or of any type that holds such values.
    column : Column
        Its description, complete but for `bounds`.

    Returns
    -------
    values : ndarray of shape (n,), int64 or float64
        See the head of this module; 0 where missing.
    missing : ndarray of shape (n,), bool
        Where the value is missing, or a date that stands for none.

    Raises
    ------
    TableError
        If a value is infinite, or an integer beyond 64 bits.
    SchemaError
        If a value does not fit the kind, the categories, the bounds or the dtype.
    """
    missing = series.isna().to_numpy(dtype=bool)
    if missing.any() and not holds_missing(column):
        raise SchemaError(
            f"Column {column.name!r}: expected no missing value, as the dtype "
            f"{column.dtype} has none. Received {missing.sum()} missing. Change "
            "`dtype` in the schema, for instance Int64 for int64 or boolean for bool."
        )
    read = _READERS.get(column.kind, _read_listed)
    _check_kind(series[~missing], column)
    present = read(series[~missing], column)
    if column.no_date is not None:
        is_date = present != _no_date_of(column)
        missing = missing.copy()
        missing[~missing] = ~is_date
        present = present[is_date]
    check_bounds(present, column)
    values = np.zeros(len(series), dtype=present.dtype)
    values[~missing] = present
    return values, missing


def listed_codes(series: pd.Series, column: Column) -> np.ndarray:
    """Category of each cell of a column of categories.

    Parameters
    ----------
    series : Series
    column : Column
        Of kind categorical, ordinal or boolean, with its categories.

    Returns
    -------
    ndarray of shape (n,), int64
        -1 where the cell is missing, -2 where it is none of the categories.
    """
    missing = series.isna().to_numpy(dtype=bool)
    codes = np.full(len(series), -1, dtype=np.int64)
    codes[~missing] = _look_up(series[~missing], column)
    return codes


def check_bounds(present: np.ndarray, column: Column) -> None:
    """Refuse present values of a column that are outside of its bounds.

    Raises
    ------
    SchemaError
    """
    if column.bounds is None or column.kind in LISTED_KINDS:
        return
    low, high = canonical_bounds(column)
    outside = present[(present < low) | (present > high)]
    if len(outside):
        raise SchemaError(
            f"Column {column.name!r}: expected values from {column.bounds[0]} to "
            f"{column.bounds[1]}. Received {shown(outside, column)} ({len(outside)} "
            "rows). Widen `bounds` in the schema, or change them in the table."
        )


def shown(values: np.ndarray, column: Column) -> str:
    """The first few present values of a column, not of categories, for a message."""
    if column.is_time:
        return examples([bounds_of(np.array([v]), column)[0] for v in values])
    if column.kind == "datetime":
        values = values.astype(f"M8[{column.unit}]")
    return examples(values)


def list_categories(series: pd.Series) -> tuple:
    """Values of a column, in order: its category list, or sorted.

    Raises
    ------
    TableError
        If a value is of a type that cannot be written in a schema.
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        uniques = series.cat.categories.tolist()
    else:
        _, uniques = _factorize(series[series.notna()])
        try:
            uniques = sorted(uniques)
        except TypeError:
            uniques = sorted(uniques, key=lambda v: (type(v).__name__, str(v)))
    for value in uniques:
        if not isinstance(value, VALUE_TYPES):
            raise TableError(not_supported(series, f"type {type(value).__name__}"))
    return tuple(uniques)


def date_layout(series: pd.Series, layout: str | None = None) -> str | None:
    """Layout of a column of texts or whole numbers that are all dates; None if not.

    Parameters
    ----------
    series : Series
    layout : str, optional
        What it must be; by default it is found out, where only one fits.
    """
    present = series[series.notna()]
    if types.is_numeric_dtype(present.dtype):
        numbers = present.unique()
        is_few = 0 < len(numbers) <= _MOST_DAYS
        return layout_of_digits(_digits(numbers)) if is_few else None
    if not _are_texts(present):
        return None
    reading = read_dates(_factorize(present)[1], layout)
    return None if reading is None else reading.fields["format"]


def exact_unit(series: pd.Series, column: Column) -> str:
    """Coarsest unit in which every date of a column is whole."""
    return coarsest_unit(_any_instants(series[series.notna()], column))


def canonical_bounds(column: Column) -> tuple | None:
    """Bounds of a column as `to_values` would give them; None if it has none."""
    if column.bounds is None or column.kind != "datetime":
        return column.bounds
    if column.is_time:
        return _time_bounds(column)
    try:
        low, high = (np.datetime64(text.removesuffix("Z")) for text in column.bounds)
    except ValueError as error:
        raise SchemaError(
            f"Column {column.name!r}: expected `bounds` that are ISO dates, such as "
            f"2024-12-31. Received {column.bounds!r}: {error}. Correct them in the "
            "schema."
        ) from None
    dtype = f"M8[{column.unit}]"
    return int(low.astype(dtype).astype(int)), int(high.astype(dtype).astype(int))


def with_no_date(
    values: np.ndarray, missing: np.ndarray, column: Column
) -> tuple[np.ndarray, np.ndarray]:
    """Values with the date that stands for none, if there is one, and none missing."""
    if column.no_date is None:
        return values, missing
    return np.where(missing, _no_date_of(column), values), np.zeros_like(missing)


def as_dates(column: Column) -> Column:
    """A column, in which the date that stands for none is a date as any."""
    if column.no_date is None or column.treatment == "drop":
        return column
    date, bounds = _no_date_of(column), column.bounds
    if bounds is not None:
        bounds = bounds_of(np.array([*canonical_bounds(column), date]), column)
    step = None if column.step is None else int(np.gcd(column.step, date)) or 1
    return replace(column, no_date=None, bounds=bounds, step=step)


def _no_date_of(column: Column) -> int:
    """The date that stands for none, as `to_values` would give it."""
    ends = column.no_date, column.no_date
    return canonical_bounds(replace(column, no_date=None, bounds=ends))[0]


def _time_bounds(column: Column) -> tuple[int, int]:
    times = clock.read_times(list(column.bounds), clock.FULL)
    if times is None:
        raise SchemaError(
            f"Column {column.name!r}: expected `bounds` that are times, such as "
            f"08:30:00. Received {column.bounds!r}. Correct them in the schema."
        )
    low, high = times[0].astype("M8[s]").astype(f"M8[{column.unit}]").astype(int)
    return int(low), int(high)


def bounds_of(values: np.ndarray, column: Column) -> tuple | None:
    """Lowest and highest of the present values, as `Column` keeps them."""
    if not len(values):
        return None
    low, high = values.min(), values.max()
    if column.kind != "datetime":
        return low.item(), high.item()
    ends = np.array([low, high]).astype(f"M8[{column.unit}]")
    if column.is_time:
        return tuple(clock.write_times(ends.astype("M8[s]").astype(int), clock.FULL))
    return tuple(map(str, ends))


# --- from a Series ----------------------------------------------------------


def _look_up(present: pd.Series, column: Column) -> np.ndarray:
    """Category of each value, -2 for one that is none of them."""
    dtype = present.dtype
    if column.kind == "boolean" and (
        types.is_bool_dtype(dtype) and not isinstance(dtype, pd.CategoricalDtype)
    ):
        return present.to_numpy(dtype=bool).astype(np.int64)
    codes, uniques = _factorize(present)
    index = {category: code for code, category in enumerate(column.categories)}
    # A category that no row has may be unknown too.
    found = [index.get(value, -2) for value in uniques] or [-2]
    return np.array(found, dtype=np.int64)[codes]


def _read_listed(present: pd.Series, column: Column) -> np.ndarray:
    codes = _look_up(present, column)
    if (codes < 0).any():
        outside, listed = present[codes < 0], column.categories
        raise SchemaError(
            f"Column {column.name!r}: expected one of its {len(listed)} categories, "
            f"{examples(listed)}. Received {examples(outside.unique())} "
            f"({len(outside)} rows). Add them to `categories` in the schema, "
            "or change them in the table."
        )
    return codes


def _read_integers(present: pd.Series, column: Column) -> np.ndarray:
    if describe(present)[0] == "real":
        reals = _read_reals(present, column)
        whole = reals == np.floor(reals)
        if not whole.all():
            raise SchemaError(
                f"Column {column.name!r}: expected integers. Received "
                f"{examples(reals[~whole])}. Use the kind real in the schema."
            )
        present = pd.Series(reals)
    objects = present.astype(object) if present.dtype.kind in "uO" else present
    try:
        return objects.to_numpy().astype(np.int64, casting="unsafe")
    except OverflowError:
        raise TableError(
            f"Column {column.name!r}: expected integers of at most 64 bits. Received "
            f"{examples([*{v: None for v in present if abs(v) >= 2**63}])}. "
            "Turn the column into text, or remove it from the table."
        ) from None


def _read_reals(present: pd.Series, column: Column) -> np.ndarray:
    reals = present.to_numpy(dtype=np.float64)
    infinite = np.isinf(reals)
    if infinite.any():
        raise TableError(
            f"Column {column.name!r}: expected finite numbers. Received "
            f"{infinite.sum()} infinite. Leave the column out, or make them missing, "
            "as `suppress` of a recoding does."
        )
    return reals + 0.0  # there is one zero: -0.0 + 0.0 is 0.0


def _read_instants(present: pd.Series, column: Column) -> np.ndarray:
    instants = _any_instants(present, column)
    values = instants.astype(f"M8[{column.unit}]")
    if not (values == instants).all():
        raise SchemaError(
            f"Column {column.name!r}: expected dates whole in the unit {column.unit}. "
            f"Received {examples(instants[values != instants])}. "
            "Choose a finer `unit` in the schema."
        )
    return values.astype(np.int64)


_READERS = {"integer": _read_integers, "real": _read_reals, "datetime": _read_instants}


def _instants(present: pd.Series) -> np.ndarray:
    dtype = present.dtype
    if dtype == np.dtype(object):
        objects = present.tolist()
        if objects and all(isinstance(value, datetime.time) for value in objects):
            return _times(objects, present.name)
        return np.array(objects, dtype="M8[D]")
    if isinstance(dtype, pd.ArrowDtype):
        unit = getattr(dtype.pyarrow_dtype, "unit", "s")
        zoned = getattr(dtype.pyarrow_dtype, "tz", None) is not None
        unit = "s" if unit == "day" else unit
        present = present.astype(f"datetime64[{unit}{', UTC' if zoned else ''}]")
    if getattr(present.dtype, "tz", None) is not None:
        present = present.dt.tz_convert("UTC").dt.tz_localize(None)
    return present.to_numpy()


def _times(times: Sequence[datetime.time], name: Any) -> np.ndarray:
    if any(time.microsecond or time.tzinfo for time in times):
        raise TableError(
            f"Column {name!r}: expected times in whole seconds, without a time zone. "
            f"Received {examples([*map(str, times)])}. Convert the column."
        )
    seconds = [3600 * time.hour + 60 * time.minute + time.second for time in times]
    return np.array(seconds, dtype="M8[s]")


def _any_instants(present: pd.Series, column: Column) -> np.ndarray:
    in_numbers = column.format in NUMBER_LAYOUTS and _are_numbers(present)
    if not _are_texts(present) and not in_numbers:
        return _instants(present)
    codes, uniques = _factorize(present)
    uniques = _digits(uniques) if in_numbers else uniques
    reading = read_dates(uniques, column.format)
    if reading is None:
        raise SchemaError(
            f"Column {column.name!r}: expected dates written as {column.format}. "
            f"Received {examples(uniques)}. Correct them in the table, or `format` in "
            "the schema."
        )
    return reading.values.astype(f"M8[{reading.fields['unit']}]")[codes]


def _are_numbers(present: pd.Series) -> bool:
    return types.is_numeric_dtype(present.dtype) and not types.is_bool_dtype(
        present.dtype
    )


def _digits(numbers: Sequence) -> list[str]:
    """Digits of whole numbers, and what is no date of others."""
    return [str(n).removesuffix(".0") for n in numbers]


def _are_texts(present: pd.Series) -> bool:
    return not present.empty and types.infer_dtype(present, skipna=False) == "string"


def _factorize(present: pd.Series) -> tuple[np.ndarray, list]:
    if isinstance(present.dtype, pd.CategoricalDtype):
        return present.cat.codes.to_numpy(), present.cat.categories.tolist()
    try:
        codes, uniques = pd.factorize(present)
    except TypeError:
        raise TableError(not_supported(present, "lists or other containers")) from None
    return codes, uniques.tolist()


def _check_kind(present: pd.Series, column: Column) -> None:
    accepted = {
        "integer": ("integer", "real"),
        "real": ("integer", "real"),
        "datetime": ("datetime",),
    }.get(column.kind)
    if accepted is None or present.empty:
        return
    if column.kind == "datetime" and column.format and _are_texts(present):
        return
    if column.format in NUMBER_LAYOUTS and _are_numbers(present):
        return
    kind, dtype = describe(present)
    if kind not in accepted:
        raise SchemaError(
            f"Column {column.name!r}: expected values of kind {column.kind}. Received "
            f"{examples(present)} (kind {kind}, dtype {dtype}). Convert the column, "
            "or correct `kind` and `dtype` in the schema."
        )


def examples(values: Any) -> str:
    """The first few of some values, for a message."""
    shown = [v.item() if isinstance(v, np.number) else v for v in list(values)[:5]]
    texts = [str(v) if isinstance(v, np.datetime64) else repr(v) for v in shown]
    return ", ".join(texts) + (", ..." if len(values) > 5 else "")
