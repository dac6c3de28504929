"""A grid: one partition of each variable, the counts of its cells, and its cost."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.modl.criterion.terms import CostTerms, cost_terms


@dataclass(frozen=True)
class Grid:
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


def count_cells(contingency, labels, shape):
    """Observations in each cell of two partitions, (J_1, J_2) int64."""
    rows = contingency.sides[0]
    cell = np.repeat(labels[0].astype(np.int64), np.diff(rows.indptr)) * shape[1]
    cell += labels[1][rows.opposite]
    # Counts are whole and below 2^53: the float weights of bincount are exact.
    cells = np.bincount(cell, rows.count, shape[0] * shape[1])
    return cells.astype(np.int64).reshape(shape)


def by_decreasing_total(labels, totals):
    """Renumber clusters by decreasing observations, then by first value."""
    _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
    order = np.lexsort((first, -np.bincount(labels, totals)))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[labels]
