"""The dendrogram of a grid: successive merges down to one cell, and its levels."""

from dataclasses import dataclass
from numbers import Real
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from coclust_synth.exceptions import ParameterError
from coclust_synth.modl.criterion.terms import (
    cell_counts_prior,
    cost_terms,
    family_prior,
    partition_prior,
)
from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.grid.state import CostTables, GridState
from coclust_synth.tables.showing import Shown
from coclust_synth.validation import check_integer

#: Two costs closer than this, relative to them, are equal: sums in other orders.
_ROUNDING = 1e-12


def is_null_cost(cost: float, null_cost: float) -> bool:
    """Whether a grid costs no less than that of one cell, but for rounding (nats)."""
    return null_cost - cost <= _ROUNDING * null_cost


@dataclass(frozen=True, eq=False)
class Level:
    """One grid of a dendrogram.

    Attributes
    ----------
    row_map, column_map : ndarray of int64
        Cluster of this level that each cluster of the finest level belongs to.
    cells : ndarray of int64, shape (J_1, J_2)
    row_sizes, column_sizes : ndarray of int64
        Values in each cluster.
    """

    row_map: np.ndarray
    column_map: np.ndarray
    cells: np.ndarray
    row_sizes: np.ndarray
    column_sizes: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Dendrogram(Shown):
    """From the finest grid, the merge of least cost increase, again and again.

    Step t is the grid after t merges; step 0 is the finest. The dimensions are
    interleaved in one sequence (Boulle 2011). Clusters keep the number of the lowest
    numbered cluster in them.

    Attributes
    ----------
    cells : ndarray of int64, shape (J_1, J_2)
        The finest grid.
    row_sizes, column_sizes : ndarray of int64
        Values in each of its clusters.
    merges : ndarray of int64, shape (J_1 + J_2 - 2, 3)
        Each (side, kept, absorbed): side 0 is rows, and kept < absorbed.
    costs : ndarray of float64, shape (J_1 + J_2 - 1,)
        Cost of each step (nats).
    best_cost : float
        Cost of the best grid (nats): the first of `costs`, unless finer steps were
        added or cut off.
    """

    cells: np.ndarray
    row_sizes: np.ndarray
    column_sizes: np.ndarray
    merges: np.ndarray
    costs: np.ndarray
    best_cost: float

    @classmethod
    def from_grid(cls, contingency: Contingency, grid: Grid) -> Self:
        """Build the dendrogram of a grid.

        Parameters
        ----------
        contingency : Contingency
        grid : Grid
        """
        state = GridState(
            CostTables(contingency), (grid.row_labels, grid.column_labels)
        )
        merges, _ = state.merge_path(stop_at_rise=False)
        return cls.from_merges(
            contingency,
            (grid.cells, grid.row_sizes, grid.column_sizes),
            merges,
            grid.cost,
        )

    @classmethod
    def from_merges(
        cls,
        contingency: Contingency,
        finest: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
        merges: NDArray[np.int64],
        best_cost: float | None,
    ) -> Self:
        """The dendrogram of a finest grid (cells, row sizes, column sizes) and merges.

        Costs are added up from the exact change of each merge.
        """
        start = cost_terms(*finest, contingency.log_fact_values).total
        costs = _costs_along(finest, merges, start)
        return cls(*finest, merges, costs, best_cost)

    @property
    def null_cost(self) -> float:
        """Cost of the grid of one cell (nats)."""
        return float(self.costs[-1])

    @property
    def information(self) -> NDArray[np.float64]:
        """Share of the information of the best grid that each step keeps, in [0, 1].

        (null cost - cost) / (null cost - best cost); a finer grid keeps what a coarser
        one does, which is 1 below the best. 0 where the best grid is null, or costs the
        same but for rounding.
        """
        if is_null_cost(self.best_cost, self.null_cost):
            return np.zeros(len(self.costs))
        gain = self.null_cost - self.best_cost
        share = np.clip((self.null_cost - self.costs) / gain, 0.0, 1.0)
        share[np.isclose(self.costs, self.best_cost, rtol=_ROUNDING)] = 1.0
        return np.maximum.accumulate(share[::-1])[::-1]

    @property
    def smallest_clusters(self) -> NDArray[np.int64]:
        """Smallest number of row values (individuals) in a row cluster, by step."""
        sizes = self.row_sizes.copy()
        smallest = [sizes.min()]
        for side, kept, absorbed in self.merges:
            if side == 0:
                sizes[kept] += sizes[absorbed]
                sizes[absorbed] = self.row_sizes.sum()
            smallest.append(sizes.min())
        return np.array(smallest)

    def step_at(
        self,
        *,
        k: int | None = None,
        n_clusters: tuple[int, int] | None = None,
        information: float | None = None,
    ) -> int:
        """Step of the grid asked for; exactly one of the three says how.

        Parameters
        ----------
        k : int, optional
            The finest grid whose every row cluster holds at least k row values
            (individuals). From 1 to their number.
        n_clusters : tuple of int (J_1, J_2), optional
            The finest grid of at most so many row and column clusters.
        information : float, optional
            The coarsest grid that keeps at least this share of the information, in
            [0, 1].

        Returns
        -------
        int
            A step, for `level` and `from_step`.

        Raises
        ------
        ParameterError
            If not exactly one is given, or it is out of range, or the dendrogram holds
            nothing fine enough.
        """
        given = [k is not None, n_clusters is not None, information is not None]
        if sum(given) != 1:
            raise ParameterError(
                "Expected exactly one of k, n_clusters and information. Received "
                f"{sum(given)} of them. Give one."
            )
        if k is not None:
            return self._step_of_size(k)
        if n_clusters is not None:
            return self._step_of_number(n_clusters)
        return self._step_of_information(information)

    def _step_of_size(self, k):
        check_integer("k", k, minimum=1, maximum=int(self.row_sizes.sum()))
        return int(np.argmax(self.smallest_clusters >= k))

    def _step_of_number(self, n_clusters):
        if np.shape(n_clusters) != (2,):
            raise ParameterError(
                "Expected two numbers of clusters, for rows and columns. Received "
                f"{n_clusters!r}. Give for instance (10, 20)."
            )
        rows, columns = n_clusters
        check_integer("the number of row clusters", rows, minimum=1)
        check_integer("the number of column clusters", columns, minimum=1)
        left = np.array(self.cells.shape)
        step = 0
        while left[0] > rows or left[1] > columns:
            left[self.merges[step, 0]] -= 1
            step += 1
        return step

    def _step_of_information(self, information):
        if not (isinstance(information, Real) and 0.0 <= information <= 1.0):
            raise ParameterError(
                "Expected a share of information from 0 to 1. Received "
                f"{information!r}. Give for instance 0.9."
            )
        enough = np.flatnonzero(self.information >= information)
        if len(enough) == 0:
            raise ParameterError(
                f"Expected a share of information that the model holds, at most "
                f"{self.information[0]:.4f}. Received {information}. Ask for less, or "
                "save the model with a smaller k."
            )
        return int(enough[-1])

    def level(self, step: int) -> Level:
        """The grid of one step."""
        targets = [np.arange(j) for j in self.cells.shape]
        for side, kept, absorbed in self.merges[:step]:
            target = targets[side]
            target[target == absorbed] = kept
        maps = [np.unique(target, return_inverse=True)[1] for target in targets]
        n_rows, n_columns = (int(m.max()) + 1 for m in maps)
        cells = np.zeros((n_rows, n_columns), dtype=np.int64)
        np.add.at(cells, (maps[0][:, None], maps[1][None, :]), self.cells)
        return Level(
            maps[0],
            maps[1],
            cells,
            np.bincount(maps[0], self.row_sizes, n_rows).astype(np.int64),
            np.bincount(maps[1], self.column_sizes, n_columns).astype(np.int64),
        )

    def from_step(self, step: int) -> "Dendrogram":
        """The dendrogram from one step on; it holds nothing finer."""
        level = self.level(step)
        maps = (level.row_map, level.column_map)
        merges = [
            (side, maps[side][kept], maps[side][absorbed])
            for side, kept, absorbed in self.merges[step:]
        ]
        return Dendrogram(
            level.cells,
            level.row_sizes,
            level.column_sizes,
            np.array(merges, dtype=np.int64).reshape(-1, 3),
            self.costs[step:],
            self.best_cost,
        )

    def small_first(self, k: int) -> tuple["Dendrogram", int]:
        """The dendrogram that first merges the row clusters of fewer than k values.

        The smallest cluster is merged with the one that makes it cost least, again and
        again, until all hold k; then come the merges of this dendrogram that are left.
        A step of this one that has no small cluster has merged many that were large
        enough, and columns: clusters of k are cut unevenly.

        Parameters
        ----------
        k : int
            From 1 to the number of row values.

        Returns
        -------
        (Dendrogram, int)
            And its step where no cluster is small.

        Raises
        ------
        ParameterError
            If k is out of range.
        """
        check_integer("k", k, minimum=1, maximum=int(self.row_sizes.sum()))
        first = _merges_of_small(self.cells.copy(), self.row_sizes.copy(), k)
        rest = _left_over(self.merges.tolist(), first, self.cells.shape)
        merges = np.array([*first, *rest], dtype=np.int64).reshape(-1, 3)
        finest = self.cells, self.row_sizes, self.column_sizes
        costs = _costs_along(finest, merges, self.costs[0])
        return Dendrogram(*finest, merges, costs, self.best_cost), len(first)

    def children(self, side: int) -> NDArray[np.int64]:
        """Merges of one side in the encoding of scikit-learn's ``children_``.

        Returns
        -------
        ndarray of int64, shape (J - 1, 2)
            The i-th merge joins the two nodes of row i into node J + i; nodes below J
            are the clusters of the finest grid.
        """
        n_leaves = self.cells.shape[side]
        node = np.arange(n_leaves)
        children = []
        for _, kept, absorbed in self.merges[self.merges[:, 0] == side]:
            children.append((node[kept], node[absorbed]))
            node[kept] = n_leaves + len(children) - 1
        return np.array(children, dtype=np.int64).reshape(-1, 2)

    def _told(self):
        return {
            "clusters": " x ".join(map(str, self.cells.shape)),
            "merges": len(self.merges),
            "best cost": f"{self.best_cost:.2f} nats",
        }


