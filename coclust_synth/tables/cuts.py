"""Where to cut a numeric column into intervals.

A *ruler* knows which values a column can take; the cut points of an interval
partition are the upper ends of all intervals but the last: part k holds the values v
with cut[k-1] < v <= cut[k]. Cuts are computed from `ColumnCounts`, never from rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.rows import ColumnCounts

# Further from zero than this many steps, float64 rounding can miss the nearest step.
_MAX_STEPS = 2**50


@dataclass(frozen=True)
class SteppedRuler:
    """A column whose values are the multiples of a step.

    Parameters
    ----------
    step : int or float
        As text it is exact: 0.1 is a tenth.
    whole : bool, default=True
        Whether values are int64 (integers, dates) or float64 (decimals).
    """

    step: int | float
    whole: bool = True

    @property
    def dtype(self) -> type:
        """Type of the column's values."""
        return np.int64 if self.whole else np.float64

    def _index(self, values):
        """How many steps a value is, rounded where it is no multiple."""
        values = np.asarray(values)
        if self.whole:
            return (values // 1).astype(np.int64) // self.step
        return np.rint(values / self.step).astype(np.int64)

    def _value(self, index):
        """Inverse of `_index`; decimals as a reader of text would have them."""
        if self.whole:
            return index * self.step
        # 3 × 0.1 is not 0.3, but 3 × 1 / 10 is: a quotient is rounded only once.
        numerator, denominator = Fraction(repr(self.step)).as_integer_ratio()
        return index * numerator / denominator

    def snap(self, values):
        """The column's values closest to (integers: not above) the given ones."""
        return self._value(self._index(values))

    def down(self, values):
        """The highest of the column's values not above each given one."""
        index = self._index(values)
        return self._value(index - (self._value(index) > values))

    def up(self, values):
        """The lowest of the column's values not below each given one."""
        index = self._index(values)
        return self._value(index + (self._value(index) < values))

    def below(self, values):
        """The neighbour below each of the column's values."""
        return self._value(self._index(values) - 1)

    def above(self, values):
        """The neighbour above each of the column's values."""
        return self._value(self._index(values) + 1)

    def middle(self, a, b):
        """A value halfway from a to b, in [a, b[."""
        a, b = self._index(a), self._index(b)
        return self._value((a & b) + ((a ^ b) >> 1))  # (a + b) // 2 without overflow

    def uniform(self, low, high, rng: np.random.Generator):
        """Draw one value from each [low, high], all equally likely."""
        return self._value(
            rng.integers(self._index(low), self._index(high), endpoint=True)
        )

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {"step": self.step, "whole": self.whole}


@dataclass(frozen=True)
class ContinuousRuler:
    """A column that can take any real value; the methods are `SteppedRuler`'s."""

    dtype = np.float64

    def snap(self, values):
        """Every value is one of the column's."""
        return np.asarray(values, dtype=np.float64)

    down = up = snap

    def below(self, values):
        """The next float64 below."""
        return np.nextafter(values, -np.inf)

    def above(self, values):
        """The next float64 above."""
        return np.nextafter(values, np.inf)

    def middle(self, a, b):
        """A value halfway from a to b, in [a, b[."""
        return np.maximum(
            a, np.minimum(np.divide(a, 2) + np.divide(b, 2), self.below(b))
        )

    def uniform(self, low, high, rng: np.random.Generator):
        """Draw one value uniformly from each [low, high]."""
        share = rng.random(np.shape(low))
        return np.clip(low * (1 - share) + high * share, low, high)

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {"step": None}


Ruler = SteppedRuler | ContinuousRuler


def make_ruler(kind: str, step: int | float | None, largest: float = 0) -> Ruler:
    """The ruler of a column.

    Parameters
    ----------
    kind : {"integer", "real", "datetime"}
    step : int, float or None
        Every value is a multiple of it; None is 1, or no step for a real column.
    largest : float, default=0
        Largest absolute value to come.
    """
    if step is not None and not step > 0:
        raise ParameterError(
            f"Expected a positive step; got {step!r}. Correct the column's step, or "
            "leave it out."
        )
    if kind != "real":
        return SteppedRuler(int(step or 1))
    if step is None or largest / step > _MAX_STEPS:
        return ContinuousRuler()
    return SteppedRuler(float(step), whole=False)


def ruler_from_dict(data: dict) -> Ruler:
    """Inverse of the rulers' `to_dict`."""
    return ContinuousRuler() if data["step"] is None else SteppedRuler(**data)


def quantile_cuts(counts: ColumnCounts, bins: int, ruler: Ruler) -> np.ndarray:
    """Cuts into intervals of equal frequency, those of ``pandas.qcut``.

    Values fall into the same intervals as with ``pandas.qcut(x, bins,
    duplicates="drop")``, intervals that no value falls into left out. The cut itself
    lies halfway between the values on its two sides, so that it is nobody's value
    where there is room.

    Parameters
    ----------
    counts : ColumnCounts
    bins : int
        Number of intervals asked for; ties can leave fewer.
    ruler : Ruler

    Returns
    -------
    ndarray of shape (number of intervals - 1,)
        Increasing.

    Examples
    --------
    >>> counts = ColumnCounts(np.array([1, 2, 7, 8]), np.array([1, 1, 1, 1]))
    >>> quantile_cuts(counts, 2, SteppedRuler(1))
    array([4])
    """
    values = counts.values
    if len(values) < 2:
        return values[:0]

    # Quantiles between order statistics, with the roundings of pandas 3 and numpy: an
    # edge that is a value and one just under it cut differently. A share that float64
    # cannot hold is rounded up.
    shares = np.linspace(0, 1, bins + 1)
    inexact = bins * shares != np.arange(bins + 1)
    shares[inexact] = np.nextafter(shares[inexact], 1)
    ranks = (counts.n_present - 1) * shares
    below = np.floor(ranks)
    weight = ranks - below
    last_rank = np.cumsum(counts.counts) - 1
    a = values[np.searchsorted(last_rank, below)].astype(float)
    above = np.minimum(below + 1, last_rank[-1])
    b = values[np.searchsorted(last_rank, above)].astype(float)
    edges = np.where(weight < 0.5, a + (b - a) * weight, b - (b - a) * (1 - weight))

    inner = np.unique(edges)[1:-1]
    before = np.unique(np.searchsorted(values, inner, side="right") - 1)
    before = before[(before >= 0) & (before < len(values) - 1)]
    return ruler.middle(values[before], values[before + 1])


def heaped_cuts(counts: ColumnCounts, bins: int, ruler: Ruler) -> np.ndarray:
    """Cuts into intervals of equal frequency, heaps apart.

    A value that more than one row in `bins` holds is a heap and an interval of its
    own. Each stretch of values between heaps is cut by `quantile_cuts`, into a number
    of intervals in proportion to its rows, at least one. Without a heap the cuts are
    those of `quantile_cuts`.

    Parameters
    ----------
    counts : ColumnCounts
    bins : int
    ruler : Ruler

    Returns
    -------
    ndarray of shape (number of intervals - 1,)
        Increasing.

    Examples
    --------
    >>> counts = ColumnCounts(np.array([0, 5, 9]), np.array([90, 5, 5]))
    >>> heaped_cuts(counts, 10, SteppedRuler(1))
    array([0])
    """
    values = counts.values
    is_heap = counts.counts * bins > counts.n_rows
    heaps = np.flatnonzero(is_heap)

    # Both sides of each heap; one cut only between two heaps that are neighbours.
    cuts = [values[heaps[heaps < len(values) - 1]]]
    first_of_heaps = heaps[heaps > 0]
    first_of_heaps = first_of_heaps[~is_heap[first_of_heaps - 1]]
    cuts.append(ruler.below(values[first_of_heaps]))

    n_present = counts.n_present
    starts, ends = np.append(-1, heaps) + 1, np.append(heaps, len(values))
    for start, end in zip(starts, ends, strict=True):
        stretch = ColumnCounts(values[start:end], counts.counts[start:end])
        share = (2 * bins * stretch.n_present + n_present) // max(2 * n_present, 1)
        cuts.append(quantile_cuts(stretch, max(share, 1), ruler))
    return np.unique(np.concatenate(cuts))


def width_cuts(lo: float, hi: float, bins: int) -> np.ndarray:
    """Cuts of [lo, hi] into intervals of equal width.

    The only cuts that do not look at the data when the bounds are fixed beforehand.

    Examples
    --------
    >>> width_cuts(0, 10, 4)
    array([2.5, 5. , 7.5])
    """
    return np.linspace(lo, hi, bins + 1)[1:-1]


def given_cuts(cuts: Sequence[float]) -> np.ndarray:
    """Check cut points that the user gives.

    Raises
    ------
    ParameterError
        If they are not finite and strictly increasing.
    """
    checked = np.asarray(cuts)
    if (
        checked.ndim != 1
        or checked.dtype.kind not in "iuf"
        or not np.isfinite(checked).all()
        or (checked[:-1] >= checked[1:]).any()
    ):
        raise ParameterError(
            f"Expected finite, strictly increasing cut points; got {cuts!r}. "
            "Sort them and give each once."
        )
    return checked
