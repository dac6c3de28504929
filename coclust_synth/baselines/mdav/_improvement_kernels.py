"""Compiled kernels that improve groups: arrays in, arrays out, input checked.

A neighbourhood is the N records of a few groups near each other; it is made anew and
settled, and put in place of the old one if its groups are closer.

=============  ==============================================================  ======
symbol         meaning                                                         shape
=============  ==============================================================  ======
gaps           squared distances of the records of a neighbourhood             (N, N)
own            group of each of them                                           (N,)
size           records of each group                                           (m,)
to             sum of the gaps of a record to those of a group                 (N, m)
pairs          sum of the gaps of all pairs of a group                         (m,)
first,         records of each group of the table, as linked lists             (G,) (n,)
following
=============  ==============================================================  ======

The loss of a group is pairs / size: for numbers, its sum of squared differences from
the mean.
"""

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.baselines.mdav._tree_kernels import distance, nearest, plant

_MIN_GAIN = 1e-10  # as a share of the loss, far above rounding
_MAX_GROUPS = 6  # of a neighbourhood
_MIN_NEAR = 64  # records whose groups make a neighbourhood, at least
_MAX_ROWS = 1024  # of one of more than two groups, unless groups are large


@kernel
def _draw(state, n):
    """A whole number below n (Park and Miller's generator, multiplier of 1993)."""
    state[0] = state[0] * 48271 % 2147483647
    return state[0] % n


@kernel
def _sums(gaps, own, n_groups):
    """Size, to and pairs of groups."""
    n = len(own)
    size = np.zeros(n_groups, np.int64)
    to = np.zeros((n, n_groups))
    pairs = np.zeros(n_groups)
    for i in range(n):
        size[own[i]] += 1
        for j in range(n):
            to[i, own[j]] += gaps[i, j]
    for i in range(n):
        pairs[own[i]] += to[i, own[i]] / 2
    return size, to, pairs


@kernel
def _shift(gaps, own, size, to, pairs, i, b):
    """Move a record to group b."""
    a = own[i]
    pairs[a] -= to[i, a]
    pairs[b] += to[i, b]
    size[a] -= 1
    size[b] += 1
    own[i] = b
    for j in range(len(own)):
        to[j, a] -= gaps[i, j]
        to[j, b] += gaps[i, j]


@kernel
def settle(gaps, own, n_groups, k):
    """Move single records, and swap two, while the loss falls; what it comes to."""
    n = len(own)
    size, to, pairs = _sums(gaps, own, n_groups)
    least = _MIN_GAIN * (pairs / size).sum()
    moved = True
    while moved:
        moved = False
        for i in range(n):
            a = own[i]
            if size[a] > k:
                best, target = least, -1
                gone = pairs[a] / size[a] - (pairs[a] - to[i, a]) / (size[a] - 1)
                for b in range(n_groups):
                    if b != a:
                        more = (pairs[b] + to[i, b]) / (size[b] + 1)
                        gain = gone - more + pairs[b] / size[b]
                        if gain > best:
                            best, target = gain, b
                if target >= 0:
                    _shift(gaps, own, size, to, pairs, i, target)
                    moved = True
            for j in range(i + 1, n):
                a, b = own[i], own[j]
                if a == b:
                    continue
                gain = (to[i, a] - to[j, a] + gaps[i, j]) / size[a]
                gain += (to[j, b] - to[i, b] + gaps[i, j]) / size[b]
                if gain > least:
                    _shift(gaps, own, size, to, pairs, i, b)
                    _shift(gaps, own, size, to, pairs, j, a)
                    moved = True
    return (pairs / size).sum()


