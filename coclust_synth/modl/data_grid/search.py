"""The search for the grid of d dimensions of least cost.

An iteration takes a coarse grid, the null one (a *descent*) or the best so far (a
*V-cycle*), refines some of its dimensions, and comes down again: moves of values and
of boundaries at that number of parts, greedy merges over all dimensions to one cell,
of which the lowest is kept, then moves, cuts and merges while the cost falls. An
iteration that does not lower the cost leaves no trace.

No refined grid has many more cells than observations: what is gathered for a
dimension, lines x parts, stays as small as the table whatever their number.

Notes
-----
Greedy merges, post-optimisation and neighbourhood search are those of MODL (Boulle,
"Data grid models for preparation and modeling in supervised learning", 2011); its
moves of boundaries, merges and splits of intervals are one dynamic programme here.
"""

from dataclasses import dataclass, replace

import numpy as np

from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.data_grid.dendrogram import merge
from coclust_synth.modl.data_grid.state import DataGridCostTables, DataGridState
from coclust_synth.modl.grid.grid import by_decreasing_total
from coclust_synth.modl.search.loop import Budget, Plan, Search, SearchResult

# Cuts that one sweep of a numeric dimension chooses among.
_MAX_CUTS = 192
# A dimension is refined to at most this many parts.
_MAX_PARTS = 128
# Each iteration of this number is a descent.
_DESCENT_PERIOD = 4
# With at most so many codes in the distinct records an iteration takes some 6 ms.
_MAX_LIGHT = 2**16
# Moves and merges of a coarse grid stop when a round of them gains less (nats).
_ROUND_GAIN = 1e-3
_MAX_ROUNDS = 20
# Sweeps of each dimension of a refined grid before its merges.
_N_FIRST_SWEEPS = 2


@dataclass(frozen=True)
class DataGridSearchResult(SearchResult):
    """What a search found; `grid` is a DataGrid.

    Attributes
    ----------
    records : Records
        Those given, labelled with the parts of the grid.
    """

    records: Records


def search_data_grid(records, **budget):
    """Search the grid of least cost.

    Parameters
    ----------
    records : Records
        Its labels are not looked at, but for the number of values: the search starts
        from single values.
    **budget
        What the search may spend: see `Budget`.

    Returns
    -------
    DataGridSearchResult
        Also after Ctrl-C: the best so far, with ``stopped_by="user"``.
    """
    problem = DataGridProblem(DataGridCostTables(records))
    null = problem.null
    search = Search(problem, null.cost(), null.shape)
    stopped_by = search.run(Budget(**budget))
    records = _labelled(null if search.best is None else search.best)
    return DataGridSearchResult(
        grid=DataGrid.from_records(records),
        trace=tuple(search.trace),
        n_iterations=search.n_done,
        stopped_by=stopped_by,
        records=records,
    )


def _labelled(state):
    """The records with the labels of a state, clusters by decreasing observations."""
    records = state.tables.records
    labels = [
        label.astype(np.int64) if is_numeric else by_decreasing_total(label, totals)
        for label, totals, is_numeric in zip(
            state.labels, state.tables.totals, records.numeric, strict=True
        )
    ]
    return replace(records, labels=tuple(labels))


class DataGridProblem:
    """Which moves a search of grids of d dimensions makes; see `Search`.

    Parameters
    ----------
    tables : DataGridCostTables
    """

    def __init__(self, tables):
        self.tables = tables
        self.null = DataGridState(
            tables, [np.zeros(n, dtype=np.int64) for n in tables.n_values]
        )
        self.n_in_round = None
        self.is_light = tables.records.codes.size <= _MAX_LIGHT

    def explorer(self, rng, check_time, run):
        """What makes the moves of one iteration, on one worker."""
        return DataGridExplorer(self.null, rng, check_time)

    def plan(self, iteration, explorer, best):
        """The move of one iteration: from the null grid, or from the best so far."""
        if iteration == 1:
            return Plan(explorer.whole_descent)
        if best is None or iteration % _DESCENT_PERIOD == 0:
            return Plan(explorer.descent)
        return Plan(explorer.v_cycle, (best,))

    def take(self, found, plan):
        """Nothing is kept but the best grid, which the search keeps itself."""


