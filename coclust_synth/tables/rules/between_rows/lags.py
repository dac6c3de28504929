"""Columns that are what others were in the row before of a person: a lag."""

from functools import cache
from itertools import permutations

import numpy as np

from coclust_synth.tables.parts.parts import same_categories
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.between_rows.order import (
    find_order_of_rows,
    have_several,
)
from coclust_synth.tables.rules.values.lookup import Lookup

# Of the rows in which a column changes, this share has what another was.
_MOST = 0.99


def carrying(evidence, orders, min_individuals):
    """What says whether a column is what another was in the row before.

    Parameters
    ----------
    evidence, orders, min_individuals
        As of `find_order_of_rows`.

    Returns
    -------
    callable
        From the names of two columns of numbers to bool: whether the first one is
        carried on to the next row of a person as the second one, as a balance is.
    """

    @cache
    def successive():
        if not have_several(evidence, min_individuals):
            return None
        name = find_order_of_rows(evidence, orders, min_individuals)
        person = evidence.persons.codes
        by = (person,) if name is None else (evidence.numbers[name], person)
        rows = np.lexsort(by)
        same = np.diff(person[rows]) == 0
        return rows[:-1][same], rows[1:][same]

    @cache
    def is_carried(name, other):
        if successive() is None or not evidence.are_alike(name, other):
            return False
        (one, two), own = successive(), evidence.numbers[other]
        last = evidence.numbers[name][one]
        alike, changed = _lags(own[two], own[one], last)
        who = np.zeros(len(own), dtype=bool)
        who[two[alike & changed]] = True
        return _is_lag(alike, changed) and evidence.n_of(who) >= max(min_individuals, 1)

    return is_carried


def find_lags(rows, told):
    """The columns that are what another was in the row before: a wage of last year.

    Parameters
    ----------
    rows, told
        As of `find_steps`.

    Returns
    -------
    list of Fit
        ``last_wage = wage before``.
    """
    evidence, names, before = rows.evidence, rows.names, rows.before
    numbers, fits = evidence.numbers, []
    for target in (n for n in names if n in numbers and n not in told):
        own, last = numbers[target], numbers[before(target)]
        for base in (n for n in names if n in numbers and n != target):
            alike, changed = _lags(own, last, numbers[before(base)])
            if (
                evidence.are_alike(base, target)
                and _is_lag(alike, changed)
                and rows.are_of_enough(alike & changed)
            ):
                fits.append(Fit(target, (before(base),), (1.0,), 0.0))
                break
    return fits


def find_lags_of_categories(rows):
    """The categories that are what another column was: where one moves from.

    Rows in which another value stands for a rare one say nothing of it.

    Parameters
    ----------
    rows : LaterRows
        Of columns of categories. Enough individuals have some in which it changes.

    Returns
    -------
    tuple of Lookup
        ``to before -> from``: each category goes with itself, as far as both columns
        have it.
    """
    found, before = [], rows.before
    index = rows.evidence.coding.names.index
    for target, base in permutations(rows.names, 2):
        if any(lag.target == target for lag in found):
            continue
        places = map(index, (before(base), before(target), target))
        same = _lag_of_categories(rows, *places)
        if same is not None:
            keys = np.flatnonzero(same >= 0)
            codes, keys = same[keys].astype(np.int32), keys[:, None].astype(np.int32)
            found.append(Lookup((before(base),), target, keys, codes))
    return tuple(found)


def _lag_of_categories(rows, base, last, target):
    """For each code of a base its code as a target, None where this is not its lag.

    Columns are told by their positions; `last` is the target in the row before.
    """
    evidence = rows.evidence
    parts = evidence.coding.parts
    same = same_categories(parts[base], parts[target])
    if not (same >= 0).any():
        return None
    own = ~evidence.is_moved(last, base, target)
    codes, who = evidence.codes[own], np.zeros(len(own), dtype=bool)
    alike = same[codes[:, base]] == codes[:, target]
    changed = codes[:, target] != codes[:, last]
    who[own] = alike & changed
    if _is_lag(alike, changed) and rows.are_of_enough(who):
        return same
    return None


def _lags(own, last, other):
    """Rows of a column that are what another was in the row before, and that change."""
    return _are_equal(own, other), ~_are_equal(own, last)


def _is_lag(alike, changed):
    """Whether nearly all rows are alike, also of those that change."""
    return (~alike).sum() <= MAX_BROKEN * len(alike) and (
        alike & changed
    ).sum() >= _MOST * changed.sum()


def _are_equal(x, y):
    """Whether numbers are equal, or both missing."""
    return (x == y) | (np.isnan(x) & np.isnan(y))
