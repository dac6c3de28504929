"""How much a part matters in its dimension, and a value in its cluster.

Both follow the reference implementation, Khiops 11: a part is interesting if merging
it with the others would cost much, and a value typical if it would cost much to move
it to the other clusters.
"""

import numpy as np
from scipy.special import gammaln

from coclust_synth.modl.criterion.terms import (
    catch_all_partition_prior,
    part_costs,
    plain_partition_prior,
)
from coclust_synth.modl.data_grid.data_grid import distinct_rows

_TOLERANCE = 1e-7  # smaller costs are rounding (nats)


def interests(grid, axis):
    """Interest of each part of one dimension.

    The mean over the other parts of what merging the two would cost, in the terms of
    values and cells only, divided by the largest of the dimension. Intervals merge
    with their neighbours alone.

    Parameters
    ----------
    grid : DataGrid
    axis : int

    Returns
    -------
    ndarray of float64, shape (J,)
        In [0, 1], the largest being 1.
    """
    dimension = grid.dimensions[axis]
    cells = grid.opposite_cells(axis)
    alone = dimension.part_costs() - gammaln(cells + 1.0).sum(axis=1)
    n_parts = dimension.n_parts
    costs = np.zeros(n_parts)
    for part in range(n_parts - 1):
        stop = part + 2 if dimension.is_numeric else n_parts
        others = np.arange(part + 1, stop)
        sizes = None
        if not dimension.is_numeric:
            sizes = dimension.sizes[part] + dimension.sizes[others]
        together = part_costs(dimension.totals[part] + dimension.totals[others], sizes)
        together -= gammaln(cells[part] + cells[others] + 1.0).sum(axis=1)
        change = together - alone[part] - alone[others]
        costs[part] += change.sum()
        costs[others] += change
    return _relative(costs)


def typicalities(records, grid, axis):
    """Typicality of each value of one categorical dimension in its cluster.

    The mean over the other clusters of what moving the value there would cost, in the
    terms of values, cells and partition (which changes where a cluster disappears, or
    where a catch-all grows or shrinks); 0 if negative; divided by the largest of the
    cluster.

    Parameters
    ----------
    records : Records
    grid : DataGrid
        Of these records.
    axis : int

    Returns
    -------
    ndarray of float64, shape (V,)
        In [0, 1], the largest of each cluster being 1; 0 in the only cluster of a
        dimension.
    """
    label = records.labels[axis]
    dimension = grid.dimensions[axis]
    n_clusters = dimension.n_parts
    if n_clusters == 1:
        return np.zeros(len(label))
    values = records.value_totals(axis)
    value, cell, count, cells = _profiles(records, axis)

    def cells_cost(cluster, change):
        """Cost of the cells of `cluster` after each value's counts are added."""
        before = cells[cluster, cell]
        cost = gammaln(before + 1.0) - gammaln(before + change + 1.0)
        return np.bincount(value, cost, len(label))

    totals, sizes = dimension.totals, dimension.sizes
    alone = sizes[label] == 1
    leaving = np.where(
        alone, 0.0, part_costs(totals[label] - values, np.maximum(sizes[label] - 1, 1))
    ) - part_costs(totals[label], sizes[label])
    leaving += cells_cost(label[value], -count)
    prior_changes = _prior_changes(sizes)
    change = np.zeros(len(label))
    for cluster in range(n_clusters):
        entering = part_costs(totals[cluster] + values, sizes[cluster] + 1)
        entering -= part_costs(totals[cluster], sizes[cluster])
        entering += cells_cost(np.full(len(cell), cluster), count)
        entering += leaving + prior_changes[label, cluster]
        change += np.where(label == cluster, 0.0, entering)
    typicality = np.zeros(len(label))
    for cluster in range(n_clusters):
        members = label == cluster
        typicality[members] = _relative(change[members])
    return typicality


def _profiles(records, axis):
    """Counts of each value, and of each cluster, in the cells of the other variables.

    Returns
    -------
    value, cell, count : ndarray of int64, shape (p,)
        The non-zero counts of values.
    cells : ndarray of int64, shape (J, number of cells)
    """
    label = records.labels[axis]
    others = np.delete(records.part_indexes(), axis, axis=1)
    cell, n_cells = distinct_rows(others)
    pairs, inverse = np.unique(
        records.codes[:, axis] * n_cells + cell, return_inverse=True
    )
    count = np.bincount(inverse, records.counts).astype(np.int64)
    value, cell = np.divmod(pairs, n_cells)
    n_clusters = int(label.max()) + 1
    cells = np.bincount(label[value] * n_cells + cell, count, n_clusters * n_cells)
    return value, cell, count, cells.astype(np.int64).reshape(n_clusters, n_cells)


def _prior_changes(sizes):
    """Change of the partition prior when a value of one cluster goes to another.

    A partition with a catch-all keeps it, also where it would cost less without.

    Returns
    -------
    ndarray of float64, shape (J, J)
        From the cluster of the row to that of the column; the diagonal means nothing.
    """
    n_values, n_clusters = int(sizes.sum()), len(sizes)
    order = np.argsort(-sizes, kind="stable")
    largest = int(sizes[order[0]])
    plain = plain_partition_prior(n_values, n_clusters)
    catch_all = catch_all_partition_prior(n_values, n_clusters, largest)
    before = min(plain, catch_all)
    disappears = sizes == 1
    changes = np.full((n_clusters, n_clusters), plain - before)
    changes[disappears] = plain_partition_prior(n_values, n_clusters - 1) - before
    if catch_all >= plain:
        return changes
    # The largest cluster once a value has gone from the row to the column.
    others = np.full(n_clusters, largest)
    others[order[0]] = sizes[order[1]]
    after = np.maximum(np.maximum(others, sizes - 1)[:, None], sizes + 1)
    np.fill_diagonal(after, largest)
    n_left = n_clusters - disappears.astype(np.int64)
    for n_clusters_left in set(n_left[n_left > 2].tolist()):
        rows = np.flatnonzero(n_left == n_clusters_left)
        for size in np.unique(after[rows]).tolist():
            prior = catch_all_partition_prior(n_values, n_clusters_left, size)
            block = changes[rows]
            block[after[rows] == size] = prior - before
            changes[rows] = block
    return changes


def _relative(costs):
    """Costs over their maximum, 0 where negative; all 1 where none is positive."""
    costs = np.maximum(costs, 0.0)
    top = costs.max()
    return costs / top if top > _TOLERANCE else np.ones(len(costs))
