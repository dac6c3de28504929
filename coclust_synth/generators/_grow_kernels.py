"""Compiled kernels that cut records into classes of k rows, the first ones.

Symbols are those of `coclust_synth.generators._class_kernels`.
"""

import numpy as np

from coclust_synth.modl._jit import kernel


@kernel
def grow(problem, members, label, n_classes):
    """Cut some records into classes of k rows, one record at a time.

    Again and again the record farthest from the last one begins a class, and records
    that widen its truthful cover least join it until it holds k rows. The last records,
    fewer than 2 k rows, are a class too.

    Parameters
    ----------
    members : ndarray of int64
        The records, k rows at least.
    label : ndarray of int64, shape (N,)
        Changed in place: the new classes are numbered from `n_classes`.

    Returns
    -------
    int
        Number of classes after.
    """
    k, d = problem.k, problem.leaves.shape[1]
    members = members.copy()
    n_left = len(members)
    rows_left = 0
    for record in members:
        rows_left += problem.weight[record]
    seen = np.zeros(problem.starts[-1], np.bool_)
    width, low, high = (
        np.ones(d, np.int64),
        np.zeros(d, np.int64),
        np.zeros(d, np.int64),
    )
    chosen = np.empty(n_left, np.int64)
    last = -1
    while rows_left >= 2 * k:
        place = 0 if last < 0 else _farthest(problem, members, n_left, last)
        size, n_chosen = 0, 0
        while size < k:
            if n_chosen:
                place = _nearest(problem, members, n_left, seen, width, low, high)
            record = members[place]
            for j in range(d):
                leaf = problem.leaves[record, j]
                if n_chosen == 0:
                    width[j], low[j], high[j] = 1, leaf, leaf
                elif problem.is_interval[j]:
                    low[j], high[j] = min(low[j], leaf), max(high[j], leaf)
                    width[j] = high[j] - low[j] + 1
                elif not seen[leaf]:
                    width[j] += 1
                seen[leaf] = True
            size += problem.weight[record]
            chosen[n_chosen] = record
            n_chosen += 1
            n_left -= 1
            members[place] = members[n_left]
        if rows_left - size < k:
            break
        last = chosen[0]
        for record in chosen[:n_chosen]:
            label[record] = n_classes
            for j in range(d):
                seen[problem.leaves[record, j]] = False
        n_classes += 1
        rows_left -= size
        n_chosen = 0
    else:
        n_chosen = 0
    # What is left is a class, with a class that would have left fewer than k rows.
    for record in chosen[:n_chosen]:
        label[record] = n_classes
    for record in members[:n_left]:
        label[record] = n_classes
    return n_classes + 1


@kernel
def _farthest(problem, members, n_left, last):
    """Place of the record that differs from another one in most variables."""
    place, most = 0, -1
    for i in range(n_left):
        n_different = 0
        for j in range(problem.leaves.shape[1]):
            n_different += problem.leaves[members[i], j] != problem.leaves[last, j]
        if n_different > most:
            most, place = n_different, i
    return place


@kernel
def _nearest(problem, members, n_left, seen, width, low, high):
    """Place of the record that keeps the cover of a growing class narrowest."""
    place, most = 0, -1.0
    for i in range(n_left):
        record = members[i]
        fit = 1.0
        for j in range(problem.leaves.shape[1]):
            leaf = problem.leaves[record, j]
            if problem.is_interval[j]:
                fit *= 1 + problem.root[max(high[j], leaf) - min(low[j], leaf) + 1]
            else:
                fit *= 1 + problem.root[width[j] + (not seen[leaf])]
        if fit > most or (
            fit == most and problem.weight[record] > problem.weight[members[place]]
        ):
            most, place = fit, i
    return place