@kernel
def _regroup(gaps, n_groups, k, state):
    """New groups of a neighbourhood: k records around a random one, repeatedly.

    What is left over joins the group of the least mean gap.
    """
    n = len(gaps)
    own = np.full(n, -1)
    left = np.arange(n)
    for group in range(n_groups):
        seed = left[_draw(state, len(left))]
        own[seed] = group
        left = np.flatnonzero(own < 0)
        by = np.argsort(gaps[seed][left], kind="mergesort")
        own[left[by[: k - 1]]] = group
        left = np.flatnonzero(own < 0)
    for i in left:
        best = np.inf
        for group in range(n_groups):
            total, size = 0.0, 0
            for j in range(n):
                if own[j] == group:
                    total += gaps[i, j]
                    size += 1
            if total / size < best:
                best, target = total / size, group
        own[i] = target
    return own


@kernel
def _near_groups(records, tree, label, start, near, groups):
    """Write groups of the records nearest to one, nearest first; how many they are."""
    values = records.values
    point = values[start]
    nearest(values, records.n_numbers, tree, point, near)
    gaps = np.empty(len(near))
    for i in range(len(near)):
        gaps[i] = distance(values, records.n_numbers, near[i], point)
    n_groups = 0
    for i in np.argsort(gaps, kind="mergesort"):
        group = label[near[i]]
        if n_groups < len(groups) and not (groups[:n_groups] == group).any():
            groups[n_groups] = group
            n_groups += 1
    return n_groups


@kernel
def _link(first, following, record, group):
    following[record] = first[group]
    first[group] = record


@kernel
def _members(first, following, groups):
    """Records of some groups, and which of these each is in."""
    n = 0
    for group in groups:
        record = first[group]
        while record >= 0:
            n += 1
            record = following[record]
    rows = np.empty(n, np.int64)
    own = np.empty(n, np.int64)
    place = 0
    for position in range(len(groups)):
        record = first[groups[position]]
        while record >= 0:
            rows[place], own[place] = record, position
            place += 1
            record = following[record]
    return rows, own


@kernel
def _gaps(records, rows):
    gaps = np.zeros((len(rows), len(rows)))
    for i in range(len(rows)):
        point = records.values[rows[i]]
        for j in range(i):
            gap = distance(records.values, records.n_numbers, rows[j], point)
            gaps[i, j] = gaps[j, i] = gap
    return gaps


@kernel
def improve(records, label, k, n_iterations, state):
    """Improve the groups of `label`, in place; see `improve_groups`.

    Groups are slots, of which those that hold no record are `free`.
    """
    n = len(label)
    tree = plant(records, np.arange(n))
    near = np.empty(min(n, max(_MIN_NEAR, 3 * k)), np.int64)
    n_slots = n // k
    first = np.full(n_slots, -1)
    following = np.full(n, -1)
    for record in range(n):
        _link(first, following, record, label[record])
    free = np.empty(n_slots, np.int64)
    n_free = 0
    for group in range(n_slots):
        if first[group] < 0:
            free[n_free] = group
            n_free += 1
    most = max(2, min(_MAX_GROUPS, _MAX_ROWS // k))
    groups = np.empty(most + 1, np.int64)
    for step in range(n_iterations * n_slots):
        start = _draw(state, n)
        wanted = 2 + _draw(state, most - 1)
        m = _near_groups(records, tree, label, start, near, groups[:wanted])
        rows, own = _members(first, following, groups[:m])
        gaps = _gaps(records, rows)
        size, _, pairs = _sums(gaps, own, m)
        before = (pairs / size).sum()
        m_new = m
        if step >= n_slots:
            m_new = max(1, min(m - 1 + _draw(state, 3), len(rows) // k, m + n_free))
            own = _regroup(gaps, m_new, k, state)
        after = settle(gaps, own, m_new, k)
        if after < before * (1 - _MIN_GAIN):
            for position in range(m, m_new):
                n_free -= 1
                groups[position] = free[n_free]
            for position in range(m):
                first[groups[position]] = -1
            for position in range(m_new, m):
                free[n_free] = groups[position]
                n_free += 1
            for i in range(len(rows)):
                label[rows[i]] = groups[own[i]]
                _link(first, following, rows[i], label[rows[i]])
