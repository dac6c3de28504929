"""Quantiles of a few hundred residuals, asked for at each of many steps of a search."""

import numpy as np
from numpy.typing import NDArray


def quantile(values: NDArray[np.float64], share: float) -> float:
    """The number that `numpy.quantile` gives, to the last digit, much sooner.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        At least one.
    share : float
        Between 0 and 1.

    Returns
    -------
    float
        nan where a value is.

    Examples
    --------
    >>> quantile(np.array([4.0, 1.0, 3.0]), 0.25)
    2.0
    """
    last = len(values) - 1
    place = last * share
    low = int(place)
    high = min(low + 1, last)
    part = np.partition(values, (low, high, last))
    if np.isnan(part[last]):
        return float("nan")
    a, b, beyond = float(part[low]), float(part[high]), place - low
    return b - (b - a) * (1 - beyond) if beyond >= 0.5 else a + (b - a) * beyond
