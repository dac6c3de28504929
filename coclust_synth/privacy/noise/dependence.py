"""How much two columns hang together, in rows, with an exact sensitivity."""

import numpy as np

#: Largest change of `dependent_rows` when a row comes or goes.
DEPENDENCE_SENSITIVITY = 2

# Below, twice the square of the number of rows is within 63 bits.
_MAX_ROWS_OF_INT64 = 2**31


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
