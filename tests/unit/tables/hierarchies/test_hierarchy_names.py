"""Names of the groups of hierarchies."""

import numpy as np
import pytest
from hypothesis import given
from support.hierarchies import TEXTS, hierarchy_lines

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.hierarchies.names import check_names, name_levels


def names(partitions, texts, counts=None, *, ordered=False):
    counts = np.ones(len(texts)) if counts is None else np.array(counts)
    return name_levels(list(map(np.array, partitions)), texts, counts, ordered=ordered)


def test_groups_name_their_most_frequent_values():
    levels = names(
        [range(5), [0, 1, 1, 0, 1], [0] * 5], ["a", "b", "c", "d", "e"], [1, 5, 9, 2, 7]
    )
    assert levels[1] == ["{d, a}", "{c, e, b}"]
    assert levels[2] == ["*"]


def test_long_groups_count_what_they_do_not_name():
    levels = names([range(5), [0, 0, 0, 0, 1], [0] * 5], list("abcde"), [1, 5, 9, 2, 7])
    assert levels[1] == ["{c, b, ...+2}", "e"]


def test_runs_are_named_by_their_ends():
    runs = [range(6), [0, 0, 0, 1, 2, 2], [0] * 6]
    texts = ["1", "2", "5", "8", "9", ""]
    assert names(runs, texts, ordered=True)[1] == ["[1, 5]", "8", "[9, missing]"]
    spread = [range(6), [0, 1, 0, 0, 1, 0], [0] * 6]
    assert names(spread, texts, ordered=True)[1] == ["{1, [5, 8], missing}", "{2, 9}"]


def test_a_node_that_stays_keeps_its_name():
    levels = names([range(3), [0, 0, 1], [0, 0, 1], [0] * 3], ["a", "b", "c"])
    assert levels == [["a", "b", "c"], ["{a, b}", "c"], ["{a, b}", "c"], ["*"]]


def test_names_that_are_taken_are_numbered():
    levels = names([range(3), [0, 0, 1], [0] * 3], ["a", "b", "{a, b}"])
    assert levels[1] == ["{a, b} (2)", "{a, b}"]


def test_long_and_broken_texts_are_shortened_in_groups_only():
    text = "x" * 50
    levels = names([range(3), [0, 0, 1], [0] * 3], [text, "a\n b", text + "y"])
    assert levels[1] == [f"{{{'x' * 27}..., a b}}", text + "y"]


def test_one_value_and_a_root():
    assert names([[0], [0]], ["a"]) == [["a"], ["*"]]


@given(hierarchy_lines(TEXTS))
def test_names_make_a_hierarchy(lines):
    plain = GeneralizationHierarchy.from_lines("x", lines)
    partitions = [plain.node_of(level) for level in range(plain.height + 1)]
    for ordered in (False, True):
        levels = names(partitions, list(plain.labels[0]), ordered=ordered)
        named = GeneralizationHierarchy.from_partitions(
            "x", plain.leaves, partitions, levels
        )
        # A name stands for one set of values in the whole hierarchy, if no value is *.
        members = {}
        for level in range(named.height):
            for node, label in enumerate(named.labels[level]):
                leaves = frozenset(np.flatnonzero(named.node_of(level) == node))
                assert members.setdefault(label, leaves) == leaves


def renamed(label, members, texts, *, ordered=False):
    """A hierarchy of a group of this name, beside single values."""
    lines = [(t, label if i in members else t, "*") for i, t in enumerate(texts)]
    return GeneralizationHierarchy.from_lines("x", lines, ordered=ordered)


@pytest.mark.parametrize(
    ("label", "members"),
    [
        ("{a, b}", [0, 1, 2]),  # a value was moved to it
        ("{a, b}", [0]),  # and from it
        ("{a, b, c}", [0, 1, 3]),
        ("{a, c, ...+1}", [0, 1, 2, 3]),
        ("{a, e, ...+2}", [0, 1, 2, 3]),
    ],
)
def test_a_set_that_lists_other_values_is_refused(label, members):
    with pytest.raises(SchemaError, match="Rename the group"):
        check_names(renamed(label, members, list("abcde")))


@pytest.mark.parametrize(
    ("label", "members"),
    [
        ("[2, 4]", [0]),
        ("[2, 4]", [0, 1, 2, 3]),
        ("{2, [4, 5]}", [0, 1, 2]),
        ("{2, [4, 5], ...+1}", [0, 2, 3]),
    ],
)
def test_a_run_of_other_values_is_refused(label, members):
    with pytest.raises(SchemaError, match="Rename the group"):
        check_names(renamed(label, members, list("23456"), ordered=True))


def test_a_name_lists_values_with_commas():
    texts = ["PAC, hybrid", "hybrid", "other", "PAC, other", "PAC"]
    for members in ([1, 0], [0, 2, 3], [0, 2, 3, 4], range(5)):
        partition = np.arange(5)
        partition[list(members)] = min(members)
        partition = np.unique(partition, return_inverse=True)[1]
        levels = name_levels(
            [np.arange(5), partition, np.zeros(5, int)],
            texts,
            np.arange(5),
            ordered=False,
        )
        label = levels[1][partition[members[0]]]
        check_names(renamed(label, members, texts))
        with pytest.raises(SchemaError, match="Rename the group"):
            check_names(renamed(label, list(members)[1:], texts))


def test_a_name_may_list_more_values_than_calls_can_nest():
    texts = [str(10_000 + i) for i in range(1500)]
    check_names(renamed(f"{{{', '.join(texts[:-1])}}}", range(1499), texts))
    with pytest.raises(SchemaError, match="Rename the group"):
        check_names(renamed(f"{{{', '.join(texts[1:])}}}", range(1499), texts))


def test_other_names_are_free():
    for label in ("north", "{west}", "[2, 4]", "{a, ...}", "{}", "{a, north}", "a, b"):
        check_names(renamed(label, [0, 1, 2], list("abcde")))
    for label in ("[2, 4[", "2-4", "[0, 9]", "low", "{2, 3"):
        check_names(renamed(label, [0, 1, 2], list("23456"), ordered=True))
    # A value may read like a set.
    check_names(renamed("c", [2], ["a", "b", "{a, b}"]))


@pytest.mark.parametrize("ordered", [False, True])
@given(lines=hierarchy_lines(TEXTS))
def test_names_that_are_made_read_true(ordered, lines):
    plain = GeneralizationHierarchy.from_lines("x", lines)
    partitions = [plain.node_of(level) for level in range(plain.height + 1)]
    texts = plain.labels[0]
    made = name_levels(partitions, list(texts), np.arange(len(texts)), ordered=ordered)
    levels = [
        [labels[node] for node in nodes]
        for labels, nodes in zip(made, partitions, strict=True)
    ]
    check_names(
        GeneralizationHierarchy.from_lines(
            "x", list(zip(*levels, strict=True)), ordered=ordered
        )
    )
