"""Our own files of hierarchies, to be edited: JSON and TOML.

In the JSON leaves have their types. Every node is on a line of its own, with the name
that releases show. A name can be changed where it stands: nodes refer to each other by
number.

In the TOML every level lists the values of each of its groups, and so can be left out
without touching the others. Values are texts, as the table's file has them; one that is
in no group of a level stands for itself there. The root gathers all and is only named.
"""

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np

from coclust_synth._version import __version__
from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.files import read_declared
from coclust_synth.tables.hierarchies.forms import TreeNode
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.literals import (
    decode,
    encode,
    parse_json,
    parse_toml,
    to_toml,
)
from coclust_synth.tables.values.columns import examples

_FORMAT = "coclust_synth hierarchy"
_VERSION = 1
_LEVEL = re.compile(r"[1-9][0-9]{0,5}")
_SHORTEST_RUN = 3  # values of an ordered column that are written by their ends
_HOW = """\
# Groups of the values of one column, for --hierarchies. Rename a group where it stands,
# on each level that it is on; move a value from the list of a group to that of another,
# on each level that tells them apart; take out a whole [level.N] to cut that level
# (numbers only say the order). A value in no group of a level stands for itself.
"""
_RUNS = """\
# { from = "1", to = "9" } stands for the values from 1 to 9 in the order of `values`.
"""


