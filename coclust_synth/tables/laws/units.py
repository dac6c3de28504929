"""Numbers that are so many of a unit and are written in another one.

Pounds are written as kilograms to two decimals (79.38), months as years (5.42), days of
cover as shares of a year. All such numbers are multiples of a step that has no such
decimals, and a number between two of them is nobody's weight. What is saved of it is
that step, as the simplest fraction that gives all numbers of the column that few share,
and how halves of a last digit were rounded: figures of all of these together.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import ContinuousRuler, Ruler
from coclust_synth.tables.laws.laws import MIN_ROWS

# All values are multiples of a step by chance in one column of so many.
_MAX_CHANCE = 1e-9
# No more multiples up to the largest value are tried: of more the smallest distance
# says too little of the step.
_MOST_MULTIPLES = 5000
# Values leave so many steps or fewer, before each is looked at by itself.
_FEW = 8
# A step has two of the ruler's at least, and so have neighbours. A ruler without steps
# has the digits of a double, or the fifteen that some programs write.
_LEAST_STEPS = 2.0
_DIGITS = 5e-15
# Multiples of a step are computed in doubles, which hold whole numbers up to here.
_HELD = 2**53
# Steps tried for each multiple: neighbours move the largest value by an eighth of one.
_TRIED = 8
_TIES = ("even", "up", "down")
# Steps of decimals, for each power of ten: quarters among them.
_DECIMAL = [
    Fraction(digit) * Fraction(10) ** k
    for k in range(-9, 7)
    for digit in (1, 2, "2.5", 5)
]


@dataclass(frozen=True)
class Unit:
    """A step that all values that few share are multiples of, before rounding.

    Parameters
    ----------
    step : Fraction
    ties : {"even", "up", "down"}
        Where a multiple goes that is halfway between two values of the ruler.
    """

    step: Fraction
    ties: str = "even"

    def count(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """How many of the unit each value is, the nearest number."""
        return np.rint(np.asarray(values) / float(self.step)).astype(np.int64)

    def written(self, numbers: NDArray[np.int64], ruler: Ruler) -> NDArray[Any]:
        """So many of the unit, as values of a column."""
        exact = numbers * self.step.numerator / self.step.denominator
        if isinstance(ruler, ContinuousRuler):
            return exact
        steps = exact / ruler.step
        # Near a half it is one: a quotient of doubles is off by their last digits.
        halves = np.rint(2 * steps) / 2
        is_half = np.abs(steps - halves) <= 4 * np.spacing(np.abs(steps))
        steps = np.where(is_half, halves, steps)
        if self.ties == "even":
            steps = np.rint(steps)
        else:
            up = self.ties == "up"
            steps = np.floor(steps + 0.5) if up else np.ceil(steps - 0.5)
        if ruler.whole:
            return steps.astype(np.int64) * ruler.step
        return ruler.snap(steps * ruler.step)

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return {"step": str(self.step), "ties": self.ties}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return cls(Fraction(data["step"]), data["ties"])


def learn_unit(values: NDArray[Any], ruler: Ruler) -> Unit | None:
    """The unit that all of some values are whole numbers of.

    With a distance g between two neighbours at least the step is about g. Values v that
    are off by h at most are k multiples of one over it, f, where |v f - k| <= h f: of
    the f that this leaves for all, the simplest fraction is the step. Whole numbers and
    quarters say nothing of twelfths.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Different ones on the ruler.
    ruler : Ruler
        Of numbers, not of dates.

    Returns
    -------
    Unit or None
        None of fewer than `MIN_ROWS` values, which it could tell one by one, of a step
        that the ruler has, and if chance could explain it. One value that is no
        multiple makes it disappear.

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> kilograms = np.round(np.arange(90, 250) * 0.4536, 2)
    >>> unit = learn_unit(kilograms, SteppedRuler(0.01, whole=False))
    >>> round(float(unit.step), 4)
    0.4536
    """
    own = np.unique(np.abs(values[values != 0]).astype(np.float64))
    if len(own) < MIN_ROWS or not np.isfinite(own[-1]):
        return None
    base = 0.0 if isinstance(ruler, ContinuousRuler) else float(ruler.step)
    off = base / 2 * (1 + 1e-9) + own * _DIGITS
    gaps = np.diff(own)
    gap = gaps[gaps > max(base / 2, 4 * off[-1] * (not base))].min(initial=np.inf)
    least = max((_LEAST_STEPS - 0.5) * base, 1 / _HELD)
    if not least <= gap <= _HELD:  # no fraction of two that doubles hold
        return None
    if own[-1] / gap > _MOST_MULTIPLES:
        return None
    n_tried = int(_TRIED * own[-1] / gap) + 16
    for found in _possible(own, off, gap, n_tried):
        low, high = found
        step = 1 / simplest_fraction(Fraction(low), Fraction(high))
        if max(step.numerator * _MOST_MULTIPLES, step.denominator) > _HELD:
            continue
        told = ~_in_decimals(own, step)
        chance = np.log(np.minimum(2 * off / float(step), 1)[told]).sum()
        chance += math.log(n_tried)
        if (
            told.sum() < MIN_ROWS
            or step < _LEAST_STEPS * base
            or chance > math.log(_MAX_CHANCE)
        ):
            continue
        has_it = base and math.floor(1 / low / base) >= math.ceil(1 / high / base)
        if has_it or step in _DECIMAL:
            return None  # that of the ruler, or one of decimals
        for ties in _TIES:
            unit = Unit(step, ties)
            again = unit.written(unit.count(values), ruler)
            if (np.abs(again - values) <= np.abs(values) * 2 * _DIGITS).all():
                return unit
    return None


def _possible(own, off, gap, n_tried):
    """Ranges of one over the step that values leave, the largest step first."""
    widest = min(2 * off[-1], gap / 2)
    tried = np.linspace(1 / (gap + widest), 1 / (gap - widest), n_tried)
    slack = (tried[-1] - tried[0]) / n_tried
    # From the largest value down, which leaves the fewest.
    for value, most in zip(own[::-1].tolist(), off[::-1].tolist(), strict=True):
        if len(tried) <= _FEW:
            break
        share = value * tried
        is_near = np.abs(share - np.rint(share)) <= most * tried + value * slack
        tried = tried[is_near]
    for one in tried:
        numbers = np.rint(own * one)
        if numbers[0] > 0:
            low = (numbers / (own + off)).max()
            high = (numbers / (own - off)).min()
            if low <= high:
                yield low, high


def _in_decimals(own, step):
    """Which values are multiples of the finest decimal step that has whole ones."""
    for decimal in _DECIMAL:
        if decimal > step and (decimal / step).denominator == 1:
            share = own / float(decimal)
            return np.abs(share - np.rint(share)) <= 1e-9 * np.maximum(share, 1)
    return np.zeros(len(own), dtype=bool)


def simplest_fraction(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of the smallest denominator from one number to another, above 0.

    Examples
    --------
    >>> simplest_fraction(Fraction("0.26"), Fraction("0.35"))
    Fraction(1, 3)
    """
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    whole -= 1
    return whole + 1 / simplest_fraction(1 / (high - whole), 1 / (low - whole))
