"""Histograms with noise: of the whole domain, or of blocks of columns of a large one.

Phase 1 counts the cells, and the values of each column, with noise. A MODL
co-clustering of the noisy histogram, one dimension a column, cuts each column into
parts. Phase 2 counts the coarse cells of the parts, with noise again. All else is
post-processing, see `coclust_synth.generators.dp.dense.estimate`.
"""

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from coclust_synth.generators.dp.dense.blocks import (
    choose_blocks,
    dependence_scores,
    draw_rows,
)
from coclust_synth.generators.dp.dense.counts import (
    NoisyCounts,
    margin_labels,
    part_labels,
)
from coclust_synth.generators.dp.dense.estimate import estimate_joint, estimate_total
from coclust_synth.generators.dp.dense.partition import learn_partition
from coclust_synth.generators.dp.dense.split import choose_split
from coclust_synth.privacy.noise.scores import DEPENDENCE_SENSITIVITY
from coclust_synth.tables.domain.rows import DomainRows

#: Cells of the histogram of a block; a domain of more is cut into several.
MAX_CELLS = 25_000
_SHARE_OF_SCORES = 0.1  # of epsilon, to choose the blocks
# Noise of a smaller scale is as good as none (a chance of 1e-43), and would overflow.
_LEAST_SCALE = 0.01


@dataclass(frozen=True, eq=False)
class HistogramModel:
    """Expected rows of the cells of blocks of columns.

    Attributes
    ----------
    sizes : tuple of int
    blocks : list of tuple of int
        Columns of each block; one block of all where the domain is small.
    parts : list of list of ndarray of int64
        For each block, the part of each value of its columns.
    joints : list of ndarray of float64
        For each block, the expected rows of its cells.
    """

    sizes: tuple
    blocks: list
    parts: list
    joints: list

    @property
    def n_rows(self):
        """Noisy number of rows."""
        return round(np.mean([joint.sum() for joint in self.joints]))

    def given(self, allowed):
        """The model of rows whose values are allowed, and their share; of one block.

        Parameters
        ----------
        allowed : list of ndarray of bool, shape (size,)
            For each column.

        Returns
        -------
        model : HistogramModel or None
            None where there is no such row.
        share : float
        """
        (joint,) = self.joints
        met = joint * reduce(np.multiply.outer, allowed)
        share = float(met.sum() / joint.sum())
        return (replace(self, joints=[met]) if share > 0 else None), share

    def draw(self, n, rng):
        """Codes of n rows, (n, d), in random order."""
        first = self.joints[0]
        joints = [first * (n / first.sum()), *self.joints[1:]]
        return rng.permutation(draw_rows(self.sizes, self.blocks, joints, rng))


def measure_histograms(codes, domain, numeric, ledger, in_one=False):
    """Queries of the data, which spend all that remains of the ledger.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d), or DomainRows
    domain : Domain
        Columns of at most `MAX_CELLS` values.
    numeric : sequence of d bool
        Whether the parts of a column are intervals, or groups.
    ledger : PrivacyLedger
    in_one : bool, default=False
        Whether all columns are a block, however many cells that has.

    Returns
    -------
    HistogramModel
    """
    rows, sizes = DomainRows.of(codes), domain.sizes
    blocks = [tuple(range(len(sizes)))]
    if domain.n_cells > MAX_CELLS and not in_one:
        scores = dependence_scores(rows, sizes)
        scores = ledger.noisy_counts(
            scores,
            cost=_SHARE_OF_SCORES * ledger.epsilon,
            what="dependence of each pair of columns",
            l1_sensitivity=DEPENDENCE_SENSITIVITY * len(scores),
        )
        blocks = choose_blocks(sizes, scores, ledger.entries[-1].scale, MAX_CELLS)
    parts, joints = [], []
    for n_left, block in zip(range(len(blocks), 0, -1), blocks, strict=True):
        names = [domain.names[axis] for axis in block]
        is_numeric = [numeric[axis] for axis in block]
        of_block = rows.select(block)
        queries = _Queries(of_block, domain.select(names), is_numeric, ledger)
        of_block, joint = _estimate_block(queries, ledger.remaining / n_left)
        parts.append(of_block)
        joints.append(joint)
    return HistogramModel(sizes, blocks, parts, joints)


class _Queries:
    """The queries of some columns of the data: one entry of the ledger each."""

    def __init__(self, rows, domain, numeric, ledger):
        self.rows, self.ledger = rows, ledger
        self.names, self.sizes = domain.names, domain.sizes
        self.all = ", ".join(self.names)
        self.numeric = numeric

    def margin(self, axis, epsilon):
        """Rows of each value of one column."""
        counts = self.rows.count(self.rows.codes[:, axis], self.sizes[axis])
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
        cells = np.ravel_multi_index(self.rows.codes.T, self.sizes)
        return self.rows.count(labels[cells], int(labels.max()) + 1)

    def _noisy(self, counts, labels, epsilon, what):
        noisy = self.ledger.noisy_counts(counts, cost=epsilon, what=what)
        scale = max(self.ledger.entries[-1].scale, _LEAST_SCALE)
        return NoisyCounts(labels, noisy, scale)


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