def json_text(hierarchy):
    """A hierarchy as our JSON, from which `read_json` gives it back."""
    head = {
        "format": _FORMAT,
        "format_version": _VERSION,
        "written_by": f"coclust_synth {__version__}",
        "name": hierarchy.name,
        "ordered": hierarchy.ordered,
        "height": hierarchy.height,
    }
    if hierarchy.origin is not None:
        head["origin"] = hierarchy.origin
    if hierarchy.information is not None:
        head["information"] = [round(share, 4) for share in hierarchy.information]
    leaves, nodes = [], []
    for number, node in enumerate(hierarchy.tree()):
        if number < hierarchy.n_leaves:
            value = encode(hierarchy.leaves[number])
            leaves.append({"number": number, "value": value, "name": node.label})
        else:
            nodes.append(
                {
                    "number": number,
                    "name": node.label,
                    "level": node.level,
                    "of": node.children,
                }
            )
    lines = [f" {_text(key)}: {_text(value)}" for key, value in head.items()]
    lines += [f' "leaves": {_rows(leaves)}', f' "nodes": {_rows(nodes)}']
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _text(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _rows(rows):
    return "[" + ",".join(f"\n  {_text(row)}" for row in rows) + "\n ]"


def read_json(path):
    """Read a hierarchy that `json_text` told, names edited or not.

    Parameters
    ----------
    path : path

    Returns
    -------
    GeneralizationHierarchy

    Raises
    ------
    SchemaError
        If the file cannot be read, is of another kind or a newer version, or holds no
        hierarchy; such as two nodes of one level that got the same name.
    """
    where = f"Expected a hierarchy of coclust_synth in {str(path)!r}"
    try:
        content = parse_json(read_declared(path, "a hierarchy"))
        if content["format"] != _FORMAT or content["format_version"] != _VERSION:
            raise ValueError(f"{content['format']} {content['format_version']}")
        leaves = tuple(decode(leaf["value"], where) for leaf in content["leaves"])
        hash(leaves)  # of lists there is none
        given = [
            *((leaf["number"], str(leaf["name"]), 0, []) for leaf in content["leaves"]),
            *(
                (node["number"], str(node["name"]), int(node["level"]), node["of"])
                for node in content["nodes"]
            ),
        ]
        place = {number: position for position, (number, *_) in enumerate(given)}
        if len(place) < len(given):
            raise ValueError("a number comes twice")
        tree = [
            TreeNode(name, level, tuple(place[child] for child in children))
            for _, name, level, children in given
        ]
        name, ordered = str(content["name"]), bool(content["ordered"])
        origin = content.get("origin")
        origin = origin if isinstance(origin, str) else None
        told = content.get("information")
        information = None if told is None else tuple(map(float, told))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        if isinstance(error, SchemaError):
            raise
        raise SchemaError(
            f"{where}, version {_VERSION}. Received one that does not read "
            f"({type(error).__name__}: {error}). Undo what was changed but names."
        ) from None
    found = GeneralizationHierarchy.from_tree(name, leaves, tree, ordered=ordered)
    if information is not None and len(information) != found.height + 1:
        information = None  # of levels that were changed nothing is known
    return replace(found, information=information, origin=origin)


def toml_text(hierarchy):
    """A hierarchy as our TOML, from which `read_toml` gives it back."""
    texts = hierarchy.labels[0]
    parts = [_HOW + (_RUNS if hierarchy.ordered else "")]
    parts.append(f"column = {to_toml(hierarchy.name)}\n")
    if hierarchy.height:
        parts.append(f"root = {to_toml(hierarchy.labels[-1][0])}\n")
    parts.append(f"values = {to_toml(list(texts))}\n")
    for level in range(1, hierarchy.height):
        parts.append(f"\n[level.{level}]{_kept(hierarchy, level)}\n")
        nodes = hierarchy.node_of(level)
        order = np.argsort(nodes, kind="stable")
        starts = np.flatnonzero(np.diff(nodes[order])) + 1
        for label, members in zip(
            hierarchy.labels[level], np.split(order, starts), strict=True
        ):
            if len(members) > 1 or texts[members[0]] != label:
                listed = _listed(members, texts, hierarchy.ordered)
                parts.append(f"{to_toml(label)} = {to_toml(listed)}\n")
    return "".join(parts)


def _kept(hierarchy, level):
    """What a level tells of other columns, if it is known, as a comment."""
    if hierarchy.information is None:
        return ""
    return f"  # keeps {hierarchy.information[level]:.0%} of what the values tell"


def _listed(members, texts, ordered):
    """The values of a group; runs of an ordered column by their ends."""
    if not ordered:
        return [texts[leaf] for leaf in members]
    listed = []
    for run in np.split(members, np.flatnonzero(np.diff(members) > 1) + 1):
        if len(run) < _SHORTEST_RUN:
            listed += [texts[leaf] for leaf in run]
        else:
            listed.append({"from": texts[run[0]], "to": texts[run[-1]]})
    return listed


def read_toml(path):
    """Read a hierarchy that `toml_text` told, edited or not.

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
        If the file cannot be read, or holds no hierarchy: a value is in two groups of a
        level, or is none of `values`, a group is torn on a higher level, or has the
        name of a value that stands for itself.
    """
    content = parse_toml(
        read_declared(path, "a hierarchy"), f"the hierarchy in {str(path)!r}"
    )
    _check_content(content, path)
    name, texts = content["column"], content["values"]
    place = {text: leaf for leaf, text in enumerate(texts)}
    levels = {0: texts}
    for key in sorted(content.get("level", {}), key=int):
        where = f"Hierarchy of {name!r}, [level.{key}]"
        levels[int(key)] = _labels(content["level"][key], place, where)
    for (low, below), (high, above) in pairwise(levels.items()):
        _check_nested(name, texts, (low, below), (high, above))
    columns = list(levels.values())
    if "root" in content:
        columns.append([content["root"]] * len(texts))
    return GeneralizationHierarchy.from_lines(name, list(zip(*columns, strict=True)))


def _check_content(content, path):
    """Refuse what is no file of this kind, before its groups are looked at."""
    where = f"Expected a hierarchy in {str(path)!r}, with"
    strange = content.keys() - {"column", "root", "values", "level"}
    values, levels = content.get("values"), content.get("level", {})
    root = content.get("root")
    if strange:
        wrong = "column, root, values and level alone", f"also {examples([*strange])}"
    elif not isinstance(content.get("column"), str):
        wrong = "the name of its column in `column`", repr(content.get("column"))
    elif not isinstance(values, list) or not values:
        wrong = "the values of the column in the list `values`", repr(values)
    elif not all(isinstance(value, str) for value in values):
        others = [value for value in values if not isinstance(value, str)]
        wrong = "all `values` in quotes, as the table has them", examples(others)
    elif len({*values}) < len(values):
        twice = [value for value, n in Counter(values).items() if n > 1]
        wrong = "each of `values` once", f"twice: {examples(twice)}"
    elif not isinstance(levels, dict) or not all(map(_LEVEL.fullmatch, levels)):
        wrong = "levels [level.1], [level.2], ...", examples([*levels])
    elif not all(isinstance(groups, dict) for groups in levels.values()):
        wrong = "groups on each level", "a level that is none"
    elif not isinstance(root, str) and (root is not None or len(values) > 1):
        wrong = "the name of the root in `root`", repr(root)
    else:
        return
    raise SchemaError(f"{where} {wrong[0]}. Received {wrong[1]}. Correct the file.")


def _labels(groups, place, where):
    """The label of each value on a level."""
    texts, found = list(place), {}
    for group, listed in groups.items():
        for leaf in _members(listed, place, f"{where}, group {group!r}"):
            if leaf in found:
                raise SchemaError(
                    f"{where}: expected each value in one group. Received "
                    f"{texts[leaf]!r} in {found[leaf]!r} and in {group!r}. Take it out "
                    "of one of them."
                )
            found[leaf] = group
    alone = [text for leaf, text in enumerate(texts) if leaf not in found]
    for text in alone:
        if text in groups:
            raise SchemaError(
                f"{where}: expected groups named unlike values that are in none. "
                f"Received a group {text!r}, which the value {text!r} is not in. Add "
                "it to the group, or rename the group."
            )
    return [found.get(leaf, text) for leaf, text in enumerate(texts)]


def _members(listed, place, where):
    """Positions of the values that a group lists."""
    if not isinstance(listed, list) or not listed:
        raise SchemaError(
            f"{where}: expected a list of values. Received {listed!r}. List them, or "
            "take the group out."
        )
    for item in listed:
        is_run = isinstance(item, dict) and item.keys() == {"from", "to"}
        ends = [item["from"], item["to"]] if is_run else [item]
        for end in ends:
            if not isinstance(end, str) or end not in place:
                raise SchemaError(
                    f"{where}: expected some of `values`, in quotes, or {{ from, to }} "
                    f"of them. Received {end!r}. Correct it, or add it to `values`."
                )
        first, last = place[ends[0]], place[ends[-1]]
        if last < first:
            raise SchemaError(
                f"{where}: expected from before to, in the order of `values`. Received "
                f"from {ends[0]!r} to {ends[1]!r}. Turn them round."
            )
        yield from range(first, last + 1)


def _check_nested(name, texts, lower, higher):
    """Refuse a group whose values are apart on the next level."""
    (low, below), (high, above) = lower, higher
    first_of = {}
    for leaf, (group, label) in enumerate(zip(below, above, strict=True)):
        first = first_of.setdefault(group, leaf)
        if above[first] != label:
            raise SchemaError(
                f"Hierarchy of {name!r}: expected the values of {group!r}, [level."
                f"{low}], together on [level.{high}]. Received {texts[first]!r} in "
                f"{above[first]!r} and {texts[leaf]!r} in {label!r} there. Move one of "
                "them on both levels."
            )
