"""Whether anything is told of a column at all, before a tree of it is grown."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

# By chance one in a thousand pairs of columns seems to go together, and a tree of half
# the individuals so many standard deviations with the others.
_MAX_CHANCE, _MIN_DEVIATIONS = 1e-3, 3.0
#: Leaves of the tree of a column that nothing tells anything of, at most.
UNTOLD_LEAVES = 20
# Ordered values are compared in tenths.
_TENTHS = 10


def is_told(
    codes: NDArray[np.int32],
    is_ordered: NDArray[np.bool_],
    target: NDArray[np.float64],
    individual: NDArray[np.int64],
    grown: Callable,
) -> bool:
    """Whether some columns, alone or together, tell something of a target.

    A tree goes on until its leaves hold k individuals. Of a column that hangs together
    with nothing, leaves so small repeat which values happen to meet in the table:
    nothing that is true of others, and much of who is in it. So they are a twentieth of
    the table at least: tenths of two columns meet about as often as in the table, and
    no more is told.

    Alone, if the means of the target differ from one tenth or category to the next more
    than chance has it. Together, if what a tree grown for every other individual
    foretells of those between goes with what they have.

    Parameters
    ----------
    codes : ndarray of int32, shape (n, p)
        Of the columns.
    is_ordered : ndarray of bool, shape (p,)
        Whether codes of a column are compared in tenths, or each.
    target : ndarray of float64, shape (n, q)
    individual : ndarray of int64, shape (n,)
        Of each row, from 0.
    grown : callable
        From a mask of some rows to a tree that is grown for them; the last that it
        gives is the leaf of each of the n rows.

    Returns
    -------
    bool
    """
    target = target[:, (target != target[0]).any(axis=0)]
    if not target.shape[1]:
        return False
    n_rows = np.bincount(individual)
    alike = (n_rows @ n_rows) / n_rows.sum()  # rows of a person count as one, at most
    centred = target - target.mean(axis=0)
    groups = (
        _tenths(own) if ordered else np.unique(own, return_inverse=True)[1]
        for own, ordered in zip(codes.T, is_ordered, strict=True)
    )
    return any(_differ(group, centred, alike) for group in groups) or _foretells(
        centred, individual, alike, grown
    )


def _differ(group, centred, alike):
    """Whether means of some groups differ more than chance has it."""
    rows = np.bincount(group)
    for of in centred.T:
        between = (np.bincount(group, of) ** 2 / rows).sum()
        distance = between / (of @ of) * len(of) / alike
        if chdtrc(len(rows) - 1, distance) < _MAX_CHANCE:
            return True
    return False


def _tenths(own):
    """Values in order, in groups of about a tenth of the rows, from 0 without gaps."""
    values = np.unique(own, return_inverse=True)[1]
    rows = np.bincount(values)
    tenths = (np.cumsum(rows) - rows / 2) * _TENTHS // len(own)
    return np.unique(tenths, return_inverse=True)[1][values]


def _foretells(centred, individual, alike, grown):
    """Whether halves of the individuals foretell each other, if there are two."""
    if not individual.any():
        return False
    is_even, covariance, variance = individual % 2 == 0, 0.0, 0.0
    for half in (is_even, ~is_even):
        leaf = grown(half)[-1]
        rows = np.bincount(leaf[half], minlength=leaf.max() + 1)
        for of in centred.T:
            sums = np.bincount(leaf[half], of[half], len(rows))
            told = (sums / np.maximum(rows, 1))[leaf[~half]]
            told -= told.mean()
            covariance += told @ of[~half]
            variance += alike * (told**2 @ of[~half] ** 2)
    return bool(covariance > _MIN_DEVIATIONS * np.sqrt(variance))