@dataclass(frozen=True, eq=False)
class Cut:
    """A grid and where it stands in its dendrogram.

    Attributes
    ----------
    row_labels, column_labels : ndarray of int64
        Cluster of each row and column in the grid.
    dendrogram : Dendrogram
        From the grid on; it holds nothing finer.
    """

    row_labels: np.ndarray
    column_labels: np.ndarray
    dendrogram: Dendrogram

    @property
    def cost(self):
        """Cost of the grid (nats)."""
        return float(self.dendrogram.costs[0])

    def merged(self, k):
        """The cut in which clusters of fewer than k individuals are merged, only.

        See `Dendrogram.small_first`.
        """
        dendrogram, step = self.dendrogram.small_first(k)
        return Cut(self.row_labels, self.column_labels, dendrogram).coarser(step)

    def coarser(self, step):
        """The cut some merges further on."""
        level = self.dendrogram.level(step)
        return Cut(
            level.row_map[self.row_labels],
            level.column_map[self.column_labels],
            self.dendrogram.from_step(step),
        )


def _costs_along(finest, merges, start):
    """Cost of a finest grid, which is given, and after each of some merges (nats)."""
    cells, sizes = finest[0].copy(), [finest[1].copy(), finest[2].copy()]
    n_observations, left = int(cells.sum()), list(cells.shape)
    partitions = [
        _partition_prior(*of_side) for of_side in zip(sizes, left, strict=True)
    ]
    priors = _priors(partitions, left, n_observations)
    costs = [start]
    for side, kept, absorbed in merges:
        own = cells if side == 0 else cells.T
        pair = [kept, absorbed]
        change = -_clusters_cost(own[pair], sizes[side][pair]).sum()
        own[kept] += own[absorbed]
        own[absorbed] = 0
        sizes[side][kept] += sizes[side][absorbed]
        sizes[side][absorbed] = 0
        left[side] -= 1
        change += _clusters_cost(own[[kept]], sizes[side][[kept]]).sum()
        before = priors
        partitions[side] = _partition_prior(sizes[side], left[side])
        priors = _priors(partitions, left, n_observations)
        change += priors - before
        costs.append(costs[-1] + change)
    return np.array(costs)


