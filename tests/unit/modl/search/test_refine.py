"""Finer grids than the best one."""

import numpy as np
import pytest
from naive import modl as naive
from support.clocks import Ticks

from coclust_synth.modl.grid import state
from coclust_synth.modl.grid.dendrogram import Dendrogram
from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.search.grid_dendrogram import refine
from coclust_synth.modl.search.two_sides import search_grid

MIN_SIZES = (1, 2, 5, 20)


def blocks(seed, n_rows=120, n_columns=12):
    """Rows of three kinds, each with a few columns of its own, weights 1 to 3."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 3, n_rows)
    own = np.arange(n_columns) % 3 == kinds[:, None]
    counts = rng.poisson(np.where(own, 3.0, 0.4))
    counts[counts.sum(axis=1) == 0, 0] = 1
    counts[0, counts.sum(axis=0) == 0] = 1
    return counts, rng.integers(1, 4, n_rows)


@pytest.fixture(scope="module", params=[0, 1])
def found(request):
    counts, weights = blocks(request.param)
    contingency = Contingency.from_matrix(counts, weights)
    grid = search_grid(contingency, n_iterations=5, seed=0).grid
    return counts, weights, contingency, grid, Dendrogram.from_grid(contingency, grid)


@pytest.mark.parametrize("min_size", MIN_SIZES)
def test_every_cluster_keeps_the_size_asked_for(found, min_size):
    _, weights, contingency, grid, dendrogram = found
    finer = refine(contingency, grid, dendrogram, min_size=min_size)
    sizes = np.bincount(finer.row_labels, weights)
    np.testing.assert_array_equal(sizes, finer.dendrogram.row_sizes)
    assert sizes.min() >= min(min_size, grid.row_sizes.min())
    # Columns are taken apart, and so are rows where nothing holds them together.
    assert len(finer.dendrogram.column_sizes) == contingency.n_values[1]
    if min_size == 1:
        assert len(sizes) == len(weights)


@pytest.mark.parametrize("min_size", MIN_SIZES)
def test_the_dendrogram_leads_through_the_best_grid(found, min_size):
    _, _, contingency, grid, dendrogram = found
    finer = refine(contingency, grid, dendrogram, min_size=min_size)
    labels = Grid.from_labels(contingency, finer.row_labels, finer.column_labels)
    assert sorted(labels.cells.ravel()) == sorted(finer.dendrogram.cells.ravel())
    below = len(finer.dendrogram.merges) - len(dendrogram.merges)
    best = finer.dendrogram.level(below)
    np.testing.assert_array_equal(best.cells, grid.cells)
    np.testing.assert_array_equal(best.row_map[finer.row_labels], grid.row_labels)
    np.testing.assert_allclose(
        finer.dendrogram.costs[below:], dendrogram.costs, rtol=1e-12
    )
    assert finer.dendrogram.best_cost == grid.cost


def test_costs_are_those_of_the_formula(found):
    counts, weights, contingency, grid, dendrogram = found
    finer = refine(contingency, grid, dendrogram, min_size=10)
    for step in range(0, len(finer.dendrogram.costs), 4):
        level = finer.dendrogram.level(step)
        rows, row_labels = naive.expand(
            counts.tolist(), weights.tolist(), level.row_map[finer.row_labels].tolist()
        )
        columns = level.column_map[finer.column_labels].tolist()
        expected = naive.cost(rows, row_labels, columns)
        assert finer.dendrogram.costs[step] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("min_size", [2, 5])
def test_a_coarser_cut_is_as_fine_as_its_size_allows(found, min_size):
    _, _, contingency, grid, dendrogram = found
    finer = refine(contingency, grid, dendrogram, min_size=min_size).dendrogram
    for k in range(1, 40):
        step = finer.step_at(k=k)
        assert finer.level(step).row_sizes.min() >= k
        assert step == 0 or finer.level(step - 1).row_sizes.min() < k


def test_splits_keep_most_of_what_is_there():
    # Four groups of rows that a grid of two clusters of rows lumps together.
    counts = np.kron(np.diag([6, 6, 6, 6]), np.ones((10, 2), dtype=int))
    contingency = Contingency.from_matrix(counts)
    grid = Grid.from_labels(contingency, np.arange(40) // 20, np.arange(8) // 4)
    dendrogram = Dendrogram.from_grid(contingency, grid)
    finer = refine(contingency, grid, dendrogram, min_size=10)
    clusters = finer.row_labels.reshape(4, 10)
    assert (clusters == clusters[:, :1]).all()
    assert len(set(clusters[:, 0].tolist())) == 4


def test_the_same_seed_gives_the_same_grid(found):
    _, _, contingency, grid, dendrogram = found
    first, second = (
        refine(contingency, grid, dendrogram, min_size=3, seed=7) for _ in range(2)
    )
    np.testing.assert_array_equal(first.row_labels, second.row_labels)
    np.testing.assert_array_equal(first.dendrogram.merges, second.dendrogram.merges)


@pytest.mark.slow
@pytest.mark.parametrize("n_looks", [0, 1, 2, 3, 5, 9, 17, 40])
def test_splits_end_with_the_time(found, n_looks):
    counts, weights, contingency, grid, dendrogram = found
    clock = Ticks(n_looks)
    cut = refine(contingency, grid, dendrogram, min_size=5, clock=clock)
    assert clock.cut_short == ["splits"]
    whole = refine(contingency, grid, dendrogram, min_size=5)
    for side in (0, 1):
        n_best, n_cut, n_whole = (
            one.cells.shape[side]
            for one in (dendrogram, cut.dendrogram, whole.dendrogram)
        )
        assert n_best <= n_cut <= n_whole
    assert cut.dendrogram.cells.size < whole.dendrogram.cells.size
    sizes = np.bincount(cut.row_labels, weights)
    assert sizes.min() >= min(5, grid.row_sizes.min())
    # A grid like any other, with the dendrogram of its own.
    found_cost = naive.cost(
        np.repeat(counts, weights, axis=0).tolist(),
        np.repeat(cut.row_labels, weights).tolist(),
        cut.column_labels.tolist(),
    )
    assert cut.cost == pytest.approx(found_cost, rel=1e-12)
    assert cut.dendrogram.costs[-1] == pytest.approx(dendrogram.costs[-1], rel=1e-12)


def test_a_time_that_lasts_changes_nothing(found):
    _, _, contingency, grid, dendrogram = found
    clock = Ticks(10**9)
    one = refine(contingency, grid, dendrogram, min_size=5, clock=clock)
    other = refine(contingency, grid, dendrogram, min_size=5)
    assert clock.cut_short == []
    np.testing.assert_array_equal(one.row_labels, other.row_labels)
    np.testing.assert_array_equal(one.column_labels, other.column_labels)


@pytest.mark.slow
def test_moves_between_many_halves_look_priors_up_once(monkeypatch, rng):
    """What is computed anew for each pair of J clusters takes a time like J^2."""
    counts = np.zeros((600, 300), dtype=np.int64)
    counts[np.arange(600), rng.integers(0, 300, 600)] = 1
    counts[np.arange(300), np.arange(300)] = 1
    contingency = Contingency.from_matrix(counts)
    grid = Grid.null(contingency)
    asked, right = [], state.cell_counts_prior

    def counted(n_observations, n_cells):
        asked.append(np.size(n_cells))
        return right(n_observations, n_cells)

    state._number_priors.cache_clear()
    monkeypatch.setattr(state, "cell_counts_prior", counted)
    finer = refine(
        contingency, grid, Dendrogram.from_grid(contingency, grid), min_size=600
    )
    assert len(finer.dendrogram.column_sizes) == 300
    # A table for each of some ten rounds of splits, of as many entries as clusters.
    assert sum(asked) < 300 * 20
