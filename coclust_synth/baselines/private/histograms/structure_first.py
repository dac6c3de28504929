"""StructureFirst: buckets chosen on the data by the exponential mechanism, counted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coclust_synth.baselines.private.histograms.noise_first import check_values
from coclust_synth.baselines.private.independent import IndependentMargins
from coclust_synth.generators.domain_synthesizer import check_budget
from coclust_synth.generators.release_plan import (
    make_plan,
    merged,
    planned_choice,
    planned_counts,
    planned_error,
)
from coclust_synth.validation import check_integer

_MAX_VALUES = 2**11  # of a column: all its runs are looked at
#: Largest count that scores are of: n times the sum of n squares is below 2^63 then.
MAX_COUNT = 2**20
_FEW = 20  # values of a column that are all buckets
_VALUES_OF_BUCKET = 10  # of others, on average
_OF_ROWS, _OF_STRUCTURE = 0.05, 0.5  # shares: of the budget, and of a column's


@dataclass(eq=False, repr=False, kw_only=True)
class StructureFirst(IndependentMargins):
    r"""Columns drawn on their own from noisy counts of buckets, chosen beforehand.

    epsilon-differentially private for the table's persons (see `PrivacyLedger` for what
    that leaves out). A twentieth of epsilon counts the rows, unless `max_count` says
    how large a count can be; each column gets an equal share of what is left. Columns
    of at most 20 values are counted as they are. Of others half the share chooses the
    ends of their buckets, from the last one back: with the exponential mechanism, a
    run of values is the better a bucket the less the squares within it and the least
    ones before it add up to. The other half counts the rows of each bucket, which its
    values get in equal shares. What is missing, or other, is a bucket of its own.

    **Sensitivity.** Counts are cut off at F for the choice. A row changes one of them,
    x, to x + 1 or back, and the squares within its bucket of n values and sum S by
    2 x + 1 - (2 S + 1)/n, which is in [-2 F, 2 F + 1]. Of a bucket they are rounded
    down, which keeps whole bounds; the least sum over ways to cut changes by no more
    than any of them, and no other bucket changes: scores are of sensitivity 2 F + 1, in
    whole numbers all along. Counts are of sensitivity 1.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
        Of columns of at most 2^11 values; neighbours are those of its order.
    max_count : int, optional
        What a count is at most, declared without the data: F, up to 2^20. By default
        the noisy number of rows, up to the same.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    buckets_ : list of ndarray of int64
        Where the buckets of each column end.
    ledger_, margins_, n_rows_
        As of `IndependentMargins`.

    References
    ----------
    J. Xu, Z. Zhang, X. Xiao, Y. Yang, G. Yu, M. Winslett, "Differentially private
    histogram publication", The VLDB Journal 22, 2013, section 5.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": np.repeat([10, 50], [900, 100])})
    >>> domain = {"age": {"low": 0, "high": 99, "bins": 100}}
    >>> generator = StructureFirst(1.0, domain, max_count=1000).fit(table)
    >>> len(generator.buckets_[0]), generator.ledger_.remaining
    (10, 0.0)
    """

    max_count: int | None = None

    def _check(self):
        super()._check()
        if self.max_count is not None:
            check_integer("max_count", self.max_count, minimum=1, maximum=MAX_COUNT)
        check_values(self.domain_, _MAX_VALUES)
        most = max(n_buckets(column.n_values) for column in self.domain_.columns)
        share = (1 - _OF_ROWS) / len(self.domain_.sizes)
        least = min(share * min(_OF_STRUCTURE, 1 - _OF_STRUCTURE) / most, _OF_ROWS)
        check_budget(self.epsilon, None, 0.9 * least)

    def _plan(self, n_rows, ledger):
        queries, errors = [], []
        left, bound = ledger.total, self.max_count
        if bound is None:
            queries.append(planned_counts(ledger, "rows", 1, _OF_ROWS * left))
            left -= _OF_ROWS * left
            bound = min(n_rows, MAX_COUNT)
        share = left / len(self.domain_.sizes)
        for column in self.domain_.columns:
            cost, n = share, n_buckets(column.n_values)
            if n < column.n_values:
                asked = (
                    column.n_values - n + 1,
                    _OF_STRUCTURE * share / (n - 1),
                    2 * bound + 1,
                    n - 1,
                )
                what = f"end of a bucket of {column.name}"
                queries.append(planned_choice(ledger, what, *asked))
                cost -= _OF_STRUCTURE * share
            n_cells = n + column.size - column.n_values
            what = f"counts of {column.name}"
            queries.append(planned_counts(ledger, what, n_cells, cost))
            noise = ledger.count_noise(cost)
            is_all = n_cells == column.size
            told = column.name if is_all else merged(column.name)
            errors.append(planned_error(told, n_cells, noise, n_rows))
        noise = self._rows_of_noise(ledger)
        asked = ledger, n_rows, "margins", queries, errors
        return make_plan(*asked, rows_of_noise=noise)

    def _measure(self, codes, ledger):
        self.buckets_, self._bound = [], self.max_count
        if self._bound is None:
            (n_rows,) = ledger.noisy_counts(
                np.array([len(codes)]), cost=_OF_ROWS * ledger.total, what="rows"
            )
            self._bound = int(np.clip(n_rows, 1, MAX_COUNT))
        return super()._measure(codes, ledger)

    def _counted(self, counts, column, ledger, cost):
        ends = np.arange(1, column.n_values + 1)
        n, after = n_buckets(column.n_values), ledger.remaining - cost
        if n < column.n_values:
            choice = _OF_STRUCTURE * cost / (n - 1)
            within = squares_within(np.minimum(counts[: column.n_values], self._bound))
            ends = self._choose(within, n, column, ledger, choice)
        self.buckets_.append(ends)
        return self._count_runs(counts, column, ends, ledger, after)

    def _choose(self, within, n, column, ledger, cost):
        """Ends of n buckets, the last one first."""
        least = least_squares(within, n)
        ends = [column.n_values]
        for left in range(n - 1, 0, -1):
            # The bucket that ends with the last end begins where `left` others end.
            candidates = np.arange(left, ends[-1])
            scores = least[left, candidates] + within[candidates, ends[-1]]
            chosen = ledger.exponential(
                -scores,
                cost=cost,
                sensitivity=2 * self._bound + 1,
                what=f"end of a bucket of {column.name}",
            )
            ends.append(int(candidates[chosen]))
        return np.array(ends[::-1])


def n_buckets(n_values: int) -> int:
    """Buckets of a column of so many values, by the domain alone."""
    return n_values if n_values <= _FEW else n_values // _VALUES_OF_BUCKET


def squares_within(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Squared distances of counts from the mean of their run, rounded down.

    Parameters
    ----------
    counts : ndarray of int64, shape (n,)
        n up to 2^11, each up to 2^20: nothing is rounded before.

    Returns
    -------
    ndarray of int64, shape (n + 1, n + 1)
        Of the counts from i to j - 1, for i < j; 0 elsewhere.

    Examples
    --------
    >>> squares_within(np.array([1, 2, 4]))[0].tolist()
    [0, 0, 0, 4]
    """
    n = len(counts)
    sums, squares = (np.append(0, np.cumsum(of)) for of in (counts, counts**2))
    found = np.zeros((n + 1, n + 1), dtype=np.int64)
    for end in range(1, n + 1):
        length = end - np.arange(end)
        of_run = length * (squares[end] - squares[:end])
        found[:end, end] = (of_run - (sums[end] - sums[:end]) ** 2) // length
    return found


def least_squares(within: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Least squares within up to n - 1 buckets of the first counts.

    Parameters
    ----------
    within : ndarray of int64, shape (m + 1, m + 1)
        See `squares_within`.
    n : int
        From 2 to m.

    Returns
    -------
    ndarray of int64, shape (n, m + 1)
        Of the first e counts in b buckets, e from b on; 0 elsewhere.
    """
    m = len(within) - 1
    least = np.zeros((n, m + 1), dtype=np.int64)
    least[1] = within[0]
    for b in range(2, n):
        for end in range(b, m + 1):
            starts = slice(b - 1, end)
            least[b, end] = (least[b - 1, starts] + within[starts, end]).min()
    return least
