import math
import re

import numpy as np
import pytest

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy import (
    AlphaK,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveLDiversity,
    TCloseness,
)
from coclust_synth.privacy.models.base import check_reachable
from coclust_synth.privacy.models.options import (
    parse_alpha,
    parse_delta_presence,
    parse_l_diversity,
    parse_t_closeness,
)

TREE = [[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]]


def holds(model, *counts):
    return model.holds(np.array(counts), np.sum(counts, axis=0)).tolist()


# --- bounds ---------------------------------------------------------------------


def test_bounds_are_reached_exactly():
    assert holds(KAnonymity(3), [2, 1], [1, 1]) == [True, False]
    assert holds(DistinctLDiversity(2), [9, 1], [5, 0]) == [True, False]
    assert holds(EntropyLDiversity(3), [2, 2, 2], [3, 2, 2]) == [True, False]
    assert holds(AlphaK(0.3), [3, 3, 3, 1], [4, 3, 3, 0]) == [True, False]
    assert holds(TCloseness(0.1), [4, 6], [6, 4]) == [True, True]
    assert holds(TCloseness(0.0999), [4, 6], [6, 4]) == [False, False]
    assert holds(DeltaPresence(0.1, 0.3), [1, 10], [3, 10], [4, 10], [0, 9]) == [
        *(True, True, False, False)
    ]


def test_every_number_of_equal_values_is_as_diverse_as_it_is():
    for n in range(2, 200):
        assert holds(EntropyLDiversity(n), [7] * n) == [True]
        assert holds(EntropyLDiversity(n + 1e-6), [7] * n) == [False]


@pytest.mark.parametrize("tenths", range(1, 60))
def test_recursive_diversity_is_strict(tenths):
    # r_1 = c r_2 exactly, for a c that binary fractions round.
    counts = [max(tenths, 10), min(tenths, 10)]
    c = counts[0] / counts[1]
    assert holds(RecursiveLDiversity(c, 2), counts) == [False]
    assert holds(RecursiveLDiversity(c * (1 + 1e-12), 2), counts) == [True]


def test_recursive_diversity_sorts_counts_decreasing():
    # Increasing, (2, 2) would hold: 1 < 2 (2 + 9).
    for counts in ([9, 1, 2], [1, 2, 9], [2, 9, 1]):
        assert holds(RecursiveLDiversity(2, 2), counts) == [False]
        model = RecursiveLDiversity(1, 2)
        assert model.values([counts], counts) == pytest.approx([3.0])


def test_fewer_values_than_l_are_infinitely_far():
    assert RecursiveLDiversity(5, 3).values([[4, 4, 0]], [4, 4, 0]) == [math.inf]
    assert holds(RecursiveLDiversity(1e300, 3), [4, 4, 0]) == [False]


def test_values_nobody_holds_count_in_the_ordered_distance_only():
    total = np.array([5, 0, 0, 0, 5])
    assert TCloseness(1, "ordered").values([[5, 0, 0, 0, 0]], total) == [0.5]
    assert DistinctLDiversity(1).reachable(total) == 2
    # Half of the mass over one step of two values, against four of five.
    assert TCloseness(1, "ordered").values([[5, 0, 0]], [5, 5, 0]) == [0.25]
    assert TCloseness(1, "ordered").values([[5, 0]], [5, 5]) == [0.5]


def test_distances_by_hand():
    total = np.array([1, 1, 1, 1])
    values = {
        d: TCloseness(1, d).values([[1, 1, 0, 0]], total)[0]
        for d in ("equal", "ordered")
    }
    assert values == {"equal": 0.5, "ordered": pytest.approx((0.25 + 0.5 + 0.25) / 3)}
    tree = TCloseness(1, "hierarchical", TREE)
    # A quarter and a quarter to the other branch: distance 2/2 each.
    assert tree.values([[1, 1, 0, 0]], total) == pytest.approx([0.5])
    # Two quarters to the neighbour, one half as far.
    assert tree.values([[1, 0, 1, 0]], total) == pytest.approx([0.25])


def test_the_counts_given_are_left_as_they_are():
    counts = np.array([[0, 3], [2, 1]])
    for model in (RecursiveLDiversity(1, 2), TCloseness(1), EntropyLDiversity(1)):
        model.values(counts, [2, 4])
    assert counts.tolist() == [[0, 3], [2, 1]]


def test_counts_can_be_of_any_integers():
    counts = np.array([[9, 1, 2]], dtype=np.uint8)
    assert RecursiveLDiversity(1, 2).values(counts, counts[0]) == [3]


def test_empty_classes_are_refused():
    with pytest.raises(ParameterError, match="at least one row"):
        AlphaK(0.5).values([[1, 2], [0, 0]], [1, 2])


# --- what can be reached --------------------------------------------------------


@pytest.mark.parametrize(
    "model, total, best",
    [
        (DistinctLDiversity(3), [5, 5], "distinct l = 2"),
        (EntropyLDiversity(2), [5, 4], "entropy l = 1.98"),
        (RecursiveLDiversity(1, 2), [5, 5], "c = 1;"),
        (AlphaK(0.5), [6, 4], "largest share = 0.6"),
        (KAnonymity(11), [6, 4], "rows = 10"),
    ],
)
def test_a_model_out_of_reach_is_refused(model, total, best):
    best = re.escape(best.rstrip(";"))
    with pytest.raises(ParameterError, match=f"'job' can satisfy.*{best}"):
        check_reachable(model, "job", total)


