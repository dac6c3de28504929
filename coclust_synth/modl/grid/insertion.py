"""New individuals: the cluster where each one costs least."""

import numpy as np

from coclust_synth.modl.criterion.terms import partition_prior

_TOLERANCE = 1e-7  # smaller differences of cost are rounding (nats)
_BLOCK = 2**22  # costs held at a time
_ROWS = 2**18  # rows looked at at a time


def insertion_costs(cells, row_sizes, clusters):
    """What a new row would cost in each row cluster, all else held.

    Parameters
    ----------
    cells : ndarray of int64, shape (J_1, J_2)
        Observations in each cell.
    row_sizes : ndarray of int64, shape (J_1,)
        Rows in each cluster.
    clusters : ndarray of int64, shape (n, d)
        Column cluster of each of the d observations of each new row; -1 for none.

    Returns
    -------
    ndarray of float64, shape (n, J_1)
        Change of cost (nats), up to a term that depends on the row alone.

    Notes
    -----
    Of the terms of the cost only those of the row clusters, of the cells and of the
    partition of the rows (a catch-all grows, or not) depend on where a row goes. With
    n observations, k of its own, and m rows it changes the cluster's terms by
    ``ln (n+m+k)! - ln (n+m-1)! - ln m``, and the j-th of its observations in a cell of
    c changes that cell's by ``-ln (c+j)``.
    """
    n_rows, largest = int(row_sizes.sum()) + 1, int(row_sizes.max())
    after = np.maximum(row_sizes + 1, largest)
    priors = [partition_prior(n_rows, len(row_sizes), int(size)) for size in after]
    d = clusters.shape[1]
    steps = np.arange(d + 1)[:, None]
    joins = np.log(cells.sum(axis=1) + row_sizes + steps).cumsum(axis=0)
    joins += priors - np.log(row_sizes)
    gains = np.log(cells.T + steps[:d, None] + 1)
    costs = joins[(clusters >= 0).sum(axis=1)]
    for k, here in enumerate(clusters.T):
        rows = np.flatnonzero(here >= 0)
        earlier = (clusters[rows, :k] == here[rows, None]).sum(axis=1)
        costs[rows] -= gains[earlier, here[rows]]
    return costs


def cheapest_labels(grid, rows):
    """The row cluster of a grid where each of some coded rows costs least.

    Parameters
    ----------
    grid : Grid
    rows : DistinctRows
        Of the parts that are the columns of the grid.

    Returns
    -------
    ndarray of int64, shape (S,)
    """
    labels = np.empty(len(rows.codes), dtype=np.int64)
    for start in range(0, len(labels), _ROWS):
        codes = rows.codes[start : start + _ROWS]
        clusters = np.where(codes >= 0, grid.column_labels[codes], -1)
        found = cheapest_clusters(grid.cells, grid.row_sizes, clusters)
        labels[start : start + _ROWS] = found
    return labels


def cheapest_clusters(cells, row_sizes, clusters):
    """The row cluster where each new row costs least, the first of equal ones.

    Parameters
    ----------
    cells, row_sizes, clusters
        As of `insertion_costs`.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    labels = np.empty(len(clusters), dtype=np.int64)
    block = max(1, _BLOCK // len(row_sizes))
    for start in range(0, len(clusters), block):
        costs = insertion_costs(cells, row_sizes, clusters[start : start + block])
        as_cheap = costs <= costs.min(axis=1, keepdims=True) + _TOLERANCE
        labels[start : start + block] = as_cheap.argmax(axis=1)
    return labels
