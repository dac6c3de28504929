r"""DPCocGen on any domain: margins, coarse and fine, measured where a model is wrong.

1. The number of rows, how much columns depend on each other, and the values of each
   column are counted with noise; columns of few values together, in groups that the
   domain decides. Of few rows the dependence is not asked: it is what the groups
   counted so far tell. Counts of values in order are smoothed. From these each column
   is cut into parts; values too rare for the noise are gathered.
2. In each round the candidates (pairs of columns, by values or by parts, three columns
   by parts, and four or five of few parts) are compared with a log-linear model of what
   was measured so far; the exponential mechanism chooses one that the model is far
   from, for as many cells as it has, and its counts are measured. The model is fitted
   again. Where the counts were hardly farther from it than noise puts them, the rest is
   for half as many rounds, see `rounds_after`; where all rounds so far told little,
   half of that is for the values of the columns again, once, see `TOLD_OF_ALL`.

Notes
-----
*Differential privacy.* Neighbouring tables differ by a row (add-remove), or a row is
replaced; a person may have several rows. The ledger multiplies what is said here for
one row by 2 for a replaced one and by the rows of a person.

- Counts of rows, of values and of cells: a row is in one cell, so that their L1
  sensitivity is 1. That of the dependence is 2, see `measure_dependence`.
- Choice: which candidates there are, the model, the expected counts m_r and the noise
  to come are functions of noisy counts and of the domain (and of a public seed). The
  score of a candidate is

  .. math:: \lfloor \sum_r |16 x_r - m_r| / 16 \rfloor - c

  with x_r the true counts, and m_r and c whole numbers that do not depend on the table
  but through noisy counts. One row changes one x_r by 1, so the sum by 16 at most, and
  the score by 1 at most: all in whole numbers, without rounding. This is the
  sensitivity that the exponential mechanism needs; its own noise does the rest. With a
  workload, the score is multiplied by the candidate's weight, a declared whole number,
  and the sensitivity is the largest weight.

The budget, epsilon or rho, is spent in sequence, each query before the next is thought
of: 1 % of epsilon for the number of rows, 2 % at most for the dependence, or for how
far pairs are from independent columns, a fifth or more of the budget for the values,
the rest in rounds, equal ones but where noisy counts tell little, and then once in part
for the values again, of which a row is in one cell of each group as before. Of a round
a twentieth to a half is for its choice, by how many cells can be counted, the rest for
its counts. All else is post-processing. What a query costs may follow from noisy counts
before it: the ledger pays first and refuses what is not left, and so it is a filter, of
which the costs add up all the same (Rogers and others, 2016).

*Where all but the margins would be noise*, these get the whole budget, and each group
of columns is drawn on its own: a rule on epsilon, the sizes of the columns and the
noisy number of rows. Where it may be so, by how much columns depend on each other,
their values are drafts at first (`PrivacyLedger.draft_counts`): what is then asked of
pairs decides whether the rest makes them finer, or is for rounds.

References
----------
R. McKenna, B. Mullins, D. Sheldon, G. Miklau, "AIM: an adaptive and iterative mechanism
for differentially private synthetic data", VLDB 2022: choice by the model's error less
the noise to come.

R. Rogers, A. Roth, J. Ullman, S. Vadhan, "Privacy odometers and filters: pay-as-you-go
composition", NeurIPS 2016: epsilons that are chosen on the way.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from coclust_synth.generators.dp.adaptive.budget import (
    LEAST_SHARE,
    N_COMPARED,
    SHARE_OF_FINER,
    TOLD_OF_ALL,
    cells_of_triples,
    choice_share,
    count_rounds,
    margin_costs,
    round_costs,
    rounds_after,
)
from coclust_synth.generators.dp.adaptive.candidates import (
    Candidate,
    Layout,
    count_cells,
    split_columns,
    weighed_candidates,
)
from coclust_synth.generators.dp.adaptive.margins import measure_margins
from coclust_synth.generators.log_linear.even_rows import draw_even_rows
from coclust_synth.generators.log_linear.fit import FittedMeasurements
from coclust_synth.generators.log_linear.junction_tree import JunctionTree
from coclust_synth.generators.log_linear.margins import TreeMargins
from coclust_synth.privacy.noise.scores import rows_apart
from coclust_synth.tables.domain.rows import DomainRows

_BATCH = 2  # measured before the model is fitted again

_RARE = 6.0  # times the noise of a count: rows of a value that is gathered
_PENALTY = 0.5  # of a cell, times the noise of its count

# Cells of the model, in proportion to the budget spent, from 30 % on. More are nearer
# on nine columns of UCI Adult, and not on fifteen.
_MAX_CELLS, _MAX_CELLS_OF_MANY = 250_000, 200_000
_MANY_COLUMNS = 13
# With a delta as many for each round at least. Of eight tables of 12 to 42 columns at
# epsilon 3 pairs are then, with the rounds of `count_rounds`, .82 to 1.02 as far off as
# before, triples .83 to 1.00 (one release each; of the eight three were looked at to
# choose between this and 5,000). Without a delta more cells give nothing.
_CELLS_OF_ROUND = 7_000
_LEAST_CELLS = 0.3
_FIRST_FIT, _FIT, _LAST_FIT = 20, 40, 120  # evaluations of the model
_SEED = 0


@dataclass(frozen=True, eq=False)
class AdaptiveModel:
    """What was learnt from noisy counts.

    Attributes
    ----------
    layout : Layout
        The parts of each column.
    chosen : list of Candidate
        Margins that were measured, in order, after the columns.
    tree : JunctionTree
    beliefs : list of ndarray of float64
        Distribution of each clique.
    n_rows : int
        Noisy.
    """

    layout: Layout
    chosen: list
    tree: JunctionTree
    beliefs: list
    n_rows: int

    def given(self, allowed):
        """The model of rows whose values are allowed, and their share.

        See `HistogramModel.given`.
        """
        columns, evidence = [], []
        for j, column in enumerate(self.layout.columns):
            column, share = column.given(allowed[j])
            columns.append(column)
            evidence.append((self.layout.target(j, True), share))
        beliefs, share = self.tree.given(self.beliefs, evidence)
        if beliefs is None:
            return None, 0.0
        return replace(self, layout=Layout(columns), beliefs=beliefs), share

    def draw(self, n, rng):
        """Codes of n rows, (n, d), in random order."""
        codes = draw_even_rows(self.tree, self.beliefs, n, rng)
        gathered = self.layout.gathered(codes)
        drawn = [
            column.draw(gathered[:, j], rng)
            for j, column in enumerate(self.layout.columns)
        ]
        return rng.permutation(np.column_stack(drawn))


def measure_adaptively(codes, domain, numeric, known, ledger, workload):
    """Queries of the data, which spend all that remains of the ledger.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d), or DomainRows
    domain : Domain
    numeric : sequence of d bool
        Whether the parts of a column are intervals, or groups.
    known : Known
        Rows by `measure_rows`, and what `measure_dependence` adds.
    ledger : PrivacyLedger
        See the notes of this module for what is spent on what.
    workload : Workload
        Margins that no set of it holds are not measured.

    Returns
    -------
    AdaptiveModel
    """
    rows = DomainRows.of(codes)
    margins, known = measure_margins(rows, domain, known, ledger, workload)
    n_rounds = count_rounds(known, ledger)
    of_choice = choice_share(margins.n_rows, ledger, ledger.remaining, n_rounds)
    _, per_count = round_costs(ledger.remaining, n_rounds, of_choice)
    noise = ledger.count_noise(per_count) if per_count else np.inf
    max_triple = cells_of_triples(margins.n_rows, noise, ledger)
    counts, is_alone = zip(*margins.of_columns(), strict=True)
    # What is known of the columns of a group together is kept, value by value.
    least = [_RARE * noise if alone else 0.0 for alone in is_alone]
    layout = split_columns(counts, numeric, least, max_triple)
    weighed = weighed_candidates(layout, workload, max_triple)
    described = domain.names, known
    rounds = _Rounds(rows, described, ledger, layout, margins, weighed, of_choice)
    while n_rounds and ledger.remaining:
        n_rounds = rounds.measure(n_rounds)
    return rounds.model()


class _Rounds:
    """The rounds: what was measured, the model of it, and the data."""

    def __init__(self, rows, described, ledger, layout, margins, weighed, of_choice):
        self._names, self._known = described
        self._ledger, self._layout = ledger, layout
        self._rows = rows
        # Columns one behind the other, as they are read.
        by_value = [c.gathered[rows.codes[:, j]] for j, c in enumerate(layout.columns)]
        by_part = [c.part[of] for c, of in zip(layout.columns, by_value, strict=True)]
        self._by_value, self._by_part = np.array(by_value).T, np.array(by_part).T
        self._counts = {}
        self._candidates, self._weights = weighed
        self._of_choice = of_choice
        self._rng = np.random.default_rng(_SEED)
        self._chosen = []
        self._squares, self._is_finer = np.zeros(2), False
        self._fitted = FittedMeasurements(layout.sizes, layout.supports())
        for group, counts, variance in zip(*margins[:3], strict=True):
            candidate = Candidate(group, (True,) * len(group))
            shape = layout.shape(candidate)
            gathered = np.ix_(*[layout.columns[j].gathered for j in group])
            cells = np.ravel_multi_index(gathered, shape).ravel()
            counts = np.bincount(cells, counts.ravel(), prod(shape))
            variance = variance * np.bincount(cells, minlength=prod(shape))
            self._add(candidate, counts, variance)
        self._fitted.fit(_FIRST_FIT, margins.n_rows)

    def measure(self, n_left):
        """One round: choose, count, fit.

        Parameters
        ----------
        n_left : int
            Measurements that the rest of the budget is for.

        Returns
        -------
        int
            Measurements that the rest is for then; none where no candidate is left, and
            then the budget that remains goes to the values of the columns again.
        """
        ledger = self._ledger
        per_choice, per_count = round_costs(ledger.remaining, n_left, self._of_choice)
        spent = 1 - ledger.remaining / ledger.total
        is_many = len(self._layout.columns) >= _MANY_COLUMNS
        most = _MAX_CELLS_OF_MANY if is_many else _MAX_CELLS
        if ledger.rho is not None:
            most = max(most, _CELLS_OF_ROUND * (len(self._chosen) + n_left))
        self._room = most * max(spent, _LEAST_CELLS)
        compared = self._compared()
        if not compared:
            d = len(self._layout.columns)
            alone = [Candidate((j,), (True,)) for j in range(d)]
            self._count_all(alone, [ledger.remaining / d] * d)
            self._chosen += alone
            return 0
        fitted = self._fitted
        margins = TreeMargins(fitted.model.tree, fitted.model.beliefs)
        scores = self._scores(compared, margins, ledger.count_noise(per_count))
        chosen = self._choose(compared, scores, per_choice, min(_BATCH, n_left))
        for i, candidate in enumerate(chosen):
            is_last = i + 1 == n_left
            self._count(candidate, ledger.remaining if is_last else per_count)
            self._chosen.append(candidate)
        squares = self._told(chosen, margins)
        self._squares += squares
        told, of_all = (float(off / noise) for off, noise in (squares, self._squares))
        n_left -= len(chosen)
        n_after = rounds_after(n_left, told, ledger)
        if n_after < n_left and of_all < TOLD_OF_ALL and self._make_columns_finer():
            n_after = (n_after + 1) // 2
        fitted.fit(_FIT)
        return n_after

    def _told(self, chosen, margins):
        """Squares of what counts just measured are off the model, and those of noise.

        Of noisy counts alone: nothing is spent.
        """
        squares = noise = 0.0
        measured = self._fitted.measurements[-len(chosen) :]
        for candidate, of_candidate in zip(chosen, measured, strict=True):
            expected = self._fitted.n_rows * self._layout.expected(candidate, margins)
            squares += float(((of_candidate.counts - expected) ** 2).sum())
            noise += float(of_candidate.variance.sum())
        return np.array([squares, noise])

    def model(self):
        """The model of all that was measured."""
        self._fitted.fit(_LAST_FIT)
        model, n_rows = self._fitted.model, round(self._fitted.n_rows)
        return AdaptiveModel(
            self._layout, self._chosen, model.tree, model.beliefs, n_rows
        )

    def _compared(self):
        """Some candidates with which the model has few enough cells."""
        # In random order, those of more weight rather before the others, and pairs,
        # triples, fours and fives equally often, however many there are of each.
        n_columns = [len(candidate.columns) for candidate in self._candidates]
        each = np.bincount(n_columns)[n_columns]
        weights = [self._weights[candidate] for candidate in self._candidates]
        waits = self._rng.exponential(size=len(each)) * each / weights
        order = np.argsort(waits)[:N_COMPARED]
        return self._within_room([self._candidates[i] for i in order])

    def _within_room(self, candidates, others=()):
        """Those with which the model has few enough cells, others measured as well."""
        tree = self._fitted.model.tree
        if others:
            groups = [self._layout.variables(other) for other in others]
            tree = JunctionTree(tree.sizes, [*tree.cliques, *groups])
        groups = [self._layout.variables(candidate) for candidate in candidates]
        cells = tree.cells_with(groups)
        return [
            candidate
            for candidate, group, n_cells in zip(candidates, groups, cells, strict=True)
            if n_cells <= self._room or tree.home(group) >= 0
        ]

    def _scores(self, candidates, margins, noise):
        """Rows by which the model is wrong, less what the noise would add, weighted."""
        scores = {}
        for candidate in candidates:
            expected = self._fitted.n_rows * self._layout.expected(candidate, margins)
            wrong = rows_apart(self._true(candidate), expected)
            more = wrong - int(_PENALTY * noise * len(expected))
            scores[candidate] = self._weights[candidate] * more
        return scores

    def _choose(self, candidates, scores, cost, n_choices):
        """Candidates of about the highest scores, no two with two columns in common."""
        chosen = []
        while candidates and len(chosen) < n_choices:
            best = self._ledger.exponential(
                [scores[candidate] for candidate in candidates],
                cost=cost,
                sensitivity=max(self._weights.values()),
                what=f"choice of margin {len(self._chosen) + len(chosen) + 1}",
            )
            chosen.append(candidates[best])
            apart = [
                candidate
                for candidate in candidates
                if len({*candidate.columns} & {*chosen[-1].columns}) < 2
            ]
            candidates = self._within_room(apart, chosen)
        return chosen

    def _count(self, candidate, cost):
        """Count the cells of a candidate with noise."""
        counts = self._ledger.noisy_counts(
            self._true(candidate),
            cost=cost,
            what="counts of " + _described(candidate, self._names),
        )
        variance = np.full(len(counts), self._ledger.entries[-1].variance)
        self._add(candidate, counts.astype(np.float64), variance)

    def _make_columns_finer(self):
        """Spend a share of what remains on the columns, once; whether that was done.

        It is not where a query would cost less than the least that it may.
        """
        ledger = self._ledger
        budget = SHARE_OF_FINER * ledger.remaining
        groups, costs = margin_costs(self._known, ledger, budget, is_all=True)
        if self._is_finer or costs.min() < LEAST_SHARE * ledger.total:
            return False
        self._is_finer = True
        together = [Candidate(group, (True,) * len(group)) for group in groups]
        self._count_all(together, costs.tolist())
        return True

    def _count_all(self, candidates, costs):
        for candidate, cost in zip(candidates, costs, strict=True):
            self._count(candidate, cost)

    def _add(self, candidate, counts, variance):
        measurement = self._layout.measurement(candidate, counts, variance)
        self._fitted.measurements.append(measurement)

    def _true(self, candidate):
        """The rows of each cell of a candidate: of the data."""
        if candidate not in self._counts:
            self._counts[candidate] = count_cells(
                candidate,
                self._by_value,
                self._by_part,
                self._layout.shape(candidate),
                self._rows,
            )
        return self._counts[candidate]


def _described(candidate, names):
    """A candidate in words, for the ledger."""
    return " × ".join(
        names[j] if by_value else f"parts of {names[j]}"
        for j, by_value in zip(*candidate, strict=True)
    )
