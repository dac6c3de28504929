"""The counts of two categorical variables, and grids: a partition of each of them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from coclust_synth.exceptions import TableError
from coclust_synth.modl.criterion.terms import CostTerms, cost_terms
from coclust_synth.modl.grid import _kernels
from coclust_synth.tables.showing import Shown


class Side(NamedTuple):
    """One variable of the contingency table, as the kernels read it.

    A value can stand for several values that have equal counts (individuals with
    equal rows); they are moved together.

    Attributes
    ----------
    indptr, opposite, count : ndarray of int
        CSR: value i meets value ``opposite[e]`` of the other variable in
        ``count[e]`` observations, ``e`` from ``indptr[i]`` to ``indptr[i + 1]``.
        int64, int32, and int32 or, where a count is too large for it, int64.
    size : ndarray of int64, shape (n,)
        How many values each one stands for.
    total : ndarray of int64, shape (n,)
        Observations of each, all the values it stands for together.
    """

    indptr: np.ndarray
    opposite: np.ndarray
    count: np.ndarray
    size: np.ndarray
    total: np.ndarray


@dataclass(frozen=True, repr=False)
class Contingency(Shown):
    """A sparse contingency table of two categorical variables.

    Attributes
    ----------
    sides : tuple of two Side
        Rows and columns.
    n_observations : int
        N, the sum of all counts.
    log_fact_values : float
        Sum of ln n_v! over the values of both variables (nats).
    """

    sides: tuple[Side, Side]
    n_observations: int
    log_fact_values: float

    @classmethod
    def from_matrix(cls, matrix, row_weights=None):
        """Build from a matrix of counts.

        Parameters
        ----------
        matrix : array-like or sparse matrix of int, shape (n_rows, n_columns)
            Observations of each pair of values, none of them negative.
        row_weights : array-like of int, shape (n_rows,), optional
            How many values each row stands for, 1 by default.

        Raises
        ------
        TableError
            Where a count is negative or not whole, or there is no observation.
        """
        matrix = sparse.csr_array(matrix, copy=True)
        data = matrix.data
        wrong = ~(np.isfinite(data) & (data >= 0) & (data == np.floor(data)))
        if wrong.any():
            raise TableError(
                "Expected counts that are whole numbers, 0 or more. Received "
                f"{data[wrong][0]}. Round or clip them first."
            )
        matrix = matrix.astype(np.int64)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        weights = np.ones(matrix.shape[0], dtype=np.int64)
        if row_weights is not None:
            weights = np.asarray(row_weights)
            if weights.shape != matrix.shape[:1] or (weights < 1).any():
                raise TableError(
                    f"Expected {matrix.shape[0]} row weights of 1 or more. Received "
                    f"{weights.shape} from {weights.min(initial=0)}. Give one a row."
                )
            weights = weights.astype(np.int64)
        values = np.asarray(matrix.sum(axis=1), dtype=np.float64)
        matrix.data *= np.repeat(weights, np.diff(matrix.indptr))
        return cls._from_counts(matrix, weights, values)

    @classmethod
    def _from_counts(cls, matrix, weights, row_totals):
        """Build from the counts of all rows that each row of a matrix stands for.

        `row_totals` are the observations of one of these rows.
        """
        if matrix.nnz == 0:
            raise TableError(
                f"Expected at least one observation. Received a {matrix.shape[0]} x "
                f"{matrix.shape[1]} table of zeros. Check the counts."
            )
        if matrix.data.max() < 2**31:
            matrix = matrix.astype(np.int32, copy=False)
        rows = _side(matrix, weights)
        columns = _side(matrix.T.tocsr(), np.ones(matrix.shape[1], dtype=np.int64))
        return cls(
            sides=(rows, columns),
            n_observations=int(rows.total.sum()),
            log_fact_values=float(
                (weights * gammaln(row_totals + 1.0)).sum()
                + gammaln(columns.total + 1.0).sum()
            ),
        )

    @classmethod
    def from_distinct_rows(cls, rows):
        """Build ``id x part`` from the distinct rows of part codes.

        Parameters
        ----------
        rows : DistinctRows
            Codes of -1 (variable left out) give no observation.
        """
        present = rows.codes >= 0
        n_present = present.sum(axis=1)
        indptr = np.concatenate([[0], np.cumsum(n_present)])
        counts = rows.counts
        # Half the memory wherever it is enough.
        if max(indptr[-1], counts.max(initial=0)) < 2**31:
            indptr, counts = indptr.astype(np.int32), counts.astype(np.int32)
        matrix = sparse.csr_array(
            (np.repeat(counts, n_present), rows.codes[present], indptr),
            shape=(len(rows.codes), rows.n_parts),
        )
        return cls._from_counts(matrix, rows.counts, n_present.astype(np.float64))

    @classmethod
    def from_clusters(cls, counts, sizes):
        """Build from what clusters of rows count, each of which is then one row.

        Parameters
        ----------
        counts : ndarray of int64, shape (J_1, V)
            Observations of all rows of each cluster. All rows have as many.
        sizes : ndarray of int64, shape (J_1,)
            Rows of each cluster, from 1.
        """
        matrix = sparse.csr_array(counts)
        return cls._from_counts(matrix, sizes, counts.sum(axis=1) / sizes)

    def of_rows(self, rows):
        """The counts of some rows, with all columns.

        Parameters
        ----------
        rows : ndarray of int, shape (n,)
            Positions, increasing.

        Returns
        -------
        Contingency
        """
        side, columns = self.sides
        matrix = sparse.csr_array(
            (side.count, side.opposite, side.indptr),
            shape=(len(side.size), len(columns.size)),
        )
        sizes = side.size[rows]
        return self._from_counts(matrix[rows], sizes, side.total[rows] / sizes)

    @property
    def n_values(self):
        """Number of values of each variable, (V_1, V_2)."""
        return tuple(int(side.size.sum()) for side in self.sides)

    def _told(self):
        return {
            "distinct rows": len(self.sides[0].size),
            "distinct columns": len(self.sides[1].size),
            "observations": int(self.sides[0].total.sum()),
        }


def _side(matrix, size):
    return Side(
        indptr=matrix.indptr.astype(np.int64),
        opposite=matrix.indices.astype(np.int32, copy=False),
        count=matrix.data,
        size=size,
        total=np.asarray(matrix.sum(axis=1, dtype=np.int64)),
    )


@dataclass(frozen=True, repr=False)
class Grid(Shown):
    """A co-clustering of a contingency table.

    Clusters are numbered from 0 by decreasing number of observations, then by their
    first value.

    Attributes
    ----------
    row_labels, column_labels : ndarray of int64
        Cluster of each row and column of the contingency table.
    cells : ndarray of int64, shape (J_1, J_2)
        Observations in each cell.
    row_sizes, column_sizes : ndarray of int64, shape (J_1,) and (J_2,)
        Values in each cluster.
    terms : CostTerms
        The cost, term by term (nats).
    """

    row_labels: np.ndarray
    column_labels: np.ndarray
    cells: np.ndarray
    row_sizes: np.ndarray
    column_sizes: np.ndarray
    terms: CostTerms

    @classmethod
    def from_labels(cls, contingency, row_labels, column_labels):
        """The grid of two partitions of the values of `contingency`."""
        labels, sizes = [], []
        for side, given in zip(
            contingency.sides, (row_labels, column_labels), strict=True
        ):
            label = by_decreasing_total(given, side.total)
            labels.append(label)
            sizes.append(np.bincount(label, side.size).astype(np.int64))
        cells = count_cells(contingency, labels, [len(size) for size in sizes])
        return cls(
            *labels,
            cells,
            *sizes,
            cost_terms(cells, *sizes, contingency.log_fact_values),
        )

    @classmethod
    def null(cls, contingency):
        """The grid of one cell, which says nothing."""
        return cls.from_labels(
            contingency,
            *(np.zeros(len(side.size), dtype=np.int64) for side in contingency.sides),
        )

    @property
    def cost(self):
        """The cost (nats)."""
        return self.terms.total

    @property
    def shape(self):
        """Numbers of clusters, (J_1, J_2)."""
        return self.cells.shape

    def _told(self):
        return {
            "clusters": " x ".join(map(str, self.cells.shape)),
            "observations": int(self.cells.sum()),
            "cost": f"{self.terms.total:.2f} nats",
        }


def count_cells(contingency, labels, shape):
    """Observations in each cell of two partitions, (J_1, J_2) int64."""
    rows = contingency.sides[0]
    row_labels, column_labels = (label.astype(np.int32, copy=False) for label in labels)
    values = np.arange(len(row_labels))
    clusters = _kernels.count_clusters(
        values, rows, row_labels, column_labels, shape[1], shape[0]
    )
    return np.ascontiguousarray(clusters.cells.T)


def by_decreasing_total(labels, totals):
    """Renumber clusters by decreasing observations, then by first value."""
    _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
    order = np.lexsort((first, -np.bincount(labels, totals)))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[labels]


def lowest_along(merges, changes, shape):
    """The first of some merges, up to the lowest cost on their way.

    Parameters
    ----------
    merges : sequence of (axis, kept, absorbed)
    changes : sequence of float
        Change of cost of each (nats).
    shape : sequence of int
        Numbers of parts before them.

    Returns
    -------
    change : float
        Of the cost (nats, at most 0).
    targets : list of ndarray of int64, shape (J_k,)
        Number of the part that each part is in then.
    """
    along = np.cumsum(changes)
    targets = [np.arange(n_parts) for n_parts in shape]
    if len(along) == 0 or along.min() >= 0.0:
        return 0.0, targets
    lowest = int(along.argmin())
    for axis, kept, absorbed in merges[: lowest + 1]:
        target = targets[axis]
        target[target == absorbed] = kept
    return float(along[lowest]), targets
