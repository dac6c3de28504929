"""What rounding leaves, and whether what is said holds in nearly all rows."""

from dataclasses import replace

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.compared.numbers import A_DAY

# Rows where a parent may be missing, or not positive where logarithms are taken.
MAX_UNUSABLE = 0.005
# A column without a step is rounded to this share of its middle value, ...
_ROUNDING = 1e-5
# ... or of the value: single precision has seven digits.
SINGLE = 1e-6
# Sums of decimals are so many times half a step off.
_TIMES = 3
# Halves, but for so much, of so few rows at most may be rounded either way.
_NEAR_HALF, _FEW_HALVES = 1e-6, 0.05
# Numbers that were rounded are half of half a step off on average; at least so much.
_ANYWHERE = 0.25
# A step of which another one is at most this share is larger.
_FINER = 0.9
# Of the step of whole numbers, a little more than what doubles lose.
_A_LITTLE = 0.001


def misses(fit, numbers, ruler):
    """Where a column is not what a fit says, by more than rounding.

    Halves of whole numbers are all rounded up, or all to even numbers: 1115 // 10 is no
    rounded 111.5. Those of few rows may be rounded either way. No two whole numbers
    are what a fit says: one that is half a step above most rows, and half a step below
    others, tells neither.

    Parameters
    ----------
    fit : Formula
    numbers : mapping of str to ndarray of float64, shape (n,)
    ruler : Ruler
        Of the target.

    Returns
    -------
    misses, known : ndarray of bool, shape (n,)
        Rows that have the target and what it is told from are known.
    """
    predicted, own = fit.predict(numbers), numbers[fit.target]
    if fit.logarithms:
        predicted = np.exp(predicted)
    predicted = fit.nearest(own, predicted)
    known = ~np.isnan(own) & ~np.isnan(predicted)
    predicted, own = np.where(known, predicted, 0), np.where(known, own, 0)
    if not fit.is_rounded:
        return predicted != own, known
    left = tolerance(np.where(known, own, np.nan), ruler)
    if not is_whole(ruler):
        return np.abs(predicted - own) > left, known
    step = ruler.step / per_day(ruler)
    little = _A_LITTLE * step
    missed = np.abs(predicted + little - own) > left - little
    if missed.any():
        # Or to even numbers, as computers do, or either way where this was a term.
        down = np.floor(predicted / step)
        is_half = np.abs(predicted / step - down - 0.5) < _NEAR_HALF
        if (is_half & known).sum() <= _FEW_HALVES * known.sum():
            others = missed & ~(is_half & (np.abs(predicted - own) <= left + little))
        else:
            to_even = np.where(down % 2, little, -little)
            others = np.abs(predicted + to_even - own) > left - little
        missed = others if others.sum() < missed.sum() else missed
    return missed, known


def tolerance(values, ruler):
    """What rounding leaves: sums of rounded decimals can be a step off.

    Of whole numbers it leaves a half: an age that is a year less than the difference of
    two years is no rounded one.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Of a column; nan where missing.
    ruler : Ruler
        Of the column.

    Returns
    -------
    ndarray of float64, shape (n,)
        Of decimals it grows with the values, which may be of single precision.
    """
    if is_whole(ruler):
        least = np.full(len(values), half_step(ruler))
        if ruler.dtype is np.int64:
            return least
        # Sums in single precision have no more digits than it has.
        return np.fmax(least, np.spacing(np.abs(values).astype(np.float32)))
    size = np.abs(values)
    known = size[~np.isnan(size)]
    middle = np.median(known) if len(known) else 0.0
    least = max(_TIMES * half_step(ruler), _ROUNDING * middle)
    return np.fmax(least, SINGLE * size)


def is_whole(ruler):
    """Whether a column is of whole numbers, as integers or not."""
    return float(getattr(ruler, "step", None) or 0.5).is_integer()


def has_own_digits(fit, numbers, ruler):
    """Whether few rows of a column are rounded to another value than their own.

    Parameters
    ----------
    fit : Fit
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.

    Returns
    -------
    bool
    """
    n_differ, n_rows = differ_in_digits(fit, numbers, ruler)
    return n_differ <= MAX_BROKEN * n_rows


def differ_in_digits(fit, numbers, ruler):
    """Rows of a column that are rounded to another value than their own, or to none.

    Parameters
    ----------
    fit, numbers, ruler
        See `has_own_digits`.

    Returns
    -------
    n_differ : int
        More than all where a product has other zeros than its factors.
    n_rows : int
        That have the column.
    """
    own = numbers[fit.target]
    n_rows = int((~np.isnan(own)).sum())
    if fit.logarithms and not same_zeros(fit, numbers):
        return n_rows + 1, n_rows
    return int(differs(fit, numbers, ruler).sum()), n_rows


