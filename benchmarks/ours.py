"""Our searches, timed."""

import time
from functools import partial

from benchmarks.problems import data_grid, id_by_part, two_variables, variable_parts
from benchmarks.runs import Run
from benchmarks.tables import iris, mushroom_like

_NO_END = 10**9
# On a loaded machine, a search ends after so many times its CPU seconds.
_MOST_WALL_PER_CPU = 2


def run_ours(problem, *, seed, seconds):
    """Search for some time.

    Parameters
    ----------
    problem : Problem
    seed : int
    seconds : float
        CPU seconds; the iteration that reaches them is the last one.

    Returns
    -------
    Run
        Of the search alone: the table is in memory, kernels are loaded. Its first
        point is the null model.
    """
    start = time.process_time()

    def stop(iteration, point):
        if time.process_time() - start >= seconds:
            raise KeyboardInterrupt  # searches end on it with their best grid

    trace = problem.search(
        n_iterations=_NO_END,
        seed=seed,
        time_limit=_MOST_WALL_PER_CPU * seconds,
        callback=stop,
    ).trace
    return Run(
        tuple((point.cpu_seconds, point.cost) for point in trace),
        time.process_time() - start,
        is_finished=False,
        seed=seed,
    )


def load_kernels():
    """Compile or load everything that the searches call."""
    table = mushroom_like(400)
    build = partial(id_by_part, bins=10)
    for problem in (
        build(table),
        build(table.iloc[:, :2]),
        two_variables(table.iloc[:, [3, 9]]),
        data_grid(iris()),
        variable_parts(iris()),
    ):
        problem.search(n_iterations=48, seed=99, time_limit=None)
