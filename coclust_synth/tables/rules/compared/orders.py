"""Columns of numbers, or of dates, of which one is never above the other."""

import numpy as np
from scipy.special import gammaln

from coclust_synth.tables.parts.rare.rare import DEFAULT_RARE, MAX_BROKEN
from coclust_synth.tables.relations import Order
from coclust_synth.tables.rules.compared.numbers import equal_pairs, up_to

#: Of the rows that have both columns so many may break an order of columns that no rule
#: tells: trees that are not kept from it break it several times as often.
MAX_ABOVE = 0.01
# An order that so many of the rows break would be by more were the columns
# independent, this many times as many, ...
_MIN_RATIO = 10
# ... and could be by so many individuals at least: of fewer it would be told who they
# are.
_MIN_ABOVE = 5
# Chance that a table of independent columns has an order that one of the tests takes
# for a rule.
_MAX_CHANCE = 1e-2
# Of columns that are mostly equal an order says little.
_MAX_EQUAL = 0.9


def find_orders(evidence, min_individuals, most=MAX_BROKEN):
    """The orders between columns that few rows break.

    Numbers are compared with numbers, dates with dates and times with times. An order
    is one that chance does not explain, by one of two tests, each at level .01 over the
    number of pairs tried: that so few rows break it, see `log_chance`, or that none
    does where so many are equal, as of those admitted on the day of their birth, see
    `log_chance_of_ties`. Several rows of a person count as one, see `_of_persons`.

    Parameters
    ----------
    evidence : Evidence
    min_individuals : int
        That have the first below the second, at least.
    most : float, default=MAX_BROKEN
        Share of the rows that may break one.

    Returns
    -------
    list of Order
        Those that follow from two others are left out.
    """
    numbers = evidence.numbers
    pairs = [
        (low, high)
        for low in numbers
        for high in numbers
        if low != high and evidence.are_alike(low, high)
    ]
    level = np.log(_MAX_CHANCE / max(len(pairs), 1))
    kept = _kept_by_most(evidence, most)
    found = {
        pair
        for pair in pairs
        if pair in kept
        and _is_order(
            *compared(evidence, *pair), evidence, min_individuals, level, most
        )
    }
    return [
        Order(low, high)
        for low, high in pairs
        if (low, high) in found
        and not any((low, m) in found and (m, high) in found for m in numbers)
    ]


def _kept_by_most(evidence, most):
    """Pairs of columns of which few rows have the first above the second.

    Moments count as days, as beside days; `_is_order` compares as is right.
    """
    names, kept = [*evidence.numbers], set()
    columns = np.array([evidence.numbers[name] for name in names])
    columns = columns.reshape(len(names), len(evidence.codes)).T
    known = ~np.isnan(columns)
    for low, own, has_own in zip(names, columns.T, known.T, strict=True):
        own = np.floor(own) if low in evidence.dates else own
        n_broken = (own[:, None] > columns).sum(axis=0)
        is_few = n_broken <= most * known[has_own].sum(axis=0)
        kept |= {(low, names[j]) for j in np.flatnonzero(is_few)}
    return kept


def compared(evidence, low, high):
    """Numbers of two columns of which the first may be up to the second, see `up_to`.

    Parameters
    ----------
    evidence : Evidence
    low, high : str

    Returns
    -------
    x, y : ndarray of float64, shape (n,)
    """
    scales = evidence.scales[low], evidence.scales[high]
    return up_to(evidence.numbers[low], *scales), evidence.numbers[high]


