"""Which columns are counted together: by their sizes alone, where noise is not more."""

from itertools import combinations, pairwise
from math import prod, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth.generators.dp.adaptive.budget import group_columns, noisy_values

sizes_of_columns = st.lists(st.integers(1, 30), min_size=1, max_size=8)


def weight(sizes, power):
    """What the cost of columns that are counted together is in proportion to."""
    error = sum(size * sqrt(prod(sizes) / size) for size in sizes)
    return error ** (power / (power + 1))


def runs(sizes):
    """All ways to cut sizes, in order, into runs."""
    inner = range(1, len(sizes))
    for n_cuts in range(len(sizes)):
        for cuts in combinations(inner, n_cuts):
            ends = [0, *cuts, len(sizes)]
            yield [sizes[a:b] for a, b in pairwise(ends)]


@given(sizes_of_columns, st.sampled_from([1, 2]))
def test_no_other_runs_have_less_noise(sizes, power):
    groups, weights = group_columns(sizes, power)
    assert sorted(j for group in groups for j in group) == list(range(len(sizes)))
    expected = [weight([sizes[j] for j in group], power) for group in groups]
    assert weights == pytest.approx(expected)
    least = min(sum(weight(run, power) for run in cut) for cut in runs(sorted(sizes)))
    assert weights.sum() == pytest.approx(least)


@pytest.mark.parametrize(
    "sizes, power, expected",
    [
        ([2, 40, 2], 1, [(0, 2), (1,)]),
        ([2, 2, 2], 1, [(0, 1, 2)]),
        ([3, 3], 1, [(0, 1)]),
        ([5, 5], 1, [(0,), (1,)]),
        ([2, 7], 1, [(0, 1)]),
        ([2, 16], 1, [(0,), (1,)]),
        ([2, 2], 2, [(0, 1)]),  # as much noise as apart, and more is told
        ([2, 3], 2, [(0,), (1,)]),
    ],
)
def test_groups_of_some_sizes(sizes, power, expected):
    assert group_columns(sizes, power)[0] == expected


def test_noise_of_a_group_is_what_its_weight_says(rng):
    """Of two values and six at epsilon 1: errors of sums of Laplace numbers."""
    groups, weights = group_columns([2, 6], 1)
    assert groups == [(0, 1)]
    noise = rng.laplace(size=(100_000, 2, 6))
    sds = [noise.sum(axis=axis).std(axis=0).sum() for axis in (2, 1)]
    assert sum(sds) / sqrt(2) == pytest.approx(weights[0] ** 2, rel=0.01)
    apart = (sqrt(2) + sqrt(6)) ** 2
    assert weights[0] ** 2 < 0.95 * apart


@given(sizes_of_columns, st.sampled_from([1, 2]))
def test_noisy_values_are_those_of_the_mean_error(sizes, power):
    """Of a budget of 1, shared out by the weights, and of columns apart of one size."""
    _, weights = group_columns(sizes, power)
    errors = weights ** ((power + 1) / power)
    shares = weights / weights.sum()
    mean = (errors / shares ** (1 / power)).sum() / len(sizes)
    apart = noisy_values(sizes, power) / len(sizes)
    assert apart * len(sizes) ** (1 / power) == pytest.approx(mean)
    assert noisy_values(sizes, power) <= sum(sizes) * (1 + 1e-9)
    assert noisy_values([7] * len(sizes), power) == pytest.approx(7 * len(sizes))
