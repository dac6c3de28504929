r"""What is lost where the children of a node are released as the node.

Of a target, with R_v the rows under a node v, |R_v| of them, and children c::

    InfoGain(v) = I(R_v) - sum_c |R_c| / |R_v| I(R_c)       in bits
    I(R)        = - sum_t p_t log2 p_t,   p_t the share of the target's value t in R

which is what specialising v tells of it, and what generalising the children to v loses.
Without a target it is the loss of the column's cells in their place, w_v the leaves
under v of the N that the hierarchy has, n the rows of the table::

    Loss(v)     = sum_c |R_c| (w_v - w_c) / (n (N - 1))

Neither depends on the cuts: both are numbers of a node. Of steps that are equally good
the first is taken.

References
----------
.. [1] B. C. M. Fung, K. Wang and P. S. Yu, "Anonymizing classification data for privacy
   preservation", IEEE TKDE 19(5), 2007: InfoGain.
.. [2] V. S. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002: the
   loss.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from coclust_synth.baselines.cuts.table import ColumnTree

_DECIMALS = 12  # sums that are equal but for their rounding are equal
_SAME = 1e-9  # relative: scores that differ by less are equal, as quotients round


class Worth(NamedTuple):
    """What the children of each node of a column tell, m nodes.

    Attributes
    ----------
    amounts : ndarray of float64, shape (m,)
        0 or more; 0 of a leaf.
    is_useful : ndarray of bool, shape (m,)
        Whether it is of any use to know the children: with a target, whether the rows
        of the node have more than one of its values, otherwise whether it has rows.
    """

    amounts: np.ndarray
    is_useful: np.ndarray


def information(tree: ColumnTree, by_leaf: sparse.csr_array) -> Worth:
    """Information about a target, in bits.

    Parameters
    ----------
    tree : ColumnTree
    by_leaf : csr_array of int64, shape (n_leaves, n_values)
        Rows of each leaf that have each value of the target.
    """
    held = (tree.members @ by_leaf).tocsr()
    n_values, rows = np.diff(held.indptr), held.sum(axis=1)
    # |R| I(R), which needs no division.
    of_node = np.repeat(np.arange(tree.n_nodes), n_values)
    entropies = _m_log_m(rows) - np.bincount(of_node, _m_log_m(held.data), tree.n_nodes)
    gains = entropies - tree.over_children(entropies)
    gains[tree.n_children == 0] = 0
    amounts = np.maximum(np.round(gains / np.maximum(rows, 1), _DECIMALS), 0)
    return Worth(amounts, n_values > 1)


def loss(tree: ColumnTree, by_leaf: np.ndarray) -> Worth:
    """Share of the column's values that its cells stand for.

    Parameters
    ----------
    tree : ColumnTree
    by_leaf : ndarray of int64, shape (n_leaves,)
        Rows of each leaf.
    """
    rows, leaves = tree.members @ by_leaf, tree.members.sum(axis=1)
    lost = rows * leaves - tree.over_children(rows * leaves)
    lost[tree.n_children == 0] = 0
    return Worth(lost / (rows[-1] * max(tree.n_leaves - 1, 1)), rows > 0)


def _m_log_m(m):
    return m * np.log2(np.maximum(m, 1))


def first_largest(scores: Sequence[float]) -> int:
    """Position of the largest score, of equals the first.

    Parameters
    ----------
    scores : sequence of float
        0 or more, at least one.
    """
    return int(np.argmax(np.asarray(scores) >= np.max(scores) * (1 - _SAME)))


def first_smallest(scores: Sequence[float]) -> int:
    """Position of the smallest score, of equals the first; see `first_largest`."""
    return int(np.argmax(np.asarray(scores) <= np.min(scores) * (1 + _SAME)))
