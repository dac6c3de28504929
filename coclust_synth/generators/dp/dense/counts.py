"""Noisy counts over a dense domain: what was measured, and how exactly."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coclust_synth.exceptions import ParameterError


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """Counts of a partition of the cells of a domain, with discrete Laplace noise.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_cells,)
        Count that each cell of the domain, in C order, belongs to.
    counts : ndarray of int64, shape (m,)
        True count plus noise: can be negative.
    scale : float, > 0
        Of the noise: P(x) is proportional to exp(-abs(x) / scale). The privacy cost of
        the counts is 1 / scale where neighbours differ by one row; it is paid where the
        noise is drawn, not here.
    n_draws : int, default=1
        Draws of noise that are summed in each count.

    Raises
    ------
    ParameterError
        If a label has no count, or the scale is not positive.
    """

    labels: np.ndarray
    counts: np.ndarray
    scale: float
    n_draws: int = 1

    def __post_init__(self):
        if not 0 < self.scale < np.inf:
            raise ParameterError(
                f"Expected a positive scale of noise. Received {self.scale!r}. Give "
                "1 / epsilon, with the epsilon that the counts were measured at."
            )
        highest = int(self.labels.max())
        if int(self.labels.min()) < 0 or highest >= len(self.counts):
            raise ParameterError(
                f"Expected labels from 0 to {len(self.counts) - 1}, the number of "
                f"counts. Received one of {highest}. Give one count per label."
            )

    @cached_property
    def variance(self):
        """Variance of the noise of one count."""
        return self.n_draws * 0.5 / np.sinh(0.5 / self.scale) ** 2

    def sums(self, cells):
        """Sums of an array over cells, by label; shape (m,)."""
        return np.bincount(self.labels, cells, len(self.counts))

    def total(self):
        """Sum of the counts, and the variance of its noise."""
        return float(self.counts.sum()), self.variance * len(self.counts)


def margin_labels(sizes, axes):
    """Value of some axes together, for each cell of a domain.

    Parameters
    ----------
    sizes : tuple of d int
        Values of each axis.
    axes : sequence of int

    Returns
    -------
    ndarray of int64, shape (n_cells,)
        In C order, of the axes as given.
    """
    return part_labels(sizes, axes, [np.arange(n) for n in sizes])


def part_labels(sizes, axes, parts):
    """Parts of some axes together, for each cell of a domain.

    Parameters
    ----------
    sizes : tuple of d int
    axes : sequence of int
    parts : sequence of d ndarray of int, shape (sizes[k],)
        Part of each value of each axis.

    Returns
    -------
    ndarray of int64, shape (n_cells,)
        Numbers of coarse cells, in C order of the axes as given.
    """
    labels = np.zeros(sizes, dtype=np.int64)
    for axis in axes:
        part = np.asarray(parts[axis], dtype=np.int64)
        along = [-1 if other == axis else 1 for other in range(len(sizes))]
        labels = labels * (int(part.max()) + 1) + part.reshape(along)
    return labels.ravel()
