"""The search for the grid of least cost.

A small population of grids, each from a descent of its own and improved by V-cycles,
then by crossings of two of them, resplits and more V-cycles (`neighbourhoods`). An
*iteration* is one such way from one grid, or two, to another; it takes a place in the
population only where it is of lower cost. Iterations are done in rounds; those of one
round start from the same population, so that they can run in parallel, and each has
random numbers of its own: the result does not depend on the number of workers.
"""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from coclust_synth.modl.grid.grid import Grid
from coclust_synth.modl.grid.state import CostTables, GridState
from coclust_synth.modl.search.clock import Clock, OutOfTime
from coclust_synth.modl.search.neighbourhoods import Explorer
from coclust_synth.modl.search.result import SearchResult, TracePoint

# Default budget: about 17 s on nine variables of UCI Adult, 48,842 rows, on one core.
DEFAULT_ITERATIONS = 128

# Grids in the population, and iterations in a round.
_N_GRIDS = 4
# V-cycles of each grid before grids are crossed.
_N_FIRST_V_CYCLES = 8
# Then this share of the iterations is crossings.
_CROSSING_SHARE = 0.6
# Where both sides have few values, each iteration of this number is a new descent.
_SMALL_TABLE_PERIOD = 4


def search_grid(
    contingency, *, n_iterations, seed=0, time_limit=None, n_jobs=None, callback=None
):
    """Search the grid of least cost.

    Parameters
    ----------
    contingency : Contingency
    n_iterations : int, >= 1
        For equal `contingency`, `seed` and `n_iterations` the result is the same,
        unless `time_limit` cuts it short.
    seed : int or numpy.random.SeedSequence
    time_limit : float or Clock, optional
        Stop after this many seconds, on top of `n_iterations`, but not before the end
        of the first iteration: there is always the grid of one descent. A clock is
        that of a fit that the search is a part of.
    n_jobs : int, optional
        Iterations that run at a time, joblib's `n_jobs`: threads, unless
        `joblib.parallel_config` says otherwise. More than 4 are of use for very large
        tables only.
    callback : callable, optional
        Called after each iteration with (iteration, TracePoint of the best so far).

    Returns
    -------
    SearchResult
        Also after Ctrl-C: the best so far, with ``stopped_by="user"``.
    """
    null = Grid.null(contingency)
    clock = Clock.of(time_limit)
    search = Search(Explorer, CostTables(contingency), null.cost, seed, clock)
    stopped_by = search.run(n_iterations, n_jobs, callback)
    return SearchResult(
        null if search.best is None else search.best.to_grid(),
        tuple(search.trace),
        search.n_done,
        stopped_by,
    )


class _Found(NamedTuple):
    """The best grid of one iteration, done or cut short."""

    state: GridState | None
    cost: float
    seconds: tuple[float, float]
    is_done: bool


