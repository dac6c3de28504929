"""What a release is measured against, and under which names figures are told."""

from typing import NamedTuple, TypeAlias

import numpy as np

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
    """

    coding: Coding
    real: CodedRows
    holdout: CodedRows | None
    seed: int

    def rng(self, stream: int) -> np.random.Generator:
        """Random numbers of one measure, the same whatever others are taken."""
        return np.random.default_rng([self.seed, stream])
