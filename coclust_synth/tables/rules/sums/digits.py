"""To how many digits the coefficients of a fit are told."""

from dataclasses import replace

import numpy as np

from coclust_synth.tables.relations import IN_A_DAY
from coclust_synth.tables.rules.compared.orders import MAX_BROKEN
from coclust_synth.tables.rules.sums.regressions import (
    DIGITS,
    least_absolute,
    sample_of,
)
from coclust_synth.tables.rules.sums.rounding import half_step, has_own_digits, misses

# A coefficient that is a second, a minute or an hour of a day, but for this share.
_NEAR_SHARE = 1e-3
# Digits of the factor of a product, and of the coefficients of another unit.
FACTOR_DIGITS = 6


def settle(fit, numbers, ruler):
    """The fit, of the fewest digits if it is exact, else said to be about right.

    An exact product tells the column to its own digits if any factor does.

    Parameters
    ----------
    fit : Fit
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.

    Returns
    -------
    Fit
    """
    tried = _by_digits(fit, numbers)
    exact = (each for each in tried if _is_exact(each, numbers, ruler))
    settled = next(exact, replace(fit, about=True))
    if settled.about or not fit.logarithms or has_own_digits(settled, numbers, ruler):
        return settled
    return next(with_own_digits(settled, numbers, ruler), settled)


def _by_digits(fit, numbers):
    """The same fit, told to few digits first."""
    if fit.logarithms:
        yield from (_rounded(fit, digits) for digits in range(1, FACTOR_DIGITS + 1))
        yield fit
        return
    by_the_day = _by_the_day(fit)
    yield from dict.fromkeys((replace(by_the_day, constant=0.0), by_the_day, fit))
    for digits in range(DIGITS + 1, FACTOR_DIGITS + 1):
        yield _more_digits(fit, numbers, digits)


def _is_exact(fit, numbers, ruler):
    """Whether few rows differ from a fit by more than rounding."""
    missed, known = misses(fit, numbers, ruler)
    return missed.sum() <= MAX_BROKEN * known.sum()


def with_own_digits(fit, numbers, ruler):
    """A product with a factor that tells a column to its digits: the shortest ones.

    The factor has few digits, or one over it has. Each row, being rounded, says between
    which two numbers it is.

    Parameters
    ----------
    fit : Fit
        A product, of any factor.
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.

    Yields
    ------
    Fit
    """
    own, told = numbers[fit.target], np.exp(fit.predict(numbers)) / fit.constant
    known = (own > 0) & (told > 0) & np.isfinite(told)
    if not known.any():
        return
    own, told = own[known], told[known]
    half, broken = half_step(ruler), MAX_BROKEN / 2
    low = np.quantile((own - half) / told, 1 - broken)
    high = np.quantile((own + half) / told, broken)
    middle = (low + high) / 2
    if not 0 < middle < np.inf:
        return
    for digits in range(1, FACTOR_DIGITS + 1):
        over = 1 / float(f"{1 / middle:.{digits}g}")
        for factor in (float(f"{middle:.{digits}g}"), over):
            with_it = replace(fit, constant=factor)
            if low <= factor <= high and has_own_digits(with_it, numbers, ruler):
                yield with_it


def _rounded(fit, digits):
    return replace(fit, constant=float(f"{fit.constant:.{digits}g}"))


def _by_the_day(fit):
    """The same sum, its coefficients being an hour, a minute or a second if near."""
    coefficients = np.array(fit.coefficients)
    shares = 1 / np.array(IN_A_DAY)
    near = np.abs(np.abs(coefficients)[:, None] / shares - 1) < _NEAR_SHARE
    if not near.any():
        return fit
    exact = np.sign(coefficients) * (near @ shares)
    told = np.where(near.any(axis=1), exact, coefficients).tolist()
    return replace(fit, coefficients=tuple(told), constant=0.0)


def _more_digits(fit, numbers, digits):
    """The same sum, its coefficients told to more digits: another unit needs them."""
    sample = sample_of(numbers)
    own, x = sample[fit.target], np.column_stack([sample[p] for p in fit.parents])
    known = ~np.isnan(own) & ~np.isnan(x).any(axis=1)
    coefficients, _, _ = least_absolute(x[known], own[known])
    coefficients = [float(f"{c:.{digits}g}") for c in coefficients]
    left = own[known] - x[known] @ np.array(coefficients)
    constant = float(f"{np.median(left):.{digits}g}") if fit.constant else 0.0
    return replace(fit, coefficients=tuple(coefficients), constant=constant)
