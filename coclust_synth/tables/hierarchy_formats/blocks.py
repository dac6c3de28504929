"""Hierarchies as blocks of parents, level by level: what Amnesia's two formats share.

Amnesia knows a node by its label. Each node is written once, in the block of the level
that it first is on; one that stays as it was for some levels is not repeated.
"""

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy, TreeNode
from coclust_synth.tables.labels import distinct_name

NO_VALUE = "NaN"  # the leaf of missing values, where the table marks them by nothing


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
