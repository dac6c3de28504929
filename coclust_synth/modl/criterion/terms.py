"""The MODL cost of a grid, term by term (nats, lower is better).

The posterior cost of Boulle (2011), in the form that Khiops 11 computes, so that a
cost can be compared digit for digit. A grid of ``G = J_1 x ... x J_d`` cells over
``N`` observations, with categorical dimensions of ``V_k`` values in ``J_k`` clusters
and numeric dimensions in ``J_k`` intervals, costs

    family         ln 2 + [K > 0] (U(K) - ln K!)        K = dimensions with J > 1
    cell_counts    ln (N+G-1)! - ln (G-1)!
    partitions     sum over the dimensions with J > 1
                   categorical: the cheaper of the plain and the catch-all prior
                   numeric: Ub(J-1; N-1)
    value_counts   sum over the parts, of N_i observations
                   categorical, of m_i values: ln (N_i+m_i-1)! - ln (m_i-1)!
                   numeric: ln N_i!
                   - sum over the categorical values of ln n_v!
    cells          - sum over cells of ln N_c!

`grid_cost_terms` is that formula; `cost_terms` is its face for two categorical
variables whose cells are all held in memory.

Integers and partitions are told by codes, whose lengths are the priors (nats); they
follow the reference implementation, Khiops 11.

References
----------
M. Boulle, "Data grid models for preparation and modeling in supervised learning",
in Hands-On Pattern Recognition, 2011; Khiops 11, https://khiops.org.
"""

from dataclasses import astuple, dataclass
from functools import cache, lru_cache
from math import prod

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

# Rissanen's constant: sum over n >= 1 of 2^(-log2*(n)), rounded as Khiops rounds it.
_UNIVERSAL_CONSTANT = 2.86511
# What the bounded universal prior needs is held ready up to this integer.
_TABLE_SIZE = 1 << 20
_SHORT_TABLE_SIZE = 1 << 14
# Terms that are held at a time.
_BLOCK = 1 << 20
# Of a sum of more terms, those so many nats below the largest are left out.
_MANY_TERMS, _NEGLIGIBLE = 256, 60.0
_LN_2 = float(np.log(2.0))
# A catch-all cluster is considered above this number of values (Khiops 11).
_MIN_VALUES_FOR_CATCH_ALL = 7
# From this number of cells on Khiops replaces the cell-count term by N ln G.
_MAX_EXACT_CELLS = 2**30


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


def code_tables(largest):
    """log2*(i) and the sum of 2^(-log2*(1..i)), for i = 0..largest, 2^20 at most.

    Tables of a few lengths are made, and kept: the longest takes a tenth of a second,
    and small tables of data need a short one.

    Returns
    -------
    tuple of two ndarray of float64, shape (largest + 1,) or longer
    """
    return _code_tables(
        _TABLE_SIZE if largest > _SHORT_TABLE_SIZE else _SHORT_TABLE_SIZE
    )


@lru_cache
def _code_tables(size):
    log2_stars = np.append(0.0, log2_star(np.arange(1, size + 1)))
    weights = np.exp2(-log2_stars)
    weights[0] = 0.0
    return log2_stars, np.cumsum(weights)


def _sums_of_weights(largest):
    """The sums of 2^(-log2*(i)) for i = 1..largest: term by term up to _TABLE_SIZE.

    The rest is the integral, which has a closed form, and the next term of the formula
    of Euler and Maclaurin: right to 1e-13.
    """
    sums = code_tables(_TABLE_SIZE)[1][np.minimum(largest, _TABLE_SIZE)]
    beyond = np.maximum(largest, _TABLE_SIZE).astype(np.float64)
    start = _integral_and_end(np.float64(_TABLE_SIZE))
    return sums + (_integral_and_end(beyond) - start)


