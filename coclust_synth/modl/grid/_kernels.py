"""Compiled kernels of the clusters of a grid and of their merges.

Arrays in, arrays out, input already checked.

One side of the grid is worked on at a time; the other is held fixed. The kernels do
not know which side is rows and which is columns.

====================  =========================================================  ======
symbol                meaning                                                    shape
====================  =========================================================  ======
side                  `Side`: the values of this side, the observations of each
label                 own cluster of value i                                     (n,)
opposite_label        opposite cluster of opposite value                         (n',)
cells                 observations of (opposite cluster, own cluster)            (L, J)
c_size, c_total       values and observations of each own cluster                (J,)
log_fact              ln n!, see `log_fact_table`                                (.,)
priors                `SizePriors`: terms of the sizes of the clusters alone
====================  =========================================================  ======

A cluster of size 0 is empty: it holds a number but costs nothing, and ``J`` of the
formulas counts the others.
"""

import math
from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.modl.criterion._kernels import (
    cell_counts_prior,
    partition_prior,
    sizes_cost,
)

# A change of cost (nats) smaller than this is taken for rounding.
TOLERANCE = 1e-7


class Clusters(NamedTuple):
    """The own clusters, changed in place: see the head of this module."""

    cells: np.ndarray
    c_size: np.ndarray
    c_total: np.ndarray


class MergePriors(NamedTuple):
    """What merges change beside values and cells (nats).

    partitions : `PartitionPriors` of the two sides. family : (3,) by the number of
    sides of several clusters.
    """

    partitions: tuple
    family: np.ndarray
    n_observations: int


@kernel
def n_nonempty(c_size):
    """Clusters that hold a value."""
    n = 0
    for size in c_size:
        if size > 0:
            n += 1
    return n


@kernel
def count_clusters(values, side, label, opposite_label, n_opposite, n_own):
    """The `Clusters` that some values make up, shape (n_opposite, n_own)."""
    cells = np.zeros((n_opposite, n_own), np.int64)
    c_size = np.zeros(n_own, np.int64)
    c_total = np.zeros(n_own, np.int64)
    for i in values:
        a = label[i]
        c_size[a] += side.size[i]
        c_total[a] += side.total[i]
        for e in range(side.indptr[i], side.indptr[i + 1]):
            cells[opposite_label[side.opposite[e]], a] += side.count[e]
    return Clusters(cells, c_size, c_total)


@kernel
def clusters_cost(clusters, log_fact):
    """Cost of own clusters, priors apart: their values and their cells."""
    cells, c_size, c_total = clusters
    cost = 0.0
    for a in range(len(c_size)):
        if c_size[a] > 0:
            cost += sizes_cost(c_size[a], c_total[a], log_fact)
            for g in range(cells.shape[0]):
                cost -= log_fact[cells[g, a]]
    return cost


@kernel
def merge_costs(clusters, log_fact):
    """Change of cost of each merge of two own clusters, priors on J apart.

    Returns an upper triangle, shape (J, J); inf where a cluster is empty and below
    the diagonal.
    """
    n_own = len(clusters.c_size)
    costs = np.full((n_own, n_own), math.inf)
    for a in range(n_own):
        if clusters.c_size[a] == 0:
            continue
        for b in range(a + 1, n_own):
            if clusters.c_size[b] > 0:
                costs[a, b] = _merge_cost(clusters, log_fact, a, b)
    return costs


@kernel
def merge_costs_of(clusters, log_fact, a):
    """One row of `merge_costs`, below the diagonal too: merges with own cluster a."""
    n_own = len(clusters.c_size)
    costs = np.full(n_own, math.inf)
    for b in range(n_own):
        if b != a and clusters.c_size[a] > 0 and clusters.c_size[b] > 0:
            costs[b] = _merge_cost(clusters, log_fact, a, b)
    return costs


@kernel
def size_merge_cost(c_size, c_total, log_fact, a, b):
    """Size terms of the merge of own clusters a and b."""
    cost = sizes_cost(c_size[a] + c_size[b], c_total[a] + c_total[b], log_fact)
    cost -= sizes_cost(c_size[a], c_total[a], log_fact)
    return cost - sizes_cost(c_size[b], c_total[b], log_fact)


@kernel
def cell_merge_cost(x, y, log_fact):
    """Change of cost when two cells become one."""
    return log_fact[x] + log_fact[y] - log_fact[x + y]


@kernel
def _merge_cost(clusters, log_fact, a, b):
    """Change of cost of the merge of own clusters a and b, priors on J apart."""
    cells = clusters.cells
    cost = size_merge_cost(clusters.c_size, clusters.c_total, log_fact, a, b)
    for g in range(cells.shape[0]):
        x = cells[g, a]
        y = cells[g, b]
        if x > 0 and y > 0:
            cost += cell_merge_cost(x, y, log_fact)
    return cost


@kernel
def best_merge(costs, c_size, j, priors, log_fact):
    """The merge of two own clusters that costs least, other priors apart.

    Returns (kept, absorbed, change of cost), with the change of the partition prior.
    """
    largest, second = 0, 0
    for size in c_size:
        if size > largest:
            largest, second = size, largest
        elif size > second:
            second = size
    here = partition_prior(j, largest, priors, log_fact)
    usual = partition_prior(j - 1, largest, priors, log_fact) - here
    # Of merged clusters that are larger, by how much; computed where it is asked for.
    of_larger = np.full(second + 1, math.nan)
    kept, absorbed, change = -1, -1, math.inf
    for a in range(len(c_size)):
        if c_size[a] == 0:
            continue
        for b in range(a + 1, len(c_size)):
            if c_size[b] == 0:
                continue
            prior = usual
            more = c_size[a] + c_size[b] - largest
            if more > 0:
                if math.isnan(of_larger[more]):
                    merged = partition_prior(j - 1, largest + more, priors, log_fact)
                    of_larger[more] = merged - here
                prior = of_larger[more]
            if costs[a, b] + prior < change - TOLERANCE:
                kept, absorbed, change = a, b, costs[a, b] + prior
    return kept, absorbed, change


