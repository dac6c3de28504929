"""Numbers cut into bins, and drawn again inside them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np

_DIGITS = 6  # of the ends of logarithmic bins, as many as labels show
_TINY = float(np.nextafter(0.0, 1.0))


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins of numbers in increasing order.

    Parameters
    ----------
    low, high : int or float
        Lowest and highest number; beside them 0, if `zero` is true.
    starts : ndarray of int64 or float64, shape (b,)
        Lowest number of each bin, whole where the numbers are. The bin of a number is
        the last one that does not start above it.
    unit : int or float, optional
        What is drawn is a multiple of it; 1 for whole numbers. None: any number.
    log : bool, default=False
        Whether logarithms are drawn evenly within a bin, rather than numbers. Starts
        are then above 0, but for that of the bin of zeros.
    zero : bool, default=False
        Whether the first bin is that of the number 0 alone.
    """

    low: int | float
    high: int | float
    starts: np.ndarray
    unit: int | float | None = None
    log: bool = False
    zero: bool = False

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def whole(self) -> bool:
        """Whether all its numbers are whole."""
        return self.starts.dtype.kind == "i"

    @property
    def ends(self) -> np.ndarray:
        """Highest number of each bin, shape (b,)."""
        if self.whole:
            ends = np.append(self.starts[1:] - 1, self.high)
        else:
            ends = np.append(np.nextafter(self.starts[1:], -np.inf), self.high)
        ends[0] = 0 if self.zero else ends[0]
        return ends

    def nearest(self, number):
        """The number itself, or the nearest one between those declared."""
        if self.zero and number <= 0:
            return 0
        return min(max(number, self.low), self.high)

    def finder(self) -> Callable[..., int]:
        """The rule that tells the bin of a number that is `nearest` to itself."""
        # Not kept: a generator that is saved would tell whether a number was looked up.
        starts = self.starts.tolist()
        return lambda number: max(bisect_right(starts, number) - 1, 0)

    @cached_property
    def multiples(self) -> tuple[np.ndarray, np.ndarray]:
        """First and last multiple of the unit in each bin, in units; int64, shape (b,).

        The last is before the first where a bin holds none.
        """
        if self.whole and self.unit == 1:
            return self.starts, self.ends
        unit = exact(self.unit)
        first = [-(-exact(start) // unit) for start in self.starts.tolist()]
        last = [*(number - 1 for number in first[1:]), exact(self.high) // unit]
        return np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)

    def around(self, numbers: list) -> tuple[np.ndarray, np.ndarray]:
        """Numbers that are drawn, on all sides of some others.

        What comparisons with those others ask is met by one of these in the same bin,
        if by anything that is drawn from it (of any numbers: with a chance above 0).

        Parameters
        ----------
        numbers : list of m int or float

        Returns
        -------
        drawn : ndarray of int64 or float64, shape (p,)
        codes : ndarray of int64, shape (p,)
            Bin of each.
        """
        if self.unit is None:
            starts, ends = self.starts, self.ends
            ends_of_stretches = np.unique([*starts, *ends, *numbers])
            low, high = ends_of_stretches[:-1], ends_of_stretches[1:]
            middles = low / 2 + high / 2
            inside = (low < middles) & (middles < high)
            narrow = np.nextafter(starts, np.inf) >= ends  # one float or two
            found = np.concatenate([middles[inside], starts[narrow], ends[narrow]])
        else:
            starts, ends = self.multiples
            ends = np.append(0, ends[1:]) if self.zero else ends
            units = [exact(number) // exact(self.unit) for number in numbers]
            least, most = int(starts[0]), int(ends[-1])
            near = [min(max(n + k, least), most) for n in units for k in (-1, 0, 1)]
            found = np.array([*starts, *ends, *near], dtype=np.int64)
        codes = np.searchsorted(starts, found, side="right") - 1
        inside = (codes >= 0) & (found <= ends[codes])
        found, codes = found[inside], codes[inside]
        return (found if self.unit is None else self._numbers(found)), codes

    def draw(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A number in the bin of each code, shape (n,)."""
        if self.unit is None:
            numbers = self._draw_reals(codes, rng)
        else:
            numbers = self._draw_multiples(codes, rng)
        return np.where(codes == 0, 0, numbers) if self.zero else numbers

    def _draw_reals(self, codes, rng):
        starts, ends = self.starts[codes], self.ends[codes]
        if self.log:
            drawn = np.exp(_evenly(_logarithms(starts), _logarithms(ends), rng))
            return np.clip(drawn, starts, ends)
        return np.minimum(_evenly(starts, ends, rng), ends)

    def _draw_multiples(self, codes, rng):
        first, last = (numbers[codes] for numbers in self.multiples)
        if self.log:
            drawn = np.exp(_evenly(_logarithms(first), _logarithms(last + 1), rng))
            drawn = np.clip(drawn.astype(np.int64), first, last)
        else:
            drawn = rng.integers(first, last + 1)
        return self._numbers(drawn)

    def _numbers(self, multiples):
        """The numbers of some multiples of the unit."""
        if self.whole:
            return multiples * self.unit
        # Rounded, 3 * .1 is .3: the number that is nearest to the multiple.
        digits = -Decimal(repr(float(self.unit))).as_tuple().exponent
        return np.round(multiples * float(self.unit), digits)


def even_starts(low, high, n_bins: int) -> np.ndarray:
    """Starts of bins of equal width from `low` to `high`; whole if both are."""
    width = high - low
    if isinstance(width, float):
        return low + width * (np.arange(n_bins) / n_bins)
    return np.array([low - (-b * width // n_bins) for b in range(n_bins)])


def log_starts(low, high, n_bins: int, unit: int | float | None) -> np.ndarray:
    """Starts of bins of equal ratio from `low`, which is above 0, to `high`.

    All but the first have six significant digits, or are multiples of a unit if there
    is one; bins that would then be empty are left out.
    """
    inner = np.geomspace(low, high, n_bins + 1)[1:-1].tolist()
    inner = [exact(float(f"{start:.{_DIGITS}g}")) for start in inner]
    least = exact(low)
    if unit is not None:
        step = exact(unit)
        inner = [-(-start // step) * step for start in inner]
        least = -(-least // step) * step  # in the first bin
    kind = type(low + high)
    inner = {kind(start) for start in inner if least < start < exact(high)}
    return np.array([low, *sorted(inner)])


def step_starts(low, high, step) -> np.ndarray:
    """Starts of bins of a width from `low` on, the last one up to `high`.

    Numbers are whole if all three are.
    """
    kind = type(low + high + step)
    starts = (exact(low) + b * exact(step) for b in range(step_count(low, high, step)))
    return np.array([kind(start) for start in starts])


def step_count(low, high, step) -> int:
    """Bins of a width between two numbers."""
    n_steps = (exact(high) - exact(low)) / exact(step)
    # Of whole numbers, `high` may need a bin of its own.
    whole = isinstance(low + high + step, int)
    return n_steps.__floor__() + 1 if whole else n_steps.__ceil__()


def without_zero(starts: np.ndarray) -> np.ndarray:
    """A first bin for the number 0 alone, before others that hold none below it."""
    least = 1 if starts.dtype.kind == "i" else _TINY
    return np.append(np.zeros_like(starts[:1]), np.unique(np.maximum(starts, least)))


def exact(number: int | float | Fraction) -> Fraction:
    """A number as it is written: .1 is a tenth."""
    is_exact = isinstance(number, int | Fraction)
    return Fraction(number if is_exact else repr(float(number)))


def _evenly(low, high, rng):
    return low + rng.random(len(low)) * (high - low)


def _logarithms(numbers):
    """Logarithms; of a bin of zeros any number, as none is drawn there."""
    return np.log(np.where(numbers > 0, numbers, 1))
