"""What changes from one row of a person to the next as another column does."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.fitting.exact import exact_sums
from coclust_synth.tables.rules.fitting.scales import bits_of
from coclust_synth.tables.rules.fitting.told import dependants

# Of the rows in which one of both changes, this share changes by the same.
_MOST = 0.99
# Decimals of single precision are written with seven digits: the difference of two is
# off by this share of them; that is rounding up to this share of what most steps are.
_SEVEN_DIGITS, _OF_STEP = 1e-6, 1e-3
# A date is told by its distance from that which the rows are in the order of, where
# this has such a share of its variance at most: runs of dates are wider.
_MAX_APART = 0.25


class LaterRows(NamedTuple):
    """Rows of persons after their first, as searches look at them.

    Attributes
    ----------
    evidence : Evidence
        Of these rows, with the columns of the row before beside their own.
    names : sequence of str
        Columns that may be told, or tell others.
    before : callable
        From the name of a column to that of the row before.
    min_individuals : int
        In whose rows something is so, at least.
    """

    evidence: Any
    names: Sequence[str]
    before: Callable[[str], str]
    min_individuals: int

    def are_of_enough(self, rows):
        """Whether enough individuals have one of some rows, (n,) bool."""
        return self.evidence.n_of(rows) >= max(self.min_individuals, 1)

    def step(self, name):
        """What a number is more than in the row before, (n,) float64."""
        numbers = self.evidence.numbers
        return numbers[name] - numbers[self.before(name)]


def find_steps(rows, told):
    """The columns that keep their distance from another: an age and a year.

    What one person's rows tell is that the two changed alike; that they always do is a
    statement about everybody, and one person can make it disappear.

    Parameters
    ----------
    rows : LaterRows
        Enough individuals have some in which both change. A column is told from one of
        fewer values, or of as many and before it.
    told : mapping of str to relation
        Columns that are told from others already.

    Returns
    -------
    list of Fit
        ``age = age before + year - year before``; no column depends on itself.
    """
    evidence, before = rows.evidence, rows.before
    numbers = evidence.numbers
    steps = {name: rows.step(name) for name in rows.names if name in numbers}
    found, fits = dict(told), []
    fewest_first = sorted(steps, key=lambda name: len(np.unique(numbers[name])))
    for place, target in reversed(list(enumerate(fewest_first))):
        if target in found:
            continue
        banned = dependants(target, found)
        for base in fewest_first[:place]:
            if base in banned or not evidence.are_alike(base, target):
                continue
            off = _rounding(evidence, target) + _rounding(evidence, base)
            if _change_alike(steps[target], steps[base], off, rows):
                fit = Fit(
                    target, (before(target), base, before(base)), (1.0, 1.0, -1.0), 0.0
                )
                found[target] = fit
                fits.append(fit)
                break
    return fits


def find_running(rows, told):
    """The columns that others are added to from row to row, or taken from: a balance.

    What is added stands in the same row, or all of it in the row before.

    Parameters
    ----------
    rows, told
        As of `find_steps`; what is nearly told may be told so.

    Returns
    -------
    list of Fit
        ``balance = balance before + amount``, exact sums. None depends on itself
        through what is told exactly, but may through what is nearly told, of which
        `not_in_circles` leaves that out.
    """
    evidence, names, before = rows.evidence, rows.names, rows.before
    numbers = {n: x for n, x in evidence.numbers.items() if n not in evidence.dates}
    earlier = {before(name) for name in names}
    same = {name: x for name, x in numbers.items() if name not in earlier}
    last = {name: x for name, x in numbers.items() if name in earlier}
    found = {n: own for n, own in told.items() if not own.is_loose}
    fits = []
    for target in (n for n in names if n in numbers):
        if target in found:
            continue
        step = rows.step(target)
        if not rows.are_of_enough(np.nan_to_num(step) != 0):
            continue
        banned = dependants(target, found) | {before(target)}
        for others in (same, last):
            others = {name: x for name, x in others.items() if name not in banned}
            ruler = evidence.scales[target].ruler
            fit = next(exact_sums(target, others | {target: step}, ruler, banned), None)
            if fit is not None:
                fit = replace(
                    fit,
                    parents=(before(target), *fit.parents),
                    coefficients=(1.0, *fit.coefficients),
                )
                fit = _side_that_varies(fit, step, rows, found)
                found[fit.target] = fit
                fits.append(fit)
                break
    return fits


def _side_that_varies(fit, step, rows, found):
    """The sum, solved for what is added or taken if this varies more than the balance.

    What is owed is mostly nothing, as all is paid: drawn apart from each other, bills
    and payments would add up to something.

    Parameters
    ----------
    fit : Fit
    step : ndarray of float64, shape (n,)
        Of the balance.
    rows : LaterRows
    found : mapping of str to relation
        What is told exactly.

    Returns
    -------
    Fit
    """
    evidence = rows.evidence
    balance = _bits(step, evidence.scales[fit.target].ruler)
    for name, factor in list(fit.terms.items())[1:]:
        if name not in rows.names or name in found or abs(factor) != 1:
            continue
        solved = fit.solved_for(name)
        if set(solved.parents) & dependants(name, found):
            continue
        if _bits(evidence.numbers[name], evidence.scales[name].ruler) > 2 * balance:
            return solved
    return fit


def _bits(values, ruler):
    """Bits that telling a value takes, of those that are known."""
    return bits_of(values[~np.isnan(values)], ruler)


def not_in_circles(told, fits):
    """Relations but those that nearly tell what some fits are told from, by these.

    Parameters
    ----------
    told : iterable of relation
    fits : sequence of Fit
        Of which no column depends on itself through what is told exactly.

    Returns
    -------
    list of relation
    """
    told = list(told)
    found = {own.target: own for own in told if not own.is_loose}
    found |= {fit.target: fit for fit in fits}
    kept = []
    for own in told:
        if own.is_loose:
            if own.target in found or {*own.parents} & dependants(own.target, found):
                continue
            found[own.target] = own
        kept.append(own)
    return kept


def find_near_dates(rows, told, ordered_by):
    """The dates that are near that which the rows are in the order of: a booking.

    Parameters
    ----------
    rows, told
        As of `find_steps`.
    ordered_by : str or None
        The column that the rows of a person are in the order of.

    Returns
    -------
    list of Fit
        ``booked ~ arrived``; none where no dates order the rows.
    """
    evidence = rows.evidence
    if ordered_by not in evidence.dates:
        return []
    fits, x = [], evidence.numbers[ordered_by]
    for name in (n for n in rows.names if n in evidence.dates and n not in told):
        y = evidence.numbers[name]
        known = ~np.isnan(x) & ~np.isnan(y)
        if name == ordered_by or not rows.are_of_enough(known):
            continue
        if _share_moved(y[known], x[known]) <= _MAX_APART:
            fits.append(Fit(name, (ordered_by,), (1.0,), 0.0, about=True))
    return fits


def _share_moved(x, y):
    """Variance of differences, as a share of that of numbers."""
    return (x - y).var() / max(x.var(), 1e-300)


def _rounding(evidence, name):
    """What a difference of two values of a column may be off by, (n,) float64."""
    is_real = evidence.coding.schema[name].kind == "real"
    return is_real * _SEVEN_DIGITS * np.abs(evidence.numbers[name])


def _change_alike(step, other, off, rows):
    """Whether nearly all rows where one column changes have the other's change.

    Differences up to `off` are rounding, see `_rounding`.
    """
    known = ~np.isnan(step) & ~np.isnan(other)
    scale = np.maximum(np.abs(step), np.abs(other))
    # Differences of decimals are rounded.
    moved = scale[known & (scale > 0)]
    off = np.minimum(off, _OF_STEP * np.median(moved)) if len(moved) else off
    off = np.fmax(off, 1e-9 * np.maximum(scale, 1))
    differ = known & (np.abs(step - other) > off)
    changed = known & (scale > off)
    alike = changed & ~differ
    return (
        differ.sum() <= MAX_BROKEN * known.sum()
        and alike.sum() >= _MOST * changed.sum()
        and rows.are_of_enough(alike)
    )
