from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.dp.dense.blocks import (
    choose_blocks,
    dependence_scores,
    draw_rows,
)

SIZES = (3, 2, 4)
ROWS = st.lists(st.tuples(*(st.integers(0, n - 1) for n in SIZES)), max_size=25)


def _codes(rows):
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(SIZES))


@given(rows=ROWS)
def test_scores_are_those_of_the_formula(rows):
    n = len(rows)
    for (a, b), score in zip(
        combinations(range(3), 2), dependence_scores(_codes(rows), SIZES), strict=True
    ):
        total = 0.0
        for i in range(SIZES[a]):
            for j in range(SIZES[b]):
                both = sum(row[a] == i and row[b] == j for row in rows)
                first = sum(row[a] == i for row in rows)
                second = sum(row[b] == j for row in rows)
                total += abs(both - first * second / max(n, 1))
        assert score == int(total / 2 + 1e-9)


def _scores(d, strong):
    pairs = list(combinations(range(d), 2))
    return np.array([1000 if pair in strong else 3 for pair in pairs])


def test_what_hangs_together_shares_a_block():
    sizes = (5, 5, 5, 5, 5)
    scores = _scores(5, {(0, 3), (1, 4), (2, 4)})
    blocks = [set(block) for block in choose_blocks(sizes, scores, 10.0, 125)]
    assert {1, 2, 4} in blocks
    assert any({0, 3} <= block for block in blocks)


def test_blocks_hold_every_axis_and_not_too_many_cells(rng):
    for _ in range(30):
        sizes = tuple(rng.integers(1, 20, rng.integers(1, 8)).tolist())
        n_pairs = len(sizes) * (len(sizes) - 1) // 2
        scores = rng.integers(-100, 300, n_pairs)
        blocks = choose_blocks(sizes, scores, 50.0, 200)
        assert set().union(*blocks) == set(range(len(sizes)))
        for block in blocks:
            assert len(set(block)) == len(block)
            assert np.prod([sizes[axis] for axis in block]) <= 200


def test_one_block_where_there_is_room():
    assert set(choose_blocks((3, 2, 4), np.zeros(3), 1.0, 24)[0]) == {0, 1, 2}


def test_an_axis_that_fits_in_no_block_is_refused():
    with pytest.raises(ParameterError, match=r"at most 10 values.*one of 11.*Give"):
        choose_blocks((3, 11), np.zeros(1), 1.0, 10)


def test_rows_follow_a_chain_of_blocks(rng):
    first = rng.dirichlet(np.full(12, 0.5)).reshape(4, 3) * 20_000
    rest = rng.dirichlet(np.full(5, 0.5), 3)
    joint = first.sum(axis=0)[:, None] * rest
    sizes = (4, 3, 5)
    codes = draw_rows(sizes, [(0, 1), (2, 1)], [first, joint.T], rng)
    counts = np.bincount(np.ravel_multi_index(codes.T, sizes), minlength=60)
    truth = (first[:, :, None] * rest).ravel()
    assert len(codes) == round(first.sum())
    # Both blocks come back up to rounding; the whole up to the pairing of the rows.
    for axes, wanted in (((0, 1), first), ((1, 2), joint)):
        shape = tuple(sizes[axis] for axis in axes)
        found = np.bincount(np.ravel_multi_index(codes[:, axes].T, shape), minlength=12)
        assert np.abs(found - wanted.ravel()).max() < 2
    assert np.abs(counts - truth).sum() < 0.03 * len(codes)


def test_no_rows_can_be_drawn(rng):
    joints = [np.ones((3, 2)) * 0.0, np.ones((2, 4))]
    assert draw_rows(SIZES, [(0, 1), (1, 2)], joints, rng).shape == (0, 3)