class Search:
    """One search; `search_grid` is its face.

    Parameters
    ----------
    explorer : type
        Made with (costs, rng, check_time); has the ways of `Explorer`.
    costs : CostTables
    null_cost : float
        Cost to beat (nats).
    seed : int or numpy.random.SeedSequence
    clock : Clock

    Attributes
    ----------
    best : GridState or None
        The best state, if there is any of lower cost than the null model.
    trace : list of TracePoint
    n_done : int
        Iterations done.
    """

    def __init__(self, explorer, costs, null_cost, seed, clock):
        self.explorer, self.costs, self.clock = explorer, costs, clock
        self.entropy = int(np.random.default_rng(seed).integers(2**63))
        self.best, self.best_cost = None, null_cost
        # Then one grid goes up from few clusters and is settled region by region.
        self.is_huge = explorer.is_huge(costs)
        self.n_in_round = 1 if self.is_huge else _N_GRIDS
        self.population = []
        self.trace = []
        self.n_done = 0
        self._record(0, clock.read())

    def run(self, n_iterations, n_jobs, callback):
        """Do the iterations; returns what stopped them."""
        try:
            with (
                self.clock.stopped_by_ctrl_c(),
                Parallel(n_jobs=n_jobs, prefer="threads") as parallel,
            ):
                while self.n_done < n_iterations and not self._is_over():
                    first = self.n_done + 1
                    last = min(self.n_done + self.n_in_round, n_iterations)
                    self._round(range(first, last + 1), parallel, callback)
        except KeyboardInterrupt:
            self.clock.is_stopped = True
        if self.clock.is_stopped:
            return "user"
        if self.n_done < n_iterations and self.clock.ends("search"):
            return "time"
        return "iterations"

    def _is_over(self):
        """Whether to stop; for the first iteration there is always time."""
        return self.clock.is_stopped or (self.n_done > 0 and self.clock.is_over())

    def _round(self, iterations, parallel, callback):
        rngs = [self._rng(iteration) for iteration in iterations]
        plans = [
            self._plan(iteration, rng)
            for iteration, rng in zip(iterations, rngs, strict=True)
        ]
        jobs = [
            (self.explorer, self.costs, rng, self.clock, iteration, way, args)
            for iteration, rng, (way, args, _) in zip(
                iterations, rngs, plans, strict=True
            )
        ]
        if self.is_huge:
            # One iteration at a time, which uses all workers itself.
            results = [_explore(*job, run=parallel) for job in jobs]
        else:
            results = parallel(delayed(_explore)(*job) for job in jobs)
        for iteration, found, (*_, places) in zip(
            iterations, results, plans, strict=True
        ):
            if found.state is not None:
                self._settle_in(found, places)
                if found.cost < self.best_cost - 1e-6:
                    self.best, self.best_cost = found.state, found.cost
                    self._record(iteration, found.seconds)
            if found.is_done:
                self.n_done = iteration
                if callback is not None:
                    callback(iteration, self.trace[-1])

    def _rng(self, iteration):
        """The random numbers of one iteration."""
        return np.random.default_rng((self.entropy, iteration))

    def _plan(self, iteration, rng):
        """The way of one iteration, its arguments, and the places it may take.

        The places are members of the population, or none for a place of its own.
        """
        n_grids = len(self.population)
        if self.is_huge:
            if n_grids == 0:
                return "ascent", (), []
            return "regions", (self.population[0].state,), [0]
        if iteration <= _N_GRIDS or n_grids == 0:
            return "descent", (self._start(iteration),), []
        if self._is_small() and iteration % _SMALL_TABLE_PERIOD == 0:
            return "descent", ("random",), range(n_grids)
        own = (iteration - 1) % n_grids
        if iteration <= _N_GRIDS * (1 + _N_FIRST_V_CYCLES):
            return "v_cycle", (self.population[own].state,), [own]
        crosses = n_grids > 1 and not self._is_small()
        if crosses and rng.random() < _CROSSING_SHARE:
            pair = rng.choice(n_grids, 2, replace=False)
            return "crossing", tuple(self.population[i].state for i in pair), pair
        if rng.random() < 0.5:
            own = int(np.argmin([member.cost for member in self.population]))
        way = "resplits" if rng.random() < 0.5 else "v_cycle"
        return way, (self.population[own].state,), [own]

    def _is_small(self):
        """Whether both sides have few values.

        Small tables have local optima that no V-cycle leaves, and cheap descents.
        """
        return not self.explorer.large_sides(self.costs)

    def _start(self, iteration):
        """The kind of start of a descent."""
        if iteration == 1:
            return "values"
        return "frequent" if iteration % 2 == 0 else "random"

    def _settle_in(self, found, places):
        """Give the best of an iteration a place where it is worth one."""
        population = self.population
        if any(abs(found.cost - member.cost) < 1e-6 for member in population):
            return
        if len(places) == 0:
            population.append(found)
            return
        worst = max(places, key=lambda place: population[place].cost)
        if found.cost < population[worst].cost:
            population[worst] = found

    def _record(self, iteration, seconds):
        shape = (1, 1) if self.best is None else self.best.shape
        self.trace.append(TracePoint(*seconds, iteration, self.best_cost, shape))


def _explore(explorer, costs, rng, clock, iteration, way, args, **options):
    """One iteration."""
    check_time = clock.check_stopped if iteration == 1 else clock.check
    explorer = explorer(costs, rng, check_time, **options)
    try:
        getattr(explorer, way)(*args)
        is_done = True
    except OutOfTime:
        is_done = False
    return _Found(explorer.best, explorer.best_cost, clock.read(), is_done)
