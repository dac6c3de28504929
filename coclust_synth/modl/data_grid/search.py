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
from coclust_synth.modl.data_grid.merges import merge
from coclust_synth.modl.data_grid.state import DataGridCostTables, DataGridState
from coclust_synth.modl.grid.grid import by_decreasing_total
from coclust_synth.modl.search.clock import Clock, OutOfTime
from coclust_synth.modl.search.result import SearchResult, TracePoint

# Default budget: about 1 s on five variables of UCI Adult, 48,842 rows, on one core.
DEFAULT_ITERATIONS = 128

# Cuts that one look at a numeric dimension chooses among.
_MAX_CUTS = 192
# A dimension is refined to at most this many parts.
_MAX_PARTS = 128
# Each iteration of this number is a descent.
_DESCENT_PERIOD = 4
# Moves and merges of a coarse grid stop when a round of them gains less (nats).
_ROUND_GAIN = 1e-3
_MAX_ROUNDS = 20
# Looks at each dimension of a refined grid before its merges.
_N_FIRST_LOOKS = 2


@dataclass(frozen=True)
class DataGridSearchResult(SearchResult):
    """What a search found; `grid` is a DataGrid.

    Attributes
    ----------
    records : Records
        Those given, labelled with the parts of the grid.
    """

    records: Records


def search_data_grid(
    records, *, n_iterations=DEFAULT_ITERATIONS, seed=0, time_limit=None, callback=None
):
    """Search the grid of least cost.

    Parameters
    ----------
    records : Records
        Its labels are not looked at, but for the number of values: the search starts
        from single values.
    n_iterations : int, >= 1
        For equal `records`, `seed` and `n_iterations` the result is the same, unless
        `time_limit` cuts it short.
    seed : int or numpy.random.SeedSequence
    time_limit : float or Clock, optional
        Stop after this many seconds, on top of `n_iterations`, but not before the end
        of the first iteration.
    callback : callable, optional
        Called after each iteration with (iteration, TracePoint of the best so far).

    Returns
    -------
    DataGridSearchResult
        Also after Ctrl-C: the best so far, with ``stopped_by="user"``.
    """
    search = _Search(records, seed, Clock.of(time_limit))
    stopped_by = search.run(n_iterations, callback)
    records = search.labelled_records()
    return DataGridSearchResult(
        grid=DataGrid.from_records(records),
        trace=tuple(search.trace),
        n_iterations=search.n_done,
        stopped_by=stopped_by,
        records=records,
    )


class _Search:
    def __init__(self, records, seed, clock):
        self.clock = clock
        self.rng = np.random.default_rng(seed)
        self.records = records
        self.costs = DataGridCostTables(records)
        self.n_values = self.costs.n_values
        # Dimensions that a grid can say something about.
        self.axes = np.flatnonzero(np.array(self.n_values) > 1)
        self.best = DataGridState(
            self.costs, [np.zeros(n, dtype=np.int64) for n in self.n_values]
        )
        self.null = self.best.copy()
        self.best_cost = self.best.cost()
        self.trace = []
        self.n_done = 0
        self._record(0)

    def run(self, n_iterations, callback):
        """Do the iterations; returns what stopped them."""
        try:
            for iteration in range(1, n_iterations + 1):
                self._check_time()
                self._iterate(iteration)
                self.n_done = iteration
                if callback is not None:
                    callback(iteration, self.trace[-1])
        except OutOfTime:
            return "time"
        except KeyboardInterrupt:
            return "user"
        return "iterations"

    def _check_time(self):
        """End the search where the time is over, but not before its first iteration."""
        if self.n_done > 0:
            self.clock.check()

    def _record(self, iteration):
        self.trace.append(
            TracePoint(*self.clock.read(), iteration, self.best_cost, self.best.shape)
        )

    def labelled_records(self):
        """The records with the best labels, clusters by decreasing observations."""
        labels = [
            label.astype(np.int64) if is_numeric else by_decreasing_total(label, totals)
            for label, totals, is_numeric in zip(
                self.best.labels, self.costs.totals, self.records.numeric, strict=True
            )
        ]
        return replace(self.records, labels=tuple(labels))

    # Iterations

    def _iterate(self, iteration):
        """Refine a grid, come down from it, and keep what beats the best."""
        state = self._start(iteration)
        for _ in range(_N_FIRST_LOOKS):
            for axis in self._split_axes(state):
                self._look(state, axis, as_many=True)
        merge(state, to_one_cell=True)
        self._settle(state)
        cost = state.cost()
        if cost < self.best_cost - 1e-6:
            self.best, self.best_cost = state, cost
            self._record(iteration)

    def _start(self, iteration):
        """The refined grid that an iteration comes down from."""
        rng, axes = self.rng, self.rng.permutation(self.axes)
        is_null = self.best.shape == self.null.shape
        if is_null or iteration % _DESCENT_PERIOD == 0:
            state = self.null.copy()
            n_axes = len(axes)
            if iteration > 1 and rng.random() < 0.5:
                n_axes = rng.integers(1, max(n_axes, 1), endpoint=True)
        else:
            state = self.best.copy()
            n_axes = rng.integers(1, min(len(axes), 3), endpoint=True)
            if rng.random() < 0.5:
                # Room for others: one dimension that the grid tells of is let go.
                gone = self._split_axes(state)[0]
                state.relabel(gone, np.zeros(self.n_values[gone], dtype=np.int64))
        self._refine(state, axes[:n_axes])
        return state

    def _refine(self, state, axes):
        """Split the parts of some dimensions, as far as there are observations."""
        room = self.costs.n_observations / state.n_cells
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
        if self.records.numeric[axis]:
            starts = np.flatnonzero(np.diff(label, prepend=-1))
            more = self._quantile_cuts(axis, n_parts - len(starts))
            starts = np.union1d(starts, more)
            return np.searchsorted(starts, np.arange(n_values), side="right")
        n_halves = n_parts // state.shape[axis] + 1
        return label * n_halves + rng.integers(0, n_halves, n_values)

    def _quantile_cuts(self, axis, n_cuts):
        """First values of random intervals, of about equal frequencies."""
        along = np.cumsum(self.costs.totals[axis])
        places = (np.arange(n_cuts) + self.rng.random(n_cuts)) / n_cuts
        cuts = np.searchsorted(along, places * along[-1], side="right")
        return np.unique(np.clip(cuts, 1, len(along) - 1))

    # Moves

    def _split_axes(self, state):
        split = [axis for axis in self.axes if state.shape[axis] > 1]
        return self.rng.permutation(split).astype(np.int64)

    def _settle(self, state):
        """Move values, cut again and merge while the cost falls."""
        for _ in range(_MAX_ROUNDS):
            gain = sum(
                self._look(state, axis) for axis in self.rng.permutation(self.axes)
            )
            gain += merge(state)
            if gain > -_ROUND_GAIN:
                break

    def _look(self, state, axis, *, as_many=False):
        """Improve one dimension, the others held fixed.

        `as_many` intervals as there are, or any number.
        """
        self._check_time()
        n_parts = state.shape[axis]
        if not self.records.numeric[axis]:
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
