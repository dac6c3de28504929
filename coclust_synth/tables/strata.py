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
    order = shuffled[np.argsort(group[shuffled], kind="stable")]
    _, first, size = np.unique(group[order], return_index=True, return_counts=True)
    place = np.arange(n) - np.repeat(first, size)
    start = np.repeat(rng.random(len(size)), size)
    points = np.empty(n)
    points[order] = (place + start) / np.repeat(size, size)
    return points, order
