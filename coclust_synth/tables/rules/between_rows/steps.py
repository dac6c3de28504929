"""Rows of one person: what stays, what orders them, what changes as another does."""

from dataclasses import replace

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.fitting.dependants import dependants
from coclust_synth.tables.rules.fitting.exact import exact_sums
from coclust_synth.tables.rules.fitting.scales import bits_of

# Of the rows in which one of both changes, this share changes by the same.
_MOST = 0.99
# Decimals of single precision are written with seven digits: the difference of two is
# off by this share of them; that is rounding up to this share of what most steps are.
_SEVEN_DIGITS, _OF_STEP = 1e-6, 1e-3
# A number is told by its distance to that of the row before, or by their quotient,
# where this has such a share of its variance at most. Populations and prices have less;
# winds of storms have .06, and what they add up to in eighty rows drifts away.
_MAX_MOVED = 0.02
_STAYS = 0.5
# A date is told by its distance from that which the rows are in the order of, where
# this has such a share of its variance at most: runs of dates are wider.
_MAX_APART = 0.25
# Numbers that grow from row to row by chance, in as many steps, are not to be had; nor
# are those of which as many rows of a person, expected to be alike, all differ.
_MIN_STEPS = 50
# By chance so many times as many would be alike, at least.
_FEWER = 10


def find_lasting(evidence, min_individuals):
    """The columns that are the same in all rows of each person.

    Of those who have several rows, a share of `MAX_BROKEN` may have others too, as
    after slips.

    Parameters
    ----------
    evidence : Evidence
    min_individuals : int
        Persons of several rows, at least.

    Returns
    -------
    tuple of str
        Empty where fewer have several, or individuals are rows.
    """
    if not have_several(evidence, min_individuals):
        return ()
    person = evidence.persons.codes
    whose, _ = _successive(evidence, person)
    may_change = MAX_BROKEN * (np.bincount(person) > 1).sum()
    names, codes = evidence.coding.names, evidence.codes
    own = {
        name: evidence.numbers.get(name, codes[:, j]) for j, name in enumerate(names)
    }
    steps = {name: _successive(evidence, x) for name, x in own.items()}
    # nan is not equal to itself.
    changes = {n: (x != y) & ((x == x) | (y == y)) for n, (x, y) in steps.items()}
    return tuple(
        name
        for name, changed in changes.items()
        if len(np.unique(whose[changed])) <= may_change
    )


def have_several(evidence, min_individuals):
    """Whether so many persons have several rows."""
    persons = evidence.persons
    if persons is None:
        return False
    return (np.bincount(persons.codes) > 1).sum() >= min_individuals


def find_order_of_rows(evidence, orders, min_individuals):
    """The column that the rows of a person are in the order of.

    It is a column of dates that changes, of those that the rows of persons stand in the
    order of, or that a column counts from row to row (1, 2, 3), if there are any: of
    them the first that is above no other. No date of the row before, which the first
    row of nearly every person lacks, comes into it. Where a column counts the rows, and
    no date goes with it, as those of birth in a household, it is that column. Without
    dates it is a column of whole numbers that grow from each row of a person to the
    next, in the order of the table, or of a table in no order that differ in all rows
    of a person, but for a share of `MAX_BROKEN` of these steps: a year, a wave. Of
    several, the one of fewest values.

    Parameters
    ----------
    evidence : Evidence
        Of persons.
    orders : sequence of Order
        Of the table.
    min_individuals : int
        Of several rows, at least.

    Returns
    -------
    str or None
    """
    constants = find_lasting(evidence, min_individuals)
    dates = [
        name
        for name in evidence.coding.names
        if name in evidence.dates and name not in constants
    ]
    if dates:
        dates = [name for name in dates if not _lacks_one_each(evidence, name)] or dates
        in_order, counters = _in_order(evidence, dates), _counters(evidence)
        if counters and not in_order:
            return counters[0]
        dates = in_order or dates
        above = {order.high for order in orders if order.low in dates}
        return next((name for name in dates if name not in above), None)
    growing = [
        name
        for name, x in evidence.numbers.items()
        if evidence.coding.schema[name].kind == "integer"
        and (_grows(*_successive(evidence, x)) or _differs(evidence, x))
    ]
    return min(
        growing, key=lambda name: len(np.unique(evidence.numbers[name])), default=None
    )


def find_end_of_rows(evidence, ordered_by, bounds, before, may_overlap):
    """The column from which it is to the next row of a person: the end of a stay.

    It is at the column that rows are in the order of or above it, and that of the next
    row is at it or above, but for few of the rows: nobody lies in two hospitals at a
    time. Of several, the highest.

    Parameters
    ----------
    evidence : Evidence
        Of rows after the first, with the columns of the row before beside their own.
    ordered_by : str
    bounds : sequence of (str, str)
        Lower and higher columns of the table, see `Rules.bounds`.
    before : callable
        From the name of a column to that of the row before.
    may_overlap : float
        Share of the rows that may begin before the last one has ended, at most.

    Returns
    -------
    str
        `ordered_by` itself where there is none.
    """
    above = [high for low, high in bounds if low == ordered_by]
    own, found = evidence.numbers[ordered_by], {}
    for name in above:
        end = evidence.numbers.get(before(name))
        if end is not None and (~(end <= own)).sum() <= may_overlap * len(own):
            found[name] = np.nanmean(end)
    return max(found, key=lambda name: found[name], default=ordered_by)


