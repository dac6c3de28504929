"""A grid of any number of dimensions, with its non-empty cells only."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from coclust_synth.modl.criterion.terms import CostTerms, Dimension, grid_cost_terms
from coclust_synth.tables.showing import Shown


@dataclass(frozen=True, eq=False)
class Records:
    """Distinct observations of several variables, and how they are partitioned.

    Attributes
    ----------
    codes : ndarray of int64, shape (m, d)
        Value of each variable in each record, from 0.
    counts : ndarray of int64, shape (m,)
        Observations of each record.
    labels : tuple of d ndarray of int64, shape (V_k,)
        Part of each value.
    numeric : tuple of d bool
        Whether the values of a variable are intervals of numbers, or categories.
    """

    codes: np.ndarray
    counts: np.ndarray
    labels: tuple
    numeric: tuple

    def value_totals(self, axis):
        """Observations of each value of one variable, shape (V_k,)."""
        return _sums(self.codes[:, axis], self.counts, len(self.labels[axis]))

    def part_indexes(self):
        """Part of each variable in each record, shape (m, d)."""
        columns = [
            label[codes] for label, codes in zip(self.labels, self.codes.T, strict=True)
        ]
        return np.column_stack(columns)


@dataclass(frozen=True, eq=False, repr=False)
class DataGrid(Shown):
    """Partitions of several variables, and the counts of their non-empty cells.

    Attributes
    ----------
    cells : ndarray of int64, shape (c, d)
        Part of each dimension, for each cell.
    counts : ndarray of int64, shape (c,)
        Observations of each cell, all at least 1.
    dimensions : tuple of d Dimension
    log_fact_values : float
        Sum of ln n_v! over the values of the categorical dimensions (nats).
    """

    cells: np.ndarray
    counts: np.ndarray
    dimensions: tuple[Dimension, ...]
    log_fact_values: float

    @classmethod
    def from_records(cls, records):
        """The grid of partitioned records.

        Parameters
        ----------
        records : Records
        """
        cells, counts = _count(records.part_indexes(), records.counts)
        dimensions, log_fact_values = [], 0.0
        for axis, label in enumerate(records.labels):
            values = records.value_totals(axis)
            n_parts = int(label.max()) + 1
            sizes = None
            if not records.numeric[axis]:
                sizes = np.bincount(label, minlength=n_parts)
                log_fact_values += float(gammaln(values + 1.0).sum())
            dimensions.append(Dimension(_sums(label, values, n_parts), sizes))
        return cls(cells, counts, tuple(dimensions), log_fact_values)

    @cached_property
    def terms(self) -> CostTerms:
        """The cost, term by term (nats)."""
        return grid_cost_terms(self.counts, self.dimensions, self.log_fact_values)

    @property
    def cost(self):
        """The cost (nats)."""
        return self.terms.total

    @property
    def shape(self):
        """Numbers of parts, a tuple of d."""
        return tuple(dimension.n_parts for dimension in self.dimensions)

    def coarser(self, axis, parts):
        """The grid with some parts of one dimension put together.

        Parameters
        ----------
        axis : int
        parts : ndarray of int, shape (J,)
            New part of each part, from 0 without gaps.

        Returns
        -------
        DataGrid
        """
        parts = np.asarray(parts)
        cells = self.cells.copy()
        cells[:, axis] = parts[cells[:, axis]]
        cells, counts = _count(cells, self.counts)
        old, n_parts = self.dimensions[axis], int(parts.max()) + 1
        sizes = None if old.is_numeric else _sums(parts, old.sizes, n_parts)
        dimensions = list(self.dimensions)
        dimensions[axis] = Dimension(_sums(parts, old.totals, n_parts), sizes)
        return replace(self, cells=cells, counts=counts, dimensions=tuple(dimensions))

    def after(self, merges):
        """The grids after each of some merges.

        Parameters
        ----------
        merges : iterable of (axis, kept, absorbed)
            In terms of the parts of this grid: what is put together keeps the number
            of `kept`.

        Yields
        ------
        DataGrid
        """
        grid = self
        # Present number of each part that has not been absorbed.
        numbers = [np.arange(n_parts) for n_parts in self.shape]
        for axis, kept, absorbed in merges:
            number = numbers[axis]
            parts = np.arange(grid.shape[axis])
            parts[number[absorbed]] = number[kept]
            _, parts = np.unique(parts, return_inverse=True)
            numbers[axis] = parts[number]
            grid = grid.coarser(axis, parts)
            yield grid

    def null(self):
        """The grid of one cell."""
        grid = self
        for axis, n_parts in enumerate(self.shape):
            grid = grid.coarser(axis, np.zeros(n_parts, dtype=np.int64))
        return grid

    def opposite_cells(self, axis):
        """Counts of one dimension against all the others together.

        Returns
        -------
        ndarray of int64, shape (J_k, number of non-empty cells of the others)
        """
        others = np.delete(self.cells, axis, axis=1)
        cell, n_cells = distinct_rows(others)
        own = self.cells[:, axis] * n_cells + cell
        n_parts = self.shape[axis]
        return _sums(own, self.counts, n_parts * n_cells).reshape(n_parts, n_cells)

    def _told(self):
        return {
            "parts": " x ".join(str(len(own.sizes)) for own in self.dimensions),
            "non-empty cells": len(self.cells),
            "observations": int(self.counts.sum()),
        }


def distinct_rows(rows):
    """Number of each row among the distinct ones, and how many these are.

    Parameters
    ----------
    rows : ndarray of int, shape (m, d)
        None of them negative.

    Returns
    -------
    number : ndarray of int64, shape (m,)
        In lexicographic order.
    n_distinct : int
    """
    number, n_distinct = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        # Renumbered at each column, so that the keys never grow beyond 64 bits.
        keys = number * (int(column.max()) + 1) + column
        distinct, number = np.unique(keys, return_inverse=True)
        n_distinct = len(distinct)
    return number, n_distinct


def _count(cells, counts):
    """Distinct cells, in lexicographic order, and their counts."""
    number, n_cells = distinct_rows(cells)
    first = np.zeros(n_cells, dtype=np.int64)
    first[number] = np.arange(len(cells))
    return cells[first], _sums(number, counts, n_cells)


def _sums(index, weights, length):
    # Counts are whole and below 2^53: the float weights of bincount are exact.
    return np.bincount(index, weights, length).astype(np.int64)
