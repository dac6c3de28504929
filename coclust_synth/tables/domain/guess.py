"""A column's domain from its schema and its rows: for trials, as it tells of them.

Bounds are rounded outwards to short numbers; they depend on the rows all the same. They
are those of numbers that are not far from all others, as slips and codes such as 999
are: with these, one interval would hold nearly all that is known of the column.
"""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.clock import FULL, has_hours, has_seconds, write_date_as
from coclust_synth.tables.column import LISTED_KINDS, NUMERIC_KINDS, Column
from coclust_synth.tables.domain.column import DomainColumn
from coclust_synth.tables.domain.layouts import (
    parse_date,
    parse_time,
    seconds_of,
    texts_of_times,
)
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.reading.texts.cells import cell_text
from coclust_synth.tables.reading.texts.codes import far_numbers, missing_codes
from coclust_synth.tables.reading.texts.layouts import NumberLayout
from coclust_synth.tables.reading.texts.text import format_column

# A column of amounts is cut by logarithms if half of those above 0 lie in this share
# of its range: one of ten bins of equal width would then hold most of them.
_CROWDED = 0.1
# Zeros are set apart from this share of the rows on.
_MANY_ZEROS = 0.1
# Decimals that so many of the rows do without are not drawn; up to so many are tried.
_USUAL = 0.75
_MAX_DECIMALS = 4
_ISO = "%Y-%m-%d"
_TIME = re.compile("%-?[HIMSpP]")


def guess_column(
    column: Column, bins: int, values: np.ndarray | None = None, *, rounded: bool = True
) -> DomainColumn:
    """The domain of a column.

    Parameters
    ----------
    column : Column
        Complete.
    bins : int
        Asked for in a column of numbers or dates; fewer where it has fewer values.
    values : ndarray, optional
        The present numbers of the column. If given, those without a negative number may
        be cut by logarithms, or have a bin for the number 0, and others by edges that
        grow with the distance from 0: see the constants above. A whole number above all
        others that looks like a code is the mark of what is missing, where there is no
        other; numbers that few have, far from all others, are counted in the interval
        nearest to them.
    rounded : bool, default=True
        Whether bounds are rounded outwards: to a power of ten between a tenth and a
        hundredth of their distance, dates to whole years or months.

    Raises
    ------
    SchemaError
        If it has neither categories nor bounds, or dates with a time zone.
    """
    marks = list(dict.fromkeys(filter(None, map(cell_text, column.missing or ()))))
    missing, clamp = (*marks, "")[0] if column.missing else None, False
    if values is not None:
        code, far = odd_numbers(column, values)
        values = values[~np.isin(values, [*far, *(() if code is None else (code,))])]
        ends = values.min().item(), values.max().item()
        column, clamp = replace(column, bounds=ends), bool(far)
        missing = missing if code is None else cell_text(code)
    if column.kind in LISTED_KINDS and column.categories:
        cut = {"categories": tuple(_single(v, column) for v in column.categories)}
    elif column.bounds is None:
        raise SchemaError(
            f"Column {column.name!r}: expected values to read a domain from. Received "
            "none. Declare it by hand, or drop the column."
        )
    elif column.is_time:
        cut = _times(column, bins, rounded)
    elif column.kind == "datetime":
        dtype = column.dtype or ""
        if "UTC" in dtype or "," in dtype:
            raise SchemaError(
                f"Column {column.name!r}: expected dates without a time zone. Received "
                f"dtype {dtype}. Convert them to local times, or drop the column."
            )
        cut = _dates(column, bins, rounded)
    else:
        cut = _numbers(column, bins, values, rounded)
        is_listed = len(marks) < 2 and not clamp
        few = _few(values, cut.get("bins", bins)) if is_listed else []
        if few and "categories" not in cut:
            kind = int if column.kind == "integer" else float
            cut = {"categories": (*map(kind, few),), "format": _layout(column)}
    if cut.keys() == {"categories", "format"}:
        return DomainColumn(name=column.name, missing=missing, **cut)
    if "categories" in cut:
        # Values that differ by the blanks around them are one, further marks values.
        listed = {cell_text(v): v for v in (*cut["categories"], *marks[1:])}
        listed.pop(None, None)
        cut["categories"] = tuple(listed.values())
    else:
        cut["coerce"], cut["clamp"] = len(marks) > 1, clamp
        cut["format"] = _layout(column)
    return DomainColumn(name=column.name, missing=missing, **cut)


def _layout(column: Column) -> str | None:
    """How texts of the column are laid out, where that is not what is read anyhow."""
    if column.kind == "datetime":
        layout = column.format or _ISO
        if layout.startswith(_ISO) and "%f" in layout:
            return None  # Fractions of a second are read, and never written.
        if column.unit == "D" and has_hours(layout):
            return _at_midnight(layout)
        return None if layout in (_ISO, f"{_ISO}T%H:%M:%S") else layout
    layout = NumberLayout.parse(column.format)
    # A domain has a unit, of no more digits than were meant, and no powers of ten.
    words = layout.digits.split()
    digits = " ".join(w for w in words if w != "double" and not w.endswith("g"))
    return str(layout._replace(digits=digits, powers="")) or None


