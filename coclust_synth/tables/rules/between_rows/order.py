"""What stays in all rows of one person, and what these are in the order of."""

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN

# Numbers that grow from row to row by chance, in as many steps, are not to be had; nor
# are those of which as many rows of a person, expected to be alike, all differ.
_MIN_STEPS = 50
# By chance so many times as many would be alike, at least.
_FEWER = 10
# Numbers rise, or are one apart, in such a share of the steps, the latter so many times
# as often as by chance.
_MOSTLY, _MORE = 0.5, 2
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
    of a person, but for a share of `MAX_BROKEN` of these steps: a year, a wave. Without
    any, it is one that mostly grows and hardly falls, or of which the numbers of a
    person mostly are one after the other, in any order. Of several, the one of fewest
    repeats, in percent, or of these the one of fewest values.

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
    numbers = {
        name: x
        for name, x in evidence.numbers.items()
        if evidence.coding.schema[name].kind == "integer"
    }
    for is_in_order in (_grows, _differs, _hardly_falls, _counts_on):
        found = [name for name, x in numbers.items() if is_in_order(evidence, x)]
        if found:
            return min(found, key=lambda name: _repeats(evidence, numbers[name]))
    return None


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


def _grows(evidence, x):
    """Whether nearly all rows of a person are below the next one."""
    one, two = _successive(evidence, x)
    return len(one) >= _MIN_STEPS and (~(one < two)).sum() <= MAX_BROKEN * len(one)


def _hardly_falls(evidence, x):
    """Whether numbers rise from row to row more often than not, and hardly fall."""
    one, two = _successive(evidence, x)
    rises, falls = (one < two).sum(), (one > two).sum()
    least = max(_MIN_STEPS, _MOSTLY * len(one))
    return rises >= least and falls <= MAX_BROKEN * rises


def _counts_on(evidence, x):
    """Whether numbers of a person mostly are one after the other: seasons of players.

    And twice as often as of rows that are anybody's.
    """
    person, shuffled = evidence.persons.codes, np.random.default_rng(0).permutation(x)
    own, by_chance = (
        (np.diff(v[rows])[np.diff(person[rows]) == 0] == 1).sum()
        for v, rows in ((v, np.lexsort((v, person))) for v in (x, shuffled))
    )
    steps = len(person) - len(np.unique(person))
    return own >= max(_MIN_STEPS, _MOSTLY * steps, _MORE * by_chance)


def _repeats(evidence, x):
    """Percent of the steps that are none, in order, and how many values there are."""
    rows = np.lexsort((x, evidence.persons.codes))
    same = np.diff(evidence.persons.codes[rows]) == 0
    repeats = (same & (np.diff(x[rows]) == 0)).sum()
    return int(100 * repeats / max(same.sum(), 1)), len(np.unique(x))


def _stand_together(evidence):
    """Whether the rows of each person do, in the table."""
    person = evidence.persons.codes
    return (np.diff(person) != 0).sum() + 1 == len(np.unique(person))


def _differs(evidence, x):
    """Whether nearly no person has a number twice, though many would by chance.

    Of a table in no order: one whose rows of a person stand together is in its own.
    """
    if np.isnan(x).any() or _stand_together(evidence):
        return False
    person = evidence.persons.codes
    rows = np.lexsort((x, person))
    same = np.diff(person[rows]) == 0
    repeats = (same & (np.diff(x[rows]) == 0)).sum()
    shares = np.unique(x, return_counts=True)[1] / len(x)
    by_chance = same.sum() * (shares**2).sum()
    most = min(MAX_BROKEN * same.sum(), by_chance / _FEWER)
    return by_chance >= _MIN_STEPS and repeats <= most
