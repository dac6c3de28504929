"""Sets of columns that rows may be suppressed in, those that a search chooses from.

All sets of d columns are 2^d. Where these are too many, the sets that help are those in
which some rows differ: suppressed there, the rows read the same. They are grown from
each row that reads like too few: begun with another row, near ones first, they take in
the row that lacks least, until k rows read the same.
"""

from collections import Counter
from itertools import chain, combinations

import numpy as np

_MAX_CHOICES = 2e7  # rows by sets, of 8 bytes each: 160 MB
_MAX_SETS = 2**16  # all sets of sixteen columns
_N_STARTS = 4  # near rows that a set is grown with, at least


def column_sets(seen, k, weights):
    """Sets of columns by cost: all, or those that rows are alike outside of.

    Parameters
    ----------
    seen : ndarray of int, shape (n, d)
        Value of each cell, from 0; -1 where it is suppressed already.
    k : int
        Rows that are to read the same.
    weights : ndarray of float64, shape (d,)
        What a suppressed cell of each column costs, positive.

    Returns
    -------
    ndarray of bool, shape (M, d)
        The set of all columns is the last. Of equal cost the columns of most values
        come first: what they part is rare.
    """
    n, d = seen.shape
    most = int(max(2, min(_MAX_SETS, _MAX_CHOICES / n)))
    if 2**d <= most:
        sizes = (combinations(range(d), size) for size in range(d + 1))
        sets = np.zeros((2**d, d), dtype=bool)
        for own, columns in zip(sets, chain.from_iterable(sizes), strict=True):
            own[list(columns)] = True
    else:
        sets = np.vstack([_grown(seen, k, weights, most - 1), np.ones(d, dtype=bool)])
        sets = np.unique(sets, axis=0)
    n_values = seen.max(axis=0, initial=0) + 1
    cost = np.round(sets @ weights, 9)
    return sets[np.lexsort((-(sets @ np.log(n_values)), cost))]


def _grown(seen, k, weights, most):
    """The sets, grown from rows and near ones, that are found most often."""
    rows, counts = np.unique(seen, axis=0, return_counts=True)
    few = np.flatnonzero(counts < k)
    few = few[:: -(-len(few) // most)] if len(few) else few
    n_starts = max(_N_STARTS, most // max(1, len(few)))
    found = Counter()
    for row in few:
        apart = (rows != rows[row]) | (rows < 0)
        lacks = apart @ weights
        lacks[row] = np.inf
        for start in np.argsort(lacks, kind="stable")[: min(n_starts, len(rows) - 1)]:
            own = apart[start] | apart[row]
            while True:
                lacks = (apart & ~own) @ weights
                inside = lacks == 0
                if counts[inside].sum() >= k:
                    break
                lacks[inside] = np.inf
                own |= apart[np.argmin(lacks)]
            found[own.tobytes()] += 1
    sets = [np.frombuffer(own, dtype=bool) for own, _ in found.most_common(most)]
    return np.array(sets, dtype=bool).reshape(-1, seen.shape[1])