def _at_midnight(layout: str) -> str:
    """The layout of days whose texts all have the same time of the day behind them."""
    midnight = datetime.datetime(1, 1, 1)
    return _TIME.sub(lambda own: write_date_as(own[0], midnight), layout)


def _single(value, column: Column):
    """A value that is listed: a text where the column's texts are laid out."""
    is_number = column.kind in NUMERIC_KINDS and column.kind != "datetime"
    if is_number and NumberLayout.parse(column.format).is_plain:
        return value
    if _layout(column) is None:
        return value
    return format_column(pd.Series([value]), column)[0]


# --- numbers ------------------------------------------------------------------


def odd_numbers(column: Column, values: np.ndarray) -> tuple[int | None, list]:
    """Numbers of a column that its bounds leave out.

    Parameters
    ----------
    column : Column
    values : ndarray
        Its present numbers, at least one.

    Returns
    -------
    code : int or None
        The only whole number that looks like the code of a missing value, if none is
        missing otherwise. Of one digit many rows have it: others are counts.
    far : list of int or float
        Other numbers that few rows have, far from all others.
    """
    distinct, rows = np.unique(values, return_counts=True)
    far, codes = far_numbers(distinct, rows), missing_codes(distinct)
    codes = [code for code in codes if code > 0]
    is_plain = column.kind == "integer" and column.format is None
    if len(codes) != 1 or not is_plain or column.missing:
        return None, far
    is_code = codes[0] > 9 or (values == codes[0]).sum() >= MIN_ROWS
    return codes[0] if is_code else None, far


def _few(values: np.ndarray | None, bins: int) -> list:
    """Numbers that are a list rather than a range: so few that many rows have each."""
    if values is None or not len(values):
        return []
    found, rows = np.unique(values, return_counts=True)
    return found.tolist() if len(found) < bins and rows.min() >= MIN_ROWS else []


def _numbers(column: Column, bins: int, values, rounded: bool) -> dict:
    low, high = column.bounds
    if low == high:
        return {"categories": (_single(low, column),)}
    kind = int if column.kind == "integer" else float
    if math.isinf(high - low):
        raise SchemaError(
            f"Column {column.name!r}: expected numbers of which the highest less the "
            f"lowest is a finite number. Received {low} and {high}. Declare it by hand "
            "with narrower bounds, or drop the column."
        )
    unit = column.step
    if kind is float and unit is not None and max(-low, high) / unit > 2**52:
        unit = None  # the largest has no digits as fine, and ends are rounded up
    n_units = math.inf if unit is None else (high - low) / unit
    n_values = n_units if math.isinf(n_units) else round(n_units) + 1
    cut = {"unit": None if kind is int and unit == 1 else unit}
    if n_values <= bins:
        return cut | {"low": kind(low), "high": kind(high), "bins": n_values}
    ends = low, high
    if rounded:
        low, high = (kind(bound) for bound in _round_outwards(low, high))
    cut |= {"low": kind(low), "high": kind(high), "bins": bins}
    if values is None:
        return cut
    if kind is float:
        cut["unit"] = _usual_unit(values, unit, (high - low) / bins)
    if values.min() < 0:
        edges = _growing(values, ends, bins, cut["unit"] or unit or 0, rounded)
        return {"unit": cut["unit"], "edges": (*map(kind, edges),)} if edges else cut
    positive, share_of_zeros = values[values > 0], np.mean(values == 0)
    if np.median(positive) < _CROWDED * high:
        least = kind(_round_down(positive.min().item()))
        if least < (cut["unit"] or 0):  # the smallest have decimals that others lack
            cut["unit"] = unit
        return cut | {"low": least, "scale": "log", "zero": bool(share_of_zeros)}
    wide = (high - low) / bins >= 2 * (cut["unit"] or unit or 0)
    return cut | {"zero": bool(wide and share_of_zeros >= _MANY_ZEROS)}


def _usual_unit(values, unit, width) -> float | None:
    """Of numbers that few have with more decimals, the unit that the others have.

    At most a width, that of the intervals; else the unit that was found of all of them.
    """
    own = np.abs(values[values != 0])
    for n_decimals in range(_MAX_DECIMALS + 1):
        usual = float(Decimal(1).scaleb(-n_decimals))
        if unit is not None and usual <= unit:
            break
        # Above, floats have no such decimals.
        if usual > width or own.max() / usual > 2**52:
            continue
        if np.mean(own == np.round(own, n_decimals)) >= _USUAL:
            return usual
    return unit


