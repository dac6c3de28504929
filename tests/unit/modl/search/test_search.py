import itertools
import signal
import time

import numpy as np
import pytest
from joblib import parallel_config
from naive import modl as naive

from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.grid.state import CostTables
from coclust_synth.modl.search.loop import DEFAULT_ITERATIONS, Budget, Search
from coclust_synth.modl.search.neighbourhoods import Explorer
from coclust_synth.modl.search.two_sides import GridProblem, search_grid


def planted(seed=0, n_rows=60, n_columns=24, j=3, mean=4.0, contrast=10.0):
    """Counts of a table with `j` x `j` blocks, heavy on the diagonal; its labels."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.arange(n_rows) % j)
    columns = rng.permutation(np.arange(n_columns) % j)
    same = rows[:, None] == columns[None, :]
    return rng.poisson(np.where(same, mean, mean / contrast)), rows, columns


def noisy(seed, shape=(40, 12)):
    return np.random.default_rng(seed).poisson(1.5, shape)


def same_partition(one, two):
    pairs = set(zip(one, two, strict=True))
    return len(pairs) == len(set(one)) == len(set(two))


@pytest.fixture(scope="module")
def table():
    """A table of several levels of blocks, with more rows than start alone (256)."""
    rng = np.random.default_rng(5)
    mean = rng.gamma(0.4, 1.0, (7, 6))[rng.integers(0, 7, 300)][
        :, rng.integers(0, 6, 20)
    ]
    return Contingency.from_matrix(rng.poisson(mean), rng.integers(1, 3, 300))


# What is found


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_grid_is_found(seed):
    counts, rows, columns = planted(seed)
    contingency = Contingency.from_matrix(counts)
    grid = search_grid(contingency, n_iterations=5, seed=seed).grid
    assert same_partition(grid.row_labels, rows)
    assert same_partition(grid.column_labels, columns)
    assert grid.cost == pytest.approx(Grid.from_labels(contingency, rows, columns).cost)


def test_a_planted_grid_of_many_rows_is_found():
    counts, rows, columns = planted(1, n_rows=600, n_columns=30, j=5)
    grid = search_grid(Contingency.from_matrix(counts), n_iterations=10).grid
    assert same_partition(grid.row_labels, rows)
    assert same_partition(grid.column_labels, columns)


@pytest.mark.parametrize("seed", range(5))
def test_independent_variables_give_the_null_grid(seed):
    contingency = Contingency.from_matrix(noisy(seed))
    result = search_grid(contingency, n_iterations=5, seed=seed)
    assert result.grid.shape == (1, 1)
    assert result.grid.cost == Grid.null(contingency).cost
    assert [point.iteration for point in result.trace] == [0]
    assert result.n_iterations == 5


@pytest.mark.parametrize("seed", range(10))
def test_never_above_the_null_cost(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 20, 2)
    counts = rng.poisson(rng.gamma(0.3, 2.0, shape))
    counts[0, 0] += 1
    contingency = Contingency.from_matrix(counts)
    grid = search_grid(contingency, n_iterations=4, seed=seed).grid
    assert grid.cost <= Grid.null(contingency).cost
    expected = naive.cost(
        counts.tolist(), grid.row_labels.tolist(), grid.column_labels.tolist()
    )
    assert grid.cost == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "counts", [[[7]], [[1, 2, 3]], [[1], [5]], np.eye(2, dtype=int)]
)
def test_tables_too_small_for_a_grid(counts):
    result = search_grid(Contingency.from_matrix(counts), n_iterations=3)
    assert result.grid.shape == (1, 1)


def test_the_cost_found_for_weighted_rows_is_that_of_repeated_rows():
    counts, _, _ = planted(3, n_rows=12)
    weights = np.random.default_rng(3).integers(1, 6, 12)
    contingency = Contingency.from_matrix(counts, weights)
    grid = search_grid(contingency, n_iterations=5).grid
    assert grid.shape > (1, 1)
    rows, row_labels = naive.expand(counts.tolist(), weights, grid.row_labels.tolist())
    expected = naive.cost(rows, row_labels, grid.column_labels.tolist())
    assert grid.cost == pytest.approx(expected, rel=1e-12)


# How it is found


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7, np.random.SeedSequence(12)])
def test_equal_seeds_give_equal_grids(table, seed):
    one = search_grid(table, n_iterations=12, seed=seed)
    two = search_grid(table, n_iterations=12, seed=seed)
    np.testing.assert_array_equal(one.grid.row_labels, two.grid.row_labels)
    np.testing.assert_array_equal(one.grid.column_labels, two.grid.column_labels)
    assert one.grid.cost == two.grid.cost
    costs = [[(p.iteration, p.cost) for p in r.trace] for r in (one, two)]
    assert costs[0] == costs[1]


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_in_the_middle_of_a_round_keeps_what_was_found(
    table, n_jobs, monkeypatch
):
    settle, calls = Explorer._settle, itertools.count(1)

    def interrupted(self, *args, **options):
        call = next(calls)
        if call > 3:
            time.sleep(0.5)  # the thread that hears of it has its turn before
        settle(self, *args, **options)
        if call == 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Explorer, "_settle", interrupted)
    # A job in the background begins with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = search_grid(table, n_iterations=1000, n_jobs=n_jobs)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.stopped_by == "user"
    assert result.n_iterations < 4
    assert result.grid.cost < Grid.null(table).cost


@pytest.mark.slow
def test_a_table_of_large_counts_is_settled_by_regions():
    rng = np.random.default_rng(2)
    rows, columns = rng.integers(0, 12, 400), rng.integers(0, 6, 20)
    means = rng.gamma(0.7, 400.0, (12, 6))[rows][:, columns]
    contingency = Contingency.from_matrix(rng.poisson(means))
    grids = [
        search_grid(contingency, n_iterations=4, seed=1, n_jobs=n).grid for n in (1, 2)
    ]
    assert same_partition(grids[0].row_labels, rows)
    assert same_partition(grids[0].column_labels, columns)
    np.testing.assert_array_equal(grids[0].row_labels, grids[1].row_labels)


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [2, 4])
def test_any_number_of_threads_finds_the_same(table, n_jobs):
    one = search_grid(table, n_iterations=60, seed=4)
    many = search_grid(table, n_iterations=60, seed=4, n_jobs=n_jobs)
    np.testing.assert_array_equal(one.grid.row_labels, many.grid.row_labels)
    np.testing.assert_array_equal(one.grid.column_labels, many.grid.column_labels)
    costs = [[(p.iteration, p.cost) for p in r.trace] for r in (one, many)]
    assert costs[0] == costs[1]


@pytest.mark.slow
def test_processes_find_what_threads_find(table):
    threads = search_grid(table, n_iterations=10, seed=4, n_jobs=2)
    with parallel_config(backend="loky"):
        processes = search_grid(table, n_iterations=10, seed=4, n_jobs=2)
    assert threads.grid.cost == processes.grid.cost
    np.testing.assert_array_equal(threads.grid.row_labels, processes.grid.row_labels)


@pytest.mark.parametrize("n_rows, ways", [(300, {"shake"}), (40, None)])
def test_after_the_default_budget_grids_of_a_large_side_are_shaken(n_rows, ways):
    contingency = Contingency.from_matrix(noisy(3, (n_rows, 12)))
    problem = GridProblem(Explorer, CostTables(contingency))
    search = Search(problem, Grid.null(contingency).cost, (1, 1))
    search.run(Budget(n_iterations=4))

    def planned(iterations):
        explorers = [
            problem.explorer(np.random.default_rng(i), lambda: None, None)
            for i in iterations
        ]
        plans = map(problem.plan, iterations, explorers, [search.best] * 60)
        return {plan.move.__name__ for plan in plans}

    early = range(DEFAULT_ITERATIONS - 50, DEFAULT_ITERATIONS + 1)
    late = range(DEFAULT_ITERATIONS + 1, DEFAULT_ITERATIONS + 51)
    assert "shake" not in planned(early)
    assert planned(late) == (ways or planned(early))
