"""The search for a grid of very many rows: with some of them, then with all."""

from dataclasses import replace

import numpy as np

from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.grid.individuals import cheapest_labels
from coclust_synth.modl.search.two_sides import improve_grid, search_grid

# So many are looked at: a search of twice as many takes four times as long, see
# docs/scale.md.
_N_ROWS = 200_000
# Of the time of a fit, what the search of some of the rows has.
_TIME_SHARE = 0.8


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
