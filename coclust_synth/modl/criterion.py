"""The MODL cost of a two-variable grid, term by term (nats, lower is better).

The posterior cost of Boulle (2011), in the form that Khiops 11 computes, so that a
cost can be compared digit for digit. A grid of ``J_1 x J_2`` cells over ``N``
observations of two categorical variables of ``V_1`` and ``V_2`` values costs

    family         ln 2 + [K > 0] (U(K) - ln K!)        K = dimensions with J > 1
    cell_counts    ln (N+G-1)! - ln (G-1)!              G = J_1 J_2
    partitions     the cheaper of the plain and the catch-all prior, J > 1 only
    value_counts   sum over clusters of ln (N_i+m_i-1)! - ln (m_i-1)!
                   - sum over values of ln n_v!
    cells          - sum over cells of ln N_c!

References
----------
M. Boulle, "Data grid models for preparation and modeling in supervised learning",
in Hands-On Pattern Recognition, 2011; Khiops 11, https://khiops.org.
"""

from dataclasses import astuple, dataclass

import numpy as np
from scipy.special import gammaln

from coclust_synth.modl.codes import (
    bounded_universal_code,
    log_partitions,
    universal_code,
)

_LN_2 = float(np.log(2.0))
# A catch-all cluster is considered above this number of values (Khiops 11).
_MIN_VALUES_FOR_CATCH_ALL = 7
# From this number of cells on Khiops replaces the cell-count term by N ln G.
_MAX_EXACT_CELLS = 2**30


@dataclass(frozen=True)
class CostTerms:
    """The named terms of a cost, in nats; ``total`` is their sum."""

    family: float
    cell_counts: float
    partitions: float
    value_counts: float
    cells: float

    @property
    def total(self):
        return float(sum(astuple(self)))


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


def catch_all_partition_prior(n_values, n_clusters, largest):
    """Cost of a partition whose largest cluster, of `largest` values, is a catch-all.

    Infinite where the criterion does not offer it (7 values or fewer, fewer than
    3 clusters).
    """
    if n_values <= _MIN_VALUES_FOR_CATCH_ALL or n_clusters < 3:
        return np.inf
    kept = n_values - largest
    return float(
        _LN_2
        + bounded_universal_code(kept - 1, n_values - 2)
        + kept * np.log(n_values)
        - gammaln(kept + 1.0)
        + bounded_universal_code(n_clusters - 2, kept - 1)
        + log_partitions(kept, n_clusters - 1)
    )


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


def cost_terms(cells, row_sizes, column_sizes, log_fact_values):
    """Every term of the cost of a grid.

    Parameters
    ----------
    cells : array-like of int, shape (J_1, J_2)
        Observations in each cell.
    row_sizes, column_sizes : array-like of int, shape (J_1,) and (J_2,)
        Number of values in each cluster, all at least 1.
    log_fact_values : float
        Sum of ln n_v! over the values of both dimensions, n_v the observations of v.

    Returns
    -------
    CostTerms
    """
    cells = np.asarray(cells, dtype=np.float64)
    total = cells.sum()
    shape = cells.shape
    partitions = value_counts = 0.0
    for axis, sizes in enumerate((row_sizes, column_sizes)):
        sizes = np.asarray(sizes, dtype=np.float64)
        counts = cells.sum(axis=1 - axis)
        n_values = int(sizes.sum())
        partitions += partition_prior(n_values, shape[axis], int(sizes.max()))
        value_counts += (gammaln(counts + sizes) - gammaln(sizes)).sum()
    return CostTerms(
        family=family_prior(sum(n > 1 for n in shape)),
        cell_counts=float(cell_counts_prior(total, shape[0] * shape[1])),
        partitions=float(partitions),
        value_counts=float(value_counts - log_fact_values),
        cells=float(-gammaln(cells + 1.0).sum()),
    )
