"""Values of a column gathered in nodes, and what it tells of a class to split them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.domain.column import DomainColumn
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy


class Node(NamedTuple):
    """Values that are one in a release, and what they would be split into.

    Attributes
    ----------
    codes : ndarray of int64
        Of the values, in the domain.
    children : tuple of Node
        Empty for a single value, and for a run of numbers whose cut is not chosen.
    """

    codes: NDArray[np.int64]
    children: tuple["Node", ...] = ()

    def cut(self, place: int) -> "Node":
        """This run of numbers, cut before one of its values."""
        return Node(self.codes, (Node(self.codes[:place]), Node(self.codes[place:])))


def top_node(
    column: DomainColumn, hierarchy: GeneralizationHierarchy | None = None
) -> Node:
    """All values of a column; of numbers, a run that is not cut yet.

    Parameters
    ----------
    column : DomainColumn
    hierarchy : GeneralizationHierarchy, optional
        Of a column of categories, all of which are leaves; by default all of them are
        the children of its root.

    Returns
    -------
    Node

    Raises
    ------
    SchemaError
        If a category is no leaf.
    """
    codes = np.arange(column.n_values, dtype=np.int64)
    if column.is_numeric or column.n_values == 1:
        return Node(codes)
    if hierarchy is None:
        return Node(codes, tuple(Node(codes[c : c + 1]) for c in codes.tolist()))
    assert column.categories is not None
    leaf = hierarchy.leaf_codes(column.categories)
    nodes: list[Node] = []
    for place, node in enumerate(hierarchy.tree()):
        if not node.children:
            nodes.append(Node(np.flatnonzero(leaf == place)))
            continue
        # Leaves that are no category are left out, and nodes of one child are it.
        inside = [nodes[child] for child in node.children if len(nodes[child].codes)]
        if len(inside) == 1:
            nodes.append(inside[0])
        else:
            gathered = np.concatenate([codes[:0], *(child.codes for child in inside)])
            nodes.append(Node(np.sort(gathered), tuple(inside)))
    return nodes[-1]


def majority_rows(counts: NDArray[np.int64], node: Node) -> int:
    """Rows of the largest class of each child, added up: the score Max.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_values, n_classes)
        Rows of each value and class.
    node : Node
        With children.

    Returns
    -------
    int
        A row changes it by 1 at most, and only where it has a value of the node.
    """
    return sum(int(counts[child.codes].sum(axis=0).max()) for child in node.children)


def cut_scores(counts: NDArray[np.int64], node: Node) -> NDArray[np.int64]:
    """The same of each way to cut a run of numbers.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_values, n_classes)
    node : Node
        Of m values, from 2.

    Returns
    -------
    ndarray of int64, shape (m - 1,)
        Of the cuts after the first value, the second, and so on.
    """
    left = np.cumsum(counts[node.codes], axis=0)
    right = left[-1] - left
    return (left.max(axis=1) + right.max(axis=1))[:-1]
