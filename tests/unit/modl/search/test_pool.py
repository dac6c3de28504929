import numpy as np
import pytest
from naive import modl as naive

from coclust_synth.modl.grid import _kernels
from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.modl.grid.state import CostTables, GridState
from coclust_synth.modl.search.pool import PooledClusters

# Changes of cost are sums of ln n! rounded to 2^-20: each term is up to 5e-7 off.
ROUNDING = 1e-5


def random_state(seed, *, n_rows=30):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.5, (n_rows, 9))
    counts[0, 0] += 1
    weights = rng.integers(1, 4, n_rows)
    costs = CostTables(Contingency.from_matrix(counts, weights))
    return GridState(costs, [rng.integers(0, 5, n_rows), rng.integers(0, 4, 9)]), rng


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("n_parts", [1, 2, 3])
def test_change_is_the_difference_of_costs(seed, side, n_parts):
    state, rng = random_state(seed)
    before = state.cost()
    clusters = rng.permutation(state.shape[side])[: rng.integers(1, 4)]
    labels = state.labels[side].copy()
    pool = PooledClusters(state, side, clusters, n_parts)
    expected = np.flatnonzero(np.isin(labels, clusters))
    np.testing.assert_array_equal(pool.values, expected)

    pool.divide(rng.permutation(pool.values))
    after_dealing = pool.change()
    margin = np.empty(len(labels))
    gain = pool.sweep(rng.permutation(pool.values), margin)

    np.testing.assert_array_equal(state.labels[side], labels)
    assert gain <= 0.0
    if min(n_parts, len(pool.values)) > 1:
        # The sweep holds the prior of a catch-all; without one it is exact.
        assert pool.change() <= after_dealing + ROUNDING
    change = pool.change()
    state.relabel(side, pool.labels())
    assert state.cost() - before == pytest.approx(change, abs=ROUNDING)
    # All other clusters are as they were.
    others = ~np.isin(labels, clusters)
    pairs = set(zip(labels[others], state.labels[side][others], strict=True))
    assert len(pairs) == len(set(labels[others]))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("side", [0, 1])
def test_kernels_agree_with_their_twins(seed, side):
    state, rng = random_state(seed)
    values = rng.permutation(len(state.labels[side]))[:8]
    arguments = (
        values,
        state.tables.contingency.sides[side],
        state.labels[side],
        state.labels[1 - side],
        state.shape[1 - side],
        state.shape[side],
    )
    ours = _kernels.count_clusters(*arguments)
    for one, two in zip(ours, naive.count_clusters(*arguments), strict=True):
        np.testing.assert_array_equal(one, two)
    log_fact = state.tables.log_fact
    assert _kernels.clusters_cost(ours, log_fact) == naive.clusters_cost(ours, log_fact)
    whole = (state.clusters(side), log_fact)
    costs = naive.merge_costs(*whole)
    for a in range(state.shape[side]):
        row = _kernels.merge_costs_of(*whole, a)
        expected = [costs[min(a, b)][max(a, b)] for b in range(len(row))]
        np.testing.assert_array_equal(row, expected)
        np.testing.assert_array_equal(state.merge_costs_of(side, a), row)


def test_a_pool_divides_a_catch_all():
    rng = np.random.default_rng(3)
    counts = rng.poisson(0.3, (60, 6))
    counts[:9, :3] += rng.poisson(6.0, (9, 3))
    costs = CostTables(Contingency.from_matrix(counts))
    labels = np.zeros(60, dtype=int)
    labels[:4], labels[4:9] = 1, 2
    state = GridState(costs, [labels, np.arange(6)])
    before = state.cost()
    pool = PooledClusters(state, 0, [0, 1], 2)
    pool.divide(pool.values[np.argsort(labels[pool.values], kind="stable")])
    pool.sweep(pool.values, np.empty(60))
    change = pool.change()
    state.relabel(0, pool.labels())
    assert state.cost() - before == pytest.approx(change, abs=ROUNDING)


def test_what_a_cluster_out_of_the_pool_holds_as_a_catch_all_is_reckoned_with():
    """Clusters of two values were joined for what that spares without a catch-all."""
    counts = np.zeros((7, 5), dtype=int)
    counts[6, 4] = 1
    costs = CostTables(Contingency.from_matrix(counts, np.array([1, 1, 1, 1, 1, 1, 2])))
    state = GridState(costs, [np.array([0, 0, 1, 1, 1, 1, 1]), np.zeros(5, dtype=int)])
    pool = PooledClusters(state, 0, [0], 2)
    pool.divide(pool.values, np.array([0, 1]))
    before = pool.change()
    gain = pool.sweep(pool.values, np.empty(7))
    assert pool.change() - before == pytest.approx(gain, abs=ROUNDING)
    pool.merge()
    assert pool.change() <= before + ROUNDING
