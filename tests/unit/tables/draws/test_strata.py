import naive.strata
import numpy as np
import pytest

from coclust_synth.tables.draws._strata_kernels import deal
from coclust_synth.tables.draws.strata import strata


def test_points_of_a_group_are_evenly_spaced():
    group = np.random.default_rng(0).integers(0, 5, 200)
    points, _ = strata(group, np.random.default_rng(1))
    for t in range(5):
        own = np.sort(points[group == t])
        np.testing.assert_allclose(np.diff(own), 1 / len(own))
        assert 0 <= own[0]
        assert own[-1] < 1


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_dealt_as_by_the_formula(seed):
    rng = np.random.default_rng(seed)
    n, n_groups = int(rng.integers(0, 60)), int(rng.integers(1, 9))
    group = rng.integers(0, n_groups, n)
    shuffled, start = rng.permutation(n), rng.random(n_groups)
    size = np.bincount(group, minlength=n_groups)
    points, order = np.empty(n), np.empty(n, dtype=np.int64)
    deal(group, shuffled, size, np.cumsum(size) - size, start, points, order)
    expected = naive.strata.deal(group.tolist(), shuffled.tolist(), start)
    assert (points.tolist(), order.tolist()) == expected


def test_no_rows_have_no_points():
    points, order = strata(np.array([], dtype=np.int64), np.random.default_rng(0))
    assert len(points) == len(order) == 0
