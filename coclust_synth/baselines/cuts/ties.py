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
    return int(np.argmax(np.asarray(scores) >= np.max(scores) * (1 - _SAME)))


def first_smallest(scores: Sequence[float]) -> int:
    """Position of the smallest score, of equals the first; see `first_largest`."""
    return int(np.argmax(np.asarray(scores) <= np.min(scores) * (1 + _SAME)))
