"""The search for the grid of least cost.

A *descent* starts from many clusters and goes down a ladder of coarser ones: moves
until they stop paying, the cheapest merges, moves again; the lowest cost on the way
is kept. A *V-cycle* takes the best grid so far, splits a few of its clusters at
random, and comes down again. The first iterations are descents from random starts,
all others are V-cycles. An iteration that does not lower the cost leaves no trace.

Notes
-----
Moves alone get stuck (Peixoto, "Merge-split Markov chain Monte Carlo for community
detection", 2020); the merges of the ladder are the greedy bottom-up of MODL (Boulle
2011) and the splits its neighbourhood search.
"""

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coclust_synth.modl.grid import Grid
from coclust_synth.modl.state import Costs, State

SIDES = ROWS, COLUMNS = 0, 1

# Default budget: about 10 s on nine variables of UCI Adult, 48,842 rows, on one core.
DEFAULT_ITERATIONS = 128

# A side with at most this many values starts from one cluster a value, and each V-cycle
# takes it back there: its best partition for the other side's is cheap to find anew.
_MAX_FINE_START = 256
# The other sides start from this many random clusters.
_N_RANDOM_CLUSTERS = 48
# Looks at all values of a new start before any merge.
_N_FIRST_SWEEPS = 3
# Each step of a ladder keeps this share of the clusters.
_LADDER_RATIO = 0.85
# A descent ends when its cost is this far above its lowest (nats per observation).
_LADDER_SLACK = 0.01
# A value whose best move would cost less than this is looked at again soon (nats).
_CLOSE_CALL = 1.0
# Moves stop when a round of them gains less than this (nats).
_ROUND_GAIN = 1.0
# Where both sides have few values, each iteration of this number is a new descent.
_SMALL_TABLE_PERIOD = 4
# How many clusters a V-cycle splits: one of these.
_N_SPLITS = (1, 2, 4, 8, 16)


