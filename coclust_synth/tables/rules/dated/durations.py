"""Columns of numbers that are a product with durations, which are written as times."""

import numpy as np

from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.dependants import dependants
from coclust_synth.tables.rules.fitting.exact import exact_product
from coclust_synth.tables.rules.fitting.holding import are_few
from coclust_synth.tables.rules.fitting.rounding import has_own_digits, misses
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED


def find_products_of_durations(columns, told=()):
    """The numbers that are a product of others with times: sleep over time in bed.

    To the last digit, in all but `MAX_BROKEN` of the rows, of all and of those that
    have not the commonest value. What is a multiple of one column is left to sums, and
    what has no time in it to `find_fits`. Of the same solved for several columns that
    which is no share comes first: a pay, not a rate. Enough individuals have not the
    commonest value.

    Returns
    -------
    list of Fit
    """
    evidence, plain = columns.evidence, columns.numbers
    times = [n for n in columns.rulers if n not in evidence.dates and n not in plain]
    numbers = plain | {name: evidence.numbers[name] for name in times}
    found, products = {each.target: each for each in told}, []
    while times:
        tried = (
            _product(target, times, numbers, columns, found)
            for target in sorted(plain.keys() - found.keys())
        )
        best = min(
            (fit for fit in tried if fit is not None),
            key=lambda fit: sum(c < 0 for c in fit.coefficients),
            default=None,
        )
        if best is None:
            break
        found[best.target] = best
        products.append(best)
    return products


def _product(target, times, numbers, columns, found):
    """The product with a time that a column is, None where it is none."""
    own, ruler = numbers[target], columns.rulers[target]
    if len(np.unique(own[~np.isnan(own)])) <= MAX_LISTED:
        return None
    fit = exact_product(target, numbers, ruler, dependants(target, found))
    if fit is None or len(fit.parents) < 2 or set(times).isdisjoint(fit.parents):
        return None
    missed, known = misses(fit, numbers, ruler)
    has_own = ~np.isnan(own)
    rarer = has_own & is_rarer(own)
    holds = are_few(missed | ~known, has_own, rarer) and has_own_digits(
        fit, numbers, ruler
    )
    n_told = columns.evidence.n_of(rarer & known & ~missed)
    return fit if holds and n_told >= columns.enough else None
