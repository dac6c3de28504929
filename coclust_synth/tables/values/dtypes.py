"""Names of pandas dtypes, as a schema keeps them.

They are pandas' own, and beyond them ``category[str]``, ``category[int64, ordered]``,
``object[date]``, ``object[Decimal, nan]``: the type of what the column holds, then
the order of the categories or the object that stands for a missing value.

Dates can be written as texts: 2020-12-31, 31.12.2020, 2020-12-31T23:59:59Z. How they
are read and written is here too, by the patterns of `clock`, where times without a date
are as well.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

from coclust_synth.exceptions import SchemaError, TableError
from coclust_synth.tables import clock
from coclust_synth.tables.clock import padded, write_dates_as
from coclust_synth.tables.column import UNITS, Column
from coclust_synth.tables.date_texts.two_countries import layouts_in
from coclust_synth.tables.date_texts.two_digit_years import in_full, with_century
from coclust_synth.tables.values import zones
from coclust_synth.tables.values.date_layouts import layouts_by_day, possible_layouts

MISSING_OBJECTS = {"nan": np.nan, "NA": pd.NA, "NaT": pd.NaT}

# What `pandas.api.types.infer_dtype` says of objects: kind, and name of their type.
_OBJECT_KINDS = {
    "boolean": ("boolean", ""),
    "integer": ("integer", ""),
    "floating": ("real", ""),
    "decimal": ("real", "Decimal"),
    "date": ("datetime", "date"),
    "time": ("datetime", "time"),
}
_ISO_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:(?P<sep>[T ])[0-9]{2}:[0-9]{2}(?P<second>:[0-9]{2})?"
    rf"(?P<fraction>\.[0-9]{{1,9}})?(?P<zone>{zones.IN_TEXTS})?)?"
)
_NUMERIC = re.compile(r"u?int[0-9]|float[0-9]|(double|float)\[", re.IGNORECASE)
_ISO_LAYOUT = re.compile(
    r"%Y-%m-%d(?:(?P<sep>[T ])%H:%M(?P<second>:%S)?(?P<fraction>\.%f)?"
    rf"(?P<zone>{zones.IN_LAYOUTS})?)?"
)


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
    texts = base != "category" and not {"date", "time"}.intersection(marks)
    return column.kind == "datetime" and texts and is_text_dtype(column.dtype)


def is_dates_in_numbers(column: Column) -> bool:
    """Whether a column of dates holds them as numbers, such as 20201231."""
    return column.kind == "datetime" and _NUMERIC.match(column.dtype or "") is not None


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


def used_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """A table whose dtypes list no category that no row has.

    It can be that of somebody whose row was left out, and a file tells it.

    Examples
    --------
    >>> jobs = pd.DataFrame({"job": pd.Categorical(["cook", "bishop"])})
    >>> used_categories(jobs[:1])["job"].dtype.categories.tolist()
    ['cook']
    """
    used = {
        name: own.cat.remove_unused_categories()
        for name, own in frame.items()
        if isinstance(own.dtype, pd.CategoricalDtype)
    }
    return frame.assign(**used) if used else frame


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


class Reading(NamedTuple):
    """What texts say: canonical values, and the fields of their column."""

    values: np.ndarray
    fields: dict[str, Any]


def read_dates(texts: list[str], layout: str | None) -> Reading | None:
    """Read texts as dates, all of them or none.

    Parameters
    ----------
    texts : list of str
        Different texts, none of which stands for a missing value; at least one.
    layout : str or None
        A strftime pattern, or a layout of times. None: it is found out, where only one
        fits.

    Returns
    -------
    Reading or None
        None: these are no dates.
    """
    if layout is None or layout in clock.LAYOUTS:
        times = clock.read_times(texts, layout)
        if times is not None or layout is not None:
            return None if times is None else _timed(*times)
    if layout in clock.NUMBER_LAYOUTS:
        dates = clock.dates_of_digits(texts, layout)
        return None if dates is None else _dated(dates, None, {"format": layout})
    if layout is None or _ISO_LAYOUT.fullmatch(layout):
        reading = _read_iso_dates(texts, layout)
        if reading is not None or layout is not None:
            return reading
    of_digits = None if layout else clock.layout_of_digits(texts)
    if of_digits is not None:
        return read_dates(texts, of_digits)
    if layout is not None:
        return _read_laid_out(texts, [layout])
    readings = _readings(texts, possible_layouts(texts))
    readings = readings or _readings(texts, layouts_by_day(texts))
    # 01/02/2024 alone may be two different days: left as a text.
    return readings[0] if len(readings) == 1 else None


def ambiguous_layouts(texts: list[str]) -> list[str]:
    """Layouts of texts that are dates by several of them; empty for others.

    Parameters
    ----------
    texts : list of str
        Different ones, at least one.
    """
    readings = _readings(texts, possible_layouts(texts))
    return [own.fields["format"] for own in readings] if len(readings) > 1 else []


def _readings(texts: list[str], candidates: list[list[str]]) -> list[Reading]:
    """Dates by each of some lists of layouts that reads them."""
    found = (_read_laid_out(texts, each) for each in candidates)
    return [reading for reading in found if reading is not None]


def _read_laid_out(texts: list[str], layouts: list[str]) -> Reading | None:
    """Dates in the first layout that reads texts and, of several, writes them so."""
    for layout in layouts:
        try:
            dates, *early = (_dates_of(texts, own) for own in layouts_in(layout))
        except ValueError:  # no layout
            return None
        dates = dates.fillna(early[0]) if early else dates
        if dates.isna().any():
            return None
        if len(layouts) > 1 and write_dates_as(layout, dates) != texts:
            continue
        instants = dates.to_numpy().astype("M8[us]")
        return _dated(instants, None, {"format": layout})
    return None


def _dates_of(texts, layout):
    """Dates that texts are by one layout; missing where they are none."""
    pattern, first = in_full(layout)
    full = texts if first is None else [with_century(t, first) for t in texts]
    full = pd.Series(full, dtype=object)
    return pd.to_datetime(full, format=padded(pattern), errors="coerce")


def write_dates(values: np.ndarray, column: Column) -> list[str]:
    """Write dates in the layout of their column; undoes `read_dates`.

    Parameters
    ----------
    values : ndarray of shape (n,), int64
        As `to_values` gives them.
    column : Column
        Its complete description.
    """
    layout = column.format or _default_layout(column)
    instants = values.astype(f"M8[{column.unit}]")
    if layout in clock.LAYOUTS:
        return clock.write_times(instants.astype("M8[s]").astype(np.int64), layout)
    iso = _ISO_LAYOUT.fullmatch(layout)
    if iso is None:
        # Seconds reach every year; strftime has no finer field than %f.
        unit = "s" if column.unit in ("D", "s") else "us"
        return write_dates_as(layout, pd.Series(instants.astype(f"M8[{unit}]")))
    if iso["sep"] is None:
        return np.datetime_as_string(instants, unit="D").tolist()
    unit = "m" if not iso["second"] else "s"
    if iso["fraction"]:
        unit = column.unit if column.unit in ("ms", "us", "ns") else "ms"
    zone = iso["zone"] or ""
    if zones.names_place(zone):
        name = split_dtype(column.dtype)[1][-1]
        offsets = zones.ahead(instants, name)
        behind = zones.write_offsets(offsets, zone)
    else:
        offsets, behind = zones.offset_of(zone), [zone] * len(instants)
    local = instants.astype(f"M8[{unit}]") + offsets
    texts = np.datetime_as_string(local, unit=unit, casting="unsafe").tolist()
    texts = [text.replace("T", iso["sep"]) for text in texts]
    return [text + end for text, end in zip(texts, behind, strict=True)]


def coarsest_unit(instants: np.ndarray) -> str:
    """Coarsest unit in which every one of some datetime64 is whole."""
    return next(u for u in UNITS if (instants.astype(f"M8[{u}]") == instants).all())


def _read_iso_dates(texts: list[str], layout: str | None) -> Reading | None:
    matches = [_ISO_DATE.fullmatch(text) for text in texts]
    if not all(matches):
        return None
    if len({(m["sep"], m["second"] is None) for m in matches}) > 1:
        return None
    sep, no_second = matches[0]["sep"], matches[0]["second"] is None
    digits = max(len(m["fraction"] or ".") - 1 for m in matches)
    if digits and no_second:
        return None
    behind = [m["zone"] or "" for m in matches]
    bare = [text.removesuffix(zone) for text, zone in zip(texts, behind, strict=True)]
    try:
        instants = np.array(bare, dtype="M8[ns]" if digits > 6 else "M8[us]")
    except ValueError:
        return None
    if not sep:
        return _dated(instants, None, {"format": "%Y-%m-%d"})
    offsets = {zone: zones.offset_of(zone) for zone in set(behind)}
    instants = instants - np.array([offsets[zone] for zone in behind])
    is_named = layout is not None and zones.names_place(layout)
    found = zones.find_zone(instants, behind, is_named=is_named)
    if found is None:
        return None
    zone, name = found
    fields = f"%Y-%m-%d{sep}%H:%M" + ("" if no_second else ":%S")
    fields += (".%f" if digits else "") + zone
    return _dated(instants, name, {"format": fields})


def _dated(instants: np.ndarray, zone: str | None, fields: dict) -> Reading:
    unit = np.datetime_data(instants.dtype)[0]
    exact = coarsest_unit(instants)
    values = instants.astype(f"M8[{exact}]").astype(np.int64)
    return Reading(
        values, fields | {"unit": exact, "dtype": instants_dtype(unit, zone)}
    )


def _timed(seconds: np.ndarray, layout: str) -> Reading:
    fields = {"format": layout, "unit": "s", "dtype": TEXT_DTYPE}
    return Reading(seconds.astype(np.int64), fields)


def _default_layout(column: Column) -> str:
    if column.is_time:
        return clock.FULL
    zoned = "UTC" in column.dtype or "," in column.dtype
    if column.unit == "D" and not zoned:
        return "%Y-%m-%d"
    fraction = "" if column.unit in ("D", "s") else ".%f"
    return f"%Y-%m-%dT%H:%M:%S{fraction}" + ("Z" if zoned else "")
