"""What stays in all rows of one person, and what these are in the order of."""

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.between_rows.numbers_in_order import (
    MIN_STEPS,
    counts_rows,
    find_numbers_in_order,
    successive,
)

# What ends before the next row begins is there in such a share of the rows, at least.
_MOST_END = 0.5


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
    whose, _ = successive(evidence, person)
    may_change = MAX_BROKEN * (np.bincount(person) > 1).sum()
    names, codes = evidence.coding.names, evidence.codes
    own = {
        name: evidence.numbers.get(name, codes[:, j]) for j, name in enumerate(names)
    }
    steps = {name: successive(evidence, x) for name, x in own.items()}
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
    dates it is one of numbers, see `find_numbers_in_order`.

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
    return find_numbers_in_order(evidence, min_individuals)


def find_end_of_rows(evidence, ordered_by, bounds, before, may_overlap):
    """The column from which it is to the next row of a person: the end of a stay.

    It is at the column that rows are in the order of or above it, and that of the next
    row is at it or above, but for few of the rows that have one: nobody lies in two
    hospitals at a time. Most rows have one. Of several, the highest.

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
        if end is None:
            continue
        n_known = (~np.isnan(end)).sum()
        is_of_most = n_known >= _MOST_END * len(own)
        if is_of_most and (end > own).sum() <= may_overlap * n_known:
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
        x, y = successive(evidence, own, standing)
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
        and counts_rows(evidence.persons.codes, x)
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
            x, y = successive(evidence, evidence.numbers[name], standing)
            steps[name] = (x < y).sum(), (x > y).sum()
        # What seldom changes says little of an order.
        least = max(MIN_STEPS, max(map(sum, steps.values())) / 2)
        found = [
            name
            for name, moves in steps.items()
            if sum(moves) >= least and min(moves) <= MAX_BROKEN * sum(moves)
        ]
        if found:
            return found
    return []
