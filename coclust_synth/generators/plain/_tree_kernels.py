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
def pick_within(leaf, point, leaves, limits):
    """As `pick`, among the codes that are allowed; of all rows where none is.

    -1 where nothing at all is allowed.
    """
    n = len(leaf)
    everything = len(leaves.indptr) - 2
    found = np.full(n, -1, dtype=np.int64)
    for i in range(n):
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