def _lacks_one_each(evidence, name):
    """Whether nearly every person of several rows has one that lacks a date."""
    person = evidence.persons.codes
    several = np.bincount(person) > 1
    lacks = np.bincount(person, np.isnan(evidence.numbers[name])) > 0
    return (several & ~lacks).sum() <= MAX_BROKEN * several.sum()


def order_of_rows(evidence, ordered_by):
    """The rows of each person side by side, in the order of a column.

    Those that are alike in it are in the order of a column that counts rows as it goes,
    or as they stand; the other way round where it falls.

    Parameters
    ----------
    evidence : Evidence
    ordered_by : str or None

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    person = evidence.persons.codes
    if ordered_by is None:
        return np.argsort(person, kind="stable")
    own, place = evidence.numbers[ordered_by], np.arange(len(person))
    for standing in _standings(evidence):
        x, y = _successive(evidence, own, standing)
        rises, falls = (x < y).sum(), (x > y).sum()
        if rises + falls and min(rises, falls) <= MAX_BROKEN * (rises + falls):
            place = place if standing is None else standing
            return np.lexsort((place if rises > falls else -place, own, person))
    return np.lexsort((place, own, person))


def _counters(evidence):
    """Names of the columns that count the rows of each person."""
    return [
        name
        for name, x in evidence.numbers.items()
        if evidence.coding.schema[name].kind == "integer"
        and _counts(evidence.persons.codes, x)
    ]


def _standings(evidence):
    """Numbers that rows of a person may be in the order of, and None: as they stand."""
    return *(evidence.numbers[name] for name in _counters(evidence)), None


def _in_order(evidence, dates):
    """Of some dates, those that a column counts, or else that rows stand in order of.

    Latest first is an order, too.
    """
    for standing in _standings(evidence):
        steps = {}
        for name in dates:
            x, y = _successive(evidence, evidence.numbers[name], standing)
            steps[name] = (x < y).sum(), (x > y).sum()
        # What seldom changes says little of an order.
        least = max(_MIN_STEPS, max(map(sum, steps.values())) / 2)
        found = [
            name
            for name, moves in steps.items()
            if sum(moves) >= least and min(moves) <= MAX_BROKEN * sum(moves)
        ]
        if found:
            return found
    return []


def _counts(person, x):
    """Whether numbers are those of the rows of nearly each person, from one number on.

    1, 2, 3, in any order.
    """
    rows = np.lexsort((x, person))
    same = np.diff(person[rows]) == 0
    steps = np.diff(x[rows])
    begins = x[rows][np.append(True, ~same)]
    return (
        same.sum() >= _MIN_STEPS
        and (steps[same] != 1).sum() <= MAX_BROKEN * same.sum()
        and (begins != np.median(begins)).sum() <= MAX_BROKEN * len(begins)
    )


def _successive(evidence, x, standing=None):
    """Values of a row and of the next one of its person.

    In the order of some numbers, or of the table.
    """
    person = evidence.persons.codes
    rows = np.argsort(person, kind="stable")
    if standing is not None:
        rows = np.lexsort((standing, person))
    one, two = rows[:-1], rows[1:]
    same = person[one] == person[two]
    return x[one[same]], x[two[same]]


def _grows(x, y):
    """Whether nearly all of some numbers are below those after them."""
    return len(x) >= _MIN_STEPS and (~(x < y)).sum() <= MAX_BROKEN * len(x)


def _differs(evidence, x):
    """Whether nearly no person has a number twice, though many would by chance.

    Of a table in no order: one whose rows of a person stand together is in its own.
    """
    person = evidence.persons.codes
    n_persons = len(np.unique(person))
    if np.isnan(x).any() or (np.diff(person) != 0).sum() + 1 == n_persons:
        return False
    rows = np.lexsort((x, person))
    same = np.diff(person[rows]) == 0
    repeats = (same & (np.diff(x[rows]) == 0)).sum()
    shares = np.unique(x, return_counts=True)[1] / len(x)
    by_chance = same.sum() * (shares**2).sum()
    most = min(MAX_BROKEN * same.sum(), by_chance / _FEWER)
    return by_chance >= _MIN_STEPS and repeats <= most


def find_steps(evidence, names, before, told, min_individuals):
    """The columns that keep their distance from another: an age and a year.

    What one person's rows tell is that the two changed alike; that they always do is a
    statement about everybody, and one person can make it disappear.

    Parameters
    ----------
    evidence : Evidence
        Of rows after the first, with the columns of the row before beside their own.
    names : sequence of str
        Columns that may be told, or tell others: each from one of fewer values, or of
        as many and before it.
    before : callable
        From the name of a column to that of the row before.
    told : mapping of str to relation
        Columns that are told from others already.
    min_individuals : int
        In whose rows both change, at least.

    Returns
    -------
    list of Fit
        ``age = age before + year - year before``; no column depends on itself.
    """
    numbers = evidence.numbers
    steps = {
        name: numbers[name] - numbers[before(name)] for name in names if name in numbers
    }
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
            if _change_alike(
                steps[target], steps[base], off, evidence, min_individuals
            ):
                fit = Fit(
                    target,
                    (before(target), base, before(base)),
                    (1.0, 1.0, -1.0),
                    0.0,
                )
                found[target] = fit
                fits.append(fit)
                break
    return fits


def find_running(evidence, names, before, told, min_individuals):
    """The columns that others are added to from row to row, or taken from: a balance.

    What is added stands in the same row, or all of it in the row before.

    Parameters
    ----------
    evidence, names, before, told, min_individuals
        As of `find_steps`; what is nearly told may be told so.

    Returns
    -------
    list of Fit
        ``balance = balance before + amount``, exact sums. None depends on itself
        through what is told exactly, but may through what is nearly told, of which
        `not_in_circles` leaves that out.
    """
    numbers = {n: x for n, x in evidence.numbers.items() if n not in evidence.dates}
    earlier = {before(name) for name in names}
    same = {name: x for name, x in numbers.items() if name not in earlier}
    last = {name: x for name, x in numbers.items() if name in earlier}
    found = {n: own for n, own in told.items() if not own.about}
    fits = []
    for target in (n for n in names if n in numbers):
        if target in found:
            continue
        step = numbers[target] - numbers[before(target)]
        if evidence.n_of(np.nan_to_num(step) != 0) < max(min_individuals, 1):
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
                fit = _side_that_varies(fit, step, evidence, names, found)
                found[fit.target] = fit
                fits.append(fit)
                break
    return fits


def _side_that_varies(fit, step, evidence, names, found):
    """The sum, solved for what is added or taken if this varies more than the balance.

    What is owed is mostly nothing, as all is paid: drawn apart from each other, bills
    and payments would add up to something.

    Parameters
    ----------
    fit : Fit
    step : ndarray of float64, shape (n,)
        Of the balance.
    evidence, names
        As of `find_steps`.
    found : mapping of str to relation
        What is told exactly.

    Returns
    -------
    Fit
    """
    balance = _bits(step, evidence.scales[fit.target].ruler)
    for name, factor in list(fit.terms.items())[1:]:
        if name not in names or name in found or abs(factor) != 1:
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
    found = {own.target: own for own in told if not own.about}
    found |= {fit.target: fit for fit in fits}
    kept = []
    for own in told:
        if own.about:
            if own.target in found or {*own.parents} & dependants(own.target, found):
                continue
            found[own.target] = own
        kept.append(own)
    return kept


def find_slow(evidence, names, before, told, min_individuals):
    """The columns that differ little from the row before: a population.

    Runs of values of 20 persons, drawn anew in each row, would be far wider than that.

    Parameters
    ----------
    evidence, names, before, told, min_individuals
        As of `find_steps`.

    Returns
    -------
    list of Fit
        ``population ~ population before``, of sums or of logarithms.
    """
    fits = []
    for name in (n for n in names if n in evidence.numbers and n not in told):
        x, y = evidence.numbers[name], evidence.numbers[before(name)]
        known = ~np.isnan(x) & ~np.isnan(y)
        if evidence.n_of(known & (x != y)) < max(min_individuals, 1):
            continue
        x, y = x[known], y[known]
        if (x == y).mean() >= _STAYS:  # it is drawn to stay, or to change
            continue
        moved = {False: _share_moved(x, y)}
        if min(x.min(), y.min()) > 0:
            moved[True] = _share_moved(np.log(x), np.log(y))
        logarithms = min(moved, key=lambda key: moved[key])
        if moved[logarithms] <= _MAX_MOVED:
            constant = 1.0 if logarithms else 0.0
            fits.append(
                Fit(name, (before(name),), (1.0,), constant, logarithms, about=True)
            )
    return fits


def find_near_dates(evidence, names, ordered_by, told, min_individuals):
    """The dates that are near that which the rows are in the order of: a booking.

    Parameters
    ----------
    evidence, names, told, min_individuals
        As of `find_steps`.
    ordered_by : str or None
        The column that the rows of a person are in the order of.

    Returns
    -------
    list of Fit
        ``booked ~ arrived``; none where no dates order the rows.
    """
    if ordered_by not in evidence.dates:
        return []
    fits, x = [], evidence.numbers[ordered_by]
    for name in (n for n in names if n in evidence.dates and n not in told):
        y = evidence.numbers[name]
        known = ~np.isnan(x) & ~np.isnan(y)
        if name == ordered_by or evidence.n_of(known) < max(min_individuals, 1):
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


def _change_alike(step, other, off, evidence, min_individuals):
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
        and evidence.n_of(alike) >= max(min_individuals, 1)
    )
