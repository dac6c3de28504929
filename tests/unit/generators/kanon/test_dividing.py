"""Rows of one record in several classes, where combinations are few."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth.generators.kanon.classes.dividing import dividing
from coclust_synth.generators.kanon.classes.dividing._joint_kernels import log_cost
from coclust_synth.generators.kanon.classes.dividing.dividing import (
    can_divide,
    divide,
    joint_of,
)
from coclust_synth.generators.kanon.classes.forming import class_problem, form_classes
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.modl.search.clock import Clock
from coclust_synth.privacy.models.diversity import DistinctLDiversity
from coclust_synth.tables.generalized.leaf_coding import LeafCoding
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.rows import DistinctRows, collapse
from tests.naive import dividing as naive

SHARES = {"both": 0.4, "distance": 0.0, "loss": 0.8}


def problem_of(records, k, *, truthful=(), intervals=(), **options):
    d = len(records.n_parts_per_variable)
    return class_problem(
        records,
        k,
        is_interval=np.isin(np.arange(d), intervals),
        is_truthful=np.isin(np.arange(d), truthful),
        **options,
    )


def random_problem(seed, k=5, **options):
    """Rows of few combinations, some of them rare, and classes that have settled."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, rng.integers(2, 4))
    codes = np.column_stack([rng.geometric(0.55, 900) % size for size in sizes])
    records, _ = collapse(codes, sizes)
    problem = problem_of(records, k, **options)
    classes = form_classes(problem, np.zeros(len(records.counts), np.int64), seed=seed)
    return problem, classes


def values_of(problem, own):
    """Covers of classes as sets of values, a list of each variable's."""
    bounds = list(zip(problem.starts[:-1], problem.starts[1:], strict=True))
    return [
        [{*(np.flatnonzero(kept[lo:hi]) + lo).tolist()} for lo, hi in bounds]
        for kept in own.kept
    ]


def pieces_of(problem, own):
    return [
        (tuple(problem.leaves[record].tolist()), int(rows), int(label))
        for record, rows, label in zip(own.record, own.weight, own.label, strict=True)
    ]


def naive_cost(problem, pieces, covers, share):
    return naive.cost(pieces, covers, np.diff(problem.starts).tolist(), share)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("objective", SHARES)
def test_divided_classes_hold_k_and_all_rows_and_cost_less(seed, objective):
    problem, classes = random_problem(seed, k=3 + 2 * seed)
    own = divide(problem, classes, objective=objective, clock=Clock(None))
    rows = np.bincount(own.record, own.weight, len(problem.weight))
    np.testing.assert_array_equal(rows, problem.weight)
    assert own.weight.min() >= 1
    assert np.bincount(own.label, own.weight).min() >= problem.k
    joint = joint_of(problem, classes, 0)
    before = log_cost(*joint.total, SHARES[objective])
    after = naive_cost(
        problem, pieces_of(problem, own), values_of(problem, own), SHARES[objective]
    )
    assert after <= before + 1e-9


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("intervals", [(), (1,)])
def test_costs_are_those_of_the_formula(seed, intervals):
    problem, classes = random_problem(seed, intervals=intervals)
    rows = [
        (tuple(leaves), weight, label)
        for leaves, weight, label in zip(
            problem.leaves.tolist(),
            problem.weight.tolist(),
            classes.label.tolist(),
            strict=True,
        )
    ]
    joint = joint_of(problem, classes, 0)
    expected = naive_cost(problem, rows, values_of(problem, classes), SHARES["both"])
    assert log_cost(*joint.total, SHARES["both"]) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("options", [{}, {"truthful": (0,), "intervals": (1,)}])
def test_costs_that_moves_change_stay_those_of_the_formula(seed, options, monkeypatch):
    problem, classes = random_problem(seed, **options)
    joint = joint_of(problem, classes, 3 * len(problem.weight))
    monkeypatch.setattr(dividing, "joint_of", lambda *_: joint)
    own = divide(problem, classes, objective="both", clock=Clock(None))
    pieces, covers = pieces_of(problem, own), values_of(problem, own)
    expected = naive_cost(problem, pieces, covers, SHARES["both"])
    assert log_cost(*joint.total, SHARES["both"]) == pytest.approx(expected)
    assert joint.lost.sum() == pytest.approx(joint.total[1])
    assert joint.density @ [
        sum(bin(word).count("1") for word in cells) for cells in joint.cells.tolist()
    ] == pytest.approx(joint.released.sum())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("truthful", [(), (0,), (0, 1)])
def test_no_light_record_would_join_another_class(seed, truthful, monkeypatch):
    monkeypatch.setattr(dividing, "_MAX_ROUNDS", 50)
    problem, classes = random_problem(seed, truthful=truthful)
    own = divide(problem, classes, objective="both", clock=Clock(None))
    pieces, covers = pieces_of(problem, own), values_of(problem, own)
    now = naive_cost(problem, pieces, covers, SHARES["both"])
    sizes = np.bincount(own.label, own.weight)
    light = np.flatnonzero(problem.weight < problem.k)
    for place in light:
        combination, rows, label = pieces[place]
        if 0 < sizes[label] - rows < problem.k:
            continue
        for target in range(len(covers)):
            lacking = [
                value not in cover
                for value, cover in zip(combination, covers[target], strict=True)
            ]
            if target == label or sum(lacking) > 1:
                continue
            for release in naive.joined(
                pieces, covers, place, target, problem.is_truthful
            ):
                assert naive_cost(problem, *release, SHARES["both"]) >= now - 1e-8


