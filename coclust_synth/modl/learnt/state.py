"""The working model of the search of parts: a `GridState` whose columns are values."""

import numpy as np
from scipy.special import gammaln

from coclust_synth.modl.criterion._kernels import PartitionPriors
from coclust_synth.modl.criterion.terms import (
    Dimension,
    bounded_universal_code,
    log_partitions,
)
from coclust_synth.modl.criterion.variable_parts import (
    InnerVariable,
    parts_partition_prior,
    variable_parts_cost_terms,
)
from coclust_synth.modl.grid.grid import Grid, by_decreasing_total, count_cells
from coclust_synth.modl.grid.state import CostTables, GridState
from coclust_synth.modl.learnt import _kernels as _parts_kernels

_ROWS, _COLUMNS = 0, 1
# Clusters that one sweep over the parts can open.
_N_SPARE = 4


class PartsCostTables(CostTables):
    """Tables that every state of one search of parts shares.

    Parameters
    ----------
    table : ValueTable
    """

    def __init__(self, table):
        super().__init__(table.contingency())
        self.value_table = table
        self.totals = self.contingency.sides[_COLUMNS].total
        # Which sides have several clusters is not chosen: its cost is constant.
        self.family = np.zeros(3)
        of_numbers = self.totals[table.numeric[table.variable]]
        self.log_fact_values = self.contingency.log_fact_values - float(
            gammaln(of_numbers + 1.0).sum()
        )
        codes = self.partition_priors(_COLUMNS, 0)
        self.kernel_priors = _parts_kernels.PartsPriors(
            _inner_priors(table),
            codes.log2_star,
            codes.log_constant,
            self.log_fact,
            self.contingency.n_observations,
        )
        self._of_parts = {}

    def parts_priors(self, n_parts, n_clusters):
        """Tables of the prior of the clusters of parts, up to `n_clusters` of them."""
        plain = self._of_parts.get(n_parts, np.zeros(1))
        more = [
            parts_partition_prior(n_parts, j) for j in range(len(plain), n_clusters + 1)
        ]
        plain = self._of_parts[n_parts] = np.concatenate([plain, more])
        return PartitionPriors(0, plain, np.zeros(1), np.zeros(1))

    def values(self, cells):
        """The values as the kernels read them.

        Parameters
        ----------
        cells : ndarray of int64, shape (V, J_1)
            Observations of each value in each instance cluster.
        """
        table = self.value_table
        return _parts_kernels.Values(cells, self.totals, table.first, table.numeric)


def _inner_priors(table):
    """Prior of the parts of each variable, by their number, shape (d, .)."""
    inner = np.full((table.n_variables, table.n_per_variable.max() + 2), np.inf)
    for k, largest in enumerate(table.n_per_variable.tolist()):
        n_values, number = int(table.n_values[k]), np.arange(1, largest + 1)
        inner[k, number] = bounded_universal_code(number, n_values)
        if not table.numeric[k]:
            inner[k, number] += [log_partitions(n_values, j) for j in number.tolist()]
    return inner


