"""Counts of rows and draws of them by shares.

Noisy counts are made counts again: nothing below 0, and the total that is wanted. Draws
are systematic ones, which come back up to rounding, and plain ones.
"""

import numpy as np

_MIN_SOBOL_POINTS = 128
_BELOW_ONE = np.nextafter(1.0, 0.0)


def allot(weights, n, rng):
    """Share n draws out in proportion to weights, by systematic sampling.

    Parameters
    ----------
    weights : ndarray of shape (m,)
        Not negative, not all 0.
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (m,)
        Sums to n; each is its expectation rounded down or up, and its expectation on
        average.
    """
    ends = np.cumsum(weights, dtype=np.float64)
    ends *= n / ends[-1]
    ends[-1] = n
    points = np.floor(ends + rng.random()).astype(np.int64)
    return np.diff(np.minimum(points, n), prepend=0)


def even_points(n, d, rng):
    """Points that fill the unit cube evenly: uniforms with less noise.

    Every coordinate on its own is a systematic sample, n equally spaced points from a
    random start. From 128 points on, coordinates are paired by the ranks of a
    scrambled Sobol sequence, so that few of them together are spread evenly too;
    fewer points are paired at random, since so few of a sequence can line up.

    Parameters
    ----------
    n, d : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of float64, shape (n, d)
        In [0, 1).

    References
    ----------
    J. Matousek, "On the L2-discrepancy for anchored boxes", 1998: the scrambling.
    """
    if n == 0:
        return np.empty((0, d))
    if n < _MIN_SOBOL_POINTS:
        points = rng.random((n, d))
    else:
        from scipy.stats import qmc  # takes longer to import than most draws take

        # A generator of its own: Sobol spawns from it, which would change `rng`'s seed.
        scrambler = np.random.default_rng(rng.integers(2**63))
        points = qmc.Sobol(d, rng=scrambler).random_base2((n - 1).bit_length())[:n]
    ranks = points.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    return np.minimum((ranks + rng.random(d)) / n, _BELOW_ONE)


def draw_categories(probabilities, points):
    """Category of each point, by the inverse of the distribution function.

    Parameters
    ----------
    probabilities : ndarray of shape (m,)
        Sums to 1.
    points : ndarray of shape (n,)
        In [0, 1).

    Returns
    -------
    ndarray of int64, shape (n,)
        Never a category of probability 0.
    """
    ends = np.cumsum(probabilities)
    last = np.flatnonzero(probabilities)[-1]
    ends[last:] = 1.0
    return np.searchsorted(ends, points, side="right")


def drawn_given(counts, given, rng):
    """Columns of a matrix, each by the counts of a row of it.

    Parameters
    ----------
    counts : ndarray of float64, shape (n_given, n_cells)
        Not negative, and not all 0.
    given : ndarray of int64, shape (n,)
        Rows. Of one that holds nothing, cells are those of all rows together.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (n,)

    Examples
    --------
    >>> counts = np.array([[5.0, 0.0], [0.0, 0.0], [0.0, 2.0]])
    >>> drawn_given(counts, np.array([2, 0, 0]), np.random.default_rng(0)).tolist()
    [1, 0, 0]
    """
    is_empty = counts.sum(axis=1) == 0
    if is_empty.any():
        counts = np.where(is_empty[:, np.newaxis], counts.sum(axis=0), counts)
    # All distributions one after the other, each of length 1.
    ends = np.cumsum(counts, axis=1)
    ends = ends / ends[:, -1:] + np.arange(len(counts))[:, np.newaxis]
    points = given + rng.random(len(given))
    places = np.searchsorted(ends.ravel(), points, side="right")
    first = given * counts.shape[1]
    return np.minimum(places - first, counts.shape[1] - 1)


def project_to_simplex(values, total):
    """Nearest vector without negative entries that has a given sum.

    It looks at noisy numbers only, so it costs nothing. What it takes off is the same
    from every entry, so that noise on empty cells is not turned into rows.

    Parameters
    ----------
    values : ndarray of shape (m,)
    total : float
        Above 0.

    Returns
    -------
    ndarray of float64, shape (m,)

    References
    ----------
    J. Duchi, S. Shalev-Shwartz, Y. Singer, T. Chandra, "Efficient projections onto the
    l1-ball for learning in high dimensions", ICML 2008, figure 1.
    """
    falling = np.sort(values)[::-1].astype(np.float64)
    # Shift that makes the k highest entries sum to the total, for each k.
    shifts = (np.cumsum(falling) - total) / np.arange(1, len(falling) + 1)
    n_kept = np.flatnonzero(falling > shifts)[-1]
    return np.maximum(values - shifts[n_kept], 0.0)