@pytest.mark.parametrize("intervals", [(), (0, 1)])
def test_true_labels_have_all_values_and_intervals_have_no_gap(intervals):
    for seed in range(4):
        options = {"truthful": (0,), "intervals": intervals}
        problem, classes = random_problem(seed, **options)
        own = divide(problem, classes, objective="distance", clock=Clock(None))
        for record, label in zip(own.record, own.label, strict=True):
            assert own.kept[label, problem.leaves[record, 0]]
        for variable in intervals:
            lo, hi = problem.starts[variable : variable + 2]
            for kept in own.kept[:, lo:hi]:
                held = np.flatnonzero(kept)
                assert held[-1] - held[0] + 1 == len(held)


def test_two_rare_rows_get_a_class_with_three_of_the_many():
    records = DistinctRows(
        np.array([[0, 2], [1, 2], [0, 3]]), np.array([500, 2, 500]), np.array([2, 2])
    )
    problem = problem_of(records, 5)
    classes = form_classes(problem, np.zeros(3, np.int64), seed=0)
    own = divide(problem, classes, objective="distance", clock=Clock(None))
    founded = own.label[1]
    assert (own.label[0] != founded) and (own.label[own.record == 0] == founded).any()
    assert np.bincount(own.label, own.weight)[founded] == 5
    assert own.kept[founded].tolist() == [True, True, True, False]


def test_no_round_begins_when_time_is_over():
    problem, classes = random_problem(1)
    clock = Clock(0.0)
    own = divide(problem, classes, objective="both", clock=clock)
    np.testing.assert_array_equal(own.label, classes.label)
    np.testing.assert_array_equal(own.kept, classes.kept)
    assert clock.cut_short == ["moves"]


def test_persons_groups_of_values_and_few_rows_a_record_are_not_divided():
    records = DistinctRows(np.array([[0], [1]]), np.array([20, 20]), np.array([2]))
    row_record = np.repeat([0, 1], 20)
    persons = Persons("patient", np.arange(40) // 2)
    assert can_divide(problem_of(records, 5))
    assert not can_divide(
        problem_of(records, 5, record_of_row=row_record, persons=persons)
    )
    assert not can_divide(problem_of(records, 5, repeats=np.array([0.5])))
    few = DistinctRows(np.array([[0], [1]]), np.array([5, 4]), np.array([2]))
    assert not can_divide(problem_of(few, 5))


def test_rows_of_a_record_go_to_its_pieces_as_many_as_each_has():
    table = pd.DataFrame({"pet": list("abab") * 10})
    coding = LeafCoding.learn(table, infer_schema(table))
    record, weight = np.array([0, 1, 1, 0]), np.array([15, 1, 19, 5])
    pieces = coding.in_pieces(record, weight, 0, np.arange(40))
    np.testing.assert_array_equal(np.bincount(pieces.inverse), weight)
    np.testing.assert_array_equal(record[pieces.inverse], coding.inverse)
    again = coding.in_pieces(record, weight, 0, np.arange(40))
    np.testing.assert_array_equal(pieces.inverse, again.inverse)
    other = coding.in_pieces(record, weight, 1, np.arange(40))
    assert (pieces.inverse != other.inverse).any()


def few_combinations(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    common = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "pay": rng.choice(["a", "b", "c", "d"], n, p=[0.6, 0.38, 0.012, 0.008]),
            "kind": rng.choice(["x", "y", "z"], n, p=[0.7, 0.295, 0.005]),
        }
    )
    return common.assign(illness=rng.choice(["flu", "cold", "none"], n))


def test_of_equal_rows_those_that_go_elsewhere_are_not_told_by_their_place():
    """Of a table in another order another row joined the class of the missing ones."""
    places = np.repeat([2, 0, -1, 1], [11, 9, 8, 7])
    size = pd.Categorical.from_codes(places, ["S", "M", "L"], ordered=True)
    table = pd.DataFrame({"size": size, "illness": np.tile(list("abcdefg"), 5)})
    anonymizer = HybridKAnonymizer(
        9, sensitive=["illness"], intervals=True, n_iterations=2, random_state=0
    )
    one, other = (anonymizer.fit(own).release_ for own in (table, table[::-1]))
    assert one.to_frame()["size"].value_counts()["L"] == 10
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())


@pytest.mark.slow
@pytest.mark.parametrize("truthful", [False, True])
def test_a_divided_release_is_k_anonymous_and_the_same_again(truthful):
    table = few_combinations()
    keys = ["sex", "pay", "kind"]
    options = {"quasi_identifiers": keys, "truthful": truthful, "random_state": 3}
    anonymizer = HybridKAnonymizer(7, **options).fit(table)
    classes = pd.Series(anonymizer.classes_)
    assert classes.value_counts().min() >= 7
    in_classes = classes.groupby([table[key] for key in keys]).nunique()
    assert in_classes.max() > 1  # equal rows are in several classes
    again = HybridKAnonymizer(7, **options).fit(table)
    pd.testing.assert_frame_equal(
        anonymizer.release_.to_frame(), again.release_.to_frame()
    )


@pytest.mark.slow
def test_models_hold_for_classes_that_were_divided():
    table = few_combinations()
    anonymizer = HybridKAnonymizer(
        7,
        quasi_identifiers=["sex", "pay", "kind"],
        sensitive=["illness"],
        models=[("illness", DistinctLDiversity(3))],
        random_state=0,
    ).fit(table)
    held = table["illness"].groupby(anonymizer.classes_).nunique()
    assert held.min() == 3
