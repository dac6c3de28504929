"""Greedy merges of the parts of all dimensions of a grid, down to one cell."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from coclust_synth.modl.data_grid import _kernels as grid_kernels
from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.data_grid.state import DataGridCostTables, DataGridState
from coclust_synth.modl.grid import _kernels
from coclust_synth.modl.grid.grid import lowest_along
from coclust_synth.tables.showing import Shown


def greedy_merges(state, *, stop_at_rise):
    """The best merge over all dimensions, again and again, down to one cell.

    Clusters merge with any other of their dimension, intervals with a neighbour.

    Parameters
    ----------
    state : DataGridState
        Left as it is.
    stop_at_rise : bool
        Whether to stop before the first merge that raises the cost.

    Returns
    -------
    merges : list of tuple (axis, kept, absorbed), kept < absorbed
        In terms of the parts of `state`; a part keeps the lowest number in it.
    changes : list of float
        Change of cost of each (nats).
    """
    merging = _Merging(state)
    merges, changes = [], []
    while (merge := merging.best()) is not None:
        *merge, change = merge
        if stop_at_rise and change > -grid_kernels.TOLERANCE:
            break
        merging.apply(*merge)
        merges.append(tuple(merge))
        changes.append(change)
    return merges, changes


def merge(state, *, to_one_cell=False):
    """Make the greedy merges that lower the cost most; changes `state`.

    Parameters
    ----------
    state : DataGridState
    to_one_cell : bool, default=False
        Follow the merges down to one cell and keep the lowest cost on the way,
        instead of stopping at the first rise.

    Returns
    -------
    float
        Change of cost (nats, at most 0).
    """
    merges, changes = greedy_merges(state, stop_at_rise=not to_one_cell)
    change, targets = lowest_along(merges, changes, state.shape)
    for axis, target in enumerate(targets):
        if (target != np.arange(len(target))).any():
            state.relabel(axis, target[state.labels[axis]])
    return change


class _Merging:
    """The non-empty cells of a grid, and the cost of each merge, kept up to date."""

    def __init__(self, state):
        self.tables = state.tables
        self.numeric = state.tables.records.numeric
        self.shape = [*state.shape]
        self.sizes = [sizes.copy() for sizes in state.sizes]
        self.totals = [totals.copy() for totals in state.totals]
        self.parts, self.counts, self.keys = state.cells()
        self.merges = []
        for axis, is_numeric in enumerate(self.numeric):
            merges = grid_kernels.size_merge_costs(
                self.sizes[axis], self.totals[axis], is_numeric, self.tables.log_fact
            )
            self.merges.append(merges)
            self._add(axis, self.parts, self.counts, self.keys, 1.0)

    def best(self):
        """The cheapest merge, (axis, kept, absorbed, change of cost); None if none."""
        best = None
        for axis, n_parts in enumerate(self.shape):
            if n_parts == 1:
                continue
            kept, absorbed, change = self._best_of(axis)
            priors = self.tables.shape_priors(axis, self.shape, n_parts)
            change += priors[-2] - priors[-1]
            if best is None or change < best[-1] - grid_kernels.TOLERANCE:
                best = axis, kept, absorbed, float(change)
        return best

    def _best_of(self, axis):
        tables, merges, sizes = self.tables, self.merges[axis], self.sizes[axis]
        n_parts = self.shape[axis]
        if not self.numeric[axis]:
            priors = tables.partition_priors(axis, len(sizes))
            return _kernels.best_merge(merges, sizes, n_parts, priors, tables.log_fact)
        kept, absorbed, change = grid_kernels.best_neighbours(merges, sizes)
        priors = tables.plain_priors(axis, n_parts)
        return kept, absorbed, change + priors[n_parts - 1] - priors[n_parts]

    def apply(self, axis, kept, absorbed):
        """Merge two parts of one dimension."""
        own = self.parts[:, axis]
        hit = (own == kept) | (own == absorbed)
        parts, counts, keys = self.parts[hit], self.counts[hit], self.keys[hit]
        self._add_to_others(axis, parts, counts, keys, -1.0)
        key_parts = self.tables.key_parts[axis]
        keys -= key_parts[parts[:, axis]]
        parts[:, axis] = kept
        keys += key_parts[parts[:, axis]]
        number, n_cells = grid_kernels.number_keys(keys)
        first = np.zeros(n_cells, dtype=np.int64)
        first[number] = np.arange(len(number))
        parts, keys = parts[first], keys[first]
        counts = np.bincount(number, counts, n_cells).astype(np.int64)
        self._add_to_others(axis, parts, counts, keys, 1.0)
        self.parts = np.concatenate([self.parts[~hit], parts])
        self.counts = np.concatenate([self.counts[~hit], counts])
        self.keys = np.concatenate([self.keys[~hit], keys])
        self.shape[axis] -= 1
        own = np.ascontiguousarray(self.parts[:, axis])
        grid_kernels.absorb(
            self.merges[axis],
            kept,
            absorbed,
            self.keys - key_parts[own],
            own,
            self.counts,
            self.sizes[axis],
            self.totals[axis],
            self.numeric[axis],
            self.tables.log_fact,
        )

    def _add_to_others(self, axis, parts, counts, keys, sign):
        for other, n_parts in enumerate(self.shape):
            if other != axis and n_parts > 1:
                self._add(other, parts, counts, keys, sign)

    def _add(self, axis, parts, counts, keys, sign):
        """Add what some cells contribute to the merge costs of one dimension."""
        own = np.ascontiguousarray(parts[:, axis])
        line_keys = keys - self.tables.key_parts[axis][own]
        grid_kernels.add_cell_merge_costs(
            self.merges[axis], line_keys, own, counts, sign, self.tables.log_fact
        )


@dataclass(frozen=True, eq=False, repr=False)
class DataGridDendrogram(Shown):
    """From a grid, the merge of least cost increase over all dimensions, repeatedly.

    Attributes
    ----------
    merges : ndarray of int64, shape (m, 3)
        Each (dimension, kept, absorbed), kept < absorbed: a part keeps the number of
        the lowest numbered part of the grid in it. m is the sum of J_k - 1.
    costs : ndarray of float64, shape (m + 1,)
        Cost of the grid and after each merge (nats).
    """

    merges: np.ndarray
    costs: np.ndarray

    @classmethod
    def from_records(cls, records: Records) -> Self:
        """The dendrogram of the grid of partitioned records.

        Parameters
        ----------
        records : Records
        """
        state = DataGridState(DataGridCostTables(records), records.labels)
        merges, _ = greedy_merges(state, stop_at_rise=False)
        grid = DataGrid.from_records(records)
        costs = [grid.cost, *(coarser.cost for coarser in grid.after(merges))]
        merges = np.array(merges, dtype=np.int64).reshape(-1, 3)
        return cls(merges, np.array(costs))

    def _told(self):
        return {"merges": len(self.merges), "cost": f"{self.costs[0]:.2f} nats"}
