"""Compiled kernel of pairs of columns: the split of each feature that tells most.

====================  ====================================================  ========
symbol                meaning                                               shape
====================  ====================================================  ========
features              what splits ask for, whole numbers from -1            (p, n)
target                what is told, whole steps of mean about 0             (n, q)
at, told              the split that tells most, and how much               (p,)
missing               what it tells to set apart what is missing            (p,)
====================  ====================================================  ========
"""

import numpy as np

from coclust_synth._jit import kernel


@kernel
def best_splits(features, target, k):
    """Of each feature the largest code on the left; told is -1 where no split may be.

    k rows are on both sides. `missing` is -1 where none are missing, or too few.
    """
    (p, n), q = features.shape, target.shape[1]
    at = np.zeros(p, dtype=np.int64)
    told, missing = np.full(p, -1.0), np.full(p, -1.0)
    rows = np.zeros(int(features.max()) + 2, dtype=np.int64)
    total = np.zeros((len(rows), q))
    sums = np.empty(q)
    for j in range(p):
        for i in range(n):
            v = features[j, i] + 1
            rows[v] += 1
            for t in range(q):
                total[v, t] += target[i, t]
        on_left = 0
        sums[:] = 0.0
        for v in range(len(rows)):
            # What nobody has ends where the code before it does.
            if rows[v]:
                on_left += rows[v]
                squares = 0.0
                for t in range(q):
                    sums[t] += total[v, t]
                    squares += sums[t] * sums[t]
                if min(on_left, n - on_left) >= k:
                    own = squares * n / max(on_left * (n - on_left), 1)
                    if own > told[j]:
                        at[j], told[j] = v - 1, own
                    if v == 0:
                        missing[j] = own
                rows[v] = 0
                total[v] = 0.0
    return at, told, missing
