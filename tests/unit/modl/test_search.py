import time
from itertools import pairwise

import numpy as np
import pytest
from naive import modl as naive

from coclust_synth.modl.contingency import Contingency
from coclust_synth.modl.grid import Grid
from coclust_synth.modl.search import search_grid


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


@pytest.mark.parametrize("seed", [0, 7, np.random.SeedSequence(12)])
def test_equal_seeds_give_equal_grids(table, seed):
    one = search_grid(table, n_iterations=12, seed=seed)
    two = search_grid(table, n_iterations=12, seed=seed)
    np.testing.assert_array_equal(one.grid.row_labels, two.grid.row_labels)
    np.testing.assert_array_equal(one.grid.column_labels, two.grid.column_labels)
    assert one.grid.cost == two.grid.cost
    costs = [[(p.iteration, p.cost) for p in r.trace] for r in (one, two)]
    assert costs[0] == costs[1]


def test_more_iterations_are_never_worse(table):
    results = [search_grid(table, n_iterations=n, seed=3) for n in (1, 2, 5, 15)]
    for shorter, longer in pairwise(results):
        assert longer.grid.cost <= shorter.grid.cost
        # The shorter search is the beginning of the longer one.
        points = [(p.iteration, p.cost) for p in longer.trace]
        assert points[: len(shorter.trace)] == [
            (p.iteration, p.cost) for p in shorter.trace
        ]


def test_trace(table):
    seen = []
    result = search_grid(
        table, n_iterations=15, seed=1, callback=lambda *args: seen.append(args)
    )
    trace = result.trace
    assert (result.n_iterations, result.stopped_by) == (15, "iterations")
    for before, after in pairwise(trace):
        assert after.cost < before.cost
        assert after.seconds >= before.seconds
        assert after.cpu_seconds >= before.cpu_seconds
        assert after.iteration >= before.iteration
    null = Grid.null(table)
    assert (trace[0].iteration, trace[0].cost) == (0, null.cost)
    assert trace[0].shape == (1, 1)
    assert trace[-1].cost == pytest.approx(result.grid.cost, rel=1e-13)
    assert trace[-1].shape == result.grid.shape
    assert len(trace) > 2

    assert [iteration for iteration, _ in seen] == list(range(1, 16))
    for iteration, point in seen:
        assert point == [p for p in trace if p.iteration <= iteration][-1]


# How it is stopped


def test_time_limit_stops_the_search(table):
    search_grid(table, n_iterations=3)  # compiled, if it was not
    start = time.perf_counter()
    result = search_grid(table, n_iterations=10**9, time_limit=0.3)
    assert time.perf_counter() - start < 5.0
    assert result.stopped_by == "time"
    assert result.n_iterations < 10**9
    assert result.grid.cost <= Grid.null(table).cost
    assert result.trace[-1].cost == pytest.approx(result.grid.cost, rel=1e-13)


def test_no_time_gives_the_null_grid(table):
    result = search_grid(table, n_iterations=5, time_limit=0.0)
    assert (result.stopped_by, result.n_iterations) == ("time", 0)
    assert result.grid.shape == (1, 1)


def test_an_ample_time_limit_changes_nothing(table):
    limited = search_grid(table, n_iterations=4, time_limit=1e6)
    free = search_grid(table, n_iterations=4)
    assert limited.stopped_by == "iterations"
    np.testing.assert_array_equal(limited.grid.row_labels, free.grid.row_labels)


def test_ctrl_c_gives_the_best_so_far(table):
    def interrupt(iteration, best):
        if iteration == 4:
            raise KeyboardInterrupt

    result = search_grid(table, n_iterations=1000, seed=2, callback=interrupt)
    complete = search_grid(table, n_iterations=4, seed=2)
    assert (result.stopped_by, result.n_iterations) == ("user", 4)
    assert result.grid.cost == complete.grid.cost < Grid.null(table).cost
    np.testing.assert_array_equal(result.grid.row_labels, complete.grid.row_labels)


def test_other_errors_of_the_callback_are_not_hidden(table):
    def fail(iteration, best):
        raise RuntimeError("no room for the report")

    with pytest.raises(RuntimeError, match="no room for the report"):
        search_grid(table, n_iterations=2, callback=fail)
