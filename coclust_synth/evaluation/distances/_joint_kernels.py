"""Kernel of the joint distances of generalised tables; see `joint_hellinger`.

A search in depth over sets of variables and, for each, over the joint values of the
real rows. A joint value knows its real rows and the released rows that cover it; those
of one more variable are found among them.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel


class Tables(NamedTuple):
    """Distinct rows of both tables, and the sets of variables asked for.

    A node is a set of variables; that of none is node 0. Leaves are numbered over all
    variables, labels within each; `first_cover[leaf] + label` is the place of both in
    `covers`.
    """

    real: np.ndarray  # (S, d) int64, leaf of each variable
    counts: np.ndarray  # (S,) int64, rows equal to it
    released: np.ndarray  # (T, d) int64, label of each variable
    weights: np.ndarray  # (T,) float64, rows equal to it
    shares: np.ndarray  # (T, d) float64, 1 / leaves of the label
    covers: np.ndarray  # bool, whether a leaf is under a label
    first_cover: np.ndarray  # (leaves,) int64
    child: np.ndarray  # (nodes, d) int64, node of one more variable; -1 if none


@kernel
def joint_masses(tables, max_order):
    """Sums over the joint values of real rows, for each node.

    Returns (squares, mass), both (nodes,) float64: sums of (sqrt(p) - sqrt(q))², and
    of q × the number of released rows.
    """
    n_nodes, d = tables.child.shape
    n_distinct, n_labelled = len(tables.real), len(tables.released)
    n_real, n_released = tables.counts.sum(), tables.weights.sum()
    squares, sums = np.zeros(n_nodes), np.zeros(n_nodes)

    # At each depth, which is a number of variables, one joint value of one node: its
    # real rows[begin:end], and what covers it, with the mass there, rows × shares.
    depths = max_order + 1
    rows = np.empty((depths, n_distinct), dtype=np.int64)
    covering = np.empty((depths, n_labelled), dtype=np.int64)
    mass = np.empty((depths, n_labelled))
    node = np.zeros(depths, dtype=np.int64)
    begin, end = np.zeros(depths, dtype=np.int64), np.zeros(depths, dtype=np.int64)
    n_covering = np.zeros(depths, dtype=np.int64)
    # How far it is in adding the variables, and the leaves of one of them.
    variable, position = np.zeros(depths, np.int64), np.zeros(depths, np.int64)
    places = np.zeros(len(tables.first_cover), dtype=np.int64)

    depth = 0
    rows[0], covering[0] = np.arange(n_distinct), np.arange(n_labelled)
    mass[0] = tables.weights
    end[0] = position[0] = n_distinct
    n_covering[0] = n_labelled
    variable[0] = -1
    while depth >= 0:
        n_rows = end[depth] - begin[depth]
        if position[depth] == n_rows:
            k = variable[depth] + 1
            while k < d and tables.child[node[depth], k] < 0:
                k += 1
            if k == d:
                depth -= 1
                continue
            variable[depth], position[depth] = k, 0
            stretch = rows[depth, begin[depth] : end[depth]]
            _group(stretch, tables.real[:, k], places, rows[depth + 1])

        k, start = variable[depth], position[depth]
        further = tables.child[node[depth], k]
        leaf = tables.real[rows[depth + 1, start], k]
        stop, count = start, 0
        while stop < n_rows and tables.real[rows[depth + 1, stop], k] == leaf:
            count += tables.counts[rows[depth + 1, stop]]
            stop += 1
        position[depth] = stop

        n_further, total = 0, 0.0
        first = tables.first_cover[leaf]
        for i in range(n_covering[depth]):
            row = covering[depth, i]
            if tables.covers[first + tables.released[row, k]]:
                part = mass[depth, i] * tables.shares[row, k]
                covering[depth + 1, n_further] = row
                mass[depth + 1, n_further] = part
                n_further += 1
                total += part
        squares[further] += (np.sqrt(count / n_real) - np.sqrt(total / n_released)) ** 2
        sums[further] += total

        depth += 1
        node[depth], n_covering[depth] = further, n_further
        begin[depth], end[depth] = start, stop
        variable[depth], position[depth] = k, stop - start
    return squares, sums


@kernel
def _group(stretch, leaves, places, grouped):
    """Put rows into the head of grouped, those of one leaf together.

    Leaves come in the order of their first rows. places, by leaf, is 0 before and
    after.
    """
    for row in stretch:
        places[leaves[row]] += 1
    # Number of rows of a leaf, then -1 - its next place.
    place = 0
    for row in stretch:
        leaf = leaves[row]
        if places[leaf] > 0:
            n_rows = places[leaf]
            places[leaf] = -1 - place
            place += n_rows
        grouped[-1 - places[leaf]] = row
        places[leaf] -= 1
    for row in stretch:
        places[leaves[row]] = 0
