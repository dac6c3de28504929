from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.generators.plain.structured.drawing.rows import draw_rows
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.generators.plain.structured.leaves.inside import (
    Inside,
    end_runs,
    learn_inside,
    ranks,
    scores,
)
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.trees.coarser import coarser
from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.rows import ColumnCounts
from coclust_synth.tables.rules.found import rules_of

# Values that many hold: no end is a run.
_NO_RUNS = learn_atoms(
    ColumnCounts(np.arange(3), np.full(3, 90)), None, SteppedRuler(1)
)


def _learnt(own, leaf, n_leaves, atoms, known, k):
    known = {j: ranks(numbers) for j, numbers in known.items()}
    return learn_inside(ranks(own), leaf, n_leaves, atoms, known, k)


def _leaves(seed, share, n=1200):
    """Numbers, their leaves, and others that they go along in all but the first."""
    rng = np.random.default_rng(seed)
    x, y, chance = rng.standard_normal((3, n))
    leaf = np.arange(n) % 4
    own = share * (leaf > 0) * x + np.sqrt(1 - (share * (leaf > 0)) ** 2) * chance
    return 10 * leaf + own, leaf, {3: x, 5: y}


def test_what_the_numbers_of_a_leaf_go_along_is_learnt():
    own, leaf, known = _leaves(0, 0.8)
    inside = _learnt(own, leaf, 4, _NO_RUNS, known, 100)
    assert inside.columns.tolist() == [3]
    assert inside.shares[0] == 0 and (inside.shares[4:] == 0).all()
    assert np.abs(inside.shares[1:4] - 0.8).max() <= 0.1
    parts = inside.shares * 20
    np.testing.assert_allclose(parts, np.rint(parts))


def test_two_columns_tell_more_than_one():
    own, leaf, known = _leaves(0, 0.6)
    own = own + np.where(leaf > 0, known[5], 0)
    inside = _learnt(own, leaf, 4, _NO_RUNS, known, 100)
    assert inside.columns.tolist() == [3, 5]
    assert (inside.slopes[:, 1:4] > 0).all() and (inside.shares[1:4] > 0.7).all()


@pytest.mark.parametrize("seed", range(8))
def test_what_hangs_together_with_nothing_goes_along_nothing(seed):
    own, leaf, known = _leaves(seed, 0.0)
    assert _learnt(own, leaf, 4, _NO_RUNS, known, 100) is None


def test_of_a_leaf_of_few_nothing_is_told():
    own, leaf, known = _leaves(0, 0.8)
    own[(leaf == 2) & (np.arange(len(own)) >= 4 * 99)] = np.nan  # 99 are left
    inside = _learnt(own, leaf, 4, _NO_RUNS, known, 100)
    assert inside.shares[2] == 0 and inside.shares[3] > 0


@pytest.mark.parametrize("held", [1, 3, 19])
def test_a_few_that_are_apart_from_all_others_tell_nothing(held):
    """One of a hundred has two numbers that are not 0: nobody else says they meet."""
    x, y = np.zeros((2, 100))
    x[:held], y[:held] = np.arange(held) + 1, np.arange(held) + 2
    leaf, other = np.zeros(100, dtype=int), np.random.default_rng(0).random(100)
    other[:held] += 1
    for own, known in ((y, x), (other, x), (y, other)):
        assert _learnt(own, leaf, 1, _NO_RUNS, {0: known}, 100) is None
    few = np.where(x > 0, x, np.nan)
    assert _learnt(other, leaf, 1, _NO_RUNS, {0: few}, 100) is None
    x, y = x + (np.arange(100) < 30), y + (np.arange(100) < 30)
    assert _learnt(y, leaf, 1, _NO_RUNS, {0: x}, 100) is not None


def test_the_largest_are_told_of_together_where_few_have_each_number():
    """In the leaves nothing goes along: the end is of rows of all of them."""
    rng = np.random.default_rng(0)
    x = rng.pareto(1.5, 2000)
    own = np.where(x > np.sort(x)[-300], x, rng.random(2000))
    own += rng.random(2000) / 1000
    atoms = learn_atoms(
        ColumnCounts(*np.unique(own.round(3), return_counts=True)),
        None,
        ContinuousRuler(),
    )
    leaf = rng.integers(0, 20, 2000)
    inside = _learnt(own, leaf, 20, atoms, {0: x}, 200)
    assert inside.shares[:20].max() == 0 and inside.shares[-1] > 0.9


