"""Text hierarchies of Amnesia: a head, then ``parent has child child ...`` by level.

Their height counts levels, leaves included. Distinct hierarchies list values; ranges
are of numbers, from ``lo`` up to but not including ``hi``, except the highest.
"""

from numbers import Real

import numpy as np

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.hierarchy_formats.blocks import blocks_of, from_blocks
from coclust_synth.tables.hierarchy_formats.texts import read_text, write_text

_HAS = "has"
_BLANK = "_"
_NO_RANGE = "NaN,NaN"  # missing values


def write_amnesia(hierarchy, path, *, ranges=False, force=False):
    """Write a hierarchy as Amnesia's text.

    Labels hold no blanks in this format: each is written ``_``, and Amnesia finds no
    value that has one. Its JSON allows them.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    path : path
    ranges : bool, default=False
        Whether to write ranges, from level 1 of the hierarchy on, instead of a distinct
        hierarchy; see `has_ranges`.
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    ParameterError
        If there are no ranges to write.
    OutputError
        If the file exists, or cannot be written.
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
    write_text("\n".join(lines) + "\n", path, force=force)


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
            f"{hierarchy.name!r}, which is none. Write it with ranges=False."
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
    lines = [line.split() for line in read_text(path).splitlines()]
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
