"""The search for the grid of two sides of least cost.

A small population of grids, each from a descent of its own and improved by a V-cycle
of all its clusters and one of some, then by crossings of two grids, resplits and more
V-cycles (`neighbourhoods`); late in a long search single grids are shaken. An iteration
is one such move from one grid, or two, to another; what it finds takes a place in the
population only where it is of lower cost. Very many rows are searched with some of them
first.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.grid.individuals import cheapest_labels
from coclust_synth.modl.grid.state import CostTables, GridState
from coclust_synth.modl.search.loop import (
    COST_TOLERANCE,
    Budget,
    Plan,
    Search,
    SearchResult,
)
from coclust_synth.modl.search.neighbourhoods import Explorer

# Grids in the population, and iterations in a round.
_N_GRIDS = 4
# V-cycles of each grid before grids are crossed, the first of all its clusters: what
# grids have in common is worth more than what further V-cycles find in one of them.
_N_FIRST_V_CYCLES = 2
# Then this share of the iterations is crossings.
_CROSSING_SHARE = 0.7
# After these grids are shaken: on nine columns of Adult none of 325 crossings of grids
# that were improved for so long was the best grid yet.
_N_CROSSING_ITERATIONS = 128
# Where both sides have few values, each iteration of this number is a new descent.
_SMALL_TABLE_PERIOD = 4
# V-cycles of all clusters after a search of some rows: 4 CPU s each for 140,000 coded
# rows of nine columns. Two of them made a search of some of a million rows better than
# one of all (docs/scale.md); rows of a huge table are settled only.
_N_LAST_V_CYCLES = 2
# So many are looked at: a search of twice as many takes four times as long, see
# docs/scale.md.
_N_ROWS = 200_000
# Of the time of a fit, what the search of some of the rows has.
_TIME_SHARE = 0.8


def search_grid(contingency, **budget):
    """Search the grid of least cost.

    Parameters
    ----------
    contingency : Contingency
    **budget
        What the search may spend: see `Budget`. More than 4 jobs are of use for very
        large tables only.

    Returns
    -------
    SearchResult
        Also after Ctrl-C: the best so far, with ``stopped_by="user"``.
    """
    problem = GridProblem(Explorer, CostTables(contingency))
    return _searched(problem, Grid.null(contingency), Budget(**budget))


def improve_grid(contingency, grid, **budget):
    """Go on from a grid of some rows with all of them, which bear finer clusters.

    Parameters
    ----------
    contingency : Contingency
    grid : Grid
        Of all rows.
    **budget
        What it may spend, see `Budget`; how many moves are made is settled here.

    Returns
    -------
    SearchResult
        Of these moves. Its grid costs no more than the given one.
    """
    problem = _ContinuedProblem(CostTables(contingency), grid)
    n_moves = 1 if problem.is_huge else 1 + _N_LAST_V_CYCLES
    return _searched(problem, grid, Budget(n_iterations=n_moves, **budget))


def _searched(problem, grid, budget):
    """What a search finds that begins with a grid; this if nothing costs less."""
    search = Search(problem, grid.cost, grid.shape)
    stopped_by = search.run(budget)
    found = grid if search.best is None else search.best.to_grid()
    return SearchResult(found, tuple(search.trace), search.n_done, stopped_by)


class GridProblem:
    """Which moves a search of grids of two sides makes; see `Search`.

    Parameters
    ----------
    explorer_type : type
        `Explorer`, or one that has the same moves.
    tables : CostTables

    Attributes
    ----------
    population : list of Found
    """

    def __init__(self, explorer_type, tables):
        self.explorer_type, self.tables = explorer_type, tables
        # Then one grid goes up from few clusters and is settled region by region.
        self.is_huge = explorer_type.is_huge(tables)
        self.n_in_round = 1 if self.is_huge else _N_GRIDS
        self.is_light = not explorer_type.large_sides(tables)
        self.population = []

    def explorer(self, rng, check_time, run):
        """What makes the moves of one iteration.

        One of a huge table uses all workers itself.
        """
        options = {"run": run} if self.is_huge else {}
        return self.explorer_type(self.tables, rng, check_time, **options)

    def plan(self, iteration, explorer, best):
        """The move of one iteration, and the places that what it finds may take.

        The places are members of the population, or none for a place of its own.
        """
        n_grids = len(self.population)
        if self.is_huge:
            if n_grids == 0:
                return Plan(explorer.ascent)
            return Plan(explorer.regions, (self.population[0].state,), [0])
        if iteration <= _N_GRIDS or n_grids == 0:
            return Plan(explorer.descent, (_start(iteration),))
        # Small tables have local optima that no V-cycle leaves, and cheap descents.
        is_small = not explorer.large
        if is_small and iteration % _SMALL_TABLE_PERIOD == 0:
            return Plan(explorer.descent, ("random",), range(n_grids))
        rng, own = explorer.rng, (iteration - 1) % n_grids
        if iteration <= _N_GRIDS * (1 + _N_FIRST_V_CYCLES):
            is_first = iteration <= 2 * _N_GRIDS
            move = partial(explorer.v_cycle, of_all=is_first and not is_small)
            return Plan(move, (self.population[own].state,), [own])
        is_late = iteration > _N_CROSSING_ITERATIONS
        crosses = n_grids > 1 and not is_small and not is_late
        if crosses and rng.random() < _CROSSING_SHARE:
            pair = rng.choice(n_grids, 2, replace=False)
            states = tuple(self.population[i].state for i in pair)
            return Plan(explorer.crossing, states, pair)
        if rng.random() < 0.5:
            own = int(np.argmin([member.cost for member in self.population]))
        if is_late and not is_small:
            return Plan(explorer.shake, (self.population[own].state,), [own])
        move = explorer.resplits if rng.random() < 0.5 else explorer.v_cycle
        return Plan(move, (self.population[own].state,), [own])

    def take(self, found, plan):
        """Give the best of an iteration a place where it is worth one."""
        population = self.population
        if any(abs(found.cost - member.cost) < COST_TOLERANCE for member in population):
            return
        if len(plan.places) == 0:
            population.append(found)
            return
        worst = max(plan.places, key=lambda place: population[place].cost)
        if found.cost < population[worst].cost:
            population[worst] = found


class _ContinuedProblem(GridProblem):
    """The moves of `improve_grid`: one grid is settled, then split and merged again."""

    def __init__(self, tables, grid):
        super().__init__(Explorer, tables)
        self.n_in_round = 1
        self.grid = grid

    def plan(self, iteration, explorer, best):
        """Settle the grid first; the others follow each other."""
        if not self.population:
            labels = [self.grid.row_labels, self.grid.column_labels]
            return Plan(explorer.settle, (GridState(self.tables, labels),))
        split_all = partial(explorer.v_cycle, of_all=True)
        return Plan(split_all, (self.population[0].state,), [0])


def _start(iteration):
    """The kind of start of a descent."""
    if iteration == 1:
        return "values"
    return "frequent" if iteration % 2 == 0 else "random"


def search_rows(rows, max_rows, *, seed, time_limit, n_jobs, **options):
    """Search the best grid of distinct rows, of too many with some of them first.

    All are then put in the cluster where they cost least and counted, and a few moves
    of the search are made with all of them.

    Parameters
    ----------
    rows : DistinctRows
    max_rows : int
        Individuals that a search sees all of.
    seed : int
    time_limit : Clock
    n_jobs : int or None
    **options
        Of `Budget`.

    Returns
    -------
    contingency : Contingency
        Of all rows.
    result : SearchResult
    """
    contingency = Contingency.from_distinct_rows(rows)
    options |= {"seed": seed, "n_jobs": n_jobs}
    if rows.n_individuals <= max_rows:
        return contingency, search_grid(contingency, time_limit=time_limit, **options)
    rng = np.random.default_rng(seed)
    some = Contingency.from_distinct_rows(rows.thinned(min(max_rows, _N_ROWS), rng))
    result = search_grid(some, time_limit=time_limit.first(_TIME_SHARE), **options)
    labels = cheapest_labels(result.grid, rows)
    grid = Grid.from_labels(contingency, labels, result.grid.column_labels)
    if result.stopped_by == "user":
        return contingency, replace(result, grid=grid)
    seed = int(rng.integers(2**63))
    last = improve_grid(
        contingency, grid, seed=seed, time_limit=time_limit, n_jobs=n_jobs
    )
    ended_early = last.stopped_by != "iterations"
    stopped_by = last.stopped_by if ended_early else result.stopped_by
    return contingency, replace(result, grid=last.grid, stopped_by=stopped_by)
