"""Columns that a ratio which the table has tells from each other, nearly.

The price of a sale is told from the list price by what the one is of the other, a
column: .95, seldom more than 1. This ratio is told from the prices, to its last
digit, and would be that of two prices of one leaf. So the one price is drawn as the
other times a ratio.
"""

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.fitting.digits import settle
from coclust_synth.tables.rules.fitting.exact import MAX_LEFT, spread_left
from coclust_synth.tables.rules.fitting.regressions import sample_of
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED, Scale, Tried
from coclust_synth.tables.rules.fitting.told import dependants
from coclust_synth.tables.rules.sums.search import Columns


def find_told_by_ratios(
    columns: Columns, told: Sequence, stays: Collection[str] = ()
) -> list[Fit]:
    """Columns that tell others by an exact product, and nearly each other.

    Parameters
    ----------
    columns : Columns
    told : sequence of Relation
        Columns that are told from others already: nothing takes their place.
    stays : collection of str, default=()
        Columns that are the same in all rows of a person: they are told from others of
        them only.

    Returns
    -------
    list of Fit
        One of each product at most, that which saves most bits: a bit a row at least,
        and half of the spread, of persons by one row of each. No column depends on
        itself through others.
    """
    found, fits = {each.target: each for each in told}, []
    for product in told:
        if not (isinstance(product, Fit) and product.logarithms) or product.about:
            continue
        sample = _of_individuals(product, columns)
        tried = _without_it(product, sample, columns.rulers, found, {*stays})
        best = max(tried, key=lambda each: each.bits, default=None)
        if best is not None:
            fit = settle(best.fit, columns.numbers, columns.rulers[best.fit.target])
            found[fit.target] = fit
            fits.append(fit)
    return fits


def _of_individuals(product, columns):
    """Numbers of some rows; of each person one, that has what a product is about.

    The ratio that one person has in many rows would be told as that of all.
    """
    numbers, persons = columns.numbers, columns.evidence.persons
    if persons is not None:
        lacks = np.isnan([numbers[name] for name in product.columns]).any(axis=0)
        rows = np.flatnonzero(~lacks)
        rows = rows[np.unique(persons.codes[rows], return_index=True)[1]]
        numbers = {name: x[rows] for name, x in numbers.items()}
    return sample_of(numbers)


def _without_it(product, sample, rulers, found, stays) -> Iterator[Tried]:
    """A product of the others, for each column that tells what one is told by."""
    for name in product.parents:
        others = tuple(other for other in product.parents if other != name)
        banned = dependants(name, found)
        may_tell = banned.isdisjoint(others) and {*others} <= sample.keys()
        if name in found or name not in sample or not may_tell or not others:
            continue
        if name in stays and not stays.issuperset(others):
            continue
        if len(np.unique(sample[name][~np.isnan(sample[name])])) <= MAX_LISTED:
            continue
        scale = Scale.of(name, rulers[name], sample, banned, logarithms=True)
        if not scale.parents.keys() >= {*others}:
            continue
        powers = [-product.terms[other] / product.terms[name] for other in others]
        constant = np.median(scale.y - scale.matrix(others) @ powers)
        tried = scale.tried(others, powers, constant)
        if tried.fit is not None and spread_left(tried.fit, sample) <= MAX_LEFT:
            yield tried
