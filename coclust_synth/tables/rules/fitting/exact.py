"""Sums and products that tell a column exactly, and how much of one any of them tells:
of its spread, or in bits.
"""

import numpy as np

from coclust_synth.tables.rules.fitting.digits import settle
from coclust_synth.tables.rules.fitting.regressions import sample_of, spread_of
from coclust_synth.tables.rules.fitting.scales import Scale, bits_of

# What a fit that is about right leaves of the spread of its column, at most, where it
# is stated, or found for dates.
MAX_LEFT = 0.5


def exact_sums(target, numbers, ruler, banned, told=()):
    """Sums of some columns that tell another exactly.

    Parameters
    ----------
    target : str
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.
    banned : set of str
        Columns that it may not be told from.
    told : collection of str, default=()
        Columns that are sums of others themselves: no sum of many is of these, beside
        what they are the sum of.

    Yields
    ------
    Fit
    """
    sample = sample_of(numbers)
    if target not in sample:
        return
    scale = Scale.of(target, ruler, sample, banned, logarithms=False)
    for tried, parents in scale.one_after_another():
        tried = tried if tried.is_exact else scale.together(parents)
        yield from _settled(tried, numbers, ruler)
    if scale.is_told():
        told = {(name, False) for name in told}
        for tried in (scale.all_at_once(told), scale.more_at_once(told)):
            yield from _settled(tried, numbers, ruler)


def exact_product(target, numbers, ruler, banned):
    """The product of some columns that tells another exactly.

    Parameters
    ----------
    target : str
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing; of no dates.
    ruler : Ruler
        Of the target.
    banned : set of str
        Columns that it may not be told from.

    Returns
    -------
    Fit or None
    """
    sample = sample_of(numbers)
    scale = Scale.of(target, ruler, sample, banned, logarithms=True)
    tried = scale.one_by_one()
    if not tried.is_exact:
        return None
    fit = settle(tried.fit, numbers, ruler)
    return None if fit.about else fit


def _settled(tried, numbers, ruler):
    """The fit of what was tried in a sample, if it is exact in all rows."""
    if tried.is_exact:
        fit = settle(tried.fit, numbers, ruler)
        if not fit.about:
            yield fit


def spread_left(fit, numbers):
    """Spread of what a fit leaves over that of its column, in logarithms of a product.

    Parameters
    ----------
    fit : Fit
    numbers : mapping of str to ndarray of float64, shape (n,)

    Returns
    -------
    float
        From 0; nan where it says nothing.
    """
    own = numbers[fit.target]
    if fit.logarithms:
        own = np.log(np.where(own > 0, own, np.nan))
    left = own - fit.predict(numbers)
    known = np.isfinite(left)
    if not known.any():
        return np.nan
    return spread_of(left[known]) / max(spread_of(own[known]), 1e-300)


def bits_saved(fit, numbers, ruler):
    """Bits a row that a sum saves, of telling its column.

    Parameters
    ----------
    fit : Fit
        Of no product.
    numbers : mapping of str to ndarray of float64, shape (n,)
    ruler : Ruler
        Of the target.

    Returns
    -------
    float
    """
    sample = sample_of({name: numbers[name] for name in fit.columns})
    own, left = sample[fit.target], sample[fit.target] - fit.predict(sample)
    known = ~np.isnan(left)
    return bits_of(own[known], ruler) - bits_of(left[known], ruler)
