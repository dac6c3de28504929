"""Priors of partitions as the kernels of all searches compute them.

``log_fact`` is ln n!, see `lookup.log_fact_table`; all costs are in nats.
"""

import math
from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel


class PartitionPriors(NamedTuple):
    """Tables of the priors of one side's partition (nats).

    n_values : of the side; 0 where no catch-all is offered. plain : by number of
    clusters. log2_star : log2*(n), n from 0. log_constant : ln of the sum of
    2^(-log2*(i)) for i up to n, n from 0.
    """

    n_values: int
    plain: np.ndarray
    log2_star: np.ndarray
    log_constant: np.ndarray


class SizePriors(NamedTuple):
    """What one side of the grid costs by the sizes of its clusters (nats).

    by_number : by number of clusters, from 0; the plain prior of the partition.
    catch_all : the cluster whose values the partition need not name; -1 for none, and
    then the rest is not read.
    n_kept : values that all other clusters hold.
    by_kept : partition prior by such a number, from 0, the number of clusters held.
    """

    by_number: np.ndarray
    catch_all: int
    n_kept: int
    by_kept: np.ndarray


@kernel
def sizes_cost(m, n, log_fact):
    """ln (n+m-1)! - ln (m-1)!: the counts of m values that share n observations."""
    return log_fact[n + m - 1] - log_fact[m - 1]


@kernel
def cell_counts_prior(n_observations, n_cells):
    """Twin of `terms.cell_counts_prior`."""
    if n_cells >= 2.0**30:
        return n_observations * math.log(n_cells)
    return math.lgamma(n_observations + n_cells) - math.lgamma(n_cells)


@kernel
def log_partitions(v, j, log_fact):
    """Twin of `codes.log_partitions`."""
    top = -math.inf
    for i in range(1, j + 1):
        top = max(top, v * math.log(i) - log_fact[i])
    total = 0.0
    for i in range(1, j + 1):
        # d(n) = sum of (-1)^l / l! for l <= n; 1/e to the last bit from n = 20 on.
        d = 0.0
        term = 1.0
        for n in range(min(j - i, 30) + 1):
            d += term
            term /= -(n + 1.0)
        if j - i != 1:
            total += d * math.exp(v * math.log(i) - log_fact[i] - top)
    return top + math.log(total)


@kernel
def partition_prior(j, largest, priors, log_fact):
    """Twin of `terms.partition_prior`: the plain prior or that of a catch-all."""
    v = priors.n_values
    plain = priors.plain[j]
    if v <= 7 or j < 3:
        return plain
    q = v - largest
    catch_all = (
        math.log(2.0)
        + priors.log_constant[v - 2]
        + priors.log_constant[q - 1]
        + math.log(2.0) * (priors.log2_star[q - 1] + priors.log2_star[j - 2])
        + q * math.log(v)
        - log_fact[q]
    )
    # One term of ln B(q, j-1) alone is a bound that settles most cases.
    if catch_all + q * math.log(j - 1) - log_fact[j - 1] >= plain:
        return plain
    return min(plain, catch_all + log_partitions(q, j - 1, log_fact))
