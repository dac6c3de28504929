"""The search for the parts of variables and the co-clustering of least cost.

Given the clusters of instances, all the rest lives on a small table, values x
instance clusters: values move between parts, ends of intervals between neighbours,
parts between clusters, each by its exact change of cost. Given the parts, the
instances are those of any grid. Both take turns in the moves of `neighbourhoods`. A
descent starts from the best grid of parts that are given: categories, and
some number of intervals of equal frequency. A V-cycle splits clusters of instances
and comes down again, from parts found anew for them.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.modl.grid.state import CostTables
from coclust_synth.modl.learnt.state import PartsCostTables, PartsState
from coclust_synth.modl.search.loop import Budget, Search, SearchResult
from coclust_synth.modl.search.neighbourhoods import ROWS, Explorer
from coclust_synth.modl.search.two_sides import GridProblem
from coclust_synth.tables.rows import DistinctRows, collapse

# Intervals of each numeric variable that a descent starts from: one of these.
_N_INTERVALS = (4, 8, 16)
# How many times a descent goes over everything.
_N_DESCENT_ROUNDS = 4
# Rounds and turns stop when one of them gains less than this (nats).
_TURN_GAIN, _ROUND_GAIN = 1.0, 5.0


@dataclass(frozen=True)
class PartsSearchResult(SearchResult):
    """What a search of parts found; rows of `grid` are distinct rows, columns parts.

    Attributes
    ----------
    part : ndarray of int64, shape (V,)
        Part of each value. Parts are numbered variable after variable, by their first
        value.
    state : PartsState
        The same, to go on from.
    null_cost : float
        Cost of the null model (nats).
    """

    part: np.ndarray
    state: PartsState
    null_cost: float


def search_parts(table, **budget):
    """Search the parts of variables, and their grid with the instances, of least cost.

    Parameters
    ----------
    table : ValueTable
    **budget
        What the search may spend: see `Budget`.

    Returns
    -------
    PartsSearchResult
        The null model, in which each variable is one part, if none is cheaper.
    """
    null = PartsState.null(PartsCostTables(table))
    null_cost = null.cost()
    search = Search(GridProblem(PartsExplorer, null.tables), null_cost, null.shape)
    stopped_by = search.run(Budget(**budget))
    state = search.best or null
    return PartsSearchResult(
        grid=state.to_grid(),
        trace=tuple(search.trace),
        n_iterations=search.n_done,
        stopped_by=stopped_by,
        part=state.part,
        state=state,
        null_cost=null_cost,
    )


class PartsExplorer(Explorer):
    """The moves to other grids, whose parts follow the instance clusters."""

    @staticmethod
    def large_sides(tables):
        """Instances are split and merged; parts follow."""
        return [ROWS]

    @classmethod
    def is_huge(cls, tables):
        """Never: ascents and regions know nothing of parts."""
        return False

    def descent(self, start):
        """Start from the grid of parts that are given.

        Parameters
        ----------
        start : str
            "values" takes 8 intervals of each numeric variable, another some number.
        """
        n_intervals = 8 if start == "values" else int(self.rng.choice(_N_INTERVALS))
        table = self.tables.value_table
        part = equal_frequency_parts(table, n_intervals)
        rows, inverse = coarser_rows(table, part)
        fixed = CostTables(Contingency.from_distinct_rows(rows))
        explorer = Explorer(fixed, self.rng, self.check_time)
        explorer.descent("random")
        explorer.v_cycle(explorer.best)
        row_labels, column_labels = explorer.best.labels
        state = PartsState(self.tables, row_labels[inverse], part, column_labels[part])
        self._keep(state)
        self._settle(state, n_rounds=_N_DESCENT_ROUNDS, n_turns=5)
        self._keep(state)
        state.merge(to_one_cell=True)
        self._keep(state)

    def _refine_small_sides(self, state):
        """Cut the variables anew for the instance clusters of now."""
        state.cut_anew()

    def _settle(self, state, *, n_rounds, n_turns):
        """Move instances, values and parts and merge clusters while the cost falls."""
        for _ in range(n_rounds):
            margin, gain = self._sweep_all(state, ROWS)
            gain += state.sweep_parts(self.rng, 2)
            for _ in range(n_turns):
                change = self._sweep_close_calls(state, ROWS, margin)
                gain += change
                if change > -_TURN_GAIN:
                    break
            gain += state.merge()
            gain += state.sweep_parts(self.rng, 2)
            if gain > -_ROUND_GAIN:
                break


def equal_frequency_parts(table, n_intervals):
    """Part of each value: each category, and intervals of about equal frequency.

    Parameters
    ----------
    table : ValueTable
    n_intervals : int
        Asked for in each numeric variable.

    Returns
    -------
    ndarray of int64, shape (V,)
    """
    present = table.rows.codes >= 0
    weights = np.broadcast_to(table.rows.counts[:, None], present.shape)[present]
    totals = np.bincount(table.rows.codes[present], weights, table.rows.n_parts)
    part = np.arange(table.rows.n_parts)
    for k in np.flatnonzero(table.numeric):
        own = slice(table.first[k], table.first[k + 1])
        middle = np.cumsum(totals[own]) - totals[own] / 2
        interval = middle * n_intervals // totals[own].sum()
        part[own] = table.first[k] + np.unique(interval, return_inverse=True)[1]
    return np.unique(part, return_inverse=True)[1]


def coarser_rows(table, part):
    """Distinct rows of parts, and the position in them of each row of values."""
    first = np.append(np.unique(part[table.first[:-1]]), part.max() + 1)
    codes = table.rows.codes
    local = np.where(codes >= 0, part[codes] - first[:-1], -1)
    rows, inverse = collapse(local, np.diff(first))
    counts = np.bincount(inverse, table.rows.counts).astype(np.int64)
    return DistinctRows(rows.codes, counts, rows.n_parts_per_variable), inverse
