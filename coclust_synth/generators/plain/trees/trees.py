"""A tree for each column, on the columns before it; leaves of k individuals or more.

What is split on are codes of atoms in order, and codes of categories in the two orders
that tell most of the column: streets are cheap or dear, and of one town or another. A
tree holds which columns are asked for and where they are cut, and of each leaf how many
rows hold each code. Of a column that nothing tells anything of leaves are larger, see
`is_told`; what only two columns together tell is set apart first, see `pairs`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from coclust_synth.generators.plain.trees._growth_kernels import grow
from coclust_synth.generators.plain.trees._tree_kernels import Leaves, leaves_of, ranked
from coclust_synth.generators.plain.trees.pairs import find_pair
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.midnight import in_order

# By chance one in a thousand pairs of columns seems to go together, and a tree of half
# the individuals so many standard deviations with the others.
_MAX_CHANCE, _MIN_DEVIATIONS = 1e-3, 3.0
#: Leaves of the tree of a column that nothing tells anything of, at most.
UNTOLD_LEAVES = 20
# Ordered values are compared in tenths.
_TENTHS = 10
# Categories beyond the commonest ones are not told apart when a tree is grown.
_MAX_CLASSES = 25
# A value that this share of the rows holds is told apart from its neighbours.
_HEAP_SHARE = 0.05
# How much a heap, and a code in no order, count beside the rank of a number.
_HEAP_WEIGHT, _OTHER_WEIGHT = 0.7, 1.5
# How much more of a target one split of numbers along it explains than one in their
# order, at least, beside so many times what it would by chance.
_MUCH_MORE, _BY_CHANCE = 0.1, 2.0
# A component that explains less of what the first one does is rounding.
_ROUNDING = 1e-9
# Rows of the whole column that an ordering of categories adds to each.
_PRIOR_ROWS = 2

# What `ColumnTree.joined` gives.
TREE_ARRAYS = ("nodes", "ranks", "indptr", "entries")


@dataclass(frozen=True, eq=False)
class ColumnTree:
    """How one column depends on others.

    Attributes
    ----------
    parents : tuple of int
        Positions of the columns that it asks for: one of categories may be there twice,
        in two orders.
    ranks : tuple of ndarray of int32
        Of each parent, the number that each of its codes stands for.
    feature, threshold, left, right : ndarray of int32, shape (T,)
        Nodes, see `_tree_kernels`; `feature` is a position in `parents`.
    leaves : Leaves
        By node; those that are no leaf have no entry. The last is of all rows.
    """

    parents: tuple[int, ...]
    ranks: tuple[np.ndarray, ...]
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    leaves: Leaves

    def leaf_of(self, codes):
        """Leaf of each row of codes, (n, d) int."""
        return leaves_of(
            _features(codes, self.parents, self.ranks),
            self.feature,
            self.threshold,
            self.left,
            self.right,
        )

    def shape(self):
        """How long the arrays are, JSON compatible."""
        return {
            "parents": list(self.parents),
            "ranks": [len(rank) for rank in self.ranks],
            "nodes": len(self.left),
            "entries": len(self.leaves.code),
        }

    @staticmethod
    def joined(trees):
        """Arrays of some trees, or of none, one after the other."""
        nodes = [(t.feature, t.threshold, t.left, t.right) for t in trees]
        ranks = [rank for t in trees for rank in t.ranks]
        none = np.zeros((4, 0), dtype=np.int32)
        return {
            "nodes": np.hstack([none, *map(np.vstack, nodes)]),
            "ranks": np.concatenate([none[0], *ranks]),
            "indptr": np.concatenate([none[0], *(t.leaves.indptr for t in trees)]),
            "entries": np.hstack(
                [none[:2], *([t.leaves.code, t.leaves.rows] for t in trees)]
            ),
        }

    @classmethod
    def parted(cls, shapes, arrays):
        """Inverse of `joined`, for trees of these shapes."""
        at = dict.fromkeys(arrays, 0)

        def take(name, size):
            at[name] += size
            taken = arrays[name][..., at[name] - size : at[name]]
            if taken.shape[-1] != size or taken.dtype.kind != "i":
                raise ValueError(name)
            return taken

        trees = []
        for shape in shapes:
            feature, threshold, left, right = take("nodes", shape["nodes"])
            ranks = tuple(take("ranks", size) for size in shape["ranks"])
            indptr = take("indptr", shape["nodes"] + 2)
            code, rows = take("entries", shape["entries"])
            leaves = Leaves(indptr, code.astype(np.int32), rows)
            parents = tuple(shape["parents"])
            trees.append(cls(parents, ranks, feature, threshold, left, right, leaves))
        return trees

    def check(self, n_own, n_codes):
        """Raise a ValueError unless all indices are in range.

        Parameters
        ----------
        n_own : int
            Codes of the column.
        n_codes : sequence of int
            Codes of the columns that it can depend on.
        """
        split, n = self.left >= 0, len(self.left)
        nodes = np.arange(n)
        inside = (self.left > nodes) & (self.left < n)
        inside &= (self.right > nodes) & (self.right < n)
        inside &= (self.feature >= 0) & (self.feature < len(self.parents))
        indptr, code, rows = self.leaves
        is_sound = (
            inside[split].all()
            and len(self.parents) == len(self.ranks)
            and all(
                0 <= p < len(n_codes) and len(r) == n_codes[p]
                for p, r in zip(self.parents, self.ranks, strict=True)
            )
            and indptr[0] == 0
            and indptr[-1] == len(code)
            and (np.diff(indptr) >= 0).all()
            and (np.diff(indptr)[:-1][~split] > 0).all()
            and ((code >= 0) & (code < n_own)).all()
            and (rows > 0).all()
            and indptr[-1] > indptr[-2]
        )
        if not is_sound:
            raise ValueError("tree")


def _features(codes, parents, ranks):
    none = np.array([], dtype=np.int32)
    first = np.cumsum([0, *map(len, ranks)])
    parents = np.array(parents, dtype=np.int64)
    return ranked(codes, parents, np.concatenate([*ranks, none]), first)


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
        orders = [
            (p, ranks)
            for p, own in sizes.items()
            for ranks in _orders(codes[rows, p], own, target[rows], whose)
        ]
        which, ranks = zip(*orders, strict=True)
        features = _features(codes, which, ranks)
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
        are_many = (counts > 0).sum() > _MAX_CLASSES
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
    commonest = np.argsort(-counts, kind="stable")[:_MAX_CLASSES]
    commonest = commonest[counts[commonest] > 0]
    if len(commonest) == 2 == (counts > 0).sum():
        commonest = commonest[:1]
    return (codes[:, None] == commonest).astype(np.float64)


def _orders(codes, sizes, target, individual):
    """The number of each code: itself, or its place along the target, in a list.

    Categories have a second place, along what is most of the rest of the target: in one
    order streets of a town would be beside each other, cheap ones and dear. Not of rows
    of persons, who keep to what they had before less often then.

    Numbers have theirs where one split along the target explains much more of it than
    one of the numbers in their order would: the size of a school tells which one it is,
    and so how many of its pupils are poor. What stands for a missing number comes
    first, and so does then what few individuals have.
    """
    n_codes, n_ordered, start = sizes
    own_order = np.argsort(in_order(n_codes, n_ordered, start)).astype(np.int32)
    own_order[n_ordered:] = -1
    if n_ordered and not target.shape[1]:
        return [own_order]
    counts = np.bincount(codes, minlength=n_codes)
    sums = np.column_stack(
        [np.bincount(codes, t, minlength=n_codes) for t in target.T]
    ).reshape(n_codes, -1)
    along, *others = _along(counts, sums, target)
    if not n_ordered:
        return [along, *others] if individual is None else [along]
    holders, n = counts, len(codes)
    if individual is not None:
        pairs = np.unique(individual.astype(np.int64) * n_codes + codes)
        holders = np.bincount(pairs % n_codes, minlength=n_codes)
        n = len(np.unique(individual))
    along[holders < MIN_ROWS] = -1
    whole = ((target - target.mean(axis=0)) ** 2).sum()
    by_chance = _BY_CHANCE * np.count_nonzero(counts) / n
    more = _explained(along, counts, sums) - _explained(own_order, counts, sums)
    return [along if more > (_MUCH_MORE + by_chance) * whole else own_order]


def _along(counts, sums, target):
    """Place of each code along principal components of what it has of it: two at most.

    Of three codes and more, and where there is a second component.
    """
    if not target.shape[1]:
        return [_places(counts)]
    mean = target.mean(axis=0)
    shift = (sums + _PRIOR_ROWS * mean) / (counts + _PRIOR_ROWS)[:, None] - mean
    weighted = shift * np.sqrt(counts)[:, None]
    explained, vectors = np.linalg.eigh(weighted.T @ weighted)
    n_places = 1 + (np.count_nonzero(counts) > 2)
    is_more = explained[::-1][:n_places] > _ROUNDING * explained[-1]
    along = np.round(shift @ vectors[:, ::-1], 12).T[: max(is_more.sum(), 1)]
    return list(map(_places, along))


def _places(values):
    """Rank of each value, (C,) int32."""
    ranks = np.empty(len(values), dtype=np.int32)
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    return ranks


def _explained(ranks, counts, sums):
    """What the best split of some ranks explains of the squares of a target."""
    order = np.argsort(ranks, kind="stable")
    left, of_left = np.cumsum(counts[order]), np.cumsum(sums[order], axis=0)
    right, of_right = left[-1] - left, of_left[-1] - of_left
    is_split = (left > 0) & (right > 0)
    if not is_split.any():
        return 0.0
    found = (of_left**2).sum(axis=1)[is_split] / left[is_split]
    found += (of_right**2).sum(axis=1)[is_split] / right[is_split]
    return float(found.max() - (of_left[-1] ** 2).sum() / left[-1])


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


def reached_nodes(nodes, leaf):
    """Without the nodes below those that are leaves now."""
    feature, threshold, left, right = nodes
    is_reached = np.zeros(len(left), dtype=bool)
    is_reached[0] = True
    for t in np.flatnonzero(left >= 0):  # a node comes before those below it
        is_reached[[left[t], right[t]]] |= is_reached[t]
    place = np.cumsum(is_reached, dtype=np.int32) - 1
    left, right = (np.where(a >= 0, place[a], -1).astype(np.int32) for a in nodes[2:])
    nodes = (a[is_reached] for a in (feature, threshold, left, right))
    return tuple(nodes), place[leaf].astype(np.int64)


def used_parents(nodes, ranks, parents):
    """Without the parents that no node asks for."""
    feature, threshold, left, right = nodes
    used = np.unique(feature[left >= 0])
    place = np.full(len(parents) + 1, -1, dtype=np.int32)
    place[used] = np.arange(len(used))
    feature = np.where(left >= 0, place[feature], -1).astype(np.int32)
    return (
        (feature, threshold, left, right),
        tuple(ranks[j] for j in used),
        tuple(parents[j] for j in used),
    )


def count_codes(leaf, own, n_nodes):
    """Rows of each leaf that have each code; after the last node, those of all rows."""
    node = np.append(leaf, np.full(len(own), n_nodes)).astype(np.int64)
    n_codes = int(own.max()) + 1
    key, rows = np.unique(node * n_codes + np.append(own, own), return_counts=True)
    indptr = np.searchsorted(key // n_codes, np.arange(n_nodes + 2))
    return Leaves(indptr.astype(np.int64), (key % n_codes).astype(np.int32), rows)


def is_told(
    codes: NDArray[np.int32],
    is_ordered: NDArray[np.bool_],
    target: NDArray[np.float64],
    individual: NDArray[np.int64],
    grown: Callable,
) -> bool:
    """Whether some columns, alone or together, tell something of a target.

    A tree goes on until its leaves hold k individuals. Of a column that hangs together
    with nothing, leaves so small repeat which values happen to meet in the table:
    nothing that is true of others, and much of who is in it. So they are a twentieth of
    the table at least: tenths of two columns meet about as often as in the table, and
    no more is told.

    Alone, if the means of the target differ from one tenth or category to the next more
    than chance has it. Together, if what a tree grown for every other individual
    foretells of those between goes with what they have.

    Parameters
    ----------
    codes : ndarray of int32, shape (n, p)
        Of the columns.
    is_ordered : ndarray of bool, shape (p,)
        Whether codes of a column are compared in tenths, or each.
    target : ndarray of float64, shape (n, q)
    individual : ndarray of int64, shape (n,)
        Of each row, from 0.
    grown : callable
        From a mask of some rows to a tree that is grown for them; the last that it
        gives is the leaf of each of the n rows.

    Returns
    -------
    bool
    """
    target = target[:, (target != target[0]).any(axis=0)]
    if not target.shape[1]:
        return False
    n_rows = np.bincount(individual)
    alike = (n_rows @ n_rows) / n_rows.sum()  # rows of a person count as one, at most
    centred = target - target.mean(axis=0)
    groups = (
        _tenths(own) if ordered else np.unique(own, return_inverse=True)[1]
        for own, ordered in zip(codes.T, is_ordered, strict=True)
    )
    return any(_differ(group, centred, alike) for group in groups) or _foretells(
        centred, individual, alike, grown
    )


def _differ(group, centred, alike):
    """Whether means of some groups differ more than chance has it."""
    rows = np.bincount(group)
    for of in centred.T:
        between = (np.bincount(group, of) ** 2 / rows).sum()
        distance = between / (of @ of) * len(of) / alike
        if chdtrc(len(rows) - 1, distance) < _MAX_CHANCE:
            return True
    return False


def _tenths(own):
    """Values in order, in groups of about a tenth of the rows, from 0 without gaps."""
    values = np.unique(own, return_inverse=True)[1]
    rows = np.bincount(values)
    tenths = (np.cumsum(rows) - rows / 2) * _TENTHS // len(own)
    return np.unique(tenths, return_inverse=True)[1][values]


def _foretells(centred, individual, alike, grown):
    """Whether halves of the individuals foretell each other, if there are two."""
    if not individual.any():
        return False
    is_even, covariance, variance = individual % 2 == 0, 0.0, 0.0
    for half in (is_even, ~is_even):
        leaf = grown(half)[-1]
        rows = np.bincount(leaf[half], minlength=leaf.max() + 1)
        for of in centred.T:
            sums = np.bincount(leaf[half], of[half], len(rows))
            told = (sums / np.maximum(rows, 1))[leaf[~half]]
            told -= told.mean()
            covariance += told @ of[~half]
            variance += alike * (told**2 @ of[~half] ** 2)
    return bool(covariance > _MIN_DEVIATIONS * np.sqrt(variance))
