"""A co-clustering as a page shows it: parts, cells, and merges down to one cell.

What is read from (`sources`) and what is made of it (`page`, `payload`) meet here.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.modl.grid.cell_measures import cell_information


@dataclass(frozen=True, eq=False)
class ViewedDimension:
    """One dimension of a grid, of J parts.

    Attributes
    ----------
    name : str
    kind : {"categorical", "numerical", "individuals"}
        Individuals are described by the parts of the other dimension, and categories
        by their values.
    parts : tuple of str
        The name of each part, in the order of the tree: each node of the tree is a run
        of them.
    frequencies : ndarray of int64, shape (J,)
        Observations of each.
    interests : ndarray of float64, shape (J,)
        In [0, 1]: what merging it with the others would cost, relative to the largest.
    values : tuple of tuple of str
        What each part holds, the most typical first; empty if that is not known by
        name, as of intervals.
    value_frequencies : tuple of tuple of int
        Observations of each value.
    typicalities : tuple of tuple of float
        Of each value in its part, in [0, 1]; empty where it is not known.
    sizes : tuple of int
        Values of each part; empty for intervals.
    merges : tuple of str
        The name of each node that a merge makes, in the order of the merges.
    """

    name: str
    kind: str
    parts: tuple[str, ...]
    frequencies: NDArray[np.int64]
    interests: NDArray[np.float64]
    values: tuple[tuple[str, ...], ...]
    value_frequencies: tuple[tuple[int, ...], ...]
    typicalities: tuple[tuple[float, ...], ...]
    sizes: tuple[int, ...]
    merges: tuple[str, ...]

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of all nodes: the parts, then the merges."""
        return (*self.parts, *self.merges)


@dataclass(frozen=True, eq=False)
class ViewedGrid:
    """A grid of d dimensions and the merges that lead from it to one cell.

    Attributes
    ----------
    name : str
        Of the file that it is from.
    dimensions : tuple of d ViewedDimension
    cells : ndarray of int64, shape (c, d)
        Part of each dimension, for each cell that is not empty; in lexicographic order.
    counts : ndarray of int64, shape (c,)
        Observations of each.
    merges : tuple of (int, int, int)
        Each (dimension, left node, right node). Nodes below J are the parts of the
        dimension, and its i-th merge makes node J + i.
    levels : ndarray of float64, shape (len(merges) + 1,)
        Share of the best grid's information that is left before and after each merge.
    cost, null_cost : float
        Of the best grid and of one cell (nats).
    """

    name: str
    dimensions: tuple[ViewedDimension, ...]
    cells: NDArray[np.int64]
    counts: NDArray[np.int64]
    merges: tuple[tuple[int, int, int], ...]
    levels: NDArray[np.float64]
    cost: float
    null_cost: float

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of parts, of each dimension."""
        return tuple(len(dimension.parts) for dimension in self.dimensions)

    @property
    def n_observations(self) -> int:
        """The sum of the counts."""
        return int(self.counts.sum())

    @property
    def best_step(self) -> int:
        """Merges after which all of the best grid's information is still there."""
        return int(np.flatnonzero(self.levels >= self.levels.max())[-1])

    @cached_property
    def main(self) -> tuple[int, int]:
        """The two dimensions that depend most on each other."""
        pairs = combinations(range(len(self.dimensions)), 2)
        return max(pairs, key=lambda pair: cell_information(self.table(*pair)).sum())

    def step_of_shape(self, n_parts: int) -> int:
        """Merges after which no dimension has more than so many parts."""
        left = list(self.shape)
        for step, (axis, _, _) in enumerate(self.merges):
            if max(left) <= n_parts:
                return step
            left[axis] -= 1
        return len(self.merges)

    def table(self, rows: int, columns: int) -> NDArray[np.int64]:
        """Observations of the parts of two dimensions, all others summed up.

        Parameters
        ----------
        rows, columns : int
            Numbers of the dimensions.
        """
        shape = self.shape[rows], self.shape[columns]
        place = self.cells[:, rows] * shape[1] + self.cells[:, columns]
        # Counts are whole and below 2^53: the float weights of bincount are exact.
        sums = np.bincount(place, self.counts, shape[0] * shape[1])
        return sums.astype(np.int64).reshape(shape)

    def coarser(self, step: int) -> Self:
        """The grid after some merges.

        Parameters
        ----------
        step : int
            In [0, len(merges)].
        """
        nodes = [np.arange(n_parts) for n_parts in self.shape]
        made = list(self.shape)
        for axis, left, right in self.merges[:step]:
            nodes[axis][np.isin(nodes[axis], (left, right))] = made[axis]
            made[axis] += 1
        dimensions, parts, numbers = [], [], []
        for axis, dimension in enumerate(self.dimensions):
            # Nodes of a tree are runs of parts, which keep their order.
            there = list(dict.fromkeys(nodes[axis].tolist()))
            to_come = range(made[axis], len(dimension.nodes))
            number = {node: i for i, node in enumerate([*there, *to_come])}
            numbers.append(number)
            parts.append(np.array([number[node] for node in nodes[axis].tolist()]))
            names = tuple(dimension.nodes[node] for node in there)
            dimensions.append(_merged(dimension, parts[axis], names))
        cells = np.column_stack(
            [part[self.cells[:, axis]] for axis, part in enumerate(parts)]
        )
        cells, counts = sorted_cells(cells, self.counts)
        return replace(
            self,
            dimensions=tuple(dimensions),
            cells=cells,
            counts=counts,
            merges=tuple(
                (axis, numbers[axis][left], numbers[axis][right])
                for axis, left, right in self.merges[step:]
            ),
            levels=self.levels[step:],
        )


