"""Multiples of round steps: 1, 5, 10, 50, ..., and .5, .1, .05, ..."""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from coclust_synth.tables.draws.rulers import (
    ContinuousRuler,
    Ruler,
    SteppedRuler,
    make_ruler,
)

#: Steps that values are rounded to, from a billionth on (as many decimals as a column
#: can have) to what int64 holds.
ROUND_STEPS = [
    Fraction(10) ** power * digit for power in range(-9, 19) for digit in (1, 5)
]


def step_of(ruler: Ruler) -> Fraction | None:
    """The step of a ruler; None where values are continuous."""
    return None if isinstance(ruler, ContinuousRuler) else Fraction(repr(ruler.step))


def multiples_of(step: Fraction, ruler: Ruler, largest: float = 0.0) -> Ruler:
    """The ruler of the multiples of a step, of values as those of another ruler.

    Continuous where these, up to `largest`, are too many.
    """
    if ruler.dtype is np.int64:
        return SteppedRuler(int(step))
    return make_ruler("real", float(step), largest)


def nearest_multiple(values: np.ndarray, step: Fraction, ruler: Ruler) -> np.ndarray:
    """The multiples of a step that are nearest to some values of a ruler."""
    if ruler.dtype is np.int64:
        values = values + int(step) // 2
    return multiples_of(step, ruler).snap(values)


def is_multiple(values: np.ndarray, step: Fraction, ruler: Ruler) -> np.ndarray:
    """Whether each value of a ruler is a multiple of a step that int64 counts."""
    with np.errstate(over="ignore", invalid="ignore"):
        return multiples_of(step, ruler).snap(values) == values


def free_multiples(
    values: np.ndarray,
    step: Fraction,
    ruler: Ruler,
    lows: np.ndarray,
    highs: np.ndarray,
    heaps: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """A multiple of a step in the run of each value that is no heap, where one is.

    Parameters
    ----------
    values, lows, highs : ndarray of shape (n,)
        On the ruler, and the ends of the run of each.
    step : Fraction
    ruler : Ruler
    heaps : ndarray of shape (h,)
        Values that are no others'.

    Returns
    -------
    found : ndarray of shape (n,)
        Any where there is none.
    fits : ndarray of bool, shape (n,)
    """
    others = (
        (other, (other >= lows) & (other <= highs) & ~np.isin(other, heaps))
        for other in multiples_beside(values, step, ruler)
    )
    return first_that_may(others, len(values))


def multiples_beside(
    values: np.ndarray, step: Fraction, ruler: Ruler
) -> tuple[np.ndarray, ...]:
    """The multiples of a step next to each value of a ruler, the nearest first.

    Returns
    -------
    tuple of ndarray of shape (n,)
        The nearest, the next one, and then the one below and the one above the nearest.
    """
    near = nearest_multiple(values, step, ruler)
    wide = int(step) if ruler.dtype is np.int64 else float(step)
    low, high = (nearest_multiple(near + way * wide, step, ruler) for way in (-1, 1))
    nearer = np.where(np.abs(values - low) < np.abs(high - values), low, high)
    return near, nearer, low, high


def first_that_may(
    candidates: Iterable[tuple[np.ndarray, np.ndarray]], n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Of some numbers for each of n values the first that may be, and where one may.

    Parameters
    ----------
    candidates : iterable of (ndarray of shape (n,), ndarray of bool, shape (n,))
        Numbers, and which of them may be.
    n : int

    Returns
    -------
    found : ndarray of shape (n,)
        Any where none may be.
    fits : ndarray of bool, shape (n,)
    """
    found, fits = None, np.zeros(n, dtype=bool)
    for other, may in candidates:
        found = other if found is None else np.where(may & ~fits, other, found)
        fits |= may
    return found, fits
