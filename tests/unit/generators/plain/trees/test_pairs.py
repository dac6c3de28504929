from itertools import product

import numpy as np
import pytest

from coclust_synth.generators.plain.trees._pair_kernels import best_splits
from coclust_synth.generators.plain.trees.orders import Target
from coclust_synth.generators.plain.trees.pairs import Half, _sums_of_sides, find_pair
from coclust_synth.generators.plain.trees.trees import grow_tree


def told(target, rows):
    """What it tells of a target to set some rows apart, by its definition."""
    parts = target[rows], target[~rows]
    whole = ((target - target.mean(axis=0)) ** 2).sum()
    return whole - sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)


@pytest.mark.parametrize("seed", range(8))
def test_the_pair_tells_more_than_its_halves_and_than_any_other(seed):
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 2, (400, 4)).astype(np.int32)
    a, b, c, d = features.T
    chance = 0.3 * c + 0.5 * (a & b) if seed % 2 else 0.3 * c + 0.3 * d
    target = (rng.random((400, 2)) < chance[:, None]).astype(float)
    alone = [told(target, own == 0) for own in features.T]
    best, expected = 0.0, None
    for i, j, *sides in product(range(4), range(4), *[(True, False)] * 2):
        halves = Half(i, 0, sides[0]), Half(j, 0, sides[1])
        first, second = (half.rows(features) for half in halves)
        if i == j or min((first & second).sum(), (first & ~second).sum()) < 20:
            continue
        own = told(target, first & second)
        if own > max(alone[i] + alone[j], *alone, best * (1 + 1e-9)):
            best, expected = own, {halves[0], halves[1]}
    found = find_pair(features, target, 20)
    assert (found and {*found}) == expected


def test_the_split_of_a_feature_tells_more_than_its_others():
    rng = np.random.default_rng(0)
    features = np.maximum(rng.integers(-4, 9, (300, 12)), -1).astype(np.int32)
    features[:, 6:] = np.maximum(features[:, 6:], 2 * (features[:, 6:] // 2))
    features[:, 11] = 3  # that cannot be split
    target = rng.integers(-50, 50, (300, 3)).astype(float)
    target -= np.round(target.mean(axis=0))
    found = best_splits(np.ascontiguousarray(features.T), target, 25)
    for own, at, most, missing in zip(features.T, *found, strict=True):
        tried = {}
        for code in np.unique(own):
            left = own <= code
            if min(left.sum(), (~left).sum()) >= 25:
                sides = left.sum() * (~left).sum()
                squares = (target[left].sum(axis=0) ** 2).sum()
                tried[code] = squares * len(own) / sides
        best = max(tried, key=tried.get, default=None)
        if best is None:
            assert most == -1
        else:
            assert (at, most) == (best, pytest.approx(tried[best]))
        assert missing == pytest.approx(tried.get(-1, -1))


def test_few_rows_that_two_columns_tell_have_a_leaf_of_their_own():
    """Loans to two borrowers of whom nobody was checked, beside what loans are for."""
    rng = np.random.default_rng(0)
    n = 8000
    joint = rng.random(n) < 0.15
    unchecked = ~joint
    unchecked[np.flatnonzero(joint)[:28]] = True
    purpose, rate = rng.integers(0, 4, n), rng.integers(0, 12, n)
    chance = np.where(purpose == 0, 0.2 - 0.01 * rate, 0.02)
    paid = np.where(joint, unchecked, rng.random(n) < chance)
    codes = np.column_stack([joint, unchecked, purpose, rate]).astype(np.int32)
    sizes = np.array([2, 2, 4, 12])
    of_own = paid.astype(np.int32), (2, 0), range(4)
    tree = grow_tree(*of_own, codes, sizes, np.array([0, 0, 0, 12]), 20)
    leaf = tree.leaf_of(codes)
    of_few = leaf[joint & unchecked]
    assert len(np.unique(of_few)) == 1
    assert (leaf == of_few[0]).sum() == 28


@pytest.mark.slow
def test_each_part_of_a_pair_has_k_rows():
    """Also where a column tells nothing at all of the target, wherever it is cut."""
    n_found = 0
    for seed in range(500):
        rng = np.random.default_rng(seed)
        features = rng.integers(0, 3, (8, 3)).astype(np.int32)
        target = rng.integers(0, 2, (8, 1)).astype(float)
        pair = find_pair(features, target, 2)
        if pair is not None:
            first, second = (half.rows(features) for half in pair)
            parts = first & second, first & ~second, ~first
            assert min(part.sum() for part in parts) >= 2
            n_found += 1
    assert n_found > 50


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_targets_that_are_mostly_0_are_those_of_all_rows(seed):
    rng = np.random.default_rng(seed)
    target = (rng.integers(0, 30, 500)[:, None] == np.arange(20)).astype(float)
    target[:, 0] = rng.random(500)
    codes = rng.integers(0, 7, 500).astype(np.int32)
    found, expected = Target(target), [target[codes == c].sum(axis=0) for c in range(9)]
    np.testing.assert_allclose(found.sums(codes, 9), expected)
    assert found.squares == pytest.approx(((target - found.mean) ** 2).sum())
    left, whole = rng.random((500, 5)) < 0.4, np.round(target * 100) - 7
    for sums, one, other in zip(
        _sums_of_sides(left, whole),
        *np.array([[1, 1, 0, 0], [1, 0, 1, 0]]),
        strict=True,
    ):
        for i, j in product(range(5), range(5)):
            rows = (left[:, i] == one) & (left[:, j] == other)
            assert np.array_equal(sums[:, i, j], whole[rows].sum(axis=0))
