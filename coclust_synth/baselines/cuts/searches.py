"""Searches for cuts of the hierarchies: from the roots down, or from the values up.

With A the rows of the least class, InfoGain(v) the worth of the children of the node v
and I(v) what these tell, see `worth`:

*Top-down specialisation* takes what tells most for what it exposes. With A_v the rows
of the least class where v is replaced by its children::

    Score(v) = InfoGain(v) / (A - A_v + 1)

A node is specialised that is valid, as all classes then hold k and the models, and
beneficial, as more than one value of the target is among its rows; of these the one of
the highest score, until there is none.

*Bottom-up generalisation* takes what loses least for what it hides. With A_v those
where the children of v are replaced by it::

    IP(v) = I(v) / P(v),    P(v) = A_v - A

the node of the least IP is taken, and where no P is above 0 that of the least I, until
all classes hold k and the models. A node can be taken once all its children are in the
cut. P is above 0 only if all classes of A rows are under children of v: a column has at
most one such critical node, and no other is counted.

In both, of equal ones the first column is taken, and in it the node whose first leaf is
the first in the hierarchy.

References
----------
.. [1] B. C. M. Fung, K. Wang and P. S. Yu, "Top-down specialization for information and
   privacy preservation", ICDE 2005: Algorithm 1.
.. [2] B. C. M. Fung, K. Wang and P. S. Yu, "Anonymizing classification data for privacy
   preservation", IEEE TKDE 19(5), 2007: the score, with its one in the denominator.
.. [3] K. Wang, P. S. Yu and S. Chakraborty, "Bottom-up generalization: a data mining
   solution to privacy protection", ICDM 2004: Algorithm 1, and critical
   generalisations.
"""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from coclust_synth.baselines.cuts.table import ColumnTree, Cuts, CutTable
from coclust_synth.baselines.cuts.worth import Worth, first_largest, first_smallest
from coclust_synth.tables.rows import collapse


def top_down(table: CutTable, worth: Sequence[Worth], k: int) -> Cuts:
    """Specialise while there is a valid and beneficial node.

    Parameters
    ----------
    table : CutTable
        One class of all rows must have k and hold the models.
    worth : sequence of d Worth
    k : int
        Rows of each class, at least.
    """
    cuts = [np.full(tree.n_leaves, tree.n_nodes - 1) for tree in table.trees]
    classes = np.zeros(len(table.sizes), dtype=np.int64)
    is_open = [
        own.is_useful & (tree.n_children > 0)
        for own, tree in zip(worth, table.trees, strict=True)
    ]
    steps: list[tuple[int, int]] = []
    while True:
        candidates = []
        rows = int(np.bincount(classes, table.sizes).min())
        for j, own in enumerate(worth):
            for node, least in _least_after(table, cuts[j], classes, is_open[j], j, k):
                # A_v = min(A, least): parts are no larger than their classes.
                score = own.amounts[node] / (max(rows - least, 0) + 1)
                candidates.append((score, j, node))
        step = _best_that_holds(table, cuts, classes, is_open, candidates)
        if step is None:
            return Cuts(cuts, steps, classes)
        j, node = step
        pieces = table.trees[j].below(cuts[j])
        cuts[j] = np.where(cuts[j] == node, pieces, cuts[j])
        classes = _parted(classes, cuts[j][table.codes[j]], table.trees[j].n_nodes)
        steps.append(step)


def _least_after(table, cut, classes, is_open, j, k):
    """The open nodes of a column that leave k, by first leaf.

    Each with the rows of the least part that its classes fall in. Nodes that do not
    leave k are closed: later classes are parts of the present ones.
    """
    tree = table.trees[j]
    nodes = cut[np.sort(np.unique(cut, return_index=True)[1])]
    nodes = nodes[is_open[nodes]]
    if not len(nodes):
        return
    touched = is_open[cut[table.codes[j]]]
    pairs = classes[touched], tree.below(cut)[table.codes[j, touched]]
    shape = (int(classes.max()) + 1, tree.n_nodes)
    parts = sparse.coo_array((table.sizes[touched], pairs), shape=shape).tocsr()
    least = np.full(tree.n_nodes, len(table.inverse))
    np.minimum.at(least, tree.parent[parts.indices], parts.data)
    is_open[nodes[least[nodes] < k]] = False
    for node in nodes[is_open[nodes]].tolist():
        yield node, int(least[node])


def _best_that_holds(table, cuts, classes, is_open, candidates):
    """The candidate of the highest score whose classes hold the models, or None."""
    while candidates:
        best = first_largest([score for score, _, _ in candidates])
        _, j, node = candidates.pop(best)
        tree, leaves = table.trees[j], table.codes[j]
        rows = cuts[j][leaves] == node
        pieces = tree.below(cuts[j])[leaves[rows]]
        if table.hold(_parted(classes[rows], pieces, tree.n_nodes), rows):
            return j, node
        if table.is_monotone:
            is_open[j][node] = False
    return None


def _parted(classes, pieces, n_pieces):
    """Classes of rows that were in one class and are in one piece."""
    return np.unique(classes * n_pieces + pieces, return_inverse=True)[1]


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
