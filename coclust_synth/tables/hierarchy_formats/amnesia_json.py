"""JSON hierarchies of Amnesia: ``level1`` is the root's children, and so on down."""

import json

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.hierarchy_formats.blocks import blocks_of, from_blocks
from coclust_synth.tables.hierarchy_formats.texts import read_text, write_text
from coclust_synth.tables.literals import parse_json

_LEVEL = "level"


def write_amnesia_json(hierarchy, path, *, force=False):
    """Write a hierarchy as Amnesia's JSON, a distinct one.

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
    content = {
        "hierType": "distinct",
        "name": hierarchy.name,
        "type": "string",
        "height": hierarchy.height + 1,
    }
    blocks = blocks_of(hierarchy)
    for depth, block in enumerate(reversed(blocks), start=1):
        content[f"{_LEVEL}{depth}"] = block
    write_text(json.dumps(content, ensure_ascii=False, indent=1), path, force=force)


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
        content = parse_json(read_text(path))
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
