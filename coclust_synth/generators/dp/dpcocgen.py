"""DPCocGen: differentially private synthesis by co-clustering, in two phases."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.domain_synthesizer import DomainSynthesizer
from coclust_synth.generators.dp.adaptive import (
    LEAST_SHARE,
    least_share_of_margins,
    measure_adaptively,
)
from coclust_synth.generators.dp.blocks import (
    choose_blocks,
    dependence_scores,
    draw_rows,
)
from coclust_synth.generators.dp.counts import NoisyCounts, margin_labels, part_labels
from coclust_synth.generators.dp.estimate import estimate_joint, estimate_total
from coclust_synth.generators.dp.partition import learn_partition
from coclust_synth.generators.dp.split import choose_split
from coclust_synth.generators.dp.thesis import MAX_DENSE, measure_coarse_cells
from coclust_synth.privacy.models.base import check_number
from coclust_synth.privacy.noise.dependence import DEPENDENCE_SENSITIVITY
from coclust_synth.privacy.noise.ledger import LEAST_EPSILON
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.validation import check_choice

VARIANTS = ("default", "adaptive", "thesis")

# Cells of one histogram; a domain of more is cut into blocks of columns.
_MAX_CELLS = 25_000
_MAX_CELLS_OF_THESIS = 2**53
_MAX_NOISE_OF_THESIS = 1e8  # rows of noise
_SHARE_OF_SCORES = 0.1  # of epsilon, to choose the blocks
# Noise of a smaller scale is as good as none (a chance of 1e-43), and would overflow.
_LEAST_SCALE = 0.01
# No query costs a smaller share of epsilon than this over the square of the columns: of
# nine tenths for d blocks at most, a tenth for the values of d columns, and a hundredth
# for the coarse cells.
_LEAST_SHARE = 0.009


class DPCocGen(DomainSynthesizer):
    """Rows drawn from noisy counts that a co-clustering of them arranges.

    Phase 1 counts the cells of the domain, and the values of each column, with noise. A
    MODL co-clustering of the noisy histogram, one dimension a column, cuts each column
    into parts. Phase 2 counts the coarse cells of the parts, with noise again. All else
    is post-processing: the rows are drawn from the distribution that these counts
    together speak for, see `coclust_synth.generators.dp.estimate`. A domain of more
    than 25,000 cells is first cut into blocks of columns that hang together by noisy
    scores; blocks share columns, see `coclust_synth.generators.dp.blocks`.

    epsilon-differentially private (pure) for the table's persons: tables that differ in
    one person give any release with probabilities that differ by a factor of at most
    exp(epsilon). Counts have sensitivity 1, or what `neighbours` and `rows_per_person`
    make of it; each query of the data is an entry of the ledger, and their epsilons add
    up. Not protected: what `PrivacyLedger` leaves out, above all a domain that was
    taken from the rows. The number of rows comes from noisy counts.

    Parameters
    ----------
    epsilon : float
        Above 0, enough for each query to cost 1e-9. There is no default: it is a
        decision of whoever releases.
    domain : Domain, path or mapping
        Declared values of each column.
    variant : {"default", "adaptive", "thesis"}, default="default"
        ``"adaptive"``: margins of few columns, chosen one by one where a model of those
        before is wrong, see `coclust_synth.generators.dp.adaptive`. For domains too
        large for a histogram, and for few rows.
        ``"thesis"``: the algorithm of Benkhelif (2018), chapter 5, see
        `coclust_synth.generators.dp.thesis`: two queries of the data, negative counts
        to 0, rows spread evenly in each coarse cell. On domains of up to 2^53 cells.
    split : float, default=0.5
        Share of epsilon for phase 1 of the thesis's variant; in (0, 1).
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    ledger_ : PrivacyLedger
    domain_ : Domain
    blocks_ : list of tuple of int
        Columns of each block; one block of all where the domain is small.
    parts_ : list of list of ndarray of int64
        For each block, the part of each value of its columns.
    joints_ : list of ndarray of float64
        For each block, the expected rows of its cells.
    coarse_cells_ : CoarseCells
        Of the thesis's variant, which has none of the three above.
    model_ : AdaptiveModel
        Of the adaptive variant, which has none of the four above.
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

    def __init__(
        self,
        epsilon: float,
        domain: Domain | str | os.PathLike[str] | Mapping[str, Any],
        *,
        variant: str = "default",
        split: float = 0.5,
        neighbours: str = "add-remove",
        rows_per_person: int = 1,
    ) -> None:
        self.epsilon = epsilon
        self.domain = domain
        self.variant = variant
        self.split = split
        self.neighbours = neighbours
        self.rows_per_person = rows_per_person

    def _check(self):
        check_choice("variant", self.variant, VARIANTS)
        check_number("split", self.split, above=0, maximum=1)
        if self.split == 1:
            raise ParameterError(
                "Expected a split below 1. Received 1, which leaves nothing for the "
                "second phase. Give for instance 0.5."
            )
        if self.variant == "thesis" and self.domain_.n_cells >= _MAX_CELLS_OF_THESIS:
            raise ParameterError(
                "Expected a domain of fewer than 2^53 cells for the thesis's variant. "
                f"Received {self.domain_.n_cells:.3g}. Select fewer columns, or use "
                "the default variant."
            )
        if self.variant != "thesis" and max(self.domain_.sizes) > _MAX_CELLS:
            raise ParameterError(
                f"Expected columns of at most {_MAX_CELLS:,} values. Received one of "
                f"{max(self.domain_.sizes):,}. Give it fewer categories or bins."
            )
        # Each query must be affordable before the first one is made.
        if self.variant == "thesis":
            least_share = min(self.split, 1 - self.split)
            # Noise left above 0, which the co-clustering takes for rows.
            n_cells = min(self.domain_.n_cells, MAX_DENSE)
            check_number(
                "epsilon",
                self.epsilon,
                minimum=n_cells / (_MAX_NOISE_OF_THESIS * self.split),
            )
        elif self.variant == "adaptive":
            of_margins = least_share_of_margins(self.domain_.sizes)
            least_share = min(of_margins, LEAST_SHARE)
        else:
            least_share = _LEAST_SHARE / len(self.domain_.sizes) ** 2
        check_number("epsilon", self.epsilon, minimum=LEAST_EPSILON / least_share)

    def _measure(self, codes, ledger):
        codes = codes.astype(np.int64)
        sizes = self.domain_.sizes
        if self.variant == "thesis":
            self.coarse_cells_ = measure_coarse_cells(
                codes, self.domain_, _numeric(self.domain_), ledger, self.split
            )
            return self.coarse_cells_.n_rows
        if self.variant == "adaptive":
            self.model_ = measure_adaptively(
                codes, self.domain_, _numeric(self.domain_), ledger
            )
            return self.model_.n_rows
        self.blocks_ = [tuple(range(len(sizes)))]
        if self.domain_.n_cells > _MAX_CELLS:
            scores = dependence_scores(codes, sizes)
            scores = ledger.noisy_counts(
                scores,
                epsilon=_SHARE_OF_SCORES * ledger.epsilon,
                what="dependence of each pair of columns",
                l1_sensitivity=DEPENDENCE_SENSITIVITY * len(scores),
            )
            scale = ledger.entries[-1].scale
            self.blocks_ = choose_blocks(sizes, scores, scale, _MAX_CELLS)
        self.parts_, self.joints_ = [], []
        for n_left, block in zip(
            range(len(self.blocks_), 0, -1), self.blocks_, strict=True
        ):
            epsilon = ledger.remaining / n_left
            names = [self.domain_.names[axis] for axis in block]
            queries = _Queries(codes[:, block], self.domain_.select(names), ledger)
            parts, joint = _estimate_block(queries, epsilon)
            self.parts_.append(parts)
            self.joints_.append(joint)
        return round(np.mean([joint.sum() for joint in self.joints_]))

    def _draw(self, n, rng):
        if self.variant == "thesis":
            return self.coarse_cells_.draw(n, rng)
        if self.variant == "adaptive":
            return self.model_.draw(n, rng)
        first = self.joints_[0]
        scaled = first * (n / first.sum())
        joints = [scaled, *self.joints_[1:]]
        codes = draw_rows(self.domain_.sizes, self.blocks_, joints, rng)
        return rng.permutation(codes)