def test_a_model_within_reach_is_not():
    for model in (
        DistinctLDiversity(2),
        EntropyLDiversity(1.9),
        AlphaK(0.6),
        RecursiveLDiversity(1.6, 2),
        TCloseness(0, "ordered"),
    ):
        check_reachable(model, "job", [6, 4])


# --- parameters -----------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: KAnonymity(0),
        lambda: KAnonymity(2.5),
        lambda: DistinctLDiversity(0),
        lambda: DistinctLDiversity(1.5),
        lambda: DistinctLDiversity(True),
        lambda: EntropyLDiversity(0.99),
        lambda: EntropyLDiversity(math.nan),
        lambda: EntropyLDiversity(math.inf),
        lambda: RecursiveLDiversity(0, 2),
        lambda: RecursiveLDiversity(-1, 2),
        lambda: RecursiveLDiversity(1, 0),
        lambda: RecursiveLDiversity("1", 2),
        lambda: AlphaK(0),
        lambda: AlphaK(1.01),
        lambda: TCloseness(-0.1),
        lambda: TCloseness(1.1),
        lambda: TCloseness(0.1, "euclidean"),
        lambda: TCloseness(0.1, "hierarchical"),
        lambda: TCloseness(0.1, "equal", TREE),
        lambda: DeltaPresence(-0.1, 0.5),
        lambda: DeltaPresence(0.5, 1.1),
        lambda: DeltaPresence(0.6, 0.5),
    ],
)
def test_a_parameter_out_of_range(make):
    with pytest.raises(ParameterError, match=r"(?s)Expected .*Received .*\. [A-Z]"):
        make()


@pytest.mark.parametrize(
    "nodes, match",
    [
        ([0, 1, 2], "shape"),
        ([[0.5, 1.0], [0.0, 0.0]], "float64"),
        ([[0, 0, 1], [0, 0, 0]], "2, 1"),
        ([[0, 1, 2], [0, 0, 1]], "3, 2"),
        ([[0, 1, 2, 3], [0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 0]], "split at level 2"),
    ],
)
def test_nodes_that_are_no_hierarchy(nodes, match):
    with pytest.raises(ParameterError, match=match):
        TCloseness(0.1, "hierarchical", nodes)


def test_the_hierarchy_of_another_column():
    with pytest.raises(ParameterError, match=r"each of the 3 .*Received 4"):
        TCloseness(0.1, "hierarchical", TREE).values([[1, 0, 1]], [1, 1, 1])


def test_models_are_values():
    assert TCloseness(0.2, "hierarchical", TREE) == TCloseness(
        0.2, "hierarchical", np.array(TREE)
    )
    assert len({KAnonymity(3), KAnonymity(3), KAnonymity(4), AlphaK(0.5)}) == 3


# --- texts ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "parse, text, expected",
    [
        (parse_l_diversity, "distinct:3", (None, DistinctLDiversity(3))),
        (parse_l_diversity, "entropy:2.5", (None, EntropyLDiversity(2.5))),
        (parse_l_diversity, "recursive:4,3", (None, RecursiveLDiversity(4, 3))),
        (parse_l_diversity, "job=distinct:3", ("job", DistinctLDiversity(3))),
        (parse_l_diversity, "a=b:c=entropy:2", ("a=b:c", EntropyLDiversity(2))),
        (parse_t_closeness, "0.2", (None, TCloseness(0.2))),
        (parse_t_closeness, "0.2:ordered", (None, TCloseness(0.2, "ordered"))),
        (parse_t_closeness, "age=0.2:equal", ("age", TCloseness(0.2))),
        (parse_alpha, "0.5", (None, AlphaK(0.5))),
        (parse_alpha, "job=0.5", ("job", AlphaK(0.5))),
        (parse_delta_presence, "0.1,0.5", DeltaPresence(0.1, 0.5)),
    ],
)
def test_texts_that_read(parse, text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    "parse, text, match",
    [
        (parse_l_diversity, "3", "distinct:3"),
        (parse_l_diversity, "distinct", "distinct:3"),
        (parse_l_diversity, "distinct:2.5", "distinct:3"),
        (parse_l_diversity, "recursive:4", "recursive:4,3"),
        (parse_l_diversity, "recursive:4,3,2", "recursive:4,3"),
        (parse_l_diversity, "shannon:3", "entropy:2.5"),
        (parse_l_diversity, "distinct:0", "whole number from 1"),
        (parse_l_diversity, "entropy:nan", "number from 1"),
        (parse_t_closeness, "", "0.2:ordered"),
        (parse_t_closeness, "0.2:hierarchical", "0.2:ordered"),
        (parse_t_closeness, "1.2", "from 0 to 1"),
        (parse_alpha, "half", "0.5"),
        (parse_alpha, "0", "above 0 to 1"),
        (parse_delta_presence, "0.1", "0.1,0.5"),
        (parse_delta_presence, "0.5,0.1", "at most the upper"),
    ],
)
def test_texts_that_do_not(parse, text, match):
    with pytest.raises(ParameterError, match=match):
        parse(text)
