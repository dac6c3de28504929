import numpy as np
import pytest
from scipy import sparse

from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.grid.state import CostTables, GridState
from coclust_synth.modl.search import neighbourhoods
from coclust_synth.modl.search.neighbourhoods import Explorer


def blocks(seed, n_rows, n_columns, j=5, mean=1.0):
    """Counts of a table with random blocks, and the cluster of each row and column."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(0, j, n_rows), rng.integers(0, j, n_columns)
    means = rng.gamma(0.4, mean, (j, j))[rows][:, columns]
    counts = rng.poisson(means)
    counts[0, 0] += 1
    return counts, rows, columns


def explorer(costs, seed=0):
    return Explorer(costs, np.random.default_rng(seed), lambda: None)


CASES = {
    "both sides small": (40, 30),
    "rows large": (400, 20),
    "both sides large": (300, 280),
}


@pytest.fixture(params=CASES)
def case(request):
    counts, rows, columns = blocks(1, *CASES[request.param])
    return CostTables(Contingency.from_matrix(counts)), rows, columns


@pytest.mark.parametrize("start", ["values", "random", "frequent"])
def test_a_descent_ends_near_the_planted_grid(case, start):
    costs, rows, columns = case
    planted = GridState(costs, [rows, columns]).cost()
    one = GridState(costs, [np.zeros(len(rows), int), np.zeros(len(columns), int)])
    way = explorer(costs)
    way.descent(start)
    assert way.best_cost == way.best.cost()
    assert way.best_cost - planted < 0.15 * (one.cost() - planted)


def test_an_ascent_ends_near_the_planted_grid(case):
    costs, rows, columns = case
    planted = GridState(costs, [rows, columns]).cost()
    one = GridState(costs, [np.zeros(len(rows), int), np.zeros(len(columns), int)])
    way = explorer(costs)
    way.ascent()
    assert way.best_cost == way.best.cost()
    assert way.best_cost - planted < 0.15 * (one.cost() - planted)


def test_an_ascent_of_some_rows_ends_near_that_of_all(monkeypatch):
    counts, rows, columns = blocks(1, 900, 20)
    costs = CostTables(Contingency.from_matrix(counts))
    planted = GridState(costs, [rows, columns]).cost()
    one = Grid.null(costs.contingency).cost
    monkeypatch.setattr(neighbourhoods, "_N_ASCENDING", 300)
    looked_at = []

    class Some(Explorer):
        def _ascent_of_some(self):
            labels = super()._ascent_of_some()
            looked_at.append(GridState(costs, labels).cost())
            return labels

    way = Some(costs, np.random.default_rng(0), lambda: None)
    way.ascent()
    assert way.best_cost == way.best.cost() <= looked_at[0]
    # The other rows are not left where they came by chance.
    assert looked_at[0] - planted < 0.3 * (one - planted)
    assert way.best_cost - planted < 0.15 * (one - planted)


@pytest.mark.parametrize("way", ["v_cycle", "resplits", "shake", "crossing", "regions"])
def test_ways_from_a_grid_leave_it_as_it_is(case, way, rng):
    costs, rows, columns = case
    state = GridState(
        costs, [rng.integers(0, 6, len(rows)), rng.integers(0, 6, len(columns))]
    )
    other = GridState(costs, [rows, columns])
    labels = [label.copy() for label in state.labels]
    search = explorer(costs)
    getattr(search, way)(*([state, other] if way == "crossing" else [state]))
    for before, after in zip(labels, state.labels, strict=True):
        np.testing.assert_array_equal(before, after)
    assert search.best_cost == search.best.cost()
    assert search.best_cost < state.cost()


@pytest.mark.parametrize("large, n_v_cycles", [([0], 4), ([0, 1], 1)])
def test_a_shake_resplits_the_best_of_its_v_cycles(case, large, n_v_cycles):
    costs, rows, columns = case
    state = GridState(costs, [rows, columns])
    started, lowest, resplit = [], [], []

    class Watched(Explorer):
        def v_cycle(self, grid, *, of_all=False):
            started.append(grid)
            super().v_cycle(grid, of_all=of_all)
            lowest.append(self.best_cost)

        def resplits(self, grid):
            resplit.append(grid.cost())

    watched = Watched(costs, np.random.default_rng(3), lambda: None)
    watched.large = large
    watched.shake(state)
    assert len(started) == n_v_cycles
    assert all(grid is state for grid in started)
    assert resplit == [lowest[-1]] * 3


def test_a_way_ends_where_the_time_does_and_keeps_what_it_found(case):
    costs, *_ = case

    class Over(Exception):
        pass

    calls = []

    def check():
        calls.append(None)
        if len(calls) > 40:
            raise Over

    search = Explorer(costs, np.random.default_rng(0), check)
    with pytest.raises(Over):
        for _ in range(100):
            search.descent("random")
    assert search.best is not None


def heavy_tailed(seed, n_observations, n_values, j):
    """Observations of j x j planted clusters; most values are seen once or twice."""
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, j, (2, n_values))
    weights = rng.pareto(1.2, (2, n_values)) + 1.0
    density = rng.gamma(0.3, 1.0, (j, j)).ravel()
    cells = rng.choice(j * j, n_observations, p=density / density.sum())
    pairs = []
    for side, cell in enumerate(divmod(cells, j)):
        values = np.empty(n_observations, dtype=int)
        for k in range(j):
            members = np.flatnonzero(clusters[side] == k)
            share = weights[side][members] / weights[side][members].sum()
            values[cell == k] = rng.choice(members, (cell == k).sum(), p=share)
        pairs.append(np.unique(values, return_inverse=True)[1])
    return sparse.coo_array((np.ones(n_observations, dtype=int), tuple(pairs)))


def test_frequent_values_start_where_random_clusters_find_nothing():
    contingency = Contingency.from_matrix(heavy_tailed(0, 8000, 3000, 5))
    costs, null = CostTables(contingency), Grid.null(contingency).cost
    found = {}
    for start in ("random", "frequent"):
        search = explorer(costs)
        search.descent(start)
        found[start] = search.best_cost
    assert found["random"] > null - 1.0
    assert found["frequent"] < null - 500.0
