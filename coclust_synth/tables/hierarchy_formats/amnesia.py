"""Hierarchies of Amnesia, text and JSON, as blocks of parents, level by level.

The text is a head, then ``parent has child child ...`` by level. Its height counts
levels, leaves included. Distinct hierarchies list values; ranges are of numbers, from
``lo`` up to but not including ``hi``, except the highest. In the JSON ``level1`` is the
root's children, and so on down.

Amnesia knows a node by its label. Each node is written once, in the block of the level
that it first is on; one that stays as it was for some levels is not repeated.
"""

import json
from numbers import Real

import numpy as np

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.files import read_declared
from coclust_synth.tables.hierarchies.forms import TreeNode
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.labels import distinct_name
from coclust_synth.tables.literals import parse_json

_HAS = "has"
_BLANK = "_"
_NO_RANGE = "NaN,NaN"  # missing values
NO_VALUE = "NaN"  # the leaf of missing values, where the table marks them by nothing
_LEVEL = "level"


def amnesia_text(hierarchy, *, ranges=False):
    """A hierarchy as Amnesia's text.

    Labels hold no blanks in this format: each is written ``_``, and Amnesia finds no
    value that has one. Its JSON allows them.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    ranges : bool, default=False
        Whether to write ranges, from level 1 of the hierarchy on, instead of a distinct
        hierarchy; see `has_ranges`.

    Raises
    ------
    ParameterError
        If there are no ranges to write.
    """
    if ranges:
        hierarchy, kind, type_ = _of_ranges(hierarchy)
    else:
        kind, type_ = "distinct", "string"
    lines = [
        kind,
        f"name {_BLANK.join(hierarchy.name.split())}",
        f"type {type_}",
        f"height {hierarchy.height + 1}",
        "",
    ]
    for block in blocks_of(hierarchy, blank=_BLANK, reserved=(_HAS,)):
        lines += [f"{label} {_HAS} {' '.join(of)}" for label, of in block.items()]
        lines.append("")
    return "\n".join(lines) + "\n"


def has_ranges(hierarchy):
    """Whether a hierarchy is one of ranges: of numbers, each node a run of them.

    There is a level between the numbers and the root, and missing values, if any, join
    in the root.
    """
    if hierarchy.height < 2 or not hierarchy.ordered:
        return False
    present = hierarchy.leaves[: hierarchy.n_leaves - (None in hierarchy.leaves)]
    if not present or not all(isinstance(leaf, Real) for leaf in present):
        return False
    for level in range(1, hierarchy.height):
        nodes = hierarchy.node_of(level)
        n_runs = 1 + np.count_nonzero(np.diff(nodes))
        if n_runs != len(hierarchy.labels[level]):
            return False
        if len(present) < len(nodes) and nodes[-1] == nodes[-2]:
            return False
    return True


def _of_ranges(hierarchy):
    """Levels 1 and on, labelled by ranges; the kind and the type of the file."""
    if not has_ranges(hierarchy):
        raise ParameterError(
            f"Expected a hierarchy of ranges of numbers. Received that of "
            f"{hierarchy.name!r}, which is none. Write a distinct one: amnesia."
        )
    leaves = [leaf for leaf in hierarchy.leaves if leaf is not None]
    ends = [*leaves[1:], leaves[-1]]
    partitions, labels = [], []
    _, first = np.unique(hierarchy.node_of(1), return_index=True)
    for level in range(1, hierarchy.height + 1):
        nodes = hierarchy.node_of(level)
        partitions.append(nodes[first])
        labels.append([])
        for node in range(len(hierarchy.labels[level])):
            run = np.flatnonzero(nodes[: len(leaves)] == node)
            labels[-1].append(
                f"{leaves[run[0]]},{ends[run[-1]]}" if len(run) else _NO_RANGE
            )
    whole = all(isinstance(leaf, int) for leaf in leaves)
    of_ranges = type(hierarchy).from_partitions(
        hierarchy.name, labels[0], partitions, labels, ordered=True
    )
    return of_ranges, "range", "int" if whole else "decimal"


