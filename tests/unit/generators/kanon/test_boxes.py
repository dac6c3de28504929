"""Boxes of records, which large truthful classes may begin from."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth.evaluation import information_loss, mean_joint_hellinger
from coclust_synth.generators.kanon import hybrid
from coclust_synth.generators.kanon.boxes import boxes
from coclust_synth.generators.kanon.classes.forming import class_problem
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import collapse


def problem_of(codes, n_leaves, k, persons=None):
    records, inverse = collapse(codes, n_leaves)
    d = len(n_leaves)
    problem = class_problem(
        records,
        k,
        is_interval=np.zeros(d, bool),
        is_truthful=np.ones(d, bool),
        record_of_row=inverse,
        persons=persons,
    )
    return problem, inverse


def test_the_widest_variable_is_cut_at_the_median():
    codes = np.array([[i, i % 2] for i in range(8)])
    problem, inverse = problem_of(codes, [8, 2], 2)
    found = boxes(problem)[inverse]
    # Halves of the first variable, which are then narrower than the second is.
    assert [sorted(np.flatnonzero(found == own)) for own in range(4)] == [
        *([0, 2], [1, 3], [4, 6], [5, 7])
    ]


@pytest.mark.parametrize("seed", range(5))
def test_boxes_hold_k_persons_and_cannot_be_halved(seed):
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(0.3, (300, 3)) - 1, 5)
    who = Persons("who", np.append(np.arange(90), rng.integers(0, 90, 210)))
    problem, inverse = problem_of(codes, [6, 6, 6], 7, who)
    found = boxes(problem)[inverse]
    assert sorted(set(found)) == list(range(found.max() + 1))
    for own in range(found.max() + 1):
        rows = found == own
        assert len({*who.codes[rows]}) >= 7
        for column in codes[rows].T:
            for cut in np.unique(column)[:-1]:
                sides = [{*who.codes[rows][side]} for side in (column <= cut,)]
                sides.append({*who.codes[rows][column > cut]})
                halves = abs((column <= cut).sum() - rows.sum() / 2)
                best = min(
                    abs((column <= c).sum() - rows.sum() / 2)
                    for c in np.unique(column)[:-1]
                )
                assert min(map(len, sides)) < 7 or halves > best
    np.testing.assert_array_equal(boxes(problem), boxes(problem))


def test_large_truthful_classes_are_those_that_are_better_in_both(monkeypatch):
    rng, n = np.random.default_rng(0), 2000
    table = pd.DataFrame({"tenure": rng.integers(0, 60, n)})
    for share in (0.2, 0.4, 0.6):
        table[f"has {share}"] = rng.random(n) < share
    table["pay"] = 20 + table["tenure"] // 2 + rng.integers(0, 30, n)

    def figures():
        anonymizer = HybridKAnonymizer(
            k=150, truthful=True, n_iterations=2, random_state=0
        )
        release = anonymizer.fit(table).release_
        assert release.class_sizes.min() >= 150
        return information_loss(release), mean_joint_hellinger(table, release)

    chosen = figures()
    monkeypatch.setattr(hybrid, "MANY", 10_000)
    clusters_alone = figures()
    assert chosen[0] < clusters_alone[0]
    assert chosen[1] < clusters_alone[1]
