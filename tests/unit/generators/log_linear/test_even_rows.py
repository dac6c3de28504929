"""Rows of a junction tree: their margins are hardly off by chance."""

import numpy as np
import pytest

from coclust_synth.generators.log_linear._row_kernels import fill_evenly
from coclust_synth.generators.log_linear.even_rows import draw_even_rows
from coclust_synth.generators.log_linear.junction_tree import JunctionTree
from tests.naive import even_rows as naive

SIZES = (3, 4, 2, 5)
TREE = JunctionTree(SIZES, [(0, 1), (1, 2), (3,)])


@pytest.fixture(scope="module")
def beliefs():
    rng = np.random.default_rng(0)
    factors = [rng.dirichlet(np.ones(12)).reshape(3, 4), rng.random((4, 2)) ** 3]
    factors = {(0, 1): factors[0], (1, 2): factors[1], (3,): rng.random(5) ** 4}
    return TREE.calibrate([factors[clique] for clique in TREE.cliques])


def joint_of(beliefs):
    """Of all columns, by the independence that the tree says."""
    of = dict(zip(TREE.cliques, beliefs, strict=True))
    second = of[1, 2] / of[1, 2].sum(axis=1, keepdims=True)
    return np.einsum("ab,bc,d->abcd", of[0, 1], second, of[3,])


@pytest.mark.parametrize("axes", [(0,), (3,), (0, 1), (0, 2), (1, 3), (0, 2, 3)])
def test_margins_of_up_to_three_columns_are_those_of_the_model(beliefs, axes):
    n = 2000
    rows = draw_even_rows(TREE, beliefs, n, np.random.default_rng(1))
    others = tuple(k for k in range(4) if k not in axes)
    expected = n * joint_of(beliefs).sum(axis=others)
    made = np.zeros_like(expected)
    np.add.at(made, tuple(rows[:, axis] for axis in axes), 1)
    # By chance pairs would be off by roots of what is expected: 5 to 20 rows.
    assert np.abs(made - expected).max() < 3


@pytest.mark.slow
def test_a_single_row_has_each_value_as_often_as_the_model_says(beliefs):
    rng = np.random.default_rng(2)
    made = np.zeros(SIZES)
    for _ in range(400):
        made[tuple(draw_even_rows(TREE, beliefs, 1, rng)[0])] += 1
    for axes in ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)):
        share = joint_of(beliefs).sum(axis=axes)
        assert np.abs(made.sum(axis=axes) / 400 - share).max() < 0.1


def test_rare_values_are_drawn_as_often_as_the_model_says():
    shares = np.r_[0.5, 0.4, np.full(100, 0.001)]
    tree = JunctionTree((102, 2), [(0,), (1,)])
    of = {(0,): shares, (1,): np.array([0.3, 0.7])}
    beliefs = [of[clique] for clique in tree.cliques]
    rng = np.random.default_rng(3)
    rare = [(draw_even_rows(tree, beliefs, 50, rng)[:, 0] > 1).sum() for _ in range(80)]
    assert 4 < np.mean(rare) < 6


def test_no_value_of_share_0_and_no_rows_without_rows():
    tree = JunctionTree((4, 2), [(0, 1)])
    beliefs = [np.array([[0.0, 0.0], [0.5, 0.0], [0.3, 0.2], [0.0, 0.0]])]
    rows = draw_even_rows(tree, beliefs, 500, np.random.default_rng(4))
    assert set(map(tuple, rows.tolist())) == {(1, 0), (2, 0), (2, 1)}
    assert draw_even_rows(tree, beliefs, 0, np.random.default_rng(4)).shape == (0, 2)


def test_the_kernel_is_its_slow_twin():
    rng = np.random.default_rng(5)
    n, sizes = 60, np.array([3, 2, 4, 3])
    codes = np.column_stack([rng.integers(size, size=n) for size in sizes])
    given = rng.dirichlet(np.ones(4), 3)
    given[1, 3], given[1, 2] = 0.0, given[1, 2] + given[1, 3]
    members = np.array([(-1, -1), (3, -1), (0, -1), (1, -1), (0, 1)])
    order, points = rng.permutation(n), rng.random((n, 3))
    cells = np.where(members >= 0, sizes[members], 1).prod(axis=1) * 4
    ends = given.cumsum(axis=1)
    ends[:, -1] = ends[1, 2] = 1.0
    found = naive.fill_evenly(codes.tolist(), 2, order, given, points, members)
    arrays = members, sizes, np.cumsum(cells) - cells, np.zeros(cells.sum())
    fill_evenly(codes, 2, order, given, ends, points, *arrays)
    assert codes[:, 2].tolist() == found