def _merges_of_small(cells, sizes, k):
    """Merges (kept, absorbed) until each row cluster has k values; changes both."""
    merges, own = [], _clusters_cost(cells, sizes)
    while sizes[sizes > 0].min() < k:
        there = np.flatnonzero(sizes)
        small = there[sizes[there].argmin()]
        others = there[there != small]
        joint = _clusters_cost(
            cells[others] + cells[small], sizes[others] + sizes[small]
        )
        best = (joint - own[others]).argmin()
        kept, absorbed = sorted((small, others[best]))
        merges.append((0, kept, absorbed))
        own[kept] = joint[best]
        cells[kept] += cells[absorbed]
        sizes[kept] += sizes[absorbed]
        sizes[absorbed] = 0
    return merges


def _left_over(merges, done, n_clusters):
    """What merges still have to do where some rows are merged already."""
    cluster = [np.arange(n) for n in n_clusters]
    left = []
    for step, (side, *pair) in enumerate([*done, *merges]):
        kept, absorbed = sorted(cluster[side][pair].tolist())
        if kept != absorbed:
            cluster[side][cluster[side] == absorbed] = kept
            if step >= len(done):
                left.append((side, kept, absorbed))
    return left


def _clusters_cost(cells, sizes):
    """Terms of the cost that belong to each of some clusters of one side (nats)."""
    totals = cells.sum(axis=1)
    counts = gammaln(totals + sizes) - gammaln(sizes)
    return counts - gammaln(cells + 1.0).sum(axis=1)


def _partition_prior(sizes, n_clusters):
    """Prior of the partition of one side (nats); clusters of size 0 do not count."""
    return partition_prior(int(sizes.sum()), n_clusters, int(sizes.max()))


def _priors(partitions, left, n_observations):
    """Terms of the cost that depend on numbers of clusters and values (nats)."""
    counts = cell_counts_prior(n_observations, left[0] * left[1])
    return float(sum(partitions) + counts + family_prior(sum(n > 1 for n in left)))
