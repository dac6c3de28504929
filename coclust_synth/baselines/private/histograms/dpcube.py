"""DPCube: boxes of cells found in a noisy histogram, and counted again."""

from math import log

import numpy as np
from numpy.typing import NDArray

from coclust_synth.baselines.private.histograms.laplace import CellHistogram
from coclust_synth.generators.domain_synthesizer import check_budget
from coclust_synth.generators.draws import project_to_simplex
from coclust_synth.generators.release_plan import (
    clipped,
    make_plan,
    planned_counts,
    planned_sums,
)

_OF_CELLS = 0.5  # of epsilon: what the search for boxes sees


class DPCube(CellHistogram):
    """Rows drawn from a histogram of boxes of cells that hold about as many rows each.

    epsilon-differentially private for the table's persons (see `PrivacyLedger` for what
    that leaves out). Half of epsilon counts all cells; in these noisy counts, which
    cost nothing to look at again, a box of all cells is cut in two, along the column
    and between the values that leave the least squares within, and so are its halves,
    as long as a cut gains more than noise alone would. The other half of epsilon counts
    the rows of each box. A box has the mean of both sums, weighed by their variance,
    and each of its cells the same share of it.

    **Sensitivity.** A row is in one cell and in one box: 1 for both queries.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
        Of at most 2^20 cells; neighbouring values are those of its order.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    ledger_ : PrivacyLedger
    boxes_ : ndarray of int64, shape (n_cells,)
        Box of each cell.
    counts_ : ndarray of float64, shape (n_cells,)
        Expected rows of each cell, projected to sum to the number of rows.
    n_rows_ : int
        Noisy number of rows.

    References
    ----------
    Y. Xiao, L. Xiong, L. Fan, S. Goryczka, "DPCube: differentially private histogram
    release through multidimensional partitioning", 2012, algorithm 1; its threshold of
    uniformity is here what noise would gain.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["F"] * 900 + ["M"] * 100, "age": [30] * 1000})
    >>> domain = {"sex": ["F", "M"], "age": {"low": 0, "high": 99, "bins": 10}}
    >>> generator = DPCube(1.0, domain).fit(table)
    >>> generator.boxes_.shape, generator.ledger_.remaining
    ((20,), 0.0)
    """

    _max_cells = 2**20

    def _check(self):
        super()._check()
        check_budget(self.epsilon, None, 0.9 * min(_OF_CELLS, 1 - _OF_CELLS))

    def _plan(self, n_rows, ledger):
        n_cells, cost = self.domain_.n_cells, _OF_CELLS * ledger.total
        cells = planned_counts(ledger, "cells of all columns", n_cells, cost)
        boxes = planned_counts(ledger, "boxes of cells", None, ledger.total - cost)
        errors = map(clipped, planned_sums(self.domain_, n_rows, cells.scale))
        return make_plan(ledger, n_rows, "histogram", [cells, boxes], errors)

    def _measure(self, codes, ledger):
        counts = self._count(codes)
        noisy = ledger.noisy_counts(
            counts, cost=_OF_CELLS * ledger.total, what="cells of all columns"
        )
        of_cell = ledger.entries[-1].variance
        self.boxes_ = uniform_boxes(noisy.reshape(self.domain_.sizes), of_cell).ravel()
        again = ledger.noisy_counts(
            np.bincount(self.boxes_, counts).astype(np.int64),
            cost=ledger.remaining,
            what="boxes of cells",
        )
        n_cells = np.bincount(self.boxes_)
        first, of_box = np.bincount(self.boxes_, noisy), ledger.entries[-1].variance
        weight = of_box / (of_box + n_cells * of_cell)
        rows = weight * first + (1 - weight) * again
        n_rows = max(0, round(rows.sum()))
        cells = (rows / n_cells)[self.boxes_]
        self.counts_ = project_to_simplex(cells, max(n_rows, 1))
        return n_rows


def uniform_boxes(noisy: NDArray, variance: float) -> NDArray[np.int64]:
    """Boxes of cells that hold about as many rows each, by noisy counts.

    Parameters
    ----------
    noisy : ndarray of d axes
    variance : float
        Of the noise of a cell.

    Returns
    -------
    ndarray of int64, of the same shape
        Box of each cell, from 0.

    Notes
    -----
    A cut of a box takes off its squares within as much as it tells the means of its
    halves apart; of noise alone that is its variance times a chi-squared number of one
    degree of freedom, the largest of m of which is about 2 log m. Cuts that gain less
    than the variance times 2 + 2 log m, for the m cuts of a box, are not made.

    Examples
    --------
    >>> uniform_boxes(np.array([[100, 101], [100, 20], [99, 21]]), 1.0).tolist()
    [[0, 1], [0, 2], [0, 2]]
    """
    boxes = np.zeros(noisy.shape, dtype=np.int64)
    left, n_boxes = [tuple(slice(0, size) for size in noisy.shape)], 0
    while left:
        box = left.pop()
        cut = _best_cut(noisy[box], variance)
        if cut is None:
            boxes[box] = n_boxes
            n_boxes += 1
            continue
        axis, at = cut
        middle = box[axis].start + at
        ends = slice(middle, box[axis].stop), slice(box[axis].start, middle)
        left += [(*box[:axis], end, *box[axis + 1 :]) for end in ends]
    return boxes


def _best_cut(counts, variance):
    """Axis and place of the cut that gains most, if that is more than noise would."""
    best, found = 0.0, None
    total, n_cells = float(counts.sum()), counts.size
    for axis, length in enumerate(counts.shape):
        others = tuple(k for k in range(counts.ndim) if k != axis)
        sums = np.cumsum(counts.sum(axis=others, dtype=np.float64))[:-1]
        cells = np.arange(1, length) * (n_cells // length)
        # Squares of the difference of the means, by the cells of both sides.
        apart = sums / cells - (total - sums) / (n_cells - cells)
        gains = apart**2 * cells * (n_cells - cells) / n_cells
        if len(gains) and gains.max() > best:
            best, found = float(gains.max()), (axis, int(gains.argmax()) + 1)
    n_cuts = sum(length - 1 for length in counts.shape)
    return found if n_cuts and best > variance * (2 + 2 * log(n_cuts)) else None
