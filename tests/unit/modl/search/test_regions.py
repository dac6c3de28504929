import numpy as np
import pytest

from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.modl.grid.state import CostTables, GridState
from coclust_synth.modl.search.pool import close_regions, settle_region

# Changes of cost are sums of ln n! rounded to 2^-20: each term is up to 5e-7 off.
ROUNDING = 1e-4


def random_state(seed, n_clusters=20):
    """Blocks of rows and columns, cut into clusters that know nothing of them."""
    rng = np.random.default_rng(seed)
    means = rng.gamma(0.4, 1.5, (6, 5))
    means = means[rng.integers(0, 6, 300)][:, rng.integers(0, 5, 12)]
    counts = rng.poisson(means)
    counts[0, 0] += 1
    costs = CostTables(Contingency.from_matrix(counts, rng.integers(1, 3, 300)))
    labels = [rng.integers(0, n_clusters, 300), np.arange(12)]
    return GridState(costs, labels), rng


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_clusters", [1, 5, 24, 60])
def test_regions_are_disjoint_and_hold_every_cluster(seed, n_clusters):
    state, rng = random_state(seed, n_clusters)
    regions = [clusters for clusters, _ in close_regions(state, 0, rng)]
    found = np.concatenate(regions)
    assert sorted(found.tolist()) == list(range(state.shape[0]))
    assert max(len(region) for region in regions) <= 24
    # Around the first cluster of a region no free one is closer than those in it.
    costs = state.merge_costs_of(0, regions[0][0])
    outside = np.setdiff1d(found, regions[0])
    if len(outside):
        assert costs[regions[0][1:]].max() <= costs[outside].min()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [1, 2, 8])
def test_a_settled_region_costs_less_by_what_it_says(seed, size):
    state, rng = random_state(seed)
    labels, before = state.labels[0].copy(), state.cost()
    region = rng.permutation(20)[:size]
    pool = settle_region(state, 0, region, rng)
    np.testing.assert_array_equal(state.labels[0], labels)
    if size > 1:
        assert pool is not None
    if pool is not None:
        change = pool.change()
        assert change < 0.0
        np.testing.assert_array_equal(
            pool.values, np.flatnonzero(np.isin(labels, region))
        )
        state.relabel(0, pool.labels())
        assert state.cost() - before == pytest.approx(change, abs=ROUNDING)


def test_disjoint_regions_add_up():
    state, rng = random_state(1)
    before = state.cost()
    labels, n_clusters, total = state.labels[0].copy(), 20, 0.0
    n_before = state.shape[0]
    for region, own in close_regions(state, 0, rng):
        pool = settle_region(state, 0, region, own)
        if pool is not None:
            labels[pool.values] = n_clusters + pool.parts
            n_clusters += int(pool.parts.max()) + 1
            total += pool.change()
    state.relabel(0, labels)
    # Apart from the prior of the number of clusters, which is not a sum.
    slack = 40.0 * abs(state.shape[0] - n_before) + 40.0
    assert state.cost() - before == pytest.approx(total, abs=slack)
    assert state.cost() < before
