"""Improved groups: never worse, no move left, and the best of all on small tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.examples import examples

from coclust_synth.baselines.mdav._improvement_kernels import settle
from coclust_synth.baselines.mdav.anonymizer import MDAVAnonymizer
from coclust_synth.baselines.mdav.groups import mdav_groups
from coclust_synth.exceptions import ParameterError
from tests.naive import mdav as naive


def loss(values, label):
    groups = [np.flatnonzero(label == group).tolist() for group in np.unique(label)]
    return naive.sse(values.tolist(), groups)


@settings(deadline=None, max_examples=examples(60))
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(4, 40), st.integers(1, 3)),
        elements=st.integers(-3, 3),
    ),
    st.integers(2, 4),
)
def test_improving_is_never_worse_and_keeps_k(values, k):
    label = mdav_groups(values, k)
    found = mdav_groups(values, k, improve=True, n_iterations=3)
    assert np.bincount(found).min() >= k
    assert loss(values, found) <= loss(values, label) * (1 + 1e-12)
    again = mdav_groups(values, k, improve=True, n_iterations=3)
    np.testing.assert_array_equal(found, again)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [2, 3])
def test_small_tables_are_grouped_as_well_as_can_be(k, seed):
    values = np.random.default_rng(seed).normal(size=(9, 2))
    best = min(naive.sse(values.tolist(), groups) for groups in naive.partitions(9, k))
    found = mdav_groups(values, k, improve=True)
    assert loss(values, found) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_no_move_or_swap_is_left_in_a_settled_neighbourhood(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(14, 2))
    own = np.repeat([0, 1, 2], [6, 5, 3])
    gaps = ((values[:, np.newaxis] - values) ** 2).sum(axis=2)
    after = settle(gaps, own, 3, 3)
    assert after == pytest.approx(loss(values, own), rel=1e-9)
    assert np.bincount(own, minlength=3).min() >= 3
    for i in range(14):
        for group in range(3):
            moved = own.copy()
            moved[i] = group
            if np.bincount(moved, minlength=3).min() >= 3:
                assert loss(values, moved) >= after * (1 - 1e-8)
        for j in range(i):
            swapped = own.copy()
            swapped[[i, j]] = own[[j, i]]
            assert loss(values, swapped) >= after * (1 - 1e-8)


@pytest.mark.slow
def test_classes_of_mixed_rows_are_closer():
    rng = np.random.default_rng(1)
    table = {"a": rng.integers(0, 9, 300), "b": rng.choice([*"uvwxyz"], 300)}
    table = pd.DataFrame(table)
    plain, improved = (
        MDAVAnonymizer(7, improve=improve).fit(table) for improve in (False, True)
    )
    assert improved.release_.class_sizes.min() >= 7
    gaps = [within(table, fitted.classes_) for fitted in (plain, improved)]
    assert gaps[1] < 0.98 * gaps[0]


def within(table, classes):
    """Sum over classes of the squared distances of pairs, over the size."""
    number = (table["a"] - table["a"].mean()).to_numpy() / table["a"].std(ddof=0)
    name = table["b"].to_numpy()
    total = 0.0
    for group in np.unique(classes):
        rows = np.flatnonzero(classes == group)
        for i in rows:
            total += ((number[rows] - number[i]) ** 2).sum() / (2 * len(rows))
            total += (name[rows] != name[i]).sum() / (2 * len(rows))
    return total


def test_refuses_groups_too_large_to_improve():
    with pytest.raises(ParameterError, match="2000"):
        mdav_groups(np.zeros((5000, 1)), 2001, improve=True)
    with pytest.raises(ParameterError, match="n_iterations"):
        mdav_groups(np.zeros((5, 1)), 2, improve=True, n_iterations=0)
