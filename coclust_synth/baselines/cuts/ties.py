"""Which of equally good steps is taken."""

from collections.abc import Sequence

import numpy as np

_SAME = 1e-9  # relative: scores that differ by less are equal, as quotients round


def first_largest(scores: Sequence[float]) -> int:
    """Position of the largest score, of equals the first.

    Parameters
    ----------
    scores : sequence of float
        0 or more, at least one.
    """
    scores = np.asarray(scores)
    return int(np.argmax(scores >= scores.max() * (1 - _SAME)))


def first_smallest(scores: Sequence[float]) -> int:
    """Position of the smallest score, of equals the first; see `first_largest`."""
    scores = np.asarray(scores)
    return int(np.argmax(scores <= scores.min() * (1 + _SAME)))
