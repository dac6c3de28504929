"""Which bins of a column a cluster may have, so that later columns keep their rules."""

import numpy as np


def find_reach(evidence, tables, clusters, order):
    """Bins of columns that a cluster may have, where there are some that it may not.

    Those who apply for a loan alone have no joint income, and nobody whose debts are
    beyond 40 % of the own income applies alone. A tree that tells the debts may still
    leave such debts to a cluster of people who apply alone. The rule then gives these a
    joint income, which nobody of the cluster has: one row in thirty too many has one.
    So a cluster may have a bin if of each later column it has a bin that may meet it:
    all bins that its own individuals have, or any if it has none, as of rows that only
    some persons have. That nobody of a cluster has a bin, which one person of it can
    change, is told by the leaves of the trees as well.

    Parameters
    ----------
    evidence : Evidence
    tables : mapping of (int, int) to ndarray of bool
        Bins of two columns that may meet, see `Rules.tables`.
    clusters : ndarray of int64, shape (n,)
        Of each row.
    order : sequence of int
        Columns that are drawn, in order.

    Returns
    -------
    dict of int to ndarray of bool, shape (number of clusters, bins of the column)
    """
    reach, held = {}, {}
    for at, j in reversed([*enumerate(order)]):
        own = [
            # Of a cluster, how many of the bins that it has may meet each one.
            held[later].astype(np.float32) @ tables[later, j]
            for later in order[at + 1 :]
            if (later, j) in tables
        ]
        may = np.all([met > 0 for met in own], axis=0) if own else np.True_
        if not may.all():
            reach[j] = may
        held[j] = np.zeros((clusters.max() + 1, evidence.n_bins[j]), dtype=bool)
        held[j][clusters, evidence.bins[:, j]] = True
        held[j][np.bincount(clusters) == 0] = True
    return reach
