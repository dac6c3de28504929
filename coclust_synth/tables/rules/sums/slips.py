"""Products that most rows are to the last digit, and more slip than a rule allows.

The share of an income that is lent is a ratio of two digits; of a hundred loans two are
entered wrong. What rounding left of the others says next to nothing, so that no sum or
product nearly tells such a ratio, and what tells it exactly tells the others only.
"""

from dataclasses import replace

import numpy as np

from coclust_synth.tables.draws.rulers import ContinuousRuler
from coclust_synth.tables.laws.laws import MIN_ROWS as MIN_HELD
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.fitting.digits import settle
from coclust_synth.tables.rules.fitting.regressions import select
from coclust_synth.tables.rules.fitting.rounding import MAX_UNUSABLE, differs, half_step
from coclust_synth.tables.rules.fitting.scales import (
    MAX_LISTED,
    MIN_BITS,
    MIN_ROWS,
    MOSTLY,
    Scale,
    bits_of,
)
from coclust_synth.tables.rules.fitting.told import evenly
from coclust_synth.tables.rules.sums.search import Search

# A value that slips have so many times as often as other rows is none of them.
_MIN_RATIO = 10
# Rows that the powers, which are whole, are learnt from.
_ROWS_OF_POWERS = 1000
# e to the power of more, or of less than its negative, is no number that can be told.
_MAX_LOGARITHM = 700


class Slips(Search):
    """The search for products of whole powers that most rows are to the last digit.

    Parameters
    ----------
    columns : Columns
        Enough individuals are what it says.
    stays : collection of str, default=()
        See `Search`.
    """

    def all(self, told):
        """The columns that are such a product, that which saves most bits first.

        Parameters
        ----------
        told : sequence of Relation
            Columns that are told from others already: nothing takes their place.

        Returns
        -------
        list of Fit
            No column depends on itself through others.
        """
        found, fits = {each.target: each for each in told}, []
        while True:
            tried = {
                name: self._remembered(name, found, self._product_of)
                for name in sorted(self._sample.keys() - found.keys())
            }
            tried = {name: fit for name, fit in tried.items() if fit is not None}
            if not tried:
                return fits
            fit = max(tried.values(), key=lambda fit: self._bits_saved(fit))
            found[fit.target] = fit
            fits.append(fit)

    def _product_of(self, target, banned):
        """The product that a column mostly is, None without."""
        own, ruler = self._sample[target], self._rulers[target]
        if len(np.unique(own[~np.isnan(own)])) <= MAX_LISTED:
            return None
        rows = evenly(np.flatnonzero(~np.isnan(own) & (own != 0)), _ROWS_OF_POWERS)
        first = {name: x[rows] for name, x in self._sample.items()}
        scale = Scale.of(target, ruler, first, banned, logarithms=True)
        if not scale.parents or len(scale.own) < MIN_ROWS:
            return None
        names, powers, _, _ = select(scale.parents, scale.y)
        whole = zip(names, np.round(powers).tolist(), strict=True)
        powers = {name: power for name, power in whole if power}
        # A multiple of another column is a sum.
        if not powers or [*powers.values()] == [1.0]:
            return None
        fit = product_but_for_slips(target, powers, self._sample, ruler)
        if fit is None or self._bits_saved(fit) < MIN_BITS:
            return None
        every = self._numbers
        for numbers in (every, first_of_each_person(every, target, self._evidence)):
            if not holds_but_for_slips(fit, numbers, ruler):
                return None
        is_right = are_right(fit, self._numbers, ruler)
        return fit if self._evidence.n_of(is_right) >= self._enough else None

    def _bits_saved(self, fit):
        """Bits a row that are saved, of those above 0: those that are right leave 0."""
        own, said = self._sample[fit.target], fit.predict(self._sample)
        known, ruler = (own > 0) & np.isfinite(said), self._rulers[fit.target]
        is_right = are_right(fit, self._sample, ruler)[known]
        own, said = own[known], said[known]
        left = np.where(is_right, 0.0, np.log(own) - said)
        steps = own / (getattr(ruler, "step", None) or half_step(ruler))
        return bits_of(own, ruler) - bits_of(left, ContinuousRuler(), steps)


