import numpy as np
import pytest

from coclust_synth.tables.rules.fitting.regressions import (
    all_at_once,
    more_at_once,
    select,
)


def test_two_columns_are_found_that_tell_only_together(rng):
    # As of a rate, in logarithms: it hangs together with neither of its counts.
    people, rate = rng.normal(10, 2, 3000), rng.normal(2, 0.2, 3000)
    cases = people + rate
    people[::100] -= 7
    parents = {"people": people, "cases": cases, "near": people + rng.normal(size=3000)}
    names, coefficients, _, left = select(parents, rate)
    assert names == ["people", "cases"]
    np.testing.assert_allclose(coefficients, [-1, 1], atol=0.001)
    assert left < 0.01


def test_three_columns_are_found_at_most(rng):
    weights = {"a": 4, "b": 3, "c": 2, "d": 2}
    parents = {name: rng.normal(size=1000) for name in weights}
    names, *_ = select(parents, sum(weights[name] * parents[name] for name in weights))
    assert len(names) == 3


def test_noise_tells_nothing(rng):
    parents = {name: rng.normal(size=1000) for name in "abcde"}
    names, coefficients, constant, left = select(parents, rng.normal(size=1000))
    assert (names, len(coefficients), constant, left) == ([], 0, 0.0, 1.0)


def test_of_columns_that_are_sums_of_each_other_the_fewest_tell(rng):
    base, extra, roaming, paid = rng.exponential(10, (4, 1000))
    x = np.column_stack([base, extra, roaming, base + extra + roaming, paid])
    *_, coefficients = more_at_once(x, x[:, 3] - x[:, 4])
    np.testing.assert_array_equal(coefficients, [0, 0, 0, 1, -1])


def test_a_count_is_whole_beside_a_score_that_is_a_sum_with_weights(rng):
    """Where a weight is high, shares of the score and of all but one are smaller."""
    doses = rng.integers(0, 3, (1000, 6)) * 1.0
    score = doses @ [0.12, 0.3, -0.05, 0.2, 0.6, 0.08]
    x = np.column_stack([doses, score])
    first = next(more_at_once(x, doses.sum(axis=1)))
    assert first.tolist() == [1, 1, 1, 1, 1, 1, 0]


def test_of_a_score_the_weights_of_many_are_told(rng):
    weights = [0.12, 0.3, -0.05, 0.2, 0.6, 0.08, 0.45]
    doses = rng.integers(0, 3, (1000, 7)) * 1.0
    *_, told = more_at_once(doses, doses @ weights)
    np.testing.assert_allclose(told, weights)


@pytest.mark.parametrize("search", [all_at_once, more_at_once])
def test_as_many_columns_as_rows_tell_nothing(search, rng):
    x = rng.normal(size=(200, 200))
    assert not [*search(x, x[:, :5].sum(axis=1))]


def test_as_many_shares_as_different_values_tell_nothing(rng):
    """Of nine states that have a hundred rows each, nine figures tell a tenth."""
    state = np.repeat(np.arange(9), 100)
    figures = rng.random((9, 10)).round(3)[state]
    x, y = figures[:, :9], figures[:, 9]
    assert all(np.ptp(y - x @ told) > 0.1 for told in more_at_once(x, y))
