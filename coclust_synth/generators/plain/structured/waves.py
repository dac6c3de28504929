"""Waves of a survey: what nearly tells a column of few values says which of these.

Where 20 individuals or more hold each value of a column, as the years or the days in
which a survey took place, no other is drawn: from the row before it is so many years to
one in which there was a survey. Where no person has two rows of one, none is drawn with
two, and the first ones leave room for those to come.
"""

import numpy as np

from coclust_synth.generators.plain.structured.drawn import Drawn
from coclust_synth.tables.draws.rulers import Ruler, SteppedRuler
from coclust_synth.tables.parts.atoms import AtomParts, are_values
from coclust_synth.tables.parts.parts import Parts
from coclust_synth.tables.relations import Fit

# Rows times distances between waves that are looked at, and different ones, at most.
_MAX_ALLOWED, _MAX_DIFFERENT = 2**26, 2**22


def waves_of(drawn: Drawn, parts: Parts) -> np.ndarray | None:
    """The values of a column, where others nearly tell it and many hold each.

    Parameters
    ----------
    drawn : Drawn
    parts : Parts
        Of the column.

    Returns
    -------
    ndarray, increasing, or None
        None also of columns without steps, whose sums are off by rounding.
    """
    fit = drawn.fit
    if not isinstance(fit, Fit) or not fit.about or fit.logarithms:
        return None
    if not isinstance(parts, AtomParts) or not isinstance(parts.ruler, SteppedRuler):
        return None
    return parts.lows if are_values(parts) else None


def left_on_waves(
    waves: np.ndarray, dates: np.ndarray, residuals: AtomParts, ruler: Ruler
) -> tuple[np.ndarray, np.ndarray]:
    """What a fit may leave of each row, so that it is in a wave.

    Parameters
    ----------
    waves : ndarray
    dates : ndarray, shape (n,)
        What the fit says.
    residuals : AtomParts
    ruler : Ruler
        Of the column.

    Returns
    -------
    group : ndarray of int32, shape (n_parts,)
        Of each code of the residuals.
    allowed : ndarray of bool, shape (n, n_groups)
        All True of very many rows and distances, which would take as much memory.
    """
    n, n_codes = len(dates), residuals.n_parts
    own, row = np.unique(dates, return_inverse=True)
    if n * n_codes > _MAX_ALLOWED or len(own) * n_codes > _MAX_DIFFERENT:
        return np.zeros(n_codes, dtype=np.int32), np.ones((n, 1), dtype=bool)
    allowed = np.ones((len(own), n_codes), dtype=bool)
    low = ruler.snap(own[:, None] + residuals.lows)
    high = ruler.snap(own[:, None] + residuals.highs)
    first, end = np.searchsorted(waves, low), np.searchsorted(waves, high, "right")
    allowed[:, : len(residuals.lows)] = first < end
    return np.arange(n_codes, dtype=np.int32), allowed[row]


def on_waves(
    waves: np.ndarray, values: np.ndarray, lowest: np.ndarray, highest: np.ndarray
) -> np.ndarray:
    """The nearest wave of each row, from its lowest to its highest if there is one.

    Parameters
    ----------
    waves : ndarray
    values : ndarray, shape (n,)
    lowest, highest : ndarray of float64, shape (n,)
        In the same units.

    Returns
    -------
    ndarray, shape (n,)
        Where there is none, the next one.
    """
    last = len(waves) - 1
    first = np.minimum(np.searchsorted(waves, lowest), last)
    end = np.maximum(np.searchsorted(waves, highest, "right") - 1, first)
    after = np.searchsorted(waves, values).clip(0, last)
    before = np.maximum(after - 1, 0)
    is_before = values - waves[before] < waves[after] - values
    return waves[np.where(is_before, before, after).clip(first, end)]
