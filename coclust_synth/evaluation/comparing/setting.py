"""What a release is measured against, and under which names figures are told."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows, Coding
from coclust_synth.evaluation.comparing.scores import Figure

# Name of a measure, and the columns that the figure is about; () for the whole table.
Key: TypeAlias = tuple[str, tuple[str, ...]]
Figures: TypeAlias = dict[Key, Figure]


class Setting(NamedTuple):
    """The rows that a release was made from, and rows that it was made without.

    Attributes
    ----------
    coding : Coding
    real : CodedRows
    holdout : CodedRows or None
    seed : int
        Of all that is drawn: the same for all releases that are measured.
    known : ndarray of int
        Positions of the columns that somebody may know of a person; all by default.
    intervals : bool
        Whether intervals are told that take longer than their figures.
    """

    coding: Coding
    real: CodedRows
    holdout: CodedRows | None
    seed: int
    known: NDArray[np.int64] | slice = slice(None)
    intervals: bool = False

    def rng(self, stream: int) -> np.random.Generator:
        """Random numbers of one measure, the same whatever others are taken."""
        return np.random.default_rng([self.seed, stream])