class TracePoint(NamedTuple):
    """The best grid after some time of a search."""

    seconds: float
    cpu_seconds: float
    iteration: int
    cost: float
    n_row_clusters: int
    n_column_clusters: int


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    grid : Grid
        The grid of least cost.
    trace : tuple of TracePoint
        Each improvement, in order.
    n_iterations : int
        Iterations done.
    stopped_by : str
        ``"iterations"``, ``"time"`` or ``"user"``.
    """

    grid: Grid
    trace: tuple[TracePoint, ...]
    n_iterations: int
    stopped_by: str


class _OutOfTime(Exception):
    pass


def search_grid(
    contingency, *, n_iterations, seed=0, time_limit=None, n_starts=2, callback=None
):
    """Search the grid of least cost.

    Parameters
    ----------
    contingency : Contingency
    n_iterations : int, >= 1
        Descents and V-cycles together. For equal `contingency`, `seed` and
        `n_iterations` the result is the same, unless `time_limit` cuts it short.
    seed : int or numpy.random.SeedSequence
    time_limit : float, optional
        Stop after this many seconds, on top of `n_iterations`.
    n_starts : int, >= 1
        How many of the iterations are descents from a random start.
    callback : callable, optional
        Called after each iteration with (iteration, TracePoint of the best so far).

    Returns
    -------
    SearchResult
        Also after Ctrl-C: the best so far, with ``stopped_by="user"``.
    """
    return Search(contingency, seed, time_limit).run(n_iterations, n_starts, callback)


class Search:
    """One search: `search_grid` is its face."""

    def __init__(self, contingency, seed, time_limit):
        self.start = time.perf_counter()
        self.cpu_start = time.process_time()
        self.time_limit = time_limit
        self.rng = np.random.default_rng(seed)
        self.contingency = contingency
        self.n_values = tuple(len(side.size) for side in contingency.sides)
        self.is_large = tuple(n > _MAX_FINE_START for n in self.n_values)
        self.is_small_table = not any(self.is_large)
        self.null = Grid.null(contingency)
        self.best = None
        self.best_cost = self.null.cost
        self.trace = []

    def run(self, n_iterations, n_starts, callback):
        done, stopped_by = self._iterate(n_iterations, n_starts, callback)
        grid = self.null if self.best is None else self.best.to_grid()
        return SearchResult(grid, tuple(self.trace), done, stopped_by)

    def _iterate(self, n_iterations, n_starts, callback):
        """Look for the best state; returns iterations done and what stopped them."""
        stopped_by, done = "iterations", 0
        try:
            self.costs = self._make_costs()
            self._record(0)
            for iteration in range(1, n_iterations + 1):
                if self._starts_anew(iteration, n_starts):
                    states = self._descent(first=iteration == 1)
                else:
                    states = self._v_cycle()
                self._improve(states, iteration)
                done = iteration
                if callback is not None:
                    callback(iteration, self.trace[-1])
                self._check_time()
        except _OutOfTime:
            stopped_by = "time"
        except KeyboardInterrupt:
            stopped_by = "user"
        return done, stopped_by

    def _make_costs(self):
        return Costs(self.contingency)

    def _starts_anew(self, iteration, n_starts):
        """Whether an iteration is a descent.

        Small tables have local optima that no V-cycle leaves, and cheap descents.
        """
        again = self.is_small_table and iteration % _SMALL_TABLE_PERIOD == 0
        return iteration <= n_starts or self.best is None or again

    def _improve(self, states, iteration):
        """Keep a state of an iteration that beats the best."""
        for state, cost in states:
            if cost < self.best_cost - 1e-6:
                self.best, self.best_cost = state.copy(), cost
                self._record(iteration)

    def _record(self, iteration):
        shape = (1, 1) if self.best is None else self.best.shape
        self.trace.append(
            TracePoint(
                time.perf_counter() - self.start,
                time.process_time() - self.cpu_start,
                iteration,
                self.best_cost,
                *shape,
            )
        )

    def _time_left(self):
        """Seconds until the time limit, 0 or less when it is over; None without one."""
        if self.time_limit is None:
            return None
        return self.time_limit - (time.perf_counter() - self.start)

    def _check_time(self):
        left = self._time_left()
        if left is not None and left <= 0.0:
            raise _OutOfTime

    # Descents

    def _descent(self, *, first):
        """Come down from many clusters; yield (state, cost) on the way."""
        state = State(self.costs, [self._start(side, first) for side in SIDES])
        large = [side for side in SIDES if self.is_large[side]]
        for _ in range(_N_FIRST_SWEEPS):
            for side in SIDES:
                self._sweep_all(state, side)
        lowest = np.inf
        while True:
            if large:
                self._refine_small_sides(state)
            for _ in range(_N_FIRST_SWEEPS):
                for side in large:
                    self._sweep_all(state, side)
            self._settle(state, n_rounds=2, n_turns=6)
            coarser = state.copy()
            coarser.merge(to_one_cell=True)
            for candidate in (state, coarser):
                yield candidate, candidate.cost()
            cost = state.cost()
            lowest = min(lowest, cost)
            slack = _LADDER_SLACK * self.contingency.n_observations
            if not large or cost > lowest + slack:
                return
            for side in large:
                j = state.shape[side]
                if j <= 2:
                    return
                state.merge_down(side, max(int(j * _LADDER_RATIO), 2))

    def _start(self, side, first):
        """A partition to come down from: one cluster a value, or random clusters."""
        n = self.n_values[side]
        if self.is_large[side]:
            return self.rng.integers(0, _N_RANDOM_CLUSTERS, n)
        return np.arange(n) if first else self.rng.integers(0, n, n)

    def _refine_small_sides(self, state):
        """Take the sides that are not large back to one cluster a value."""
        for side in SIDES:
            if not self.is_large[side]:
                state.relabel(side, np.arange(self.n_values[side]))

    # V-cycles

    def _v_cycle(self):
        """Split some clusters of the best grid and merge again; yield each step."""
        state = self.best.copy()
        large = [side for side in SIDES if self.is_large[side]]
        side = self.rng.choice(large or SIDES)
        n_before = state.shape[side]
        self._split(state, side, self.rng.choice(_N_SPLITS))
        if large:
            self._refine_small_sides(state)
            self._sweep_all(state, side)
        lowest = np.inf
        while True:
            self._settle(state, n_rounds=1, n_turns=5)
            cost = state.cost()
            yield state, cost
            lowest = min(lowest, cost)
            n_clusters = state.shape[side]
            few = n_clusters < max(_LADDER_RATIO * n_before - 1, 2)
            if few or cost > lowest:
                return
            # Back near the number of clusters it came from, one merge at a time.
            target = n_clusters - 1
            if n_clusters > n_before + 3:
                target = min(target, int(n_clusters * _LADDER_RATIO) + 1)
            state.merge_down(side, target)

    def _split(self, state, side, n_splits):
        """Split up to `n_splits` clusters of one side, each in two random halves."""
        rng = self.rng
        j = state.shape[side]
        labels = state.labels[side].copy()
        jobs = []
        for cluster in rng.permutation(j)[:n_splits]:
            members = rng.permutation(np.flatnonzero(labels == cluster))
            if len(members) >= 2:
                new = j + len(jobs)
                labels[members[: len(members) // 2]] = new
                jobs.append((members, np.array([cluster, new])))
        state.relabel(side, labels)
        margin = np.empty(self.n_values[side])
        for _ in range(4):
            if state.sweep(side, jobs, margin) == 0.0:
                break
        state.drop_empty()

    # Moves

    def _settle(self, state, *, n_rounds, n_turns):
        """Move values and merge clusters while the cost falls.

        Each round looks at all values once, then up to `n_turns` times at the close
        calls alone, and merges.
        """
        for _ in range(n_rounds):
            margins = {}
            gain = 0.0
            for side in SIDES:
                margins[side], change = self._sweep_all(state, side)
                gain += change
            for _ in range(n_turns):
                change = sum(
                    self._sweep_close_calls(state, side, margins[side])
                    for side in SIDES
                )
                gain += change
                if change > -_ROUND_GAIN:
                    break
            gain += state.merge()
            if gain > -5 * _ROUND_GAIN:
                break

    def _sweep_all(self, state, side):
        self._check_time()
        n = self.n_values[side]
        margin = np.empty(n)
        values = self.rng.permutation(n)
        change = state.sweep(side, [(values, np.arange(state.shape[side]))], margin)
        state.drop_empty()
        return margin, change

    def _sweep_close_calls(self, state, side, margin):
        if self.is_large[side]:
            values = self.rng.permutation(np.flatnonzero(margin < _CLOSE_CALL))
        else:
            values = self.rng.permutation(len(margin))
        change = state.sweep(side, [(values, np.arange(state.shape[side]))], margin)
        state.drop_empty()
        return change
