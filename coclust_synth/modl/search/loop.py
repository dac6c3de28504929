"""The loop that every search runs: budget, rounds of iterations, trace, Ctrl-C.

What is searched is a *problem*: it says which move an iteration makes, from what was
found before, and has explorers that make it. Iterations are done in rounds; those of
one round are planned before any of them is done, so that they can run in parallel, and
each has random numbers of its own. The result does not depend on the number of workers:
either the size of rounds does not, or each iteration is to start from the best of all
those before, and what was planned before a better one came is planned anew.
"""

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from coclust_synth.modl.search.clock import Clock, OutOfTime

# Default budget: about 17 s on nine variables of UCI Adult, 48,842 rows, on one core.
DEFAULT_ITERATIONS = 128
# A cost that is lower by less than this is the same cost (nats).
COST_TOLERANCE = 1e-6


class TracePoint(NamedTuple):
    """The best grid after some time of a search.

    Attributes
    ----------
    seconds, cpu_seconds : float
        Since the start.
    iteration : int
    cost : float
        Nats.
    shape : tuple of int
        Numbers of parts, a dimension each.
    """

    seconds: float
    cpu_seconds: float
    iteration: int
    cost: float
    shape: tuple[int, ...]


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    grid : Grid or DataGrid
        The grid of least cost.
    trace : tuple of TracePoint
        Each improvement, in order.
    n_iterations : int
        Iterations done.
    stopped_by : str
        ``"iterations"``, ``"time"`` or ``"user"``.
    """

    grid: Any
    trace: tuple[TracePoint, ...]
    n_iterations: int
    stopped_by: str


class Budget(NamedTuple):
    """What a search may spend.

    Attributes
    ----------
    n_iterations : int, default=128
        At least 1.
    seed : int or numpy.random.SeedSequence
        With `n_iterations` it decides what is found, unless `time_limit` is reached.
    time_limit : float or Clock, optional
        Stop after this many seconds, on top of `n_iterations`, but not before the end
        of the first iteration. A clock is that of a fit that the search is a part of.
    n_jobs : int, optional
        Iterations that run at a time, joblib's `n_jobs`: threads, unless
        `joblib.parallel_config` says otherwise. Those of a light problem run in turn.
    callback : callable, optional
        Called after each iteration with (iteration, TracePoint of the best so far).
    """

    n_iterations: int = DEFAULT_ITERATIONS
    seed: int | np.random.SeedSequence = 0
    time_limit: float | Clock | None = None
    n_jobs: int | None = None
    callback: Callable | None = None


class Plan(NamedTuple):
    """What one iteration is to do.

    Attributes
    ----------
    move : callable
        A move of the iteration's explorer.
    start : tuple
        What it is called with: the states that it starts from, or the kind of start.
    places : sequence of int
        Places of the problem's population that what is found may take.
    """

    move: Callable
    start: tuple = ()
    places: Sequence[int] = ()


class Found(NamedTuple):
    """The best state of one iteration, done or cut short; None if there is none."""

    state: Any
    cost: float
    seconds: tuple[float, float]
    is_done: bool


class Search:
    """One search of a problem.

    Parameters
    ----------
    problem : object
        ``n_in_round`` : iterations planned at a time; None if each one is to be planned
        from the best of all before. ``is_light`` : whether iterations take so few
        milliseconds that workers cost more than they save. ``explorer(rng, check_time,
        run)`` : what makes the moves of one iteration and keeps the ``best`` state and
        ``best_cost`` met; ``check_time`` is to be called often and ends the move, and
        ``run`` does a list of calls. ``plan(iteration, explorer, best)`` : its
        `Plan`. ``take(found, plan)`` : told of what was found, in order.
    null_cost : float
        Cost to beat (nats).
    null_shape : tuple of int
        Numbers of parts of the null grid.

    Attributes
    ----------
    best : object or None
        The best state, if there is any of lower cost than the null model.
    best_cost : float
    trace : list of TracePoint
    n_done : int
        Iterations done.
    """

    def __init__(self, problem, null_cost, null_shape):
        self.problem = problem
        self.best, self.best_cost = None, null_cost
        self.null_shape = null_shape
        self.trace = []
        self.n_done = 0

    def run(self, budget):
        """Do the iterations; returns what stopped them.

        Also after Ctrl-C, with the best so far.
        """
        clock = Clock.of(budget.time_limit)
        entropy = int(np.random.default_rng(budget.seed).integers(2**63))
        self._record(0, clock.read())
        try:
            with (
                clock.stopped_by_ctrl_c(),
                _workers(budget.n_jobs, self.problem.is_light) as (run, n_workers),
            ):
                n_in_round = self.problem.n_in_round or n_workers
                while self.n_done < budget.n_iterations and not self._is_over(clock):
                    first = self.n_done + 1
                    n = min(n_in_round, budget.n_iterations - self.n_done)
                    rngs = {
                        iteration: np.random.default_rng((entropy, iteration))
                        for iteration in range(first, first + n)
                    }
                    self._round(rngs, clock, run, budget.callback)
        except KeyboardInterrupt:
            clock.is_stopped = True
        if clock.is_stopped:
            return "user"
        if self.n_done < budget.n_iterations and clock.ends("search"):
            return "time"
        return "iterations"

    def _is_over(self, clock):
        """Whether to stop; for the first iteration there is always time."""
        return clock.is_stopped or (self.n_done > 0 and clock.is_over())

    def _round(self, rngs, clock, run, callback):
        """Do the iterations that `rngs` has random numbers for."""
        jobs = []
        for iteration, rng in rngs.items():
            check_time = clock.check_stopped if iteration == 1 else clock.check
            explorer = self.problem.explorer(rng, check_time, run)
            plan = self.problem.plan(iteration, explorer, self.best)
            jobs.append((explorer, plan, clock))
        if len(jobs) == 1:
            # By itself, as it may ask the workers for calls of its own.
            results = [_explore(*jobs[0])]
        else:
            results = run(partial(_explore, *job) for job in jobs)
        for iteration, found, (_, plan, _) in zip(rngs, results, jobs, strict=True):
            before = self.best
            if found.state is not None:
                self.problem.take(found, plan)
                if found.cost < self.best_cost - COST_TOLERANCE:
                    self.best, self.best_cost = found.state, found.cost
                    self._record(iteration, found.seconds)
            if found.is_done:
                self.n_done = iteration
                if callback is not None:
                    callback(iteration, self.trace[-1])
            if self.problem.n_in_round is None and self.best is not before:
                return

    def _record(self, iteration, seconds):
        shape = self.null_shape if self.best is None else self.best.shape
        self.trace.append(TracePoint(*seconds, iteration, self.best_cost, shape))


def in_turn(calls):
    """Do calls without arguments, one after the other."""
    return [call() for call in calls]


@contextmanager
def _workers(n_jobs, is_light):
    """What does calls like `in_turn`, and how many of them at a time."""
    if is_light:
        yield in_turn, 1
        return
    # Takes longer to import than a small table to search.
    from joblib import Parallel, delayed, effective_n_jobs

    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        yield (
            lambda calls: parallel(delayed(call)() for call in calls),
            effective_n_jobs(n_jobs),
        )


def _explore(explorer, plan, clock):
    """One iteration."""
    try:
        plan.move(*plan.start)
        is_done = True
    except OutOfTime:
        is_done = False
    return Found(explorer.best, explorer.best_cost, clock.read(), is_done)
