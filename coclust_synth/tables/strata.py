"""Systematic draws in groups of rows."""

import numpy as np


def strata(group, rng):
    """A point of [0, 1) for each row; those of a group are evenly spaced.

    Which row of a group has which point is random.

    Parameters
    ----------
    group : ndarray of int64, shape (n,)
    rng : numpy.random.Generator

    Returns
    -------
    points : ndarray of float64, shape (n,)
    order : ndarray of int64, shape (n,)
        Rows, those of a group side by side, by their points.
    """
    n = len(group)
    shuffled = rng.permutation(n)
    # Of 16 bits, labels are sorted in one pass.
    short = np.uint16 if n and group.max() < 2**16 else np.int64
    labels = group.astype(short)[shuffled]
    order = np.argsort(labels, kind="stable")
    labels, order = labels[order], shuffled[order]
    first = np.flatnonzero(np.append(n > 0, labels[1:] != labels[:-1]))
    size = np.diff(np.append(first, n))
    place = np.arange(n) - np.repeat(first, size)
    start = np.repeat(rng.random(len(size)), size)
    points = np.empty(n)
    points[order] = (place + start) / np.repeat(size, size)
    return points, order
