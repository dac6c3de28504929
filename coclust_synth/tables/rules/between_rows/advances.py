"""Columns that advance with what rows of a person are in the order of: an age.

What is left of such a column without the advance is the same in all rows of a person,
but for rounding: of an age, when somebody was born.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.units import simplest_fraction
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.fitting.dependants import dependants
from coclust_synth.tables.rules.fitting.rounding import SINGLE

# Chance that a number which goes with no other agrees with its advance.
_MAX_CHANCE = 1e-9
# Who tells that a number advances has it change by so many steps, at least: what
# changes once, by one step, advances at any slow rate.
_LEAST_STEPS = 2
# Days of a year, in which rates of dates may be simpler.
_YEAR = 365.25
# Two numbers are apart by less than a step but for what doubles lose.
_A_LITTLE = 1e-6


@dataclass(frozen=True, eq=False)
class Advance:
    """A column that is another one times a rate, and a number of each person, rounded.

    Attributes
    ----------
    target : str
    base : str
    rate : float
        Of dates it is by day.
    starts : ndarray of float64, shape (n_persons,)
        The number of each; nan of who has none.
    ruler : SteppedRuler
        A hundredth of a step of the column, for these.
    """

    target: str
    base: str
    rate: float
    starts: NDArray[np.float64]
    ruler: SteppedRuler


def find_advances(evidence, names, base, told, min_individuals):
    """The columns that advance with another one, at the same rate for everybody.

    But for `MAX_BROKEN` of the persons who have several rows of both, what is left of
    all rows of a person is within a step of the column. That many have it change by
    `_LEAST_STEPS`, and that the first and last rows of different persons would agree
    as often is not by chance.

    Parameters
    ----------
    evidence : Evidence
        Of persons.
    names : sequence of str
        Columns that may be told.
    base : str
        What rows are in the order of.
    told : mapping of str to relation
        Columns that others of the row tell to the last digit: they are not looked at.
    min_individuals : int
        Whose number changes so much, at least.

    Returns
    -------
    list of Advance
    """
    found = []
    for target in names:
        is_number = target in evidence.numbers and target not in evidence.dates
        if is_number and target not in told and base not in dependants(target, told):
            found.append(_advance(evidence, target, base, min_individuals))
    return [own for own in found if own is not None]


def _advance(evidence, target, base, min_individuals):
    """How a column advances with another, None where it does not."""
    x, y = evidence.numbers[base], evidence.numbers[target]
    known = ~np.isnan(x) & ~np.isnan(y)
    person = evidence.persons.codes
    rows = np.flatnonzero(known)[np.lexsort((x[known], person[known]))]
    if not len(rows):
        return None
    step = getattr(evidence.scales[target].ruler, "step", None)
    step = step or SINGLE * np.abs(y[rows]).max()
    if not step:
        return None
    first = np.flatnonzero(np.diff(person[rows], prepend=-1))
    last = np.append(first[1:], len(rows)) - 1
    ends = rows[first], rows[last]
    several = x[ends[0]] < x[ends[1]]
    apart, moved = ((own[ends[1]] - own[ends[0]])[several] for own in (x, y))
    if (np.abs(moved) > (_LEAST_STEPS - 0.5) * step).sum() < max(min_individuals, 1):
        return None
    rate = _rate(apart, moved, step, base in evidence.dates)
    if rate is None:
        return None
    left = y[rows] - rate * x[rows]
    low, high = (of.reduceat(left, first) for of in (np.minimum, np.maximum))
    off = ((high - low) > step * (1 - _A_LITTLE)) & (first < last)
    if off.sum() > MAX_BROKEN * (first < last).sum():
        return None
    one, other = left[last[several]], left[first[several]]
    if not _is_no_chance(one, other, step):
        return None
    starts = np.full(evidence.persons.n, np.nan)
    ruler = SteppedRuler(step / 100, whole=False)
    starts[person[ends[0]]] = ruler.snap((low + high) / 2)
    return Advance(target, base, rate, starts, ruler)


def _rate(apart, moved, step, is_of_dates):
    """The simplest rate, or its inverse, at which all but few move as far as they do.

    A number that is rounded may move by a step less, or more, than it would.
    """
    few, step = int(MAX_BROKEN * len(apart)), step * (1 - _A_LITTLE)
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


def _is_no_chance(one, other, step):
    """Whether what is left of two rows of one person is alike, and not of two persons.

    Parameters
    ----------
    one, other : ndarray of float64, shape (n,)
        Of the last row of each, and of the first one.
    step : float
    """
    values = np.sort(other)
    near = np.searchsorted(values, one + step) - np.searchsorted(values, one - step)
    agree = near.mean() / len(values)
    return len(one) * np.log(agree) <= np.log(_MAX_CHANCE)
