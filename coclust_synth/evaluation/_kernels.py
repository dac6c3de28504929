"""Compiled kernels of the measures: arrays in, arrays out, input already checked."""

import numpy as np

from coclust_synth._jit import kernel


@kernel
def nearest_distances(rows, references):
    """Hamming distance of each row to the nearest reference.

    rows (n, d) and references (m, d) int32; returns (n,) int64, d without a reference.
    """
    n, d = rows.shape
    nearest = np.full(n, d, dtype=np.int64)
    for i in range(n):
        for j in range(len(references)):
            # No way out of this loop: without one it is compiled to vector
            # instructions, three times as fast at d = 9.
            distance = 0
            for k in range(d):
                distance += rows[i, k] != references[j, k]
            if distance < nearest[i]:
                nearest[i] = distance
                if distance == 0:
                    break
    return nearest
