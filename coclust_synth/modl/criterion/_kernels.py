"""ln n! and the priors of partitions as the kernels of all searches compute them.

``log_fact`` is ln n!, see `lookup.log_fact_table`: an array, or for large n
`LogFactorials`, which is indexed alike. Numba compiles a kernel for each of the two,
so that small tables pay nothing for large ones. All costs are in nats.
"""

import math
import operator
from typing import NamedTuple

import numpy as np
from numba.core.types import NamedTuple as NamedTupleType
from numba.extending import overload

from coclust_synth._jit import inlined_kernel, kernel

# ln n! is rounded to this many nats, so that sums of it are exact in floating point:
# the search takes the same decisions on every machine. Reported costs are not rounded.
LOG_FACT_STEP = 2.0**-20
_HALF_LN_2_PI = 0.5 * math.log(2.0 * math.pi)
_LN_2 = math.log(2.0)
# Terms of a sum that are smaller than its largest by a factor of e^60 are left out.
_NEGLIGIBLE = 60.0


class LogFactorials(NamedTuple):
    """ln n! of any n >= 0, rounded to whole multiples of `step` (nats).

    table : of the first n, looked up; ln of the others by `stirling`.
    """

    table: np.ndarray
    step: float

    def __getitem__(self, n):
        last = len(self.table) - 1
        return _unless_beyond(self.table[min(n, last)], n, last, self.step)


@kernel
def stirling(n):
    """ln n!, by Stirling's series.

    From n = 2^22 on the terms left out are below 1e-22; what is wrong is the rounding
    of n ln n, less than two units in its last place: 1e-8 nats at 2^22, 8e-6 at 10^9.
    """
    return n * (math.log(n) - 1.0) + 0.5 * math.log(n) + _HALF_LN_2_PI + 1.0 / (12 * n)


@inlined_kernel
def _unless_beyond(tabled, n, last, step):
    """ln n!, which is `tabled` for n up to `last`."""
    return tabled if n <= last else _rounded(n, step)


@kernel
def _rounded(n, step):
    """ln n! by `stirling`, rounded to whole steps."""
    return math.floor(stirling(float(n)) / step + 0.5) * step


class PartitionPriors(NamedTuple):
    """Tables of the priors of one side's partition (nats).

    n_values : of the side; 0 where no catch-all is offered. plain : by number of
    clusters. log2_star : log2*(n), n from 0. log_constant : ln of the sum of
    2^(-log2*(i)) for i up to n, n from 0. Both of the first n: see `log2_star_of` and
    `log_constant_of` for the others.
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
    by_kept : partition prior by such a number, from 0, the number of clusters held; an
    array, or `PriorsByKept` where ln n! is `LogFactorials`.
    """

    by_number: np.ndarray
    catch_all: int
    n_kept: int
    by_kept: np.ndarray


class PriorsByKept(NamedTuple):
    """`partition_prior` by the values that are not in the catch-all, for any number.

    As if it were an array: computed each time, where a table would be too long.
    """

    n_clusters: int
    partitions: PartitionPriors
    log_fact: LogFactorials

    def __getitem__(self, n_kept):
        return _prior_by_kept(self, n_kept)


@kernel
def _prior_by_kept(priors, n_kept):
    j, partitions = priors.n_clusters, priors.partitions
    if not j - 1 <= n_kept < partitions.n_values:
        return math.inf
    return partition_prior(j, partitions.n_values - n_kept, partitions, priors.log_fact)


@overload(operator.getitem, inline="always")
def _get_log_factorial(log_fact, n):
    """What indexing `LogFactorials` does in a kernel.

    The table is read in the code of the kernel itself, and without a branch: a call
    counts references to it, which took three quarters of the time of a sweep.
    """
    if _is_of(log_fact, LogFactorials):
        return lambda log_fact, n: _unless_beyond(
            log_fact.table[min(n, len(log_fact.table) - 1)],
            n,
            len(log_fact.table) - 1,
            log_fact.step,
        )
    return None


