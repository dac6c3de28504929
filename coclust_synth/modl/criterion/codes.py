"""Code lengths of integers and of partitions: the priors of the MODL criterion.

All lengths are in nats. They follow the reference implementation, Khiops 11.
"""

from functools import lru_cache

import numpy as np
from scipy.special import gammaln

_LN_2 = np.log(2.0)
# Rissanen's constant: sum over n >= 1 of 2^(-log2*(n)), rounded as Khiops rounds it.
_UNIVERSAL_CONSTANT = 2.86511
# What the bounded universal prior needs is held ready up to this integer.
_TABLE_SIZE = 1 << 20
# Terms that are held at a time.
_BLOCK = 1 << 20


def log2_star(n):
    """Rissanen's iterated logarithm, log2 n + log2 log2 n + ... (positive terms).

    Parameters
    ----------
    n : array-like of int, >= 1

    Returns
    -------
    ndarray of float64, same shape (bits)
    """
    term = np.asarray(n, dtype=np.float64)
    total = np.zeros_like(term)
    while True:
        with np.errstate(divide="ignore", invalid="ignore"):
            term = np.where(term > 1.0, np.log2(term), 0.0)
        if not np.any(term > 0.0):
            return total
        total = total + np.maximum(term, 0.0)


def universal_code(n):
    """Length of an integer n >= 1 under Rissanen's universal prior (nats)."""
    return float(np.log(_UNIVERSAL_CONSTANT) + _LN_2 * log2_star(n))


@lru_cache(maxsize=1)
def _tables():
    """log2*(i) and the sum of 2^(-log2*(1..i)), for i = 0.._TABLE_SIZE."""
    log2_stars = np.append(0.0, log2_star(np.arange(1, _TABLE_SIZE + 1)))
    weights = np.exp2(-log2_stars)
    weights[0] = 0.0
    return log2_stars, np.cumsum(weights)


@lru_cache(maxsize=256)
def _sum_of_weights(largest):
    """The sum of 2^(-log2*(i)) for i = 1..largest, summed term by term."""
    total = _tables()[1][min(largest, _TABLE_SIZE)]
    for start in range(_TABLE_SIZE + 1, largest + 1, _TABLE_SIZE):
        stop = min(start + _TABLE_SIZE, largest + 1)
        total += np.exp2(-log2_star(np.arange(start, stop))).sum()
    return total


def bounded_universal_code(n, largest):
    """Length of an integer 1 <= n <= largest under the bounded universal prior.

    Parameters
    ----------
    n : int or array-like of int, in [1, largest]
    largest : int or array-like of int, >= 1

    Returns
    -------
    ndarray of float64, of the shape that `n` and `largest` broadcast to (nats)
    """
    n, largest = np.asarray(n), np.asarray(largest)
    if largest.max() <= _TABLE_SIZE:
        log2_stars, sums = _tables()
        return np.log(sums[largest]) + _LN_2 * log2_stars[n]
    total = np.vectorize(_sum_of_weights, otypes=[float])(largest)
    return np.log(total) + _LN_2 * log2_star(n)


@lru_cache(maxsize=4096)
def log_partitions(n_values, n_clusters):
    """ln B(V, J): number of ways to put V values in at most J clusters.

    ``B(V, J) = sum_i i^V / i! * d(J - i)`` with ``d(n) = sum_{l<=n} (-1)^l / l!``,
    which sums the Stirling numbers of the second kind S(V, 1..J). Every term is
    positive (d(1) = 0), so that the sum of logarithms loses nothing.

    Parameters
    ----------
    n_values : int, >= 1
    n_clusters : int, in [1, n_values]

    Returns
    -------
    float (nats)
    """
    return float(_log_partitions(np.array([n_values]), n_clusters)[0])


def log_partitions_by_values(n_values, n_clusters):
    """ln B(0, J), ..., ln B(V, J): a table of `log_partitions` by number of values.

    Parameters
    ----------
    n_values : int, >= 1
    n_clusters : int, >= 1

    Returns
    -------
    ndarray of float64, shape (V + 1,) (nats)
    """
    block = max(1, _BLOCK // n_clusters)
    starts = range(0, n_values + 1, block)
    numbers = (np.arange(s, min(s + block, n_values + 1)) for s in starts)
    return np.concatenate([_log_partitions(n, n_clusters) for n in numbers])


def _log_partitions(n_values, n_clusters):
    i = np.arange(1, n_clusters + 1, dtype=np.float64)
    n = np.arange(min(n_clusters, 30))
    signs = np.where(n % 2 == 0, 1.0, -1.0)
    # d(n) equals 1/e to the last bit from n = 20 on.
    derangements = np.cumsum(signs / np.exp(gammaln(n + 1.0)))
    d = derangements[np.minimum(n_clusters - i.astype(np.int64), len(n) - 1)]
    with np.errstate(divide="ignore"):
        weights = np.log(np.maximum(d, 0.0)) - gammaln(i + 1.0)
    if n_clusters >= 2:
        weights[-2] = -np.inf  # d(1) = 0 exactly
    terms = n_values[:, None] * np.log(i) + weights
    top = terms.max(axis=1)
    return top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
