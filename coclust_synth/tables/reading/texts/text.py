"""Between the cells of a text file and typed columns.

`parse_column` finds out what the cells are and `format_column` writes them back in
the layout they had. A column is read as numbers or dates only if every cell that is
not a missing mark can be written back: 00501 stays a text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.clock import NUMBER_LAYOUTS, layout_of_digits
from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.reading.texts.codes import are_countries
from coclust_synth.tables.reading.texts.identifiers import is_called_code
from coclust_synth.tables.reading.texts.layouts import (
    NumberLayout,
    find_layout,
    with_decimals,
    with_digits,
)
from coclust_synth.tables.reading.texts.lists import TEXT_FORMATS, format_of_texts
from coclust_synth.tables.reading.texts.powers import Powers, find_powers
from coclust_synth.tables.values.columns import as_dates, examples, to_values
from coclust_synth.tables.values.dtypes import (
    TEXT_DTYPE,
    Reading,
    instants_dtype,
    is_text_dtype,
    read_dates,
    write_dates,
)
from coclust_synth.tables.values.numbers import are_near, rounded_to
from coclust_synth.tables.values.series import from_values

MISSING_MARKS = frozenset(
    ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", r"\N")  # the last of MySQL
)
# Missing only among numbers, booleans or dates; a value among texts.
TYPED_MISSING_MARKS = MISSING_MARKS | {"None", "none", ".", "-", "#N/A"}

_INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_REAL = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_BOOLEANS = (("false", "true"), ("False", "True"), ("FALSE", "TRUE"))
# Cells of a mark beside another one that are no slips, and kinds of columns of texts.
_NO_SLIPS, _OF_TEXTS = 20, (None, "categorical", "ordinal")
# Of a column whose kind is given, where every cell is missing.
_EMPTY_FIELDS: dict[str, dict[str, Any]] = {
    "integer": {},
    "real": {},
    "boolean": {"categories": _BOOLEANS[0]},
    "datetime": {"unit": "D", "dtype": instants_dtype("D", None)},
}
# With a sign; more are beyond 64 bits, as no zeros lead.
_MAX_INTEGER = 20
# Sixteen digits and more are beyond what a double holds.
_MAX_FIXED_DECIMALS = 15
# Programs write 6, 7, 9 or 15 digits of a number, wherever the point is: so many have
# all of them, and as many have as many and the point elsewhere.
_MIN_FLOATING, _MANY = 6, 20
# What fifteen digits are off, at most.
_FIFTEEN_DIGITS = 5e-15
# Reals with more decimals may be of single precision.
MAX_DECIMALS = 9


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
    if hint.kind is None and hint.format in NUMBER_LAYOUTS:
        hint = replace(hint, kind="datetime")
    if hint.kind in ("integer", "real") and is_text_dtype(hint.dtype):
        hint = replace(hint, dtype=None)  # of the texts that were there
    _check_format(hint)
    codes, uniques = pd.factorize(cells)
    texts = uniques.tolist()
    bare = [text.strip() for text in texts]

    def present(marks: Iterable[str]) -> np.ndarray:
        return np.array([text not in marks for text in bare], dtype=bool)

    if hint.missing is not None:
        always = also_typed = {mark.strip() for mark in hint.missing} | {""}
    else:
        listed = _category_texts(hint)
        always, also_typed = MISSING_MARKS.difference(listed), TYPED_MISSING_MARKS
    there = present(also_typed)
    reading = _read_typed(_pick(bare, there), hint)
    if reading is None:
        if hint.missing is None and are_countries(_pick(texts, present(always))):
            always = always - {"NA"}
        if hint.missing is None and present(always).any() and hint.kind in _OF_TEXTS:
            always = _one_mark(always, bare, np.bincount(codes, minlength=len(texts)))
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
    if hint.format is not None and fields.get("kind") in LISTED_KINDS:
        fields["format"] = hint.format
    found = replace(hint, **fields)
    if found.dtype is None:
        found = replace(found, dtype=_default_dtype(found, missing.any()))
    series = from_values(values[codes], missing, replace(found, no_date=None))
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
    values, missing = to_values(series, as_dates(column))
    uniques, codes = np.unique(values, return_inverse=True)
    if column.kind in LISTED_KINDS:
        listed = _category_texts(column)
        texts = [listed[code] for code in uniques] if listed else [""] * len(uniques)
    elif column.kind == "integer":
        layout = NumberLayout.parse(column.format)
        texts = [str(value) for value in uniques.tolist()]
        texts = texts if layout.is_plain else [*map(layout.write, texts)]
    elif column.kind == "real":
        texts = _format_reals(uniques, column)
    else:
        texts = write_dates(uniques, column)
    cells = np.array(texts, dtype=object)[codes]
    cells[missing] = column.missing[0] if column.missing else ""
    return cells


def _one_mark(
    marks: Collection[str], bare: list[str], counts: np.ndarray
) -> Collection[str]:
    """The marks of missing texts of which no other says something else.

    An empty cell and NULL in one column may be two answers: not asked, not known. The
    empty one is missing, if it is no slip, or else the commonest, of several the first
    by its letters; others that are no slips are values like any.

    Parameters
    ----------
    marks : collection of str
    bare : list of str, of length m
        The different texts.
    counts : ndarray of int64, shape (m,)
        Cells of each.
    """
    held = {mark: 0 for mark in bare if mark in marks}
    for text, n in zip(bare, counts.tolist(), strict=True):
        if text in held:
            held[text] += n
    first = min(
        held,
        key=lambda mark: (mark != "" or held[mark] < _NO_SLIPS, -held[mark], mark),
        default="",
    )
    others = {mark for mark, n in held.items() if mark != first and n >= _NO_SLIPS}
    return {*marks} - others


def _pick(texts: list[str], mask: np.ndarray) -> list[str]:
    return [text for text, chosen in zip(texts, mask, strict=True) if chosen]


# --- reading ----------------------------------------------------------------


def _read_typed(texts: list[str], hint: Column) -> Reading | None:
    """Read numbers, booleans or dates; None if the column is one of texts."""
    if not texts or hint.categories is not None:
        return None
    if hint.kind in (None, "categorical", "ordinal") and is_text_dtype(hint.dtype):
        return None
    if hint.kind in ("categorical", "ordinal"):
        return _read_coded(texts, hint.kind)
    readers: dict[str, Callable] = {
        "integer": lambda texts: _read_laid_out(texts, hint.format, _read_integers),
        "real": lambda texts: _read_laid_out(texts, hint.format, _read_reals),
        "boolean": _read_booleans,
        "datetime": lambda texts: read_dates(texts, hint.format),
    }
    if hint.kind is None and _are_dates_of_digits(texts, hint):
        readers = {"datetime": readers["datetime"]} | readers
    for kind in readers if hint.kind is None else [hint.kind]:
        reading = readers[kind](texts)
        if reading is not None:
            return reading._replace(fields={"kind": kind} | reading.fields)
    if hint.kind is None:
        return None
    pattern = {"integer": _INTEGER, "real": _REAL}.get(hint.kind)
    wrong = [t for t in texts if pattern is None or not pattern.fullmatch(t)] or texts
    if hint.kind == "datetime" and hint.format is not None:
        wrong = [t for t in texts if read_dates([t], hint.format) is None] or texts
    raise SchemaError(
        f"Column {hint.name!r}: expected cells of kind {hint.kind}. "
        f"Received {examples(wrong)}. "
        "Correct `kind` or `format` in the schema, list the marks that stand for a "
        "missing value in `missing`, or give a boolean its two `categories`."
    )


def _are_dates_of_digits(texts: list[str], hint: Column) -> bool:
    """Whether whole numbers are dates, where nothing else is said of them."""
    is_described = hint.bounds is not None or hint.step is not None
    if is_described or is_called_code(hint.name):
        return False
    return hint.format is None and layout_of_digits(texts) is not None


def _check_format(hint: Column) -> None:
    """Refuse the layout of a number or a date where categories are said to be."""
    layout = hint.format or ""
    if hint.kind not in ("categorical", "ordinal") or layout in TEXT_FORMATS:
        return
    if not NumberLayout.parse(layout).is_plain or "%" in layout:
        kind = "datetime" if "%" in layout else "integer or real"
        raise SchemaError(
            f"Column {hint.name!r}: expected no `format` of a column of kind "
            f"{hint.kind}. Received {layout!r}. Say kind {kind} in the schema and "
            "leave out `dtype` and `categories`, or leave out `format`."
        )


def _read_coded(texts: list[str], kind: str) -> Reading | None:
    """Read integers that are categories."""
    reading = _read_integers(texts)
    if reading is None:
        return None
    categories, codes = np.unique(reading.values, return_inverse=True)
    return Reading(codes, {"kind": kind, "categories": tuple(categories.tolist())})


def _read_texts(texts: list[str], hint: Column) -> Reading:
    kind = hint.kind or "categorical"
    if hint.categories is not None:
        return Reading(_look_up(texts, hint), {"kind": kind})
    if not texts and kind in _EMPTY_FIELDS:
        return Reading(np.zeros(0, dtype=np.int64), _EMPTY_FIELDS[kind])
    if texts and kind == "ordinal":
        raise SchemaError(
            f"Column {hint.name!r}: expected the `categories` of an ordinal column "
            "of texts, in order. Received none. List them in the schema."
        )
    fields = {"kind": kind, "categories": tuple(texts)}
    if (hint.kind, hint.dtype) == (None, None) and (found := format_of_texts(texts)):
        fields["format"] = found
    return Reading(np.arange(len(texts)), fields)


def _look_up(texts: list[str], hint: Column) -> np.ndarray:
    index = {text: code for code, text in enumerate(_category_texts(hint))}
    are_texts = any(isinstance(category, str) for category in hint.categories)
    if hint.kind == "boolean" or not are_texts:  # as numbers are read
        texts = [text if text in index else text.strip() for text in texts]
    unknown = [text for text in texts if text not in index]
    if unknown:
        raise SchemaError(
            f"Column {hint.name!r}: expected one of its {len(index)} categories, "
            f"{examples(list(index))}. Received {examples(unknown)}. "
            "Add them to `categories` or to `missing` in the schema, "
            "or change them in the table."
        )
    return np.array([index[text] for text in texts], dtype=np.int64)


def _read_laid_out(
    texts: list[str], layout: str | None, read: Callable
) -> Reading | None:
    """Read numbers in the layout of their column, or in the one that is found."""
    given = NumberLayout.parse(layout)
    found = find_layout(texts) if given.is_plain else given
    plain = None if found is None else found.read(texts)
    reading = None if plain is None else read(plain)
    if reading is None:
        return None
    digits = given.digits or reading.fields.get("format") or ""
    powers = given.powers if layout else _find_powers(plain, digits)
    found = found._replace(digits=digits, powers=powers)
    return reading._replace(fields=reading.fields | {"format": str(found) or None})


def _find_powers(texts: list[str], digits: str) -> str:
    """How powers of ten are written, where Python would write them otherwise."""
    found = find_powers(texts)
    is_usual = found is None or (found.is_python and not digits.endswith("g"))
    return "" if is_usual else str(found)


def _read_integers(texts: list[str]) -> Reading | None:
    if not all(map(_INTEGER.fullmatch, texts)) or max(map(len, texts)) > _MAX_INTEGER:
        return None
    values = [int(text) for text in texts]
    if not -(2**63) <= min(values) <= max(values) < 2**63:
        return None
    return Reading(np.array(values, dtype=np.int64), {})


def _read_reals(texts: list[str]) -> Reading | None:
    finite = [text for text in texts if _REAL.fullmatch(text)]
    if not finite or not all(
        _REAL.fullmatch(text) or _INFINITE.fullmatch(text) for text in texts
    ):
        return None
    if all(map(_INTEGER.fullmatch, texts)) and _read_integers(texts) is None:
        return None  # too long for a number: an identifier
    values = np.array([float(t) for t in texts])
    if np.isinf(values).sum() > len(texts) - len(finite):
        return None  # 1e999 is no infinity
    layout = None
    decimals = {len(t.partition(".")[2]) for t in finite}
    if len(decimals) == 1 and not any("e" in t.lower() for t in finite):
        (digits,) = decimals
        if 1 < digits <= _MAX_FIXED_DECIMALS:
            layout = f".{digits}f"
    elif _have_at_least(min(decimals), finite):
        layout = f".{min(decimals)}f+"
    elif _have_all_or_none(decimals, finite):
        layout = f"short .{max(decimals)}f"
    if layout is None and any(map(_INTEGER.fullmatch, finite)):
        layout = "short"
    fields = {"format": _floating(finite) or layout}
    if max(decimals) > MAX_DECIMALS:
        # 0.1 is 0.10000000149011612: nobody's values have these digits.
        single = _of_single(values, finite, "short " * (layout == "short"))
        fields = fields if single is None else {"format": single, "dtype": "float32"}
    return Reading(values, fields)


def _of_single(values: np.ndarray, texts: list[str], short: str) -> str | None:
    """The layout of numbers of single precision, None of others.

    They have the digits of doubles, or fifteen of these, as R writes them.
    """
    with np.errstate(over="ignore"):
        single = values.astype(np.float32).astype(np.float64)
    if (single == values).all():
        return f"{short}double"
    if not np.isclose(single, values, rtol=_FIFTEEN_DIGITS, atol=0).all():
        return None
    written = (
        format(number, ".15g") for number in single[np.isfinite(single)].tolist()
    )
    return ".15g" if [*written] == texts else None


def _have_at_least(digits: int, texts: list[str]) -> bool:
    """Whether numbers have some decimals, also 0 as the last one, and few have more."""
    if digits < 2 or any("e" in text.lower() for text in texts):
        return False
    with_more = [t for t in texts if len(t.partition(".")[2]) > digits]
    if any(text.endswith("0") for text in with_more):
        return False
    n_padded = sum(text.endswith("0") for text in texts)
    return n_padded > len(with_more)


def _have_all_or_none(decimals: set[int], texts: list[str]) -> bool:
    """Whether whole numbers have no decimals and all others as many: 2, and 2.50."""
    if min(decimals) or not 1 < max(decimals) <= _MAX_FIXED_DECIMALS:
        return False
    others = [text for text in texts if "." in text]
    is_padded = any(text.endswith("0") for text in others)
    is_whole = any(not text.partition(".")[2].strip("0") for text in others)
    return len(decimals) == 2 and is_padded and not is_whole


def _floating(texts: list[str]) -> str | None:
    """The layout of numbers that have some digits at most, wherever the point is.

    None of others. With as many decimals, those of most digits have it in one place.
    """
    if any(t.endswith(".0") for t in texts):
        return None
    mantissas = [t.lower().partition("e")[0] for t in texts]
    n_digits = [len(t.replace(".", "").lstrip("+-0")) for t in mantissas]
    most = max(n_digits)
    longest = (t for t, n in zip(mantissas, n_digits, strict=True) if n == most)
    points = Counter(t[::-1].find(".") for t in longest)
    elsewhere = sum(n >= _MANY for n in points.values()) > 1
    layout = f".{most}g"
    is_floating = elsewhere and _MIN_FLOATING <= most <= _MAX_FIXED_DECIMALS
    with_powers = (t for t in texts if "e" in t.lower())
    if not is_floating or any(format(float(t), layout) != t for t in with_powers):
        return None
    return layout


def _read_booleans(texts: list[str]) -> Reading | None:
    for spelling in _BOOLEANS:
        if set(texts) <= set(spelling):
            codes = np.array([spelling.index(text) for text in texts])
            return Reading(codes, {"categories": spelling})
    return None


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


def _category_texts(column: Column) -> list[str]:
    categories = column.categories or ()
    if column.format and categories and all(type(c) is float for c in categories):
        return _format_reals(np.array(categories), column)
    return [
        c.isoformat() if isinstance(c, pd.Timestamp) else str(c) for c in categories
    ]


def _format_reals(values: np.ndarray, column: Column) -> list[str]:
    if column.decimals is not None:
        rounded = rounded_to(values, column.decimals)
        # Last digits that doubles lose are those of the table.
        values = np.where(are_near(values, rounded), values, rounded)
    values = values + 0.0  # no minus zero
    laid_out = NumberLayout.parse(column.format)
    if not laid_out.is_plain:
        bare = replace(column, format=str(laid_out.bare))
        return [*map(laid_out.write, _format_reals(values, bare))]
    if laid_out.powers:
        powers = Powers.parse(laid_out.powers)
        plain = _format_reals(values, replace(column, format=laid_out.digits))
        return [*map(powers.write, values.tolist(), plain)]
    if "32" in column.dtype or column.dtype.startswith("float["):
        values = values.astype(np.float32)
    words = laid_out.digits.split()
    if laid_out.digits.endswith("+"):
        return [with_decimals(value, laid_out.digits) for value in values.tolist()]
    if not {"short", "double"}.issuperset(words):
        texts = [with_digits(value, laid_out.digits) for value in values.tolist()]
        if laid_out.digits.endswith("g"):
            texts = [format(Decimal(text), "f") for text in texts]
        return texts
    if "double" in words:
        values = values.astype(np.float64)
    texts = [str(value) for value in values]
    return [t.removesuffix(".0") for t in texts] if "short" in words else texts
