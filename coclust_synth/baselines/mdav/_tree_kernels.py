"""Compiled kernels of the tree of the records that MDAV has left.

Records left are leaves of a k-d tree whose boxes shrink as records are taken. A box
says how near and how far its records can be: its bounds sum the same terms as distances
do, in the same order, and rounding is monotone, so that no slack is needed and what is
found is what a scan of all records finds, ties by index included.

=============  ==============================================================  ======
symbol         meaning                                                         shape
=============  ==============================================================  ======
low, high      box of a node's records that are left                           (T, p)
origin         mean of the numbers of the records when the tree was planted    (p,)
norm, reach    squared distance of a record from it, and the most of a node    (n,) (T,)
first          the lowest index among them                                     (T,)
start, count   where a node's records are in `order`; how many are left        (T,)
left, right,   neighbours of a node, -1 if none                                (T,)
parent
order, place   records by node, those left of a leaf ahead, and its inverse    (n,)
leaf           leaf of each record                                             (n,)
=============  ==============================================================  ======

`values` are as in `coclust_synth.baselines.mdav._kernels`.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel

_LEAF_SIZE = 20  # fastest on tables of 50,000 and 200,000 rows
_SLACK = 1e-9  # far above the rounding of the terms that it is a share of
_STACK = 256  # a tree is not that deep: each node has at most 7/8 of its parent's


class KDTree(NamedTuple):
    """The records left; see the head of this module."""

    low: np.ndarray
    high: np.ndarray
    origin: np.ndarray
    norm: np.ndarray
    reach: np.ndarray
    first: np.ndarray
    start: np.ndarray
    count: np.ndarray
    left: np.ndarray
    right: np.ndarray
    parent: np.ndarray
    order: np.ndarray
    place: np.ndarray
    leaf: np.ndarray


@kernel
def distance(values, n_numbers, record, point):
    """Squared distance of a record from a point."""
    total = 0.0
    for j in range(n_numbers):
        gap = values[record, j] - point[j]
        total += gap * gap
    for j in range(n_numbers, len(point)):
        total += values[record, j] != point[j]
    return total


@kernel
def _lower(tree, n_numbers, node, point):
    total = 0.0
    for j in range(n_numbers):
        below, above = tree.low[node, j] - point[j], point[j] - tree.high[node, j]
        gap = below if below > above else above
        total += gap * gap if gap > 0.0 else 0.0
    for j in range(n_numbers, len(point)):
        total += point[j] < tree.low[node, j] or point[j] > tree.high[node, j]
    return total


@kernel
def _upper(tree, n_numbers, node, point):
    """At least the distance of any record of a node.

    Of two bounds on numbers the lower: by the corners of the box, and, with o the
    origin, by |x - q|^2 = |x - o|^2 + |q - o|^2 - 2 (x - o).(q - o) term by term.
    """
    total, norm, least = 0.0, 0.0, 0.0
    for j in range(n_numbers):
        low, high = tree.low[node, j], tree.high[node, j]
        below, above = point[j] - low, high - point[j]
        gap = above if above > below else below
        total += gap * gap
        offset = point[j] - tree.origin[j]
        norm += offset * offset
        least += offset * ((low if offset > 0.0 else high) - tree.origin[j])
    norm += tree.reach[node]
    total = min(total, norm - 2 * least + _SLACK * norm)
    for j in range(n_numbers, len(point)):
        total += tree.low[node, j] != point[j] or tree.high[node, j] != point[j]
    return total


@kernel
def _widest(records, order):
    """The column in which some records differ most, by variance; -1 if they do not."""
    best, widest = 0.0, -1
    for j in range(records.values.shape[1]):
        if j < records.n_numbers:
            mean, spread = 0.0, 0.0
            for i in order:
                mean += records.values[i, j]
            mean /= len(order)
            for i in order:
                spread += (records.values[i, j] - mean) ** 2
            spread /= len(order)
        else:
            own = j - records.n_means
            tally = np.zeros(records.n_categories[own])
            for i in order:
                tally[records.codes[i, own]] += 1 / len(order)
            spread = (1 - (tally * tally).sum()) / 2
        if spread > best:
            best, widest = spread, j
    return widest


@kernel
def _split(records, order):
    """Sort some records in two, and say where the second begins; 0 if they stay."""
    if len(order) <= _LEAF_SIZE:
        return 0
    half = len(order) // 2
    column = _widest(records, order)
    if column < 0:
        return half
    own = np.empty(len(order))
    for i in range(len(order)):
        own[i] = records.values[order[i], column]
    by = np.argsort(own)
    order[:] = order[by]
    own = own[by]
    # Equal values are kept together where that leaves the halves balanced.
    before = np.searchsorted(own, own[half], side="left")
    after = np.searchsorted(own, own[half], side="right")
    middle = before if half - before <= after - half else after
    if 8 * min(middle, len(order) - middle) < len(order):
        return half
    return middle


@kernel
def plant(records, order):
    """The tree of the records listed in `order`, which it sorts."""
    n, p = len(records.values), records.values.shape[1]
    size = max(4 * len(order), 1)
    start = np.zeros(size, np.int64)
    count = np.zeros(size, np.int64)
    left = np.full(size, -1)
    right = np.full(size, -1)
    parent = np.full(size, -1)
    count[0] = len(order)
    n_nodes, node = 1, 0
    while node < n_nodes:
        own = order[start[node] : start[node] + count[node]]
        middle = _split(records, own)
        if middle > 0:
            left[node], right[node] = n_nodes, n_nodes + 1
            for child in (n_nodes, n_nodes + 1):
                parent[child] = node
            start[n_nodes], count[n_nodes] = start[node], middle
            start[n_nodes + 1] = start[node] + middle
            count[n_nodes + 1] = count[node] - middle
            n_nodes += 2
        node += 1
    origin = np.zeros(records.n_numbers)
    norm = np.empty(n)
    for j in range(records.n_numbers):
        for i in order:
            origin[j] += records.values[i, j]
        origin[j] /= len(order)
    for i in order:
        norm[i] = 0.0
        for j in range(records.n_numbers):
            norm[i] += (records.values[i, j] - origin[j]) ** 2
    tree = KDTree(
        np.empty((n_nodes, p)),
        np.empty((n_nodes, p)),
        origin,
        norm,
        np.empty(n_nodes),
        np.empty(n_nodes, np.int64),
        start[:n_nodes].copy(),
        count[:n_nodes].copy(),
        left[:n_nodes].copy(),
        right[:n_nodes].copy(),
        parent[:n_nodes].copy(),
        order,
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )
    for node in range(n_nodes - 1, -1, -1):
        if tree.left[node] < 0:
            for i in range(start[node], start[node] + count[node]):
                tree.place[order[i]], tree.leaf[order[i]] = i, node
        _fit_box(records.values, tree, node)
    return tree


@kernel
def _fit_box(values, tree, node):
    """Draw the box of a node anew; whether it has changed."""
    p = values.shape[1]
    low, high = tree.low[node], tree.high[node]
    changed = False
    first, reach = len(values), 0.0
    if tree.left[node] < 0:
        begin = tree.start[node]
        end = begin + tree.count[node]
        for i in range(begin, end):
            first = min(first, tree.order[i])
            reach = max(reach, tree.norm[tree.order[i]])
        for j in range(p):
            least, most = np.inf, -np.inf
            for i in range(begin, end):
                value = values[tree.order[i], j]
                least, most = min(least, value), max(most, value)
            changed |= least != low[j] or most != high[j]
            low[j], high[j] = least, most
    else:
        one, other = tree.left[node], tree.right[node]
        first = min(tree.first[one], tree.first[other])
        reach = max(tree.reach[one], tree.reach[other])
        for j in range(p):
            least = min(tree.low[one, j], tree.low[other, j])
            most = max(tree.high[one, j], tree.high[other, j])
            changed |= least != low[j] or most != high[j]
            low[j], high[j] = least, most
    changed |= first != tree.first[node] or reach != tree.reach[node]
    tree.first[node], tree.reach[node] = first, reach
    return changed


@kernel
def take(tree, record):
    """Take a record out of the tree; boxes stay as they are, until `redraw`."""
    node = tree.leaf[record]
    place, last = tree.place[record], tree.start[node] + tree.count[node] - 1
    other = tree.order[last]
    tree.order[place], tree.place[other] = other, place
    tree.order[last], tree.place[record] = record, last
    while node >= 0:
        tree.count[node] -= 1
        node = tree.parent[node]


@kernel
def redraw(values, tree, leaf):
    """Fit the boxes of a leaf and of the nodes above it to the records left."""
    node = leaf
    while node >= 0 and _fit_box(values, tree, node):
        node = tree.parent[node]


@kernel
def farthest(values, n_numbers, tree, point):
    """The record left that is farthest from a point; the lowest of equal ones."""
    stack = np.empty(_STACK, np.int64)
    bounds = np.empty(_STACK)
    stack[0], bounds[0], depth = 0, np.inf, 1
    best, found = -1.0, len(values)
    while depth > 0:
        depth -= 1
        node, bound = stack[depth], bounds[depth]
        if bound < best or (bound == best and tree.first[node] > found):
            continue
        if tree.left[node] < 0:
            for i in range(tree.start[node], tree.start[node] + tree.count[node]):
                record = tree.order[i]
                gap = distance(values, n_numbers, record, point)
                if gap > best or (gap == best and record < found):
                    best, found = gap, record
            continue
        one, other = tree.left[node], tree.right[node]
        near = _upper(tree, n_numbers, one, point) if tree.count[one] else -1.0
        far = _upper(tree, n_numbers, other, point) if tree.count[other] else -1.0
        if near > far or (near == far and tree.first[one] < tree.first[other]):
            one, other, near, far = other, one, far, near
        for child, limit in ((one, near), (other, far)):
            if limit >= best and tree.count[child] > 0:
                stack[depth], bounds[depth] = child, limit
                depth += 1
    return found


@kernel
def _sift(gaps, rows):
    """Put the head of a heap, farthest and highest index first, in its place."""
    gap, row, place, n = gaps[0], rows[0], 0, len(rows)
    while 2 * place + 1 < n:
        child = 2 * place + 1
        if child + 1 < n and (
            gaps[child + 1] > gaps[child]
            or (gaps[child + 1] == gaps[child] and rows[child + 1] > rows[child])
        ):
            child += 1
        if gaps[child] < gap or (gaps[child] == gap and rows[child] <= row):
            break
        gaps[place], rows[place] = gaps[child], rows[child]
        place = child
    gaps[place], rows[place] = gap, row


@kernel
def nearest(values, n_numbers, tree, point, rows):
    """Write the records left that are nearest to a point, lower ones of equal ones."""
    gaps = np.full(len(rows), np.inf)
    rows[:] = len(values)
    stack = np.empty(_STACK, np.int64)
    bounds = np.empty(_STACK)
    stack[0], bounds[0], depth = 0, 0.0, 1
    while depth > 0:
        depth -= 1
        node, bound = stack[depth], bounds[depth]
        if bound > gaps[0] or (bound == gaps[0] and tree.first[node] > rows[0]):
            continue
        if tree.left[node] < 0:
            for i in range(tree.start[node], tree.start[node] + tree.count[node]):
                record = tree.order[i]
                gap = distance(values, n_numbers, record, point)
                if gap < gaps[0] or (gap == gaps[0] and record < rows[0]):
                    gaps[0], rows[0] = gap, record
                    _sift(gaps, rows)
            continue
        one, other = tree.left[node], tree.right[node]
        near = _lower(tree, n_numbers, one, point) if tree.count[one] else np.inf
        far = _lower(tree, n_numbers, other, point) if tree.count[other] else np.inf
        if near < far or (near == far and tree.first[one] < tree.first[other]):
            one, other, near, far = other, one, far, near
        for child, limit in ((one, near), (other, far)):
            if limit <= gaps[0] and tree.count[child] > 0:
                stack[depth], bounds[depth] = child, limit
                depth += 1