def sorted_cells(cells, counts):
    """Distinct cells in lexicographic order, and their counts.

    Parameters
    ----------
    cells : ndarray of int64, shape (c, d)
    counts : ndarray of int64, shape (c,)
    """
    order = np.lexsort(cells.T[::-1])
    cells, counts = cells[order], counts[order]
    is_new = np.ones(len(cells), dtype=bool)
    is_new[1:] = (cells[1:] != cells[:-1]).any(axis=1)
    first = np.flatnonzero(is_new)
    return cells[first], np.add.reduceat(counts, first)


def _merged(dimension, parts, names):
    """A dimension some of whose parts are put together, under other names."""
    n_parts = len(names)
    frequencies = np.bincount(parts, dimension.frequencies, n_parts)
    weights = np.maximum(dimension.frequencies, 1)
    interests = np.bincount(parts, dimension.interests * weights, n_parts)
    values = [[] for _ in names]
    sizes = [0] * (n_parts if dimension.sizes else 0)
    for part, number in enumerate(parts.tolist()):
        values[number] += _values_of(dimension, part)
        if sizes:
            sizes[number] += dimension.sizes[part]
    # Of several parts the most frequent values say most; of one, the typical ones.
    n_merged = np.bincount(parts, minlength=n_parts)
    for number in np.flatnonzero(n_merged > 1):
        values[number].sort(key=lambda value: -value[1])
    columns = [tuple(zip(*of_part, strict=True)) or ((), (), ()) for of_part in values]
    has_typicalities = any(dimension.typicalities)
    return replace(
        dimension,
        parts=names,
        frequencies=frequencies.astype(np.int64),
        interests=interests / np.bincount(parts, weights, n_parts),
        values=tuple(column[0] for column in columns),
        value_frequencies=tuple(column[1] for column in columns),
        typicalities=tuple(column[2] if has_typicalities else () for column in columns),
        sizes=tuple(sizes),
        merges=dimension.merges[len(parts) - n_parts :],
    )


def _values_of(dimension, part):
    """(value, frequency, typicality or None) of each value of a part."""
    values = dimension.values[part]
    typicalities = dimension.typicalities[part] or [None] * len(values)
    return list(
        zip(values, dimension.value_frequencies[part], typicalities, strict=True)
    )