@kernel
def merge_down(clusters, log_fact, n_clusters, by_number, most):
    """Merge the cheapest pairs of own clusters until `n_clusters` are left.

    Or until the next merge would cost more than `most` (nats), with the change of
    `by_number`, the priors by number of clusters.
    In place: clusters. Returns the cluster that each one went to.
    """
    n_own = len(clusters.c_size)
    costs = merge_costs(clusters, log_fact)
    target = np.arange(n_own)
    left = n_nonempty(clusters.c_size)
    while left > n_clusters:
        kept, absorbed = -1, -1
        lowest = math.inf
        for a in range(n_own):
            for b in range(a + 1, n_own):
                if costs[a, b] < lowest - TOLERANCE:
                    kept, absorbed, lowest = a, b, costs[a, b]
        if lowest + by_number[left - 1] - by_number[left] > most:
            break
        _absorb(clusters, costs, kept, absorbed, log_fact)
        for a in range(n_own):
            if target[a] == absorbed:
                target[a] = kept
        left -= 1
    return target


@kernel
def _update_merge_costs(costs, clusters, a, b, log_fact):
    """Correct the merge costs of this side before opposite clusters a, b merge.

    In place: costs.
    """
    cells, c_size, _ = clusters
    n_own = len(c_size)
    for p in range(n_own):
        if c_size[p] == 0:
            continue
        xa, xb = cells[a, p], cells[b, p]
        own = log_fact[xa + xb] - log_fact[xa] - log_fact[xb]
        for q in range(p + 1, n_own):
            if c_size[q] == 0:
                continue
            ya, yb = cells[a, q], cells[b, q]
            costs[p, q] += (
                own
                + (log_fact[ya + yb] - log_fact[ya] - log_fact[yb])
                - (log_fact[xa + xb + ya + yb] - log_fact[xa + ya] - log_fact[xb + yb])
            )


@kernel
def merge_path(rows, columns, priors, log_fact, stop_at_rise):
    """Greedy best merges over both sides, down to one cell or to the first rise.

    `rows` and `columns` are the `Clusters` of the same grid, both changed in place;
    `priors` are `MergePriors`. Returns the merges (m, 3), each (side, kept, absorbed)
    with kept < absorbed, and the change of cost of each (m,).
    """
    sides = (rows, columns)
    costs = (merge_costs(rows, log_fact), merge_costs(columns, log_fact))
    left = np.array([n_nonempty(rows.c_size), n_nonempty(columns.c_size)])
    merges = np.empty((max(left.sum() - 2, 0), 3), np.int64)
    changes = np.empty(len(merges))
    n_merges = 0
    while left.max() > 1:
        side, kept, absorbed, change = 0, -1, -1, math.inf
        for s in range(2):
            if left[s] > 1:
                a, b, cost = best_merge(
                    costs[s], sides[s].c_size, left[s], priors.partitions[s], log_fact
                )
                cost = _add_number_change(cost, left[s], left[1 - s], priors)
                if cost < change - TOLERANCE:
                    side, kept, absorbed, change = s, a, b, cost
        if stop_at_rise and change > -TOLERANCE:
            break
        merges[n_merges] = (side, kept, absorbed)
        changes[n_merges] = change
        n_merges += 1
        left[side] -= 1
        other = 1 - side
        _update_merge_costs(costs[other], sides[other], kept, absorbed, log_fact)
        merged = sides[other].cells
        for g in range(merged.shape[1]):
            merged[kept, g] += merged[absorbed, g]
            merged[absorbed, g] = 0
        _absorb(sides[side], costs[side], kept, absorbed, log_fact)
    return merges[:n_merges], changes[:n_merges]


@kernel
def _add_number_change(cost, j, n_opposite, priors):
    """Add what one of `j` own clusters less changes, the partition prior apart."""
    n = priors.n_observations
    here = cell_counts_prior(n, float(j) * n_opposite)
    cost += cell_counts_prior(n, (j - 1.0) * n_opposite) - here
    if j == 2:
        n_split = 2 if n_opposite > 1 else 1
        cost += priors.family[n_split - 1] - priors.family[n_split]
    return cost


@kernel
def _absorb(clusters, costs, kept, absorbed, log_fact):
    """Merge own clusters; renew the merge costs of `kept`.

    In place: clusters, costs.
    """
    cells, c_size, c_total = clusters
    for g in range(cells.shape[0]):
        cells[g, kept] += cells[g, absorbed]
        cells[g, absorbed] = 0
    c_size[kept] += c_size[absorbed]
    c_total[kept] += c_total[absorbed]
    c_size[absorbed] = 0
    c_total[absorbed] = 0
    for b in range(len(c_size)):
        lo, hi = min(b, absorbed), max(b, absorbed)
        costs[lo, hi] = math.inf
    for b in range(len(c_size)):
        if b != kept and c_size[b] > 0:
            lo, hi = min(b, kept), max(b, kept)
            costs[lo, hi] = _merge_cost(clusters, log_fact, lo, hi)
