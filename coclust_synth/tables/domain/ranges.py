"""What is declared of a column of numbers or dates: bounds, bins, unit."""

from __future__ import annotations

import datetime
import math
from itertools import pairwise

import numpy as np

from coclust_synth.tables.domain.bins import (
    Bins,
    even_starts,
    log_starts,
    step_count,
    step_starts,
    without_zero,
)
from coclust_synth.tables.domain.layouts import (
    PERIODS,
    SECONDS_A_DAY,
    period_starts,
    seconds_of,
    seconds_of_layout,
)

SCALES = ("linear", "log")
# Of the declaration of numbers and dates alone.
RANGE_FIELDS = ("low", "high", "bins", "step", "edges", "scale", "zero", "unit")
_MAX_BINS = 1_000_000
_NUMBERS = (int, float)


def check_range(column) -> None:
    """Refuse numbers or dates that are declared by halves, or against each other.

    Parameters
    ----------
    column : DomainColumn
        Without categories; its `fail` raises.
    """
    if all(getattr(column, field) is None for field in ("low", "high", "edges")):
        column.fail("categories", "given, or `low`, `high` and `bins`")
    if column.edges is not None:
        for field in ("low", "high", "bins", "step"):
            if getattr(column, field) is not None:
                column.fail(field, "left out beside `edges`")
        if not isinstance(column.edges, tuple) or len(column.edges) < 2:
            column.fail("edges", "a list of at least two numbers or dates")
    for field in ("low", "high") if column.edges is None else ("edges",):
        _check_numbers(column, field)
    points, field = column.edges or column.ends, "edges" if column.edges else "high"
    kinds = (datetime.date, datetime.datetime, datetime.timedelta)
    if len({tuple(isinstance(point, kind) for kind in kinds) for point in points}) > 1:
        column.fail(field, "of one kind: numbers, dates, dates with times, or times")
    if not all(low < high for low, high in pairwise(points)):
        column.fail(field, "in increasing order" if column.edges else "above `low`")
    numbers = map(column.number_of, points)
    if any(math.isinf(high - low) for low, high in pairwise(numbers)):
        column.fail(
            field,
            "of finite distances"
            if column.edges
            else "so near `low` that `high` less `low` is a finite number",
        )
    _check_cut(column)
    _check_draws(column)
    _check_bins(column)