class DataGridExplorer:
    """The moves to other grids of d dimensions.

    Parameters
    ----------
    null : DataGridState
        The grid of one cell.
    rng : numpy.random.Generator
    check_time : callable
        Called often; what it raises ends the move.

    Attributes
    ----------
    best : DataGridState or None
        What the move came down to.
    best_cost : float
        Its cost (nats); infinite before the end.
    """

    def __init__(self, null, rng, check_time):
        self.null, self.rng, self.check_time = null, rng, check_time
        self.tables = null.tables
        self.n_values = self.tables.n_values
        # Dimensions that a grid can say something about.
        self.axes = np.flatnonzero(np.array(self.n_values) > 1)
        self.best, self.best_cost = None, np.inf

    # Moves

    def whole_descent(self):
        """Come down from a grid of many parts in all dimensions."""
        self._come_down(self.null.copy(), self.rng.permutation(self.axes))

    def descent(self):
        """Come down from a grid of many parts in all dimensions, or in some."""
        axes, n_axes = self.rng.permutation(self.axes), len(self.axes)
        if self.rng.random() < 0.5:
            n_axes = self.rng.integers(1, max(n_axes, 1), endpoint=True)
        self._come_down(self.null.copy(), axes[:n_axes])

    def v_cycle(self, state):
        """Refine some dimensions of a grid and come down again."""
        state, axes = state.copy(), self.rng.permutation(self.axes)
        n_axes = self.rng.integers(1, min(len(axes), 3), endpoint=True)
        if self.rng.random() < 0.5:
            # Room for others: one dimension that the grid tells of is let go.
            gone = self._split_axes(state)[0]
            state.relabel(gone, np.zeros(self.n_values[gone], dtype=np.int64))
        self._come_down(state, axes[:n_axes])

    def _come_down(self, state, axes):
        """Refine some dimensions, merge down to one cell, and settle the cheapest."""
        self._refine(state, axes)
        for _ in range(_N_FIRST_SWEEPS):
            for axis in self._split_axes(state):
                self._sweep(state, axis, as_many=True)
        merge(state, to_one_cell=True)
        self._settle(state)
        self.best, self.best_cost = state, state.cost()

    def _refine(self, state, axes):
        """Split the parts of some dimensions, as far as there are observations."""
        room = self.tables.n_observations / state.n_cells
        for i, axis in enumerate(axes):
            factor = max(room ** (1.0 / (len(axes) - i)), 1.0)
            n_before = state.shape[axis]
            n_parts = min(self.n_values[axis], _MAX_PARTS, round(n_before * factor))
            if n_parts > n_before:
                state.relabel(axis, self._finer(state, axis, n_parts))
                room *= n_before / n_parts

    def _finer(self, state, axis, n_parts):
        """Labels of `n_parts` parts at most, inside those of one dimension."""
        rng, label = self.rng, state.labels[axis]
        n_values = len(label)
        if n_parts == n_values:
            return np.arange(n_values)
        if self.tables.records.numeric[axis]:
            starts = np.flatnonzero(np.diff(label, prepend=-1))
            more = self._quantile_cuts(axis, n_parts - len(starts))
            starts = np.union1d(starts, more)
            return np.searchsorted(starts, np.arange(n_values), side="right")
        n_halves = n_parts // state.shape[axis] + 1
        return label * n_halves + rng.integers(0, n_halves, n_values)

    def _quantile_cuts(self, axis, n_cuts):
        """First values of random intervals, of about equal frequencies."""
        along = np.cumsum(self.tables.totals[axis])
        places = (np.arange(n_cuts) + self.rng.random(n_cuts)) / n_cuts
        cuts = np.searchsorted(along, places * along[-1], side="right")
        return np.unique(np.clip(cuts, 1, len(along) - 1))

    # Steps

    def _split_axes(self, state):
        split = [axis for axis in self.axes if state.shape[axis] > 1]
        return self.rng.permutation(split).astype(np.int64)

    def _settle(self, state):
        """Move values, cut again and merge while the cost falls."""
        for _ in range(_MAX_ROUNDS):
            gain = sum(
                self._sweep(state, axis) for axis in self.rng.permutation(self.axes)
            )
            gain += merge(state)
            if gain > -_ROUND_GAIN:
                break

    def _sweep(self, state, axis, *, as_many=False):
        """Improve one dimension, the others held fixed.

        `as_many` intervals as there are, or any number.
        """
        self.check_time()
        n_parts = state.shape[axis]
        if not self.tables.records.numeric[axis]:
            if n_parts == 1:
                return 0.0
            return state.sweep(axis, self.rng.permutation(self.n_values[axis]))
        n_least, n_most = (n_parts, n_parts) if as_many else (1, 2 * n_parts + 8)
        cuts = self._cuts(state, axis)
        return state.recut(axis, cuts, n_most, n_least=n_least)

    def _cuts(self, state, axis):
        """Cuts to choose among: all, or some near the present ones and elsewhere."""
        n_values = self.n_values[axis]
        if n_values - 1 <= _MAX_CUTS:
            return np.arange(1, n_values)
        present = np.flatnonzero(np.diff(state.labels[axis]) > 0) + 1
        n_near = max(_MAX_CUTS // 2 - len(present), 0)
        near = np.zeros(0, dtype=np.int64)
        if len(present):
            steps = np.exp(self.rng.random(n_near) * np.log(n_values / 2.0))
            steps = np.rint(steps).astype(np.int64) * self.rng.choice([-1, 1], n_near)
            near = self.rng.choice(present, n_near) + steps
            near = near[(near >= 1) & (near < n_values)]
        return np.union1d(near, self._quantile_cuts(axis, _MAX_CUTS // 2))
