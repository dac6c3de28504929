"""Intervals of any figure of rows: the delete-a-group jackknife.

Rows are dealt out to G groups, and the figure is taken without each of them in turn.
With d_g that without group g, its variance is (G - 1)/G sum (d_g - mean)^2, with G - 1
degrees of freedom [1]_. It is that of the figure if as many rows were drawn once more,
and on the safe side.

References
----------
.. [1] P. S. Kott, "The delete-a-group jackknife", Journal of Official Statistics 17(4),
   2001.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coclust_synth.evaluation.comparing.scores import Figure

#: Groups of rows of which each in turn is left out.
N_GROUPS = 10
_STUDENT = 2.262  # the ends of Student's law of N_GROUPS - 1 degrees of freedom, 95 %


def group_of(n: int) -> NDArray[np.int64]:
    """Group of each of n rows, dealt out in turn."""
    return np.arange(n) % N_GROUPS


def reach(left_out: ArrayLike) -> NDArray[np.float64]:
    """Half the width of the intervals of some figures.

    Parameters
    ----------
    left_out : array-like of shape (N_GROUPS, ...)
        The figures without each group.

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> reach([[3.0, k] for k in range(10)]).round(2).tolist()
    [0.0, 19.49]
    """
    left_out = np.asarray(left_out, dtype=np.float64)
    spread = np.square(left_out - left_out.mean(axis=0)).sum(axis=0)
    return _STUDENT * np.sqrt((N_GROUPS - 1) / N_GROUPS * spread)


def with_interval(
    figure: Figure,
    n: int,
    without: Callable[[NDArray[np.bool_]], float],
    *,
    most: float = np.inf,
) -> Figure:
    """A figure of n rows with its interval, in [0, most]; without one if n is small.

    Parameters
    ----------
    figure : Figure
    n : int
        Rows, or whatever it is of.
    without : callable
        The figure of some of them, told by a bool each.
    most : float
    """
    if n < 2 * N_GROUPS or not np.isfinite(figure.value):
        return figure
    groups = group_of(n)
    left_out = [[without(groups != g)] for g in range(N_GROUPS)]
    return around(figure, float(reach(left_out)[0]), most)


def around(figure: Figure, half: float, most: float = np.inf) -> Figure:
    """A figure with an interval of half a width around it, within [0, most]."""
    if not np.isfinite(half):
        return figure
    low, high = figure.value - half, figure.value + half
    return figure._replace(low=max(low, 0.0), high=min(high, most))
