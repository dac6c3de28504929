"""What histograms of a whole domain have in common: cells that rows are drawn from."""

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.domain_synthesizer import DomainSynthesizer
from coclust_synth.generators.draws import allot


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
