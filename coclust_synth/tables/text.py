"""Between the cells of a text file and typed columns.

`parse_column` finds out what the cells are and `format_column` writes them back in
the layout they had. A column is read as numbers or dates only if every cell that is
not a missing mark can be written back: 00501 stays a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.columns import (
    coarsest_unit,
    examples,
    from_values,
    to_values,
)
from coclust_synth.tables.dtypes import TEXT_DTYPE, instants_dtype
from coclust_synth.tables.schema import LISTED_KINDS, Column

MISSING_MARKS = frozenset(("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"))
# Missing only among numbers, booleans or dates; a value among texts.
TYPED_MISSING_MARKS = MISSING_MARKS | {"None", "none", ".", "-", "#N/A"}

_INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_REAL = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_BOOLEANS = (("false", "true"), ("False", "True"), ("FALSE", "TRUE"))
_ISO_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:(?P<sep>[T ])[0-9]{2}:[0-9]{2}(?P<second>:[0-9]{2})?"
    r"(?P<fraction>\.[0-9]{1,9})?(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_SLASH_DATE = re.compile(r"[0-9]{2}/[0-9]{2}/[0-9]{4}")
_ISO_LAYOUT = re.compile(
    r"%Y-%m-%d(?:(?P<sep>[T ])%H:%M(?P<second>:%S)?(?P<fraction>\.%f)?"
    r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
# Of a column whose kind is given, where every cell is missing.
_EMPTY_FIELDS: dict[str, dict[str, Any]] = {
    "integer": {},
    "real": {},
    "boolean": {"categories": _BOOLEANS[0]},
    "datetime": {"unit": "D", "dtype": instants_dtype("D", None)},
}
# Sixteen digits and more are beyond what a double holds.
_MAX_FIXED_DECIMALS = 15


class _Reading(NamedTuple):
    """Canonical values of the different cells, and the fields of their column."""

    values: np.ndarray
    fields: dict[str, Any]


def parse_column(cells: pd.Series, hint: Column) -> tuple[pd.Series, Column]:
    """Turn the cells of a text column into a typed column.

    Parameters
    ----------
    cells : Series of str
        Cells as they stand in the file.
    hint : Column
        What is known already; its kind, dtype, categories, missing and format are
        followed where given.

    Returns
    -------
    series : Series
        The typed values.
    column : Column
        The hint, with kind, dtype, missing and format filled.

    Raises
    ------
    SchemaError
        If a cell cannot be read as the kind that the hint gives.
    """
    codes, uniques = pd.factorize(cells)
    texts = uniques.tolist()
    bare = [text.strip() for text in texts]

    def present(marks: Iterable[str]) -> np.ndarray:
        return np.array([text not in marks for text in bare], dtype=bool)

    if hint.missing is not None:
        always = also_typed = {mark.strip() for mark in hint.missing} | {""}
    else:
        listed = map(_category_text, hint.categories or ())
        always, also_typed = MISSING_MARKS.difference(listed), TYPED_MISSING_MARKS
    there = present(also_typed)
    reading = _read_typed(_pick(bare, there), hint)
    if reading is None:
        there = present(always)
        reading = _read_texts(_pick(texts, there), hint)

    values = np.zeros(len(texts), dtype=reading.values.dtype)
    values[there] = reading.values
    missing = ~there[codes]
    fields = dict(reading.fields)
    if hint.missing is None:
        counts = np.bincount(codes, minlength=len(texts))
        marks = sorted(np.flatnonzero(~there), key=lambda i: -counts[i])
        fields["missing"] = tuple(texts[i] for i in marks)
    if hint.dtype is not None:
        fields["dtype"] = hint.dtype
    if hint.format is not None and hint.kind != "datetime":
        fields["format"] = hint.format
    found = replace(hint, **fields)
    if found.dtype is None:
        found = replace(found, dtype=_default_dtype(found, missing.any()))
    series = from_values(values[codes], missing, found)
    # What depends on the values is left to whoever completes the column.
    categories = found.categories if found.kind == "boolean" else hint.categories
    return series, replace(found, categories=categories, unit=hint.unit)


def format_column(series: pd.Series, column: Column) -> np.ndarray:
    """Write a typed column as cells of a text file; undoes `parse_column`.

    Parameters
    ----------
    series : Series
        Typed values.
    column : Column
        Its complete description.

    Returns
    -------
    ndarray of str objects
        A missing value is the first of `column.missing`, or empty.
    """
    values, missing = to_values(series, column)
    uniques, codes = np.unique(values, return_inverse=True)
    if column.kind in LISTED_KINDS:
        listed = [_category_text(c) for c in column.categories]
        texts = [listed[code] for code in uniques] if listed else [""] * len(uniques)
    elif column.kind == "integer":
        texts = [str(value) for value in uniques.tolist()]
    elif column.kind == "real":
        texts = _format_reals(uniques, column)
    else:
        texts = _format_dates(uniques, column)
    cells = np.array(texts, dtype=object)[codes]
    cells[missing] = column.missing[0] if column.missing else ""
    return cells


def _pick(texts: list[str], mask: np.ndarray) -> list[str]:
    return [text for text, chosen in zip(texts, mask, strict=True) if chosen]


# --- reading ----------------------------------------------------------------


def _read_typed(texts: list[str], hint: Column) -> _Reading | None:
    """Read numbers, booleans or dates; None if the column is one of texts."""
    if not texts or hint.categories is not None:
        return None
    if hint.kind in (None, "categorical", "ordinal") and _is_text(hint.dtype):
        return None
    if hint.kind in ("categorical", "ordinal"):
        return _read_coded(texts, hint.kind)
    readers: dict[str, Callable] = {
        "integer": _read_integers,
        "real": _read_reals,
        "boolean": _read_booleans,
        "datetime": lambda texts: _read_dates(texts, hint.format),
    }
    for kind in readers if hint.kind is None else [hint.kind]:
        reading = readers[kind](texts)
        if reading is not None:
            return reading._replace(fields={"kind": kind} | reading.fields)
    if hint.kind is None:
        return None
    pattern = {"integer": _INTEGER, "real": _REAL}.get(hint.kind)
    wrong = [t for t in texts if pattern is None or not pattern.fullmatch(t)] or texts
    raise SchemaError(
        f"Column {hint.name!r}: expected cells of kind {hint.kind}. "
        f"Received {examples(wrong)}. "
        "Correct `kind` or `format` in the schema, list the marks that stand for a "
        "missing value in `missing`, or give a boolean its two `categories`."
    )


def _read_coded(texts: list[str], kind: str) -> _Reading | None:
    """Read integers that are categories."""
    reading = _read_integers(texts)
    if reading is None:
        return None
    categories, codes = np.unique(reading.values, return_inverse=True)
    return _Reading(codes, {"kind": kind, "categories": tuple(categories.tolist())})


def _read_texts(texts: list[str], hint: Column) -> _Reading:
    kind = hint.kind or "categorical"
    if hint.categories is not None:
        return _Reading(_look_up(texts, hint), {"kind": kind})
    if not texts and kind in _EMPTY_FIELDS:
        return _Reading(np.zeros(0, dtype=np.int64), _EMPTY_FIELDS[kind])
    if texts and kind == "ordinal":
        raise SchemaError(
            f"Column {hint.name!r}: an ordinal column of texts must give its "
            f"`categories` in order. Received none. List them in the schema."
        )
    return _Reading(np.arange(len(texts)), {"kind": kind, "categories": tuple(texts)})


def _look_up(texts: list[str], hint: Column) -> np.ndarray:
    index = {_category_text(c): code for code, c in enumerate(hint.categories)}
    unknown = [text for text in texts if text not in index]
    if unknown:
        raise SchemaError(
            f"Column {hint.name!r}: expected one of its {len(index)} categories, "
            f"{examples(list(index))}. Received {examples(unknown)}. "
            "Add them to `categories` or to `missing` in the schema, "
            "or change them in the table."
        )
    return np.array([index[text] for text in texts], dtype=np.int64)


def _read_integers(texts: list[str]) -> _Reading | None:
    if not all(map(_INTEGER.fullmatch, texts)):
        return None
    values = [int(text) for text in texts]
    if not -(2**63) <= min(values) <= max(values) < 2**63:
        return None
    return _Reading(np.array(values, dtype=np.int64), {})


def _read_reals(texts: list[str]) -> _Reading | None:
    finite = [text for text in texts if _REAL.fullmatch(text)]
    if not finite or not all(
        _REAL.fullmatch(text) or _INFINITE.fullmatch(text) for text in texts
    ):
        return None
    if all(map(_INTEGER.fullmatch, texts)) and _read_integers(texts) is None:
        return None  # too long for a number: an identifier
    layout = None
    decimals = {len(t.partition(".")[2]) for t in finite}
    if len(decimals) == 1 and not any("e" in t.lower() for t in finite):
        (digits,) = decimals
        if 1 < digits <= _MAX_FIXED_DECIMALS:
            layout = f".{digits}f"
    if layout is None and any(map(_INTEGER.fullmatch, finite)):
        layout = "short"
    return _Reading(np.array([float(t) for t in texts]), {"format": layout})


def _read_booleans(texts: list[str]) -> _Reading | None:
    for spelling in _BOOLEANS:
        if set(texts) <= set(spelling):
            codes = np.array([spelling.index(text) for text in texts])
            return _Reading(codes, {"categories": spelling})
    return None


def _read_dates(texts: list[str], layout: str | None) -> _Reading | None:
    if layout is None or _ISO_LAYOUT.fullmatch(layout):
        reading = _read_iso_dates(texts)
        if reading is not None or layout is not None:
            return reading
    layouts = [layout] if layout else ["%d/%m/%Y", "%m/%d/%Y"]
    if layout is None and not all(map(_SLASH_DATE.fullmatch, texts)):
        return None
    readings = []
    for candidate in layouts:
        try:
            instants = pd.to_datetime(pd.Series(texts, dtype=object), format=candidate)
        except ValueError:
            continue
        fields = {"format": candidate}
        readings.append(_dated(instants.to_numpy().astype("M8[us]"), None, fields))
    # 01/02/2024 alone may be two different days: left as a text.
    return readings[0] if len(readings) == 1 else None


def _read_iso_dates(texts: list[str]) -> _Reading | None:
    matches = [_ISO_DATE.fullmatch(text) for text in texts]
    if not all(matches):
        return None
    layouts = {(m["sep"], m["second"] is None, m["zone"]) for m in matches}
    if len(layouts) > 1:
        return None
    ((sep, no_second, zone),) = layouts
    digits = max(len(m["fraction"] or ".") - 1 for m in matches)
    if digits and no_second:
        return None
    bare = [text.removesuffix(zone or "") for text in texts]
    try:
        instants = np.array(bare, dtype="M8[ns]" if digits > 6 else "M8[us]")
    except ValueError:
        return None
    if not sep:
        return _dated(instants, None, {"format": "%Y-%m-%d"})
    layout = f"%Y-%m-%d{sep}%H:%M" + ("" if no_second else ":%S")
    layout += (".%f" if digits else "") + (zone or "")
    name = None if zone is None else "UTC" if zone == "Z" else f"UTC{zone}"
    return _dated(instants - _offset(zone), name, {"format": layout})


def _dated(instants: np.ndarray, zone: str | None, fields: dict) -> _Reading:
    unit = np.datetime_data(instants.dtype)[0]
    exact = coarsest_unit(instants)
    values = instants.astype(f"M8[{exact}]").astype(np.int64)
    return _Reading(
        values, fields | {"unit": exact, "dtype": instants_dtype(unit, zone)}
    )


def _offset(zone: str | None) -> np.timedelta64:
    if zone in (None, "Z"):
        return np.timedelta64(0, "m")
    minutes = int(zone[1:3]) * 60 + int(zone[4:])
    return np.timedelta64(-minutes if zone[0] == "-" else minutes, "m")


def _is_text(dtype: str | None) -> bool:
    names = ("str", "object", "utf8", "large_string", "category[str", "category[object")
    return dtype is not None and dtype.startswith(names)


def _default_dtype(column: Column, missing: bool) -> str:
    categories = column.categories
    if column.kind == "real":
        return "float64"
    if column.kind == "boolean" and [str(c).lower() for c in categories] == [
        "false",
        "true",
    ]:
        return "boolean" if missing else "bool"
    if column.kind == "integer" or (
        categories and all(type(c) is int for c in categories)
    ):
        return "Int64" if missing else "int64"
    if all(isinstance(c, str) for c in categories):
        return TEXT_DTYPE
    return "object"


# --- writing ----------------------------------------------------------------


def _category_text(category: Any) -> str:
    if isinstance(category, pd.Timestamp):
        return category.isoformat()
    return str(category)


def _format_reals(values: np.ndarray, column: Column) -> list[str]:
    if column.decimals is not None:
        values = np.round(values, column.decimals)
    values = values + 0.0  # no minus zero
    layout = column.format
    if layout and layout != "short":
        return [format(value, layout) for value in values.tolist()]
    if "32" in column.dtype or column.dtype.startswith("float["):
        values = values.astype(np.float32)
    texts = [str(value) for value in values]
    return [t.removesuffix(".0") for t in texts] if layout == "short" else texts


def _format_dates(values: np.ndarray, column: Column) -> list[str]:
    layout = column.format or _default_layout(column)
    iso = _ISO_LAYOUT.fullmatch(layout)
    instants = values.astype(f"M8[{column.unit}]")
    if iso is None:
        # Seconds reach every year; strftime has no finer field than %f.
        unit = "s" if column.unit in ("D", "s") else "us"
        return pd.Series(instants.astype(f"M8[{unit}]")).dt.strftime(layout).tolist()
    if iso["sep"] is None:
        return np.datetime_as_string(instants, unit="D").tolist()
    unit = "m" if not iso["second"] else "s"
    if iso["fraction"]:
        unit = column.unit if column.unit in ("ms", "us", "ns") else "ms"
    zone = iso["zone"] or ""
    local = instants.astype(f"M8[{unit}]") + _offset(iso["zone"])
    texts = np.datetime_as_string(local, unit=unit, casting="unsafe").tolist()
    return [text.replace("T", iso["sep"]) + zone for text in texts]


def _default_layout(column: Column) -> str:
    zoned = "UTC" in column.dtype or "," in column.dtype
    if column.unit == "D" and not zoned:
        return "%Y-%m-%d"
    fraction = "" if column.unit in ("D", "s") else ".%f"
    return f"%Y-%m-%dT%H:%M:%S{fraction}" + ("Z" if zoned else "")