class PartsState(GridState):
    """Instance clusters, parts of variables, and clusters of parts, that change.

    A column cluster counts parts: `sizes` of columns are numbers of parts.

    Parameters
    ----------
    tables : PartsCostTables
    row_labels : ndarray of int, shape (S,)
        Cluster of each distinct row.
    part : ndarray of int, shape (V,)
        Part of each value.
    column_labels : ndarray of int, shape (V,)
        Cluster of each value, the same for all values of a part.

    Attributes
    ----------
    part : ndarray of int64, shape (V,)
        Numbered from 0 by first value: variable after variable, intervals increasing.
    """

    def __init__(self, tables, row_labels, part, column_labels):
        self.part = _by_first(part)
        super().__init__(tables, (row_labels, column_labels))

    @classmethod
    def null(cls, tables):
        """One cluster of instances and one of parts, each variable a part."""
        table = tables.value_table
        rows, columns = len(table.rows.counts), table.rows.n_parts
        return cls(tables, np.zeros(rows, int), table.variable, np.zeros(columns, int))

    def _count(self, shape):
        super()._count(shape)
        self.sizes[_COLUMNS] = np.bincount(self.cluster).astype(np.int64)

    def copy(self):
        other = super().copy()
        other.part = self.part.copy()
        return other

    @property
    def first_value(self):
        """First value of each part, shape (T,)."""
        return np.unique(self.part, return_index=True)[1]

    @property
    def cluster(self):
        """Cluster of each part, shape (T,)."""
        return self.labels[_COLUMNS][self.first_value].astype(np.int64)

    @property
    def n_parts(self):
        """T, the parts of all variables together."""
        return int(self.part.max()) + 1

    def terms(self):
        """The exact cost, term by term (nats); no cluster may be empty."""
        return self.terms_of(self.cells, *self.sizes)

    def terms_of(self, cells, row_sizes, column_sizes):
        """The cost of these parts in other clusters."""
        table = self.tables.value_table
        totals = np.bincount(self.part, self.tables.totals).astype(np.int64)
        sizes, owner = np.bincount(self.part), table.variable[self.first_value]
        inner = []
        for k in range(table.n_variables):
            own = owner == k
            dimension = Dimension(totals[own], None if table.numeric[k] else sizes[own])
            inner.append(InnerVariable(dimension, int(table.n_values[k])))
        return variable_parts_cost_terms(
            cells,
            Dimension(cells.sum(axis=1), row_sizes),
            Dimension(cells.sum(axis=0), column_sizes),
            inner,
            self.tables.log_fact_values,
        )

    def cost(self):
        return self.terms().total

    def to_grid(self):
        """The grid of the distinct rows and the parts."""
        row_totals = self.tables.contingency.sides[_ROWS].total
        part_totals = np.bincount(self.part, self.tables.totals)
        rows = by_decreasing_total(self.labels[_ROWS], row_totals)
        columns = by_decreasing_total(self.cluster, part_totals)
        state = PartsState(self.tables, rows, self.part, columns[self.part])
        return Grid(rows, columns, state.cells, *state.sizes, state.terms())

    def _partition_priors(self, side):
        if side == _ROWS:
            return super()._partition_priors(side)
        return self.tables.parts_priors(self.n_parts, self.shape[_COLUMNS])

    def sweep(self, side, jobs, margin, *, min_size=0):
        """Move instances; see `GridState.sweep`.

        Raises
        ------
        ValueError
            For the other side: values move with their parts, by `sweep_parts`.
        """
        if side != _ROWS:
            raise ValueError(
                f"Expected side {_ROWS}, the instances. Received {side!r}: its values "
                "move with their parts. Call sweep_parts."
            )
        return super().sweep(side, jobs, margin, min_size=min_size)

    # Parts

    def sweep_parts(self, rng, n_sweeps):
        """Move values, ends of intervals and whole parts to better places.

        Parameters
        ----------
        rng : numpy.random.Generator
            Gives their order.
        n_sweeps : int
            At most; the first that finds nothing to move is the last.

        Returns
        -------
        float
            Change of cost (nats, at most 0).
        """
        values = self._values()
        parts = self._kernel_parts()
        change = 0.0
        for _ in range(n_sweeps):
            order = rng.permutation(len(self.part))
            priors = self.tables.kernel_priors
            gain = _parts_kernels.sweep_parts(order, values, parts, priors)
            change += gain
            if gain == 0.0:
                break
        if change < 0.0:
            self._set_parts(parts.part, parts.cluster[parts.part])
        return change

    def cut_anew(self):
        """Join neighbouring numbers as the instance clusters suggest.

        Forgets the parts: every part is then a cluster, every category a part.
        """
        priors = self.tables.kernel_priors
        part = _parts_kernels.join_neighbours(self._values(), priors)
        self._set_parts(part, part)

    def _values(self):
        n_values = len(self.part)
        labels = self.labels[_ROWS], np.arange(n_values)
        shape = self.shape[_ROWS], n_values
        cells = count_cells(self.tables.contingency, labels, shape)
        return self.tables.values(np.ascontiguousarray(cells.T))

    def _kernel_parts(self):
        """The parts and their clusters as the kernels change them, copied."""
        table, totals = self.tables.value_table, self.tables.totals
        n_values, (n_rows, _) = len(self.part), self.shape
        cluster = np.zeros(n_values, dtype=np.int64)
        cluster[: self.n_parts] = self.cluster
        owner = table.variable[self.first_value]
        spare = np.zeros((_N_SPARE, n_rows), dtype=np.int64)
        return _parts_kernels.Parts(
            self.part.copy(),
            cluster,
            np.bincount(self.part, minlength=n_values).astype(np.int64),
            np.bincount(self.part, totals, n_values).astype(np.int64),
            np.bincount(owner, minlength=table.n_variables).astype(np.int64),
            np.vstack([self.cells.T, spare]),
            np.append(self.sizes[_COLUMNS], spare[:, 0]),
            np.append(self.totals[_COLUMNS], spare[:, 0]),
        )

    def _set_parts(self, part, column_labels):
        self.part = _by_first(part)
        self.relabel(_COLUMNS, column_labels)


def _by_first(part):
    """Number parts from 0 by their first value."""
    _, first, part = np.unique(part, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[part]
