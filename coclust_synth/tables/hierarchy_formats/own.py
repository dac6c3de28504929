"""Our own JSON: leaves with their types, names to be edited.

Every node is on a line of its own, with the name that releases show. A name can be
changed where it stands: nodes refer to each other by number.
"""

import json
from dataclasses import replace

from coclust_synth._version import __version__
from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy, TreeNode
from coclust_synth.tables.hierarchy_formats.texts import read_text, write_text
from coclust_synth.tables.literals import decode, encode, parse_json

_FORMAT = "coclust_synth hierarchy"
_VERSION = 1


def write_json(hierarchy, path, *, force=False):
    """Write a hierarchy as JSON, from which `read_json` gives it back.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    path : path
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    OutputError
        If the file exists, or cannot be written.
    """
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
    write_text("{\n" + ",\n".join(lines) + "\n}\n", path, force=force)


def _text(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _rows(rows):
    return "[" + ",".join(f"\n  {_text(row)}" for row in rows) + "\n ]"


def read_json(path):
    """Read a hierarchy that `write_json` wrote, names edited or not.

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
        content = parse_json(read_text(path))
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
