"""Systematic draws in groups of rows."""

import numpy as np


def strata(group, rng):
    """A point of [0, 1) for each row; those of a group are evenly spaced.

    Which row of a group has which point is random.

    Parameters
    ----------
    group : ndarray of int, shape (n,)
        Small numbers from 0.
    rng : numpy.random.Generator

    Returns
    -------
    points : ndarray of float64, shape (n,)
    order : ndarray of int64, shape (n,)
        Rows, those of a group side by side, by their points.
    """
    # Tables are read without compiled code, which takes long to import.
    from coclust_synth.tables.draws._strata_kernels import deal

    n = len(group)
    shuffled, size, start = dealt(group, rng)
    points, order = np.empty(n), np.empty(n, dtype=np.int64)
    deal(group, shuffled, size, np.cumsum(size) - size, start, points, order)
    return points, order


def dealt(group, rng):
    """What `strata` draws of chance.

    Parameters
    ----------
    group, rng
        As of `strata`.

    Returns
    -------
    shuffled : ndarray of int64, shape (n,)
        Rows, in the order in which those of a group get its points.
    size : ndarray of int64, shape (g,)
        Rows of each group.
    start : ndarray of float64, shape (g,)
        The first point of each, times its rows, in [0, 1).
    """
    shuffled, size = rng.permutation(len(group)), np.bincount(group)
    start = np.zeros(len(size))
    start[size > 0] = rng.random(np.count_nonzero(size))
    return shuffled, size, start
