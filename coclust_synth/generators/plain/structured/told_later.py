"""What may be drawn where a rule will tell another column from it.

A flight from one airport to another has one distance, which a carrier may never fly.
What tells the distance is kept from combinations that tell such a one. What is left of
an income, or of all shares, is told by a sum: others are kept from leaving less than
anybody has.
"""

import math
from functools import reduce

import numpy as np

from coclust_synth.tables.relations import Bill, DayOf, Fit, SumOfKnown
from coclust_synth.tables.rules.values.dependences import common_labels

# Of a product, more than doubles lose.
_LOST = 1e-12


def allowed_by_dependences(structure, j, codes, seen):
    """Codes of a column with which those that are told later may have their values.

    Combinations that are not told may have any.

    Parameters
    ----------
    structure : Structure
    j : int
        Position of the column.
    codes : ndarray of int32, shape (n, at least d)
        Of the columns that are drawn.
    seen : collection of int
        Positions of these.

    Returns
    -------
    allowed : ndarray of bool, shape (m, number of codes)
        Of each combination of what decides.
    row : ndarray of int64, shape (n,)
        The combination of each row.
        None instead of both where all codes are allowed.
    """
    rules = list(_rules_of_later(structure, j, seen))
    if not rules:
        return None
    decide = {c: codes[:, c] for _, columns, _, _, _ in rules for c in columns}
    for _, _, _, other, _ in rules:
        bins = structure.bins[other][codes[:, other]]
        decide.setdefault(other, bins)
    decide.pop(j, None)
    labels = common_labels([np.zeros(len(codes)), *decide.values()])
    first, row = np.unique(labels, return_index=True, return_inverse=True)[1:]
    own, n_codes = codes[first], structure.coding.parts[j].n_parts
    allowed = np.ones((len(first), n_codes), dtype=bool)
    for lookup, columns, target, other, table in rules:
        told = _told(lookup, columns, own, j, n_codes)
        bins = np.where(told < 0, 0, structure.bins[target][told])
        if other == j:
            met = table[bins, structure.bins[j]]
        else:
            met = table[bins, structure.bins[other][own[:, other]][:, None]]
        allowed &= met | (told < 0)
    return allowed, row


def ranges_by_fits(rules, unbound, name, numbers, ends, room):
    """Where a column may be for each exact sum, or product, to be between its ends.

    And for each sum with one of a few amounts, whichever it is.

    Parameters
    ----------
    rules : Rules
    unbound : set of str
        Targets that leave their terms free, see `Drawn.is_unbound`.
    name : str
        Of a column of numbers or dates that is to be drawn.
    numbers : mapping of str to ndarray of float64, shape (n,)
        Of those that are drawn.
    ends : callable
        Lowest and highest number of a column, from its name.
    room : callable
        Lowest and highest number that a rule may say of its target, from the rule.

    Yields
    ------
    lowest, highest : ndarray of float64, shape (n,), or float
        For one sum, product or bill; nan where a term is missing, or a factor of the
        column.
    """
    for rule in rules.fits.values():
        if name not in rule.parents or rule.target in {*numbers, *unbound}:
            continue
        if isinstance(rule, Bill):
            own, others = _terms_of_bill(rule, name, numbers, ends)
        elif isinstance(rule, SumOfKnown):
            there = {n: np.nan_to_num(x) for n, x in numbers.items() if n in rule.blank}
            own, others = _terms_of_sum(rule.sum, name, dict(numbers) | there, ends)
        elif isinstance(rule, Fit) and rule.logarithms and not rule.about:
            yield _range_by_product(rule, name, numbers, ends, room)
            continue
        elif isinstance(rule, DayOf):
            own, others = _terms_of_sum(rule.sum, name, numbers, ends)
        elif isinstance(rule, Fit) and (rule.plus or not rule.about):
            own, others = _terms_of_sum(rule, name, numbers, ends)
            if rule.plus:
                others.append((rule.plus[0], rule.plus[-1]))
        else:
            continue
        lowest, highest = (end - rule.constant for end in room(rule))
        for least, most in others:
            lowest, highest = lowest - most, highest - least
        bounds = lowest / own, highest / own
        yield tuple(np.where(own > 0, *side) for side in (bounds, bounds[::-1]))


