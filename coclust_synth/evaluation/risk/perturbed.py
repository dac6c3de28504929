"""How near perturbed values are to the true ones of the same rows."""

import numpy as np
from numpy.typing import ArrayLike

_PERCENTS = range(1, 11)


def interval_disclosure(real: ArrayLike, released: ArrayLike) -> float:
    """How often the true number is among those that rank near the released one.

    Around the released number of a row is the interval of the released numbers whose
    rank is at most p % of the rows away. The share of the rows whose true number lies
    in theirs, and of that the mean over p = 1, 2, ... 10: 1 for numbers as they are,
    about .1 for numbers that have nothing to do with the true ones.

    Parameters
    ----------
    real, released : array-like of shape (n,), float
        Of the same rows; without missing ones.

    Returns
    -------
    float
        In [0, 1].

    References
    ----------
    .. [1] J. Domingo-Ferrer and V. Torra, "A quantitative comparison of disclosure
       control methods for microdata", in Confidentiality, disclosure and data access,
       2001: rank-based interval disclosure.

    Examples
    --------
    >>> numbers = np.arange(1000.0)
    >>> drawn = np.random.default_rng(0).permutation(numbers)
    >>> interval_disclosure(numbers, numbers)
    1.0
    >>> round(interval_disclosure(numbers, drawn), 2)
    0.1
    """
    real, released = np.asarray(real, dtype=float), np.asarray(released, dtype=float)
    ranked = np.sort(released)
    n = len(ranked)
    first = np.searchsorted(ranked, released, side="left")
    last = np.searchsorted(ranked, released, side="right") - 1
    shares = []
    for percent in _PERCENTS:
        away = n * percent // 100
        low = ranked[np.maximum(first - away, 0)]
        high = ranked[np.minimum(last + away, n - 1)]
        shares.append(((low <= real) & (real <= high)).mean())
    return float(np.mean(shares))
