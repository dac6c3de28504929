"""Columns that are a sum up to a limit."""

from itertools import combinations

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.reading.texts.codes import missing_codes
from coclust_synth.tables.relations import Limited
from coclust_synth.tables.rules.fitting.exact import exact_sums
from coclust_synth.tables.rules.fitting.rounding import breaks_few, tells_nearly_all
from coclust_synth.tables.rules.fitting.told import dependants
from coclust_synth.tables.rules.sums.search import one_after_another

# Rows that are at no limit, at least, and the values that they have.
_MIN_BETWEEN, _MIN_VALUES = 200, 5
# A column of no more values reads as a list: whole multiples alone tell more of it.
_MAX_LISTED = 20
# Share of the rows that are at a limit, at least: an end of a column that is none is
# the value of few.
_MIN_AT_LIMIT = 0.02


def find_limited(columns, told=()):
    """The columns that are a sum of others, but no less or no more than a limit.

    At most `MAX_BROKEN` of the rows differ by more than rounding, of all and of those
    that are not at a limit. A sum that needs no limit is left to `find_fits`, and so
    is one of whole multiples in all rows that no column could be told by any more:
    earnings are a multiple of what is deducted from their sum with a pension. Where
    what tells it is missing the column may be 0, or another end: who is not driven pays
    nothing. Dates only tell; enough individuals are at each limit, and between them.

    Returns
    -------
    list of Limited
    """
    evidence, rulers = columns.evidence, columns.rulers
    numbers = {name: evidence.numbers[name] for name in rulers}

    def limited(target, found):
        banned = dependants(target, found)
        for own in _without_ends(numbers[target], numbers):
            told = numbers | {target: own}
            ways = (
                sum_within(limits, target, told, rulers[target], banned)
                for limits in limits_of(own, evidence.n_of, columns.enough)
            )
            rule = next((each for each in ways if each is not None), None)
            if rule is None or not breaks_few(rule, numbers, rulers[target]):
                continue
            if not _hides_a_sum(rule, numbers, rulers, found):
                return rule
        return None

    return one_after_another(sorted(columns.numbers), told, limited)


def _hides_a_sum(rule, numbers, rulers, found):
    """Whether a whole sum has its column and, of others, only those that tell it."""
    told_from, open_to = set(), set(rule.parents)
    while open_to:
        told_from |= open_to
        more = {p for name in open_to if name in found for p in found[name].parents}
        open_to = more - told_from
    among = {n: numbers[n] for n in (*told_from, rule.target) if n in numbers}
    return any(
        rule.target in fit.parents
        and all(map(float.is_integer, (*fit.coefficients, fit.constant)))
        for name in sorted(told_from & among.keys() - found.keys())
        for fit in exact_sums(name, among, rulers[name], dependants(name, found))
    )


def _without_ends(own, numbers):
    """A column, and then the same without an end that it has where another has none.

    Parameters
    ----------
    own : ndarray of float64, shape (n,)
    numbers : mapping of str to ndarray of float64, shape (n,)

    Yields
    ------
    ndarray of float64, shape (n,)
        nan where it is that end.
    """
    yield own
    known = own[~np.isnan(own)]
    for end in (known.min(), known.max()) if len(known) else ():
        is_end = own == end
        if is_end.sum() < _MIN_AT_LIMIT * len(known):
            continue
        others = ~np.isnan(own) & ~is_end
        if any(
            np.isnan(x[is_end]).mean() >= 1 - MAX_BROKEN
            and np.isnan(x[others]).sum() <= MAX_BROKEN * others.sum()
            for x in numbers.values()
        ):
            yield np.where(is_end, np.nan, own)


def limits_of(own, n_of, enough):
    """Ends of a column that may be limits, as so many hold them: one, or both.

    Not a code for what is missing.

    Parameters
    ----------
    own : ndarray of float64, shape (n,)
        nan where missing.
    n_of : callable
        How many individuals have some rows, given as an ndarray of bool, shape (n,).
    enough : int
        At each limit, and between them, at least.

    Yields
    ------
    dict of str to float
        Of "at_least" and "at_most".
    """
    values = np.unique(own[~np.isnan(own)])
    if len(values) < _MIN_VALUES + 1:
        return
    ends = {"at_least": values[0], "at_most": values[-1]}
    codes = missing_codes(values)
    held = {name: own == end for name, end in ends.items()}
    limits = {
        name: float(ends[name])
        for name, rows in held.items()
        if ends[name] not in codes
        and rows.sum() >= _MIN_AT_LIMIT * (~np.isnan(own)).sum()
        and n_of(rows) >= enough
    }
    for n in range(1, 1 + len(limits)):
        for chosen in combinations(limits, n):
            between = ~np.isnan(own) & ~np.any([held[name] for name in chosen], axis=0)
            is_some = len(values) - len(chosen) >= _MIN_VALUES
            is_many = between.sum() >= _MIN_BETWEEN
            if is_some and is_many and n_of(between) >= enough:
                yield {name: limits[name] for name in chosen}


def sum_within(limits, target, numbers, ruler, banned):
    """The sum between some limits, if where these are held it is beyond them.

    Parameters
    ----------
    limits : dict of str to float
        See `limits_of`.
    target : str
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.
    banned : set of str
        Columns that it may not be told from.

    Returns
    -------
    Limited or None
    """
    own = numbers[target]
    is_between = ~np.isnan(own) & ~np.isin(own, [*limits.values()])
    between = {name: x[is_between] for name, x in numbers.items()}
    is_listed = len(np.unique(own[~np.isnan(own)])) <= _MAX_LISTED
    for fit in exact_sums(target, between, ruler, banned):
        if is_listed and not all(map(float.is_integer, fit.coefficients)):
            continue
        rule = Limited(target, fit.parents, fit.coefficients, fit.constant, **limits)
        needs_one = not tells_nearly_all(fit, numbers, ruler)
        if needs_one and tells_nearly_all(rule, numbers, ruler):
            return rule
    return None
