"""Tables that the kernels look up: ln n! and the priors of partitions."""

import numpy as np
from scipy.special import gammaln

from coclust_synth.modl.criterion._kernels import PartitionPriors, SizePriors
from coclust_synth.modl.criterion.terms import (
    catch_all_partition_prior,
    catch_all_priors_by_kept,
    log2_star,
    plain_partition_prior,
)

# ln n! is rounded to this many nats, so that sums of it are exact in floating point:
# the search takes the same decisions on every machine. Reported costs are not rounded.
_LOG_FACT_STEP = 2.0**-20
# Entries computed at a time: the table itself is all the memory that is needed.
_CHUNK = 1 << 20
_NO_PRIORS = np.zeros(1)


def log_fact_table(n):
    """ln 0!, ..., ln (n-1)!, rounded so that sums of them are exact (nats)."""
    log_fact = np.empty(n)
    for start in range(0, n, _CHUNK):
        stop = min(start + _CHUNK, n)
        exact = gammaln(np.arange(start + 1.0, stop + 1.0))
        log_fact[start:stop] = np.round(exact / _LOG_FACT_STEP) * _LOG_FACT_STEP
    return log_fact


class PartitionTables:
    """The prior of the partition of one categorical dimension; tables grow as needed.

    Parameters
    ----------
    n_values : int
        Values of the dimension.
    """

    def __init__(self, n_values):
        log2_stars = np.append(0.0, log2_star(np.arange(1, n_values + 1)))
        weights = np.exp2(-log2_stars)
        weights[0] = 0.0
        with np.errstate(divide="ignore"):
            log_constant = np.log(np.cumsum(weights))
        self._priors = PartitionPriors(n_values, np.zeros(1), log2_stars, log_constant)
        self._by_kept = {}

    def up_to(self, n_clusters):
        """The tables, for `n_clusters` clusters at least; infinite beyond the values.

        Returns
        -------
        PartitionPriors
        """
        priors = self._priors
        known = len(priors.plain)
        if known <= n_clusters:
            possible = min(n_clusters, priors.n_values)
            more = [
                plain_partition_prior(priors.n_values, j)
                for j in range(known, possible + 1)
            ]
            more += [np.inf] * (n_clusters + 1 - known - len(more))
            priors = priors._replace(plain=np.concatenate([priors.plain, more]))
            self._priors = priors
        return priors

    def with_sizes(self, sizes, rest):
        """The prior where clusters have some sizes, and what else depends on those.

        Parameters
        ----------
        sizes : ndarray of int, shape (J,)
            Values in each cluster; some may be empty.
        rest : ndarray of float64, shape (J + 1,)
            Other cost terms, by number of clusters (nats).

        Returns
        -------
        SizePriors
            With a catch-all where that is the cheaper prior now.
        """
        plain = self.up_to(len(sizes)).plain[: len(sizes) + 1]
        n_values, n_clusters = self._priors.n_values, int((sizes > 0).sum())
        catch_all = int(sizes.argmax())
        largest = int(sizes[catch_all])
        if plain[n_clusters] <= catch_all_partition_prior(
            n_values, n_clusters, largest
        ):
            return SizePriors(plain + rest, -1, 0, _NO_PRIORS)
        if n_clusters not in self._by_kept:
            self._by_kept[n_clusters] = np.minimum(
                catch_all_priors_by_kept(n_values, n_clusters), plain[n_clusters]
            )
        return SizePriors(
            plain + rest, catch_all, n_values - largest, self._by_kept[n_clusters]
        )
