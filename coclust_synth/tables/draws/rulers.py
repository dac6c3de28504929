"""Which values a numeric column can take.

A *ruler* is the set of a column's possible values: the multiples of a step, or every
real number. It finds the neighbours of a value and draws between two of them, so that
no interval and no drawn value holds digits that the column does not have. It also finds
the roundest number between two values, which separates them and tells little more.
So too for dates and times: the first of a year, of a month, ...
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.rows import ColumnCounts

# Further from zero than this many steps, float64 rounding can miss the nearest step.
_MAX_STEPS = 2**50

# Every whole number that is round for int64: 1, 2, 5, 10, 20, 50, ..., 5 × 10**18.
_ROUND = [digit * 10**zeros for zeros in range(19) for digit in (1, 2, 5)]
# From the roundest on: unit, and how many of it; days are counted from the first of
# their month, the other units from the year 0, from January, from midnight, ...
_LEVELS = [
    *(("Y", n) for n in (100, 50, 20, 10, 5, 2, 1)),
    *(("M", n) for n in (6, 3, 1)),
    *(("D", n) for n in (10, 5, 2, 1)),
    *(("h", n) for n in (12, 6, 2, 1)),
    *((unit, n) for unit in ("m", "s") for n in (30, 10, 5, 2, 1)),
    *((unit, n) for unit in ("ms", "us", "ns") for n in (500, 100, 50, 10, 5, 2, 1)),
]


@dataclass(frozen=True)
class SteppedRuler:
    """A column whose values are the multiples of a step.

    Parameters
    ----------
    step : int or float
        As text it is exact: 0.1 is a tenth.
    whole : bool, default=True
        Whether values are int64 (integers, dates) or float64 (decimals).
    unit : {"D", "s", "ms", "us", "ns"}, optional
        Of dates: numbers are units since 1970-01-01.
    """

    step: int | float
    whole: bool = True
    unit: str | None = None

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
        # As doubles, as their product may be beyond 64 bits.
        numerator, denominator = Fraction(repr(self.step)).as_integer_ratio()
        return index * float(numerator) / float(denominator)

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

    def roundest(self, a, b):
        """The roundest number that separates each a from its b, as a cut point.

        It is a multiple of 10**k, of 5 × 10**k or of 2 × 10**k steps of the ruler, for
        the largest of these that has a multiple between a and b; the lowest one. So it
        has the fewest digits that keep a and b apart, and tells that no rounder number
        does, but not a from b as a cut halfway would: b = 2 * cut - a. A round date is
        one of the calendar; see `roundest_instant`.

        Parameters
        ----------
        a, b : array-like of one shape
            Values of the column, a < b.

        Returns
        -------
        ndarray
            In ]a, b[, or a itself when the column has no value between.

        Examples
        --------
        >>> SteppedRuler(1).roundest([28, 0, 6], [33, 74, 7])
        array([30, 50,  6])
        >>> ContinuousRuler().roundest([0.0, 99.2], [7.3, 101.3])
        array([  5., 100.])
        """
        if self.unit is not None:
            a, b = np.asarray(a), np.asarray(b)
            instant = roundest_instant(a, b, self.unit, self.step)
            if np.all(instant > a):
                return instant
        whole = self._value(_roundest_whole(self._index(a), self._index(b)))
        return whole if self.unit is None else np.where(instant > a, instant, whole)

    def uniform(self, low, high, rng: np.random.Generator):
        """Draw one value from each [low, high], all equally likely."""
        return self._value(
            rng.integers(self._index(low), self._index(high), endpoint=True)
        )

    def between(self, low, high, share, others=()):
        """The value at some share, in [0, 1], of the values from low to high.

        Parameters
        ----------
        low, high, share : ndarray of shape (n,)
        others : ndarray of shape (h,), default=()
            Values that are left out, but where there are no further ones; of dates none
            are, whose days a calendar tells.

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> low, share = np.array([58] * 3), np.array([0.1, 0.4, 0.9])
        >>> SteppedRuler(1).between(low, low + 4, share, np.array([59, 60, 61]))
        array([58, 58, 62])
        """
        first, last, others = self._index(low), self._index(high), self._held(others)
        n, before = self._free(first, last, others)
        steps = np.minimum(np.floor(share * n).astype(np.int64), n - 1)
        skipped = others - np.arange(len(others))
        passed = np.searchsorted(skipped, first + steps - before, side="right")
        is_free = n < last - first + 1
        return self._value(first + steps + np.where(is_free, passed - before, 0))

    def position(self, low, high, value, others=()):
        """The share of the values from low to high at which a value is: its middle.

        See `between`, whose inverse it is.
        """
        first, own, others = self._index(low), self._index(value), self._held(others)
        n, before = self._free(first, self._index(high), others)
        is_free = n < self._index(high) - first + 1
        passed = np.searchsorted(others, own) - before
        return (own - first - np.where(is_free, passed, 0) + 0.5) / n

    def _held(self, others):
        """Steps of values that are left out, sorted."""
        if self.unit is not None:
            others = ()
        return np.unique(self._index(np.asarray(others, dtype=self.dtype)))

    def _free(self, first, last, others):
        """Values from first to last but for others, or all; and others before first."""
        before = np.searchsorted(others, first)
        n = last - first + 1
        free = n - (np.searchsorted(others, last, side="right") - before)
        return np.where(free > 0, free, n), before

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {"step": self.step, "whole": self.whole, "unit": self.unit}


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

    def roundest(self, a, b):
        """The roundest number that separates each a from its b.

        The shortest decimal; where float64 has next to nothing between them, halfway.
        """
        a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
        # With units of 10**power there are 20 to 200 whole numbers between a and b.
        half_gap = np.maximum(b / 2 - a / 2, 1e-300)
        power = np.floor(np.log10(half_gap)).astype(np.int64) - 1
        low, high = a / 10.0**power, b / 10.0**power
        # A whole number that rounding may have moved past an end counts as that end.
        low, high = low + 1e-15 * abs(low), high - 1e-15 * abs(high)
        whole = _roundest_whole(
            np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)
        )
        # Text is read exactly, whereas whole * 10.0**power is rounded twice.
        pairs = zip(whole.ravel().tolist(), power.ravel().tolist(), strict=True)
        decimal = np.reshape([float(f"{k}e{p}") for k, p in pairs], a.shape)
        halfway = np.maximum(a, np.minimum(a / 2 + b / 2, self.below(b)))
        return np.where((a < decimal) & (decimal < b), decimal, halfway)

    def uniform(self, low, high, rng: np.random.Generator):
        """Draw one value uniformly from each [low, high]."""
        return self.between(low, high, rng.random(np.shape(low)))

    def between(self, low, high, share, others=()):
        """The value at some share, in [0, 1], of the way from low to high."""
        return np.clip(low * (1 - share) + high * share, low, high)

    def position(self, low, high, value, others=()):
        """The share of the way from low to high at which a value is."""
        width = np.where(high > low, high - low, 1.0)
        return np.where(high > low, (value - low) / width, 0.5)

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {"step": None}


Ruler = SteppedRuler | ContinuousRuler


def _roundest_whole(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The roundest integer of each ]a, b[, or a when there is none; int64."""
    best = a
    largest = max(-float(np.min(a, initial=0)), float(np.max(b, initial=0)))
    with np.errstate(over="ignore"):
        for step in _ROUND:
            if step > largest:
                break
            multiple = (a // step + 1) * step  # the first above a
            # One past int64 has come round to below a.
            best = np.where((a < multiple) & (multiple < b), multiple, best)
    return np.where((a < 0) & (b > 0), 0, best)  # zero is a multiple of every step


def make_ruler(
    kind: str, step: int | float | None, largest: float = 0, unit: str | None = None
) -> Ruler:
    """The ruler of a column.

    Parameters
    ----------
    kind : {"integer", "real", "datetime"}
    step : int, float or None
        Every value is a multiple of it; None is 1, or no step for a real column.
    largest : float, default=0
        Largest absolute value to come.
    unit : {"D", "s", "ms", "us", "ns"}, optional
        Of a date.
    """
    if step is not None and not step > 0:
        raise ParameterError(
            f"Expected a positive step. Received {step!r}. Correct the column's step, "
            "or leave it out."
        )
    if kind != "real":
        return SteppedRuler(int(step or 1), unit=unit)
    if step is None or largest / step > _MAX_STEPS:
        return ContinuousRuler()
    return SteppedRuler(float(step), whole=False)


def ruler_from_dict(data: dict) -> Ruler:
    """Inverse of the rulers' `to_dict`."""
    return ContinuousRuler() if data["step"] is None else SteppedRuler(**data)


def check_ends(values: np.ndarray, bounds: tuple | None) -> tuple:
    """Check the lowest and highest value of a column, and its bounds.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Distinct values, increasing.
    bounds : (low, high) or None
        Lowest and highest value allowed.

    Returns
    -------
    tuple
        Lowest and highest value, where there are values; then the bounds, if given.

    Raises
    ------
    SchemaError
        If one of them is not finite, a value is outside the bounds, or the highest less
        the lowest is no float.
    """
    seen = tuple(values[[0, -1]].tolist()) if len(values) else ()
    ends = seen + tuple(bounds or ())
    if not np.isfinite(ends).all():
        raise SchemaError(
            f"Expected finite values and bounds. Received {ends}. Make infinite values "
            "missing first, or correct the bounds."
        )
    if bounds and seen and not (bounds[0] <= seen[0] and seen[1] <= bounds[1]):
        raise SchemaError(
            f"Expected values from {bounds[0]} to {bounds[1]}. Received {seen[0]} to "
            f"{seen[1]}. Widen the bounds, or make values outside missing."
        )
    if ends and math.isinf(max(ends) - min(ends)):
        raise SchemaError(
            "Expected values of which the highest less the lowest is a finite number. "
            f"Received {min(ends)} and {max(ends)}. Correct them, or make them missing."
        )
    return ends


def put_on_ruler(
    counts: ColumnCounts, bounds: tuple | None, ruler: Ruler
) -> tuple[ColumnCounts, np.generic, np.generic]:
    """Move a column's values, and its two ends, to values that it can take.

    Parameters
    ----------
    counts : ColumnCounts
        At least one value, unless there are bounds.
    bounds : (low, high) or None
        Lowest and highest value allowed; None for those of the values.
    ruler : Ruler

    Returns
    -------
    counts : ColumnCounts
        Values that became equal are counted together.
    lo, hi : number
        Lowest and highest value allowed that the column can take.

    Raises
    ------
    ParameterError
        If the column can take no value between the bounds.

    Examples
    --------
    >>> counts = ColumnCounts(np.array([12, 40]), np.array([3, 1]))
    >>> put_on_ruler(counts, (9, 99), SteppedRuler(5))[0].values
    array([10, 40])
    """
    snapped = ruler.snap(counts.values)
    if bounds is None:
        lo, hi = snapped[0], snapped[-1]
    else:
        lo, hi = ruler.up(np.array(bounds[0])), ruler.down(np.array(bounds[1]))
    if lo > hi:
        raise ParameterError(
            "Expected bounds with a value of the column between them. Received "
            f"{bounds} with steps of {ruler.step}. Widen the bounds or refine the step."
        )
    values, position = np.unique(np.clip(snapped, lo, hi), return_inverse=True)
    rows = np.bincount(position, weights=counts.counts).astype(np.int64)
    return ColumnCounts(values, rows, counts.n_missing), lo, hi


def roundest_instant(a: np.ndarray, b: np.ndarray, unit: str, step: int) -> np.ndarray:
    """The roundest instant strictly between each a and its b; a where there is none.

    Parameters
    ----------
    a, b : ndarray of int64, of one shape
        Units since 1970-01-01, multiples of `step`.
    unit : {"D", "s", "ms", "us", "ns"}
    step : int
        The instant found is a multiple of it.

    Returns
    -------
    ndarray of int64

    Examples
    --------
    >>> days = np.array(["2019-11-23", "2020-02-11"], dtype="M8[D]").astype(int)
    >>> roundest_instant(days[:1], days[1:], "D", 1).astype("M8[D]")
    array(['2020-01-01'], dtype='datetime64[D]')
    """
    best = np.array(a)
    if not best.size:
        return best
    # No level is finer than the unit: a unit of time always comes after that of days.
    finest = max(k for k, (of, _) in enumerate(_LEVELS) if of == unit)
    for level in reversed(_LEVELS[: finest + 1]):
        candidate = _first_above(a, unit, *level)
        fits = (a < candidate) & (candidate < b) & (candidate % step == 0)
        best = np.where(fits, candidate, best)
    return best


def _first_above(a, unit, of, n):
    """The first instant after each a that is `n` of the unit `of`."""
    instants = np.asarray(a).astype(f"M8[{unit}]")
    index = instants.astype(f"M8[{of}]").astype(np.int64)
    first = 0
    if of == "Y":
        first = -1970
    elif of == "D":
        first = instants.astype("M8[M]").astype("M8[D]").astype(np.int64)
    above = first + ((index - first) // n + 1) * n
    return above.astype(f"M8[{of}]").astype(f"M8[{unit}]").astype(np.int64)
