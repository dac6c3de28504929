"""Sums of two columns that most rows are, and more slip than a rule allows.

A stay lasts from one date to another, and the register says how many days. Of a tenth
of the rows a date has its day and month exchanged: least squares look at these rows
most of all and find nothing, and drawn one by one the two dates are as far apart as the
days say in hardly any row. So too of a total of two amounts.
"""

from itertools import combinations, product

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.between_rows.order import (
    find_order_of_rows,
    have_several,
)
from coclust_synth.tables.rules.fitting.exact import MAX_LEFT, bits_saved, spread_left
from coclust_synth.tables.rules.fitting.rounding import half_step
from coclust_synth.tables.rules.fitting.scales import (
    MAX_LISTED,
    MIN_BITS,
    MIN_ROWS,
    MOSTLY,
)
from coclust_synth.tables.rules.fitting.told import evenly, in_turn
from coclust_synth.tables.rules.near_dates import lone_dates
from coclust_synth.tables.rules.sums.slips import (
    are_right,
    first_of_each_person,
    holds_but_for_slips,
)

# Columns of numbers that may be part of a sum: those of most values.
_MAX_COLUMNS = 64
# Rows of a first look, and how many of these are the sum at least.
_FIRST, _MANY = 200, 0.4
# Whether a stay counts its first day, its last one, or both.
_MORE_DAYS = (0.0, -1.0, 1.0)


def find_slipping_sums(evidence, rulers, told, kept, min_individuals):
    """The columns that are the sum of two others in half of the rows, or more.

    A date is another one and a number of days. Half are of all rows, and of those in
    which a part of the sum is not its commonest value, as a charge that few have is 0.

    Parameters
    ----------
    evidence : Evidence
    rulers : mapping of str to Ruler
        Of the columns that may be told, or tell others.
    told : sequence of relations
        Columns that are told from others already.
    kept : (sequence of Order, collection of str)
        Of the table; and columns that stay for a person, which are told from others
        that do only.
    min_individuals : int
        Whose rows are the sum, at least.

    Returns
    -------
    list of Fit
        About right: what the other rows are off by is drawn. That which saves most bits
        first.
    """
    (orders, stays), ordered_by = kept, None
    if have_several(evidence, min_individuals):
        ordered_by = find_order_of_rows(evidence, orders, min_individuals)
    done, ranked = {each.target for each in told} | {ordered_by}, []
    usable = _usable(evidence, rulers)
    for target in sorted(usable.keys() - done):
        own = usable[target]
        if len(np.unique(own[~np.isnan(own)])) <= MAX_LISTED:
            continue
        for fit in _seem_right(target, evidence, usable, rulers[target]):
            if target in stays and not {*fit.parents} <= {*stays}:
                continue
            saved = _bits_if_so(fit, evidence, rulers[target], min_individuals)
            if saved >= MIN_BITS:
                ranked.append((-saved, fit.columns, fit))
    return in_turn((fit for *_, fit in sorted(ranked, key=lambda own: own[:2])), told)


def _usable(evidence, rulers):
    """Numbers of the columns that may be part of a sum, and of dates."""
    kinds = {name: evidence.coding.schema[name].compared_as for name in rulers}
    names = [name for name, kind in kinds.items() if kind == "number"]
    names = [name for name in names if _can_be_added_up(evidence.numbers[name])]
    names.sort(key=lambda name: -len(np.unique(evidence.numbers[name])))
    chosen = {*names[:_MAX_COLUMNS], *evidence.dates}
    return {name: evidence.numbers[name] for name in rulers if name in chosen}


def _can_be_added_up(numbers):
    """Whether a double holds the sum of two columns over all rows."""
    highest = np.nanmax(np.abs(numbers), initial=0)
    return highest < np.finfo(np.float64).max / (2 * len(numbers))


def _seem_right(target, evidence, usable, ruler):
    """The sums that many of some rows are."""
    rows = evenly(np.flatnonzero(~np.isnan(usable[target])), _FIRST)
    if len(rows) < _FIRST:
        return
    first = {name: x[rows] for name, x in usable.items()}
    numbers = [n for n in usable if n not in evidence.dates and n != target]
    pairs, constants = combinations(numbers, 2), (0.0,)
    if target in evidence.dates:
        since = (d for d in evidence.dates if d in usable and d != target)
        alike = sorted(d for d in since if evidence.are_alike(target, d))
        pairs, constants = product(alike, numbers), _MORE_DAYS
    half = half_step(ruler)
    for one, other in pairs:
        left = first[target] - first[one] - first[other]
        for constant in constants:
            if (np.abs(left - constant) <= half).mean() >= _MANY:
                yield Fit(target, (one, other), (1.0, 1.0), constant, about=True)


def _bits_if_so(fit, evidence, ruler, min_individuals):
    """Bits a row that a sum saves, nothing where it is not that of most rows."""
    numbers = {name: evidence.numbers[name] for name in fit.columns}
    has_own = ~np.isnan(numbers[fit.target])
    is_right = are_right(fit, numbers, ruler)
    if evidence.n_of(is_right) < min_individuals or has_own.sum() < MIN_ROWS:
        return 0.0
    if lone_dates(fit, evidence).sum() > MAX_BROKEN * has_own.sum():
        return 0.0
    for each in (numbers, first_of_each_person(numbers, fit.target, evidence)):
        if not holds_but_for_slips(fit, each, ruler):
            return 0.0
    for name in fit.parents:
        values, counts = np.unique(numbers[name][has_own], return_counts=True)
        others = has_own & (numbers[name] != values[counts.argmax()])
        n = evidence.n_of(others & is_right)
        if n < min_individuals or is_right[others].mean() < MOSTLY:
            return 0.0
    if not spread_left(fit, numbers) <= MAX_LEFT:
        return 0.0
    return bits_saved(fit, numbers, ruler)
