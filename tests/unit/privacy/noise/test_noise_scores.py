"""Scores of dependence against the formula, and their sensitivity at any size."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import noise as naive

from coclust_synth.privacy.noise.scores import DEPENDENCE_SENSITIVITY, dependent_rows

tables = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=0, max_size=25
)


def score(rows):
    child, parents = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    counts = np.bincount(parents * 4 + child, minlength=12).reshape(3, 4)
    return dependent_rows(counts)


@given(tables)
def test_scores_are_the_rounded_formula(rows):
    child, parents = np.array(rows, dtype=np.int64).reshape(-1, 2).T.tolist()
    assert score(rows) == floor(naive.row_score(child, parents))


@given(tables, st.tuples(st.integers(0, 3), st.integers(0, 2)))
def test_one_row_changes_a_score_by_two_at_most(rows, row):
    assert abs(score([*rows, row]) - score(rows)) <= DEPENDENCE_SENSITIVITY
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
    st.lists(st.integers(0, 2**59), min_size=12, max_size=12),
    st.integers(0, 11),
    st.integers(0, 60),
)
def test_scores_of_billions_of_rows_are_exact(numbers, cell, shift):
    """At 4e9 rows, n times a count is beyond 64 bits."""
    counts = np.array(numbers, dtype=np.int64).reshape(3, 4) >> shift
    more = counts.copy()
    more.flat[cell] += 1
    scores = [dependent_rows(table) for table in (counts, more)]
    assert abs(scores[1] - scores[0]) <= DEPENDENCE_SENSITIVITY
    rows, columns, n = counts.sum(axis=1), counts.sum(axis=0), max(int(counts.sum()), 1)
    exact = sum(
        abs(Fraction(int(counts[i, j])) - Fraction(int(rows[i]) * int(columns[j]), n))
        for i in range(3)
        for j in range(4)
    )
    assert scores[0] == floor(exact / 2)


@pytest.mark.parametrize("n", [2**30, 2**30 - 1, 2 * 10**9])
def test_two_columns_that_are_the_same(n):
    """Around the size where arithmetic changes, the score is n / 2."""
    assert dependent_rows(np.array([[n, 0], [0, n]])) == n
