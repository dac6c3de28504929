"""Exact scores of the rows, with their sensitivity, to which noise must be added."""

import numpy as np

#: Largest change of `dependent_rows` when a row comes or goes.
DEPENDENCE_SENSITIVITY = 2

# Below, twice the square of the number of rows is within 63 bits.
_MAX_ROWS_OF_INT64 = 2**31
_UNITS = 16  # of a row, in which expected counts are whole numbers
_MOST = 2.0**61  # units that all cells together are expected to have


def dependent_rows(counts):
    """Rows that would have to change for two columns to be independent.

    An exact count of the data, to which noise must be added.

    Parameters
    ----------
    counts : ndarray of int64, shape (a, b)
        Rows of each pair of values, 2^63 in all at most.

    Returns
    -------
    int
        Half the sum over pairs of values of abs(n_ab - n_a n_b / n), rounded down; 0
        of no rows.

    Notes
    -----
    A row more changes one n_ab by 1. It changes n_a n_b / n by less than 3 in all: by
    -n_a n_b / (n (n + 1)), in all n / (n + 1), and by the share 1 / (n + 1) of the row
    of values a, of the column b and of the cell, 2 n + 1 in all. So the score changes
    by less than (1 + 3) / 2 = 2, and by 2 at most once rounded down. It is score R of
    PrivBayes (Zhang et al., ACM TODS 2017, section 4.3) times n, which needs no public
    n, in whole numbers of any length, so that no rounding and no overflow leaks.
    """
    n = int(counts.sum())
    counts = counts.astype(np.int64 if n < _MAX_ROWS_OF_INT64 else object)
    products = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    return int(np.abs(n * counts - products).sum()) // (2 * max(n, 1))


def rows_apart(counts, expected):
    """Rows by which counts differ from expected ones, rounded down.

    An exact count of the data, to which noise must be added.

    Parameters
    ----------
    counts : ndarray of int64, shape (m,)
        Rows of each cell: of the data.
    expected : ndarray of float64, shape (m,)
        By a model, which knows noisy counts only.

    Returns
    -------
    int

    Notes
    -----
    It is floor(sum_r abs(16 x_r - m_r) / 16), with m_r the expected count in sixteenths
    of a row, a whole number. A row more changes one x_r by 1, so the sum by 16 at most,
    and what is rounded down by 1 at most: whole numbers all along, in which nothing is
    rounded by the data. Where noise makes the m_r so large that their sum would not fit
    into 64 bits, each is held at its share of what does.
    """
    most = _MOST / max(len(expected), 1)
    expected = np.rint(np.clip(_UNITS * expected, 0.0, most)).astype(np.int64)
    return int(np.abs(_UNITS * counts - expected).sum()) // _UNITS
