"""Forms that hierarchies are read from: the lines of their leaves, and trees."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from coclust_synth.exceptions import SchemaError


class TreeNode(NamedTuple):
    """A node of a hierarchy, once for all the levels that it is on.

    Attributes
    ----------
    label : str
    level : int
        The first level that it is on; 0 for a leaf.
    children : tuple of int
        Positions in the tree of the nodes that it gathers; none for a leaf.
    """

    label: str
    level: int
    children: tuple[int, ...]


def parents_in_tree(name, tree):
    """Position of the parent of each node, -1 of the root."""
    where = f"Hierarchy of {name!r}"
    parent = np.full(len(tree), -1, dtype=np.int64)
    for place, node in enumerate(tree):
        for child in node.children:
            if parent[child] >= 0:
                raise SchemaError(
                    f"{where}: expected one parent of {tree[child].label!r}. Received "
                    f"{tree[parent[child]].label!r} and {node.label!r}. Take it out of "
                    "one of them."
                )
            if tree[child].level >= node.level:
                raise SchemaError(
                    f"{where}: expected {node.label!r} on a level above its child "
                    f"{tree[child].label!r}. Received level {node.level} above level "
                    f"{tree[child].level}. Correct the levels."
                )
            parent[child] = place
    roots = [tree[place].label for place in np.flatnonzero(parent < 0)]
    if len(roots) > 1:
        raise SchemaError(
            f"{where}: expected one root. Received {len(roots)} nodes that have no "
            f"parent, such as {roots[0]!r} and {roots[1]!r}. Gather them in one."
        )
    return parent


def check_lines(name, lines, numbers):
    """Refuse lines of different lengths, a leaf or a parent that differs, two roots."""
    where = f"Hierarchy of {name!r}"
    seen, parent_of = {}, {}
    for number, line in zip(numbers, lines, strict=True):
        if len(line) != len(lines[0]):
            raise SchemaError(
                f"{where}: expected {len(lines[0])} labels on line {number}, as on "
                f"line {numbers[0]}. Received {len(line)}. Give each value one label "
                "a level."
            )
        if line[0] in seen:
            raise SchemaError(
                f"{where}: expected different values. Received {line[0]!r} on lines "
                f"{seen[line[0]]} and {number}. Remove one of them."
            )
        seen[line[0]] = number
        if line[-1] != lines[0][-1]:
            raise SchemaError(
                f"{where}: expected one root, {lines[0][-1]!r}. Received {line[-1]!r} "
                f"on line {number}. End all lines with the same label."
            )
        for level, (label, parent) in enumerate(pairwise(line)):
            first, first_number = parent_of.setdefault((level, label), (parent, number))
            if first != parent:
                raise SchemaError(
                    f"{where}: expected one parent of {label!r} on level {level}. "
                    f"Received {first!r} on line {first_number} and {parent!r} on line "
                    f"{number}. Rename one of the groups, or give them one parent."
                )
