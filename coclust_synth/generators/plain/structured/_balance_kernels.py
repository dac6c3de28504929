"""Compiled kernel of `balance`: the weights of codes, and rows under them.

====================  ====================================================  ========
symbol                meaning                                               shape
====================  ====================================================  ========
traffic               rows to be drawn in leaf l                            (L,)
indptr, code, rows    distributions of the leaves, and of all rows; see     (L+2,)
                      `_tree_kernels`                                       (E,)
wanted                rows that are to have code c                          (C,)
====================  ====================================================  ========
"""

import math

import numpy as np

from coclust_synth._jit import kernel


@kernel
def balanced_rows(traffic, indptr, code, rows, wanted, caution, n_rounds, parts):
    """Rows of each entry, (E,) int64: weighted by code, in so many parts of a row.

    An entry keeps a part at least. `wanted` sums to the rows to be drawn.
    """
    log_weight, weight = np.zeros(len(wanted)), np.ones(len(wanted))
    for _ in range(n_rounds):
        expected = np.zeros(len(wanted))
        for t in range(len(traffic)):
            if traffic[t] == 0:
                continue
            own = 0.0
            for e in range(indptr[t], indptr[t + 1]):
                own += rows[e] * weight[code[e]]
            for e in range(indptr[t], indptr[t + 1]):
                expected[code[e]] += traffic[t] * rows[e] * weight[code[e]] / own
        for c in range(len(wanted)):
            excess = wanted[c] - expected[c] - caution * log_weight[c]
            # A step of Newton's, in which no weight is more than doubled or so.
            step = excess / (expected[c] + caution)
            log_weight[c] += min(max(step, -1.0), 1.0)
            weight[c] = math.exp(log_weight[c])
    balanced = np.empty(len(rows), dtype=np.int64)
    for e in range(len(rows)):
        balanced[e] = max(1, math.floor(parts * rows[e] * weight[code[e]]))
    return balanced