def read_amnesia(path):
    """Read a text hierarchy of Amnesia.

    Parameters
    ----------
    path : path

    Returns
    -------
    GeneralizationHierarchy
        Its leaves are texts, values or ranges ``lo,hi``, in the order of the file.

    Raises
    ------
    SchemaError
        If the file cannot be read, or holds no hierarchy.
    """
    lines = [line.split() for line in read_declared(path, "a hierarchy").splitlines()]
    n_head = next((n for n, line in enumerate(lines) if not line), 0)
    head = {line[0]: line[-1] for line in lines[:n_head]}
    where = f"Expected a hierarchy of Amnesia in {str(path)!r}."
    if not {"name", "height"} <= head.keys() or not {"distinct", "range"} & head.keys():
        raise SchemaError(
            f"{where} Received a file that does not begin with distinct or range, name "
            "and height, and an empty line. Check the path."
        )
    blocks = [{}]
    for number, line in enumerate(lines[n_head + 1 :], start=n_head + 2):
        if not line:
            blocks.append({})
        elif len(line) < 3 or line[1] != _HAS:
            raise SchemaError(
                f"{where} Received {' '.join(line)!r} on line {number}. Write "
                f"`parent {_HAS} child child ...` there."
            )
        elif line[0] in blocks[-1]:
            raise SchemaError(
                f"{where} Received a second group {line[0]!r} on line {number}. Rename "
                "it, or put both on one line."
            )
        else:
            blocks[-1][line[0]] = line[2:]
    while len(blocks) > 1 and not blocks[-1]:
        blocks.pop()
    return from_blocks(head["name"], blocks)


def blocks_of(hierarchy, *, blank=None, reserved=()):
    """Parents and their children, by the level that the parents first are on.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    blank : str, optional
        What stands for blanks in labels, in a format that has none.
    reserved : collection of str
        Labels that no node may have. They, and repeated ones, are numbered.

    Returns
    -------
    list of dict of str to list of str
        For the levels from 1 to the height.
    """
    tree, taken = hierarchy.tree(), set(reserved)
    labels = [node.label or NO_VALUE for node in tree]
    if blank is not None:
        labels = [blank.join(label.split()) or blank for label in labels]
    labels = [distinct_name(label, taken, blank=blank or " ") for label in labels]
    blocks = [{} for _ in range(hierarchy.height)]
    for label, node in zip(labels, tree, strict=True):
        if node.children:
            blocks[node.level - 1][label] = [labels[child] for child in node.children]
    return blocks


def from_blocks(name, blocks):
    """The hierarchy of some blocks; undoes `blocks_of`.

    Parameters
    ----------
    name : str
    blocks : list of dict of str to list of str

    Returns
    -------
    GeneralizationHierarchy
        Its leaves are texts, in the order of the blocks.

    Raises
    ------
    SchemaError
        If this is no hierarchy, or a group is there twice.
    """
    parents = {}
    for level, block in enumerate(blocks, start=1):
        for label in block:
            if label in parents:
                raise SchemaError(
                    f"Hierarchy of {name!r}: expected each group once. Received "
                    f"{label!r} on levels {parents[label]} and {level}. Rename one."
                )
            parents[label] = level
    children = [child for block in blocks for of in block.values() for child in of]
    leaves = list(dict.fromkeys(label for label in children if label not in parents))
    place = {label: position for position, label in enumerate([*leaves, *parents])}
    tree = [TreeNode(label, 0, ()) for label in leaves]
    for level, block in enumerate(blocks, start=1):
        for label, of in block.items():
            tree.append(TreeNode(label, level, tuple(place[child] for child in of)))
    return GeneralizationHierarchy.from_tree(name, leaves, tree)


def amnesia_json_text(hierarchy):
    """A hierarchy as Amnesia's JSON, a distinct one."""
    content = {
        "hierType": "distinct",
        "name": hierarchy.name,
        "type": "string",
        "height": hierarchy.height + 1,
    }
    blocks = blocks_of(hierarchy)
    for depth, block in enumerate(reversed(blocks), start=1):
        content[f"{_LEVEL}{depth}"] = block
    return json.dumps(content, ensure_ascii=False, indent=1)


def read_amnesia_json(path):
    """Read a JSON hierarchy of Amnesia.

    Parameters
    ----------
    path : path

    Returns
    -------
    GeneralizationHierarchy
        Its leaves are texts, in the order of the file.

    Raises
    ------
    SchemaError
        If the file cannot be read, or holds no hierarchy.
    """
    try:
        content = parse_json(read_declared(path, "a hierarchy"))
        blocks = [
            {
                str(label): [*map(str, of)]
                for label, of in content[f"{_LEVEL}{d}"].items()
            }
            for d in range(int(content["height"]) - 1, 0, -1)
        ]
        name = str(content["name"])
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise SchemaError(
            f"Expected a JSON hierarchy of Amnesia in {str(path)!r}. Received one that "
            f"does not read ({type(error).__name__}: {error}). Check the path."
        ) from None
    return from_blocks(name, blocks)
