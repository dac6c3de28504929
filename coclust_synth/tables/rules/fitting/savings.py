"""How much of a column a sum or a product tells: of its spread, or in bits."""

import numpy as np

from coclust_synth.tables.rules.fitting.regressions import sample_of, spread_of
from coclust_synth.tables.rules.fitting.scales import bits_of

# What a fit that is about right leaves of the spread of its column, at most, where it
# is stated, or found for dates.
MAX_LEFT = 0.5


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
