"""AIM: margins chosen where a model is wrong, and measured, in rounds that adapt."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import gcd
from typing import Any

import numpy as np

from coclust_synth.baselines.private.noisy_margins import (
    MarginSynthesizer,
    NoisyMargins,
)
from coclust_synth.generators.dp.workload import as_workload, check_largest_weight
from coclust_synth.generators.release_plan import (
    make_plan,
    planned_choice,
    planned_columns,
    planned_counts,
    planned_pairs,
    rows_of_noisy_columns,
)
from coclust_synth.validation import check_integer

_ORDER = 3  # columns of a margin, at most
_ROUNDS = 16  # times the columns: those that the budget would last for at first
_CHOICE = 0.1  # of a round
# Of few rows columns are counted again in its rounds, which come to be few: in the end
# they are as far off as if this share of rho had counted them.
_OF_COLUMNS = 0.5
_FASTER = 4  # times the budget of a round, where one of it learnt nothing
_FIRST_FIT, _FIT, _LAST_FIT = 100, 60, 1000  # evaluations of the model


@dataclass(eq=False, repr=False, kw_only=True)
class AIMSynthesizer(MarginSynthesizer):
    r"""Rows drawn from noisy margins that are chosen one by one where a model is wrong.

    (epsilon, delta)-differentially private for the table's persons, by rho-zCDP (see
    `PrivacyLedger` for what that leaves out). Each column is counted first, with
    discrete Gaussian noise. Then, round by round, the exponential mechanism chooses one
    of all margins of one, two and three columns, and its cells are counted: the one
    that a log-linear model of the counts before is most wrong about, less what the
    noise would be. The score of a margin r is

    .. math:: w_r (\lVert x_r - n p_r \rVert_1 - \sqrt{2 / \pi} \sigma n_r)

    in whole rows, with n_r its cells, sigma the noise to come and w_r its weight: the
    columns that it shares with each margin of the workload, times the weight of that,
    added up. The workload is all margins of three columns, unless it is given. A tenth
    of a round's budget is for its choice. At first a round gets one part of the budget
    in 16 d; where a round taught the model no more than its noise, those to come get
    four times as much. A margin is left out where the cells of the model would be more
    than `max_cells` times the share of the budget spent.

    Counts have sensitivity 1, as a row is in one cell; scores w_r, the largest of
    which is paid for (see `coclust_synth.privacy.noise.scores`).

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
    delta : float
        In (0, 1): a chance by which the promise of epsilon may fail, far below one over
        the number of persons.
    large_delta : bool, default=False
        Whether a `delta` above 1e-6 is meant.
    targets : sequence of str, optional
        Columns whose relations matter most: margins of the workload that hold one weigh
        twice as much.
    workload : path or sequence of mapping, optional
        Sets of columns, and their weights, as in
        `coclust_synth.generators.dp.workload`; those of more than three columns stand
        for all their margins of three. What is in none of them is not chosen.
    max_cells : int, default=10_485_760
        Cells of all cliques of the model: 80 MB, as published.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    ledger_ : PrivacyLedger
    margins_ : list of tuple of str
        Columns of each margin that was chosen, in order.
    model_ : TreeModel
        The distribution that rows are drawn from.
    n_rows_ : int
        Noisy number of rows.

    References
    ----------
    R. McKenna, B. Mullins, D. Sheldon, G. Miklau, "AIM: an adaptive and iterative
    mechanism for differentially private synthetic data", VLDB 2022, algorithms 2 to 4.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["F", "M"] * 500, "smokes": ["no", "yes"] * 500})
    >>> domain = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
    >>> generator = AIMSynthesizer(1.0, domain, delta=1e-9).fit(table)
    >>> generator.margins_[0], generator.ledger_.remaining
    (('sex', 'smokes'), 0.0)
    """

    targets: Sequence[str] | None = None
    workload: str | os.PathLike[str] | Sequence[Mapping[str, Any]] | None = None
    max_cells: int = 10 * 2**20

    def _check(self):
        largest = max(_weights(self._workload().margins(_ORDER)).values())
        check_largest_weight(largest)
        sizes = self.domain_.sizes
        check_integer("max_cells", self.max_cells, minimum=sum(sizes))
        self._check_budget(0.9 * _CHOICE / (_ROUNDS * len(sizes)))

    def _workload(self):
        return as_workload(self.workload, self.targets, self.domain_.names)

    def _plan(self, n_rows, ledger):
        """As many rounds as there can be: those of which each teaches the model."""
        sizes, d = self.domain_.sizes, len(self.domain_.sizes)
        per_round = ledger.total / (_ROUNDS * d)
        per_count = (1 - _CHOICE) * per_round if d > 1 else ledger.total
        queries, errors = planned_columns(
            self.domain_, n_rows, ledger, [per_count] * d, "counts of"
        )
        left = ledger.total - d * per_count
        n_rounds = int(left / per_round) if d > 1 else 0
        weights = _weights(self._workload().margins(_ORDER))
        for times, cost, which in (
            (n_rounds - 1, per_round, "a"),
            (1, left - (n_rounds - 1) * per_round, "the last"),
        ):
            if n_rounds:
                asked = len(weights), _CHOICE * cost, max(weights.values()), times
                what = f"choice of {which} margin"
                queries.append(planned_choice(ledger, what, *asked))
                what, cost = f"counts of {which} margin", (1 - _CHOICE) * cost
                queries.append(planned_counts(ledger, what, None, cost, times))
        if n_rounds:
            errors += planned_pairs(sizes, n_rows, ledger.count_noise(per_count))
        noise = self._rows_of_noise(ledger)
        asked = ledger, n_rows, "adaptive", queries, errors
        return make_plan(*asked, rows_of_noise=noise)

    def _rows_of_noise(self, ledger):
        sizes = self.domain_.sizes
        of_columns = ledger.total * (_OF_COLUMNS if len(sizes) > 1 else 1)
        return rows_of_noisy_columns(sizes, ledger, of_columns / len(sizes))

    def _measure(self, codes, ledger):
        names = self.domain_.names
        margins = NoisyMargins(codes, self.domain_.sizes, names, ledger)
        per_round = ledger.total / (_ROUNDS * len(names))
        if len(names) == 1:
            margins.measure((0,), ledger.remaining)
        else:
            for j in range(len(names)):
                margins.measure((j,), (1 - _CHOICE) * per_round)
        margins.fit(_FIRST_FIT)
        weights = _weights(self._workload().margins(_ORDER))
        rounds = _Rounds(margins, weights, ledger, self.max_cells)
        while ledger.remaining:
            per_round = rounds.measure(per_round)
        margins.fit(_LAST_FIT)
        chosen = margins.measured[len(names) :]
        self.margins_ = [tuple(names[j] for j in columns) for columns in chosen]
        self.model_ = margins.model()
        return self.model_.n_rows

    def _draw(self, n, rng):
        return self.model_.draw(n, rng)

    def _given(self, allowed):
        model, share = self.model_.given([of.astype(np.float64) for of in allowed])
        return (None if model is None else model.draw), share


class _Rounds:
    """The rounds, and what they choose from."""

    def __init__(self, margins, weights, ledger, max_cells):
        self._margins, self._ledger, self._max_cells = margins, ledger, max_cells
        self._weights = weights
        self._n_chosen = 0

    def measure(self, budget):
        """One round.

        Parameters
        ----------
        budget : float
            All that remains is spent where it is not enough for two rounds of it.

        Returns
        -------
        float
            The budget of the next round.
        """
        margins, ledger = self._margins, self._ledger
        is_last = ledger.remaining < 2 * budget
        if is_last:
            budget = ledger.remaining
        per_count = (1 - _CHOICE) * budget
        noise = ledger.count_noise(per_count)
        candidates = self._candidates()
        self._n_chosen += 1
        chosen = margins.choose(
            candidates,
            [self._score(columns, noise) for columns in candidates],
            cost=_CHOICE * budget,
            sensitivity=max(self._weights.values()),
            what=f"choice of margin {self._n_chosen}",
        )
        before = margins.expected(chosen)
        margins.measure(chosen, ledger.remaining if is_last else per_count)
        margins.fit(_FIT)
        learnt = np.abs(margins.expected(chosen) - before).sum()
        return budget * (_FASTER if learnt <= noise * len(before) else 1)

    def _score(self, columns, noise):
        """Rows by which the model is wrong less those of noise, weighted."""
        margins = self._margins
        expected = int(noise * margins.n_cells(columns))
        return self._weights[columns] * (margins.rows_apart(columns) - expected)

    def _candidates(self):
        """Margins with which the model has few enough cells."""
        tree = self._margins.tree
        room = self._max_cells * (1 - self._ledger.remaining / self._ledger.total)
        every = list(self._weights)
        return [
            columns
            for columns, n_cells in zip(every, tree.cells_with(every), strict=True)
            if n_cells <= room or tree.home(columns) >= 0
        ]


def _weights(workload):
    """Margins that can be chosen, and what each counts.

    Parameters
    ----------
    workload : dict of tuple of int to int
        Margins that are wanted, and their weights.

    Returns
    -------
    dict of tuple of int to int
        Of each part of one of them: the sum over the workload of a weight times the
        columns in common, which adds up over its columns; without a common divisor.
    """
    of_column = {}
    for columns, weight in workload.items():
        for j in columns:
            of_column[j] = of_column.get(j, 0) + weight
    divisor = gcd(*of_column.values())
    parts = {
        part
        for columns in workload
        for order in range(1, len(columns) + 1)
        for part in combinations(columns, order)
    }
    parts = sorted(parts, key=lambda part: (len(part), part))
    return {part: sum(of_column[j] for j in part) // divisor for part in parts}
