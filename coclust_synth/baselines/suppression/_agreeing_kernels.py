"""Suppression where a suppressed cell, -1 here, agrees with every value.

codes   value of each cell, -1 if it is suppressed      (n, d)
counts  rows that each row agrees with, itself too      (n,)
"""

import numpy as np

from coclust_synth._jit import inlined_kernel, kernel


@kernel
def count_agreeing(codes, others, n_rows):
    """Rows of a table that each row of another agrees with.

    Parameters
    ----------
    codes, others : ndarray of int64, shapes (n, d) and (m, d)
    n_rows : ndarray of int64, shape (m,)
        How often each of the others is there.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    counts = np.zeros(len(codes), dtype=np.int64)
    for i in range(len(codes)):
        for j in range(len(others)):
            for c in range(codes.shape[1]):
                one, other = codes[i, c], others[j, c]
                if one >= 0 and other >= 0 and one != other:
                    break
            else:
                counts[i] += n_rows[j]
    return counts


@kernel
def suppress_risky(codes, counts, k, order):
    """Suppress cells of rows that agree with fewer than k, one after the other.

    Parameters
    ----------
    codes, counts : as above
        Changed in place.
    k : int
        At most n.
    order : ndarray of int64, shape (d,)
        Columns, those to suppress first in front.

    Returns
    -------
    ndarray of int64, shape (n_suppressed, 3)
        Row, column and value of the cells, in the order of their suppression.
    """
    n, d = codes.shape
    log = np.empty((n * d, 3), dtype=np.int64)
    n_log = 0
    distance = np.empty(n, dtype=np.int64)
    while counts.min() < k:
        risky = np.flatnonzero(counts < k)
        for i in risky[np.argsort(counts[risky], kind="mergesort")]:
            if counts[i] >= k:
                continue
            nearest = d
            for j in range(n):
                distance[j] = _distance(codes[i], codes[j])
                if 0 < distance[j] < nearest:
                    nearest = distance[j]
            column = _first_apart(codes, i, distance == nearest, order)
            log[n_log] = i, column, codes[i, column]
            n_log += 1
            _hide(codes, counts, i, column)
    return log[:n_log]


@kernel
def restore_cells(codes, counts, k, log):
    """Give back suppressed cells, in order, as long as every row agrees with k.

    Parameters
    ----------
    codes, counts : as above
        Changed in place.
    k : int
    log : ndarray of int64, shape (n_suppressed, 3)
    """
    n = len(codes)
    for i, column, value in log:
        n_lost, is_free = 0, True
        for j in range(n):
            if _parts(codes, i, j, column, value):
                n_lost += 1
                is_free &= counts[j] > k
        if is_free and counts[i] - n_lost >= k:
            for j in range(n):
                counts[j] -= _parts(codes, i, j, column, value)
            counts[i] -= n_lost
            codes[i, column] = value


@inlined_kernel
def _distance(one, other):
    """Columns in which two rows have different values."""
    n_apart = 0
    for c in range(len(one)):
        n_apart += one[c] >= 0 and other[c] >= 0 and one[c] != other[c]
    return n_apart


@inlined_kernel
def _parts(codes, i, j, column, value):
    """Whether row i, which agrees with j, would not with this value in a column."""
    other = codes[j, column]
    if i == j or other < 0 or other == value:
        return False
    return _distance(codes[i], codes[j]) == 0


@kernel
def _first_apart(codes, i, near, order):
    """The first column in which a row differs from one of those near it."""
    for column in order:
        for j in np.flatnonzero(near):
            other = codes[j, column]
            if codes[i, column] >= 0 and other >= 0 and other != codes[i, column]:
                return column
    return -1  # not reached: what is near differs somewhere


@kernel
def _hide(codes, counts, i, column):
    """Suppress a cell, and count those that the row agrees with now."""
    value = codes[i, column]
    codes[i, column] = -1
    for j in range(len(codes)):
        if _parts(codes, i, j, column, value):
            counts[i] += 1
            counts[j] += 1
