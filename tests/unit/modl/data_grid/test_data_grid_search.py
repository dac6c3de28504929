import numpy as np
import pytest

from coclust_synth.modl.criterion.terms import interval_prior, interval_priors
from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.data_grid.search import search_data_grid
from coclust_synth.modl.data_grid.state import DataGridCostTables
from coclust_synth.modl.grid._sweep_kernels import N_GAINS


def records_of(*columns, numeric):
    codes = [np.unique(column, return_inverse=True)[1] for column in columns]
    rows, counts = np.unique(np.column_stack(codes), axis=0, return_counts=True)
    labels = tuple(np.arange(n) for n in rows.max(axis=0) + 1)
    return Records(rows, counts, labels, numeric)


def planted(seed=0, n=1500):
    """A number, a category and another number that tell of three groups, and noise."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    return records_of(
        rng.integers(0, 40, n) + 40 * group,
        rng.integers(0, 5, n) * 3 + group,
        rng.normal(group == 1, 0.05, n),  # as many values as observations
        rng.integers(0, 6, n),
        numeric=(True, False, True, False),
    )


@pytest.fixture(scope="module")
def records():
    return planted()


def test_sweeps_look_up_no_factorial_beyond_the_last():
    """They ask for what N_GAINS of any value would cost in its own cluster."""
    codes = np.array([[0, 0], [1, 0], [1, 1]])
    labels = np.arange(2), np.arange(2)
    one_large = Records(codes, np.array([10_000, 1, 1]), labels, (False, False))
    tables = DataGridCostTables(one_large)
    assert len(tables.log_fact) > 10_002 + N_GAINS * 10_001


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_planted_grid_is_found(seed):
    result = search_data_grid(planted(seed), n_iterations=20, seed=seed)
    labels = result.records.labels
    assert result.grid.shape == (3, 3, 2, 1)
    assert labels[0].tolist() == [0] * 40 + [1] * 40 + [2] * 40
    assert [len(set(labels[1][group::3].tolist())) for group in range(3)] == [1, 1, 1]
    assert abs(int(labels[2].sum()) - np.diff(labels[2]).argmax()) < 1500


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_independent_variables_give_the_null_grid(seed):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n, 500) for n in (9, 500, 4, 20)]
    records = records_of(*columns, numeric=(False, True, True, False))
    result = search_data_grid(records, n_iterations=12, seed=seed)
    assert result.grid.shape == (1, 1, 1, 1)
    assert result.grid.cost == DataGrid.from_records(result.records).null().cost
    assert [point.iteration for point in result.trace] == [0]


@pytest.mark.slow
def test_clusters_are_numbered_by_decreasing_observations(records):
    grid = search_data_grid(records, n_iterations=10).grid
    totals = grid.dimensions[1].totals
    assert (np.diff(totals) <= 0).all()


def test_constant_variables_have_one_part():
    records = records_of([3] * 9, [1] * 9, numeric=(True, False))
    result = search_data_grid(records, n_iterations=9)
    assert result.grid.shape == (1, 1)
    assert result.n_iterations == 9


def test_categories_that_no_record_has_are_values_all_the_same():
    records = records_of([0, 0, 1, 1] * 40, [0, 0, 1, 1] * 40, numeric=(False, False))
    more = Records(
        records.codes, records.counts, (np.arange(5), np.arange(2)), (False, False)
    )
    result = search_data_grid(more, n_iterations=8)
    # Together in a cluster without observations, which costs nothing to tell apart.
    assert result.records.labels[0][2:].tolist() == [2, 2, 2]
    assert result.grid.dimensions[0].totals.tolist() == [80, 80, 0]
    assert result.grid.dimensions[0].sizes.tolist() == [1, 1, 3]


def test_large_counts_of_few_records():
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    labels = (np.arange(2), np.arange(2))
    records = Records(
        codes, np.array([70_000, 900, 1_100, 30_000]), labels, (True,) * 2
    )
    result = search_data_grid(records, n_iterations=4)
    assert result.grid.shape == (2, 2)
    assert result.grid.counts.sum() == 102_000


def test_interval_priors_by_number():
    priors = interval_priors(50, 12)
    assert priors[1:].tolist() == [interval_prior(50, j) for j in range(1, 13)]
    assert interval_priors(50, 1).tolist() == [0.0, 0.0]


# How it is found


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7, np.random.SeedSequence(12)])
def test_equal_seeds_give_equal_grids(records, seed):
    one = search_data_grid(records, n_iterations=8, seed=seed)
    two = search_data_grid(records, n_iterations=8, seed=seed)
    for label, other in zip(one.records.labels, two.records.labels, strict=True):
        assert label.tobytes() == other.tobytes()
    costs = [[(p.iteration, p.cost) for p in r.trace] for r in (one, two)]
    assert costs[0] == costs[1]
