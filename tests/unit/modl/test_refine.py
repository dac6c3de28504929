"""Finer grids than the best one."""

import numpy as np
import pytest
from naive import modl as naive

from coclust_synth.modl.contingency import Contingency
from coclust_synth.modl.grid import Grid
from coclust_synth.modl.hierarchy import Hierarchy
from coclust_synth.modl.refine import refine
from coclust_synth.modl.search import search_grid

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
    return counts, weights, contingency, grid, Hierarchy.from_grid(contingency, grid)


@pytest.mark.parametrize("min_size", MIN_SIZES)
def test_every_cluster_keeps_the_size_asked_for(found, min_size):
    _, weights, contingency, grid, hierarchy = found
    finer = refine(contingency, grid, hierarchy, min_size=min_size)
    sizes = np.bincount(finer.row_labels, weights)
    np.testing.assert_array_equal(sizes, finer.hierarchy.row_sizes)
    assert sizes.min() >= min(min_size, grid.row_sizes.min())
    # Columns are taken apart, and so are rows where nothing holds them together.
    assert len(finer.hierarchy.column_sizes) == contingency.n_values[1]
    if min_size == 1:
        assert len(sizes) == len(weights)


@pytest.mark.parametrize("min_size", MIN_SIZES)
def test_the_hierarchy_leads_through_the_best_grid(found, min_size):
    _, _, contingency, grid, hierarchy = found
    finer = refine(contingency, grid, hierarchy, min_size=min_size)
    labels = Grid.from_labels(contingency, finer.row_labels, finer.column_labels)
    assert sorted(labels.cells.ravel()) == sorted(finer.hierarchy.cells.ravel())
    below = len(finer.hierarchy.merges) - len(hierarchy.merges)
    best = finer.hierarchy.level(below)
    np.testing.assert_array_equal(best.cells, grid.cells)
    np.testing.assert_array_equal(best.row_map[finer.row_labels], grid.row_labels)
    np.testing.assert_allclose(
        finer.hierarchy.costs[below:], hierarchy.costs, rtol=1e-12
    )
    assert finer.hierarchy.best_cost == grid.cost


def test_costs_are_those_of_the_formula(found):
    counts, weights, contingency, grid, hierarchy = found
    finer = refine(contingency, grid, hierarchy, min_size=10)
    for step in range(0, len(finer.hierarchy.costs), 4):
        level = finer.hierarchy.level(step)
        rows, row_labels = naive.expand(
            counts.tolist(), weights.tolist(), level.row_map[finer.row_labels].tolist()
        )
        columns = level.column_map[finer.column_labels].tolist()
        expected = naive.cost(rows, row_labels, columns)
        assert finer.hierarchy.costs[step] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("min_size", [2, 5])
def test_a_coarser_cut_is_as_fine_as_its_size_allows(found, min_size):
    _, _, contingency, grid, hierarchy = found
    finer = refine(contingency, grid, hierarchy, min_size=min_size).hierarchy
    for k in range(1, 40):
        step = finer.step_at(k=k)
        assert finer.level(step).row_sizes.min() >= k
        assert step == 0 or finer.level(step - 1).row_sizes.min() < k


def test_splits_keep_most_of_what_is_there():
    # Four groups of rows that a grid of two clusters of rows lumps together.
    counts = np.kron(np.diag([6, 6, 6, 6]), np.ones((10, 2), dtype=int))
    contingency = Contingency.from_matrix(counts)
    grid = Grid.from_labels(contingency, np.arange(40) // 20, np.arange(8) // 4)
    hierarchy = Hierarchy.from_grid(contingency, grid)
    finer = refine(contingency, grid, hierarchy, min_size=10)
    clusters = finer.row_labels.reshape(4, 10)
    assert (clusters == clusters[:, :1]).all()
    assert len(set(clusters[:, 0].tolist())) == 4


def test_the_same_seed_gives_the_same_grid(found):
    _, _, contingency, grid, hierarchy = found
    first, second = (
        refine(contingency, grid, hierarchy, min_size=3, seed=7) for _ in range(2)
    )
    np.testing.assert_array_equal(first.row_labels, second.row_labels)
    np.testing.assert_array_equal(first.hierarchy.merges, second.hierarchy.merges)
