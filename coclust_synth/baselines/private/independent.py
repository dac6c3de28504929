"""Columns drawn on their own from noisy counts."""

import numpy as np

from coclust_synth.generators.domain_synthesizer import DomainSynthesizer, check_budget
from coclust_synth.generators.draws import allot, project_to_simplex
from coclust_synth.generators.release_plan import (
    make_plan,
    planned_columns,
    rows_of_noisy_columns,
)


class IndependentMargins(DomainSynthesizer):
    """Rows whose columns have the table's noisy counts, and nothing in common.

    epsilon-differentially private for the table's persons (see `PrivacyLedger` for
    what that leaves out); each column is measured with an equal share of epsilon.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    ledger_ : PrivacyLedger
    margins_ : list of ndarray of float64
        Counts of each column's cells, noisy, projected to sum to the number of rows.
    n_rows_ : int
        Noisy number of rows: the sums of all columns, the smaller ones counting more.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["F", "M"] * 500, "smokes": ["no", "yes"] * 500})
    >>> domain = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
    >>> generator = IndependentMargins(1.0, domain).fit(table)
    >>> generator.sample(10).shape, generator.ledger_.remaining
    ((10, 2), 0.0)
    """

    def _check(self):
        # The last column gets what rounding leaves.
        check_budget(self.epsilon, None, 0.9 / len(self.domain_.sizes))

    def _plan(self, n_rows, ledger):
        costs = [ledger.total / len(self.domain_.sizes)] * len(self.domain_.sizes)
        asked = planned_columns(self.domain_, n_rows, ledger, costs, "counts of")
        noise = self._rows_of_noise(ledger)
        return make_plan(ledger, n_rows, "margins", *asked, rows_of_noise=noise)

    def _rows_of_noise(self, ledger):
        sizes = self.domain_.sizes
        return rows_of_noisy_columns(sizes, ledger, ledger.total / len(sizes))

    def _measure(self, codes, ledger):
        columns, sizes = self.domain_.columns, np.array(self.domain_.sizes)
        noisy = [
            self._counted(
                np.bincount(codes[:, j], minlength=column.size),
                column,
                ledger,
                ledger.remaining / (len(columns) - j),
            )
            for j, column in enumerate(columns)
        ]
        # The variance of a sum of noisy counts is as the number of them.
        totals = np.array([counts.sum() for counts in noisy])
        n_rows = max(0, round(np.average(totals, weights=1 / sizes)))
        self.margins_ = [project_to_simplex(c, max(n_rows, 1)) for c in noisy]
        return n_rows

    def _count_runs(self, counts, column, ends, ledger, left):
        """Noisy counts of a column whose values are counted in runs, evenly in each.

        Runs end where `ends` say, the last at `n_values`; what is missing, or other,
        comes after the values. The ledger keeps what is to be `left`.
        """
        ends = np.append(ends, np.arange(column.n_values, column.size) + 1)
        sums = np.add.reduceat(counts, np.append(0, ends[:-1]))
        cost = ledger.remaining - left
        noisy = IndependentMargins._counted(self, sums, column, ledger, cost)
        sizes = np.diff(ends, prepend=0)
        return np.repeat(noisy / sizes, sizes)

    def _counted(self, counts, column, ledger, cost):
        """Noisy counts of the cells of a column, for a cost."""
        return ledger.noisy_counts(counts, cost=cost, what=f"counts of {column.name}")

    def _draw(self, n, rng):
        drawn = (
            rng.permutation(np.repeat(np.arange(len(counts)), allot(counts, n, rng)))
            for counts in self.margins_
        )
        return np.column_stack(list(drawn)).astype(np.int32)
