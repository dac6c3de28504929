"""Scores and parent sets against brute force, and the sensitivity of scores."""

from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import noise as naive

from coclust_synth.baselines.parent_sets import maximal_parent_sets, row_score

tables = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=0, max_size=25
)


def score(rows):
    child, parents = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return row_score(child, parents, 4, 3)


@given(tables)
def test_scores_are_the_rounded_formula(rows):
    child, parents = np.array(rows, dtype=np.int64).reshape(-1, 2).T.tolist()
    assert score(rows) == floor(naive.row_score(child, parents))


@given(tables, st.tuples(st.integers(0, 3), st.integers(0, 2)))
def test_one_row_changes_a_score_by_two_at_most(rows, row):
    assert abs(score([*rows, row]) - score(rows)) <= 2
    exact = [
        naive.row_score(*map(list, zip(*table, strict=True))) if table else 0
        for table in (rows, [*rows, row])
    ]
    n = len(rows)
    assert abs(exact[1] - exact[0]) * (n + 1) <= max(2 * n, 1)


def test_a_sensitivity_of_one_would_be_too_small():
    """A row with a value and parents that nobody has: 0 before, 2 n / (n + 1) after."""
    rows = [(0, 0)] * 30
    assert naive.row_score([0] * 30, [0] * 30) == 0
    after = naive.row_score([0] * 30 + [1], [0] * 30 + [1])
    assert after == pytest.approx(2 * 30 / 31)
    assert score([*rows, (1, 1)]) == 1


def test_scores_are_rows_out_of_place():
    assert score([(0, 0)] * 50 + [(1, 1)] * 50) == 50
    assert score([(0, 0), (0, 1), (1, 0), (1, 1)] * 10) == 0


@given(
    st.lists(st.integers(1, 6), max_size=5),
    st.floats(0, 300, allow_nan=False),
)
def test_parent_sets_are_all_maximal_ones(sizes, limit):
    named = list(enumerate(sizes))
    found = maximal_parent_sets(named, limit)
    assert len(set(found)) == len(found)
    # A product of quotients may round to just below 1: keep off the boundary.
    expected = naive.maximal_parent_sets(named, limit)
    if limit != int(limit):
        assert set(found) == set(expected)
