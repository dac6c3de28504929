"""Columns that advance with what rows of a person are in the order of: an age.

What is left of such a column without the advance is the same in all rows of a person,
but for rounding: of an age, when somebody was born.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.units import simplest_fraction
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Age, Fit
from coclust_synth.tables.relations.days import days_of_month, month_of
from coclust_synth.tables.rules.fitting.rounding import SINGLE
from coclust_synth.tables.rules.fitting.told import dependants

# Chance that a number which goes with no other agrees with its advance.
_MAX_CHANCE = 1e-9
# Who tells that a number advances has it change by so many steps, at least: what
# changes once, by one step, advances at any slow rate.
_LEAST_STEPS = 2
# Days of a year, in which rates of dates may be simpler, and of the longest month.
_YEAR, _MONTH = 365.25, 31
# Two numbers are apart by less than a step but for what doubles lose.
_A_LITTLE = 1e-6


@dataclass(frozen=True, eq=False)
class Advance:
    """A column that is told by another one, and by a number or a date of each person.

    Attributes
    ----------
    rule : Fit or Age
        That tells it.
    starts : ndarray of float64, shape (n_persons,)
        The number of each, a date in days; NaN of who has none.
    ruler : SteppedRuler
        Of these: a hundredth of a step of the column, or days.
    """

    rule: Fit | Age
    starts: NDArray[np.float64]
    ruler: SteppedRuler

    def back(self, base, start, own):
        """What nearly tells the number of a person from a row of theirs.

        Parameters
        ----------
        base, start, own : str
            Columns of what it advances with, of the number, and of the column that
            advances.

        Returns
        -------
        Fit
        """
        if isinstance(self.rule, Fit):
            sign, rate = self.rule.terms[start], self.rule.terms[base]
            terms = (own, base), (sign, -sign * rate)
        else:
            days = _YEAR / 12 if self.rule.unit == "months" else _YEAR
            terms = (base, own), (1.0, days if self.rule.birth == base else -days)
        return Fit(start, *terms, 0.0, about=True)


def find_advances(evidence, names, base, start, told, min_individuals):
    """The columns that advance with another one, at the same rate for everybody.

    But for `MAX_BROKEN` of the persons who have several rows of both, what is left of
    all rows of a person is within a step of the column. `min_individuals` have it
    change by `_LEAST_STEPS`, and that the rows of two persons would agree as often is
    not by chance. What grows by as much in each row is left to `find_counting_on`.

    Parameters
    ----------
    evidence : Evidence
        Of persons.
    names : sequence of str
        Columns that may be told.
    base : str
        What rows are in the order of.
    start : callable
        From the name of a column to that of the number of each person.
    told : mapping of str to relation
        Columns that others of the row tell to the last digit: they are not looked at.
    min_individuals : int

    Returns
    -------
    list of Advance
        Whole months and years between dates are those of the calendar.
    """
    found = []
    for target in (n for n in names if n in evidence.numbers):
        if target in evidence.dates or target in told:
            continue
        if base in dependants(target, told):
            continue
        pair = _Pair.of(evidence, base, target)
        if pair.n_far < max(min_individuals, 1) or pair.counts:
            continue
        columns, own = (target, base, start(target)), None
        if base in evidence.dates - evidence.zoned and (pair.y % 1 == 0).all():
            own = _by_calendar(pair, *columns)
        own = own or _by_rate(pair, *columns, base in evidence.dates)
        if own is not None:
            found.append(own)
    return found


def _by_calendar(pair, target, base, start):
    """How whole months or years advance with a date, None where they do not."""
    days = (pair.x // 1).astype(np.int64)
    months = month_of(days)
    of_months = replace(
        pair, x=months + (days - days_of_month(months)[0]) / _MONTH, step=1.0
    )
    for n, sign in product((1, 12), (1, -1)):
        if not of_months.is_left_alike(sign / n):
            continue
        low, high = of_months.left(sign / n)
        # Complete ones begin on a day: the middle, or the day before or after it.
        middle = -sign * n * _MONTH * (low + high + 1) / 2
        at = -sign * np.floor(-sign * middle + _A_LITTLE).astype(np.int64)
        own, length = days_of_month(at // _MONTH)
        day = np.minimum(at % _MONTH, length - 1)
        ends = (start, base) if sign > 0 else (base, start)
        rule = Age(target, *ends, "months" if n == 1 else "years")
        starts = pair.of_persons(own + day)
        told = rule.predict({start: starts[pair.person], base: pair.x})
        if (told != pair.y).sum() <= MAX_BROKEN * len(told):
            return Advance(rule, starts, SteppedRuler(1, unit="D"))
    return None


def _by_rate(pair, target, base, start, is_of_dates):
    """How a column advances with another at a rate, None where it does not."""
    rate = pair.rate(is_of_dates)
    if rate is None or not pair.is_left_alike(rate):
        return None
    # What grows is told from where it was 0, what falls from where it ends.
    sign = -math.copysign(1, rate)
    rule = Fit(target, (base, start), (rate, sign), 0.0)
    ruler = SteppedRuler(pair.step / 100, whole=False)
    starts = ruler.snap(sign * np.mean(pair.left(rate), axis=0))
    return Advance(rule, pair.of_persons(starts), ruler)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two columns in the rows of persons that have both, in the order of the first.

    Attributes
    ----------
    x, y : ndarray of float64, shape (m,)
        What others may advance with, and one that may.
    person : ndarray of int64, shape (m,)
        In order.
    n_persons : int
    step : float
        Of `y`.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    person: NDArray[np.int64]
    n_persons: int
    step: float

    @classmethod
    def of(cls, evidence, base, target):
        x, y = evidence.numbers[base], evidence.numbers[target]
        person, known = evidence.persons.codes, ~np.isnan(x) & ~np.isnan(y)
        rows = np.flatnonzero(known)[np.lexsort((x[known], person[known]))]
        step = getattr(evidence.scales[target].ruler, "step", None)
        step = step or SINGLE * float(np.abs(y[rows]).max(initial=0)) or 1.0
        return cls(x[rows], y[rows], person[rows], evidence.persons.n, step)

    @cached_property
    def first(self):
        """First row of each person, ..."""
        return np.flatnonzero(np.diff(self.person, prepend=-1))

    @cached_property
    def ends(self):
        """... and that and the last one, of those whose `x` changes, (2, p)."""
        last = np.append(self.first[1:], len(self.x)) - 1
        return np.array([self.first, last])[:, self.x[self.first] < self.x[last]]

    @property
    def n_far(self):
        """Persons whose `y` changes by some steps."""
        (moved,) = np.diff(self.y[self.ends], axis=0)
        return (np.abs(moved) > (_LEAST_STEPS - 0.5) * self.step).sum()

    @property
    def counts(self):
        """Whether `y` grows by as much in each row."""
        steps = np.diff(self.y)[np.diff(self.person) == 0]
        return (steps != np.median(steps)).sum() <= MAX_BROKEN * len(steps)

    def rate(self, is_of_dates):
        """The simplest rate at which all but few move as far as they do, or None.

        It is simple itself, or its inverse; of dates by day or by year. A number that
        is rounded may move by a step less, or more, than it would.
        """
        (apart,), (moved,) = (
            np.diff(own[self.ends], axis=0) for own in (self.x, self.y)
        )
        few, step = int(MAX_BROKEN * len(apart)), self.step * (1 - _A_LITTLE)
        low = np.sort((moved - step) / apart)[-1 - few]
        high = np.sort((moved + step) / apart)[few]
        if low > high or low <= 0 <= high:
            return None
        sign = math.copysign(1, low)
        low, high = sorted((abs(low), abs(high)))
        simple = []
        for unit in (1.0, _YEAR) if is_of_dates else (1.0,):
            own = simplest_fraction(Fraction(low * unit), Fraction(high * unit))
            size = max(own.numerator, own.denominator)
            simple.append((size, sign * float(own) / unit))
        return min(simple)[1]

    def left(self, rate):
        """Lowest and highest `y` of each person without an advance."""
        left = self.y - rate * self.x
        return [of.reduceat(left, self.first) for of in (np.minimum, np.maximum)]

    def is_left_alike(self, rate):
        """Whether what is left is so in the rows of one person, and not of two."""
        low, high = self.left(rate)
        off = high - low > self.step * (1 - _A_LITTLE)
        if off.sum() > MAX_BROKEN * self.ends.shape[1]:
            return False
        first, last = (self.y - rate * self.x)[self.ends]
        first = np.sort(first)
        near = np.searchsorted(first, last + self.step) - np.searchsorted(
            first, last - self.step
        )
        agree = near.mean() / len(first)
        return len(first) * np.log(agree) <= np.log(_MAX_CHANCE)

    def of_persons(self, starts):
        """Numbers of all persons, NaN of who has none."""
        whole = np.full(self.n_persons, np.nan)
        whole[self.person[self.first]] = starts
        return whole
