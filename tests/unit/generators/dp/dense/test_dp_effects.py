import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from coclust_synth.generators.dp.dense._kernels import posterior_moments
from coclust_synth.generators.dp.dense.counts import NoisyCounts, margin_labels
from coclust_synth.generators.dp.dense.estimate import (
    Effect,
    fit_effects,
    posterior_counts,
)
from tests.naive import dp_estimate as naive


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(60))
@given(
    y=st.integers(-300, 300),
    expected=st.floats(1e-6, 200.0),
    shape=st.sampled_from([0.3, 1.0, 8.0, 50.0]),
    epsilon=st.sampled_from([0.02, 0.1, 0.7, 1.0, 4.0]),
)
def test_posterior_moments_are_those_of_the_formula(y, expected, shape, epsilon):
    noisy, means = np.array([y]), np.array([expected])
    found = posterior_moments(noisy, means, shape, epsilon)
    wanted = naive.posterior_moments(noisy, means, shape, epsilon)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-4, atol=1e-8)


def test_an_exact_count_is_believed_and_a_useless_one_is_not():
    cells, expected = np.arange(3), np.array([5.0, 0.2, 100.0])
    exact = NoisyCounts(cells, np.array([9, 0, 40]), scale=0.02)
    means, variances = posterior_counts(exact, expected)
    np.testing.assert_allclose(means, [9, 0, 40], atol=1e-9)
    np.testing.assert_allclose(variances, 0, atol=1e-9)
    useless = NoisyCounts(cells, np.array([9, 0, 40]), scale=1e6)
    means, _ = posterior_counts(useless, expected)
    np.testing.assert_allclose(means, expected, rtol=1e-3)


def test_a_count_far_above_its_noise_is_not_taken_for_noise():
    cells, expected = np.arange(1000), np.full(1000, 1e-4)
    counts = np.zeros(1000, dtype=np.int64)
    counts[7] = 90
    noisy = NoisyCounts(cells, counts, scale=2.0)
    means, variances = posterior_counts(noisy, expected)
    assert means[7] == pytest.approx(90 - 2.0 * (np.log(1000) + 2))
    assert variances[7] == noisy.variance
    assert np.delete(means, 7).max() < 1e-3


SIZES = (6, 5, 4)


def _planted(rng, n_rows):
    """A table in which axes 0 and 1 hang together, and axis 2 stands alone."""
    pair = rng.dirichlet(np.full(30, 0.3)).reshape(6, 5)
    joint = pair[:, :, None] * rng.dirichlet(np.full(4, 2.0))
    return joint, rng.multinomial(n_rows, joint.ravel()).astype(np.int64)


def _independent(joint):
    start = np.ones(SIZES)
    for axis in range(3):
        others = tuple(k for k in range(3) if k != axis)
        start = start * joint.sum(axis=others, keepdims=True)
    return start


def _noise(rng, scale, size):
    stop = 1.0 - np.exp(-1.0 / scale)
    return rng.geometric(stop, size) - rng.geometric(stop, size)


@pytest.mark.parametrize("seed", range(3))
def test_a_pair_that_hangs_together_is_found_under_the_noise(seed):
    rng = np.random.default_rng(seed)
    joint, counts = _planted(rng, 20_000)
    noisy = NoisyCounts(np.arange(120), counts + _noise(rng, 40.0, 120), 40.0)
    start = 20_000 * _independent(joint).ravel()
    pair = Effect(margin_labels(SIZES, (0, 1)))
    fitted = fit_effects(noisy, start, [pair])
    truth = 20_000 * joint.ravel()
    assert np.abs(fitted - truth).sum() < 0.3 * np.abs(start - truth).sum()
    # Sums over the four values of axis 2 would halve the noise: 0.5 of its size.
    assert np.abs(fitted - truth).sum() < 0.7 * np.abs(noisy.counts - truth).sum()


def test_an_effect_that_the_noise_hides_is_shrunk_away(rng):
    joint, counts = _planted(rng, 2_000)
    noisy = NoisyCounts(np.arange(120), counts + _noise(rng, 500.0, 120), 500.0)
    start = 2_000 * _independent(joint).ravel()
    fitted = fit_effects(noisy, start, [Effect(margin_labels(SIZES, (0, 2)))])
    assert np.abs(fitted - start).sum() < 0.05 * start.sum()


def test_a_measured_effect_meets_its_counts_where_the_histogram_is_useless(rng):
    noisy = NoisyCounts(np.arange(120), _noise(rng, 1e5, 120), 1e5)
    labels = margin_labels(SIZES, (0,))
    counts = np.array([900, 400, 100, 300, 200, 100])
    measured = NoisyCounts(labels, counts, 1.0)
    fitted = fit_effects(noisy, np.full(120, 2_000 / 120), [Effect(labels, measured)])
    np.testing.assert_allclose(np.bincount(labels, fitted), counts, rtol=0.01)