@overload(operator.getitem)
def _get_prior(priors, n_kept):
    """What indexing `PriorsByKept` does in a kernel."""
    if _is_of(priors, PriorsByKept):
        return lambda priors, n_kept: _prior_by_kept(priors, n_kept)
    return None


def _is_of(found, kind):
    """Whether a type that Numba found is that of a named tuple."""
    return isinstance(found, NamedTupleType) and found.instance_class is kind


@kernel
def log2_star_of(n, priors):
    """Twin of `terms.log2_star`, n >= 1."""
    if n < len(priors.log2_star):
        return priors.log2_star[n]
    total, term = 0.0, math.log2(n)
    while term > 0.0:
        total += term
        term = math.log2(term)
    return total


@kernel
def log_constant_of(n, priors):
    """ln of the sum of 2^(-log2*(i)) for i = 1..n; twin of `terms._sums_of_weights`."""
    last = len(priors.log_constant) - 1
    if n <= last:
        return priors.log_constant[n]
    total = math.exp(priors.log_constant[last])
    return math.log(total + _integral_and_end(n) - _integral_and_end(last))


@kernel
def _integral_and_end(x):
    """Twin of `terms._integral_and_end`."""
    fifth, weight = float(x), 1.0
    for _ in range(5):
        weight /= fifth
        fifth = math.log2(fifth)
    return _LN_2**5 * fifth + 0.5 * weight


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
    """Twin of `terms.log_partitions`."""
    if v >= j * (24.0 + math.log(j)):
        # All other terms together are below the last bit of the last one.
        return _log_term(v, j, log_fact)
    largest = _largest_term(v, j)
    top = _log_term(v, largest, log_fact)
    first = largest
    while first > 1 and _log_term(v, first - 1, log_fact) > top - _NEGLIGIBLE:
        first -= 1
    from_30_on = _share_of_derangements(30)
    total = 0.0
    for i in range(first, j + 1):
        term = _log_term(v, i, log_fact) - top
        if i > largest and term < -_NEGLIGIBLE:
            break
        if j - i != 1:
            d = from_30_on if j - i >= 30 else _share_of_derangements(j - i)
            total += d * math.exp(term)
    return top + math.log(total)


@kernel
def _log_term(v, i, log_fact):
    """ln of i^v / i!."""
    return v * math.log(i) - log_fact[i]


@kernel
def _largest_term(v, j):
    """The i in 1..j of the largest i^v / i!: terms rise to it, then they fall."""
    first, last = 1, j
    while first < last:
        i = (first + last) // 2
        if v * math.log1p(1.0 / i) > math.log(i + 1.0):
            first = i + 1
        else:
            last = i
    return first


@kernel
def _share_of_derangements(n):
    """Sum of (-1)^l / l! for l <= n: 1/e to the last bit from n = 20 on."""
    d = 0.0
    term = 1.0
    for i in range(n + 1):
        d += term
        term /= -(i + 1.0)
    return d


@kernel
def partition_prior(j, largest, priors, log_fact):
    """Twin of `terms.partition_prior`: the plain prior or that of a catch-all."""
    v = priors.n_values
    plain = priors.plain[j]
    if v <= 7 or j < 3:
        return plain
    q = v - largest
    catch_all = (
        _LN_2
        + log_constant_of(v - 2, priors)
        + log_constant_of(q - 1, priors)
        + _LN_2 * (log2_star_of(q - 1, priors) + log2_star_of(j - 2, priors))
        + q * math.log(v)
        - log_fact[q]
    )
    # One term of ln B(q, j-1) alone is a bound that settles most cases.
    if catch_all + q * math.log(j - 1) - log_fact[j - 1] >= plain:
        return plain
    return min(plain, catch_all + log_partitions(q, j - 1, log_fact))
