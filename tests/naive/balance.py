"""Slow twin of `structured.leaves.balance`: the weights of codes, from the formula."""

import math


def balanced_rows(traffic, indptr, code, rows, wanted, caution, n_rounds, parts):
    log_weights = {c: 0.0 for c in range(len(wanted))}
    leaves = [
        [(int(code[e]), int(rows[e])) for e in range(indptr[i], indptr[i + 1])]
        for i in range(len(indptr) - 1)
    ]

    def weighted(leaf):
        return [(c, n * math.exp(log_weights[c])) for c, n in leaf]

    for _ in range(n_rounds):
        expected = dict.fromkeys(log_weights, 0.0)
        for n, leaf in zip(traffic, leaves, strict=False):
            total = sum(share for _, share in weighted(leaf))
            for c, share in weighted(leaf) if n else ():
                expected[c] += n * share / total
        for c, n in expected.items():
            slope = n + caution
            step = (wanted[c] - n - caution * log_weights[c]) / slope
            log_weights[c] += max(-1.0, min(1.0, step))
    return [
        max(1, math.floor(parts * share))
        for leaf in leaves
        for _, share in weighted(leaf)
    ]
