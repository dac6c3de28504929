import numpy as np

from coclust_synth.tables.strata import strata


def test_points_of_a_group_are_evenly_spaced():
    group = np.random.default_rng(0).integers(0, 5, 200)
    points, _ = strata(group, np.random.default_rng(1))
    for t in range(5):
        own = np.sort(points[group == t])
        np.testing.assert_allclose(np.diff(own), 1 / len(own))
        assert 0 <= own[0]
        assert own[-1] < 1
