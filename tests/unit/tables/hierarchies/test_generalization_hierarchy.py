"""Generalisation hierarchies: what they answer, and what they refuse to be."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.hierarchies import covering
from support.hierarchies import hierarchy_lines

from coclust_synth import GeneralizationHierarchy, ParameterError, SchemaError
from coclust_synth.tables.hierarchies.forms import TreeNode

WORK = [
    ("cook", "food", "service", "*"),
    ("smith", "metal", "metal", "*"),
    ("baker", "food", "service", "*"),
    ("nurse", "nurse", "service", "*"),
]


def work():
    return GeneralizationHierarchy.from_lines("work", WORK)


def test_levels_and_nodes():
    tree = work()
    assert tree.height == 3 and tree.n_leaves == 4
    assert tree.labels[1] == ("food", "metal", "nurse")
    assert tree.node_of(1).tolist() == [0, 1, 0, 2]
    assert tree.parents[1].tolist() == [0, 1, 0]
    assert tree.generalize(["nurse", "smith"], 2).tolist() == ["service", "metal"]
    assert tree.generalize([], 1).tolist() == []


@given(hierarchy_lines(), st.data())
def test_covering_is_the_lowest_common_label(lines, data):
    hierarchy = GeneralizationHierarchy.from_lines("x", lines)
    codes = data.draw(
        st.lists(st.integers(0, len(lines) - 1), min_size=1, max_size=len(lines))
    )
    level, node = hierarchy.covering(codes)
    path = {line[0]: line for line in lines}
    assert (level, hierarchy.labels[level][node]) == covering(
        path, [lines[code][0] for code in codes]
    )
    assert (hierarchy.node_of(level)[codes] == node).all()


@given(hierarchy_lines())
def test_lines_and_tree_give_the_hierarchy_back(lines):
    hierarchy = GeneralizationHierarchy.from_lines("x", lines)
    assert hierarchy.lines() == lines
    again = GeneralizationHierarchy.from_tree("x", hierarchy.leaves, hierarchy.tree())
    assert again == hierarchy
    for level in range(hierarchy.height + 1):
        texts = [line[0] for line in lines]
        assert hierarchy.generalize(texts, level).tolist() == [
            line[level] for line in lines
        ]


def test_the_tree_has_each_node_once():
    assert work().tree()[4:] == [
        TreeNode("food", 1, (0, 2)),
        TreeNode("metal", 1, (1,)),
        TreeNode("service", 2, (4, 3)),
        TreeNode("*", 3, (6, 5)),
    ]


def test_values_keep_their_types():
    day = datetime.date(2024, 2, 29)
    lines = [("1", "*"), ("2", "*"), ("?", "*")]
    ages = GeneralizationHierarchy.from_lines("a", lines, leaves=(1, 2, None))
    assert ages.leaf_codes(pd.Series([2, pd.NA, 1], dtype="Int64")).tolist() == [
        1,
        2,
        0,
    ]
    assert ages.leaf_codes([2.0, np.nan]).tolist() == [1, 2]
    assert ages.generalize([None, 2], 0).tolist() == ["?", "2"]
    days = GeneralizationHierarchy.from_lines("d", [("d", "*")], leaves=(day,))
    assert days.leaf_codes(pd.Series([day], dtype=object)).tolist() == [0]
    with pytest.raises(SchemaError, match=r"'a'.*Received '1' \(1 value\)"):
        ages.leaf_codes(["1"])


def test_numbers_in_lines_are_leaves_and_their_texts_are_labels():
    ages = GeneralizationHierarchy.from_lines("a", [(7, "*"), (8, "*")])
    assert ages.leaves == (7, 8) and ages.labels == (("7", "8"), ("*",))


def test_equal_is_equal_in_content():
    assert work() == work()
    assert work() != GeneralizationHierarchy.from_lines("job", WORK)
    assert work() != GeneralizationHierarchy.from_lines("work", WORK[::-1])
    ones = GeneralizationHierarchy.from_lines("n", [("1", "*")], leaves=(1,))
    assert ones != GeneralizationHierarchy.from_lines("n", [("1", "*")], leaves=(1.0,))
    assert ones != "n"


@pytest.mark.parametrize(
    ("lines", "match"),
    [
        ([("a", "g", "*"), ("b", "*")], "expected 3 labels on line 2.*Received 2"),
        ([("a", "*"), ("a", "*")], "Received 'a' on lines 1 and 2"),
        ([("a", "*"), ("b", "all")], r"one root, '\*'. Received 'all' on line 2"),
        (
            [("a", "g", "h", "*"), ("b", "g", "i", "*")],
            "one parent of 'g' on level 1. Received 'h' on line 1 and 'i' on line 2",
        ),
        ([], "at least one value"),
        ([("a",), ("b",)], "one root"),
    ],
)
def test_lines_that_are_no_hierarchy(lines, match):
    with pytest.raises(SchemaError, match=f"Hierarchy of 'work': .*{match}"):
        GeneralizationHierarchy.from_lines("work", lines)


def test_lines_are_numbered_as_in_their_file():
    with pytest.raises(SchemaError, match="on lines 3 and 7"):
        GeneralizationHierarchy.from_lines(
            "w", [("a", "*"), ("a", "*")], numbers=[3, 7]
        )


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"labels": (("a", "b"), ("x", "y"))}, "one root on the last level"),
        ({"labels": (("a", "a"), ("*",))}, "level 0. Received 'a' for two groups"),
        ({"labels": ((1, 2), ("*",))}, "texts as labels on level 0. Received 1"),
        ({"leaves": (1, 1)}, "Received 1 twice"),
        ({"leaves": (None, 1)}, "missing values last"),
        ({"leaves": (1, 2, 3)}, "a label for each value"),
        ({"parents": (np.array([0]),)}, "one parent"),
        ({"parents": (np.array([0, 1]),)}, "one parent"),
    ],
)
def test_arrays_that_are_no_hierarchy(change, match):
    right = {
        "name": "n",
        "leaves": (1, 2),
        "labels": (("a", "b"), ("*",)),
        "parents": (np.array([0, 0]),),
    }
    assert GeneralizationHierarchy(**right).height == 1
    with pytest.raises(SchemaError, match=f"Hierarchy of 'n': .*{match}"):
        GeneralizationHierarchy(**(right | change))


LEAVES = [TreeNode("a", 0, ()), TreeNode("b", 0, ())]


@pytest.mark.parametrize(
    ("nodes", "match"),
    [
        ([TreeNode("g", 1, (0,)), TreeNode("*", 2, (0, 1, 2))], "'a'. Received 'g'"),
        ([TreeNode("g", 1, (0,))], "2 nodes that have no parent, such as 'b' and 'g'"),
        (
            [TreeNode("g", 1, (0, 1)), TreeNode("*", 1, (2,))],
            "Received level 1 above level 1",
        ),
    ],
)
def test_trees_that_are_no_hierarchy(nodes, match):
    with pytest.raises(SchemaError, match=match):
        GeneralizationHierarchy.from_tree("w", ("a", "b"), [*LEAVES, *nodes])


def test_questions_that_have_no_answer():
    with pytest.raises(ParameterError, match=r"from 0 to 3. Received 4"):
        work().node_of(4)
    for codes in ([], [4], [-1, 0]):
        with pytest.raises(ParameterError, match="positions of leaves of 'work'"):
            work().covering(codes)
    with pytest.raises(SchemaError, match="Received 'judge', 'thief'"):
        work().leaf_codes(["cook", "judge", "thief"])
