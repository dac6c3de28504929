"""Numbers that the rows of persons are in the order of: a year, a wave, a visit."""

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN

# Numbers that grow from row to row by chance, in as many steps, are not to be had; nor
# are those of which as many rows of a person, expected to be alike, all differ.
MIN_STEPS = 50
# By chance so many times as many would be alike, at least, or not follow each other.
_FEWER = 10
# Numbers are one apart in such a share of the steps, and so many times as often as by
# chance.
_MOSTLY, _MORE = 0.5, 2
# Of fewer values of a person there is little to be in order.
_SEVERAL = 3


def find_numbers_in_order(evidence, min_individuals):
    """The column of numbers that the rows of a person are in the order of.

    They grow from each row of a person to the next, in the order of the table (all but
    a share of `MAX_BROKEN` of the steps, as in what follows); or differ in all rows of
    a person, in a table that is in no order: a year, a wave. Without any such column it
    is one that has several values of a person and hardly falls, in the order of the
    table; or of which the numbers of a person mostly are one after the other, in any
    order; or one that counts visits of several rows each, in any order. Lines of what a
    person has several of, as orders, are no such numbers. Numbers with decimals are
    looked at where the table is in their order. Of several columns it is the one of
    fewest repeats, in percent, or of these the one of fewest values.

    Parameters
    ----------
    evidence : Evidence
        Of persons.
    min_individuals : int
        Of several values, at least.

    Returns
    -------
    str or None
    """
    columns = [evidence.coding.schema[name] for name in evidence.numbers]
    numbers, k = evidence.numbers, min_individuals
    whole = [own.name for own in columns if own.kind == "integer"]
    stepped = [own.name for own in columns if own.kind == "real" and own.step]
    stepped += whole
    for is_in_order, names in (
        (_grows, stepped),
        (_differs, whole),
        (_hardly_falls, stepped),
        (_counts_on, whole),
        (_counts_moments, whole),
    ):
        found = [name for name in names if is_in_order(evidence, numbers[name], k)]
        if is_in_order in (_counts_on, _counts_moments):
            found = [name for name in found if not _begins_again(evidence, name)]
        if is_in_order is _counts_moments:
            found = _but_within_others(evidence, found)
        if found:
            return min(found, key=lambda name: _repeats(evidence, numbers[name]))
    return None


def successive(evidence, x, standing=None):
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


def counts_rows(person, x):
    """Whether numbers are those of the rows of nearly each person, from one number on.

    1, 2, 3, in any order.
    """
    steps, begins = _breaks(person, x)
    return (
        len(steps) >= MIN_STEPS
        and steps.sum() <= MAX_BROKEN * len(steps)
        and begins.sum() <= MAX_BROKEN * len(begins)
    )


def _breaks(person, x):
    """Whether numbers of a person do not follow each other, or begin as others do."""
    rows = np.lexsort((x, person))
    same = np.diff(person[rows]) == 0
    begins = x[rows][np.append(True, ~same)]
    return np.diff(x[rows])[same] != 1, begins != np.median(begins)


def _grows(evidence, x, _):
    """Whether nearly all rows of a person are below the next one."""
    one, two = successive(evidence, x)
    return len(one) >= MIN_STEPS and (~(one < two)).sum() <= MAX_BROKEN * len(one)


def _hardly_falls(evidence, x, min_individuals):
    """Whether numbers rise from row to row, twice in k persons, and hardly fall."""
    one, two = successive(evidence, x)
    rises, falls = (one < two).sum(), (one > two).sum()
    if rises < MIN_STEPS or falls > MAX_BROKEN * rises:
        return False
    n_each = np.bincount(_moments(evidence, x)[0])
    return (n_each >= _SEVERAL).sum() >= min_individuals


def _moments(evidence, x):
    """Whose the different values of each person are, and these."""
    rows = np.flatnonzero(~np.isnan(x))
    rows = rows[np.lexsort((x[rows], evidence.persons.codes[rows]))]
    person, values = evidence.persons.codes[rows], x[rows]
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = (np.diff(person) != 0) | (np.diff(values) != 0)
    return person[is_new], values[is_new]


def _counts_on(evidence, x, _):
    """Whether numbers of a person mostly are one after the other: seasons of players.

    And twice as often as of rows that are anybody's.
    """
    person, shuffled = evidence.persons.codes, np.random.default_rng(0).permutation(x)
    own, by_chance = (
        (np.diff(v[rows])[np.diff(person[rows]) == 0] == 1).sum()
        for v, rows in ((v, np.lexsort((v, person))) for v in (x, shuffled))
    )
    steps = len(person) - len(np.unique(person))
    return own >= max(MIN_STEPS, _MOSTLY * steps, _MORE * by_chance)


def _counts_moments(evidence, x, min_individuals):
    """Whether numbers count the visits of nearly each person, each of several rows.

    From one number on, and not by chance; not all persons have as many.
    """
    if np.isnan(x).any():
        return False
    person, values = _moments(evidence, x)
    if not counts_rows(person, values):
        return False
    n_each = np.bincount(person)
    others = (n_each != np.bincount(n_each).argmax()).sum()
    if min(others, (n_each >= _SEVERAL).sum()) < min_individuals:
        return False
    shuffled = np.random.default_rng(0).permutation(x)
    steps, begins = _breaks(*_moments(evidence, shuffled))
    least = _FEWER * MAX_BROKEN
    return max(steps.mean(), begins.mean()) >= least


def _begins_again(evidence, name):
    """Whether numbers are of lines that begin again and again, as the table stands.

    1, 2, 3, 1, 2, 1 of one person, for nearly all steps: of three orders. Visits may be
    in such an order too, once for each of what is measured at all of them; then a
    column says which.
    """
    x, person = evidence.numbers[name], evidence.persons.codes
    rows = np.argsort(person, kind="stable")
    x, whose = x[rows], person[rows]
    same = np.diff(whose, prepend=-1) == 0
    lowest = np.full(evidence.persons.n, np.inf)
    np.fmin.at(lowest, whose, x)
    begins = same & (x == lowest[whose])
    goes_on = same & ~begins & (np.diff(x, prepend=np.nan) == 1)
    if begins.sum() < MIN_STEPS or (same & ~begins & ~goes_on).sum() > (
        MAX_BROKEN * same.sum()
    ):
        return False
    run = np.cumsum(~goes_on)
    others = (
        evidence.numbers.get(other, evidence.codes[:, j])[rows]
        for j, other in enumerate(evidence.coding.names)
        if other != name
    )
    return not any(_tells_apart(own, whose, run) for own in others)


def _tells_apart(own, person, run):
    """Whether values are those of one run of rows of a person, of nearly all rows."""
    runs = len(np.unique(run))
    values = len(np.unique(np.column_stack([person, own]), axis=0))
    both = len(np.unique(np.column_stack([run, own]), axis=0))
    return max(both - runs, both - values) <= MAX_BROKEN * len(run)


def _but_within_others(evidence, names):
    """Of columns that count what a person has those that count in no other of these.

    The lines of an order, which are 1, 2, 3 in each.
    """
    found = []
    for name in names:
        x, others = evidence.numbers[name], [other for other in names if other != name]
        if not any(_counts_within(evidence, x, evidence.numbers[n]) for n in others):
            found.append(name)
    return found or names


def _counts_within(evidence, x, other):
    """Whether numbers count the rows of a person of each value of another column."""
    pairs = np.column_stack([evidence.persons.codes, other])
    return counts_rows(np.unique(pairs, axis=0, return_inverse=True)[1].ravel(), x)


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


def _differs(evidence, x, _):
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
    return by_chance >= MIN_STEPS and repeats <= most
