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
# Rows that go down a tree together.
SIDE_BY_SIDE = 16


class Leaves(NamedTuple):
    """Distributions: see the head of this module; the last one is that of all rows."""

    indptr: np.ndarray
    code: np.ndarray
    rows: np.ndarray


class Limits(NamedTuple):
    """What each of n rows may be drawn: see the head of this module.

    allowed : (n, number of groups) bool. later : (m, C) bool, by combination of what
    decides it; combination : (n,) int64, of each row. lowest, highest : (n,) float64.
    """

    group: np.ndarray
    allowed: np.ndarray
    later: np.ndarray
    combination: np.ndarray
    low: np.ndarray
    high: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray


@kernel
def ranked(codes, parents, ranks, first):
    """What trees ask of each row, (n, p) int32: the ranks of the codes of its parents.

    codes : (n, at least max(parents) + 1) int32, from 0. ranks : those of each parent,
    one after the other, from `first` on.
    """
    features = np.empty((len(codes), len(parents)), dtype=np.int32)
    for i in range(len(codes)):
        for j in range(len(parents)):
            features[i, j] = ranks[first[j] + codes[i, parents[j]]]
    return features


@kernel
def leaves_of(features, feature, threshold, left, right):
    """Node that is the leaf of each row of `features`, (n, p) int32.

    Some rows go down side by side, without branches: while one waits for its node, the
    others go on. A leaf leads to itself.
    """
    n, p = features.shape
    flat = features.ravel()
    nodes = np.empty((len(left), 4), dtype=np.int32)
    for t in range(len(left)):
        if left[t] >= 0:
            nodes[t] = feature[t], threshold[t], left[t], right[t]
        else:
            nodes[t] = 0, 0, t, t
    found = np.empty(n, dtype=np.int64)
    # Unsigned, an index is not asked whether it counts from the end.
    at = np.empty(SIDE_BY_SIDE, dtype=np.uint32)
    for first in range(0, n, SIDE_BY_SIDE):
        some = min(SIDE_BY_SIDE, n - first)
        at[:] = 0
        moved = np.uint32(p > 0)
        while moved:
            moved = np.uint32(0)
            for i in range(some):
                t = at[i]
                asked = np.uint64((first + i) * p) + np.uint64(nodes[t, 0])
                goes_right = np.uint32(flat[asked] > nodes[t, 1])
                to = np.uint32(nodes[t, np.uint32(2) + goes_right])
                moved |= to ^ t
                at[i] = to
        found[first : first + some] = at[:some]
    return found


@kernel
def pick(leaf, point, leaves):
    """Code of each row, by the inverse of the distribution of its leaf."""
    reached = np.cumsum(leaves.rows)
    n = len(leaf)
    found = np.empty(n, dtype=np.int64)
    for i in range(n):
        first, last = leaves.indptr[leaf[i]], leaves.indptr[leaf[i] + 1] - 1
        before = reached[first] - leaves.rows[first]
        target = point[i] * (reached[last] - before)
        # The first entry that reaches beyond the target, or the last.
        while first < last:
            middle = (first + last) // 2
            if reached[middle] - before <= target:
                first = middle + 1
            else:
                last = middle
        found[i] = leaves.code[first]
    return found


@kernel
def pick_evenly(leaf, shuffled, size, start, leaves):
    """Code of each row, as `pick` of the points that `deal` gives; see there.

    Points of a leaf go up in the order in which its rows come, and so do codes: none
    has to be looked for.
    """
    order = np.empty(len(leaf), dtype=np.int32)
    place = np.cumsum(size) - size
    for i in shuffled:
        order[place[leaf[i]]] = i
        place[leaf[i]] += 1
    found = np.empty(len(leaf), dtype=np.int64)
    begin = 0
    for t in range(len(size)):
        entry, last = leaves.indptr[t], leaves.indptr[t + 1] - 1
        total = leaves.rows[entry : last + 1].sum()
        reached = leaves.rows[entry] if size[t] else 0
        for done in range(size[t]):
            target = (done + start[t]) / size[t] * total
            while entry < last and reached <= target:
                entry += 1
                reached += leaves.rows[entry]
            found[order[begin + done]] = leaves.code[entry]
        begin += size[t]
    return found


@kernel
def _is_allowed(i, c, limits):
    return (
        limits.allowed[i, limits.group[c]]
        and limits.later[limits.combination[i], c]
        and limits.low[c] <= limits.highest[i]
        and limits.high[c] >= limits.lowest[i]
    )


@kernel
def _exchange(found, lacks, leaf, order, limits):
    """Rows that may not have their code change with one of their leaf, if both may.

    `lacks` has which rows these are: others may have what they get.
    """
    n = len(leaf)
    start = 0
    while start < n:
        size = 1
        while start + size < n and leaf[order[start + size]] == leaf[order[start]]:
            size += 1
        for place in range(size):
            i = order[start + place]
            if not lacks[i] or _is_allowed(i, found[i], limits):
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
    lacks = np.empty(len(leaf), dtype=np.bool_)
    for i in range(len(leaf)):
        lacks[i] = not _is_allowed(i, found[i], limits)
    if not lacks.any():
        return found
    _exchange(found, lacks, leaf, order, limits)
    everything = len(leaves.indptr) - 2
    for i in np.flatnonzero(lacks):
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
