"""Regions: some clusters of one side that are close, settled anew among themselves.

While the other side is held, the cost of a grid is a sum over the clusters of one
side, priors apart. Disjoint regions can then be worked on one by one, each at the
price of its own values and clusters, and each keeps what it gains.
"""

import numpy as np

from coclust_synth.modl.search.pool import PooledClusters

# Clusters in a region, and the share of them that is split first.
_REGION_SIZE = 24
_SPLIT_SHARE = 0.5
# Sweeps of the two halves of a split cluster, and of all values around the merges.
_MAX_SPLIT_SWEEPS = 4
_MAX_SWEEPS = 3
# Sweeps stop when one of them gains less than this (nats).
_SWEEP_GAIN = 1.0
# A value whose best move would cost less than this is swept again (nats).
_CLOSE_CALL = 1.0


def close_regions(state, side, rng):
    """Clusters of one side in disjoint regions, around clusters taken at random.

    Returns
    -------
    list of (ndarray of int64, Generator)
        The clusters of each region, and random numbers for it.
    """
    n_clusters = state.shape[side]
    is_free = np.ones(n_clusters, dtype=bool)
    regions = []
    for first in rng.permutation(n_clusters):
        if is_free[first]:
            costs = np.where(is_free, state.merge_costs_of(side, first), np.inf)
            costs[first] = -np.inf
            n_free = int(is_free.sum())
            closest = np.argsort(costs, kind="stable")[: min(_REGION_SIZE, n_free)]
            is_free[closest] = False
            regions.append((closest, np.random.default_rng(rng.integers(2**63))))
    return regions


def settle_region(state, side, clusters, rng):
    """Split some clusters of a region, move its values, and merge.

    Parameters
    ----------
    state : GridState
        Left as it is.
    side : {0, 1}
    clusters : ndarray of int
    rng : numpy.random.Generator

    Returns
    -------
    PooledClusters or None
        The region divided anew, where that lowers the cost.
    """
    margin = np.empty(len(state.labels[side]))
    n_split = max(1, int(rng.binomial(len(clusters), _SPLIT_SHARE)))
    pool = PooledClusters(state, side, clusters, len(clusters) + n_split)
    position = np.zeros(state.shape[side], dtype=np.int64)
    position[clusters] = np.arange(len(clusters))
    parts = position[state.labels[side][pool.values]]
    pairs = []
    for n, part in enumerate(rng.permutation(len(clusters))[:n_split]):
        members = rng.permutation(np.flatnonzero(parts == part))
        parts[members[: len(members) // 2]] = len(clusters) + n
        pairs.append((members, np.array([part, len(clusters) + n])))
    pool.divide(pool.values, parts)
    for members, pair in pairs:
        for _ in range(_MAX_SPLIT_SWEEPS):
            if pool.sweep(pool.values[members], margin, pair) > -_SWEEP_GAIN:
                break
    _sweep(pool, rng, margin)
    pool.merge()
    _sweep(pool, rng, margin)
    return pool if pool.change() < -_SWEEP_GAIN / 2 else None


def _sweep(pool, rng, margin):
    """Sweep all values once, then the close calls."""
    values = rng.permutation(pool.values)
    for _ in range(_MAX_SWEEPS):
        if len(values) == 0 or pool.sweep(values, margin) > -_SWEEP_GAIN:
            return
        values = rng.permutation(pool.values[margin[pool.values] < _CLOSE_CALL])
