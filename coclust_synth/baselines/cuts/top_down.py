"""Top-down specialisation: from the roots, what tells most for what it exposes.

With A the rows of the least class, A_v those where the node v is replaced by its
children, and InfoGain(v) the worth of these, see `worth`::

    Score(v) = InfoGain(v) / (A - A_v + 1)

A node is specialised that is valid, as all classes then hold k and the models, and
beneficial, as more than one value of the target is among its rows; of these the one of
the highest score, until there is none. Of equal scores the first column is taken, and
in it the node whose first leaf is the first in the hierarchy.

References
----------
.. [1] B. C. M. Fung, K. Wang and P. S. Yu, "Top-down specialization for information and
   privacy preservation", ICDE 2005: Algorithm 1.
.. [2] B. C. M. Fung, K. Wang and P. S. Yu, "Anonymizing classification data for privacy
   preservation", IEEE TKDE 19(5), 2007: the score, with its one in the denominator.
"""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from coclust_synth.baselines.cuts.table import Cuts, CutTable
from coclust_synth.baselines.cuts.worth import Worth, first_largest


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
