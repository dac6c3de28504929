"""Numbers that are a sum of others and one of a few amounts: a fare, a tip, and fees.

What such a sum leaves is no rounding, and may be more than what nearly tells a column
leaves; but it is one of a handful of values. Which of them a row has is drawn, as a
column of categories is, and the number is made of it to the last digit.
"""

from dataclasses import replace

import numpy as np

from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.compared.numbers import is_rarer, labelled
from coclust_synth.tables.rules.fitting.exact import bits_saved
from coclust_synth.tables.rules.fitting.regressions import (
    least_absolute,
    left_of,
    select,
)
from coclust_synth.tables.rules.fitting.rounding import half_step, per_day
from coclust_synth.tables.rules.fitting.scales import (
    MAX_LISTED,
    MIN_BITS,
    MIN_ROWS,
    Scale,
)
from coclust_synth.tables.rules.fitting.told import dependants, evenly
from coclust_synth.tables.rules.sums.search import Search

#: Amounts, at most, and the share of the rows that have one, at least.
MAX_AMOUNTS = 12
MOSTLY = 0.95
# Rows that coefficients are learnt from.
_ROWS = 1000
# All others leave this share of the deviation of a column, at most.
_MAX_LEFT = 0.7
# What is left takes this share of the bits of the column, at most.
_MAX_BITS = 0.5
# Amounts are this share of the steps from the first to the last, at most: numbers that
# go together, as temperatures do, are all of the next few steps apart.
_FEW = 0.5
# A sum is told for another of its columns that it saves as many bits of, but for these.
_AS_MANY = 0.5
# Times that a column is in a sum, at most, as a month is in a year.
_MAX_TIMES = 12


class FewAmounts(Search):
    """The search for sums that a column is, but for one of a few amounts.

    Parameters
    ----------
    columns : Columns
        Enough individuals have each amount.
    stays : collection of str, default=()
        See `Search`.
    """

    def __init__(self, columns, stays=()):
        super().__init__(columns, stays)
        self._open = {
            name
            for name, x in self._sample.items()
            if len(np.unique(x[~np.isnan(x)])) > MAX_LISTED
            and getattr(self._rulers[name], "step", None)
        }

    def all(self, told, nearly=()):
        """The columns that are such a sum, that which saves most bits first.

        Parameters
        ----------
        told : sequence of Relation
            Columns that are told exactly from others: nothing takes their place.
        nearly : sequence of Relation
            Columns that are nearly told: a sum takes the place of one that saves less,
            and of none that says the same but for a constant.

        Returns
        -------
        list of Fit
            No column depends on itself through others.
        """
        found, fits = {each.target: each for each in told}, []
        near = [fit for fit in nearly if isinstance(fit, Fit)]
        least = {fit.target: self._saved(fit) for fit in near}
        near = [replace(fit, constant=0.0) for fit in near if not fit.logarithms]
        while True:
            tried = {
                name: self._remembered(name, found, self._sum_of)
                for name in sorted(self._open - found.keys())
            }
            tried = {n: f for n, f in tried.items() if f is not None}
            saved = {name: self._saved(fit) for name, fit in tried.items()}
            better = [n for n in tried if saved[n] > least.get(n, 0.0)]
            better = [n for n in better if not any(map(tried[n].says_as, near))]
            if not better:
                return fits
            best = max(better, key=saved.__getitem__)
            fit = self._on_its_side(tried[best], found, least)
            found[fit.target] = fit
            fits.append(fit)

    def _saved(self, fit):
        """Bits a row that a sum saves; of what is no sum of these columns, any."""
        if fit.logarithms or not {*fit.columns} <= self._sample.keys():
            return np.inf
        return bits_saved(fit, self._sample, self._rulers[fit.target])

    def _sum_of(self, target, banned):
        """The sum that a column is but for an amount, None without."""
        ruler = self._rulers[target]
        rows = evenly(np.flatnonzero(~np.isnan(self._sample[target])), _ROWS)
        first = {name: x[rows] for name, x in self._sample.items()}
        scale = Scale.of(target, ruler, first, banned, logarithms=False)
        if not scale.parents or len(scale.own) < MIN_ROWS:
            return None
        names = [*scale.parents]
        left = left_of(scale.matrix(names), scale.y)
        if left.std() > _MAX_LEFT * scale.y.std():
            return None
        chosen, coefficients, *_ = select(scale.parents, scale.y)
        ways = [(chosen, coefficients)]
        ways.append((names, least_absolute(scale.matrix(names), scale.y)[0]))
        for of, coefficients in ways:
            fit = self._but_for_an_amount(_needed(scale, of, np.round(coefficients)))
            if fit is not None:
                return fit
        return None

    def _but_for_an_amount(self, fit):
        """A sum with its amounts, None where these are many or tell little."""
        if fit is None or not self._is_finest(fit) or self._saved(fit) < MIN_BITS:
            return None
        known = self._numbers, self._rulers[fit.target], self._evidence.count
        amounts = amounts_beside(fit, *known, self._enough)
        return replace(fit, plus=amounts) if amounts else None

    def _on_its_side(self, fit, found, nearly):
        """The same sum, told for the column that it saves most bits of, or about so.

        Of these for one of which fewest others are taken off: a total, not what is part
        of it; and for none of larger steps than others have.
        """
        targets = self._open - found.keys() - nearly.keys() - {fit.target}
        if not self._stays.issuperset(fit.columns):
            targets -= self._stays
        free = [n for n in fit.parents if n in targets and abs(fit.terms[n]) == 1]
        solved = (fit.solved_for(name) for name in free)
        sides = [fit] + [
            own
            for own in solved
            if dependants(own.target, found).isdisjoint(own.parents)
            and self._is_finest(own)
        ]
        saved = {own: self._saved(own) for own in sides}
        near = [own for own in sides if saved[own] >= max(saved.values()) - _AS_MANY]
        return min(near, key=lambda own: (_taken_off(own), -saved[own]))

    def _is_finest(self, fit):
        """Whether no column that tells one has smaller steps."""
        own, *others = (half_step(self._rulers[name]) for name in fit.columns)
        return own <= min(others)


