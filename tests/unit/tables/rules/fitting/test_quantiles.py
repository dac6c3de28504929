"""Quantiles are those of numpy, to the last digit."""

import numpy as np
import pytest

from coclust_synth.tables.rules.fitting.quantiles import quantile


@pytest.mark.parametrize("n", [1, 2, 3, 10, 101, 1000])
def test_they_are_those_of_numpy(n, rng):
    for values in (rng.normal(size=n), rng.integers(0, 3, n) * 0.1):
        for share in (0.0, 0.0025, 0.25, 0.5, 0.99, 0.9975, 1.0, rng.random()):
            assert quantile(values, share) == np.quantile(values, share)


def test_a_missing_one_is_that_of_all():
    assert np.isnan(quantile(np.array([1.0, np.nan, 0.0]), 0.1))