def differs(fit, numbers, ruler):
    """Which rows of a column are rounded to another value than their own, or to none.

    Parameters
    ----------
    fit : Formula
    numbers, ruler
        See `has_own_digits`.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    told, own = fit.predict(numbers), numbers[fit.target]
    told = np.exp(told) if fit.logarithms else told
    known = ~np.isnan(told)
    off = np.abs(np.where(known, told, 0) - own) > half_step(ruler)
    return np.where(known, off, ~np.isnan(own))


def is_anywhere(left, ruler):
    """Whether what is left of a column is anywhere between two of its steps.

    So it was rounded, as tax is from a bill. What tells round numbers from a round one
    would be about these.

    Parameters
    ----------
    left : ndarray of float64, shape (n,)
        nan where nothing is told.
    ruler : Ruler
        Of the column.

    Returns
    -------
    bool
    """
    return np.nanmean(np.abs(left)) >= _ANYWHERE * half_step(ruler)


def is_off_grid(fit, numbers, rulers):
    """Whether a column has larger steps than what tells it, though it was not rounded.

    Of whole fives and a price in cents the sum is told: drawn apart, a price and a sum
    are no whole fives apart, but next to never. The last digits of numbers of single
    precision are no steps.

    Parameters
    ----------
    fit : Fit or SumOfKnown
        A sum.
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    rulers : mapping of str to Ruler
        Of its columns.

    Returns
    -------
    bool
    """
    own, *others = (half_step(rulers[name]) for name in fit.columns)
    finest = min(abs(c) * o for c, o in zip(fit.coefficients, others, strict=True))
    left = numbers[fit.target] - fit.predict(numbers)
    known = np.isfinite(left)
    if finest > _FINER * own or not known.any():
        return False
    ruler = rulers[fit.target]
    digits = np.median(_single(numbers[fit.target][known], ruler))
    is_step = is_whole(ruler) or own >= digits
    return bool(is_step) and not is_anywhere(left, ruler)


def misses_the_finest(fit, numbers, rulers):
    """Where a sum is off by more than rounding of the column with the smallest steps.

    Parameters
    ----------
    fit, numbers, rulers
        See `is_off_grid`.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    least = _TIMES * min(half_step(rulers[name]) for name in fit.columns)
    own = numbers[fit.target]
    digits = _single(own, rulers[fit.target])
    return np.abs(own - fit.predict(numbers)) > np.fmax(least, digits)


def _single(own, ruler):
    """What single precision leaves of numbers, 0 of times.

    A millionth of the days is half an hour.
    """
    return SINGLE * np.abs(own) * (per_day(ruler) <= 1)


def half_step(ruler):
    """Half of the step of a column, of 1e-9 where it has none, and a little more."""
    return (0.5 + _A_LITTLE) * (getattr(ruler, "step", None) or 1e-9) / per_day(ruler)


def per_day(ruler):
    """Units of a ruler in a day, as numbers of dates are days; 1 of other numbers."""
    return A_DAY.get(getattr(ruler, "unit", None), 1)


def same_zeros(fit, sample):
    """Whether a product is 0 where a factor is, and says something of nearly all 0.

    Rows that lack the column say nothing: a share of limits that are not of all rows is
    no other one where these have factors of 0.
    """
    own, told = sample[fit.target], fit.predict(sample)
    known = ~np.isnan(own)
    differ = known & ((own == 0) != np.isneginf(told))
    return differ.sum() <= MAX_UNUSABLE * known.sum()


def tells_nearly_all(relation, numbers, ruler):
    """Whether few rows that have a column differ from what is said, or are not.

    Parameters
    ----------
    relation : Relation
        That tells a column from others.
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.

    Returns
    -------
    bool
    """
    missed, known = misses(relation, numbers, ruler)
    has_own = ~np.isnan(numbers[relation.target])
    return are_few(~known | missed, has_own)


def breaks_few(relation, numbers, ruler):
    """Whether few of the rows of which it says something differ by more than rounding.

    Parameters
    ----------
    relation, numbers, ruler
        See `tells_nearly_all`.

    Returns
    -------
    bool
    """
    return are_few(*misses(relation, numbers, ruler))


def are_few(broken, *of):
    """Whether at most a share of `MAX_BROKEN` of some rows is broken.

    Parameters
    ----------
    broken : ndarray of bool, shape (n,)
    *of : ndarray of bool, shape (n,)
        Each of these rows.

    Returns
    -------
    bool
        True of no rows.
    """
    return all((broken & rows).sum() <= MAX_BROKEN * rows.sum() for rows in of)


def opened(fit, numbers):
    """A product, open where its column is not 0 in rows in which a divisor is.

    Parameters
    ----------
    fit : Fit
    numbers : mapping of str to ndarray of float64, shape (n,)

    Returns
    -------
    Fit
        Of nearly no such rows, and a sum, it is the same.
    """
    divisors = [name for name, power in fit.terms.items() if power < 0]
    if not (fit.logarithms and divisors):
        return fit
    own = numbers[fit.target]
    of_nothing = np.any([numbers[name] == 0 for name in divisors], axis=0)
    known = ~np.isnan(own)
    differ = known & of_nothing & (own != 0)
    return replace(fit, open=bool(differ.sum() > MAX_UNUSABLE * known.sum()))
