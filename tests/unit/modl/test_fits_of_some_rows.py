"""A search of some rows goes on with all of them."""

import numpy as np
import pytest

from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.grid.individuals import cheapest_labels
from coclust_synth.modl.search.two_sides import improve_grid, search_grid
from coclust_synth.tables.rows import collapse

N_PARTS = [12, 12, 12, 12]


@pytest.fixture(scope="module")
def rows():
    """Twelve kinds of rows, which a tenth of them do not tell apart so well."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 12, 12_000)
    noise = rng.integers(0, 12, (len(kind), 4))
    codes = np.where(rng.random((len(kind), 4)) < 0.5, kind[:, np.newaxis], noise)
    return collapse(codes, N_PARTS)[0]


def labelled(rows, n):
    some = rows.thinned(n, np.random.default_rng(0))
    found = search_grid(Contingency.from_distinct_rows(some), n_iterations=2)
    contingency = Contingency.from_distinct_rows(rows)
    labels = cheapest_labels(found.grid, rows)
    return contingency, Grid.from_labels(contingency, labels, found.grid.column_labels)


@pytest.mark.slow
def test_all_rows_bear_a_finer_grid_than_some(rows):
    contingency, grid = labelled(rows, 1_200)
    found = improve_grid(contingency, grid, seed=1)
    null = Grid.null(contingency).cost
    whole = search_grid(contingency, n_iterations=2).grid
    assert found.n_iterations == 3 and found.stopped_by == "iterations"
    assert found.grid.shape[0] > grid.shape[0]
    assert null - grid.cost < 0.9 * (null - whole.cost)
    assert null - found.grid.cost > 0.99 * (null - whole.cost)
    again = improve_grid(contingency, grid, seed=1, n_jobs=2)
    np.testing.assert_array_equal(again.grid.row_labels, found.grid.row_labels)


def test_time_that_is_over_leaves_the_grid_settled(rows):
    contingency, grid = labelled(rows, 1_200)
    found = improve_grid(contingency, grid, seed=1, time_limit=1e-9)
    assert (found.n_iterations, found.stopped_by) == (1, "time")
    assert found.grid.cost < grid.cost
