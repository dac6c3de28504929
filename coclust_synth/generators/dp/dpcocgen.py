"""DPCocGen: differentially private synthesis by coarse and fine noisy counts."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.domain_synthesizer import (
    DomainSynthesizer,
    check_budget,
    check_small_delta,
)
from coclust_synth.generators.dp.adaptive.adaptive import (
    AdaptiveModel,
    measure_adaptively,
)
from coclust_synth.generators.dp.adaptive.budget import (
    LEAST_SHARE,
    Known,
    error_of_columns,
    least_error,
    least_share_of_margins,
    wants_delta,
)
from coclust_synth.generators.dp.adaptive.known import (
    measure_dependence,
    measure_rows,
    tested_pairs,
)
from coclust_synth.generators.dp.dense.histograms import (
    MAX_CELLS,
    HistogramModel,
    measure_histograms,
)
from coclust_synth.generators.dp.plan import plan_release
from coclust_synth.generators.dp.thesis import (
    MAX_DENSE,
    MAX_VALUES,
    SHARE_OF_ROWS,
    choose_parts,
    count_coarse_cells,
    count_merges,
    learn_parts,
)
from coclust_synth.generators.dp.workload import as_workload
from coclust_synth.generators.release_plan import rows_of_noise
from coclust_synth.privacy.noise.asked import LEAST_EPSILON
from coclust_synth.tables.domain.rows import DomainRows
from coclust_synth.validation import check_choice, check_number

VARIANTS = ("default", "adaptive", "blocks", "thesis", "thesis-merges")
# Those that look at rows one by one.
_OF_ROWS = ("thesis", "thesis-merges")

_MAX_CELLS_OF_THESIS = 2**53
_MAX_NOISE_OF_THESIS = 1e8  # rows of noise
# Of a histogram of the whole domain: more take longer than adaptive margins may.
_MAX_DENSE_CELLS = 100_000
# Columns of a histogram of the whole domain, at most, and cells for each row then, at
# epsilon 1. Of five columns of 59 public tables a histogram of .5 to 2 cells for each
# row has pairs .9 and triples .72 as far off as adaptive margins, of 2 to 10 pairs 1.1
# to 1.25 and triples .84 to .93; single columns are twice as far off. Of UCI Adult's
# five the joint distribution is nearer with up to 9 cells. Of six to eight columns
# with more than 4, these have pairs .6 to .9 as far off, triples .7 to 1.1, single
# columns half; with fewer, pairs are as near and triples a quarter farther. Of nine
# columns of two or three values with up to half a cell, a histogram of 14 public tables
# has pairs .7 and triples .55 as far off; of ten to sixteen with more than .15, of 16
# public tables, pairs 1.0, triples .85 and single columns 1.4 times, and of made-up
# answers that a few classes of people give, which fill most cells, 1.9, 1.3 and 3.
_MOST_CELLS = ((5, 10.0), (8, 4.0), (9, 0.5), (16, 0.15))
# Up to so many, of few rows too: pairs are then a quarter nearer than by margins.
_FEW_CELLS = 0.5
# Error of single columns, were all of epsilon spent on them, at most: histograms tell
# of them in passing, adaptive margins measure them first. On subsets of 4 to 8 columns
# of 33 public tables, at epsilon .1, .3 and 1, columns are 2.2 times nearer by adaptive
# margins above this error, pairs a fifth, and triples as near; below it, with more than
# a cell for each row, pairs of a histogram are as near, and triples a fifth nearer.
_MOST_ERROR = 0.009
# No query of histograms costs a smaller share of what is left by the number of rows
# than this over the square of the columns: of nine tenths for d blocks at most, a tenth
# for the values of d columns, and a hundredth for the coarse cells.
_LEAST_SHARE = 0.009


@dataclass(eq=False, repr=False, kw_only=True)
class DPCocGen(DomainSynthesizer):
    """Rows drawn from noisy counts that a co-clustering of them arranges.

    A small domain of few columns with enough rows is counted whole. A MODL
    co-clustering of the noisy histogram cuts each column into parts, and their coarse
    cells are counted too. Rows are drawn from the distribution that fits all these
    counts, see `coclust_synth.generators.dp.dense`. In any other domain margins of two
    to five columns are measured, coarse or fine, one by one: each time one of which a
    model of the margins before is wrong, see `coclust_synth.generators.dp.adaptive`.
    The choice between the two depends on the domain, epsilon and a noisy number of rows
    alone.

    epsilon-differentially private (pure) for the table's persons: tables that differ in
    one person give any release with probabilities that differ by a factor of at most
    exp(epsilon). Counts have sensitivity 1, or what follows from `neighbours` and
    `rows_per_person`. Each query of the data is an entry of the ledger, and their
    epsilons add up. With `delta` the promise is weaker, (epsilon, delta), and there is
    less noise if there are many columns: see `PrivacyLedger`. Not protected: what
    `PrivacyLedger` leaves out, above all a domain that was taken from the rows. The
    number of rows comes from noisy counts.

    Parameters
    ----------
    epsilon : float
        Above 0, and enough for each query to cost 1e-9. There is no default: whoever
        releases the table has to decide.
    domain : Domain, path or mapping
        Declared values of each column.
    delta : float, optional
        In (0, 1): the probability that the promise of epsilon may fail. By default
        none. It should be far below one over the number of persons, which a release
        does not look at; above 1e-6 it has to be confirmed by `large_delta`. For
        adaptive margins only. By default it is not used if there is less noise by
        epsilon alone: if all cells are counted, or there are few queries, by the noisy
        number of rows.
    large_delta : bool, default=False
        Whether a `delta` above 1e-6 is meant.
    variant : str, default="default"
        ``"adaptive"``: adaptive margins whatever the domain.
        ``"blocks"``: a histogram, however few rows there are. A domain of more than
        25,000 cells is cut into blocks of columns that depend on each other by noisy
        scores; blocks share columns (`coclust_synth.generators.dp.dense.blocks`).
        ``"thesis"``: the algorithm of Benkhelif (2018), chapter 5, see
        `coclust_synth.generators.dp.thesis`: two queries of the data, negative counts
        set to 0, rows spread evenly in each coarse cell. For domains of up to 2^53
        cells. ``"thesis-merges"``: the same, except that the exponential mechanism
        chooses on the data which parts are merged; for columns of 500 values at most,
        together.
    split : float, default=0.5
        Share of epsilon for phase 1 of the thesis's variants; in (0, 1).
    targets : sequence of str, optional
        Columns whose relations with others matter most: margins that contain one count
        twice as much in the choice of what is measured. For adaptive margins only; it
        changes nothing if the whole domain is counted.
    workload : path or sequence of mapping, optional
        Sets of columns whose joint distribution is wanted, and their weights, as in
        `coclust_synth.generators.dp.workload`. Relations that no set contains are not
        measured. Single columns are, those of few values together. By default all
        columns are one set. For adaptive margins only, as `targets`.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    ledger_ : PrivacyLedger
    domain_ : Domain
    model_ : HistogramModel, AdaptiveModel or CoarseCells
        What was learnt, and what rows are drawn from.
    n_rows_ : int
        Noisy number of rows.

    References
    ----------
    T. Benkhelif, "Publication de donnees personnelles respectueuse de la vie privee",
    PhD thesis, Universite de Nantes, 2018, chapter 5.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["F", "M"] * 500, "smokes": ["no", "yes"] * 500})
    >>> domain = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
    >>> generator = DPCocGen(1.0, domain).fit(table)
    >>> generator.sample(10).shape, generator.ledger_.remaining
    ((10, 2), 0.0)
    """

    delta: float | None = None
    large_delta: bool = False
    variant: str = "default"
    split: float = 0.5
    targets: Sequence[str] | None = None
    workload: str | os.PathLike[str] | Sequence[Mapping[str, Any]] | None = None

    def _rows_of_noise(self, ledger):
        if self.variant not in ("default", "adaptive"):
            return None
        sizes = self.domain_.sizes
        return rows_of_noise(least_error(sizes, ledger), len(sizes))

    def _settled(self, known, is_dense, ledger):
        """The ledger that goes on once noisy numbers of the table are known."""
        if ledger.rho is None or self.variant != "default":
            return ledger
        if not is_dense and wants_delta(known, ledger):
            return ledger
        return ledger.without_delta()

    def _plan(self, n_rows, ledger):
        if self.variant not in ("default", "adaptive"):
            raise ParameterError(
                "Expected the variant 'default' or 'adaptive' for a plan. Received "
                f"{self.variant!r}, for which no plan can be made. Choose one of the "
                "two."
            )
        known = Known(self.domain_.sizes, n_rows)
        is_dense = self._is_dense(known, ledger)
        ledger = self._settled(known, is_dense, ledger)
        return plan_release(self.domain_, known, ledger, is_dense, self._workload())

    def _check(self):
        check_choice("variant", self.variant, VARIANTS)
        self._check_delta()
        self._check_workload()
        check_number("split", self.split, above=0, maximum=1)
        if self.split == 1:
            raise ParameterError(
                "Expected a split below 1. Received 1, which leaves nothing for the "
                "second phase. Give for instance 0.5."
            )
        self._check_domain()
        # Each query must be affordable before the first one is made.
        check_budget(self.epsilon, self.delta, self._least_share())

    def _check_domain(self):
        domain = self.domain_
        if self.variant == "thesis" and domain.n_cells >= _MAX_CELLS_OF_THESIS:
            raise ParameterError(
                "Expected a domain of fewer than 2^53 cells for the thesis's variant. "
                f"Received {domain.n_cells:.3g}. Select fewer columns, or use "
                "the default variant."
            )
        if self.variant == "thesis":
            # Noise left above 0, which the co-clustering takes for rows.
            n_cells = min(domain.n_cells, MAX_DENSE)
            least = n_cells / (_MAX_NOISE_OF_THESIS * self.split)
            check_number("epsilon", self.epsilon, minimum=least)
        elif self.variant == "thesis-merges" and sum(domain.sizes) > MAX_VALUES:
            raise ParameterError(
                f"Expected columns of at most {MAX_VALUES} values together for merges "
                f"on the data. Received {sum(domain.sizes):,}. Select fewer columns, "
                "or give them fewer categories or bins."
            )
        elif max(domain.sizes) > MAX_CELLS:
            raise ParameterError(
                f"Expected columns of at most {MAX_CELLS:,} values. Received one of "
                f"{max(domain.sizes):,}. Give it fewer categories or bins."
            )

    def _least_share(self):
        """Of the budget, that a query gets."""
        sizes = self.domain_.sizes
        if self.variant == "thesis":
            return min(self.split, 1 - self.split)
        if self.variant == "thesis-merges":
            of_merge = (1 - SHARE_OF_ROWS) / max(count_merges(sizes), 1)
            return min(
                self.split * of_merge, self.split * SHARE_OF_ROWS, 1 - self.split
            )
        of_margins = min(least_share_of_margins(sizes), LEAST_SHARE)
        of_histograms = _LEAST_SHARE / len(sizes) ** 2
        if self.variant == "blocks":
            return of_histograms
        if self.variant == "adaptive" or len(sizes) > _MOST_CELLS[-1][0]:
            return of_margins
        return 0.9 * min(of_margins, of_histograms)

    def _check_delta(self):
        if self.delta is None:
            return
        check_number("epsilon", self.epsilon, minimum=LEAST_EPSILON)
        check_small_delta(self.delta, self.large_delta)
        if self.variant not in ("default", "adaptive"):
            raise ParameterError(
                f"Expected no delta for the variant {self.variant!r}, whose noise has "
                f"none. Received {self.delta:g}. Leave it out, or use 'adaptive'."
            )

    def _check_workload(self):
        self._workload()
        is_given = self.workload is not None or self.targets
        if is_given and self.variant not in ("default", "adaptive"):
            raise ParameterError(
                f"Expected no targets and no workload for the variant {self.variant!r},"
                " which measures all columns alike. Received some. Leave them out, or "
                "use 'adaptive'."
            )

    def _measure(self, codes, ledger):
        numeric = [column.categories is None for column in self.domain_.columns]
        if self.variant in _OF_ROWS:
            codes = codes.astype(np.int64)
            measured = codes, self.domain_, numeric
            phase_1 = learn_parts if self.variant == "thesis" else choose_parts
            parts = phase_1(*measured, ledger, self.split * ledger.epsilon)
            self.model_ = count_coarse_cells(codes, self.domain_, parts, ledger)
            return self.model_.n_rows
        rows = DomainRows.of(codes)
        measured = rows, self.domain_, numeric
        if self.variant == "blocks":
            self.model_ = measure_histograms(*measured, ledger)
        else:
            known, is_dense = self._known(rows, ledger)
            self.ledger_ = ledger = self._settled(known, is_dense, ledger)
            if is_dense:
                self.model_ = measure_histograms(*measured, ledger, in_one=True)
            else:
                asked = self._workload()
                self.model_ = measure_adaptively(*measured, known, ledger, asked)
        return self.model_.n_rows

    def _known(self, rows, ledger):
        """Noisy numbers by which the rest is spent, and whether on a histogram."""
        sizes = self.domain_.sizes
        if len(sizes) == 1:
            return Known(sizes, 1), False
        known = Known(sizes, measure_rows(rows, ledger))
        if self._is_dense(known, ledger):
            return known, True
        asked = self._workload()
        if tested_pairs(known, self._settled(known, False, ledger), asked):
            return known, False
        known = measure_dependence(rows, known, ledger, asked)
        return known, self._is_dense(known, ledger)

    def _takes_counts(self):
        return self.variant not in _OF_ROWS

    def _workload(self):
        return as_workload(self.workload, self.targets, self.domain_.names)

    def _is_dense(self, known, ledger):
        """Whether noise leaves enough of the cells of a histogram, and of columns."""
        n_columns, n_cells = len(self.domain_.sizes), self.domain_.n_cells
        most = next((most for columns, most in _MOST_CELLS if n_columns <= columns), 0)
        is_possible = n_columns > 1 and n_cells <= _MAX_DENSE_CELLS
        if self.variant != "default" or not is_possible:
            return False
        noise = ledger.sensitivity(1) / self.epsilon
        cells = n_cells * noise / known.n_rows
        if cells <= min(_FEW_CELLS, most):
            return True
        return cells <= most and error_of_columns(known, ledger) <= _MOST_ERROR

    def _draw(self, n, rng):
        return self.model_.draw(n, rng)

    def _given(self, allowed):
        model = self.model_
        if self._knows_all_cells():
            given, share = model.given(allowed)
            return (None if given is None else given.draw), share
        return super()._given(allowed)

    def _knows_all_cells(self):
        """Whether the model tells the share of any cells of single columns."""
        model = self.model_
        in_one = isinstance(model, HistogramModel) and len(model.blocks) == 1
        return in_one or isinstance(model, AdaptiveModel)
