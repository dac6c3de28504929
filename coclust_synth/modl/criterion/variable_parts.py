"""The MODL cost of instances x variable parts, term by term (nats).

The parts of ``d`` variables (intervals, or groups of categories) are the values of
one dimension of a grid and the instances those of the other; how each variable is cut
into its ``P_k`` parts is part of the model. As Khiops 11 computes it, with ``T`` parts
in ``J_T`` clusters,

    family            ln 2
    cell_counts       ln (N+G-1)! - ln (G-1)!
    partitions        instances: as a categorical dimension of any grid
                      parts: Ub(J_T-1; T-1) + ln B(T, J_T), where J_T > 1
    value_counts      sum over the clusters of both of ln (N_i+m_i-1)! - ln (m_i-1)!
                      - sum over instances of ln n_i!
                      - sum over categories of inner variables of ln n_v!
    inner_variables   numeric: Ub(P; n)       n = instances, the missing ones as well
                      categorical: Ub(P; V) + ln B(V, P), and for each part
                      ln (n_p+m_p-1)! - ln (m_p-1)! - ln n_p!
                      (V counts missing as a category, though no part holds it)
    cells             - sum over cells of ln N_c!

The null model is one cluster of instances and one of ``d`` parts, one a variable; its
inner variables cost nothing.
"""

from dataclasses import dataclass
from math import log, prod

import numpy as np
from scipy.special import gammaln

from coclust_synth.modl.criterion.terms import (
    CostTerms,
    Dimension,
    bounded_universal_code,
    cell_counts_prior,
    log_partitions,
)


@dataclass(frozen=True, eq=False)
class InnerVariable:
    """How one variable is cut into parts.

    Attributes
    ----------
    parts : Dimension
        Observations of each part and, for groups of categories, categories in each.
    n_values : int
        Of a numeric variable, the instances; of a categorical one, its categories.
        Missing values count in both, missing being one category.
    """

    parts: Dimension
    n_values: int


@dataclass(frozen=True)
class VariablePartsTerms(CostTerms):
    """The named terms of a cost, in nats; ``total`` is their sum."""

    inner_variables: float


def variable_parts_cost_terms(cell_counts, instances, parts, inner, log_fact_values):
    """Every term of the cost of a grid of instances x variable parts.

    Parameters
    ----------
    cell_counts : array-like of int, any shape
        Observations of the cells; empty ones can be left out.
    instances : Dimension
        The clusters of instances.
    parts : Dimension
        The clusters of parts; their sizes count parts.
    inner : sequence of InnerVariable
    log_fact_values : float
        Sum of ln n! over the instances and over the categories of inner variables.

    Returns
    -------
    VariablePartsTerms
    """
    cells = np.asarray(cell_counts, dtype=np.float64)
    outer = (instances, parts)
    n_cells = prod(dimension.n_parts for dimension in outer)
    n_parts = int(np.sum(parts.sizes))
    is_null = n_cells == 1 and n_parts == len(inner)
    value_counts = sum(dimension.part_costs().sum() for dimension in outer)
    return VariablePartsTerms(
        family=log(2.0),
        cell_counts=float(cell_counts_prior(cells.sum(), n_cells)),
        partitions=instances.partition_prior()
        + parts_partition_prior(n_parts, parts.n_parts),
        value_counts=float(value_counts - log_fact_values),
        cells=float(-gammaln(cells + 1.0).sum()),
        inner_variables=0.0 if is_null else float(sum(map(_inner_cost, inner))),
    )


def parts_partition_prior(n_parts, n_clusters):
    """Cost of the clusters of parts (nats): as of values, but without a catch-all."""
    if n_clusters == 1:
        return 0.0
    choice = float(bounded_universal_code(n_clusters - 1, n_parts - 1))
    return choice + log_partitions(n_parts, n_clusters)


def _inner_cost(variable):
    """Cost of the parts of one variable (nats), paid for a single part as well."""
    parts, n_values = variable.parts, variable.n_values
    number = float(bounded_universal_code(parts.n_parts, n_values))
    if parts.is_numeric:
        return number
    categories = parts.part_costs() - gammaln(np.asarray(parts.totals) + 1.0)
    return number + log_partitions(n_values, parts.n_parts) + float(categories.sum())
