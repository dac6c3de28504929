"""Compiled kernels of MDAV: arrays in, arrays out, input checked.

Records left are leaves of a k-d tree whose boxes shrink as records are taken. A box
says how near and how far its records can be: its bounds sum the same terms as distances
do, in the same order, and rounding is monotone, so that no slack is needed and what is
found is what a scan of all records finds, ties by index included.

=============  ==============================================================  ======
symbol         meaning                                                         shape
=============  ==============================================================  ======
values         records: p numbers, of them `n_means` averaged and the others   (n, p)
               places of ordinal values, then codes of nominal values
codes          ranks and codes of the columns that are not averaged            (n, q)
low, high      box of a node's records that are left                           (T, p)
origin         mean of the numbers of the records when the tree was planted    (p,)
norm, reach    squared distance of a record from it, and the most of a node    (n,) (T,)
first          the lowest index among them                                     (T,)
start, count   where a node's records are in `order`; how many are left        (T,)
left, right,   neighbours of a node, -1 if none                                (T,)
parent
order, place   records by node, those left of a leaf ahead, and its inverse    (n,)
leaf           leaf of each record                                             (n,)
total, rest    sums of the averaged columns and what their rounding lost       (p,)
tally          records that hold each category of column j, from offsets[j]    (V,)
=============  ==============================================================  ======

A sum is kept as two floats (Dekker 1971): about 106 bits, the exact sum of the records
left, however many were added and taken, for numbers of like magnitudes.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel

_LEAF_SIZE = 20  # fastest on tables of 50,000 and 200,000 rows
_SLACK = 1e-9  # far above the rounding of the terms that it is a share of
_STACK = 256  # a tree is not that deep: each node has at most 7/8 of its parent's


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


class CentreSums(NamedTuple):
    """What the centre of some records is computed from."""

    total: np.ndarray
    rest: np.ndarray
    tally: np.ndarray
    size: np.ndarray


# --- centres ------------------------------------------------------------------


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


# --- distances and their bounds -----------------------------------------------


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


# --- the tree -----------------------------------------------------------------


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
def _take(tree, record):
    """Take a record out of the tree; boxes stay as they are, until `_redraw`."""
    node = tree.leaf[record]
    place, last = tree.place[record], tree.start[node] + tree.count[node] - 1
    other = tree.order[last]
    tree.order[place], tree.place[other] = other, place
    tree.order[last], tree.place[record] = record, last
    while node >= 0:
        tree.count[node] -= 1
        node = tree.parent[node]


@kernel
def _redraw(values, tree, leaf):
    """Fit the boxes of a leaf and of the nodes above it to the records left."""
    node = leaf
    while node >= 0 and _fit_box(values, tree, node):
        node = tree.parent[node]


# --- searches -----------------------------------------------------------------


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


# --- MDAV ---------------------------------------------------------------------


@kernel
def _gather(records, tree, sums, label, record, k, group):
    """Take a record and its k - 1 nearest out, as a group."""
    values = records.values
    rows = np.empty(k, np.int64)
    rows[0] = record
    _take(tree, record)
    if k > 1:
        nearest(values, records.n_numbers, tree, values[record], rows[1:])
    leaf = -1
    for i in range(k):
        put(records, sums, rows[i], -1)
        label[rows[i]] = group
        if i > 0:
            _take(tree, rows[i])
    for row in rows:
        if tree.leaf[row] != leaf:
            leaf = tree.leaf[row]
            _redraw(values, tree, leaf)


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
