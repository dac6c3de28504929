"""The partition of a domain's values by a co-clustering of noisy counts."""

import numpy as np

from coclust_synth.modl.data_grid.data_grid import Records
from coclust_synth.modl.data_grid.search import search_data_grid

# The criterion takes counts for exact. Counts divided by twice the scale of their noise
# are about as informative as it believes: undivided, the best grid is the identity.
_SCALES_PER_COUNT = 2.0
_N_ITERATIONS = 30
_SEED = 0


def learn_partition(sizes, histogram, numeric):
    """Partition each axis by the co-clustering of least MODL cost of a noisy histogram.

    Post-processing: looks at no data and spends nothing.

    Parameters
    ----------
    sizes : tuple of d int
        Values of each axis.
    histogram : NoisyCounts
        One count per cell of the domain, in C order.
    numeric : sequence of d bool
        Whether the parts of an axis are intervals of its values, or groups.

    Returns
    -------
    list of d ndarray of int64, shape (sizes[k],)
        Part of each value, from 0; all 0 where the noise hides everything. Values that
        no cell stands out for join the nearest value that has one (numeric), or the
        group of most values.
    """
    counts = np.rint(histogram.counts / (_SCALES_PER_COUNT * histogram.scale))
    counts = np.maximum(counts, 0.0).astype(np.int64)
    present = np.flatnonzero(counts)
    return partition_cells(sizes, present, counts[present], numeric)


def partition_cells(sizes, cells, counts, numeric):
    """Partition each axis by the co-clustering of least MODL cost of some cells.

    Parameters
    ----------
    sizes : tuple of d int
    cells : ndarray of int64, shape (m,)
        Numbers of cells of the domain, in C order.
    counts : ndarray of int64, shape (m,)
        Their counts, all positive; the criterion takes them for exact.
    numeric : sequence of d bool

    Returns
    -------
    list of d ndarray of int64, shape (sizes[k],)
        As of `learn_partition`.
    """
    if counts.sum() < 2:
        return [np.zeros(size, dtype=np.int64) for size in sizes]
    columns = np.unravel_index(cells, sizes)
    values, codes = zip(
        *(np.unique(column, return_inverse=True) for column in columns), strict=True
    )
    records = Records(
        codes=np.column_stack(codes),
        counts=counts,
        labels=tuple(np.arange(len(of_axis)) for of_axis in values),
        numeric=tuple(map(bool, numeric)),
    )
    found = search_data_grid(records, n_iterations=_N_ITERATIONS, seed=_SEED)
    return [
        _extend(of_axis, labels, size, is_numeric)
        for of_axis, labels, size, is_numeric in zip(
            values, found.records.labels, sizes, numeric, strict=True
        )
    ]


def _extend(values, labels, size, is_numeric):
    """Part of each value of an axis, also of those that the grid has not seen."""
    if is_numeric:
        middles = (values[:-1] + values[1:]) / 2.0
        return labels[np.searchsorted(middles, np.arange(size))]
    parts = np.full(size, np.argmax(np.bincount(labels)))
    parts[values] = labels
    return parts
