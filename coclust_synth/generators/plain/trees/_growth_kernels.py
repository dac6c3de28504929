"""Compiled kernel of trees of persons: splits that leave enough of them on each side.

====================  ====================================================  ========
symbol                meaning                                               shape
====================  ====================================================  ========
features              what splits ask for, whole numbers from -1            (n, p)
target                what is to be alike in a leaf                         (n, q)
person                of each row, from 0                                   (n,)
order                 rows, those of a node side by side                    (n,)
low, high             of each person, lowest and highest value in a node    (P,)
rows, total           of each value of a feature: rows, sum of targets      (V,) (V, q)
first, last           persons whose lowest, highest value it is             (V,)
====================  ====================================================  ========
"""

import numpy as np

from coclust_synth._jit import kernel

# What a split explains of the squares of a node, at least, more than one before it:
# less is rounding.
LEAST = 1e-9


@kernel
def grow(features, target, person, k):
    """Split nodes as long as a split explains the target, with k persons on both sides.

    Gives the nodes, see `_tree_kernels`, and the leaf of each row, (n,) int64.
    """
    n = len(features)
    order, leaf = np.arange(n), np.zeros(n, dtype=np.int64)
    feature, threshold = np.full(2 * n, -1, np.int32), np.full(2 * n, -1, np.int32)
    left, right = np.full(2 * n, -1, np.int32), np.full(2 * n, -1, np.int32)
    start, end = np.zeros(2 * n, np.int64), np.zeros(2 * n, np.int64)
    end[0], n_nodes, node = n, 1, 0
    bounds = np.empty((int(person.max()) + 1, 2), np.int64)
    n_values = int(features.max()) + 2
    of_values = np.zeros((n_values, 3), np.int64)
    total = np.zeros((n_values, target.shape[1]))
    while node < n_nodes:
        own = order[start[node] : end[node]]
        j, cut = _best_split(features, target, person, k, own, bounds, of_values, total)
        if j < 0:
            leaf[own] = node
        else:
            goes_left = features[own, j] <= cut
            order[start[node] : end[node]] = np.concatenate(
                (own[goes_left], own[~goes_left])
            )
            middle = start[node] + goes_left.sum()
            feature[node], threshold[node] = j, cut
            left[node], right[node] = n_nodes, n_nodes + 1
            start[n_nodes], end[n_nodes] = start[node], middle
            start[n_nodes + 1], end[n_nodes + 1] = middle, end[node]
            n_nodes += 2
        node += 1
    nodes = feature[:n_nodes], threshold[:n_nodes], left[:n_nodes], right[:n_nodes]
    return nodes, leaf


@kernel
def _best_split(features, target, person, k, own, bounds, of_values, total):
    """The feature of the best split of some rows and the highest value that goes left.

    (-1, -1) without one. `of_values` and `total` are 0, and left so.
    """
    q = target.shape[1]
    whole = np.zeros(q)
    squares = 0.0
    for i in own:
        for t in range(q):
            whole[t] += target[i, t]
            squares += target[i, t] ** 2
    alike = 0.0
    for t in range(q):
        alike += whole[t] ** 2 / len(own)
    best, best_j, best_cut, margin = alike, -1, -1, LEAST * squares
    if squares - alike <= margin:
        return best_j, best_cut
    sums = np.empty(q)
    for j in range(features.shape[1]):
        lowest, highest = features[own[0], j], features[own[0], j]
        for i in own:
            lowest, highest = min(lowest, features[i, j]), max(highest, features[i, j])
            bounds[person[i], 0] = -2
        if lowest == highest:
            continue
        n_persons = 0
        for i in own:
            v, p = features[i, j], person[i]
            of_values[v + 1, 0] += 1
            for t in range(q):
                total[v + 1, t] += target[i, t]
            if bounds[p, 0] == -2:
                bounds[p, 0] = bounds[p, 1] = v
                n_persons += 1
                of_values[v + 1, 1] += 1
                of_values[v + 1, 2] += 1
            elif v < bounds[p, 0]:
                of_values[bounds[p, 0] + 1, 1] -= 1
                of_values[v + 1, 1] += 1
                bounds[p, 0] = v
            elif v > bounds[p, 1]:
                of_values[bounds[p, 1] + 1, 2] -= 1
                of_values[v + 1, 2] += 1
                bounds[p, 1] = v
        sums[:] = 0.0
        rows, on_left, on_right, found = 0, 0, n_persons, False
        for v in range(lowest, highest + 1):
            if of_values[v + 1, 0]:
                if found:  # between the last value and this one
                    best_cut, found = (best_cut + v - 1) // 2, False
                rows += of_values[v + 1, 0]
                on_left += of_values[v + 1, 1]
                on_right -= of_values[v + 1, 2]
                explained = 0.0
                for t in range(q):
                    sums[t] += total[v + 1, t]
                    if rows < len(own):
                        explained += sums[t] ** 2 / rows
                        explained += (whole[t] - sums[t]) ** 2 / (len(own) - rows)
                if min(on_left, on_right) >= k and explained > best + margin:
                    best, best_j, best_cut, found = explained, j, v, True
            of_values[v + 1] = 0
            total[v + 1] = 0.0
    return best_j, best_cut
