import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth.tables.generalized.covering import (
    MAX_LENGTH,
    leaf_texts,
    packed_sets,
    set_labels,
    uniform_weights,
)

AGES = (17, 18, 19, 30, 45, None)


def labels(leaves, ordered, *sets):
    members = np.array([[leaf in chosen for leaf in leaves] for chosen in sets])
    return set_labels(members, leaves, ordered)


@pytest.mark.parametrize(
    "chosen, expected",
    [
        ([18], "18"),
        ([None], "missing"),
        ([17, 18], "[17, 18]"),
        ([18, 19, 30], "[18, 30]"),
        ([17, 19, 30, 45], "{17, [19, 45]}"),
        ([18, 30], "{18, 30}"),
        ([45, None], "{45, missing}"),
        ([17, 18, 19, 30, 45], "[17, 45]"),
        (AGES, "*"),
    ],
)
def test_ordered_sets_read_as_runs(chosen, expected):
    assert labels(AGES, True, chosen) == (expected,)


def test_nominal_sets_read_in_the_order_of_leaves():
    leaves = ("Private", "Local-gov", "State-gov", None)
    assert labels(
        leaves, False, ["State-gov"], ["State-gov", "Private"], leaves, leaves[2:]
    ) == ("State-gov", "{Private, State-gov}", "*", "{State-gov, missing}")


def test_long_sets_say_how_many_leaves_they_leave_out():
    leaves = tuple(f"occupation number {i}" for i in range(9))
    found = labels(leaves, False, leaves[1:6], leaves[1:7], [leaves[1], *leaves[3:7]])
    assert found == (
        "{occupation number 1, occupation number 2, +3}",
        "{occupation number 1, occupation number 2, +4}",
        "{occupation number 1, occupation number 3, +3}",
    )
    # Sets that differ in what is left out alone are numbered.
    assert labels(leaves, False, leaves[1:6], [*leaves[1:5], leaves[8]]) == (
        "{occupation number 1, occupation number 2, +3}",
        "{occupation number 1, occupation number 2, +3} (2)",
    )
    even = tuple(range(1000, 1060))
    (of_runs,) = labels(even, True, [v for v in even if v % 4 and v != 1001])
    assert of_runs.startswith("{[1002, 1003], [1005, 1007], [1009, 1011], ")
    assert len(of_runs) <= MAX_LENGTH
    shown = sum(int(b) - int(a) + 1 for a, b in _runs(of_runs))
    assert of_runs.endswith(f", +{44 - shown}}}")


def _runs(text):
    return [
        run.split(", ") for run in text.split("[")[1:] for run in [run.split("]")[0]]
    ]


def test_a_long_single_leaf_is_not_shortened():
    assert labels(("a" * 99, "b", "c"), False, ["a" * 99]) == ("a" * 99,)


def test_sets_never_read_like_a_leaf_that_they_are_not():
    leaves = ("a", "b", "{a, b}", "*", "missing", None)
    assert labels(leaves, False, ["a", "b"], leaves, [None], ["*"], ["{a, b}"]) == (
        "{a, b} (2)",
        "* (2)",
        "missing (2)",
        "*",
        "{a, b}",
    )


def test_texts_of_leaves_are_different_and_not_blank():
    assert leaf_texts((1, 2.5, True, "1", "", " ", None)) == (
        *("1", "2.5", "True", "1 (2)", "''", "' '", "missing"),
    )


@given(st.data())
def test_labels_of_different_sets_differ(data):
    words = st.sampled_from(["a", "b", "*", "{a, b}", "[a, b]", "missing", "x" * 40])
    leaves = data.draw(st.lists(words, min_size=1, unique=True))
    if data.draw(st.booleans()):
        leaves.append(None)
    row = st.lists(st.booleans(), min_size=len(leaves), max_size=len(leaves))
    rows = data.draw(st.lists(row.filter(any).map(tuple), min_size=1, unique=True))
    found = set_labels(np.array(rows), leaves, data.draw(st.booleans()))
    assert len(set(found)) == len(rows)
    texts = leaf_texts(leaves)
    for label, chosen in zip(found, rows, strict=True):
        assert (label in texts) == (sum(chosen) == 1)


def test_weights_are_even_over_the_leaves_of_a_set():
    found = uniform_weights(np.array([[True, False, True], [False, True, False]]))
    assert found.tolist() == [[0.5, 0, 0.5], [0, 1, 0]]


def test_packed_sets_compare_as_sets_do():
    members = np.random.default_rng(0).random((200, 19)) < 0.5
    members = np.concatenate([members, members[:50], np.eye(19, dtype=bool)])
    found, first, inverse = np.unique(
        packed_sets(members), return_index=True, return_inverse=True
    )
    assert members[first].tolist() == sorted(map(list, {*map(tuple, members)}))
    assert (members[first][inverse] == members).all()
    assert len(found) == len(first)
