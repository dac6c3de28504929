"""Names of pandas dtypes, as a schema keeps them.

They are pandas' own, and beyond them ``category[str]``, ``category[int64, ordered]``,
``object[date]``, ``object[Decimal, nan]``: the type of what the column holds, then
the order of the categories or the object that stands for a missing value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from coclust_synth.exceptions import SchemaError, TableError
from coclust_synth.tables.schema import Column

MISSING_OBJECTS = {"nan": np.nan, "NA": pd.NA, "NaT": pd.NaT}

# What `pandas.api.types.infer_dtype` says of objects: kind, and name of their type.
_OBJECT_KINDS = {
    "boolean": ("boolean", ""),
    "integer": ("integer", ""),
    "floating": ("real", ""),
    "decimal": ("real", "Decimal"),
    "date": ("datetime", "date"),
}


def describe(series: pd.Series) -> tuple[str, str]:
    """Kind and dtype, in the words of `Column`, of a column of a table.

    Raises
    ------
    TableError
        If the type of its values is none that can be modelled.
    """
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        inner = _dtype_name(dtype.categories.dtype)
        if dtype.ordered:
            return "ordinal", f"category[{inner}, ordered]"
        return "categorical", f"category[{inner}]"
    if dtype == np.dtype(object):
        return _describe_objects(series)
    tests = {
        "boolean": types.is_bool_dtype,
        "integer": types.is_integer_dtype,
        "real": types.is_float_dtype,
        "datetime": types.is_datetime64_any_dtype,
        "categorical": types.is_string_dtype,
    }
    for kind, test in tests.items():
        if test(dtype) and not isinstance(dtype, pd.SparseDtype):
            return kind, _dtype_name(dtype)
    raise TableError(not_supported(series, str(dtype)))


def _describe_objects(series: pd.Series) -> tuple[str, str]:
    content = types.infer_dtype(series, skipna=True)
    if content == "datetime":
        raise TableError(not_supported(series, "datetime objects"))
    kind, mark = _OBJECT_KINDS.get(content, ("categorical", ""))
    absent = series[series.isna()]
    marks = [mark] if mark else []
    if len(absent):
        names = {id(v): name for name, v in MISSING_OBJECTS.items()}
        value = absent.iloc[0]
        name = "nan" if isinstance(value, float) else names.get(id(value))
        marks += [name] if name else []
    return kind, f"object[{', '.join(marks)}]" if marks else "object"


def _dtype_name(dtype: Any) -> str:
    if isinstance(dtype, pd.StringDtype):
        return f"string[{dtype.storage}]" if dtype.na_value is pd.NA else "str"
    if isinstance(dtype, pd.ArrowDtype) and str(dtype) == "string[pyarrow]":
        return "utf8[pyarrow]"  # pandas reads string[pyarrow] as its own string type
    return str(dtype)


TEXT_DTYPE = _dtype_name(pd.Series(["a"]).dtype)


def is_text_dtype(name: str | None) -> bool:
    """Whether a dtype holds texts, or objects that may be; None does not."""
    names = ("str", "object", "utf8", "large_string", "category[str", "category[object")
    return name is not None and name.startswith(names)


def is_dates_in_texts(column: Column) -> bool:
    """Whether a column of dates holds them as texts, laid out by its `format`."""
    base, marks = split_dtype(column.dtype)
    texts = base != "category" and "date" not in marks and is_text_dtype(column.dtype)
    return column.kind == "datetime" and texts


def split_dtype(name: str) -> tuple[str, list[str]]:
    """Part of a dtype name before the brackets, and those inside."""
    base, _, marks = name.partition("[")
    return base, marks.removesuffix("]").split(", ") if marks else []


def pandas_dtype(name: str, column: Column) -> Any:
    """The pandas dtype of that name, which is none of a category."""
    if name == "str" and TEXT_DTYPE == "object":
        return np.dtype(object)  # pandas 2 has no str dtype
    try:
        return types.pandas_dtype(name)
    except (TypeError, ValueError):
        raise SchemaError(
            f"Column {column.name!r}: expected a pandas dtype. Received {name!r}. "
            "Correct `dtype` in the schema."
        ) from None


def category_dtype(column: Column, marks: list[str]) -> pd.CategoricalDtype:
    """The category dtype of a column; `marks` are those in its dtype's brackets."""
    ordered = "ordered" in marks if marks else column.kind == "ordinal"
    inner = ", ".join(mark for mark in marks if mark != "ordered")
    dtype = pandas_dtype(inner, column) if inner else None
    return pd.CategoricalDtype(pd.Index(list(column.categories), dtype=dtype), ordered)


def holds_missing(column: Column) -> bool:
    """Whether the dtype of a column can hold a missing value."""
    base, _ = split_dtype(column.dtype)
    if base in ("category", "object"):
        return True
    dtype = pandas_dtype(column.dtype, column)
    return not (isinstance(dtype, np.dtype) and dtype.kind in "iub")


def instants_dtype(unit: str, zone: str | None) -> str:
    """Name of the dtype for dates read from text."""
    unit = unit if unit == "ns" else "us"
    return f"datetime64[{unit}]" if zone is None else f"datetime64[{unit}, {zone}]"


def not_supported(series: pd.Series, received: str) -> str:
    """Message for a column of a type that cannot be modelled."""
    return (
        f"Column {series.name!r}: expected numbers, texts, booleans, dates or "
        f"categories. Received {received}. Convert the column (to numbers, to text, "
        "or with pandas.to_datetime), or remove it from the table."
    )
