"""Noisy counts of values in order: smoothed as far as they seem smooth."""

import numpy as np
import pandas as pd
import pytest
from support.private_noise import repeat_noise

from coclust_synth.generators.dp.adaptive.smooth import (
    fit_walk,
    smooth_column,
    smooth_counts,
)
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.tables.domain.domain import Domain

BELL = 1_000 * np.exp(-(((np.arange(30) - 12) / 6) ** 2))
JUMPS = np.where(np.arange(30) % 7 == 0, 20_000.0, 100.0)


def test_a_walk_is_fitted_as_by_dense_matrices(rng):
    noisy, of_steps = rng.normal(50, 20, 6), rng.uniform(1, 100, 5)
    found = []
    for variance in (4.0, 90.0):
        # Covariance of what is seen: of the walk from its first value on, of a start
        # that is anywhere, and of the noise.
        before = np.tril(np.ones((6, 6)))[:, 1:]
        start = 1e9
        walk = before @ np.diag(of_steps) @ before.T + start
        seen = walk + variance * np.eye(6)
        log_det = np.linalg.slogdet(seen)[1] - np.log(start) - 6 * np.log(variance)
        dense = -0.5 * (log_det + noisy @ np.linalg.solve(seen, noisy))
        likelihood, expected = fit_walk(noisy, variance, of_steps)
        assert expected == pytest.approx(walk @ np.linalg.solve(seen, noisy), abs=1e-3)
        found.append(likelihood - dense)
    assert found[0] == pytest.approx(found[1], abs=1e-3)  # a constant


def distances(counts, scale, n=12):
    """Mean absolute errors of noisy counts, and of the same smoothed."""
    rng = np.random.default_rng(0)
    noisy = counts + rng.laplace(0, scale, (n, len(counts)))
    smooth = np.array([smooth_counts(of_one, 2 * scale**2) for of_one in noisy])
    np.testing.assert_allclose(smooth.sum(axis=1), noisy.sum(axis=1))
    return np.abs(noisy - counts).mean(), np.abs(smooth - counts).mean()


@pytest.mark.parametrize(
    "counts, scale, most",
    [
        (BELL, 100, 0.7),
        (np.full(30, 500.0), 100, 0.4),
        (10_000 * 0.5 ** np.arange(30), 100, 0.6),  # a tail
        (JUMPS, 100, 1.02),  # nothing is smooth
        (BELL, 1, 1.02),  # nor where noise is small
    ],
)
def test_smooth_counts_are_nearer_and_jumps_stay(counts, scale, most):
    before, after = distances(counts, scale)
    assert after <= most * before


@pytest.mark.slow
def test_one_heap_among_many_counts_stays():
    """It is ten standard deviations of the noise high."""
    rng, counts = np.random.default_rng(0), np.full(100, 300.0)
    counts[50] += 700
    noisy = counts + rng.laplace(0, 50, (12, 100))
    off = np.array([smooth_counts(of_one, 5_000) for of_one in noisy]) - counts
    assert np.abs(off[:, 50]).mean() < 200 and np.abs(off[:, :49]).mean() < 25
    np.testing.assert_allclose((counts + off).sum(axis=1), noisy.sum(axis=1))


def test_counts_of_all_sizes_are_smoothed():
    """Steps between them are of shares that doubles do not solve for."""
    noisy = np.zeros(30)
    noisy[[5, 16, 28]] = 1.8e14
    np.testing.assert_allclose(smooth_counts(noisy, 0.032), noisy, rtol=1e-9, atol=1)


def test_only_values_in_order_are_smoothed(rng):
    domain = Domain.from_dict(
        {
            "age": {"low": 0, "high": 29, "bins": 30, "missing": "?"},
            "job": [f"job {i}" for i in range(31)],
            "few": {"low": 0, "high": 2, "bins": 3},
        }
    )
    noisy = np.append(BELL, 50_000) + np.rint(rng.laplace(0, 100, 31)).astype(int)
    age, job, few = domain.columns
    found = smooth_column(noisy, age, 2e4)
    assert found[-1] == noisy[-1]
    np.testing.assert_array_equal(found[:-1], smooth_counts(noisy[:-1], 2e4))
    np.testing.assert_array_equal(smooth_column(noisy, job, 2e4), noisy)
    np.testing.assert_array_equal(smooth_column(noisy[:3], few, 2e4), noisy[:3])


def test_a_release_of_few_rows_has_smooth_columns(monkeypatch, rng):
    columns = {f"c{j}": rng.normal(15, 5, 500).clip(0, 29) // 1 for j in range(6)}
    frame = pd.DataFrame(columns).astype(int)
    domain = {name: {"low": 0, "high": 29, "bins": 30} for name in frame}
    repeat_noise(monkeypatch)
    drawn = DPCocGen(1.0, domain).fit(frame).sample(random_state=0)
    # .20 of total variation where noisy counts are taken as they are.
    assert np.mean([variation(drawn[name], frame[name]) for name in frame]) < 0.13


def variation(drawn, real):
    shares = [np.bincount(c, minlength=30) / len(c) for c in (drawn, real)]
    return np.abs(shares[0] - shares[1]).sum() / 2
