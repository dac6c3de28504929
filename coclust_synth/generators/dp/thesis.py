"""DPCocGen as first published: two queries of the data, and rows spread evenly.

Phase 1 is a noisy histogram of the domain, negative counts to 0; its co-clustering cuts
each column into parts (for parts that are chosen on the data instead, see
`coclust_synth.generators.dp.merges`). Phase 2 is the noisy counts of the coarse cells,
negative ones to 0. Where there are very many cells, their noise is drawn only where it
reaches a threshold that is chosen without the data (see
`PrivacyLedger.noisy_sparse_counts`): the memory is that of the rows and of the cells
that pass.

References
----------
T. Benkhelif, "Publication de donnees personnelles respectueuse de la vie privee", PhD
thesis, Universite de Nantes, 2018, chapter 5.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from coclust_synth.generators.dp.dense.partition import partition_cells
from coclust_synth.generators.draws import allot
from coclust_synth.privacy.noise.sparse_noise import sparse_threshold

MAX_DENSE = 2**20
_EMPTY_CELLS = 20_000  # that pass the threshold of a sparse histogram, about


@dataclass(frozen=True, eq=False)
class CoarseCells:
    """Noisy counts of the coarse cells of a partition.

    Attributes
    ----------
    parts : list of d ndarray of int64, shape (sizes[k],)
        Part of each value of each column.
    cells : ndarray of int64, shape (m,)
        Numbers of the coarse cells that hold rows, in C order.
    counts : ndarray of int64, shape (m,)
        All positive.
    """

    parts: list
    cells: np.ndarray
    counts: np.ndarray

    @property
    def n_rows(self):
        """Noisy number of rows."""
        return int(self.counts.sum())

    def draw(self, n, rng):
        """Codes of n rows, (n, d), in random order: values evenly likely in a part."""
        codes = np.empty((n, len(self.parts)), dtype=np.int64)
        if not len(self.cells):
            for axis, part in enumerate(self.parts):
                codes[:, axis] = rng.integers(0, len(part), n)
            return codes
        cells = np.repeat(self.cells, allot(self.counts.astype(float), n, rng))
        shape = [int(part.max()) + 1 for part in self.parts]
        coarse = np.unravel_index(rng.permutation(cells), shape)
        for axis, (part, of_row) in enumerate(zip(self.parts, coarse, strict=True)):
            order = np.argsort(part, kind="stable")
            sizes = np.bincount(part)
            starts = np.cumsum(sizes) - sizes
            codes[:, axis] = order[starts[of_row] + rng.integers(0, sizes[of_row])]
        return codes


def learn_parts(codes, domain, numeric, ledger, cost):
    """Parts of each column, by a co-clustering of noisy counts of all cells.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d)
    domain : Domain
        Of fewer than 2^53 cells.
    numeric : sequence of d bool
        Whether the parts of a column are intervals, or groups.
    ledger : PrivacyLedger
    cost : float
        Of the counts.

    Returns
    -------
    list of d ndarray of int64, shape (sizes[k],)
        Part of each value of each column, from 0.
    """
    sizes = domain.sizes
    cells, counts = _noisy_cells(
        np.ravel_multi_index(codes.T, sizes),
        prod(sizes),
        ledger,
        cost,
        f"cells of {', '.join(domain.names)}",
    )
    return partition_cells(sizes, cells, counts, numeric)


def count_coarse_cells(codes, domain, parts, ledger):
    """Noisy counts of the coarse cells, for all that remains of the ledger.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d)
    domain : Domain
    parts : list of d ndarray of int64, shape (sizes[k],)
        Of fewer than 2^53 coarse cells.
    ledger : PrivacyLedger

    Returns
    -------
    CoarseCells
    """
    coarse = [part[codes[:, axis]] for axis, part in enumerate(parts)]
    shape = tuple(int(part.max()) + 1 for part in parts)
    cells, counts = _noisy_cells(
        np.ravel_multi_index(coarse, shape),
        prod(shape),
        ledger,
        ledger.remaining,
        f"coarse cells of {', '.join(domain.names)}",
    )
    return CoarseCells(parts, cells, counts)


def _noisy_cells(cells, n_cells, ledger, epsilon, what):
    """Cells of a histogram whose noisy counts are positive, and these counts."""
    if n_cells <= MAX_DENSE:
        counts = np.bincount(cells, minlength=n_cells)
        noisy = ledger.noisy_counts(counts, cost=epsilon, what=what)
        present = np.flatnonzero(noisy > 0)
        return present, noisy[present]
    sensitivity = ledger.sensitivity(1)
    threshold = sparse_threshold(
        n_cells, epsilon, _EMPTY_CELLS, sensitivity=sensitivity
    )
    return ledger.noisy_sparse_counts(
        *np.unique(cells, return_counts=True),
        n_cells,
        cost=epsilon,
        what=what,
        threshold=threshold,
    )