def _integral_and_end(x):
    """The integral of 2^(-log2*(x)) up to x, and half its value there.

    From 2^16 to 2^65536 it is 1 over the product of x and its first four iterated
    logarithms, the derivative of (ln 2)^5 times the fifth.
    """
    fifth, weight = x, 1.0
    for _ in range(5):
        weight = weight / fifth
        fifth = np.log2(fifth)
    return _LN_2**5 * fifth + 0.5 * weight


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
        log2_stars, sums = code_tables(largest.max())
        return np.log(sums[largest]) + _LN_2 * log2_stars[n]
    return np.log(_sums_of_weights(largest)) + _LN_2 * log2_star(n)


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
    """ln B(V, J) of several numbers of values V: `log_partitions`, all at once.

    Parameters
    ----------
    n_values : ndarray of int, shape (m,)
        Increasing, from 0.
    n_clusters : int, >= 1

    Returns
    -------
    ndarray of float64, shape (m,) (nats)
    """
    block = max(1, _BLOCK // n_clusters)
    starts = range(0, len(n_values), block)
    numbers = (n_values[s : s + block] for s in starts)
    return np.concatenate([_log_partitions(n, n_clusters) for n in numbers])


def _log_partitions(n_values, n_clusters):
    """ln B(V, J) of an increasing array of numbers of values."""
    # From here on all other terms together are below the last bit of the last one.
    many = np.searchsorted(n_values, n_clusters * (24.0 + np.log(n_clusters)))
    last = n_values[many:] * np.log(float(n_clusters)) - gammaln(n_clusters + 1.0)
    return np.append(_summed_partitions(n_values[:many], n_clusters), last)


def _summed_partitions(n_values, n_clusters):
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
    if n_clusters > _MANY_TERMS and len(n_values):
        near = _near_top(n_values[[0, -1]], i, weights)
        i, weights = i[near], weights[near]
    terms = n_values[:, None] * np.log(i) + weights
    top = terms.max(axis=1)
    return top + np.log(np.exp(terms - top[:, None]).sum(axis=1))


def _near_top(ends, i, weights):
    """Terms that count of numbers of values from the first to the last of two.

    The others are below the last bit of the largest. Terms rise to it and fall from
    there on, the later the more values there are.
    """
    terms = ends[:, None] * np.log(i) + weights
    near = terms > terms.max(axis=1, keepdims=True) - _NEGLIGIBLE
    return slice(int(near[0].argmax()), len(i) - int(near[1][::-1].argmax()))


@dataclass(frozen=True, eq=False)
class Dimension:
    """One dimension of a grid, as far as its cost goes.

    Attributes
    ----------
    totals : ndarray of int64, shape (J,)
        Observations of each part.
    sizes : ndarray of int64, shape (J,), or None
        Values in each cluster of a categorical dimension, all at least 1; None where
        the parts are intervals of a numeric one.
    """

    totals: np.ndarray
    sizes: np.ndarray | None = None

    @property
    def n_parts(self):
        """J, the number of parts."""
        return len(self.totals)

    @property
    def is_numeric(self):
        """Whether the parts are intervals."""
        return self.sizes is None

    def partition_prior(self):
        """Cost of the choice of the partition (nats)."""
        if self.is_numeric:
            return interval_prior(int(np.sum(self.totals)), self.n_parts)
        n_values, largest = int(np.sum(self.sizes)), int(np.max(self.sizes))
        return partition_prior(n_values, self.n_parts, largest)

    def part_costs(self):
        """Cost of the values inside each part, but for the ln n_v! (nats).

        Returns
        -------
        ndarray of float64, shape (J,)
        """
        return part_costs(self.totals, self.sizes)


@dataclass(frozen=True)
class CostTerms:
    """The named terms of a cost, in nats; ``total`` is their sum."""

    family: float
    cell_counts: float
    partitions: float
    value_counts: float
    cells: float

    @property
    def total(self) -> float:
        return float(sum(astuple(self)))


@cache
def family_prior(n_split):
    """Cost of choosing which `n_split` dimensions have more than one cluster."""
    if n_split == 0:
        return _LN_2
    return _LN_2 + universal_code(n_split) - float(gammaln(n_split + 1.0))


def cell_counts_prior(n_observations, n_cells):
    """Cost of the cell counts: ln (N+G-1)! - ln (G-1)!, N! included (nats).

    Parameters
    ----------
    n_observations : int
    n_cells : int or array-like of int

    Returns
    -------
    ndarray of float64, same shape as `n_cells`
    """
    cells = np.asarray(n_cells, dtype=np.float64)
    exact = gammaln(n_observations + cells) - gammaln(cells)
    return np.where(cells < _MAX_EXACT_CELLS, exact, n_observations * np.log(cells))


def plain_partition_prior(n_values, n_clusters):
    """Cost of a partition of `n_values` values without a catch-all cluster."""
    if n_clusters == 1:
        return 0.0
    choice = _LN_2 if n_values > _MIN_VALUES_FOR_CATCH_ALL else 0.0
    return (
        choice
        + float(bounded_universal_code(n_clusters - 1, n_values - 1))
        + log_partitions(n_values, n_clusters)
    )


@lru_cache(maxsize=4096)
def catch_all_partition_prior(n_values, n_clusters, largest):
    """Cost of a partition whose largest cluster, of `largest` values, is a catch-all.

    Infinite where the criterion does not offer it (7 values or fewer, fewer than
    3 clusters).
    """
    if n_values <= _MIN_VALUES_FOR_CATCH_ALL or n_clusters < 3:
        return np.inf
    kept = n_values - largest
    choice = _choice_of_kept(n_values, kept)
    number = bounded_universal_code(n_clusters - 2, kept - 1)
    return float(choice + number + log_partitions(kept, n_clusters - 1))


def _choice_of_kept(n_values, kept):
    """Cost of the choice of the `kept` values that are not in the catch-all."""
    return (
        _LN_2
        + bounded_universal_code(kept - 1, n_values - 2)
        + kept * np.log(n_values)
        - gammaln(kept + 1.0)
    )


def catch_all_priors_by_kept(n_values, n_clusters, kept):
    """`catch_all_partition_prior` by numbers of values that are not in the catch-all.

    Parameters
    ----------
    n_values, n_clusters : int
    kept : ndarray of int, shape (m,)
        Increasing, from 0 to `n_values`.

    Returns
    -------
    ndarray of float64, shape (m,)
        Infinite where there are too few such values for the other clusters.
    """
    priors = np.full(len(kept), np.inf)
    fewest = n_clusters - 1
    possible = (kept >= fewest) & (kept < n_values)
    if n_values <= _MIN_VALUES_FOR_CATCH_ALL or n_clusters < 3 or not possible.any():
        return priors
    kept = kept[possible]
    priors[possible] = (
        _choice_of_kept(n_values, kept)
        + bounded_universal_code(n_clusters - 2, kept - 1)
        + log_partitions_by_values(kept, fewest)
    )
    return priors


def partition_prior(n_values, n_clusters, largest):
    """The cheaper of the plain and the catch-all prior of one dimension (nats).

    Parameters
    ----------
    n_values : int
        Number of values V of the dimension.
    n_clusters : int
        Number of clusters J, in [1, V].
    largest : int
        Number of values of the largest cluster.
    """
    return min(
        plain_partition_prior(n_values, n_clusters),
        catch_all_partition_prior(n_values, n_clusters, largest),
    )


def interval_prior(n_observations, n_intervals):
    """Cost of the choice of intervals of a numeric variable (nats).

    Parameters
    ----------
    n_observations : int
        Observations, not distinct values.
    n_intervals : int
    """
    if n_intervals == 1:
        return 0.0
    return float(bounded_universal_code(n_intervals - 1, n_observations - 1))


def interval_priors(n_observations, n_most):
    """`interval_prior` by number of intervals, shape (n_most + 1,); 0 for none."""
    priors = np.zeros(n_most + 1)
    n_cuts = np.arange(1, n_most)
    if len(n_cuts):
        priors[2:] = bounded_universal_code(n_cuts, n_observations - 1)
    return priors


def part_costs(totals, sizes=None):
    """Cost of the values inside parts, but for the ln n_v! of the values (nats).

    Parameters
    ----------
    totals : array-like of int
        Observations of each part.
    sizes : array-like of int, same shape, optional
        Values in each, for clusters; None for intervals, whose values are ranks.

    Returns
    -------
    ndarray of float64, same shape
    """
    totals = np.asarray(totals, dtype=np.float64)
    if sizes is None:
        return gammaln(totals + 1.0)
    sizes = np.asarray(sizes, dtype=np.float64)
    return gammaln(totals + sizes) - gammaln(sizes)


def grid_cost_terms(cell_counts, dimensions, log_fact_values):
    """Every term of the cost of a grid of any number of dimensions.

    Parameters
    ----------
    cell_counts : array-like of int, any shape
        Observations of the cells. Empty cells can be left out: the number of cells
        is known from the dimensions.
    dimensions : sequence of Dimension
        Whose totals each sum up to the observations of all cells.
    log_fact_values : float
        Sum of ln n_v! over the values of all categorical dimensions.

    Returns
    -------
    CostTerms
    """
    cells = np.asarray(cell_counts, dtype=np.float64)
    n_parts = [dimension.n_parts for dimension in dimensions]
    value_counts = sum(dimension.part_costs().sum() for dimension in dimensions)
    return CostTerms(
        family=family_prior(sum(n > 1 for n in n_parts)),
        cell_counts=float(cell_counts_prior(cells.sum(), prod(n_parts))),
        partitions=float(sum(d.partition_prior() for d in dimensions)),
        value_counts=float(value_counts - log_fact_values),
        cells=float(-gammaln(cells + 1.0).sum()),
    )


def cost_terms(
    cells: ArrayLike,
    row_sizes: ArrayLike,
    column_sizes: ArrayLike,
    log_fact_values: float,
) -> CostTerms:
    """Every term of the cost of a grid of two categorical variables.

    Parameters
    ----------
    cells : array-like of int, shape (J_1, J_2)
        Observations in each cell.
    row_sizes, column_sizes : array-like of int, shape (J_1,) and (J_2,)
        Number of values in each cluster, all at least 1.
    log_fact_values : float
        Sum of ln n_v! over the values of both variables, n_v the observations of v.

    Returns
    -------
    CostTerms
    """
    cells = np.asarray(cells)
    dimensions = (
        Dimension(cells.sum(axis=1), np.asarray(row_sizes)),
        Dimension(cells.sum(axis=0), np.asarray(column_sizes)),
    )
    return grid_cost_terms(cells, dimensions, log_fact_values)
