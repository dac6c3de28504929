from collections import Counter

import numpy as np
import pytest

from experiments.measures import areas, distances_by_order, references


def rows_of(codes):
    return Counter(map(tuple, codes.tolist()))


@pytest.fixture
def parts():
    """A training part and a holdout: two columns, the second twice the first."""
    rng = np.random.default_rng(0)
    train, holdout = (rng.integers(0, 90, size=(n, 1)) for n in (80, 31))
    return np.hstack([train, 2 * train]), np.hstack([holdout, 2 * holdout])


def test_references_are_rows_of_the_two_parts(parts):
    train, holdout = parts
    fresh, copy, independent = references(train, holdout, 3, np.random.default_rng(0))
    assert [r.method for r in (fresh, copy, independent)] == [
        "fresh real rows",
        "bootstrap copy",
        "independent columns",
    ]
    assert [drawn is holdout for drawn in fresh.draws] == [True]
    for half, other in fresh.pairs:
        assert abs(len(half) - len(other)) == 1
        assert rows_of(half) + rows_of(other) == rows_of(holdout)
    for reference in (copy, independent):
        assert [len(drawn) for drawn in reference.draws] == [80] * 3
        assert len({drawn.tobytes() for drawn in reference.draws}) == 3
        assert all(given is holdout for given, _ in reference.pairs)
    assert all(rows_of(drawn).keys() <= rows_of(train).keys() for drawn in copy.draws)
    for drawn in independent.draws:
        assert not rows_of(drawn).keys() <= rows_of(train).keys()
        assert set(drawn[:, 0]) <= set(train[:, 0])
        assert set(drawn[:, 1]) <= set(train[:, 1])


def test_measures_are_means_over_draws():
    # Total variations 0 and 1/2 from the training part.
    train = np.array([[0], [1]])
    found = distances_by_order(train, [train, train * 0], [1])[1]
    assert (found["total_variation"], found["total_variation_sd"]) == (0.25, 0.25)


def test_areas_are_means_over_draws(parts):
    train, holdout = parts
    seeds = np.random.SeedSequence(0).spawn(2)
    found = areas(train, [(holdout, train), (holdout, holdout)], seeds)
    one, other = (
        areas(train, [(holdout, drawn)], [seed])
        for drawn, seed in zip((train, holdout), seeds, strict=True)
    )
    for area in ("real_vs_synthetic_auc", "membership_auc"):
        both = one[area], other[area]
        assert found[area] == pytest.approx(np.mean(both), abs=1e-6)
        assert found[f"{area}_sd"] == pytest.approx(np.std(both), abs=1e-6)
    assert other["membership_auc"] < 0.5 < one["membership_auc"] == 1
