"""A coarser structure: splits undone and clusters merged until all describe k rows."""

from dataclasses import replace

import numpy as np


def coarser(structure, k):
    """The structure whose clusters and leaves hold k rows at least, and nothing finer.

    Clusters are those that an uneven cut at k has. A split is undone where one of its
    sides holds fewer than k rows, or parts a cluster.

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
    merged = merge_clusters(structure.cluster_rows, structure.cluster_merges, k)
    cluster_of, merges = merged
    of_clusters = len(structure.coding.parts)
    columns = tuple(
        replace(drawn, tree=drawn.tree.coarser(k, of_clusters, cluster_of))
        for drawn in structure.columns
    )
    rows = np.bincount(cluster_of, structure.cluster_rows).astype(np.int64)
    return replace(structure, columns=columns, cluster_rows=rows, cluster_merges=merges)


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