def _is_order(x, y, evidence, min_individuals, level, most):
    broken = x > y
    known = ~np.isnan(x) & ~np.isnan(y)
    n, n_broken = int(known.sum()), int(broken.sum())
    if n_broken > most * n or evidence.n_of(x < y) < max(min_individuals, 1):
        return False
    if n_broken and _is_outgrown(x, y, broken, evidence):
        return False
    x, y = x[known], y[known]
    if (x == y).mean() > _MAX_EQUAL:
        return False
    weight = 1.0
    if evidence.persons is not None:
        x, y, weight = _of_persons(x, y, evidence.persons.codes[known])
        n_broken = int((x > y).sum())
    # That would break it on average, had each the second of another one.
    by_chance = np.searchsorted(np.sort(y), x).sum() / len(x)
    could = (x > y.min()).sum()
    if could * weight < _MIN_ABOVE or by_chance < _MIN_RATIO * n_broken:
        return False
    chance = log_chance(x, y, n_broken)
    if not n_broken:
        chance = min(chance, log_chance_of_ties(x, y))
    return chance * weight <= level


def _is_outgrown(x, y, broken, evidence):
    """Whether a column goes where the other has no room for it: up to no such limit.

    As many people as a text describes are beyond all values of the other column, in
    several places: a code for what is missing is one value. Kept, the order would cut
    off the tail.
    """
    above, below = broken & (x > np.nanmax(y)), broken & (y < np.nanmin(x))
    return any(
        evidence.n_of(rows) >= DEFAULT_RARE and len(np.unique(own[rows])) >= _MIN_ABOVE
        for own, rows in ((x, above), (y, below))
    )


def _of_persons(x, y, persons):
    """Pairs of numbers that tell whether persons break an order, and their weight.

    Where one of the columns is the same in all rows of each person, no row breaks it if
    the person's lowest y and highest x do not: a pair for each person. Else the pairs
    are those of the rows, each of which weighs as many persons as there are a row.
    """
    order = np.argsort(persons, kind="stable")
    starts = np.flatnonzero(np.diff(persons[order], prepend=-1))
    (low_x, high_x), (low_y, high_y) = (
        [of.reduceat(values[order], starts) for of in (np.minimum, np.maximum)]
        for values in (x, y)
    )
    if (low_x == high_x).all() or (low_y == high_y).all():
        return high_x, low_y, 1.0
    return x, y, len(starts) / len(x)


def log_chance(x, y, n_broken):
    """Logarithm of a bound on the chance that so few rows break an order.

    The chance is over all ways to give the values of the second column to the rows. For
    no row to break x <= y, the row with the largest x takes one of the c_1 values that
    are not below it, the next one of the c_2 - 1 that are left, and so on: the product
    of the (c_i - i + 1) over n!. Where v rows may, they can be any v of n, and are
    taken for those of the largest x, which leaves most ways to the others.

    Parameters
    ----------
    x, y : ndarray of float64, shape (n,)
    n_broken : int
        Rows with x > y.

    Returns
    -------
    float
        At most 0, and -inf where chance cannot do it.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([0.0, 0.0, 2.0]), np.array([1.0, 1.0, 3.0])
    >>> round(float(np.exp(log_chance(x, y, 0))), 4)
    0.3333
    """
    n = len(x)
    bound = np.sort(x)[::-1][n_broken:]
    ways = n - np.searchsorted(np.sort(y), bound) - np.arange(len(bound))
    if (ways <= 0).any():
        return -np.inf
    # log of C(n, v) v! / n!, times the ways.
    return min(float(np.log(ways).sum() - gammaln(n - n_broken + 1)), 0.0)


def log_chance_of_ties(x, y):
    """Logarithm of a bound on the chance that two columns are equal in so many rows.

    The chance is over all ways to give the values of the second column to the rows.
    Of t pairs of a row and a value that are equal, all come true in (n - t)! of the n!
    ways; the bound is the mean number of such t, of at most m^t / t! that there are,
    where m of the n^2 pairs of rows are equal.

    Parameters
    ----------
    x, y : ndarray of float64, shape (n,)

    Returns
    -------
    float
        At most 0.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 3.0])
    >>> round(float(np.exp(log_chance_of_ties(x, y))), 4)
    0.3333
    """
    n, t = len(x), int((x == y).sum())
    if t == 0:
        return 0.0
    ways = gammaln(n - t + 1) - gammaln(n + 1) - gammaln(t + 1)
    return min(float(t * np.log(equal_pairs(x, y)) + ways), 0.0)
