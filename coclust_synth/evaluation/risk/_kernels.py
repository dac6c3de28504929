"""Compiled kernels of the attacks: arrays in, arrays out, input already checked.

The distance of two rows is that of `coclust_synth.evaluation.comparing.coded`: the
differences of their places in ranked columns, added, and `FULL` for each other column
in which they differ. All are whole numbers, so that ties are exact.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import inlined_kernel, kernel


class Places(NamedTuple):
    """Rows to be compared; ranked (n, p) and listed (n, q) int32."""

    ranked: np.ndarray
    listed: np.ndarray


@inlined_kernel
def _between(rows, i, references, j, full):
    distance = 0
    for k in range(rows.ranked.shape[1]):
        distance += abs(rows.ranked[i, k] - references.ranked[j, k])
    differing = 0
    for k in range(rows.listed.shape[1]):
        differing += rows.listed[i, k] != references.listed[j, k]
    return np.int64(distance + full * differing)


@kernel
def nearest_rows(rows, references, full):
    """Nearest reference of each row: Places twice; (n,) int64 three times.

    Returns distances, positions of the first that is so near, and how many are; the
    largest int64 and -1 without a reference.
    """
    n = len(rows.ranked)
    distances = np.full(n, np.iinfo(np.int64).max)
    first, ties = np.full(n, -1), np.zeros(n, dtype=np.int64)
    for i in range(n):
        for j in range(len(references.ranked)):
            distance = _between(rows, i, references, j, full)
            if distance < distances[i]:
                distances[i], first[i], ties[i] = distance, j, 1
            elif distance == distances[i]:
                ties[i] += 1
    return distances, first, ties


@kernel
def kth_distances(rows, references, k, full):
    """Distance of each row to its k-th nearest reference, (n,) int64; k references."""
    n = len(rows.ranked)
    found = np.empty(n, dtype=np.int64)
    nearest = np.empty(k, dtype=np.int64)
    for i in range(n):
        nearest[:] = np.iinfo(np.int64).max
        for j in range(len(references.ranked)):
            distance = _between(rows, i, references, j, full)
            place = k
            while place > 0 and nearest[place - 1] > distance:
                if place < k:
                    nearest[place] = nearest[place - 1]
                place -= 1
            if place < k:
                nearest[place] = distance
        found[i] = nearest[k - 1]
    return found


@kernel
def count_within(rows, references, radii, full):
    """References at most so far from each row; radii (n,) int64; returns (n,) int64."""
    n = len(rows.ranked)
    found = np.zeros(n, dtype=np.int64)
    for i in range(n):
        for j in range(len(references.ranked)):
            found[i] += _between(rows, i, references, j, full) <= radii[i]
    return found


@kernel
def right_guesses(rows, references, full, tolerance):
    """Chance to guess each cell from the nearest reference by all other columns.

    Of references that tie, one is taken at random. A guess is right in a listed column
    if it is equal, in a ranked one within the tolerance (of a missing value, if both
    are). Returns (n, p + q) float64, ranked columns first.
    """
    n, p = rows.ranked.shape
    q = rows.listed.shape[1]
    chance = np.zeros((n, p + q))
    best = np.empty(p + q, dtype=np.int64)
    ties = np.empty(p + q, dtype=np.int64)
    right = np.empty(p + q, dtype=np.int64)
    for i in range(n):
        best[:] = np.iinfo(np.int64).max
        for j in range(len(references.ranked)):
            distance = _between(rows, i, references, j, full)
            for k in range(p + q):
                if k < p:
                    off = abs(rows.ranked[i, k] - references.ranked[j, k])
                    is_right = off <= tolerance
                else:
                    is_right = rows.listed[i, k - p] == references.listed[j, k - p]
                    off = 0 if is_right else full
                others = distance - off
                if others < best[k]:
                    best[k], ties[k], right[k] = others, 1, is_right
                elif others == best[k]:
                    ties[k] += 1
                    right[k] += is_right
        chance[i] = right / ties
    return chance


@kernel
def link_chances(first, of_first, second, of_second, full):
    """Chance that both halves of each row lead to the same reference.

    Each half is compared with the same columns of the references, and one of the
    nearest is taken at random: Places of n rows, of m references, twice. (n,) float64.
    """
    n, m = len(first.ranked), len(of_first.ranked)
    chance = np.zeros(n)
    one, two = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    for i in range(n):
        for j in range(m):
            one[j] = _between(first, i, of_first, j, full)
            two[j] = _between(second, i, of_second, j, full)
        near_one, near_two = one == one.min(), two == two.min()
        both = (near_one & near_two).sum()
        chance[i] = both / (near_one.sum() * near_two.sum())
    return chance
