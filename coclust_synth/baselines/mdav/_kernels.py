"""Compiled kernels of MDAV: arrays in, arrays out, input checked.

=============  ==============================================================  ======
symbol         meaning                                                         shape
=============  ==============================================================  ======
values         records: p numbers, of them `n_means` averaged and the others   (n, p)
               places of ordinal values, then codes of nominal values
codes          ranks and codes of the columns that are not averaged            (n, q)
total, rest    sums of the averaged columns and what their rounding lost       (p,)
tally          records that hold each category of column j, from offsets[j]    (V,)
=============  ==============================================================  ======

A sum is kept as two floats (Dekker 1971): about 106 bits, the exact sum of the records
left, however many were added and taken, for numbers of like magnitudes.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.baselines.mdav._tree_kernels import (
    distance,
    farthest,
    nearest,
    plant,
    redraw,
    take,
)


class MDAVRecords(NamedTuple):
    """Records in the order of the table; see the head of this module.

    n_numbers : columns of `values` whose differences are squared, others mismatch.
    n_categories, offsets : of the q columns of `codes`. convex : whether the median is
    the convex one.
    """

    values: np.ndarray
    codes: np.ndarray
    n_categories: np.ndarray
    offsets: np.ndarray
    n_means: int
    n_numbers: int
    convex: bool


class CentreSums(NamedTuple):
    """What the centre of some records is computed from."""

    total: np.ndarray
    rest: np.ndarray
    tally: np.ndarray
    size: np.ndarray


@kernel
def empty_sums(records):
    """The sums of no records."""
    return CentreSums(
        np.zeros(records.n_means),
        np.zeros(records.n_means),
        np.zeros(records.offsets[-1], np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def _two_sum(a, b):
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@kernel
def put(records, sums, record, sign):
    """Add a record to the sums (sign 1), or take it out (-1)."""
    for j in range(records.n_means):
        total, lost = _two_sum(sums.total[j], sign * records.values[record, j])
        sums.total[j], sums.rest[j] = _two_sum(total, sums.rest[j] + lost)
    for j in range(len(records.n_categories)):
        sums.tally[records.offsets[j] + records.codes[record, j]] += sign
    sums.size[0] += sign


@kernel
def median(tally):
    """The least category that half of the records or more do not exceed."""
    n = tally.sum()
    below = 0
    for c in range(len(tally)):
        below += tally[c]
        if 2 * below >= n:
            break
    return c


@kernel
def convex_median(tally):
    """The median after counts between higher ones are raised to the lower of them."""
    before, after = tally.copy(), tally.copy()
    for c in range(1, len(tally)):
        before[c] = max(before[c], before[c - 1])
        after[-1 - c] = max(after[-1 - c], after[-c])
    return median(np.minimum(before, after))


@kernel
def centre_codes(records, sums, codes):
    """Write the median ranks and modes of some sums."""
    n_ordinal = records.n_numbers - records.n_means
    for j in range(len(records.n_categories)):
        tally = sums.tally[records.offsets[j] : records.offsets[j + 1]]
        if j >= n_ordinal:
            codes[j] = np.argmax(tally)
        elif records.convex:
            codes[j] = convex_median(tally)
        else:
            codes[j] = median(tally)


@kernel
def centre(records, sums, codes, point):
    """Write the centre of some sums: its codes, and it as a record's values."""
    centre_codes(records, sums, codes)
    n_means, n_numbers = records.n_means, records.n_numbers
    for j in range(n_means):
        point[j] = sums.total[j] / sums.size[0]
    for j in range(n_means, n_numbers):
        point[j] = codes[j - n_means] / records.n_categories[j - n_means]
    for j in range(n_numbers, len(point)):
        point[j] = codes[j - n_means]


@kernel
def _gather(records, tree, sums, label, record, k, group):
    """Take a record and its k - 1 nearest out, as a group."""
    values = records.values
    rows = np.empty(k, np.int64)
    rows[0] = record
    take(tree, record)
    if k > 1:
        nearest(values, records.n_numbers, tree, values[record], rows[1:])
    leaf = -1
    for i in range(k):
        put(records, sums, rows[i], -1)
        label[rows[i]] = group
        if i > 0:
            take(tree, rows[i])
    for row in rows:
        if tree.leaf[row] != leaf:
            leaf = tree.leaf[row]
            redraw(values, tree, leaf)


@kernel
def mdav(records, k, pairs_from, groups_from):
    """Groups of `mdav_groups`, and -1 for records left over.

    Two groups at a time while `pairs_from` records are left, then one while
    `groups_from` are.
    """
    n, p = records.values.shape
    label = np.full(n, -1)
    sums = empty_sums(records)
    for record in range(n):
        put(records, sums, record, 1)
    codes = np.empty(len(records.n_categories), np.int64)
    point = np.empty(p)
    tree = plant(records, np.arange(n))
    planted, left, group = n, n, 0
    while left >= groups_from:
        centre(records, sums, codes, point)
        r = farthest(records.values, records.n_numbers, tree, point)
        _gather(records, tree, sums, label, r, k, group)
        group += 1
        if left >= pairs_from:
            s = farthest(records.values, records.n_numbers, tree, records.values[r])
            _gather(records, tree, sums, label, s, k, group)
            group += 1
        left = sums.size[0]
        if groups_from <= left < planted / 2:
            tree = plant(records, np.flatnonzero(label < 0))
            planted = left
    return label


@kernel
def group_centres(records, label, n_groups):
    """Centres of groups: codes (n_groups, q) and values (n_groups, p)."""
    codes = np.empty((n_groups, len(records.n_categories)), np.int64)
    points = np.empty((n_groups, records.values.shape[1]))
    by_group = np.argsort(label, kind="mergesort")
    begin = np.searchsorted(label[by_group], 0)
    sums = empty_sums(records)
    for group in range(n_groups):
        end = begin
        while end < len(label) and label[by_group[end]] == group:
            put(records, sums, by_group[end], 1)
            end += 1
        centre(records, sums, codes[group], points[group])
        for i in range(begin, end):
            put(records, sums, by_group[i], -1)
        begin = end
    return codes, points


@kernel
def join_nearest(records, label):
    """Put each record left over in the group of nearest centre, the first of equal."""
    _, points = group_centres(records, label, label.max() + 1)
    for record in np.flatnonzero(label < 0):
        best = np.inf
        for group in range(len(points)):
            gap = distance(records.values, records.n_numbers, record, points[group])
            if gap < best:
                best, label[record] = gap, group
