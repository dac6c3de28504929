"""The working grid of d dimensions that the optimiser changes."""

from math import prod

import numpy as np
from scipy.special import gammaln

from coclust_synth.modl.criterion.lookup import PartitionTables, log_fact_table
from coclust_synth.modl.criterion.terms import (
    Dimension,
    cell_counts_prior,
    family_prior,
    grid_cost_terms,
    interval_priors,
)
from coclust_synth.modl.data_grid import _kernels as grid_kernels
from coclust_synth.modl.grid import _kernels, _sweep_kernels
from coclust_synth.modl.grid.grid import Side

_KEY_SEED = 0
_INT64 = np.iinfo(np.int64)


class DataGridCostTables:
    """Tables that every state of one search shares.

    Parameters
    ----------
    records : Records

    Attributes
    ----------
    totals : list of d ndarray of int64, shape (V_k,)
        Observations of each value.
    n_observations : int
    log_fact : ndarray of float64
        ln n!, rounded so that sums are exact.
    key_parts : list of d ndarray of int64, shape (V_k,)
        What each part adds to the key of a cell, see `_kernels`.
    """

    def __init__(self, records):
        self.records = records
        axes = range(len(records.labels))
        self.codes = [np.ascontiguousarray(column) for column in records.codes.T]
        self.totals = [records.value_totals(axis) for axis in axes]
        self.n_observations = int(records.counts.sum())
        self.n_values = tuple(len(totals) for totals in self.totals)
        # A sweep also asks what some of a value would cost in their own cluster.
        largest = max(int(totals.max()) for totals in self.totals) + 1
        n = self.n_observations + max(self.n_values)
        self.log_fact = log_fact_table(n + _sweep_kernels.N_GAINS * largest)
        self.log_fact_values = sum(
            float(gammaln(self.totals[axis] + 1.0).sum())
            for axis in axes
            if not records.numeric[axis]
        )
        rng = np.random.default_rng(_KEY_SEED)
        self.key_parts = [
            rng.integers(_INT64.min, _INT64.max, n, endpoint=True)
            for n in self.n_values
        ]
        self._family = np.array([family_prior(n) for n in range(len(axes) + 1)])
        self._partitions = [PartitionTables(n, self.log_fact) for n in self.n_values]
        self._interval_priors = [
            interval_priors(self.n_observations, n) for n in self.n_values
        ]
        self._shape_priors = {}

    def partition_priors(self, axis, n_clusters):
        """Tables of the prior of one categorical dimension, see `PartitionPriors`."""
        return self._partitions[axis].up_to(n_clusters)

    def plain_priors(self, axis, n_most):
        """Plain prior of the partitions of one dimension (nats).

        Returns
        -------
        ndarray of float64, shape (n_most + 1,)
            By number of parts, `n_most` at most V_k; the first means nothing.
        """
        if self.records.numeric[axis]:
            return self._interval_priors[axis][: n_most + 1]
        return self.partition_priors(axis, n_most).plain[: n_most + 1]

    def shape_priors(self, axis, shape, n_most):
        """Every cost term that depends on the numbers of parts alone, but partitions.

        Parameters
        ----------
        axis : int
        shape : sequence of int, shape (d,)
            Numbers of parts of all dimensions.
        n_most : int

        Returns
        -------
        ndarray of float64, shape (n_most + 1,), read-only
            By number of parts of `axis`, the other dimensions held.
        """
        others = [n for other, n in enumerate(shape) if other != axis]
        n_lines, n_split = prod(others), sum(n > 1 for n in others)
        # Kept by what they depend on: the grids of a search have few shapes.
        key = n_lines, n_split, n_most
        if key not in self._shape_priors:
            n_parts = np.maximum(np.arange(n_most + 1), 1)
            cells = cell_counts_prior(self.n_observations, n_parts * float(n_lines))
            priors = self._family[n_split + (n_parts > 1)] + cells
            priors.setflags(write=False)
            self._shape_priors[key] = priors
        return self._shape_priors[key]

    def size_priors(self, axis, shape, sizes):
        """Every cost term that depends on the sizes of the clusters of one dimension.

        Parameters
        ----------
        axis : int
            A categorical dimension.
        shape : sequence of int, shape (d,)
            Numbers of parts of all dimensions.
        sizes : ndarray of int, shape (J_k,)
            Values in each cluster.

        Returns
        -------
        SizePriors
        """
        rest = self.shape_priors(axis, shape, len(sizes))
        return self._partitions[axis].with_sizes(sizes, rest)

    def prior_by_parts(self, axis, shape, n_most):
        """Every cost term that depends on the number of parts of one dimension alone.

        Returns
        -------
        ndarray of float64, shape (n_most + 1,)
            By number of parts, the other dimensions held as `shape` says.
        """
        rest = self.shape_priors(axis, shape, n_most)
        return rest + self.plain_priors(axis, n_most)


