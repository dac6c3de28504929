"""The working grid of the optimiser: labels and counts that the kernels change."""

from functools import lru_cache

import numpy as np

from coclust_synth.modl.criterion.lookup import PartitionTables, log_fact_table
from coclust_synth.modl.criterion.terms import (
    cell_counts_prior,
    cost_terms,
    family_prior,
    partition_prior,
)
from coclust_synth.modl.grid import _kernels, _sweep_kernels
from coclust_synth.modl.grid.grid import Grid, count_cells, lowest_along


class CostTables:
    """Tables that every state of one search shares: ln n! and the priors.

    Parameters
    ----------
    contingency : Contingency
    """

    def __init__(self, contingency):
        self.contingency = contingency
        # A sweep also asks what some of a value would cost in their own cluster.
        largest = max(int((s.total + s.size).max()) for s in contingency.sides)
        n = contingency.n_observations + max(contingency.n_values)
        self.log_fact = log_fact_table(n + _sweep_kernels.N_GAINS * largest)
        self.family = np.array([family_prior(n) for n in range(3)])
        self._partitions = [
            PartitionTables(n, self.log_fact) for n in contingency.n_values
        ]

    def partition_priors(self, side, n_clusters):
        """Tables of one side's partition prior, up to `n_clusters` clusters at least.

        Returns
        -------
        PartitionPriors
        """
        return self._partitions[side].up_to(n_clusters)

    def size_priors(self, side, sizes, n_opposite, n_moving=None):
        """Every cost term that depends on the sizes of the clusters of one side alone.

        Parameters
        ----------
        side : {0, 1}
        sizes : ndarray of int, shape (J,)
            Values in each cluster; some may be empty.
        n_opposite : int
            Clusters of the other side.
        n_moving : int, optional
            Values that may join or leave the catch-all; by default all.

        Returns
        -------
        SizePriors
            With a catch-all where that is the cheaper prior now.
        """
        n_observations = self.contingency.n_observations
        rest = _number_priors(n_observations, len(sizes), n_opposite)
        return self._partitions[side].with_sizes(sizes, rest, n_moving)

    def prior_of_sizes(self, side, sizes, n_opposite):
        """The exact value of the terms of `size_priors` (nats)."""
        sizes = sizes[sizes > 0]
        return self.prior_of_largest(side, len(sizes), int(sizes.max()), n_opposite)

    def prior_of_largest(self, side, n_clusters, largest, n_opposite):
        """The same by the number of clusters and the size of the largest (nats)."""
        n_cells = n_clusters * n_opposite
        return float(
            partition_prior(self.contingency.n_values[side], n_clusters, largest)
            + cell_counts_prior(self.contingency.n_observations, n_cells)
            + self.family[int(n_clusters > 1) + int(n_opposite > 1)]
        )


@lru_cache(maxsize=64)
def _number_priors(n_observations, n_clusters, n_opposite):
    """Cost terms that depend on the number of clusters of one side alone.

    Kept, as moves between the halves of many clusters ask for the same again and again.

    Returns
    -------
    ndarray of float64, shape (n_clusters + 1,)
    """
    j = np.arange(n_clusters + 1)
    cells = cell_counts_prior(n_observations, np.maximum(j, 1) * n_opposite)
    family = np.array([family_prior(n) for n in range(3)])
    priors = cells + family[(j > 1) + int(n_opposite > 1)]
    priors.setflags(write=False)
    return priors


