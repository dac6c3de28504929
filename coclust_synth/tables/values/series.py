"""From the plain arrays that are modelled to a pandas Series; see `columns`."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.values.columns import with_no_date
from coclust_synth.tables.values.dtypes import (
    MISSING_OBJECTS,
    category_dtype,
    holds_missing,
    is_dates_in_numbers,
    is_dates_in_texts,
    pandas_dtype,
    split_dtype,
    write_dates,
)


def from_values(values: np.ndarray, missing: np.ndarray, column: Column) -> pd.Series:
    """Turn an array into a column of exactly `column.dtype`; undoes `to_values`.

    Parameters
    ----------
    values : ndarray of shape (n,)
        As `to_values` gives them.
    missing : ndarray of shape (n,), bool
        Where to put a missing value, or the date that stands for none.
    column : Column
        Its complete description.

    Returns
    -------
    Series
        Named `column.name`. A category dtype keeps its whole list and its order.
    """
    values, missing = np.asarray(values), np.asarray(missing, dtype=bool)
    values, missing = with_no_date(values, missing, column)
    if missing.any() and not holds_missing(column):
        raise SchemaError(
            f"Column {column.name!r}: expected no missing value, as the dtype "
            f"{column.dtype} has none. Received {missing.sum()} to write. Change "
            "`dtype` in the schema."
        )
    try:
        return _build(values, missing, column).rename(column.name)
    except SchemaError:
        raise
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"Column {column.name!r}: expected values that fit the dtype "
            f"{column.dtype}. Received others: {error}. Correct `dtype` in the schema."
        ) from None


def _build(values: np.ndarray, missing: np.ndarray, column: Column) -> pd.Series:
    base, marks = split_dtype(column.dtype)
    if base == "category":
        dtype = category_dtype(column, marks)
        codes = np.where(missing, -1, values)
        return pd.Series(pd.Categorical.from_codes(codes, dtype=dtype))
    dtype = pandas_dtype("object" if base == "object" else column.dtype, column)
    if dtype == np.dtype(object):
        return pd.Series(_objects(values, missing, column, marks), dtype=object)
    if column.kind == "boolean" and types.is_bool_dtype(dtype):
        series = pd.Series(values == 1, dtype=dtype)
    elif column.kind in LISTED_KINDS:
        listed = pd.array(list(column.categories), dtype=dtype)
        at = np.where(missing, -1, values)
        return pd.Series(listed.take(at, allow_fill=missing.any()))
    elif is_dates_in_texts(column):
        return pd.Series(pd.array(_objects(values, missing, column, []), dtype=dtype))
    elif is_dates_in_numbers(column):
        digits = np.array(write_dates(values, column), dtype=np.int64)
        series = pd.Series(digits).astype(dtype)
    elif column.kind == "datetime":
        series = _from_instants(values, column.unit, dtype)
    else:
        series = pd.Series(values).astype(dtype)
    return series.mask(missing) if missing.any() else series


def _objects(
    values: np.ndarray, missing: np.ndarray, column: Column, marks: Sequence[str]
) -> np.ndarray:
    """Python objects, with the missing value that `marks` names (or None)."""
    if column.kind in LISTED_KINDS:
        table = np.empty(len(column.categories) + 1, dtype=object)
        table[:-1] = column.categories
        objects = table[np.where(missing, -1, values)]
    elif is_dates_in_texts(column):
        objects = np.array(write_dates(values, column), dtype=object)
    elif column.kind == "datetime":
        instants = values.astype(f"M8[{column.unit}]")
        if "time" in marks:
            seconds = pd.Series(instants.astype("M8[s]"))
            objects = np.array(seconds.dt.time, dtype=object)
        else:
            objects = instants.astype("M8[D]").astype(object)
    elif "Decimal" in marks:
        digits = "" if column.decimals is None else f".{column.decimals}f"
        objects = np.array([Decimal(format(v, digits)) for v in values.tolist()])
        objects = objects.astype(object)
    else:
        objects = values.astype(object)
    absent = next((MISSING_OBJECTS[m] for m in marks if m in MISSING_OBJECTS), None)
    objects[missing] = absent
    return objects


def _from_instants(values: np.ndarray, unit: str, dtype: Any) -> pd.Series:
    instants = values.astype(f"M8[{unit}]")
    # pandas has no days: seconds hold them exactly.
    series = pd.Series(instants.astype("M8[s]") if unit == "D" else instants)
    pyarrow_dtype = getattr(dtype, "pyarrow_dtype", None)
    zone = getattr(pyarrow_dtype if pyarrow_dtype is not None else dtype, "tz", None)
    if zone is not None:
        series = series.dt.tz_localize("UTC").dt.tz_convert(zone)
    return series.astype(dtype)
