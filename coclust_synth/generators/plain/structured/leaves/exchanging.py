"""Codes that rows may not have, exchanged with those of other rows of their leaf."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

# A row that may not have its code is offered that of so many others.
_OFFERS = 30


def exchanged_in_leaves(
    codes: NDArray[np.integer],
    leaf: NDArray[np.integer],
    may_have: Callable[..., NDArray[np.bool_]],
    rng: np.random.Generator,
) -> NDArray[np.integer]:
    """Codes of rows, those that a row may not have exchanged with another of its leaf.

    So each leaf keeps how many rows have each code.

    Parameters
    ----------
    codes, leaf : ndarray of int, shape (n,)
    may_have : callable
        From some rows and a code for each to whether they may have it, as ndarray of
        bool.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (n,)
        Rows for which no other was found keep their codes.

    Examples
    --------
    >>> codes, leaf = np.array([3, 5, 5]), np.array([0, 0, 1])
    >>> no_three = lambda rows, codes: (rows > 0) | (codes != 3)
    >>> exchanged_in_leaves(codes, leaf, no_three, np.random.default_rng(0)).tolist()
    [5, 3, 5]
    """
    codes, order = codes.copy(), np.argsort(leaf, kind="stable")
    first = np.searchsorted(leaf[order], leaf)
    size = np.searchsorted(leaf[order], leaf, "right") - first
    bad = np.flatnonzero(~may_have(np.arange(len(codes)), codes))
    for _ in range(_OFFERS):
        if not len(bad):
            break
        other = order[first[bad] + rng.integers(size[bad])]
        one = may_have(bad, codes[other]) & may_have(other, codes[bad])
        # A row gives its code to one row only, and none that wants another itself.
        one &= ~np.isin(other, bad)
        one[one] = _are_first(other[one])
        given = codes[other[one]]
        codes[other[one]], codes[bad[one]] = codes[bad[one]], given
        bad = bad[~one]
    return codes


def _are_first(values):
    """Whether each value comes for the first time."""
    is_first = np.zeros(len(values), dtype=bool)
    is_first[np.unique(values, return_index=True)[1]] = True
    return is_first
