"""Compiled kernels of first looks: rows that share values with the row before them.

Neighbours are two rows of the same key between which no other row has it.

=========  ==========================================================  ================
symbol     meaning                                                     shape
=========  ==========================================================  ================
key        of each row, from 0                                         (n,)
last       scratch: the last row of each key; -1 before and after      (at least keys,)
values     of columns in which neighbours may differ                   (n, t), bytes
=========  ==========================================================  ================
"""

import numpy as np

from coclust_synth._jit import inlined_kernel, kernel

# Differences that are added up in bytes before these could overflow.
_HELD = 255


@kernel
def count_changes(keys, last, values):
    """Neighbours that differ in each column, by several keys.

    Parameters
    ----------
    keys : ndarray of int64, shape (g, n)
    last : ndarray of int64
    values : ndarray of uint8, shape (n, t)

    Returns
    -------
    ndarray of int64, shape (g, t)
    """
    counts = np.zeros((len(keys), values.shape[1]), dtype=np.int64)
    some = np.zeros(values.shape[1], dtype=np.uint8)
    for g in range(len(keys)):
        key, held = keys[g], 0
        for row in range(len(key)):
            before = last[key[row]]
            last[key[row]] = row
            if before < 0:
                continue
            a, b = values[before], values[row]
            for c in range(len(some)):
                some[c] += np.uint8(a[c] != b[c])
            held += 1
            if held == _HELD:
                counts[g] += some
                held, some[:] = 0, 0
        counts[g] += some
        some[:] = 0
        for row in range(len(key)):
            last[key[row]] = -1
    return counts


@kernel
def leave_few_changes(key, others, n_others, last, values, most):
    """Keys beside which few neighbours differ, each together with one key of all.

    Parameters
    ----------
    key : ndarray of int64, shape (n,)
    others : ndarray of int64, shape (g, n)
        From 0 each; `n_others` of them.
    last : ndarray of int64
    values : ndarray of uint8, shape (n,)
    most : float
        Neighbours that may differ.

    Returns
    -------
    ndarray of bool, shape (g,)
    """
    are_few = np.ones(len(others), dtype=np.bool_)
    for g in range(len(others)):
        other, n_changes = others[g], 0
        for row in range(len(key)):
            both = key[row] * n_others[g] + other[row]
            before = last[both]
            last[both] = row
            if before >= 0 and values[before] != values[row]:
                n_changes += 1
                if n_changes > most:
                    are_few[g] = False
                    break
        last[:] = -1
    return are_few


@kernel
def told_by(columns, labels, n_values, single, seen, last, few, share):
    """Which columns others tell, but for some neighbours.

    Parameters
    ----------
    columns : ndarray of int64
        Those that may tell others.
    labels : ndarray of int64, shape (q, n)
        Values of each column, from 0; `n_values` of them.
    single : ndarray of bool, shape (q, n)
        Rows of a value that stands for no other.
    seen : ndarray of uint8, shape (n, q)
        What shows of labels in a byte: 0 where they are not single.
    last : ndarray of int64
        Scratch of a place for each value of a column beside each row.
    few : int
        Neighbours without which nothing is said.
    share : float
        Of the neighbours, and two more, that may differ.

    Returns
    -------
    ndarray of bool, shape (q,)
        Empty where there are fewer neighbours.
    """
    key, known = _key_of(columns, labels, n_values, single, last)
    one, other = _neighbours(key, known, last)
    if len(one) < few:
        return np.zeros(0, dtype=np.bool_)
    most = share * len(one) + 2
    some = np.zeros(len(labels), dtype=np.uint8)
    for i in range(min(len(one), _HELD)):
        a, b = seen[one[i]], seen[other[i]]
        for c in range(len(some)):
            some[c] += np.uint8((a[c] != b[c]) & (a[c] > 0) & (b[c] > 0))
    told = some <= most
    for c in np.flatnonzero(told):
        n_broken = 0
        for i in range(len(one)):
            if labels[c, one[i]] != labels[c, other[i]]:
                n_broken += single[c, one[i]] and single[c, other[i]]
                if n_broken > most:
                    told[c] = False
                    break
    return told


@inlined_kernel
def _key_of(columns, labels, n_values, single, last):
    """A number for each combination of values, and which rows all are single of."""
    n = labels.shape[1]
    key, known = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.bool_)
    for c in columns:
        n_keys = 0
        full = key * n_values[c] + labels[c]
        for row in range(n):
            if last[full[row]] < 0:
                last[full[row]] = n_keys
                n_keys += 1
            key[row] = last[full[row]]
        for row in range(n):
            last[full[row]] = -1
        known &= single[c]
    return key, known


@inlined_kernel
def _neighbours(key, known, last):
    """Of rows that are known, in their own order, two ndarray of int64."""
    n, n_pairs = len(key), 0
    one, other = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for row in np.flatnonzero(known):
        before = last[key[row]]
        last[key[row]] = row
        if before >= 0:
            one[n_pairs], other[n_pairs] = before, row
            n_pairs += 1
    for row in range(n):
        last[key[row]] = -1
    return one[:n_pairs], other[:n_pairs]
