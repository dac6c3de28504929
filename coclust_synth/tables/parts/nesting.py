"""Which column another is nested in: each of its values goes with one value there."""

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

# Below this share of chance, values that always agree are not held to do so by chance.
_MAX_CHANCE = 1e-9


def finest_parent(
    codes: np.ndarray, missing: np.ndarray, candidates: Sequence[np.ndarray]
) -> int | None:
    """The column of most values among those that a column is nested in.

    A column is nested in another of fewer values where all rows of each of its values
    have one and the same value there, and chance would hardly have it so: were the two
    independent, values that several rows hold would agree in all of them with a
    probability below 1e-9.

    Parameters
    ----------
    codes : ndarray of shape (n,), int
        Value of each row, numbered from 0.
    missing : ndarray of shape (n,), bool
        Rows without a value: they are not looked at.
    candidates : sequence of ndarray of shape (n,), int
        Codes of the other columns, from 0; missing may be one of them.

    Returns
    -------
    int or None
        Position in `candidates`; the first of equals.

    Examples
    --------
    >>> grade, town = np.arange(40) // 20, np.arange(40) % 2
    >>> finest_parent(np.arange(40) // 5, np.zeros(40, bool), [town, grade])
    1
    """
    values, first, position, rows = np.unique(
        codes[~missing], return_index=True, return_inverse=True, return_counts=True
    )
    found, n_found = None, 0
    for k, candidate in enumerate(candidates):
        above = candidate[~missing]
        n_above = len(np.unique(above))
        if not n_found < n_above < len(values):
            continue
        if (above == above[first][position]).all() and _chance(above, rows) < (
            _MAX_CHANCE
        ):
            found, n_found = k, n_above
    return found


def _chance(above: np.ndarray, rows: np.ndarray) -> float:
    """Probability that as many rows of each value agree, were all independent."""
    counts = np.bincount(above)
    log_shares = np.log(counts[counts > 0] / len(above))
    # In logarithms: the share of a value to the power of its rows is often below any
    # number above 0.
    return float(np.exp(sum(logsumexp(n * log_shares) for n in rows.tolist())))