def test_rows_keep_the_points_of_their_leaf_and_go_along():
    own, leaf, known = _leaves(0, 0.8)
    inside = _learnt(own, leaf, 4, _NO_RUNS, known, 100)
    rng = np.random.default_rng(1)
    points, ends = rng.random(len(own)), np.array([1.0, 1.0, 0.7, 1.0])
    found = inside.points(known.get, leaf, points, ends, rng)
    for t in range(4):
        assert np.array_equal(np.sort(found[leaf == t]), np.sort(points[leaf == t]))
    is_still = (leaf == 0) | (points >= ends[leaf])
    assert np.array_equal(found[is_still], points[is_still])
    of = leaf == 3
    assert abs(np.corrcoef(known[3][of], scores(found, leaf)[of])[0, 1] - 0.8) < 0.1


def test_scores_of_equals_are_the_middle_and_of_missing_ones_0():
    numbers, leaf = np.array([2.0, 1.0, np.nan, 2.0, 7.0]), np.array([0, 0, 0, 0, 1])
    found = scores(numbers, leaf)
    assert found[0] == found[3] > 0 > found[1] and found[2] == found[4] == 0
    assert scores(numbers, np.zeros(5, dtype=int)).sum() == pytest.approx(0, abs=0.1)


def test_a_run_that_is_both_ends_is_none():
    one_run = learn_atoms(
        ColumnCounts(np.arange(30), np.ones(30, dtype=int)), None, SteppedRuler(1)
    )
    assert len(one_run.lows) == 1 and end_runs(one_run) == (None, None)
    assert end_runs(_NO_RUNS) == (None, None)


def _structure(n=4000, k=100):
    """Two proteins, of which few people have ten times as much as most, and an age."""
    rng = np.random.default_rng(0)
    heavy = np.exp(rng.standard_normal(n) + 3 * (rng.random(n) < 0.02))
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "kappa": (heavy * rng.lognormal(0, 0.3, n)).round(3),
            "lambda": (heavy * rng.lognormal(0, 0.3, n)).round(3),
        }
    )
    evidence = evidence_of(table)
    rules = rules_of(evidence, (), k)
    return table, learn_structure(evidence, rules, np.zeros(n, dtype=np.int64), k)


@pytest.mark.slow
def test_the_largest_of_one_column_are_the_largest_of_another():
    """Drawn apart in leaves and runs, they had a correlation of .5 in place of .9."""
    table, structure = _structure()
    real = table.corr().loc["kappa", "lambda"]
    assert real > 0.85
    for seed in range(3):
        rng = np.random.default_rng(seed)
        drawn = draw_rows(structure, np.zeros(len(table), dtype=np.int64), rng)
        own = drawn.astype(float).corr()
        assert own.loc["kappa", "lambda"] > 0.7
        assert abs(own.loc["age", "kappa"]) < 0.06


def test_a_saved_structure_goes_along_as_before_and_a_coarser_one_along_nothing():
    _, structure = _structure()
    again = Structure.from_dict(structure.to_dict(), structure.arrays())
    clusters = np.zeros(500, dtype=np.int64)
    drawn = [
        draw_rows(own, clusters, np.random.default_rng(0)) for own in (structure, again)
    ]
    pd.testing.assert_frame_equal(*drawn)
    assert any(column.inside is not None for column in again.columns)
    no_merges = np.zeros((0, 2), dtype=np.int64)
    merged = coarser(replace(structure, cluster_merges=no_merges), 300)
    assert all(column.inside is None for column in merged.columns)
    draw_rows(merged, clusters, np.random.default_rng(0))


def test_a_structure_of_other_leaves_or_columns_is_refused():
    own, leaf, known = _leaves(0, 0.8)
    inside = _learnt(own, leaf, 4, _NO_RUNS, known, 100)
    inside.check(4, {3, 5})
    for asked in ((5, {3}), (4, {5})):
        with pytest.raises(ValueError, match="inside"):
            inside.check(*asked)
    data = inside.to_dict()
    data["shares"][1] = 20
    with pytest.raises(ValueError, match="inside"):
        Inside.from_dict(data).check(4, {3})
