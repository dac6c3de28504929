"""Compiled kernels of rows that are drawn: `balance`, `drawing` and `following`.

The weights of codes, and rows under them:

====================  ====================================================  ========
symbol                meaning                                               shape
====================  ====================================================  ========
traffic               rows to be drawn in leaf l                            (L,)
indptr, code, rows    distributions of the leaves, and of all rows; see     (L+2,)
                      `_tree_kernels`                                       (E,)
wanted                rows that are to have code c                          (C,)
====================  ====================================================  ========

Dates after others get distances that lead to the parts drawn. A distance c lies between
`low[c]` and `high[c]`, and from date i leads to the time between these. Of its hours on
the weekday of i, so much is likely: a calendar weighs days and hours, and of an hour
that was drawn only that one counts, beside all hours as often as they are.
"""

import math
from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.generators.plain.trees._tree_kernels import (
    GOLDEN,
    MAX_EXCHANGES,
    _is_allowed,
)

_HOURS = 24


@kernel
def balanced_rows(traffic, indptr, code, rows, wanted, caution, n_rounds, parts):
    """Rows of each entry, (E,) int64: weighted by code, in so many parts of a row.

    An entry keeps a part at least. `wanted` sums to the rows to be drawn.
    """
    log_weight, weight = np.zeros(len(wanted)), np.ones(len(wanted))
    for _ in range(n_rounds):
        expected = np.zeros(len(wanted))
        for t in range(len(traffic)):
            if traffic[t] == 0:
                continue
            own = 0.0
            for e in range(indptr[t], indptr[t + 1]):
                own += rows[e] * weight[code[e]]
            for e in range(indptr[t], indptr[t + 1]):
                expected[code[e]] += traffic[t] * rows[e] * weight[code[e]] / own
        for c in range(len(wanted)):
            excess = wanted[c] - expected[c] - caution * log_weight[c]
            # A step of Newton's, in which no weight is more than doubled or so.
            step = excess / (expected[c] + caution)
            log_weight[c] += min(max(step, -1.0), 1.0)
            weight[c] = math.exp(log_weight[c])
    balanced = np.empty(len(rows), dtype=np.int64)
    for e in range(len(rows)):
        balanced[e] = max(1, math.floor(parts * rows[e] * weight[code[e]]))
    return balanced


@kernel
def exchanged(number, atom, order, lowest, highest):
    """The row whose number each row gets, (n,) int64: its own, or one of its atom.

    A row whose number is not within its limits changes with one of its atom where both
    may have the other's. `order` has the rows of each atom side by side; those of an
    atom below 0 keep theirs.
    """
    n = len(number)
    like = np.arange(n)
    start = 0
    while start < n:
        size = 1
        while start + size < n and atom[order[start + size]] == atom[order[start]]:
            size += 1
        for place in range(size if atom[order[start]] >= 0 else 0):
            i = order[start + place]
            own = number[like[i]]
            if lowest[i] <= own <= highest[i]:
                continue
            for t in range(1, min(size, MAX_EXCHANGES) + 1):
                j = order[start + (place + int(t * GOLDEN * size)) % size]
                other = number[like[j]]
                if lowest[i] <= other <= highest[i] and lowest[j] <= own <= highest[j]:
                    like[i], like[j] = like[j], like[i]
                    break
        start += size
    return like


