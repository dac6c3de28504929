"""Measures on tables whose answer is known, up to chance.

Scores that tell nothing have an area of standard deviation sqrt((m + n + 1) / (12 m n))
at most, ties making it smaller. Bounds are 4.4 of these from 0.5: another seed would
fail once in 90,000 times.
"""

from math import sqrt

import numpy as np
import pytest

from coclust_synth.evaluation.telling_apart.auc import auc_with_interval
from coclust_synth.evaluation.telling_apart.membership import membership_auc
from coclust_synth.evaluation.telling_apart.real_vs_synthetic import (
    real_vs_synthetic_auc,
)

SEEDS = range(5)


def population(rng, n):
    """Rows of four groups, each with habits of its own; most rows are rare."""
    groups = rng.integers(0, 4, size=(n, 1))
    habits = (3 * groups + np.arange(7)) % 9
    return np.where(rng.random((n, 7)) < 0.6, habits, rng.integers(0, 9, size=(n, 7)))


def bootstrap(rng, codes):
    return codes[rng.integers(0, len(codes), len(codes))]


def independent(rng, codes):
    return np.column_stack([bootstrap(rng, column) for column in codes.T])


def chance(area):
    m, n = area.n_positives, area.n_negatives
    return 4.4 * sqrt((m + n + 1) / (12 * m * n))


@pytest.fixture(params=SEEDS)
def drawn(request):
    rng = np.random.default_rng(request.param)
    training, holdout, fresh = (population(rng, n) for n in (2000, 1500, 2000))
    return rng, training, holdout, fresh


def test_fresh_rows_tell_no_member(drawn):
    _, training, holdout, fresh = drawn
    area = membership_auc(training, holdout, fresh)
    assert abs(area.value - 0.5) < chance(area)


def test_independent_columns_tell_no_member(drawn):
    rng, training, holdout, _ = drawn
    area = membership_auc(training, holdout, independent(rng, training))
    assert abs(area.value - 0.5) < chance(area)


def test_a_bootstrap_copy_tells_members(drawn):
    # It holds 63 % of the members, each nearer than all rows that are not in it; even
    # if the others were told at random, the area would be .63 + .37 / 2.
    rng, training, holdout, _ = drawn
    area = membership_auc(training, holdout, bootstrap(rng, training))
    assert area.value == pytest.approx(0.63 + 0.37 / 2, abs=chance(area))
    assert area.low > 0.75


@pytest.mark.slow
def test_fresh_rows_are_not_told_from_real_ones(drawn):
    _, training, _, fresh = drawn
    area = real_vs_synthetic_auc(training, fresh, random_state=0)
    assert abs(area.value - 0.5) < chance(area)


@pytest.mark.slow
def test_independent_columns_are_told_from_real_ones(drawn):
    rng, training, holdout, _ = drawn
    area = real_vs_synthetic_auc(holdout, independent(rng, training), random_state=0)
    assert area.low > 0.8


@pytest.mark.slow
def test_a_copy_is_below_one_half_against_what_it_copies(drawn):
    # Against the holdout it is above: rows that it repeats give themselves away.
    rng, training, holdout, _ = drawn
    copy = bootstrap(rng, training)
    against_training = real_vs_synthetic_auc(training, copy, random_state=0)
    assert against_training.value < 0.5 - chance(against_training)
    assert real_vs_synthetic_auc(holdout, copy, random_state=0).low > 0.5


@pytest.mark.slow
def test_intervals_cover_in_19_of_20_samples(rng):
    # Two normal scores one apart: the area is Phi(1 / sqrt 2) = .7602. Of 1,000
    # intervals 950 cover it, give or take 6.9; the bounds are 5 of these away.
    covered = 0
    for _ in range(1000):
        area = auc_with_interval(rng.normal(1, 1, 80), rng.normal(0, 1, 120))
        covered += area.low <= 0.7602499 <= area.high
    assert 915 <= covered <= 985
