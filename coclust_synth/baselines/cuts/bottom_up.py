"""Bottom-up generalisation: from the values, what loses least for what it hides.

With A the rows of the least class, A_v those where the children of the node v are
replaced by it, and I(v) what these tell, see `worth`::

    IP(v) = I(v) / P(v),    P(v) = A_v - A

the node of the least IP is taken, and where no P is above 0 that of the least I, until
all classes hold k and the models. A node can be taken once all its children are in the
cut. Of equal ones the first column is taken, and in it the node whose first leaf is the
first in the hierarchy.

P is above 0 only if all classes of A rows are under children of v: a column has at most
one such critical node, and no other is counted.

References
----------
.. [1] K. Wang, P. S. Yu and S. Chakraborty, "Bottom-up generalization: a data mining
   solution to privacy protection", ICDM 2004: Algorithm 1, and critical
   generalisations.
"""

from collections.abc import Sequence

import numpy as np

from coclust_synth.baselines.cuts.table import Cuts, CutTable
from coclust_synth.baselines.cuts.tree import ColumnTree
from coclust_synth.baselines.cuts.worth import Worth, first_smallest
from coclust_synth.tables.rows import collapse


def bottom_up(table: CutTable, worth: Sequence[Worth], k: int) -> Cuts:
    """Generalise until all classes hold k and the models.

    Parameters
    ----------
    table : CutTable
        One class of all rows must have k and hold the models.
    worth : sequence of d Worth
    k : int
        Rows of each class, at least.
    """
    columns = [_RisingCut(tree) for tree in table.trees]
    nodes, sizes = table.codes, table.sizes
    classes, steps = np.arange(len(sizes)), []
    while sizes.min() < k or not table.hold(classes):
        j, node = _best(columns, worth, nodes, sizes)
        columns[j].take(node)
        nodes, sizes, merged = _generalized(nodes, sizes, columns[j].tree, j, node)
        classes = merged[classes]
        steps.append((j, node))
    return Cuts([own.cut for own in columns], steps, classes)


class _RisingCut:
    """The cut of one column, and the nodes whose children are all in it."""

    def __init__(self, tree: ColumnTree):
        self.tree = tree
        self.cut = np.arange(tree.n_leaves)
        self.is_ready = np.zeros(tree.n_nodes, dtype=bool)
        self._lacking = tree.n_children.copy()
        for leaf in range(tree.n_leaves):
            self._enter(leaf)

    def take(self, node: int) -> None:
        """Replace the children of a ready node by it."""
        self.cut = np.where(self.tree.parent[self.cut] == node, node, self.cut)
        self.is_ready[node] = False
        self._enter(node)

    def _enter(self, node):
        parent = self.tree.parent[node]
        if parent >= 0:
            self._lacking[parent] -= 1
            self.is_ready[parent] = self._lacking[parent] == 0

    @property
    def ready(self) -> np.ndarray:
        """The ready nodes, by first leaf."""
        nodes = np.flatnonzero(self.is_ready)
        return nodes[np.argsort(self.tree.first[nodes])]


def _best(columns, worth, nodes, sizes):
    """Column and node of the next step; nodes (d, C) and sizes (C,) are of classes."""
    least = sizes.min()
    smallest = nodes[:, sizes == least]
    critical, scores = [], []
    for j, (own, below) in enumerate(zip(columns, smallest, strict=True)):
        node = int(own.tree.parent[below[0]])
        if node < 0 or not own.is_ready[node] or (own.tree.parent[below] != node).any():
            continue
        gain = _generalized(nodes, sizes, own.tree, j, node)[1].min() - least
        if gain > 0:
            critical.append((j, node))
            scores.append(worth[j].amounts[node] / gain)
    if critical:
        return critical[first_smallest(scores)]
    ready = [own.ready for own in columns]
    column = np.repeat(np.arange(len(columns)), [len(own) for own in ready])
    amounts = [own.amounts[steps] for own, steps in zip(worth, ready, strict=True)]
    best = first_smallest(np.concatenate(amounts))
    return int(column[best]), int(np.concatenate(ready)[best])


def _generalized(nodes, sizes, tree, j, node):
    """Nodes and sizes of the classes after a step, and which each class went to."""
    moved = tree.parent[nodes[j]] == node
    others = np.delete(nodes[:, moved], j, axis=0)
    # Only those that move can be equal now.
    if len(others):
        n_keys = others.max(axis=1, initial=0) + 1
        merged = collapse(others.T, n_keys)[1]
    else:
        merged = np.zeros(int(moved.sum()), dtype=np.int64)
    n_stay = len(sizes) - len(merged)
    goes_to = np.empty(len(sizes), dtype=np.int64)
    goes_to[~moved], goes_to[moved] = np.arange(n_stay), n_stay + merged
    n_classes = n_stay + int(merged.max(initial=-1)) + 1
    found = np.empty((len(nodes), n_classes), dtype=np.int64)
    found[:, goes_to] = nodes
    found[j, n_stay:] = node
    return found, np.bincount(goes_to, sizes).astype(np.int64), goes_to
