"""Columns that nothing tells anything of get large leaves, and others do not."""

from functools import partial

import numpy as np
import pytest

from coclust_synth.generators.plain.trees.screening import UNTOLD_LEAVES, is_told
from coclust_synth.generators.plain.trees.trees import grow_tree

N, K = 2000, 20


def n_leaves(own, columns, n_own=(4, 0), n_ordered=()):
    codes = np.column_stack(columns).astype(np.int32)
    n_codes = codes.max(axis=0).astype(np.int64) + 1
    ordered = np.zeros_like(n_codes)
    ordered[list(n_ordered)] = n_codes[list(n_ordered)]
    parents = list(range(codes.shape[1]))
    own = own.astype(np.int32)
    tree = grow_tree(own, n_own, parents, codes, n_codes, ordered, K)
    return int((tree.left < 0).sum())


@pytest.mark.slow
def test_leaves_of_what_is_independent_are_large():
    """By chance a column in a thousand seems to tell a value: .034 of 600 such tables.

    Of 80 more than eight do so once in five hundred times.
    """
    n_told = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        columns = [rng.integers(0, m, N) for m in (3, 500, 60)]
        own = rng.integers(0, 4, N)
        for n_own in ((4, 0), (4, 4)):
            n_told += n_leaves(own, columns, n_own, n_ordered=[1]) > UNTOLD_LEAVES
    assert n_told <= 8


@pytest.mark.parametrize("n_own", [(4, 0), (4, 4)])
def test_one_column_that_tells_something_is_enough(n_own, rng):
    numbers, category = rng.integers(0, 500, N), rng.integers(0, 3, N)
    grown = partial(n_leaves, n_own=n_own, n_ordered=[1])
    for tells in (numbers > 400, category == 1):
        own = np.where(tells & (rng.random(N) < 0.5), 3, rng.integers(0, 4, N))
        assert grown(own, [category, numbers]) > 40


def test_so_are_two_columns_that_tell_it_together_alone(rng):
    one, two = rng.integers(0, 10, (2, N))
    alike = (one + two) % 2
    own = np.where(rng.random(N) < 0.6, alike, rng.integers(0, 2, N))
    assert n_leaves(own, [one, two], (2, 0)) > 40
    assert n_leaves(rng.permutation(own), [one, two], (2, 0)) <= UNTOLD_LEAVES


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_one_person_are_one_piece_of_evidence(seed):
    """Both columns stay in all of a person's rows, so that rows alone would agree."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(100), 20)
    own, place = rng.integers(0, 4, (2, 100))[:, person]
    codes, target = place[:, None].astype(np.int32), (own == 0)[:, None].astype(float)
    tells = partial(is_told, codes, np.array([False]), target)
    one_leaf = (np.zeros(N, dtype=np.int64),)
    assert not tells(person, lambda rows: one_leaf)
    leaf = (
        person % 7,
    )  # halves of the rows foretell each other, those of persons do not
    assert not tells(person, lambda rows: leaf)
    assert tells(np.arange(N), lambda rows: leaf)


def test_a_constant_has_one_leaf():
    assert n_leaves(np.zeros(N), [np.arange(N) % 7], (1, 0)) == 1


def test_rows_of_one_person_alone_have_no_halves():
    column = np.arange(60) % 3
    codes, target = column[:, None].astype(np.int32), np.eye(3)[column // 2]
    asked = codes, np.array([False]), np.roll(target, 20, axis=0)
    assert not is_told(*asked, np.zeros(60, int), lambda rows: 1 / 0)