class DataGridState:
    """A grid that changes: the part of each value, and the key of each record's cell.

    Parameters
    ----------
    tables : DataGridCostTables
    labels : sequence of d ndarray of int
        Part of each value; those of numeric dimensions never decrease.

    Attributes
    ----------
    labels : list of d ndarray of int32, shape (V_k,)
        From 0 without gaps.
    sizes, totals : lists of d ndarray of int64, shape (J_k,)
        Values and observations of each part.
    keys : ndarray of int64, shape (m,)
    """

    def __init__(self, tables, labels):
        self.tables = tables
        self.labels, self.sizes, self.totals = [], [], []
        self.keys = np.zeros(len(tables.records.counts), dtype=np.int64)
        for label in labels:
            self.labels.append(np.zeros(len(label), dtype=np.int32))
            self.sizes.append(None)
            self.totals.append(None)
        for axis, label in enumerate(labels):
            self.keys += self._own_keys(axis)
            self.relabel(axis, label)

    def copy(self):
        """A state that can change without changing this one."""
        other = object.__new__(DataGridState)
        other.tables = self.tables
        # Arrays of labels, sizes, totals and keys are replaced, never changed.
        other.labels, other.keys = self.labels.copy(), self.keys
        other.sizes, other.totals = self.sizes.copy(), self.totals.copy()
        return other

    @property
    def shape(self):
        """Numbers of parts, a tuple of d."""
        return tuple(map(len, self.sizes))

    def relabel(self, axis, labels):
        """Give one dimension another partition; its parts are renumbered."""
        keys = self.keys - self._own_keys(axis)
        is_used = np.bincount(labels) > 0
        number = np.cumsum(is_used, dtype=np.int32)
        labels, n_parts = number[labels] - 1, int(number[-1])
        totals = np.bincount(labels, self.tables.totals[axis], n_parts)
        self.labels[axis] = labels
        self.sizes[axis] = np.bincount(labels, minlength=n_parts)
        self.totals[axis] = totals.astype(np.int64)
        self.keys = keys + self._own_keys(axis)

    def line_keys(self, axis):
        """Key of the cell of each record in the other dimensions."""
        return self.keys - self._own_keys(axis)

    def _own_keys(self, axis):
        of_value = self.tables.key_parts[axis][self.labels[axis]]
        return of_value[self.tables.codes[axis]]

    def cells(self):
        """The non-empty cells.

        Returns
        -------
        parts : ndarray of int64, shape (c, d)
        counts : ndarray of int64, shape (c,)
        keys : ndarray of int64, shape (c,)
        """
        number, n_cells = grid_kernels.number_keys(self.keys)
        first = np.zeros(n_cells, dtype=np.int64)
        first[number[::-1]] = np.arange(len(number))[::-1]
        parts = np.column_stack(
            [
                label[codes[first]]
                for label, codes in zip(self.labels, self.tables.codes, strict=True)
            ]
        ).astype(np.int64)
        counts = np.bincount(number, self.tables.records.counts, n_cells)
        return parts, counts.astype(np.int64), self.keys[first]

    def cost(self):
        """The cost (nats)."""
        dimensions = [
            Dimension(totals, None if is_numeric else sizes)
            for totals, sizes, is_numeric in zip(
                self.totals, self.sizes, self.tables.records.numeric, strict=True
            )
        ]
        _, counts, _ = self.cells()
        return grid_cost_terms(counts, dimensions, self.tables.log_fact_values).total

    def sweep(self, axis, values):
        """Move values of one categorical dimension to the cluster they cost least in.

        Parameters
        ----------
        axis : int
        values : ndarray of int
            In the order they are looked at.

        Returns
        -------
        float
            Change of cost (nats, at most 0).
        """
        tables = self.tables
        n_values, n_parts = tables.n_values[axis], self.shape[axis]
        indptr, line, number, n_lines = grid_kernels.profiles(
            tables.codes[axis], self.line_keys(axis), tables.records.counts, n_values
        )
        label = self.labels[axis].copy()
        own = np.repeat(label, np.diff(indptr))
        cells = np.bincount(line * n_parts + own, number, n_lines * n_parts)
        side = Side(
            indptr, line, number, np.ones(n_values, dtype=np.int64), tables.totals[axis]
        )
        clusters = _kernels.Clusters(
            cells.astype(np.int64).reshape(n_lines, n_parts),
            self.sizes[axis].copy(),
            self.totals[axis].copy(),
        )
        change = _sweep_kernels.sweep(
            values,
            np.arange(n_parts),
            side,
            label,
            np.arange(n_lines, dtype=np.int32),
            clusters,
            tables.log_fact,
            tables.size_priors(axis, self.shape, self.sizes[axis]),
            np.empty(n_values),
            0,
        )
        if change < 0.0:
            self.relabel(axis, label)
        return change

    def recut(self, axis, cuts, n_most, *, n_least=1):
        """Cut one numeric dimension where it costs least.

        The best of all partitions whose cuts are among `cuts` and the present ones:
        boundaries moved, intervals merged and split, all at once.

        Parameters
        ----------
        axis : int
        cuts : ndarray of int, in [1, V_k - 1]
            First values of the intervals that may begin.
        n_least, n_most : int
            Numbers of intervals allowed. The present number must be among them.

        Returns
        -------
        float
            Change of cost (nats, at most 0).
        """
        tables = self.tables
        label = self.labels[axis]
        present = np.flatnonzero(np.diff(label, prepend=-1))
        starts = np.union1d(present, cuts)
        block = np.searchsorted(starts, np.arange(len(label)), side="right") - 1
        indptr, line, number, n_lines = grid_kernels.profiles(
            block[tables.codes[axis]],
            self.line_keys(axis),
            tables.records.counts,
            len(starts),
        )
        totals = np.add.reduceat(tables.totals[axis], starts)
        interval_costs = grid_kernels.interval_costs(
            indptr, line, number, n_lines, totals, tables.log_fact
        )
        prior = tables.prior_by_parts(axis, self.shape, min(n_most, len(starts)))
        here = prior[len(present)]
        ends = np.append(np.searchsorted(starts, present), len(starts))
        here += interval_costs[ends[1:], ends[:-1]].sum()
        prior[:n_least] = np.inf
        best, cost = grid_kernels.best_cuts(interval_costs, prior)
        if cost >= here - grid_kernels.TOLERANCE:
            return 0.0
        label = np.searchsorted(starts[best], np.arange(len(label)), side="right") - 1
        self.relabel(axis, label)
        return float(cost - here)

    @property
    def n_cells(self):
        """G, the number of cells, empty ones included."""
        return prod(self.shape)
