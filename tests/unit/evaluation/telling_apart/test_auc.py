from math import sqrt

import numpy as np
import pytest
from naive import telling_apart as naive
from sklearn.metrics import roc_auc_score

from coclust_synth.evaluation.telling_apart.auc import auc, auc_with_interval
from coclust_synth.exceptions import ParameterError


@pytest.mark.parametrize("n_scores", [2, 5, 1000])
@pytest.mark.parametrize("seed", range(10))
def test_area_is_that_of_the_naive_twin(seed, n_scores):
    rng = np.random.default_rng(seed)
    positives = rng.integers(0, n_scores, rng.integers(2, 40)) + rng.integers(0, 2)
    negatives = rng.integers(0, n_scores, rng.integers(2, 40))
    found = auc_with_interval(positives, negatives)
    expected = naive.auc_with_interval(positives.tolist(), negatives.tolist())
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    labels = np.repeat([1, 0], [len(positives), len(negatives)])
    scores = np.concatenate([positives, negatives])
    assert found.value == pytest.approx(roc_auc_score(labels, scores), rel=1e-12)
    assert auc(positives, negatives) == found.value


def test_interval_worked_by_hand():
    # Positives above 0, 1/2 and 1 of the negatives, negatives below 3/4 and 1/4 of
    # four positives: shares (0, 1/2, 1/2, 1) and (3/4, 1/4), area 1/2, variance
    # (1/6) / 4 + (1/8) / 2 = 5/48.
    area = auc_with_interval(np.array([0, 2, 2, 4]), np.array([1, 3]))
    assert area[0] == 0.5 and area[3:] == (4, 2)
    reach = 1.959964 * sqrt(5 / 48)
    assert area[1:3] == pytest.approx((max(0.5 - reach, 0), min(0.5 + reach, 1)))


def test_ties_count_half():
    constant = auc_with_interval(np.ones(3), np.ones(5))
    assert constant[:3] == (0.5, 0.5, 0.5)
    assert auc_with_interval(np.array([1, 2]), np.array([2, 3])).value == 0.125


def test_one_score_of_a_kind_has_an_area():
    assert auc(np.array([0.5]), np.array([0.1, 0.5, 0.7, 0.9])) == 0.375
    assert auc(np.array([1, 2]), np.array([0])) == 1


def test_areas_of_both_sides_add_to_one(rng):
    a, b = rng.integers(0, 9, 50), rng.integers(0, 7, 80)
    there, back = auc_with_interval(a, b), auc_with_interval(b, a)
    assert there.value + back.value == pytest.approx(1)
    assert there.low + back.high == pytest.approx(1)
    assert auc_with_interval(a + 9, b)[:3] == (1, 1, 1)


def test_any_increasing_map_of_scores_gives_the_same_area():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=60), rng.normal(size=40)
    assert auc_with_interval(np.exp(a), np.exp(b)) == auc_with_interval(a, b)


@pytest.mark.parametrize(
    "positives, negatives, match",
    [
        (
            [1],
            [1, 2],
            r"two scores of positives, none NaN. Received shape \(1,\), 0 NaN",
        ),
        ([1, 2], [], r"two scores of negatives.* shape \(0,\).* Give a score"),
        ([1, 2], [1, np.nan], r"of negatives, none NaN. Received shape \(2,\), 1 NaN"),
        ([[1, 2]], [1, 2], r"Received shape \(1, 2\)"),
    ],
)
def test_scores_are_checked(positives, negatives, match):
    with pytest.raises(ParameterError, match=match):
        auc_with_interval(np.array(positives, float), np.array(negatives, float))
