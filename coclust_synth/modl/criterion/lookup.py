"""Tables that the kernels look up: ln n! and the priors of partitions."""

import numpy as np
from scipy.special import gammaln

from coclust_synth.modl.criterion._kernels import (
    LOG_FACT_STEP,
    LogFactorials,
    PartitionPriors,
    PriorsByKept,
    SizePriors,
)
from coclust_synth.modl.criterion.terms import (
    catch_all_partition_prior,
    catch_all_priors_by_kept,
    code_tables,
    plain_partition_prior,
)

# ln n! is looked up below this number, and comes from Stirling's series from there on.
_N_TABLED = 1 << 22
# Entries computed at a time: the table itself is all the memory that is needed.
_CHUNK = 1 << 20
_NO_PRIORS = np.zeros(1)


def log_fact_table(n):
    """ln 0!, ..., ln (n-1)!, rounded so that sums of them are exact (nats).

    Returns
    -------
    ndarray of float64, shape (n,), or LogFactorials
        The second from n = 2^22 on, where rounding errors of 1e-8 nats at first, and of
        1e-5 at n = 10^9, come with it.
    """
    log_fact = np.empty(min(n, _N_TABLED))
    for start in range(0, len(log_fact), _CHUNK):
        stop = min(start + _CHUNK, len(log_fact))
        exact = gammaln(np.arange(start + 1.0, stop + 1.0))
        log_fact[start:stop] = np.round(exact / LOG_FACT_STEP) * LOG_FACT_STEP
    return log_fact if n <= _N_TABLED else LogFactorials(log_fact, LOG_FACT_STEP)


class PartitionTables:
    """The prior of the partition of one categorical dimension; tables grow as needed.

    Parameters
    ----------
    n_values : int
        Values of the dimension.
    log_fact : ndarray of float64, or LogFactorials
        ln n!, as of `log_fact_table`.
    """

    def __init__(self, n_values, log_fact):
        log2_stars, sums = (table[: n_values + 1] for table in code_tables(n_values))
        with np.errstate(divide="ignore"):
            log_constant = np.log(sums)
        self._priors = PartitionPriors(n_values, np.zeros(1), log2_stars, log_constant)
        self._log_fact = log_fact
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

    def with_sizes(self, sizes, rest, n_moving=None):
        """The prior where clusters have some sizes, and what else depends on those.

        Parameters
        ----------
        sizes : ndarray of int, shape (J,)
            Values in each cluster; some may be empty.
        rest : ndarray of float64, shape (J + 1,)
            Other cost terms, by number of clusters (nats).
        n_moving : int, optional
            Values that may join or leave the catch-all; by default all.

        Returns
        -------
        SizePriors
            With a catch-all where that is the cheaper prior now.
        """
        # Threads share the tables: another may put shorter ones back.
        priors = self.up_to(len(sizes))
        plain = priors.plain[: len(sizes) + 1]
        n_values, n_clusters = priors.n_values, int((sizes > 0).sum())
        catch_all = int(sizes.argmax())
        largest = int(sizes[catch_all])
        is_plain = plain[n_clusters] <= catch_all_partition_prior(
            n_values, n_clusters, largest
        )
        if isinstance(self._log_fact, LogFactorials):
            by_kept = PriorsByKept(n_clusters, priors, self._log_fact)
        else:
            n_moving = n_values if n_moving is None else n_moving
            kept = n_values - largest
            reached = (max(kept - n_moving, 0), min(kept + n_moving, n_values))
            by_kept = _NO_PRIORS
            if not is_plain:
                by_kept = self._priors_by_kept(n_clusters, plain[n_clusters], *reached)
        if is_plain:
            return SizePriors(plain + rest, -1, 0, by_kept)
        return SizePriors(plain + rest, catch_all, n_values - largest, by_kept)

    def _priors_by_kept(self, n_clusters, plain, lowest, highest):
        """The cheaper of both priors, by the values that are not in the catch-all.

        From `lowest` to `highest` of them, and NaN where it is not known yet: of many
        values in many clusters a table takes long, of which a move needs little.
        """
        n_values = self._priors.n_values
        if n_clusters not in self._by_kept:
            self._by_kept[n_clusters] = np.full(n_values + 1, np.nan)
        table = self._by_kept[n_clusters]
        kept = lowest + np.flatnonzero(np.isnan(table[lowest : highest + 1]))
        if len(kept):
            catch_all = catch_all_priors_by_kept(n_values, n_clusters, kept)
            table[kept] = np.minimum(catch_all, plain)
        return table
