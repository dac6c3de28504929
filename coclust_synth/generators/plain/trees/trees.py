"""A tree for each column, on the columns before it; leaves of k individuals or more.

What is split on are codes of atoms in order, and codes of categories in the two orders
that tell most of the column: streets are cheap or dear, and of one town or another. A
tree holds which columns are asked for and where they are cut, and of each leaf how many
rows hold each code. Of a column that nothing tells anything of leaves are larger, see
`is_told`; what only two columns together tell is set apart first, see `pairs`.
"""

from functools import partial

import numpy as np

from coclust_synth.generators.plain.trees._growth_kernels import grow
from coclust_synth.generators.plain.trees._tree_kernels import leaves_of
from coclust_synth.generators.plain.trees.column_tree import (
    ColumnTree,
    count_codes,
    features_of,
    used_parents,
)
from coclust_synth.generators.plain.trees.orders import Target, orders_of
from coclust_synth.generators.plain.trees.pairs import find_pair
from coclust_synth.generators.plain.trees.screening import UNTOLD_LEAVES, is_told
from coclust_synth.tables.parts.midnight import in_order

# Of many categories the commonest are told apart when a tree is grown: so many at least
# and at most, and else as hold this share of the rows.
_MANY_CLASSES, _MAX_CLASSES, _TOLD_SHARE = 25, 100, 0.8
# A value that this share of the rows holds is told apart from its neighbours.
_HEAP_SHARE = 0.05
# How much a heap, and a code in no order, count beside the rank of a number.
_HEAP_WEIGHT, _OTHER_WEIGHT = 0.7, 1.5


def grow_tree(
    own,
    n_own,
    parents,
    codes,
    n_codes,
    n_ordered,
    k,
    persons=None,
    starts=None,
    groups=(),
):
    """Grow the tree of a column.

    Parameters
    ----------
    own : ndarray of int32, shape (n,)
        Codes of the column.
    n_own : (int, int) or (int, int, int)
        How many codes it has, and how many of them, the first, are in an order: none,
        or all but those for missing and the like; with which of these it begins, see
        `in_order`, by default the first.
    parents : sequence of int
        Columns that it may depend on.
    codes : ndarray of int32, shape (n, d)
        Of these and others.
    n_codes, n_ordered : ndarray of int64, shape (d,)
        As `n_own`, of each.
    k : int
        Individuals of each leaf, at least.
    persons : Persons, optional
        Of the rows, where individuals have several.
    starts : ndarray of int64, shape (d,), optional
        The code with which the order of each begins, by default the first.
    groups : sequence of ndarray of int64, shape (n,), default=()
        What categories say that are too many to be told apart one by one: whether they
        stand for missing, the borough of a zone.

    Returns
    -------
    ColumnTree
    """
    n, target = len(codes), _target(own, *n_own, groups=groups)
    individual = np.arange(n) if persons is None else persons.codes
    starts = np.zeros(len(n_codes), dtype=np.int64) if starts is None else starts

    def grown(rows, k):
        whose = None if persons is None else individual[rows]
        sizes = {p: (n_codes[p], n_ordered[p], starts[p]) for p in parents}
        told = Target(target[rows])
        orders = [
            (p, ranks)
            for p, own in sizes.items()
            for ranks in orders_of(codes[rows, p], own, told, whose)
        ]
        which, ranks = zip(*orders, strict=True)
        features = features_of(codes, which, ranks)
        nodes = _grow(features[rows], target[rows], whose, k)
        return (nodes, ranks, which), leaves_of(features, *nodes)

    if len(parents) and target.shape[1] and n >= 2 * k:
        asked = codes[:, parents], np.asarray(n_ordered)[list(parents)] > 0
        if not is_told(*asked, target, individual, partial(grown, k=k)):
            k = max(k, int(individual.max() + 1) // UNTOLD_LEAVES)
        tree, leaf = grown(slice(None), k)
    else:
        none = np.full(1, -1, dtype=np.int32)
        tree = (none, none, none, none), (), ()
        leaf = np.zeros(n, dtype=np.int64)
    nodes, ranks, parents = used_parents(*tree)
    return ColumnTree(parents, ranks, *nodes, count_codes(leaf, own, len(nodes[0])))


def _target(own, n_codes, n_ordered, start=0, groups=()):
    """What a tree is grown for, (n, q) float: see the constants of this module."""
    counts = np.bincount(own, minlength=n_codes)
    if not n_ordered:
        are_many = (counts > 0).sum() > _MANY_CLASSES
        told = [own, *groups] if are_many else [own]
        return np.concatenate(list(map(_classes, told)), axis=1)
    n = len(own)
    rank, order = np.zeros(n_codes), in_order(n_codes, n_ordered, start)
    rank[order] = (np.cumsum(counts[order]) - counts[order] / 2) / n
    rank[n_ordered:] = 0.0
    heaps = np.flatnonzero(counts[:n_ordered] >= _HEAP_SHARE * n)
    targets = [2 * rank[own], *(_HEAP_WEIGHT * (own == c) for c in heaps)]
    others = np.flatnonzero(counts[n_ordered:]) + n_ordered
    targets += [_OTHER_WEIGHT * (own == c) for c in others]
    return np.column_stack(targets)


def _classes(codes):
    """Whether each row is of the commonest of some classes, (n, q) float."""
    counts = np.bincount(codes)
    order = np.argsort(-counts, kind="stable")
    n_told = 1 + np.searchsorted(np.cumsum(counts[order]), _TOLD_SHARE * len(codes))
    commonest = order[: np.clip(n_told, _MANY_CLASSES, _MAX_CLASSES)]
    commonest = commonest[counts[commonest] > 0]
    if len(commonest) == 2 == (counts > 0).sum():
        commonest = commonest[:1]
    return (codes[:, None] == commonest).astype(np.float64)


def _grow(features, target, person, k):
    """Nodes of a tree; each row is an individual where it is of no person."""
    if person is not None:
        return grow(features, target, person, k)[0]
    pair = find_pair(features, target, k)
    if pair is None:
        return _greedy(features, target, k)
    first, second = (half.rows(features) for half in pair)
    both, alone, others = (
        _grow(features[rows], target[rows], None, k)
        for rows in (first & second, first & ~second, ~first)
    )
    return pair[0].nodes(pair[1].nodes(both, alone), others)


def _greedy(features, target, k):
    """Nodes of a tree that is grown split by split."""
    # Rows are drawn, and tables looked at, without it: it takes long to import.
    from sklearn.tree import DecisionTreeRegressor

    grown = DecisionTreeRegressor(min_samples_leaf=k, random_state=0)
    grown = grown.fit(features, target).tree_
    nodes = (
        grown.feature,
        np.floor(grown.threshold),
        grown.children_left,
        grown.children_right,
    )
    return tuple(a.astype(np.int32) for a in nodes)
