"""The noisy histogram of all columns together, and what histograms of a whole domain
have in common: cells that rows are drawn from.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.domain_synthesizer import DomainSynthesizer
from coclust_synth.generators.draws import allot, project_to_simplex
from coclust_synth.generators.release_plan import (
    clipped,
    expected_variation,
    make_plan,
    noise_of_sum,
    planned_counts,
    planned_sums,
    rows_of_noise,
)
from coclust_synth.validation import check_choice

PROJECTIONS = ("clip", "simplex")


class CellHistogram(DomainSynthesizer):
    """Rows drawn from counts of all cells of a domain, `counts_`."""

    _max_cells = 2**24

    def _check(self):
        self._check_cells(self.domain_.n_cells)

    def _check_cells(self, n_cells):
        """Refuse more cells than there is room for."""
        if n_cells > self._max_cells:
            raise ParameterError(
                f"Expected a domain of at most {self._max_cells:,} cells, as each of "
                f"them gets noise. Received {n_cells:,}. Select fewer columns, or use "
                "fewer bins."
            )

    def _count(self, codes):
        """Rows of each cell: of the data."""
        cells = self.domain_.to_cells(codes)
        return np.bincount(cells, minlength=self.domain_.n_cells)

    def _draw(self, n, rng):
        cells = np.repeat(np.arange(len(self.counts_)), allot(self.counts_, n, rng))
        return self.domain_.from_cells(rng.permutation(cells))


@dataclass(eq=False, repr=False, kw_only=True)
class LaplaceHistogram(CellHistogram):
    """Rows drawn from a histogram of the whole domain with discrete Laplace noise.

    epsilon-differentially private for the table's persons (see `PrivacyLedger` for
    what that leaves out). Nothing is learnt: good for few cells and much data, and the
    measure of what a smarter generator adds.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
        Of at most 2^24 cells.
    projection : {"clip", "simplex"}, default="simplex"
        What becomes of negative counts: 0, which leaves the noise of empty cells in
        the release, or the nearest histogram whose sum is the noisy total.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    ledger_ : PrivacyLedger
    counts_ : ndarray of float64, shape (n_cells,)
        The noisy histogram after projection.
    n_rows_ : int
        Noisy number of rows.

    References
    ----------
    C. Dwork, F. McSherry, K. Nissim, A. Smith, "Calibrating noise to sensitivity in
    private data analysis", TCC 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["F", "M"] * 500, "smokes": ["no", "yes"] * 500})
    >>> domain = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
    >>> generator = LaplaceHistogram(1.0, domain).fit(table)
    >>> generator.counts_.shape, generator.ledger_.remaining
    ((4,), 0.0)
    """

    projection: str = "simplex"

    def _check(self):
        check_choice("projection", self.projection, PROJECTIONS)
        super()._check()

    def _plan(self, n_rows, ledger):
        what, n_cells = "histogram of all columns", self.domain_.n_cells
        histogram = planned_counts(ledger, what, n_cells, ledger.total)
        errors = map(clipped, planned_sums(self.domain_, n_rows, histogram.scale))
        noise = self._rows_of_noise(ledger)
        asked = ledger, n_rows, "histogram", [histogram], errors
        return make_plan(*asked, rows_of_noise=noise)

    def _rows_of_noise(self, ledger):
        """None of counts of which the negative ones become 0: what the noise of empty
        cells does then, only the table says."""
        if self.projection == "clip":
            return None
        sizes, n_cells = self.domain_.sizes, self.domain_.n_cells
        scale = ledger.count_noise(ledger.total)
        errors = [
            expected_variation(size, noise_of_sum(n_cells / size, scale), 1)
            for size in sizes
        ]
        return rows_of_noise(sum(errors) / len(sizes), len(sizes))

    def _measure(self, codes, ledger):
        noisy = ledger.noisy_counts(
            self._count(codes), cost=ledger.remaining, what="histogram of all columns"
        )
        n_rows = max(0, int(noisy.sum()))
        if self.projection == "clip" and (noisy > 0).any():
            self.counts_ = np.maximum(noisy, 0).astype(np.float64)
        else:
            self.counts_ = project_to_simplex(noisy, max(n_rows, 1))
        return n_rows
