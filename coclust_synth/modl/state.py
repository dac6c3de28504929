"""The working grid of the optimiser: labels and counts that the kernels change."""

import numpy as np
from scipy.special import gammaln

from coclust_synth.modl import _kernels
from coclust_synth.modl.codes import log2_star
from coclust_synth.modl.criterion import (
    cell_counts_prior,
    cost_terms,
    family_prior,
    plain_partition_prior,
)
from coclust_synth.modl.grid import Grid, count_cells

# ln n! is rounded to this many nats, so that sums of it are exact in floating point:
# the search takes the same decisions on every machine. Reported costs are not rounded.
_LOG_FACT_STEP = 2.0**-20


class Costs:
    """Tables that every state of one search shares: ln n! and the priors.

    Parameters
    ----------
    contingency : Contingency
    """

    def __init__(self, contingency):
        self.contingency = contingency
        # A sweep also asks what a value would cost in its own cluster, counted twice.
        largest = max(int((s.total + s.size).max()) for s in contingency.sides)
        n = contingency.n_observations + max(contingency.n_values) + largest
        self.log_fact = log_fact_table(n + _kernels.N_GAINS)
        self.family = np.array([family_prior(n) for n in range(3)])
        self._priors = [empty_priors(n) for n in contingency.n_values]

    def partition_priors(self, side, n_clusters):
        """Tables of one side's partition prior, up to `n_clusters` clusters at least.

        Returns
        -------
        PartitionPriors
        """
        self._priors[side] = longer_priors(self._priors[side], n_clusters)
        return self._priors[side]

    def priors_by_size(self, side, n_clusters, n_opposite):
        """Every cost term that depends on the number of clusters of one side alone.

        Returns an array over 0 .. n_clusters clusters, the other side held at
        `n_opposite` clusters.
        """
        j = np.arange(n_clusters + 1)
        n_cells = np.maximum(j, 1) * n_opposite
        return (
            self.partition_priors(side, n_clusters).plain[: n_clusters + 1]
            + cell_counts_prior(self.contingency.n_observations, n_cells)
            + self.family[(j > 1) + int(n_opposite > 1)]
        )


def log_fact_table(n):
    """ln 0!, ..., ln (n-1)!, rounded so that sums of them are exact (nats)."""
    log_fact = gammaln(np.arange(n) + 1.0)
    log_fact /= _LOG_FACT_STEP
    np.round(log_fact, out=log_fact)
    log_fact *= _LOG_FACT_STEP
    return log_fact


def empty_priors(n_values):
    """Tables of the priors of a partition of `n_values` values, by no cluster yet.

    Returns
    -------
    PartitionPriors
    """
    log2_stars = np.append(0.0, log2_star(np.arange(1, n_values + 1)))
    weights = np.exp2(-log2_stars)
    weights[0] = 0.0
    with np.errstate(divide="ignore"):
        log_constant = np.log(np.cumsum(weights))
    return _kernels.PartitionPriors(n_values, np.zeros(1), log2_stars, log_constant)


def longer_priors(priors, n_clusters):
    """The same tables, up to `n_clusters` clusters at least."""
    known = len(priors.plain)
    if known > n_clusters:
        return priors
    more = [
        plain_partition_prior(priors.n_values, j) for j in range(known, n_clusters + 1)
    ]
    return priors._replace(plain=np.concatenate([priors.plain, more]))


class State:
    """A grid that changes: two partitions and the counts of their cells.

    Parameters
    ----------
    costs : Costs
    labels : sequence of two ndarray of int
        Cluster of each value of each side; renumbered from 0 without gaps.

    Attributes
    ----------
    labels : list of two ndarray of int32
    cells : ndarray of int64, shape (J_1, J_2)
    sizes, totals : lists of two ndarray of int64
        Values and observations of each cluster. A size of 0 is an empty cluster.
    """

    def __init__(self, costs, labels):
        self.costs = costs
        self.labels = [
            np.unique(label, return_inverse=True)[1].astype(np.int32)
            for label in labels
        ]
        self._count([int(label.max()) + 1 for label in self.labels])

    def _count(self, shape):
        """Count everything anew from the labels."""
        contingency = self.costs.contingency
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
        other = object.__new__(State)
        other.costs = self.costs
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
        log_fact_values = self.costs.contingency.log_fact_values
        return cost_terms(self.cells, *self.sizes, log_fact_values).total

    def to_grid(self):
        """The grid of this state."""
        return Grid.from_labels(self.costs.contingency, *self.labels)

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
        cells = self._own_cells(side)
        j = len(self.sizes[side])
        n_opposite = int((self.sizes[1 - side] > 0).sum())
        prior = self.costs.priors_by_size(side, j, n_opposite)
        change = 0.0
        for values, candidates in jobs:
            if len(values) and len(candidates):
                change += _kernels.sweep(
                    values,
                    candidates,
                    *self.costs.contingency.sides[side],
                    self.labels[side],
                    self.labels[1 - side],
                    cells,
                    self.sizes[side],
                    self.totals[side],
                    self.costs.log_fact,
                    prior,
                    margin,
                    min_size,
                )
        self._set_own_cells(side, cells)
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
        along = np.cumsum(changes)
        if len(along) == 0 or along.min() >= 0.0:
            return 0.0
        lowest = int(along.argmin())
        targets = [np.arange(j) for j in self.shape]
        for side, kept, absorbed in merges[: lowest + 1]:
            target = targets[side]
            target[target == absorbed] = kept
        for side in (0, 1):
            self._apply(side, targets[side])
        return float(along[lowest])

    def merge_path(self, *, stop_at_rise):
        """The greedy best merges of both sides; the state is left as it is.

        Returns
        -------
        merges : ndarray of int64, shape (m, 3)
            Rows of (side, kept cluster, absorbed cluster), kept < absorbed.
        changes : ndarray of float64, shape (m,)
            Change of cost of each (nats).
        """
        costs = self.costs
        return _kernels.merge_path(
            self.cells.copy(),
            self.sizes[0].copy(),
            self.totals[0].copy(),
            self.sizes[1].copy(),
            self.totals[1].copy(),
            costs.log_fact,
            costs.partition_priors(0, self.shape[0]),
            costs.partition_priors(1, self.shape[1]),
            costs.family,
            costs.contingency.n_observations,
            stop_at_rise,
        )

    def merge_down(self, side, n_clusters):
        """Merge the cheapest pairs of one side until `n_clusters` are left."""
        target = _kernels.merge_down(
            self._own_cells(side).copy(),
            self.sizes[side].copy(),
            self.totals[side].copy(),
            self.costs.log_fact,
            n_clusters,
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

    def _own_cells(self, side):
        """The cells as (opposite cluster, own cluster), contiguous."""
        return np.ascontiguousarray(self.cells.T) if side == 0 else self.cells

    def _set_own_cells(self, side, cells):
        self.cells = np.ascontiguousarray(cells.T) if side == 0 else cells
