"""Runs of the values of a numeric column, and the laws that values follow in them.

A run has the mean of its values: a power law on the side of the mean keeps it. The
outer ends of a column are open. Beyond the last cut values follow the generalized
Pareto law that has their first two moments, as exceedances of a threshold do (Pickands
1975), up to a round number: no end is an extreme of the table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import Ruler
from coclust_synth.tables.laws.laws import gather_runs
from coclust_synth.tables.rows import ColumnCounts

# The mean of a run lies between these shares of its width: beyond, a power law would
# put nearly all values on one end.
TILTS = (0.02, 0.98)
# Where the tail is so long that its end would be further away than this many means, it
# is cut where a draw in a thousand is beyond.
_MAX_REACH = 8.0
_BEYOND = 1e-3
# The end is a round number within this share of what the moments say, and the shape of
# the tail is told to so many digits.
_REACH_SLACK = 0.15
_SHAPE_DIGITS = 1
# That of an exponential law is 0, whose formula is a limit.
_NO_SHAPE = 1e-9


def pareto(tilts, shapes, uniforms):
    """Draws of generalized Pareto laws of given means, on [0, 1] from 0 or from 1.

    With a mean m and a shape x below 1 (below .5 the variance is finite) a draw is
    s / x (U^-x - 1) with s = m (1 - x), no more than 1. A shape of -m / (1 - m) makes
    it the power law 1 - U^(m / (1 - m)), which ends at 1; the uniform one at m = .5.

    Parameters
    ----------
    tilts : ndarray of float64, shape (n,)
        Means, in ]0, 1[; those above .5 are counted from 1 down.
    shapes : ndarray of float64, shape (n,)
        Not 0.
    uniforms : ndarray of float64, shape (n,)
        In [0, 1[.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    mean = np.minimum(tilts, 1 - tilts)
    scale = mean * (1 - shapes) / shapes
    share = np.minimum(scale * ((1 - uniforms) ** -shapes - 1), 1.0)
    return np.where(tilts <= 0.5, share, 1 - share)


def bounded_shapes(tilts):
    """Shapes of laws that end where their atom does, see `pareto`."""
    mean = np.minimum(tilts, 1 - tilts)
    return -mean / (1 - mean)


def find_runs(
    counts: ColumnCounts,
    others: NDArray[np.int64],
    ruler: Ruler,
    bounds: tuple | None,
    left_out: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Runs of the values of few individuals, and their laws.

    Parameters
    ----------
    counts : ColumnCounts
        Of the column.
    others : ndarray of int64, shape (m,)
        Positions of these values; they have `MIN_ROWS` individuals or more together,
        unless no value of the column has as many.
    ruler : Ruler
    bounds : (low, high) or None
        Declared by hand: no run goes beyond.
    left_out : ndarray of shape (h,)
        Heaps, where runs are spread over other numbers alone.

    Returns
    -------
    lows, highs : ndarray of shape (r,)
    tilts, shapes : ndarray of float64, shape (r,)
        Where in each the mean is, and the shape of its law; see `pareto`.
    """
    values, rows = counts.values[others], counts.counts[others]
    ends = counts.values[0], counts.values[-1]
    lows, highs, _ = gather_runs(counts, others, *ends, ruler)
    run = np.minimum(np.searchsorted(highs, values), len(highs) - 1)
    low, high = _limits(counts.values, bounds)
    is_only, tails = len(lows) == 1, {}
    middle = _middle(values, rows, ruler)
    if values[0] == counts.values[0]:
        first, inner = run == 0, middle if is_only else highs[0]
        own = values[first], rows[first]
        lows[0], tails[0] = _open_end(inner, *own, low, ruler, -1)
    if values[-1] == counts.values[-1]:
        last, inner = run == len(lows) - 1, middle if is_only else lows[-1]
        own = values[last], rows[last]
        highs[-1], tails[len(lows) - 1] = _open_end(inner, *own, high, ruler, 1)
    # From the lower end on, so that numbers as large as dates keep their digits.
    share = ruler.position(lows[run], highs[run], values, left_out)
    tilts = np.bincount(run, rows * share) / np.bincount(run, rows)
    tilts = np.clip(tilts, *TILTS).round(3)
    shapes = bounded_shapes(tilts)
    # A run that is open on both sides has the law that ends on both.
    for i, shape in tails.items():
        if shape is not None and not is_only:
            shapes[i] = shape
    return lows, highs, tilts, shapes


def _limits(values, bounds):
    """How far a column can reach: to its declared bounds, or to the other sign."""
    if bounds is not None:
        return bounds
    return (0 if values[0] >= 0 else None), (0 if values[-1] <= 0 else None)


def _middle(values, rows, ruler):
    """The column's value nearest to the mean of some."""
    distance, exponent = _scaled((values - values[0]).astype(np.float64))
    mean = np.ldexp(distance @ rows / rows.sum(), exponent)
    return _away(values[0], mean, ruler)


def _scaled(distance):
    """Distances below 1 and the power of two they are told in, which rounds nothing.

    The smallest and largest floats have no squares, and sums of the largest are none.
    """
    exponent = np.frexp(distance.max())[1]
    return np.ldexp(distance, -exponent), exponent


def _open_end(inner, values, rows, limit, ruler, side):
    """The outer end of a run that no value beyond it parts from anything.

    Distances d from the inner end are taken for draws of a generalized Pareto law: with
    q = E d^2 / (E d)^2 its shape is (q - 2) / (2 q - 2), and where that is negative it
    ends at E d q / (2 - q).

    Returns
    -------
    (end, shape)
        The shape is None where the law ends there.
    """
    distance = np.maximum(side * (values - inner).astype(np.float64), 0.0)
    distance, exponent = _scaled(distance)
    mean = distance @ rows / rows.sum()
    if not mean > 0:
        return inner, None
    q = distance**2 @ rows / rows.sum() / mean**2
    reach, shape = q / (2 - q) if q < 2 else np.inf, None
    if reach > _MAX_REACH:
        shape = np.round((q - 2) / (2 * q - 2), _SHAPE_DIGITS) or _NO_SHAPE
        reach = (1 - shape) / shape * (_BEYOND**-shape - 1)
    extreme = values[-1] if side > 0 else values[0]
    # No farther than the extreme: what is beyond need have no float.
    reach = float(np.ldexp(min(mean * reach, distance.max()), exponent))
    end = _round_end(inner, reach, extreme, ruler, side)
    if limit is not None and (end < limit if side < 0 else end > limit):
        end, shape = limit, None
    return end, shape


def _round_end(inner, reach, extreme, ruler, side):
    """A round number about so far away; not as far as the extreme, if there is one."""
    near, far = reach * (1 - _REACH_SLACK), reach * (1 + _REACH_SLACK)
    most = abs(float(extreme - inner))
    if far > most:
        near, far = most * (1 - _REACH_SLACK), most
    near, far = (_away(inner, side * distance, ruler) for distance in (near, far))
    a, b = sorted((near, far))
    end = ruler.roundest(np.array([a]), np.array([b]))[0] if a < b else a
    if side * (extreme - end) <= 0:  # there is no number between
        end = near
    if side * (end - inner) > 0:
        return end
    return ruler.above(extreme) if side > 0 else ruler.below(extreme)


def _away(value, distance, ruler):
    """The column's value at a distance from another one."""
    return ruler.snap(value + ruler.dtype(distance))
