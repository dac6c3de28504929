"""The cluster where a new individual costs least."""

import numpy as np
import pytest
from naive import modl as naive

from coclust_synth.modl.grid import individuals
from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.grid.individuals import cheapest_clusters, insertion_costs


def grid_with_a_catch_all():
    """A grid of 3 x 3 clusters whose row partition pays for a catch-all."""
    counts = np.zeros((40, 6), dtype=np.int64)
    counts[:2, :2] = 9
    counts[2:4, 2:4] = 9
    counts[4:, 4:] = 1
    labels = np.minimum(np.arange(40) // 2, 2), np.arange(6) // 2
    return counts, labels, Grid.from_labels(Contingency.from_matrix(counts), *labels)


def test_the_catch_all_is_part_of_the_cost():
    counts, labels, grid = grid_with_a_catch_all()
    sizes = grid.row_sizes.tolist()
    assert naive.catch_all_partition_prior(41, 3, 37) < (
        naive.plain_partition_prior(41, 3)
    )
    clusters = grid.column_labels[[[0, 2, 4, 4]]]
    costs = insertion_costs(grid.cells, grid.row_sizes, clusters)[0]
    row = np.bincount([0, 2, 4, 4], minlength=6)
    expected = [
        naive.insertion_cost(
            counts.tolist(), (grid.row_labels.tolist(), labels[1]), row, cluster
        )
        for cluster in range(len(sizes))
    ]
    assert costs - costs[0] == pytest.approx(np.subtract(expected, expected[0]))


def test_rows_go_where_rows_of_their_kind_are():
    _, _, grid = grid_with_a_catch_all()
    columns = np.array([[0, 1, 0, 1], [2, 3, 3, 2], [4, 5, 4, -1]])
    chosen = cheapest_clusters(grid.cells, grid.row_sizes, grid.column_labels[columns])
    assert chosen.tolist() == grid.row_labels[[0, 2, 4]].tolist()


def test_of_equal_costs_the_first_cluster_counts():
    cells = np.array([[5, 5], [5, 5], [5, 5]])
    sizes = np.array([4, 4, 4])
    for clusters in ([[0, 1]], [[-1, -1]], [[]]):
        clusters = np.array(clusters, dtype=np.int64)
        assert cheapest_clusters(cells, sizes, clusters).tolist() == [0]


def test_blocks_do_not_matter(monkeypatch):
    _, _, grid = grid_with_a_catch_all()
    clusters = np.random.default_rng(0).integers(-1, 3, (50, 4))
    whole = cheapest_clusters(grid.cells, grid.row_sizes, clusters)
    monkeypatch.setattr(individuals, "_BLOCK", 7)
    in_blocks = cheapest_clusters(grid.cells, grid.row_sizes, clusters)
    np.testing.assert_array_equal(whole, in_blocks)
    assert len(set(whole.tolist())) == 3


def test_no_rows_have_no_clusters():
    _, _, grid = grid_with_a_catch_all()
    none = np.empty((0, 4), dtype=np.int64)
    assert cheapest_clusters(grid.cells, grid.row_sizes, none).shape == (0,)
