"""The distinct rows of a table, and their classes at the nodes of a lattice."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from coclust_synth.baselines.lattice._kernels import merge_counts, roll_up
from coclust_synth.baselines.lattice.lattice import Lattice

_MOST_KEYS = 2**62  # a sum of keys stays within a word
_MAX_KEPT = 256
_KEPT_SHARE = 16  # classes kept for reuse, in all, as a multiple of the distinct rows


@dataclass(frozen=True, eq=False)
class NodeClasses:
    """The classes of the rows at one node.

    Attributes
    ----------
    node : tuple of int
    rows : ndarray of int32, shape (n_classes,)
        The first of each class's distinct rows; see `LatticeTable.leaf_codes`.
    sizes : ndarray of int64, shape (n_classes,)
    counts : tuple of csr_array of int64, shape (n_classes, n_values)
        Rows of each class that hold each value of the columns given.
    """

    node: tuple[int, ...]
    rows: np.ndarray
    sizes: np.ndarray
    counts: tuple[sparse.csr_array, ...]


class LatticeTable:
    """The distinct rows of a table; classes at any node of the lattice.

    The classes of a node are merged from those of the smallest node below it that is
    still known: rows are read once only.

    Parameters
    ----------
    leaf_codes : sequence of d ndarray of int, shape (n,)
        Leaf of each cell, by column.
    hierarchies : sequence of d GeneralizationHierarchy
    values : sequence of (ndarray of int, shape (n,), int)
        Other columns whose values are counted by class: their codes, and how many.

    Attributes
    ----------
    lattice : Lattice
    n_rows : int
    inverse : ndarray of int32, shape (n,)
        Distinct row of each row.
    rows : NodeClasses
        The distinct rows: the classes of the lattice's bottom.
    """

    def __init__(self, leaf_codes, hierarchies, values=()):
        self.hierarchies = tuple(hierarchies)
        self.lattice = Lattice(tuple(h.height for h in self.hierarchies))
        self.n_rows = len(leaf_codes[0])
        self._lay_out()
        self._codes = np.array(leaf_codes, dtype=self._smallest_type())
        every, ones = np.arange(self.n_rows, dtype=np.int32), np.ones(self.n_rows, int)
        first, sizes, self.inverse = self._merge(every, ones, self.lattice.bottom)
        self._codes = np.take(self._codes, first, axis=1)
        rows = np.arange(len(first), dtype=np.int32)
        counts = tuple(
            sparse.coo_array(
                (ones, (self.inverse, codes)), shape=(len(sizes), n_values)
            ).tocsr()
            for codes, n_values in values
        )
        self.rows = NodeClasses(self.lattice.bottom, rows, sizes, counts)
        self._kept = [self.rows]
        self._kept_levels = np.array([self.rows.node])
        self._kept_sizes = np.array([len(sizes)])

    def _lay_out(self):
        """List the node of each leaf, and its first leaf, by column and level."""
        nodes, first_leaves, nodes_of = [], [], []
        place = 0
        for hierarchy in self.hierarchies:
            for level, labels in enumerate(hierarchy.labels):
                _, first, node = np.unique(
                    hierarchy.node_of(level), return_index=True, return_inverse=True
                )
                nodes.append(node)
                first_leaves.append(first[node])
                nodes_of.append((place, len(labels)))
                place += hierarchy.n_leaves
        self._nodes = np.concatenate(nodes).astype(np.uint32)
        self._first_leaves = np.concatenate(first_leaves)
        self._nodes_of = np.array(nodes_of, dtype=np.int64)
        self._levels = np.cumsum([0, *self.lattice.shape[:-1]])

    def _smallest_type(self):
        return np.min_scalar_type(max(h.n_leaves for h in self.hierarchies) - 1)

    def _merge(self, rows, sizes, node):
        """Rows, sizes and labels of the classes at a node, from classes below."""
        levels = self._nodes_of[self._levels + node]
        return roll_up(self._codes, rows, sizes, levels, self._nodes, _MOST_KEYS)

    def classes(self, node):
        """The classes at a node.

        Parameters
        ----------
        node : tuple of int

        Returns
        -------
        NodeClasses
        """
        source = self.nearest(node)
        if source.node == node:
            return source
        classes, _ = self.rolled_up(source, node)
        self._keep(classes)
        return classes

    def class_codes(self, node):
        """Class of each row of the table at a node, as `classes` numbers them.

        Returns
        -------
        classes : NodeClasses
        codes : ndarray of int32, shape (n,)
        """
        classes, label = self.rolled_up(self.rows, node)
        return classes, label[self.inverse]

    def leaf_codes(self, classes, chosen=slice(None)):
        """The first leaf of the node that some classes have in each column.

        Parameters
        ----------
        classes : NodeClasses
        chosen : slice or ndarray of bool, shape (n_classes,), optional
            By default all.

        Returns
        -------
        ndarray of int64, shape (n_chosen, d)
        """
        places = self._nodes_of[self._levels + classes.node, 0]
        codes = self._codes[:, classes.rows[chosen]].T
        return self._first_leaves[places + codes]

    def rolled_up(self, source, node):
        """The classes at a node, merged from those of a node below; they are not kept.

        Parameters
        ----------
        source : NodeClasses
        node : tuple of int

        Returns
        -------
        classes : NodeClasses
        label : ndarray of int32, shape (len(source.sizes),)
            Class of each class of the source.
        """
        rows, sizes, label = self._merge(source.rows, source.sizes, node)
        counts = tuple(_merged_counts(own, label, len(sizes)) for own in source.counts)
        return NodeClasses(node, rows, sizes, counts), label

    def nearest(self, node):
        """The classes kept of the node below, or the node itself, that has fewest."""
        usable = (self._kept_levels <= node).all(axis=1)
        place = np.where(usable, self._kept_sizes, self.n_rows + 1).argmin()
        return self._kept[place]

    def _keep(self, classes):
        """Keep classes to merge others from; the oldest ones go, the rows stay."""
        self._kept.append(classes)
        self._kept_levels = np.vstack([self._kept_levels, classes.node])
        self._kept_sizes = np.append(self._kept_sizes, len(classes.sizes))
        newest_first = np.cumsum(self._kept_sizes[:0:-1])
        fit = int((newest_first <= _KEPT_SHARE * self._kept_sizes[0]).sum())
        gone = slice(1, len(self._kept) - min(fit, _MAX_KEPT))
        del self._kept[gone]
        self._kept_levels = np.delete(self._kept_levels, gone, axis=0)
        self._kept_sizes = np.delete(self._kept_sizes, gone)


def _merged_counts(counts, label, n_classes):
    entries = counts.indptr, counts.indices, counts.data
    starts, values, merged = merge_counts(*entries, label, n_classes, counts.shape[1])
    shape = (n_classes, counts.shape[1])
    return sparse.csr_array((merged, values, starts), shape=shape)
