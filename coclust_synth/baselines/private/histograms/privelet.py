"""Privelet+: noise in the Haar wavelets of a histogram."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2, pi, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from coclust_synth.baselines.private.histograms.laplace import CellHistogram
from coclust_synth.generators.draws import project_to_simplex
from coclust_synth.generators.release_plan import (
    clipped,
    make_plan,
    planned_counts,
    planned_error,
)


@dataclass(eq=False, repr=False, kw_only=True)
class Privelet(CellHistogram):
    r"""Rows drawn from a histogram whose Haar wavelet coefficients have noise.

    epsilon-differentially private for the table's persons (see `PrivacyLedger` for what
    that leaves out). Sums of many cells in a row get little noise: those of single
    cells of m values get noise of a variance of m, those of a wavelet at most of about
    log(m)^3 whatever the range.

    A column of m values, filled up to a power of two by cells that are empty by
    declaration, is told by its total and, for each node of a balanced tree over its
    values, by the rows on the left of the node less those on the right. The
    coefficients of a table are the products of these over all columns: whole numbers,
    which are :math:`2^{depth}`-fold those of [1]_ and get the same noise, so that what
    it weighs by the size of a node here weighs nothing.

    **Sensitivity.** A row is in one leaf, below :math:`\log_2 m` nodes: with the total,
    :math:`1 + \log_2 m` coefficients of a column change, by 1 each. Of all columns
    together as many change as the product of these, by 1 each: that product is the
    L1-sensitivity for one row. A column that is kept as it is multiplies by 1, as a row
    is in one of its values.

    Which columns are transformed is told by the domain alone (Privelet+): those of
    ordered values, where the bound of the variance is less with wavelets, that is where
    m is above :math:`(1 + \log_2 m)^2 (2 + \log_2 m) / 2`. Categories have no order.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
        Of at most 2^24 cells, columns filled up to powers of two.
    transformed : sequence of str, optional
        Columns that are transformed; by default as above.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    ledger_ : PrivacyLedger
    counts_ : ndarray of float64, shape (n_cells,)
        The histogram of the noisy coefficients, projected to sum to the number of rows.
    n_rows_ : int
        Noisy number of rows.

    References
    ----------
    .. [1] X. Xiao, G. Wang, J. Gehrke, "Differential privacy via wavelet transforms",
       IEEE TKDE 23(8), 2011, sections 4 and 6.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": np.arange(1000) % 64})
    >>> domain = {"age": {"low": 0, "high": 63, "bins": 64}}
    >>> generator = Privelet(1.0, domain, transformed=["age"]).fit(table)
    >>> generator.ledger_.entries[0].sensitivity, generator.ledger_.remaining
    (7, 0.0)
    """

    transformed: Sequence[str] | None = None

    def _check(self):
        super()._check()
        for name in self.transformed or ():
            self.domain_[name]  # refuses what is no column
        widths = [_width(size) if own else size for size, own in self._axes()]
        self._check_cells(prod(widths))

    def _axes(self):
        """Size of each column, and whether it is transformed."""
        for column in self.domain_.columns:
            if self.transformed is not None:
                yield column.size, column.name in self.transformed
            else:
                yield column.size, column.is_numeric and _is_better(column.size)

    def _sensitivity(self):
        depths = [1 + int(log2(_width(size))) for size, own in self._axes() if own]
        return prod(depths)

    def _plan(self, n_rows, ledger):
        n_values = prod(_width(size) if own else size for size, own in self._axes())
        entry = ledger.entry_of_counts(
            n_values, cost=ledger.total, what=_WHAT, l1_sensitivity=self._sensitivity()
        )
        query = planned_counts(ledger, _WHAT, n_values, ledger.total)
        query = query._replace(scale=entry.scale)
        axes = list(self._axes())
        errors = []
        for j, name in enumerate(self.domain_.names):
            factors = [
                (_variance_of_cell if i == j else _variance_of_all)(size, own)
                for i, (size, own) in enumerate(axes)
            ]
            # Sums of many draws are about normal.
            noise = sqrt(2 / pi) * sqrt(entry.variance * prod(factors))
            errors.append(clipped(planned_error(name, axes[j][0], noise, n_rows)))
        return make_plan(ledger, n_rows, "histogram", [query], errors)

    def _measure(self, codes, ledger):
        counts = self._count(codes).reshape(self.domain_.sizes)
        axes = [own for _, own in self._axes()]
        coefficients = haar(counts, axes)
        noisy = ledger.noisy_counts(
            coefficients,
            cost=ledger.remaining,
            what=_WHAT,
            l1_sensitivity=self._sensitivity(),
        )
        found = inverse_haar(noisy, axes, self.domain_.sizes).ravel()
        n_rows = max(0, round(found.sum()))
        self.counts_ = project_to_simplex(found, max(n_rows, 1))
        return n_rows


_WHAT = "wavelets of all columns"


def haar(counts: NDArray[np.int64], axes: Sequence[bool]) -> NDArray[np.int64]:
    """Coefficients of a histogram, along some of its axes.

    Parameters
    ----------
    counts : ndarray of int64, of d axes
    axes : sequence of d bool
        Which axes are transformed: their length becomes a power of two.

    Returns
    -------
    ndarray of int64
        Along such an axis first the total, then the rows on the left of each node less
        those on the right, from the root down.

    Examples
    --------
    >>> haar(np.array([5, 1, 2, 0]), [True]).tolist()
    [8, 4, 4, 2]
    """
    for axis in np.flatnonzero(axes).tolist():
        sums = np.moveaxis(counts, axis, 0)
        empty = np.zeros((_width(len(sums)) - len(sums), *sums.shape[1:]), sums.dtype)
        sums, levels = np.concatenate([sums, empty]), []
        while len(sums) > 1:
            left, right = sums[0::2], sums[1::2]
            levels.append(left - right)
            sums = left + right
        counts = np.moveaxis(np.concatenate([sums, *levels[::-1]]), 0, axis)
    return counts


def inverse_haar(
    coefficients: NDArray, axes: Sequence[bool], sizes: Sequence[int]
) -> NDArray[np.float64]:
    """The histogram of some coefficients.

    Parameters
    ----------
    coefficients : ndarray
        As `haar` has them, with noise perhaps.
    axes : sequence of d bool
    sizes : sequence of d int
        Cells along each axis, without those that filled it up.

    Examples
    --------
    >>> inverse_haar(np.array([8, 4, 4, 2]), [True], [3]).tolist()
    [5.0, 1.0, 2.0]
    """
    counts = coefficients.astype(np.float64)
    for axis in np.flatnonzero(axes).tolist():
        own = np.moveaxis(counts, axis, 0)
        sums = own[:1]
        while len(sums) < len(own):
            apart = own[len(sums) : 2 * len(sums)]
            both = np.stack([sums + apart, sums - apart], axis=1) / 2
            sums = both.reshape(2 * len(sums), *own.shape[1:])
        counts = np.moveaxis(sums[: sizes[axis]], 0, axis)
    return counts


def _width(size):
    """The power of two that an axis is filled up to."""
    return 1 << (size - 1).bit_length()


def _is_better(size):
    """Whether wavelets are, by the bounds of the paper."""
    depth = log2(_width(size))
    return size > (1 + depth) ** 2 * (2 + depth) / 2


def _variance_of_cell(size, is_transformed):
    """Of a cell along an axis, in variances of a coefficient."""
    if not is_transformed:
        return 1.0
    width = _width(size)
    levels = 2.0 ** np.arange(1, int(log2(width)) + 1)
    return float(width**-2.0 + (levels**-2.0).sum())


def _variance_of_all(size, is_transformed):
    """Of the sum of all cells of an axis, the same: nodes that its end cuts in two."""
    if not is_transformed:
        return float(size)
    width = _width(size)
    variance, start, length = (size / width) ** 2, 0, width
    while length > 1:
        half, inside = length // 2, size - start
        variance += ((min(inside, half) - max(inside - half, 0)) / length) ** 2
        start, length = start + (half if inside > half else 0), half
    return variance