def product_but_for_slips(target, powers, numbers, ruler):
    """A product of some powers that most rows are, its factor as these have it.

    Parameters
    ----------
    target : str
    powers : mapping of str to float
        Of the columns that tell it.
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.

    Returns
    -------
    Fit or None
        None where it is so in few rows, see `holds_but_for_slips`.
    """
    fit = Fit(target, (*powers,), (*powers.values(),), 1.0, logarithms=True)
    own, said = numbers[target], fit.predict(numbers)
    known = (own > 0) & np.isfinite(said)
    factor = _of_most(own[known], said[known], half_step(ruler))
    if factor is None:
        return None
    fit = replace(fit, constant=factor)
    is_right = known & are_right(fit, numbers, ruler)
    rows = {name: numbers[name][is_right] for name in fit.columns}
    settled = settle(fit, rows, ruler)
    if settled.about:
        return None
    fit = replace(settled, about=True, slips=True)
    return fit if holds_but_for_slips(fit, numbers, ruler) else None


def first_of_each_person(numbers, target, evidence):
    """The first row of each person that has a column: one of many rows is one.

    Parameters
    ----------
    numbers : mapping of str to ndarray of float64, shape (n,)
    target : str
        The column.
    evidence : Evidence

    Returns
    -------
    dict of str to ndarray of float64, shape (at most n,)
    """
    rows = np.flatnonzero(~np.isnan(numbers[target]))
    if evidence.persons is not None:
        codes = evidence.persons.codes[rows]
        rows = rows[np.unique(codes, return_index=True)[1]]
    return {name: x[rows] for name, x in numbers.items()}


def holds_but_for_slips(fit, numbers, ruler):
    """Whether half of the rows are what a fit says; of those of 0, nearly all.

    A product says 0 where a factor is, and where it is rounded to 0. A value that many
    have who are not what it says, such as a code or a cap, is no slip.

    Parameters
    ----------
    fit, numbers, ruler
        See `are_right`.

    Returns
    -------
    bool
    """
    own, is_right = numbers[fit.target], are_right(fit, numbers, ruler)
    has_own, says_0 = ~np.isnan(own), np.isneginf(fit.predict(numbers))
    _, value = np.unique(own[has_own], return_inverse=True)
    right = is_right[has_own]
    n_right, n_off = np.bincount(value, right), np.bincount(value, ~right)
    most = n_off.max(
        initial=0, where=n_off * n_right.sum() > _MIN_RATIO * n_right * n_off.sum()
    )
    if most > max(MIN_HELD, MAX_UNUSABLE * has_own.sum()):
        return False
    is_off = has_own & ~is_right & ((own == 0) | says_0)
    return (
        is_right.sum() >= MOSTLY * has_own.sum()
        and is_off.sum() <= MAX_UNUSABLE * has_own.sum()
    )


def _of_most(own, said, half):
    """The factor of what is said that most rows are rounded from, None without.

    Each row, being rounded, says between which two numbers it is.
    """
    if not len(own):
        return None
    low, high = (np.log(np.maximum(own + off, 1e-300)) - said for off in (-half, half))
    ends = np.concatenate([low, high])
    order = np.argsort(ends, kind="stable")
    n_open = np.cumsum(np.where(order < len(low), 1, -1))
    most = n_open.argmax()
    factor = ends[order[most : most + 2]].mean()
    is_number = max(abs(factor), abs(said.max() + factor)) < _MAX_LOGARITHM
    return float(np.exp(factor)) if is_number else None


def are_right(fit, numbers, ruler):
    """Which rows that have a column are what a fit says, to the last digit.

    Parameters
    ----------
    fit : Fit
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    return ~np.isnan(numbers[fit.target]) & ~differs(fit, numbers, ruler)
