"""Compiled kernels of Mondrian: arrays in, arrays out, input checked.

A region is a run of positions, the same in the order of every column; n rows in all, m
regions, V leaves in all, those of column j from ``offsets[j]`` on.

=============  ==============================================================  ======
symbol         meaning                                                         shape
=============  ==============================================================  ======
order          rows by each column's axis, region after region                 (d, n')
bounds         where regions begin, and the end of the last                    (m+1,)
columns        column of each cut that may be made, best first; -1: no more    (m, 2d)
cuts           where: the position of the first row of the right side, or in   (m, 2d)
               a column with a hierarchy the level of the nodes that part
piece          the part of its region that a row falls in, numbered over all   (n,)
=============  ==============================================================  ======
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel

_SAME = 1e-9  # purities by row that differ by less are equal: sums round


class Axes(NamedTuple):
    """The columns as axes; see the head of the module for d, n and V.

    rank : int32 (d, n), place of each row's leaf on the axis. offsets : int64 (d+1,).
    height : int64 (d,), of the column's hierarchy; 0 if there is none. place : float64
    (V,), of the leaf at each rank, 0 to 1 over the axis, missing at 2. counted : bool
    (d,), whether a width is the number of leaves rather than a distance. node : int64
    (H+1, V), of the leaf at each rank, in a column with a hierarchy. under : float64
    (H+1, V), width of that node.
    """

    rank: np.ndarray
    offsets: np.ndarray
    height: np.ndarray
    place: np.ndarray
    counted: np.ndarray
    node: np.ndarray
    under: np.ndarray


class Target(NamedTuple):
    """What cuts should part; of n rows.

    code : int64 (n,), value; all 0 for a number. number : float64 (n,), less the mean;
    all 0 for a category. n_values : int. log : float64 (n+1,), m ln m for m rows; of a
    number empty.
    """

    code: np.ndarray
    number: np.ndarray
    n_values: int
    log: np.ndarray


# --- cuts ---------------------------------------------------------------------


@kernel
def median_cuts(axes, order, bounds, k, relaxed):
    """Cuts at the median of each region, the widest column first."""
    m, d = len(bounds) - 1, len(order)
    columns = np.full((m, 2 * d), -1, np.int64)
    cuts = np.zeros((m, 2 * d), np.int64)
    widths = np.empty(d)
    for region in range(m):
        start, stop = bounds[region], bounds[region + 1]
        if stop - start < 2 * k:
            continue
        for j in range(d):
            widths[j] = _width(axes, order, j, start, stop)
        n_cuts = 0
        for j in np.argsort(-widths, kind="mergesort"):
            if widths[j] == 0:
                break
            if axes.height[j] > 0:
                level = _children_level(axes, order, j, start, stop)
                if _children_hold(axes, order, j, start, stop, level, k):
                    columns[region, n_cuts], cuts[region, n_cuts] = j, level
                    n_cuts += 1
            elif relaxed:
                columns[region, n_cuts] = j
                cuts[region, n_cuts] = start + (stop - start) // 2
                n_cuts += 1
            else:
                for cut in _sides_of_median(axes.rank[j], order[j], start, stop, k):
                    if min(cut - start, stop - cut) >= k:
                        columns[region, n_cuts], cuts[region, n_cuts] = j, cut
                        n_cuts += 1
    return columns, cuts


@kernel
def purest_cuts(axes, order, bounds, k, target):
    """The cut of each column whose sides are purest in the target, purest first."""
    m, d = len(bounds) - 1, len(order)
    columns = np.full((m, 2 * d), -1, np.int64)
    cuts = np.zeros((m, 2 * d), np.int64)
    purity, balance = np.empty(d), np.empty(d, np.int64)
    for region in range(m):
        start, stop = bounds[region], bounds[region + 1]
        if stop - start < 2 * k:
            continue
        n_cuts = 0
        for j in range(d):
            if axes.height[j] > 0:
                cut, own, even = _purity_of_children(
                    axes, order, j, start, stop, k, target
                )
            else:
                cut, own, even = _purest_cut(
                    axes.rank[j], order[j], start, stop, k, target
                )
            if even == 0:
                continue
            i = n_cuts
            while i > 0 and _is_purer(
                own, even, purity[i - 1], balance[i - 1], stop - start
            ):
                purity[i], balance[i] = purity[i - 1], balance[i - 1]
                columns[region, i] = columns[region, i - 1]
                cuts[region, i] = cuts[region, i - 1]
                i -= 1
            purity[i], balance[i] = own, even
            columns[region, i], cuts[region, i] = j, cut
            n_cuts += 1
    return columns, cuts


@kernel
def _width(axes, order, j, start, stop):
    """Share of its axis that a column takes in a region, 0 if it is constant."""
    rank, rows, offset = axes.rank[j], order[j], axes.offsets[j]
    low, high = rank[rows[start]], rank[rows[stop - 1]]
    if low == high:
        return 0.0
    if axes.height[j] > 0:
        level = _children_level(axes, order, j, start, stop) + 1
        return axes.under[level, offset + low]
    if not axes.counted[j]:
        return min(1.0, axes.place[offset + high] - axes.place[offset + low])
    n_leaves = 1
    for at in range(start + 1, stop):
        n_leaves += rank[rows[at]] != rank[rows[at - 1]]
    return (n_leaves - 1) / (axes.offsets[j + 1] - offset - 1)


@kernel
def _sides_of_median(rank, rows, start, stop, k):
    """Where the leaf of the median row begins and where it ends, the better one first.

    Better is what leaves room for more classes of k, then what is more even.
    """
    middle = start + (stop - start - 1) // 2
    median = rank[rows[middle]]
    begin, end = middle, middle + 1
    while begin > start and rank[rows[begin - 1]] == median:
        begin -= 1
    while end < stop and rank[rows[end]] == median:
        end += 1
    n_begin = (begin - start) // k + (stop - begin) // k
    n_end = (end - start) // k + (stop - end) // k
    even_begin = min(begin - start, stop - begin)
    even_end = min(end - start, stop - end)
    if n_end > n_begin or (n_end == n_begin and even_end > even_begin):
        return end, begin
    return begin, end


# --- columns with a hierarchy -------------------------------------------------


@kernel
def _children_level(axes, order, j, start, stop):
    """The level below that of the lowest node that covers a region.

    The leaves of a node follow each other on the axis: it covers what is between.
    """
    rank, rows, offset = axes.rank[j], order[j], axes.offsets[j]
    first, last = offset + rank[rows[start]], offset + rank[rows[stop - 1]]
    level = 0
    while axes.node[level + 1, first] != axes.node[level + 1, last]:
        level += 1
    return level


@kernel
def _children_hold(axes, order, j, start, stop, level, k):
    """Whether all nodes of a level that have rows of a region have k."""
    begin = start
    for at in range(start + 1, stop + 1):
        if at == stop or _is_new_node(axes, order, j, at, level):
            if at - begin < k:
                return False
            begin = at
    return True


@kernel
def _is_new_node(axes, order, j, at, level):
    rank, rows, offset = axes.rank[j], order[j], axes.offsets[j]
    node = axes.node[level]
    return node[offset + rank[rows[at]]] != node[offset + rank[rows[at - 1]]]


# --- purity -------------------------------------------------------------------
# Of rows with m_v of value v: sum m_v ln m_v - m ln m, which is -m times the entropy;
# of numbers that sum to s: s²/m, which is the sum of squares less the deviance.


@kernel
def _purest_cut(rank, rows, start, stop, k, target):
    """Cut between two leaves, its purity, and the rows of its smaller side: 0 if none.

    The logarithm that a value adds, or the sum of the numbers, is kept for both sides.
    """
    left, right = np.zeros(target.n_values), np.zeros(target.n_values)
    sum_left, sum_right = 0.0, 0.0
    for at in range(start, stop):
        sum_right += _add(target, right, rows[at], 1)
    found, best, balance = start, 0.0, 0
    for cut in range(start + 1, stop):
        row = rows[cut - 1]
        sum_left += _add(target, left, row, 1)
        sum_right += _add(target, right, row, -1)
        even = min(cut - start, stop - cut)
        if even < k or rank[rows[cut]] == rank[row]:
            continue
        own = _purity(target, sum_left, cut - start)
        own += _purity(target, sum_right, stop - cut)
        if balance == 0 or _is_purer(own, even, best, balance, stop - start):
            found, best, balance = cut, own, even
    return found, best, balance


@kernel
def _purity_of_children(axes, order, j, start, stop, k, target):
    """The same for the one cut of a column with a hierarchy."""
    rank, rows = axes.rank[j], order[j]
    if rank[rows[start]] == rank[rows[stop - 1]]:
        return 0, 0.0, 0
    level = _children_level(axes, order, j, start, stop)
    purity, balance, begin = 0.0, stop - start, start
    here, own = np.zeros(target.n_values), 0.0
    for at in range(start, stop):
        own += _add(target, here, rows[at], 1)
        if at + 1 == stop or _is_new_node(axes, order, j, at + 1, level):
            purity += _purity(target, own, at + 1 - begin)
            balance = min(balance, at + 1 - begin)
            here[:], own, begin = 0.0, 0.0, at + 1
    return level, purity, balance if balance >= k else 0


@kernel
def _is_purer(purity, balance, other, other_balance, n):
    """Whether a cut is better: purer, or as pure and more even."""
    if abs(purity - other) > _SAME * n:
        return purity > other
    return balance > other_balance


@kernel
def _add(target, counts, row, sign):
    """Count a row in, or out; what it adds to the sum of logarithms, or of numbers."""
    if len(target.log) == 0:
        return sign * target.number[row]
    before = int(counts[target.code[row]])
    counts[target.code[row]] += sign
    return target.log[before + sign] - target.log[before]


@kernel
def _purity(target, own, n):
    if len(target.log) == 0:
        return own * own / n
    return own - target.log[n]


# --- pieces -------------------------------------------------------------------


@kernel
def mark_pieces(axes, order, bounds, regions, columns, cuts, piece):
    """Number the pieces that some regions are cut in; `piece` is changed in place.

    Returns the region of each piece, int64 (n_pieces,).
    """
    owner = np.empty(order.shape[1], np.int64)
    number = -1
    for i in range(len(regions)):
        j, cut = columns[i], cuts[i]
        start, stop = bounds[regions[i]], bounds[regions[i] + 1]
        for at in range(start, stop):
            if axes.height[j] > 0:
                is_new = at == start or _is_new_node(axes, order, j, at, cut)
            else:
                is_new = at == start or at == cut
            if is_new:
                number += 1
                owner[number] = regions[i]
            piece[order[j, at]] = number
    return owner[: number + 1]


@kernel
def gather_pieces(order, piece, bounds):
    """The order of each column, piece after piece; rows of none (-1) are left out."""
    found = np.empty((len(order), bounds[-1]), order.dtype)
    for j in range(len(order)):
        place = bounds[:-1].copy()
        for at in range(order.shape[1]):
            row = order[j, at]
            if piece[row] >= 0:
                found[j, place[piece[row]]] = row
                place[piece[row]] += 1
    return found