class GridState:
    """A grid that changes: two partitions and the counts of their cells.

    Parameters
    ----------
    tables : CostTables
    labels : sequence of two ndarray of int
        Cluster of each value of each side; renumbered from 0 without gaps.

    Attributes
    ----------
    labels : list of two ndarray of int32
    cells : ndarray of int64, shape (J_1, J_2)
    sizes, totals : lists of two ndarray of int64
        Values and observations of each cluster. A size of 0 is an empty cluster.
    """

    def __init__(self, tables, labels):
        self.tables = tables
        self.labels = [
            np.unique(label, return_inverse=True)[1].astype(np.int32)
            for label in labels
        ]
        self._count([int(label.max()) + 1 for label in self.labels])

    def _count(self, shape):
        """Count everything anew from the labels."""
        contingency = self.tables.contingency
        self.cells = count_cells(contingency, self.labels, shape)
        self.sizes = [
            np.bincount(label, side.size, j).astype(np.int64)
            for label, side, j in zip(
                self.labels, contingency.sides, shape, strict=True
            )
        ]
        self.totals = [self.cells.sum(axis=1), self.cells.sum(axis=0)]

    def copy(self):
        """A state that can change without changing this one."""
        other = object.__new__(type(self))
        other.tables = self.tables
        other.labels = [label.copy() for label in self.labels]
        other.sizes = [size.copy() for size in self.sizes]
        other.totals = [total.copy() for total in self.totals]
        other.cells = self.cells.copy()
        return other

    @property
    def shape(self):
        """Numbers of clusters, (J_1, J_2)."""
        return self.cells.shape

    def cost(self):
        """The exact cost (nats); no cluster may be empty."""
        log_fact_values = self.tables.contingency.log_fact_values
        return cost_terms(self.cells, *self.sizes, log_fact_values).total

    def to_grid(self):
        """The grid of this state."""
        return Grid.from_labels(self.tables.contingency, *self.labels)

    def sweep(self, side, jobs, margin, *, min_size=0):
        """Move values to the clusters where they cost least.

        Parameters
        ----------
        side : {0, 1}
        jobs : iterable of (values, candidates)
            Values in the order they are looked at, and the clusters they may go to.
        margin : ndarray of float64, shape (n,), changed in place
            What the best move of each value would cost; 0 where it moved (nats).
        min_size : int, default=0
            No cluster goes below this number of values.

        Returns
        -------
        float
            Change of cost (nats, at most 0).
        """
        clusters = self.clusters(side)
        n_opposite = int((self.sizes[1 - side] > 0).sum())
        change = 0.0
        for values, candidates in jobs:
            if len(values) and len(candidates):
                sizes = self.sizes[side]
                n_moving = int(self.tables.contingency.sides[side].size[values].sum())
                priors = self.tables.size_priors(side, sizes, n_opposite, n_moving)
                change += _sweep_kernels.sweep(
                    values,
                    candidates,
                    self.tables.contingency.sides[side],
                    self.labels[side],
                    self.labels[1 - side],
                    clusters,
                    self.tables.log_fact,
                    priors,
                    margin,
                    min_size,
                )
        self.cells = np.ascontiguousarray(
            clusters.cells.T if side == 0 else clusters.cells
        )
        return change

    def merge(self, *, to_one_cell=False):
        """Make the greedy best merges of both sides that lower the cost most.

        Parameters
        ----------
        to_one_cell : bool, default=False
            Follow the merges down to one cell and keep the lowest cost on the way,
            instead of stopping at the first rise.

        Returns
        -------
        float
            Change of cost (nats, at most 0).
        """
        merges, changes = self.merge_path(stop_at_rise=not to_one_cell)
        change, targets = lowest_along(merges, changes, self.shape)
        if change < 0.0:
            for side in (0, 1):
                self._apply(side, targets[side])
        return change

    def merge_path(self, *, stop_at_rise):
        """The greedy best merges of both sides; the state is left as it is.

        Returns
        -------
        merges : ndarray of int64, shape (m, 3)
            Rows of (side, kept cluster, absorbed cluster), kept < absorbed.
        changes : ndarray of float64, shape (m,)
            Change of cost of each (nats).
        """
        tables = self.tables
        priors = _kernels.MergePriors(
            (self._partition_priors(0), self._partition_priors(1)),
            tables.family,
            tables.contingency.n_observations,
        )
        return _kernels.merge_path(
            self._copied_clusters(0),
            self._copied_clusters(1),
            priors,
            tables.log_fact,
            stop_at_rise,
        )

    def _partition_priors(self, side):
        return self.tables.partition_priors(side, self.shape[side])

    def merge_costs_of(self, side, cluster):
        """Change of cost of each merge with one cluster, priors apart (nats).

        Returns
        -------
        ndarray of float64, shape (J,)
            Infinite for the cluster itself.
        """
        return _kernels.merge_costs_of(
            self.clusters(side), self.tables.log_fact, cluster
        )

    def merge_down(self, side, n_clusters):
        """Merge the cheapest pairs of one side until `n_clusters` are left."""
        target = _kernels.merge_down(
            self._copied_clusters(side),
            self.tables.log_fact,
            n_clusters,
            np.zeros(self.shape[side] + 1),
            np.inf,
        )
        self._apply(side, target)

    def relabel(self, side, labels):
        """Give one side another partition."""
        self.labels[side] = np.unique(labels, return_inverse=True)[1].astype(np.int32)
        shape = list(self.shape)
        shape[side] = int(self.labels[side].max()) + 1
        self._count(shape)

    def drop_empty(self):
        """Renumber the clusters of both sides without the empty ones."""
        for side in (0, 1):
            kept = self.sizes[side] > 0
            if not kept.all():
                number = np.cumsum(kept) - 1
                self.labels[side] = number.astype(np.int32)[self.labels[side]]
                self.sizes[side] = self.sizes[side][kept]
                self.totals[side] = self.totals[side][kept]
                self.cells = np.ascontiguousarray(np.compress(kept, self.cells, side))

    def _apply(self, side, target):
        """Send every cluster of one side to the one that `target` names."""
        if (target == np.arange(len(target))).all():
            return
        _, number = np.unique(target, return_inverse=True)
        j = int(number.max()) + 1
        self.labels[side] = number.astype(np.int32)[self.labels[side]]
        self.sizes[side] = np.bincount(number, self.sizes[side], j).astype(np.int64)
        self.totals[side] = np.bincount(number, self.totals[side], j).astype(np.int64)
        cells = np.zeros((j, self.shape[1 - side]), dtype=np.int64)
        np.add.at(cells, number, self.cells if side == 0 else self.cells.T)
        self.cells = np.ascontiguousarray(cells if side == 0 else cells.T)

    def clusters(self, side):
        """The clusters of one side as the kernels read them.

        Sizes and totals are those of the state, and what changes in them changes
        there; cells are (opposite cluster, own cluster), contiguous, and may be a copy.

        Returns
        -------
        Clusters
        """
        cells = np.ascontiguousarray(self.cells.T if side == 0 else self.cells)
        return _kernels.Clusters(cells, self.sizes[side], self.totals[side])

    def _copied_clusters(self, side):
        return _kernels.Clusters(*(array.copy() for array in self.clusters(side)))
