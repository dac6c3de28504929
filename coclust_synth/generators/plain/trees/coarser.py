"""A coarser structure: clusters merged, rows handed over, until all describe k rows.

It is made of what the structure holds, without the table, and so differs from one that
is learnt anew: a cluster goes where the largest of those it is made of went, and rows
of too small a side of a split are taken for rows like those of the other.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from coclust_synth.generators.plain.trees._tree_kernels import GOLDEN
from coclust_synth.generators.plain.trees.column_tree import (
    ColumnTree,
    count_codes,
    reached_nodes,
    used_parents,
)
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.parts.coding import TableCoding


class Merged(NamedTuple):
    """How C clusters become C'.

    cluster_of : (C,) the new cluster of each. rows : (C,) of each. leader : (C',) of
    each new cluster, the largest of those that it is made of.
    """

    cluster_of: np.ndarray
    rows: np.ndarray
    leader: np.ndarray

    @classmethod
    def of(cls, cluster_of, rows):
        by_size = np.argsort(-rows, kind="stable")
        first = np.unique(cluster_of[by_size], return_index=True)[1]
        return cls(cluster_of, rows, by_size[first])


def coarser(structure, k):
    """The structure whose clusters and leaves hold k rows at least, and nothing finer.

    Clusters are those that an uneven cut at k has; trees are those of `coarser_tree`.

    Parameters
    ----------
    structure : Structure
        Of rows that are individuals.
    k : int
        Up to the number of rows.

    Returns
    -------
    Structure
    """
    before = structure.cluster_rows
    cluster_of, merges = merge_clusters(before, structure.cluster_merges, k)
    merged, of_clusters = Merged.of(cluster_of, before), len(structure.coding.parts)

    def made(tree):
        return coarser_tree(tree, k, of_clusters, merged)

    columns = tuple(
        replace(
            drawn,
            tree=made(drawn.tree),
            parts=tuple((place, made(tree)) for place, tree in drawn.parts),
            inside=None,  # What the leaves go along that are there no more.
        )
        for drawn in structure.columns
    )
    rows = np.bincount(cluster_of, before).astype(np.int64)
    return replace(
        structure,
        coding=coarser_eras(structure.coding, k),
        columns=columns,
        cluster_rows=rows,
        cluster_merges=merges,
        reach=coarser_reach(structure.reach, cluster_of),
    )


def coarser_eras(coding: TableCoding, k: int) -> TableCoding:
    """The same coding, in which eras of fewer than k individuals have no calendar."""
    parts = (
        replace(own, grains=own.grains.of_most(k))
        if isinstance(own, AtomParts) and isinstance(own.grains, Calendar)
        else own
        for own in coding.parts
    )
    return replace(coding, parts=tuple(parts))


def coarser_reach(reach, cluster_of):
    """Bins of columns that new clusters may have: those that any of the old ones may.

    Parameters
    ----------
    reach : mapping of int to ndarray of bool, shape (C, bins of the column)
        See `Structure`.
    cluster_of : ndarray of int64, shape (C,)
        The new cluster of each.

    Returns
    -------
    dict of int to ndarray of bool, shape (C', bins of the column)
    """
    coarser = {}
    for j, of_clusters in reach.items():
        coarser[j] = np.zeros((cluster_of.max() + 1, of_clusters.shape[1]), dtype=bool)
        np.logical_or.at(coarser[j], cluster_of, of_clusters)
    return coarser


def coarser_tree(tree, k, of_clusters, merged):
    """The tree of which no leaf holds fewer than k rows, of merged clusters.

    A new cluster goes where its leader goes. Rows of the others that it is made of
    follow: of each leaf as many as their clusters have of those that come there. Where
    a side of a split holds fewer than k rows, or no cluster goes there any more, the
    other takes the place of the split. Rows that leave a leaf are shared out among
    those that they go to, each code alike, so that the column keeps its distribution.

    Parameters
    ----------
    tree : ColumnTree
    k : int
        Up to the number of rows.
    of_clusters : int
        Position of the cluster among the columns that it can ask for.
    merged : Merged

    Returns
    -------
    ColumnTree
    """
    held, ranks = _held(tree.leaves), list(tree.ranks)
    is_met = np.ones(len(tree.left), dtype=bool)
    places = [p for p, parent in enumerate(tree.parents) if parent == of_clusters]
    if places:
        comes = _clusters_of_nodes(tree, places)
        _follow(tree, places, comes, merged, held)
        is_met = comes[:, merged.leader].any(axis=1)
    for place in places:
        ranks[place] = ranks[place][merged.leader]
    left, right = tree.left.copy(), tree.right.copy()
    rows = np.zeros(len(left), dtype=np.int64)
    for leaf, parts in held.items():
        rows[leaf] = sum(map(len, parts))
    stands = np.arange(len(left))  # what has taken the place of each node
    for t in range(len(left) - 1, -1, -1):  # a node comes before those below it
        if left[t] < 0:
            continue
        left[t], right[t] = sides = stands[[left[t], right[t]]]
        rows[t] = rows[sides].sum()
        gone, kept = sides[np.lexsort((rows[sides], is_met[sides]))]
        if rows[gone] < k or not is_met[gone]:
            codes = [c for f in _leaves(gone, left, right) for c in held.pop(f)]
            into = _leaves(kept, left, right)
            rows[into] += _share_out(codes, into, rows[into], held, t)
            stands[t], rows[kept] = kept, rows[t]
    leaf = np.repeat([*held], rows[[*held]])
    code = np.hstack([codes for parts in held.values() for codes in parts])
    top = stands[0]
    below = (np.where(side < 0, -1, side - top)[top:] for side in (left, right))
    nodes, leaf = reached_nodes(
        (tree.feature[top:], tree.threshold[top:], *below), leaf - top
    )
    nodes, ranks, parents = used_parents(nodes, ranks, tree.parents)
    return ColumnTree(parents, ranks, *nodes, count_codes(leaf, code, len(nodes[0])))


def _clusters_of_nodes(tree, places):
    """Which clusters come to each node, (T, C) bool."""
    n_clusters = len(tree.ranks[places[0]])
    comes = np.ones((len(tree.left), n_clusters), dtype=bool)
    for t in np.flatnonzero(tree.left >= 0):
        goes_left = goes_right = comes[t]
        if tree.feature[t] in places:
            rank = tree.ranks[tree.feature[t]]
            goes_left = comes[t] & (rank <= tree.threshold[t])
            goes_right = comes[t] & (rank > tree.threshold[t])
        comes[tree.left[t]], comes[tree.right[t]] = goes_left, goes_right
    return comes


def _follow(tree, places, comes, merged, held):
    """Clusters follow their leaders, at each node where these part from them."""
    leader = merged.leader[merged.cluster_of]
    share = comes * merged.rows
    share = share / np.maximum(share.sum(axis=1, keepdims=True), 1)
    rows = np.zeros(len(comes), dtype=np.int64)
    rows[[*held]] = [len(codes) for (codes,) in held.values()]
    for t in np.flatnonzero((tree.left >= 0) & np.isin(tree.feature, places)):
        sides = tree.left[t], tree.right[t]
        for side, other in (sides, sides[::-1]):
            parted = comes[side] & comes[other][leader]
            if not parted.any():
                continue
            codes = []
            for f in _leaves(side, tree.left, tree.right):
                own = held[f][0]
                n = min(round(share[f, parted].sum() * rows[f]), len(own))
                taken = np.zeros(len(own), dtype=bool)
                taken[(2 * np.arange(n) + 1) * len(own) // max(2 * n, 1)] = True
                codes.append(own[taken])
                held[f][0] = own[~taken]
            into = _leaves(other, tree.left, tree.right)
            led = np.unique(leader[parted])
            _share_out(
                codes, into, share[into][:, led].sum(axis=1) * rows[into], held, t
            )


def _held(leaves):
    """Codes of the rows of each leaf, in order, in a list of one array."""
    last = leaves.indptr[-2]
    rows = leaves.rows[:last]
    codes = np.repeat(leaves.code[:last], rows)
    ends = np.append(0, np.cumsum(rows))[leaves.indptr[:-1]]
    parts = np.split(codes, ends[1:-1])
    return {leaf: [part] for leaf, part in enumerate(parts) if len(part)}


def _leaves(node, left, right):
    """Those below a node, or the node itself."""
    found, left_over = [], [node]
    while left_over:
        t = left_over.pop()
        if left[t] < 0:
            found.append(t)
        else:
            left_over += [right[t], left[t]]
    return found


def _share_out(codes, leaves, weights, held, start):
    """Give each leaf its share of rows of each code; how many each got, (L,)."""
    codes, shares = np.sort(np.hstack(codes)), np.cumsum(weights)
    # Points of any number of rows in turn, spread evenly.
    points = (start + np.arange(len(codes))) * GOLDEN % 1
    to = np.searchsorted(shares, points * shares[-1], side="right")
    to = np.minimum(to, len(leaves) - 1)
    order = np.argsort(to, kind="stable")
    got = np.bincount(to, minlength=len(leaves))
    for leaf, part in zip(
        leaves, np.split(codes[order], np.cumsum(got)[:-1]), strict=True
    ):
        held[leaf].append(part)
    return got


def merge_clusters(rows, merges, k):
    """Clusters of k rows at least, as an uneven cut has them.

    Parameters
    ----------
    rows : ndarray of int64, shape (C,)
        Of each cluster.
    merges : ndarray of int64, shape (C - 1, 2)
        As `ClusteredRows.uneven_merges` tells them.
    k : int

    Returns
    -------
    cluster_of : ndarray of int64, shape (C,)
        The new cluster of each, in the order of the old ones.
    merges : ndarray of int64, shape (C' - 1, 2)
        Of the new clusters.
    """
    n = len(rows)
    sizes = rows.tolist()
    for left, right in merges.tolist():
        sizes.append(sizes[left] + sizes[right])
    top = np.arange(len(sizes))
    for node in range(len(sizes) - 1, n - 1, -1):
        pair = merges[node - n]
        is_cut = top[node] == node and min(sizes[child] for child in pair) >= k
        top[pair] = pair if is_cut else top[node]
    kept, cluster_of = np.unique(top[:n], return_inverse=True)
    number = {node: i for i, node in enumerate(kept.tolist())}
    left_over = []
    for node, pair in enumerate(merges.tolist(), n):
        if top[node] == node and node not in number:
            left_over.append([number[child] for child in pair])
            number[node] = len(kept) + len(left_over) - 1
    return cluster_of, np.array(left_over, dtype=np.int64).reshape(-1, 2)