def _growing(values, ends, bins: int, unit, rounded: bool) -> list[Decimal] | None:
    """Edges of intervals that grow with the distance from 0, on either side of it.

    One starts at 0, which has it to itself where many are 0. The others next to it hold
    as many of the numbers as if all held as many. None where numbers are not crowded
    there, or the intervals are too few. The only number below 0, if it is a code that
    many have, as -200 for no answer, is set apart; if others are not crowded, evenly.
    """
    size, is_negative, is_positive = np.abs(values), values < 0, values > 0
    sides = [s for s in ((is_negative, -1), (is_positive, 1)) if s[0].any()]
    edges = set() if is_negative.all() else {Decimal(0)}
    if is_positive.any() and np.mean(values == 0) >= _MANY_ZEROS:
        edges.add(_round_down(unit or values[is_positive].min().item()))
    # Exact: the float 1.9 is below 1.9.
    low, high = (Decimal(repr(end)) for end in ends)
    n_numbers = len(np.unique(values[is_negative])) - 1
    has_code = n_numbers == 0 and is_negative.sum() >= MIN_ROWS
    if has_code and unit and low + Decimal(repr(unit)) < 0:
        edges.add(low + Decimal(repr(unit)))
    n_cuts = bins - 1 - len(edges)
    judged = size[is_positive] if has_code and is_positive.any() else size[values != 0]
    is_crowded = np.median(judged) < _CROWDED * judged.max()
    if not (is_crowded or has_code) or n_cuts < len(sides):
        return None
    share = is_negative.sum() / (values != 0).sum()
    n_below = min(max(round(n_cuts * share), 1), n_cuts - len(sides) + 1, n_numbers)
    if rounded:  # each by itself: of -1 and 700, -1 is no -10
        low = low if has_code else _two_digits(low, ROUND_FLOOR)
        high = _two_digits(high, ROUND_CEILING)
    edges |= {low, high}
    for (of_side, sign), n in zip(sides, (n_below, n_cuts - n_below), strict=False):
        end = float(-low if sign < 0 else high)
        if is_crowded:
            least = float(np.quantile(size[of_side], 1 / (n + 1), method="lower"))
            cuts = (least * (end / least) ** (i / n) for i in range(n))
            edges |= {sign * _round_down(cut) for cut in cuts if cut >= unit}
        else:
            least = float(size[of_side].min())
            cuts = (Decimal(repr(least + (end - least) * i / n)) for i in range(n))
            edges |= {_two_digits(cut, ROUND_FLOOR) for cut in cuts if cut >= unit}
    return sorted(edge for edge in edges if low <= edge <= high)


def _round_outwards(low, high) -> tuple[Decimal, Decimal]:
    low, high = Decimal(repr(low)), Decimal(repr(high))
    grain = Decimal(1).scaleb((high - low).adjusted() - 1)
    if low == int(low) and high == int(high):
        grain = max(grain, Decimal(1))
    return _multiple(low, grain, ROUND_FLOOR), _multiple(high, grain, ROUND_CEILING)


def _round_down(number) -> Decimal:
    """A number above 0, with its first digit only."""
    number = Decimal(repr(number))
    return _multiple(number, Decimal(1).scaleb(number.adjusted()), ROUND_FLOOR)


def _two_digits(number: Decimal, rounding: str) -> Decimal:
    """A number with its first two digits, or all that stand before the point of one."""
    grain = Decimal(1).scaleb(number.adjusted() - 1)
    if number == int(number):
        grain = max(grain, Decimal(1))
    return _multiple(number, grain, rounding)


def _multiple(number: Decimal, grain: Decimal, rounding: str) -> Decimal:
    return (number / grain).to_integral_value(rounding) * grain + 0  # no -0


# --- times and dates ----------------------------------------------------------


def _times(column: Column, bins: int, rounded: bool) -> dict:
    low, high = (seconds_of(parse_time(bound)) for bound in column.bounds)
    grain = 1 if has_seconds(column.format or FULL) else 60
    if rounded:  # to whole hours
        low, high = low // 3600 * 3600, (high // 3600 + 1) * 3600 - grain
    low, high = (datetime.timedelta(seconds=own) for own in (low, high))
    if low == high:
        return {"categories": tuple(texts_of_times([low], column.format))}
    n_values = seconds_of(high - low) // grain + 1
    return {"low": low, "high": high, "bins": min(bins, n_values)}


def _dates(column: Column, bins: int, rounded: bool) -> dict:
    # Of midnights the bounds are days.
    is_timed = has_hours(_layout(column) or "") or len(column.bounds[0]) > 10
    kind = "s" if is_timed else "D"
    low, high = (np.datetime64(bound, kind) for bound in column.bounds)
    if rounded:
        days = (high - low) / np.timedelta64(1, "D")
        period = "Y" if days > 3650 else "M" if days > 300 else "D"
        low = low.astype(f"M8[{period}]").astype(f"M8[{kind}]")
        last = high.astype(f"M8[{period}]")
        after = (last + np.timedelta64(1, period)).astype(f"M8[{kind}]")
        high = after - np.timedelta64(1, kind)
    if low == high:
        return {"categories": (str(_single(low, column)),)}
    n_values = int((high - low).astype(np.int64)) + 1
    ends = (parse_date(str(bound)) for bound in (low, high))
    return dict(zip(("low", "high"), ends, strict=True)) | {"bins": min(bins, n_values)}