class _Queries:
    """The queries of some columns of the data: one entry of the ledger each."""

    def __init__(self, codes, domain, ledger):
        self.codes, self.ledger = codes, ledger
        self.names, self.sizes = domain.names, domain.sizes
        self.all = ", ".join(self.names)
        self.numeric = _numeric(domain)

    def margin(self, axis, epsilon):
        """Rows of each value of one column."""
        counts = np.bincount(self.codes[:, axis], minlength=self.sizes[axis])
        labels = margin_labels(self.sizes, (axis,))
        return self._noisy(counts, labels, epsilon, f"values of {self.names[axis]}")

    def histogram(self, epsilon):
        """Rows of each cell."""
        labels = np.arange(int(np.prod(self.sizes)))
        return self._noisy(
            self._by_label(labels), labels, epsilon, f"cells of {self.all}"
        )

    def grid(self, parts, epsilon):
        """Rows of each coarse cell of a partition of the columns."""
        labels = part_labels(self.sizes, range(len(self.sizes)), parts)
        return self._noisy(
            self._by_label(labels), labels, epsilon, f"coarse cells of {self.all}"
        )

    def _by_label(self, labels):
        cells = np.ravel_multi_index(self.codes.T, self.sizes)
        return np.bincount(labels[cells], minlength=int(labels.max()) + 1)

    def _noisy(self, counts, labels, epsilon, what):
        noisy = self.ledger.noisy_counts(counts, epsilon=epsilon, what=what)
        scale = max(self.ledger.entries[-1].scale, _LEAST_SCALE)
        return NoisyCounts(labels, noisy, scale)


def _numeric(domain):
    """Whether each column is of numbers, whose parts are intervals."""
    return [column.categories is None for column in domain.columns]


def _estimate_block(queries, epsilon):
    """Parts and expected rows of the cells of a block, for a share of the budget."""
    after = queries.ledger.remaining - epsilon
    split = choose_split(epsilon, queries.sizes)
    margins = [queries.margin(axis, split.margin) for axis in range(len(queries.sizes))]
    histogram = queries.histogram(split.histogram)
    parts = learn_partition(queries.sizes, histogram, queries.numeric)
    # What is left of the share, not `split.grid`: rounded shares can exceed it.
    grid = queries.grid(parts, queries.ledger.remaining - after)
    joint = estimate_joint(queries.sizes, histogram, margins, parts, grid)
    # The sum of cells that are all positive is too high; that of noisy counts is not.
    return parts, joint * (estimate_total([histogram, *margins, grid]) / joint.sum())
