"""How one column depends on others: where these are cut, and what each leaf holds."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.generators.plain.trees._tree_kernels import Leaves, leaves_of, ranked

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
            features_of(codes, self.parents, self.ranks),
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


def features_of(codes, parents, ranks):
    """What a tree compares of each row: the number that each code stands for."""
    none = np.array([], dtype=np.int32)
    first = np.cumsum([0, *map(len, ranks)])
    parents = np.array(parents, dtype=np.int64)
    return ranked(codes, parents, np.concatenate([*ranks, none]), first)


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
