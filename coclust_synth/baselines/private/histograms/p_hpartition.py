"""P-HPartition: values bisected again and again by choices on the data, and counted."""

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

_MAX_VALUES = 2**13  # of a column: cuts take the square of them in time
_FEW = 20  # values of a column that are counted as they are
#: Shares of what a column costs: of all bisections, and of the choice among them.
_OF_CUTS, _OF_PARTITION = 0.25, 0.25
_SENSITIVITY = 2  # of distances from a mean


@dataclass(eq=False, repr=False, kw_only=True)
class PHPartition(IndependentMargins):
    r"""Columns drawn on their own from noisy counts of runs, found by bisection.

    epsilon-differentially private for the table's persons (see `PrivacyLedger` for what
    that leaves out); each column gets an equal share of epsilon. Columns of at most 20
    values are counted as they are. Of others a quarter of the share bisects the run of
    all values, then both halves, and so on, `depth` times one after the other: the
    exponential mechanism prefers the cut, or to make none, that leaves counts least far
    from the mean of their run, with what noise would add for each run. Another quarter
    chooses, by the same measure, after how many of the cuts to stop. Half counts the
    rows of each run, which its values get in equal shares. What is missing, or other,
    is a run of its own.

    **Sensitivity.** A row changes one count of a run of m by 1 and the mean by 1/m, so
    the distances from it, added up, by at most :math:`2 (1 - 1/m)`. They are rounded
    down, which keeps whole bounds, and no other run changes: scores are of sensitivity
    2, for a cut and for a whole partition. The runs of one depth share no row: their
    cuts are one query (`PrivacyLedger.exponential_of_parts`). Counts are of
    sensitivity 1.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
        Of columns of at most 2^13 values; neighbours are those of its order.
    depth : int, optional
        Bisections of a value's run at most, one after the other. By default the
        logarithm of the number of values, to base 2, rounded down.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    runs_ : list of ndarray of int64
        Where the runs of each column end.
    ledger_, margins_, n_rows_
        As of `IndependentMargins`. What depths at which no run is left would have cost
        is spent on the counts.

    References
    ----------
    G. Acs, C. Castelluccia, R. Chen, "Differentially private histogram publishing
    through lossy compression", ICDM 2012, section V; shares and default depth are those
    of the authors' code.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": np.repeat([10, 50], [900, 100])})
    >>> domain = {"age": {"low": 0, "high": 99, "bins": 100}}
    >>> generator = PHPartition(1.0, domain).fit(table)
    >>> int(generator.runs_[0][-1]), generator.ledger_.remaining
    (100, 0.0)
    """

    depth: int | None = None

    def _check(self):
        super()._check()
        if self.depth is not None:
            check_integer("depth", self.depth, minimum=1, maximum=_MAX_VALUES)
        check_values(self.domain_, _MAX_VALUES)
        most = max(self._depth(column.n_values) for column in self.domain_.columns)
        least = min(_OF_CUTS / most, _OF_PARTITION)
        check_budget(self.epsilon, None, 0.9 * least / len(self.domain_.sizes))

    def _depth(self, n_values):
        return self.depth or n_values.bit_length() - 1 or 1

    def _plan(self, n_rows, ledger):
        queries, errors = [], []
        share = ledger.total / len(self.domain_.sizes)
        for column in self.domain_.columns:
            cost, n = share, column.n_values
            if n > _FEW:
                depth = self._depth(n)
                what = _CUTS.format(column.name), None, _OF_CUTS * share / depth
                queries.append(
                    planned_choice(ledger, *what, _SENSITIVITY, depth, of_parts=True)
                )
                what = _PARTITION.format(column.name), None, _OF_PARTITION * share
                queries.append(planned_choice(ledger, *what, _SENSITIVITY))
                cost -= (_OF_CUTS + _OF_PARTITION) * share
                n = min(n, 2**depth)
            n_cells = n + column.size - column.n_values
            what = f"counts of {column.name}"
            n_counts = n_cells if n == column.n_values else None
            queries.append(planned_counts(ledger, what, n_counts, cost))
            noise = ledger.count_noise(cost)
            is_all = n_cells == column.size
            told = column.name if is_all else merged(column.name)
            errors.append(planned_error(told, n_cells, noise, n_rows))
        noise = self._rows_of_noise(ledger)
        asked = ledger, n_rows, "margins", queries, errors
        return make_plan(*asked, rows_of_noise=noise)

    def _measure(self, codes, ledger):
        self.runs_ = []
        return super()._measure(codes, ledger)

    def _counted(self, counts, column, ledger, cost):
        n, after = column.n_values, ledger.remaining - cost
        ends = np.arange(1, n + 1)
        if n > _FEW:
            ends = self._choose(counts[:n], column, ledger, cost)
        self.runs_.append(ends)
        return self._count_runs(counts, column, ends, ledger, after)

    def _choose(self, counts, column, ledger, cost):
        """Where the runs of a column end."""
        depth = self._depth(column.n_values)
        per_run = ledger.count_noise((1 - _OF_CUTS - _OF_PARTITION) * cost)
        runs, cuts = [(0, len(counts))], []
        errors = [int(cut_errors(counts)[0])]  # before any cut, and after each
        for _ in range(depth):
            runs = [run for run in runs if run[1] - run[0] > 1]
            if not runs:
                break
            found = [cut_errors(counts[start:end]) for start, end in runs]
            for of_run in found:
                of_run[1:] += round(per_run)  # of the run that a cut adds
            chosen = ledger.exponential_of_parts(
                [-of_run for of_run in found],
                cost=_OF_CUTS * cost / depth,
                sensitivity=_SENSITIVITY,
                what=_CUTS.format(column.name),
            )
            halves = []
            for (start, end), of_run, cut in zip(runs, found, chosen, strict=True):
                if cut:
                    cuts.append(start + cut)
                    errors.append(errors[-1] + int(of_run[cut] - of_run[0]))
                    halves += [(start, start + cut), (start + cut, end)]
            runs = halves
        n_cuts = ledger.exponential(
            np.negative(errors),
            cost=_OF_PARTITION * cost,
            sensitivity=_SENSITIVITY,
            what=_PARTITION.format(column.name),
        )
        return np.append(np.sort(cuts[:n_cuts]), len(counts)).astype(np.int64)


_CUTS, _PARTITION = "cuts of runs of {}", "runs of {}"


def cut_errors(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distances of counts from the mean of their half, for each way to cut a run.

    Parameters
    ----------
    counts : ndarray of int64, shape (m,)
        m from 1 up to 2^13, each up to 2^35: nothing overflows.

    Returns
    -------
    ndarray of int64, shape (m,)
        With the first j counts on one side, added up and rounded down on each side; at
        0 of the run that is not cut.

    Examples
    --------
    >>> cut_errors(np.array([1, 2, 9])).tolist()
    [10, 7, 1]
    """
    errors = [_distances(counts)]
    for j in range(1, len(counts)):
        errors.append(_distances(counts[:j]) + _distances(counts[j:]))
    return np.array(errors, dtype=np.int64)


def _distances(counts):
    """Of counts from their mean, added up and rounded down."""
    m = len(counts)
    return int(np.abs(m * counts - counts.sum()).sum()) // m