class Wanted(NamedTuple):
    """Dates that others come after, and the parts of these.

    dates : (n,) int64, in units of which a day has `unit`, and which go up by `step`.
    weekday : (n,) int64, 7 for any; hour : (n,) int64, -1 for any. known : (n,) bool,
    whether the date is not missing. n_days, weighted : (8, D + 1) int64 and float64,
    days before each one since `start` on each weekday, the last of all. passed, usual :
    (25,) float64, weighted hours since midnight: of those that count, and of all.
    seasons : (D + 1,) float64, weights of the months of days before each one. nearest,
    farthest : (C,) int64, ends of each distance.
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
    usual: np.ndarray
    seasons: np.ndarray
    nearest: np.ndarray
    farthest: np.ndarray


@kernel
def _hours_before(value, i, wanted):
    """Hours before a date that are on the weekday, and those that count."""
    day, w = value // wanted.unit - wanted.start, wanted.weekday[i]
    time, hour = value % wanted.unit * _HOURS / wanted.unit, wanted.hour[i]
    last, usual = int(time), wanted.usual
    passed = usual[last] + (time - last) * (usual[last + 1] - usual[last])
    if hour < 0:
        whole = wanted.passed[_HOURS]
        own = wanted.passed[last]
        own += (time - last) * (wanted.passed[last + 1] - wanted.passed[last])
    else:
        whole = wanted.passed[hour + 1] - wanted.passed[hour]
        own = whole * min(max(time - hour, 0.0), 1.0)
    n, weighted = wanted.n_days[w], wanted.weighted[w]
    hours = usual[_HOURS] * n[day] + passed * (n[day + 1] - n[day])
    return hours, whole * weighted[day] + own * (weighted[day + 1] - weighted[day])


@kernel
def _likely(i, c, low, high, wanted):
    """How likely distance c leads from date i to the parts, and in season; 0 to 1."""
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
    first = (wanted.dates[i] + wanted.nearest[c]) // wanted.unit - wanted.start
    after = (wanted.dates[i] + wanted.farthest[c]) // wanted.unit - wanted.start + 1
    season = (wanted.seasons[after] - wanted.seasons[first]) / (after - first)
    return (counted_to - counted) / (hours_to - hours) * season


@kernel
def evened(leaf, leaves, limits, low, high, wanted, n_codes, n_rounds):
    """Weight of each code, (C,): so that it is picked as often as leaves have it.

    Of those that may be, whatever they lead to: few of some hours lead to an hour that
    was drawn, and nearly all of some days.
    """
    weight, usual = np.ones(n_codes), np.zeros(n_codes)
    # Of each row: where its leaf begins in `chance`, the rows of codes that lead to it.
    starts = np.zeros(len(leaf) + 1, dtype=np.int64)
    for i in range(len(leaf)):
        n_entries = leaves.indptr[leaf[i] + 1] - leaves.indptr[leaf[i]]
        starts[i + 1] = starts[i] + n_entries
    chance = np.zeros(starts[-1])
    for i in range(len(leaf)):
        first, last = leaves.indptr[leaf[i]], leaves.indptr[leaf[i] + 1]
        own, total, likely = chance[starts[i] : starts[i + 1]], 0.0, 0.0
        for e in range(first, last):
            c = leaves.code[e]
            if (c < len(low)) == wanted.known[i] and _is_allowed(i, c, limits):
                total += leaves.rows[e]
                own[e - first] = leaves.rows[e] * _likely(i, c, low, high, wanted)
                likely += own[e - first]
        if likely == 0.0:
            continue
        for e in range(first, last):
            c = leaves.code[e]
            if (c < len(low)) == wanted.known[i] and _is_allowed(i, c, limits):
                usual[c] += leaves.rows[e] / total
    for _ in range(n_rounds):
        expected = np.zeros(n_codes)
        for i in range(len(leaf)):
            first, own = leaves.indptr[leaf[i]], chance[starts[i] : starts[i + 1]]
            likely = 0.0
            for e in range(len(own)):
                likely += own[e] * weight[leaves.code[first + e]]
            if likely == 0.0:
                continue
            for e in range(len(own)):
                c = leaves.code[first + e]
                expected[c] += own[e] * weight[c] / likely
        for c in range(n_codes):
            if expected[c] > 0:
                weight[c] *= (usual[c] + 1) / (expected[c] + 1)
    return weight


@kernel
def pick_likely(leaf, point, leaves, limits, low, high, wanted, weight):
    """As `pick`, codes that are allowed as often as they are likely; -1 if none is.

    `weight`, (C,): of each code, see `evened`.
    """
    found = np.full(len(leaf), -1, dtype=np.int64)
    for i in range(len(leaf)):
        first, last = leaves.indptr[leaf[i]], leaves.indptr[leaf[i] + 1]
        reached = np.zeros(last - first + 1)
        for e in range(first, last):
            c, own = leaves.code[e], 0.0
            if _is_allowed(i, c, limits):
                own = leaves.rows[e] * weight[c] * _likely(i, c, low, high, wanted)
            reached[e - first + 1] = reached[e - first] + own
        if reached[-1] > 0:
            place = np.searchsorted(reached, point[i] * reached[-1], side="right")
            found[i] = leaves.code[first + place - 1]
    return found
