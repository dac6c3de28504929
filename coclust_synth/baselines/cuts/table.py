"""The distinct rows of a table, what is asked of the classes that they form, and the
hierarchies of its columns, in which every node is once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from coclust_synth.privacy.models.sensitive import SensitiveModel
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.rows import collapse


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


class Cuts(NamedTuple):
    """What a search found.

    Attributes
    ----------
    nodes : list of d ndarray of int64, shape (n_leaves,)
        The cut of each column: the node that each leaf is released as.
    steps : list of (int, int)
        Column, and node whose children replaced it or that replaced its children, in
        the order in which it was so.
    classes : ndarray of int64, shape (n_distinct,)
        Class of each distinct row, from 0 without gaps.
    """

    nodes: list
    steps: list
    classes: np.ndarray


@dataclass(frozen=True, eq=False)
class CutTable:
    """The distinct rows of a table, D of them, and the models of their classes.

    Attributes
    ----------
    trees : tuple of d ColumnTree
    codes : ndarray of int64, shape (d, D)
        Leaf of each distinct row.
    sizes : ndarray of int64, shape (D,)
        Rows that are equal to it, itself among them.
    inverse : ndarray of int64, shape (n,)
        Distinct row of each row.
    models : tuple of SensitiveModel
        What is asked of classes beside k rows.
    counts : tuple of csr_array of int64, shape (D, n_codes)
        Rows that hold each code of a model.
    """

    trees: tuple[ColumnTree, ...]
    codes: np.ndarray
    sizes: np.ndarray
    inverse: np.ndarray
    models: tuple[SensitiveModel, ...]
    counts: tuple[sparse.csr_array, ...]

    @classmethod
    def of(
        cls,
        leaf_codes: Sequence[np.ndarray],
        hierarchies: Sequence[GeneralizationHierarchy],
        models: Sequence[SensitiveModel] = (),
    ) -> "CutTable":
        """Gather equal rows.

        Parameters
        ----------
        leaf_codes : sequence of d ndarray of int, shape (n,)
            Leaf of each cell, by column.
        hierarchies : sequence of d GeneralizationHierarchy
        models : sequence of SensitiveModel
        """
        rows, inverse = collapse(
            np.column_stack(leaf_codes), [h.n_leaves for h in hierarchies]
        )
        codes = (rows.codes - rows.offsets).T.astype(np.int64)
        counts = tuple(own.by_record(inverse, len(rows.counts)) for own in models)
        trees = tuple(map(ColumnTree.of, hierarchies))
        return cls(trees, codes, rows.counts, inverse, tuple(models), counts)

    @property
    def is_monotone(self) -> bool:
        """Whether classes hold the models that are merged from such as do."""
        return all(own.is_monotone for own in self.models)

    def hold(self, classes: np.ndarray, rows=slice(None)) -> bool:
        """Whether all classes of some distinct rows hold the models.

        Parameters
        ----------
        classes : ndarray of int64, shape (m,)
            Class of each, from 0 without gaps.
        rows : slice or ndarray of bool, optional
            Which distinct rows; by default all.
        """
        if not self.models:
            return True
        ones, places = np.ones(len(classes), dtype=np.int64), np.arange(len(classes))
        shape = (int(classes.max()) + 1, len(classes))
        members = sparse.coo_array((ones, (classes, places)), shape=shape).tocsr()
        return all(
            bool(np.all(own.holds((members @ counts[rows]).tocsr())))
            for own, counts in zip(self.models, self.counts, strict=True)
        )
