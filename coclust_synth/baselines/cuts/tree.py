"""The hierarchy of a column as a tree, in which every node is once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy


@dataclass(frozen=True, eq=False)
class ColumnTree:
    """The nodes of one column: first the leaves, children before their parents.

    A cut has one node above each leaf, or the leaf itself, and all leaves of a node
    have it.

    Attributes
    ----------
    labels : tuple of str
        Of m nodes; the root is the last.
    parent : ndarray of int64, shape (m,)
        -1 of the root.
    n_children : ndarray of int64, shape (m,)
    first : ndarray of int64, shape (m,)
        First leaf under each node.
    depth : ndarray of int64, shape (m,)
        Steps from the root.
    path : ndarray of int64, shape (height + 1, n_leaves)
        Node above each leaf at each depth; below its own depth the leaf itself.
    """

    labels: tuple[str, ...]
    parent: np.ndarray
    n_children: np.ndarray
    first: np.ndarray
    depth: np.ndarray
    path: np.ndarray

    @classmethod
    def of(cls, hierarchy: GeneralizationHierarchy) -> "ColumnTree":
        """The tree of a hierarchy, see `GeneralizationHierarchy.tree`."""
        tree, n_leaves = hierarchy.tree(), hierarchy.n_leaves
        parent = np.full(len(tree), -1, dtype=np.int64)
        first = np.arange(len(tree))
        depth = np.zeros(len(tree), dtype=np.int64)
        for place, node in enumerate(tree):
            if node.children:
                parent[list(node.children)] = place
                first[place] = first[list(node.children)].min()
        for place in range(len(tree) - 2, -1, -1):
            depth[place] = depth[parent[place]] + 1
        path = np.empty((int(depth.max()) + 1, n_leaves), dtype=np.int64)
        above = np.arange(n_leaves)
        for step in range(len(path) - 1, -1, -1):
            path[step] = above
            above = np.where(depth[above] == step, parent[above], above)
        return cls(
            tuple(node.label for node in tree),
            parent,
            np.array([len(node.children) for node in tree]),
            first,
            depth,
            path,
        )

    @property
    def n_nodes(self) -> int:
        """Nodes, leaves among them."""
        return len(self.parent)

    @property
    def n_leaves(self) -> int:
        """Leaves, whether rows hold them or not."""
        return self.path.shape[1]

    def below(self, cut: np.ndarray) -> np.ndarray:
        """The cut where every node is replaced by its children; a leaf stays.

        Parameters
        ----------
        cut : ndarray of int64, shape (n_leaves,)

        Returns
        -------
        ndarray of int64, shape (n_leaves,)
        """
        step = np.minimum(self.depth[cut] + 1, len(self.path) - 1)
        return self.path[step, np.arange(self.n_leaves)]

    @cached_property
    def members(self) -> sparse.csr_array:
        """1 for each leaf under each node, shape (m, n_leaves)."""
        leaves = np.broadcast_to(np.arange(self.n_leaves), self.path.shape)
        places = self.path.ravel(), leaves.ravel()
        ones = np.ones(self.path.size, dtype=np.int64)
        shape = (self.n_nodes, self.n_leaves)
        found = sparse.coo_array((ones, places), shape=shape).tocsr()
        found.data[:] = 1  # a leaf is on all depths below its own
        return found

    def over_children(self, values: np.ndarray) -> np.ndarray:
        """Sums over the children of each node; 0 of a leaf.

        Parameters
        ----------
        values : ndarray of float64, shape (m,)

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        return np.bincount(self.parent[:-1], values[:-1], self.n_nodes)
