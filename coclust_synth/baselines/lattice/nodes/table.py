"""The distinct rows of a table, and their classes at the nodes of a lattice."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from coclust_synth.baselines.lattice.nodes._kernels import roll_up
from coclust_synth.baselines.lattice.nodes.lattice import Lattice

_WORD = 64
_MAX_KEPT = 256
_KEPT_SHARE = 16  # classes kept for reuse, in all, as a multiple of the distinct rows


@dataclass(frozen=True, eq=False)
class NodeClasses:
    """The classes of the rows at one node.

    Attributes
    ----------
    node : tuple of int
    keys : ndarray of uint64, shape (n_classes, n_words)
        A class's row of leaves, packed; see `LatticeTable.leaf_codes`.
    sizes : ndarray of int64, shape (n_classes,)
    counts : tuple of csr_array of int64, shape (n_classes, n_values)
        Rows of each class that hold each value of the columns given.
    """

    node: tuple[int, ...]
    keys: np.ndarray
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
        keys = np.zeros((self.n_rows, self._n_words), dtype=np.uint64)
        for codes, (word, shift, _) in zip(leaf_codes, self._fields, strict=True):
            keys[:, word] |= codes.astype(np.uint64) << shift
        ones = np.ones(self.n_rows, dtype=np.int64)
        keys, sizes, self.inverse = self._merge(keys, ones, [], self.n_rows)
        counts = tuple(
            sparse.coo_array(
                (ones, (self.inverse, codes)), shape=(len(sizes), n_values)
            ).tocsr()
            for codes, n_values in values
        )
        self.rows = NodeClasses(self.lattice.bottom, keys, sizes, counts)
        self._kept = [self.rows]
        self._kept_levels = np.array([self.rows.node])
        self._kept_sizes = np.array([len(sizes)])

    def _lay_out(self):
        """Give each column its field of bits, and list the nodes of its leaves."""
        word = used = 0
        self._fields = np.zeros((len(self.hierarchies), 3), dtype=np.uint64)
        for j, hierarchy in enumerate(self.hierarchies):
            width = max(1, (hierarchy.n_leaves - 1).bit_length())
            if used + width > _WORD:
                word, used = word + 1, 0
            self._fields[j] = word, used, 2**width - 1
            used += width
        self._n_words = word + 1
        canon, self._starts = [], []
        start = 0
        for hierarchy in self.hierarchies:
            self._starts.append([])
            for level in range(hierarchy.height + 1):
                _, first, node = np.unique(
                    hierarchy.node_of(level), return_index=True, return_inverse=True
                )
                canon.append(first[node])
                self._starts[-1].append(start)
                start += hierarchy.n_leaves
        self._canon = np.concatenate(canon).astype(np.uint64)
        self._n_nodes = [[len(level) for level in h.labels] for h in self.hierarchies]

    def _merge(self, keys, sizes, changes, n_most):
        fields = np.array(
            [(*self._fields[j], self._starts[j][level]) for j, level in changes],
            dtype=np.uint64,
        ).reshape(-1, 4)
        return roll_up(keys, sizes, fields, self._canon, n_most)

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

    def leaf_codes(self, keys):
        """A leaf of each column of some classes, under the node that they have there.

        Parameters
        ----------
        keys : ndarray of uint64, shape (m, n_words)

        Returns
        -------
        ndarray of int64, shape (m, d)
        """
        words, shifts, masks = self._fields.T
        return ((keys[:, words] >> shifts) & masks).astype(np.int64)

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
        changes = [
            (j, level) for j, level in enumerate(node) if level != source.node[j]
        ]
        n_most = 1
        for sizes, level in zip(self._n_nodes, node, strict=True):
            n_most = min(n_most * sizes[level], len(source.sizes))
        keys, sizes, label = self._merge(source.keys, source.sizes, changes, n_most)
        counts = tuple(_merged_counts(own, label, len(sizes)) for own in source.counts)
        return NodeClasses(node, keys, sizes, counts), label

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
    entries = counts.tocoo()
    places = label[entries.row], entries.col
    shape = (n_classes, counts.shape[1])
    return sparse.coo_array((entries.data, places), shape=shape).tocsr()
