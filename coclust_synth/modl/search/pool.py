"""Some clusters of one side of a grid, taken out to be divided anew."""

import numpy as np

from coclust_synth.modl.grid import _kernels


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
        return _kernels.sweep(
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
            self._divided,
            self._state.tables.log_fact,
            1,
            self._priors().by_number,
            0.0,
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
        return priors._replace(
            by_number=priors.by_number[n_others:],
            catch_all=max(priors.catch_all - n_others, -1),
        )

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
