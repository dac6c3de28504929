"""Some clusters of one side of a grid, taken out to be divided anew.

While the other side is held, the cost of a grid is a sum over the clusters of one
side, priors apart. Disjoint regions of clusters that are close can then be worked on
one by one, each at the price of its own values and clusters, and each keeps what it
gains.
"""

import numpy as np

from coclust_synth.modl.grid import _kernels, _sweep_kernels

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


class PooledClusters:
    """The values of a few clusters, and the parts they are divided into.

    The grid that the clusters come from is left as it is.

    Parameters
    ----------
    state : GridState
    side : {0, 1}
    clusters : sequence of int
        Clusters of the side, each once.
    n_parts : int
        Clusters to divide their values into; some may end up empty.

    Attributes
    ----------
    values : ndarray of int64
        The values of the clusters, in increasing order.
    """

    def __init__(self, state, side, clusters, n_parts):
        self._state, self._side = state, side
        self._clusters, self._n_parts = np.asarray(clusters), n_parts
        is_pooled = np.zeros(state.shape[side], dtype=bool)
        is_pooled[self._clusters] = True
        # Labels are in range; to look them up without a check takes half the time.
        of_value = is_pooled.take(state.labels[side], mode="clip")
        self.values = np.flatnonzero(of_value)
        self._others = state.sizes[side][~is_pooled]
        self._label = np.zeros(len(state.labels[side]), dtype=np.int32)

    @property
    def parts(self):
        """Part of each of `values`."""
        return self._label[self.values]

    def divide(self, values, parts=None):
        """Put the values in parts; by default in turn, in the order given.

        Parameters
        ----------
        values : ndarray of int
            `values` of the pool, in any order.
        parts : ndarray of int, same shape, in [0, n_parts), optional
        """
        state, side = self._state, self._side
        if parts is None:
            parts = np.arange(len(values)) % self._n_parts
        self._label[values] = parts
        self._divided = _kernels.count_clusters(
            values,
            state.tables.contingency.sides[side],
            self._label,
            state.labels[1 - side],
            state.shape[1 - side],
            self._n_parts,
        )

    def sweep(self, values, margin, parts=None):
        """Move values to the parts where they cost least; see `GridState.sweep`.

        They may go to some `parts`, by default to all.
        """
        state, side = self._state, self._side
        if parts is None:
            parts = np.arange(self._n_parts)
        return _sweep_kernels.sweep(
            values,
            parts,
            state.tables.contingency.sides[side],
            self._label,
            state.labels[1 - side],
            self._divided,
            state.tables.log_fact,
            self._priors(),
            margin,
            0,
        )

    def merge(self):
        """Merge the cheapest parts while that lowers the cost."""
        target = _kernels.merge_down(
            self._divided, self._state.tables.log_fact, 1, self._priors().by_number, 0.0
        )
        self._label[self.values] = target[self.parts]

    def _priors(self):
        """The priors of the side, by number of parts and for a part as catch-all."""
        state, n_others = self._state, len(self._others)
        priors = state.tables.size_priors(
            self._side,
            np.append(self._others, self._divided.c_size),
            state.shape[1 - self._side],
        )
        by_number = priors.by_number[n_others:]
        if 0 <= priors.catch_all < n_others:
            by_number = self._priors_beside_catch_all()
        return priors._replace(
            by_number=by_number, catch_all=max(priors.catch_all - n_others, -1)
        )

    def _priors_beside_catch_all(self):
        """The prior by number of parts, beside a catch-all that is not in the pool."""
        state, side = self._state, self._side
        n_others, largest = len(self._others), int(self._others.max())
        n_opposite = state.shape[1 - side]
        priors = np.full(self._n_parts + 1, np.inf)
        for n in range(min(self._n_parts, len(self.values)) + 1):
            priors[n] = state.tables.prior_of_largest(
                side, n_others + n, largest, n_opposite
            )
        return priors

    def change(self):
        """Change of cost if the parts take the place of the clusters (nats)."""
        state, side = self._state, self._side
        tables, n_opposite = state.tables, state.shape[1 - side]
        pooled = (a.take(self._clusters, axis=-1) for a in state.clusters(side))
        before = _kernels.Clusters(*pooled)
        total = tables.prior_of_sizes(
            side, np.append(self._others, self._divided.c_size), n_opposite
        ) - tables.prior_of_sizes(side, state.sizes[side], n_opposite)
        total += _kernels.clusters_cost(self._divided, tables.log_fact)
        return total - _kernels.clusters_cost(before, tables.log_fact)

    def labels(self):
        """Labels of the whole side with the parts in the place of the clusters."""
        labels = self._state.labels[self._side].copy()
        labels[self.values] = len(labels) + self.parts
        return labels


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
