"""Large classes that are cut anew, with a near one."""

import numpy as np
import pytest

from coclust_synth.generators.kanon.classes.costs import cost_of
from coclust_synth.generators.kanon.classes.forming import class_problem
from coclust_synth.generators.kanon.classes.persons import persons_by_label, problem_of
from coclust_synth.generators.kanon.classes.sweeping import filled_classes, recut
from coclust_synth.modl.search.clock import Clock
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import collapse
from tests.naive import classes as naive


def problem_of_rows(codes, n_leaves, k, persons=None):
    records, inverse = collapse(codes, n_leaves)
    problem = class_problem(
        records,
        k,
        is_interval=np.zeros(len(n_leaves), bool),
        is_truthful=np.zeros(len(n_leaves), bool),
        record_of_row=inverse,
        persons=persons,
    )
    return problem, inverse


def three_blocks():
    """Three times ten rows, alike in two columns, in two classes of 15."""
    first = np.repeat([0, 1, 2], 10)
    codes = np.column_stack([first, first, np.arange(30) % 2])
    problem, _ = problem_of_rows(codes, [3, 3, 2], 10)
    # Records are in the order of their values, two for each of the first column.
    return problem, np.array([0, 0, 0, 1, 1, 1])


def anew(problem, label, objective="both", clock=None):
    classes = filled_classes(problem, label)
    rng = np.random.default_rng(0)
    found = recut(problem, classes, objective, rng, clock or Clock(None))
    return classes, found


def test_two_classes_of_one_and_a_half_k_become_three():
    problem, label = three_blocks()
    classes, found = anew(problem, label)
    np.testing.assert_array_equal(np.bincount(found, problem.weight), [10, 10, 10])
    values = [{*problem.leaves[found == own, 0].tolist()} for own in range(3)]
    assert sorted(values, key=min) == [{0}, {1}, {2}]
    np.testing.assert_array_equal(classes.label, label)


def test_a_class_of_two_k_becomes_two():
    problem, _ = problem_of_rows(np.repeat([[0], [3]], 10, axis=0), [4], 10)
    _, found = anew(problem, np.zeros(2, np.int64))
    assert sorted(found.tolist()) == [0, 1]


def test_classes_of_k_stay_as_they_are():
    problem, _ = three_blocks()
    assert anew(problem, np.repeat([0, 1, 2], 2))[1] is None


def test_no_class_is_cut_when_the_time_is_over():
    problem, label = three_blocks()
    clock = Clock(0)
    assert anew(problem, label, clock=clock)[1] is None
    assert clock.cut_short == ["moves"]


@pytest.mark.parametrize("objective", ["both", "distance", "loss"])
@pytest.mark.parametrize("seed", range(4))
def test_classes_that_are_cut_anew_cost_less_and_hold_k_persons(seed, objective):
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(0.3, (300, 3)) - 1, 6)
    who = rng.permutation(np.append(np.arange(150), rng.integers(0, 150, 150)))
    persons = Persons("who", who) if seed % 2 else None
    problem, inverse = problem_of_rows(codes, [7] * 3, 15, persons)
    n_records = len(problem.weight)
    label = np.arange(n_records) * 4 // n_records
    classes, found = anew(problem, label, objective)
    assert found.max() > label.max()
    owner = np.arange(300) if persons is None else persons.codes
    assert min(naive.persons_of_classes(found[inverse], owner).values()) >= 15
    after = filled_classes(problem, found)
    assert cost_of(problem, after, objective) < cost_of(problem, classes, objective)


@pytest.mark.parametrize("objective", ["both", "distance", "loss"])
def test_the_cost_is_that_of_distance_and_width(objective, rng):
    codes = rng.integers(0, 5, (40, 2))
    problem, inverse = problem_of_rows(codes, [5, 5], 8)
    label = np.arange(len(problem.weight)) % 4
    classes = filled_classes(problem, label)
    fit = lost = 0.0
    for own in range(4):
        rows = [tuple(row) for row in problem.leaves[inverse][label[inverse] == own]]
        domains = [list(range(5)), list(range(5, 10))]
        fit += naive.best_fit(rows, domains, [False] * 2, 8, False, [1, 1])
        for domain in domains:
            width = sum(classes.kept[own, leaf] for leaf in domain)
            lost += len(rows) * (width - 1) / 4 / 2 / 40
    distance = (1 - fit / (40 * 4)) ** 0.5
    expected = {"both": (distance * lost) ** 0.5, "distance": distance, "loss": lost}
    assert cost_of(problem, classes, objective) == pytest.approx(expected[objective])


@pytest.mark.parametrize("seed", range(3))
def test_the_problem_of_some_records_counts_their_persons(seed):
    rng = np.random.default_rng(seed)
    codes, who = rng.integers(0, 5, (60, 2)), rng.integers(0, 25, 60)
    who[:25] = np.arange(25)
    problem, inverse = problem_of_rows(codes, [5, 5], 4, Persons("who", who))
    members = np.flatnonzero(rng.random(len(problem.weight)) < 0.5)
    part = problem_of(problem, members)
    np.testing.assert_array_equal(part.leaves, problem.leaves[members])
    np.testing.assert_array_equal(part.weight, problem.weight[members])
    label = rng.integers(0, 3, len(members))
    found = persons_by_label(part, label, 3)
    for own in range(3):
        rows = np.isin(inverse, members[label == own])
        assert found[own] == len({*who[rows].tolist()})
