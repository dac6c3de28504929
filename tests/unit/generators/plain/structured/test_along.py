from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of
from support.panels import fitted

from coclust_synth.generators.plain.structured.leaves import along as module
from coclust_synth.generators.plain.structured.leaves.along import Along, learn_along


def _learnt(own, leaf, known, persons, k=20):
    evidence = evidence_of({"own": own}, persons)
    of_leaves = leaf, int(leaf.max()) + 1
    return learn_along(own, int(own.max()) + 1, *of_leaves, known, evidence, k)


def _leaves(seed, slope, n=600, n_persons=100):
    """Codes that go along another column inside of four leaves, and persons."""
    rng = np.random.default_rng(seed)
    x, persons = rng.random((2, n)), np.arange(n) % n_persons
    leaf = rng.integers(0, 4, n)
    own = np.argsort(np.argsort(slope * x[0] + rng.normal(0, 0.1, n))) // 20
    return own, leaf, {"x": x[0], "other": x[1]}, persons


def test_what_goes_along_another_column_inside_leaves_is_learnt():
    own, leaf, known, persons = _leaves(0, 1.0)
    along = _learnt(own, leaf, known, persons)
    assert along.columns[0] == "x"
    assert 0.85 < along.share < 0.98
    assert (along.widths > 0).all()


@pytest.mark.parametrize("seed", range(8))
def test_what_hangs_together_with_nothing_goes_along_nothing(seed):
    assert _learnt(*_leaves(seed, 0.0)) is None


@pytest.mark.parametrize("seed", range(8))
def test_what_stays_in_rows_of_few_persons_goes_along_nothing_by_chance(seed):
    rng, persons = np.random.default_rng(seed), np.repeat(np.arange(28), 30)
    levels = {str(j): rng.random(28)[persons] for j in range(20)}
    own = rng.permutation(28)[persons] + rng.integers(0, 4, len(persons))
    assert _learnt(own, np.zeros(len(own), dtype=np.int64), levels, persons) is None


def test_a_leaf_of_few_persons_is_told_nothing_of():
    own, leaf, known, persons = _leaves(0, 1.0)
    persons = np.where(leaf == 2, persons % 19, persons)
    persons = np.unique(persons, return_inverse=True)[1]
    along = _learnt(own, leaf, known, persons)
    assert along.means[2] == along.widths[2] == 0
    assert (np.delete(along.widths, 2) > 0).all()


def test_what_is_learnt_of_some_persons_is_of_all_leaves(monkeypatch):
    own, leaf, known, persons = _leaves(0, 1.0)
    leaf = np.where(leaf > 0, 1, 2)
    monkeypatch.setattr(module, "_MANY_ROWS", 150)
    assert _learnt(own, leaf, known, persons).columns == ("x",)


def test_every_other_person_is_one_of_those_that_have_a_number(monkeypatch):
    own, leaf, known, persons = _leaves(0, 1.0)
    own = np.where(persons % 2 == 1, own, own.max() + 1)  # the even ones have none
    evidence, n = evidence_of({"own": own}, persons), int(own.max())
    for most in (50_000, 250):
        monkeypatch.setattr(module, "_MANY_ROWS", most)
        along = learn_along(own, n, leaf, 4, known, evidence, 20)
        assert along.columns[0] == "x"


def test_each_person_of_a_leaf_counts_once():
    sums = np.array([0.0, 2.0, 5.0, 5.0, 5.0, 9.0])
    leaf, person = np.array([0, 0, 0, 0, 0, -1]), np.array([0, 0, 1, 1, 1, 0])
    means, widths = module._of_leaves(sums, leaf, 2, person)
    assert means.tolist() == [3.0, 0.0]
    assert widths.tolist() == [2.12, 0.0]  # of 0 and 2, a half each, and of 5


def test_points_follow_the_sum_and_are_spread_evenly(rng):
    place, leaf = rng.random(4000), np.repeat([0, 1], 2000)
    along = Along(("x",), (2.0,), (0.5,), 0.9, np.ones(2), np.full(2, 0.58))
    ends = np.array([1.0, 0.5])
    by_chance = rng.random(4000)
    points = along.points({"x": place}.get, leaf, by_chance, ends, rng)
    assert np.corrcoef(points[:2000], place[:2000])[0, 1] > 0.85
    assert np.abs(np.sort(points[:2000]) - np.arange(2000) / 2000).max() < 0.02
    beyond = (leaf == 1) & (by_chance >= 0.5)
    assert (points[beyond] == by_chance[beyond]).all()
    assert points[(leaf == 1) & ~beyond].max() < 0.5


def test_one_row_of_a_leaf_follows_what_is_told_of_the_leaf():
    along = Along(("x",), (1.0,), (0.5,), 0.95, np.zeros(1), np.ones(1))
    rng, leaf = np.random.default_rng(0), np.zeros(1, dtype=np.int64)
    points = [
        along.points({"x": np.array([x])}.get, leaf, np.zeros(1), np.ones(1), rng)[0]
        for x in (-2, 2)
    ]
    assert points[0] < 0.2 < 0.8 < points[1]


def test_it_is_saved_and_read_and_what_does_not_fit_is_refused():
    along = Along(("x",), (1.5,), (0.5,), 0.9, np.array([0.25, 1]), np.array([0, 2.5]))
    again = Along.from_dict(along.to_dict())
    assert again.to_dict() == along.to_dict()
    again.check(2, {"x"})
    for broken, n in ((again, 3), (replace(again, columns=("y",)), 2)):
        with pytest.raises(ValueError, match="along"):
            broken.check(n, {"x"})


@pytest.mark.slow
def test_numbers_of_rows_of_persons_go_together_inside_large_leaves():
    rng, n, each = np.random.default_rng(3), 60, 12
    speed = (rng.normal(0, 60, (n, 1)) + rng.normal(0, 30, (n, each))).ravel().round()
    score = (1000 * np.tanh(speed / 80) + rng.normal(0, 30, n * each)).round()
    year = np.tile(np.arange(2000, 2000 + each), n)
    of_rows = {"year": year, "speed": speed, "score": score}
    table = pd.DataFrame({"who": np.repeat(np.arange(n), each)} | of_rows)
    drawn = fitted(table, "who", k=45).sample()
    assert drawn[["speed", "score"]].corr("spearman").iloc[0, 1] > 0.85
    moved = (
        of["speed"].groupby(of["who"]).diff().abs().median() for of in (drawn, table)
    )
    assert next(moved) < 1.35 * next(moved)
