"""Compiled kernel of dates after others: distances that lead to the parts drawn.

A distance c lies between `low[c]` and `high[c]`, and from date i leads to the time
between these. Of its hours on the weekday of i, so much is likely: a calendar weighs
days and hours, and of an hour that was drawn only that one counts.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.generators.plain.trees._tree_kernels import _is_allowed

_HOURS = 24


class Wanted(NamedTuple):
    """Dates that others come after, and the parts of these.

    dates : (n,) int64, in units of which a day has `unit`, and which go up by `step`.
    weekday : (n,) int64, 7 for any; hour : (n,) int64, -1 for any. known : (n,) bool,
    whether the date is not missing. n_days, weighted : (8, D + 1) int64 and float64,
    days before each one since `start` on each weekday, the last of all. passed : (25,)
    float64, weighted hours since midnight.
    """

    dates: np.ndarray
    weekday: np.ndarray
    hour: np.ndarray
    known: np.ndarray
    unit: int
    step: int
    start: int
    n_days: np.ndarray
    weighted: np.ndarray
    passed: np.ndarray


@kernel
def _hours_before(value, i, wanted):
    """Hours before a date that are on the weekday, and those that count."""
    day, w = value // wanted.unit - wanted.start, wanted.weekday[i]
    time, hour = value % wanted.unit * _HOURS / wanted.unit, wanted.hour[i]
    if hour < 0:
        whole, last = wanted.passed[_HOURS], int(time)
        own = wanted.passed[last]
        own += (time - last) * (wanted.passed[last + 1] - wanted.passed[last])
    else:
        whole = wanted.passed[hour + 1] - wanted.passed[hour]
        own = whole * min(max(time - hour, 0.0), 1.0)
    n, weighted = wanted.n_days[w], wanted.weighted[w]
    hours = _HOURS * n[day] + time * (n[day + 1] - n[day])
    return hours, whole * weighted[day] + own * (weighted[day + 1] - weighted[day])


@kernel
def _likely(i, c, low, high, wanted):
    """How likely distance c leads from date i to the parts, 0 to 1."""
    is_date = c < len(low)
    if is_date != wanted.known[i]:
        return 0.0
    if not is_date:
        return 1.0
    hours, counted = _hours_before(wanted.dates[i] + low[c], i, wanted)
    end = wanted.dates[i] + high[c] + wanted.step
    hours_to, counted_to = _hours_before(end, i, wanted)
    if hours_to <= hours:
        return 0.0
    return (counted_to - counted) / (hours_to - hours)


@kernel
def pick_likely(leaf, point, leaves, limits, low, high, wanted):
    """As `pick`, codes that are allowed as often as they are likely; -1 if none is."""
    found = np.full(len(leaf), -1, dtype=np.int64)
    for i in range(len(leaf)):
        first, last = leaves.indptr[leaf[i]], leaves.indptr[leaf[i] + 1]
        reached = np.zeros(last - first + 1)
        for e in range(first, last):
            c, weight = leaves.code[e], 0.0
            if _is_allowed(i, c, limits):
                weight = leaves.rows[e] * _likely(i, c, low, high, wanted)
            reached[e - first + 1] = reached[e - first] + weight
        if reached[-1] > 0:
            place = np.searchsorted(reached, point[i] * reached[-1], side="right")
            found[i] = leaves.code[first + place - 1]
    return found
