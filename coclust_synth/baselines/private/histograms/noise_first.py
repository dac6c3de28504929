"""NoiseFirst: noisy counts of neighbours become their mean where that is nearer."""

import numpy as np
from numpy.typing import NDArray

from coclust_synth.baselines.private.independent import IndependentMargins
from coclust_synth.exceptions import ParameterError

_MAX_VALUES = 2**14  # of a column: buckets take the square of them in time


class NoiseFirst(IndependentMargins):
    """Columns drawn on their own from noisy counts, of which neighbours are merged.

    epsilon-differentially private for the table's persons (see `PrivacyLedger` for what
    that leaves out); each column is measured with an equal share of epsilon, and a row
    is in one of its cells: sensitivity 1. What follows sees noisy counts alone, and
    costs nothing: they are cut in buckets of neighbours, each of which gets the mean of
    its counts. Of all ways to cut them that is taken whose squared error is estimated
    to be the least: by the squares within buckets, less the variance of the noise for
    each cell, and twice more for each bucket. What is missing, or other, has a bucket
    of its own.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
        Of columns of at most 2^14 values; neighbours are those of its order.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    ledger_, margins_, n_rows_
        As of `IndependentMargins`.

    References
    ----------
    J. Xu, Z. Zhang, X. Xiao, Y. Yang, G. Yu, M. Winslett, "Differentially private
    histogram publication", The VLDB Journal 22, 2013, section 4.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": np.repeat([10, 50], [900, 100])})
    >>> domain = {"age": {"low": 0, "high": 99, "bins": 100}}
    >>> generator = NoiseFirst(1.0, domain).fit(table)
    >>> generator.margins_[0].shape, generator.ledger_.remaining
    ((100,), 0.0)
    """

    def _check(self):
        super()._check()
        check_values(self.domain_, _MAX_VALUES)

    def _counted(self, counts, column, ledger, cost):
        noisy = super()._counted(counts, column, ledger, cost)
        merged = noisy.astype(np.float64)
        n = column.n_values
        merged[:n] = smoothed(noisy[:n], ledger.entries[-1].variance)
        return merged


def smoothed(noisy: NDArray, variance: float) -> NDArray[np.float64]:
    """Noisy counts, each the mean of its bucket.

    Parameters
    ----------
    noisy : ndarray of shape (n,)
    variance : float
        Of the noise.

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> smoothed(np.array([9, 11, 10, 50]), 4.0).tolist()
    [10.0, 10.0, 10.0, 50.0]
    """
    ends = best_buckets(noisy, 2 * variance)
    parts = np.split(noisy.astype(np.float64), ends[:-1])
    return np.concatenate([np.full(len(part), part.mean()) for part in parts])


def best_buckets(numbers: NDArray, penalty: float) -> list[int]:
    """Where buckets end that have the least squares within them, and a price each.

    Parameters
    ----------
    numbers : ndarray of shape (n,)
        n from 1.
    penalty : float
        Of each bucket.

    Returns
    -------
    list of int
        Increasing; the last is n.
    """
    # About their mean: the squares of large numbers would drown what is within.
    numbers = numbers - np.mean(numbers)
    n = len(numbers)
    sums, squares = (np.append(0.0, np.cumsum(of)) for of in (numbers, numbers**2))
    least, begins = np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    for end in range(1, n + 1):
        start = np.arange(end)
        within = squares[end] - squares[:end]
        within = within - (sums[end] - sums[:end]) ** 2 / (end - start)
        cost = least[:end] + np.maximum(within, 0.0) + penalty
        begins[end] = cost.argmin()
        least[end] = cost[begins[end]]
    ends = [n]
    while begins[ends[-1]]:
        ends.append(int(begins[ends[-1]]))
    return ends[::-1]


def check_values(domain, most):
    """Refuse columns of more values than buckets are sought for.

    Raises
    ------
    ParameterError
    """
    n_values = max(column.n_values for column in domain.columns)
    if n_values > most:
        raise ParameterError(
            f"Expected columns of at most {most:,} values. Received one of "
            f"{n_values:,}. Give it fewer categories or bins."
        )
