from dataclasses import asdict

import numpy as np
import pytest
from naive import modl as naive

from coclust_synth.modl.grid.grid import Contingency, Grid, count_cells

COUNTS = np.array([[1, 0, 2], [0, 1, 0], [5, 0, 0], [0, 1, 2], [1, 1, 1]])


def test_clusters_are_numbered_by_observations_then_by_first_value():
    contingency = Contingency.from_matrix(COUNTS)
    # Row totals 3, 1, 5, 3, 3: clusters of 4, 5, 6 observations; columns 7, 3, 5.
    grid = Grid.from_labels(contingency, np.array([7, 7, 4, 2, 2]), np.array([1, 0, 2]))
    assert grid.row_labels.tolist() == [2, 2, 1, 0, 0]
    assert grid.column_labels.tolist() == [0, 2, 1]
    assert grid.row_sizes.tolist() == [2, 1, 2]
    assert grid.column_sizes.tolist() == [1, 1, 1]
    assert grid.cells.tolist() == [[1, 3, 2], [5, 0, 0], [1, 2, 1]]
    assert grid.shape == (3, 3)


def test_ties_go_to_the_first_value():
    contingency = Contingency.from_matrix(COUNTS)
    # Totals 3 and 3 for rows 0 and 4: the cluster of row 0 comes first.
    grid = Grid.from_labels(contingency, np.array([9, 5, 5, 5, 1]), np.zeros(3, int))
    assert grid.row_labels.tolist() == [1, 0, 0, 0, 2]


def test_names_of_clusters_do_not_matter():
    contingency = Contingency.from_matrix(COUNTS)
    columns = np.array([0, 1, 0])
    one = Grid.from_labels(contingency, np.array([0, 0, 1, 2, 2]), columns)
    two = Grid.from_labels(contingency, np.array([30, 30, 5, 8, 8]), 1 - columns)
    np.testing.assert_array_equal(one.row_labels, two.row_labels)
    np.testing.assert_array_equal(one.column_labels, two.column_labels)
    np.testing.assert_array_equal(one.cells, two.cells)
    assert one.cost == two.cost


@pytest.mark.parametrize("seed", range(5))
def test_a_grid_of_weighted_rows_agrees_with_the_naive_one(seed):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.0, (9, 6))
    weights = rng.integers(1, 4, 9)
    labels = rng.integers(0, 4, 9), rng.integers(0, 3, 6)
    contingency = Contingency.from_matrix(counts, weights)
    grid = Grid.from_labels(contingency, *labels)

    for g in range(grid.shape[0]):
        for h in range(grid.shape[1]):
            block = counts * weights[:, None]
            block = block[grid.row_labels == g][:, grid.column_labels == h]
            assert grid.cells[g, h] == block.sum()
        assert grid.row_sizes[g] == weights[grid.row_labels == g].sum()
    assert (np.diff(grid.cells.sum(axis=1)) <= 0).all()
    assert (np.diff(grid.cells.sum(axis=0)) <= 0).all()
    rows, row_labels = naive.expand(counts.tolist(), weights, labels[0].tolist())
    expected = naive.cost_terms(rows, row_labels, labels[1].tolist())
    assert asdict(grid.terms) == pytest.approx(expected, rel=1e-12)
    assert grid.cost == pytest.approx(sum(expected.values()), rel=1e-12)


def test_null_grid():
    contingency = Contingency.from_matrix(COUNTS)
    grid = Grid.null(contingency)
    assert grid.cells.tolist() == [[15]]
    assert (grid.row_sizes.tolist(), grid.column_sizes.tolist()) == ([5], [3])
    assert set(grid.row_labels) == set(grid.column_labels) == {0}
    assert grid.cost == pytest.approx(naive.null_cost(COUNTS.tolist()), rel=1e-12)


def test_count_cells_keeps_room_for_empty_clusters():
    contingency = Contingency.from_matrix(COUNTS)
    labels = np.array([0, 0, 3, 3, 3]), np.array([1, 1, 1])
    cells = count_cells(contingency, labels, (4, 2))
    assert cells.tolist() == [[0, 4], [0, 0], [0, 0], [0, 11]]
    assert cells.dtype == np.int64