def _taken_off(fit):
    """How many terms of a sum are taken off it."""
    return sum(c < 0 for c in fit.coefficients) + (fit.plus[0] < 0)


def amounts_beside(fit, numbers, ruler, count, enough):
    """The amounts that rows have beside a sum, if nearly all rows have one of a few.

    Parameters
    ----------
    fit, numbers, ruler
        See `mostly_plus`.
    count : callable
        Individuals of each label, see `Evidence.count`.
    enough : int
        Those who have each amount, at least.

    Returns
    -------
    tuple of float
        Increasing; empty where there are fewer than two, too many, or no gaps.
    """
    steps, labels = labelled(_steps_beside(fit, numbers, ruler))
    common = steps[count(labels, len(steps)) >= enough]
    if not 1 < len(common) <= min(MAX_AMOUNTS, _FEW * np.ptp(common)):
        return ()
    amounts = ruler.snap(common * ruler.step / per_day(ruler))
    plus = tuple((np.asarray(amounts, np.float64) + 0.0).tolist())
    return plus if mostly_plus(replace(fit, plus=plus), numbers, ruler) else ()


def mostly_plus(fit, numbers, ruler):
    """Whether nearly all rows are a sum and one of its amounts.

    Of all rows that have the column, and of those that have not its commonest value.

    Parameters
    ----------
    fit : Fit
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.

    Returns
    -------
    bool
    """
    own = numbers[fit.target]
    amounts = np.round(np.array(fit.plus) * per_day(ruler) / ruler.step)
    has_one = np.isin(_steps_beside(fit, numbers, ruler), amounts)
    has_own = ~np.isnan(own)
    return all(
        (has_one & rows).sum() >= MOSTLY * rows.sum()
        for rows in (has_own, has_own & is_rarer(own))
    )


def _steps_beside(fit, numbers, ruler):
    """How many steps of its column each row is off from a sum; nan where missing."""
    left = numbers[fit.target] - fit.predict(numbers)
    return np.round(left * per_day(ruler) / ruler.step)


def _needed(scale, names, coefficients):
    """The sum of those of some columns that leave fewest bits, None where many."""
    terms = dict(zip(names, coefficients, strict=True))
    terms = {name: c for name, c in terms.items() if 0 < abs(c) <= _MAX_TIMES}
    own = _bits_of_steps(scale, {})
    least = _bits_of_steps(scale, terms)
    while len(terms) > 1:
        fewer = [{n: c for n, c in terms.items() if n != name} for name in terms]
        left = [_bits_of_steps(scale, each) for each in fewer]
        if min(left) > least:
            break
        least, terms = min(left), fewer[int(np.argmin(left))]
    if not terms or least > _MAX_BITS * own:
        return None
    told = tuple(terms), tuple(map(float, terms.values()))
    return Fit(scale.target, *told, 0.0, about=True)


def _bits_of_steps(scale, terms):
    """Bits to tell what some terms leave of a column, by how many have each value."""
    left = scale.y - sum(c * scale.parents[name] for name, c in terms.items())
    steps = np.round(left * per_day(scale.ruler) / scale.ruler.step)
    share = np.unique(steps, return_counts=True)[1] / len(steps)
    return -share @ np.log2(share)
