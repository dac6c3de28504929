"""Compiled kernels of the measures: arrays in, arrays out, input already checked."""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel


class MixedRows(NamedTuple):
    """Rows of numbers and categories, and whose they are.

    numbers : (n, p) float64. codes : (n, q) int32. owner : (n,) int64, -1 for nobody.
    """

    numbers: np.ndarray
    codes: np.ndarray
    owner: np.ndarray


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


@kernel
def nearest_others(rows, references):
    """Distance of each row to the nearest reference that is not of the same owner.

    The differences of the numbers, added, and the codes that differ; MixedRows twice;
    returns (n,) float64, inf without a reference.
    """
    n, p = rows.numbers.shape
    q = rows.codes.shape[1]
    nearest = np.full(n, np.inf)
    for i in range(n):
        for j in range(len(references.owner)):
            if rows.owner[i] >= 0 and rows.owner[i] == references.owner[j]:
                continue
            distance = 0.0
            for k in range(p):
                distance += abs(rows.numbers[i, k] - references.numbers[j, k])
            for k in range(q):
                distance += rows.codes[i, k] != references.codes[j, k]
            nearest[i] = min(nearest[i], distance)
    return nearest