def _range_by_product(rule, name, numbers, ends, room):
    """Where one column of a product may be, nan where it says nothing.

    Anywhere where it may be 0 and then there is no product: where others are over it,
    or the product is never 0. Nothing is said beside a factor of 0 either.
    """
    power = rule.terms[name]
    if ends(name)[0] <= 0 and (power < 0 or ends(rule.target)[0] > 0):
        return -np.inf, np.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        lowest, highest = (np.log(end) - math.log(rule.constant) for end in room(rule))
        for other, exponent in rule.terms.items():
            if other != name:
                low, high = _known(other, numbers, ends)
                own = np.where(high > 0, (np.log(low), np.log(high)), np.nan)
                least, most = _between(exponent, *own)
                lowest, highest = lowest - most, highest - least
        bounds = np.exp(lowest / power), np.exp(highest / power)
    # A product that is at an end may be beyond it by what doubles lose.
    first, last = bounds[:: 1 if power > 0 else -1]
    return first * (1 - _LOST), last * (1 + _LOST)


def _terms_of_sum(rule, name, numbers, ends):
    """The factor of one column, and from where to where the other terms are."""
    terms = rule.terms
    own = terms.pop(name)
    return own, [
        _between(factor, *_known(other, numbers, ends))
        for other, factor in terms.items()
    ]


def _terms_of_bill(rule, name, numbers, ends):
    """The same of a bill: the factor of each row, nan where it is 0 or not drawn."""
    own, others = 0.0, []
    for pair, factor in zip(rule.products, rule.factors, strict=True):
        if name in pair:
            (other,) = {*pair} - {name}
            own = own + factor * numbers.get(other, np.nan)
            continue
        one, two = (_known(each, numbers, ends) for each in pair)
        corners = [x * y for x in one for y in two]
        least, most = (reduce(of, corners) for of in (np.minimum, np.maximum))
        others.append(_between(factor, least, most))
    for other, factor in zip(rule.others, rule.coefficients, strict=True):
        if other == name:
            own = own + factor
        else:
            others.append(_between(factor, *_known(other, numbers, ends)))
    return np.where(own == 0, np.nan, own), others


def _known(name, numbers, ends):
    """From where to where a column is: its own number where it is drawn."""
    return (numbers[name],) * 2 if name in numbers else tuple(ends(name))


def _between(factor, least, most):
    """From where to where a multiple is."""
    return (factor * least, factor * most)[:: 1 if factor > 0 else -1]


def _rules_of_later(structure, j, seen):
    """Dependences that column j completes, or that tell what it may never meet.

    Gives each with the positions of the columns that tell and of the told one, and
    with a column, j or one that is drawn, of which values never meet some of the told
    one: which may, the told one first.
    """
    names = structure.coding.names
    for lookup in structure.rules.lookups:
        columns = [names.index(name) for name in lookup.columns]
        target = names.index(lookup.target)
        if target in {j, *seen} or not set(columns) <= {j, *seen}:
            continue
        for other, table in _never_with(structure.rules.combinations, target):
            if other == j or (other in seen and j in columns):
                yield lookup, columns, target, other, table


def _never_with(combinations, target):
    """Columns of which some values never meet some of another; which may, its first."""
    for rule in combinations:
        if target == rule.first:
            yield rule.second, rule.allowed
        elif target == rule.second:
            yield rule.first, rule.allowed.T


def _told(lookup, columns, codes, j, n_codes):
    """What each code of column j tells in each row, (n, n_codes) int32; see `told`.

    (n, 1) where j is no column that tells.
    """
    if j not in columns:
        return lookup.told(codes[:, columns])[:, None]
    rest = [np.zeros(len(codes)), *(codes[:, c] for c in columns if c != j)]
    labels = common_labels(rest)
    first, row = np.unique(labels, return_index=True, return_inverse=True)[1:]
    keys = np.repeat(codes[np.ix_(first, columns)], n_codes, axis=0)
    keys[:, columns.index(j)] = np.tile(np.arange(n_codes), len(first))
    return lookup.told(keys).reshape(len(first), n_codes)[row]
