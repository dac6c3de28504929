"""Noisy counts made counts again: nothing below 0, and the total that is wanted."""

import numpy as np


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
