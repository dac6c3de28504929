"""The columns that tell most of another, one after the other, from sums of products."""

import numpy as np
from numpy.typing import NDArray

# Scores are told in such parts, so that sums of their products are exact, in any order.
_PARTS = 2.0**16
# What is left of a column beside others, as a share, for it to count as another one.
_OWN = 1e-3


def rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores whose sums of products are exact, in any order."""
    return np.rint(scores * _PARTS) / _PARTS


def told_more(
    squares: NDArray[np.float64],
    crossed: NDArray[np.float64],
    columns: list[int],
    least: float,
) -> NDArray[np.float64]:
    """What each column would tell of another, beside some columns.

    Parameters
    ----------
    squares : ndarray of float64, shape (m, m)
        Sums of products of the columns.
    crossed : ndarray of float64, shape (m,)
        Those with the other one.
    columns : list of int
        Which are known already.
    least : float
        Less than this is nothing that these leave of a column.

    Returns
    -------
    ndarray of float64, shape (m,)
        Of its sum of squares; 0 of columns that say little else than `columns`.
    """
    variance = squares.diagonal()
    by_others = np.linalg.lstsq(
        squares[np.ix_(columns, columns)], squares[columns], rcond=None
    )[0]
    left = crossed - by_others.T @ crossed[columns]
    rest = variance - (by_others * squares[columns]).sum(axis=0)
    is_other = rest > np.maximum(_OWN * variance, least)
    is_other[columns] = False
    return np.where(is_other, left**2 / np.where(is_other, rest, 1.0), 0.0)


def first_of_best(more: NDArray[np.float64]) -> int:
    """Of the columns that tell most the first, whatever their last bits are."""
    return int(np.argmax(more >= more.max() * (1 - 1e-9)))


def slopes_of(
    squares: NDArray[np.float64], crossed: NDArray[np.float64], columns: list[int]
) -> np.ndarray:
    """Slopes of some columns, of all rows that the sums of products are of."""
    own = squares[np.ix_(columns, columns)]
    return np.linalg.lstsq(own, crossed[columns], rcond=None)[0]