def bins_of(column) -> Bins:
    """The bins of a column that `check_range` accepts; dates as numbers."""
    whole = column.is_integer or column.is_date
    kind = int if whole else float
    unit = column.unit or (seconds_of_layout(column) if whole else None)
    low, high = (kind(column.number_of(end)) for end in column.ends)
    if column.edges is not None:
        starts = np.array([kind(column.number_of(e)) for e in column.edges[:-1]])
    elif column.is_time and column.step is not None:
        starts = np.arange(low, high + 1, seconds_of(column.step))
    elif column.step is not None and column.is_date:
        a_day = SECONDS_A_DAY if column.is_timed else 1
        starts = period_starts(low, high, column.step, a_day)
    elif column.step is not None:
        starts = step_starts(low, high, column.step)
    elif column.scale == "log":
        starts = log_starts(low, high, column.bins, unit)
    elif column.is_timed:  # of whole minutes or seconds, 06:00 to 21:59 in hours
        starts = even_starts(-(-low // unit), high // unit, column.bins) * unit
        starts[0] = low
    else:
        starts = even_starts(low, high, column.bins)
    if column.zero:
        starts = without_zero(starts)
    return Bins(low, high, starts, unit, column.scale == "log", column.zero)


def _check_numbers(column, field):
    """Refuse what is neither a number nor a date, or is out of reach."""
    value = getattr(column, field)
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, datetime.timedelta):
            if number.days < 0 or number.microseconds:
                column.fail(field, "a time from 00:00 on, in whole seconds")
        elif isinstance(number, datetime.date):
            if getattr(number, "tzinfo", None) or getattr(number, "microsecond", 0):
                column.fail(field, "without a time zone, and in whole seconds")
        elif not isinstance(number, _NUMBERS) or isinstance(number, bool):
            column.fail(field, "a number, or a date such as 2024-12-31")
        elif not math.isfinite(number):
            column.fail(field, "a number, not infinite")
        elif isinstance(number, int) and abs(number) > 2**62:
            column.fail(field, "within 62 bits")


def _check_cut(column):
    """Refuse what does not say into how many bins, or into too many."""
    if column.scale not in SCALES:
        column.fail("scale", " or ".join(map(repr, SCALES)))
    if column.edges is not None:
        return
    if (column.bins is None) == (column.step is None):
        column.fail("bins", "given, or instead `step`, the width of the bins")
    if column.step is not None:
        if column.scale == "log":
            column.fail("step", "left out beside a logarithmic scale; give `bins`")
        if not _is_step(column):
            expected = "a time above 00:00" if column.is_time else "a number above 0"
            if column.is_date and not column.is_time:
                expected = f"one of {', '.join(PERIODS)}, or a whole number of days"
            column.fail("step", expected)
        width = seconds_of(column.step) if column.is_time else column.step
        is_even = column.is_time or not column.is_date
        ends = map(column.number_of, column.ends)
        if is_even and step_count(*ends, width) > _MAX_BINS:
            column.fail("step", f"wider: at most {_MAX_BINS:,} bins")
        return
    if not _is_whole(column.bins) or not 1 <= column.bins <= _MAX_BINS:
        column.fail("bins", f"a whole number from 1 on, at most {_MAX_BINS:,}")
    if column.scale == "linear" and (column.is_integer or column.is_date):
        low, high = map(column.number_of, column.ends)
        if column.bins > high - low + 1:
            kind = "date" if column.is_date else "whole number"
            kind = "second" if column.is_timed else kind
            most = f"at most {high - low + 1}, a {kind} in each bin"
            hint = "" if column.is_date else f" (with `high = {high:.1f}`, others too)"
            column.fail("bins", most + hint)


def _is_step(column):
    if column.is_time or isinstance(column.step, datetime.timedelta):
        is_time = isinstance(column.step, datetime.timedelta) and column.is_time
        return is_time and column.step >= datetime.timedelta(seconds=1)
    if column.is_date:
        return column.step in PERIODS or (_is_whole(column.step) and column.step > 0)
    number = isinstance(column.step, _NUMBERS) and not isinstance(column.step, bool)
    return number and 0 < column.step < math.inf


def _is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _check_draws(column):
    """Refuse a scale, a zero or a unit that the bounds do not allow."""
    if not isinstance(column.zero, bool):
        column.fail("zero", "true or false")
    if column.is_date:
        for field in ("scale", "zero", "unit"):
            if getattr(column, field) not in ("linear", False, None):
                column.fail(field, "left out of a column of dates or times")
        return
    low, high = column.ends
    if column.scale == "log" and low <= 0:
        column.fail(
            "scale", "'linear', or `low` above 0; `zero` sets the number 0 apart"
        )
    if column.zero and (low < 0 or high <= 0):
        column.fail("zero", "left out where numbers are below 0")
    if column.unit is None:
        return
    number = isinstance(column.unit, _NUMBERS) and not isinstance(column.unit, bool)
    if not number or not 0 < column.unit < math.inf:
        column.fail("unit", "a number above 0")
    if not column.is_integer and max(abs(low), abs(high)) / column.unit >= 2**53:
        column.fail("unit", "larger: numbers have fewer than 16 digits")


def _check_bins(column):
    """Refuse bins in which nothing could be drawn."""
    bins = bins_of(column)
    field = next(f for f in ("bins", "step", "edges") if getattr(column, f) is not None)
    if len(bins) > _MAX_BINS:
        column.fail(field, f"coarser: at most {_MAX_BINS:,} bins")
    if not (np.diff(bins.starts) > 0).all():
        column.fail(field, "coarser: some bins hold no number")
    if bins.unit in (None, 1) and column.unit is None:
        return
    first, last = bins.multiples
    if (last < first).any():
        if column.unit is None:
            column.fail(field, "coarser: some bins hold no whole minute")
        column.fail("unit", f"smaller, or `{field}` coarser: some hold no multiple")
