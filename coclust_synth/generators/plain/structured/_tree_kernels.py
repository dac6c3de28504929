"""Compiled kernels of trees: which leaf a row falls into, and what is drawn there.

====================  ====================================================  ========
symbol                meaning                                               shape
====================  ====================================================  ========
feature, threshold,   of node t: the column it asks for, the highest value  (T,)
left, right           that goes left, and the nodes below; left is -1 in    (T,)
                      a leaf
indptr, code, rows    distribution of leaf l: entries indptr[l] up to       (L+1,)
                      indptr[l+1], each a code and how many rows hold it    (E,)
group                 of each code: its column of `allowed`                 (C,)
low, high             of each code: the values it stands for                (C,)
====================  ====================================================  ========
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel

# Partners that a row is compared with, at most, and how far they are from each other as
# a share of the leaf: the one that spreads any number of them most evenly.
MAX_EXCHANGES = 100
GOLDEN = 0.6180339887498949


class Leaves(NamedTuple):
    """Distributions: see the head of this module; the last one is that of all rows."""

    indptr: np.ndarray
    code: np.ndarray
    rows: np.ndarray


class Limits(NamedTuple):
    """What each of n rows may be drawn: see the head of this module.

    allowed : (n, number of groups) bool. lowest, highest : (n,) float64.
    """

    group: np.ndarray
    allowed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray


@kernel
def leaves_of(features, feature, threshold, left, right):
    """Node that is the leaf of each row of `features`, (n, p) int32."""
    n = len(features)
    found = np.empty(n, dtype=np.int64)
    for i in range(n):
        t = 0
        while left[t] >= 0:
            t = left[t] if features[i, feature[t]] <= threshold[t] else right[t]
        found[i] = t
    return found


@kernel
def pick(leaf, point, leaves):
    """Code of each row, by the inverse of the distribution of its leaf."""
    n = len(leaf)
    found = np.empty(n, dtype=np.int64)
    for i in range(n):
        first, last = leaves.indptr[leaf[i]], leaves.indptr[leaf[i] + 1]
        total = 0
        for e in range(first, last):
            total += leaves.rows[e]
        target = point[i] * total
        e = first
        reached = leaves.rows[e]
        while reached <= target and e + 1 < last:
            e += 1
            reached += leaves.rows[e]
        found[i] = leaves.code[e]
    return found


@kernel
def _is_allowed(i, c, limits):
    return (
        limits.allowed[i, limits.group[c]]
        and limits.low[c] <= limits.highest[i]
        and limits.high[c] >= limits.lowest[i]
    )


@kernel
def _exchange(found, leaf, order, limits):
    """Rows that may not have their code change with one of their leaf, if both may."""
    n = len(leaf)
    start = 0
    while start < n:
        size = 1
        while start + size < n and leaf[order[start + size]] == leaf[order[start]]:
            size += 1
        for place in range(size):
            i = order[start + place]
            if _is_allowed(i, found[i], limits):
                continue
            for t in range(1, min(size, MAX_EXCHANGES) + 1):
                # Neighbours have like codes: partners are spread over the leaf.
                shift = int(t * GOLDEN * size)
                j = order[start + (place + shift) % size]
                if _is_allowed(i, found[j], limits) and _is_allowed(
                    j, found[i], limits
                ):
                    found[i], found[j] = found[j], found[i]
                    break
        start += size


@kernel
def pick_within(leaf, point, order, leaves, limits):
    """As `pick`, among the codes that are allowed; -1 where nothing at all is.

    Rows that may not have what they are drawn change with others of their leaf, so that
    the leaf keeps its distribution; those that find none draw from what they may have
    of it, or of all rows where that is nothing. `order` has the rows of each leaf side
    by side.
    """
    found = pick(leaf, point, leaves)
    _exchange(found, leaf, order, limits)
    everything = len(leaves.indptr) - 2
    for i in range(len(leaf)):
        if _is_allowed(i, found[i], limits):
            continue
        found[i] = -1
        for k in (leaf[i], everything):
            first, last = leaves.indptr[k], leaves.indptr[k + 1]
            total = 0
            for e in range(first, last):
                if _is_allowed(i, leaves.code[e], limits):
                    total += leaves.rows[e]
            if total == 0:
                continue
            target = point[i] * total
            reached = 0
            for e in range(first, last):
                if _is_allowed(i, leaves.code[e], limits):
                    reached += leaves.rows[e]
                    found[i] = leaves.code[e]
                    if reached > target:
                        break
            break
    return found
