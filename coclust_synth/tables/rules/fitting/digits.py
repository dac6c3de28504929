"""To how many digits the coefficients of a fit are told."""

from dataclasses import replace
from itertools import chain, product

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import IN_A_DAY
from coclust_synth.tables.rules.fitting.quantiles import quantile
from coclust_synth.tables.rules.fitting.regressions import (
    DIGITS,
    MAX_PARENTS,
    least_absolute,
    sample_of,
)
from coclust_synth.tables.rules.fitting.rounding import (
    breaks_few,
    differ_in_digits,
    half_step,
    has_own_digits,
    is_whole,
    misses,
    per_day,
)

# A coefficient that is a second, a minute or an hour of a day, but for this share.
_NEAR_SHARE = 1e-3
# Digits of the factor of a product, and of the coefficients of another unit; more are
# told where these leave a column off its last digit.
FACTOR_DIGITS, OWN_DIGITS = 6, 12
# A number of so many digits is itself.
_ALL_DIGITS = 17
# What is cut to whole numbers is a multiple of another column that is off by so many
# steps at most between these shares of it, and narrowed down by a third so often.
_MAX_OFF, _FAR, _N_THIRDS = 2.0, (0.01, 0.99), 30
# Coefficients of more digits are told where they leave at most this share of the rows
# that differ, and so many fewer at least: errors do not follow the next digit.
_FEWER, _FEWER_ROWS = 0.5, 3


def settle(fit, numbers, ruler):
    """The fit, of the fewest digits if it is exact, else said to be about right.

    An exact fit tells the column to its own digits if any coefficients do. More digits
    are told where far fewer rows differ then. A product of powers that are not whole is
    exact only to these digits: powers can be near to any sum of two products.

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

    numbers = _of_known(fit, numbers)
    to_the_unit = _to_the_unit(ruler)
    if to_the_unit != ruler:
        exact = settle(fit, numbers, to_the_unit)
        if not exact.about:
            return exact

    def n_missed(each):
        missed, known = misses(each, numbers, ruler)
        return _few(missed.sum(), known.sum())

    def n_differ(each):
        return _few(*differ_in_digits(each, numbers, ruler))

    settled = _shortest(_by_digits(fit, numbers, ruler), n_missed)
    if settled is None:
        settled = replace(fit, about=True)
        if not _is_whole_product(fit):
            return settled
    if fit.logarithms:
        own = with_own_digits(replace(settled, about=False), numbers, ruler)
    else:
        own = sums_with_own_digits(settled, numbers, ruler)
    first = [] if settled.about else [settled]
    own = _shortest(chain(first, own), n_differ)
    if own is None and fit.logarithms and not _is_whole_product(fit):
        return replace(fit, about=True)
    return own or settled


def _to_the_unit(ruler):
    """The ruler of all whole numbers in place of one of multiples of another.

    219 for each child are 219, to the unit, and not 200 but for half of 219.
    """
    step = getattr(ruler, "step", None)
    if step is None or ruler.unit is not None or not is_whole(ruler):
        return ruler
    return replace(ruler, step=type(step)(1))


def _of_known(fit, numbers):
    """The columns of a fit, of the rows that lack none of those that tell."""
    known = ~np.isnan([numbers[name] for name in fit.parents]).any(axis=0)
    return {name: numbers[name][known] for name in fit.columns}


def _few(n_broken, n_rows):
    """How many rows are broken, inf where these are more than few."""
    return n_broken if n_broken <= MAX_BROKEN * n_rows else np.inf


def _shortest(tried, n_broken):
    """The first of several fits, or a later one that far fewer rows break.

    Coefficients of too few digits are off where numbers are large, in few rows.

    Parameters
    ----------
    tried : iterable of Fit
        Of ever more digits.
    n_broken : callable
        Of a fit; inf where it does not hold.

    Returns
    -------
    Fit or None
        None where none holds.
    """
    best, least, seen = None, np.inf, set()
    for each in tried:
        if each in seen:
            continue
        seen.add(each)
        n_rows = n_broken(each)
        if n_rows < np.inf and (
            best is None or n_rows <= min(_FEWER * least, least - _FEWER_ROWS)
        ):
            best, least = each, n_rows
        if least < _FEWER_ROWS:
            break
    return best


def _is_whole_product(fit):
    """Whether it is one of whole powers."""
    return fit.logarithms and all(float(c).is_integer() for c in fit.coefficients)


def _by_digits(fit, numbers, ruler):
    """The same fit, told to few digits first."""
    if fit.logarithms:
        yield from (_rounded(fit, digits) for digits in range(1, FACTOR_DIGITS + 1))
        yield fit
        return
    by_the_day = _by_the_day(fit)
    if by_the_day is not fit and getattr(ruler, "unit", None) is not None:
        yield by_the_day
    short = [_to_digits(by_the_day, digits) for digits in range(1, DIGITS + 1)]
    if is_whole(ruler):
        yield from short
        yield _in_shares(fit)
        yield from (_over_digits(by_the_day, digits) for digits in range(1, DIGITS))
        yield from (_in_the_middle(each, numbers) for each in short)
        if len(fit.parents) == 1:
            yield from _cut(fit, numbers, ruler)
    yield from dict.fromkeys((replace(by_the_day, constant=0.0), by_the_day, fit))
    told = _to_more_digits(fit, numbers)
    yield from map(told, range(DIGITS + 1, FACTOR_DIGITS + 1))
    if breaks_few(told(_ALL_DIGITS), numbers, ruler):
        yield from map(told, range(FACTOR_DIGITS + 1, OWN_DIGITS + 1))


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
    if not (low <= high and 0 < middle < np.inf):
        return
    for digits in range(1, OWN_DIGITS + 1):
        for factor in _of_digits(middle, digits):
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


def _to_digits(fit, digits):
    """The same sum without its constant, its coefficients told to so many digits."""
    coefficients = tuple(float(f"{c:.{digits}g}") for c in fit.coefficients)
    return replace(fit, coefficients=coefficients, constant=0.0)


def _in_shares(fit):
    """The same sum without its constant, its coefficients one over whole numbers."""
    nearest = np.round(1 / np.array(fit.coefficients))
    nearest = np.where(nearest == 0, 1 / np.array(fit.coefficients), nearest)
    return replace(fit, coefficients=tuple((1 / nearest).tolist()), constant=0.0)


def _over_digits(fit, digits):
    """The same sum without its constant, one over so many digits where not whole."""
    told = [
        c if float(c).is_integer() else 1 / float(f"{1 / c:.{digits}g}")
        for c in fit.coefficients
    ]
    return replace(fit, coefficients=tuple(told), constant=0.0)


def _in_the_middle(fit, numbers):
    """A sum with the constant that leaves as much above it as below: -.25 of x // 2."""
    left = numbers[fit.target] - fit.predict(numbers)
    ends = np.nanquantile(left, (MAX_BROKEN / 2, 1 - MAX_BROKEN / 2))
    return replace(fit, constant=float(f"{ends.mean():.{DIGITS}g}"))


def _cut(fit, numbers, ruler):
    """A multiple of one column that is cut to whole numbers, or raised to these.

    Years are a twelfth of so many months, cut. What is cut off leaves the middle of
    all the least room: that multiple, of few digits or one over a number of few.
    """
    sample, step = (
        sample_of({n: numbers[n] for n in fit.columns}),
        ruler.step / per_day(ruler),
    )
    own, x = sample[fit.target], sample[fit.parents[0]]
    known = ~np.isnan(own) & ~np.isnan(x)
    own, x = own[known], x[known]
    low, high = np.quantile(x, _FAR)
    if high == low:
        return

    def room(coefficient):
        left = own - coefficient * x
        return quantile(left, 1 - MAX_BROKEN / 2) - quantile(left, MAX_BROKEN / 2)

    off = _MAX_OFF * step / (high - low)
    first, last = fit.coefficients[0] - off, fit.coefficients[0] + off
    for _ in range(_N_THIRDS):
        third = (last - first) / 3
        if room(first + third) < room(last - third):
            last -= third
        else:
            first += third
    nearest = (first + last) / 2
    if not nearest or room(nearest) > step:
        return
    for digits in range(1, FACTOR_DIGITS + 1):
        for told in _of_digits(nearest, digits):
            each = replace(fit, coefficients=(told,), constant=0.0)
            yield _in_the_middle(each, numbers)


def _to_more_digits(fit, numbers):
    """The same sum told to so many digits, as a function: another unit needs them."""
    sample = sample_of({name: numbers[name] for name in fit.columns})
    own, x = sample[fit.target], np.column_stack([sample[p] for p in fit.parents])
    known = ~np.isnan(own) & ~np.isnan(x).any(axis=1)
    own, x = own[known], x[known]
    nearest, _, _ = least_absolute(x, own)

    def told(digits):
        coefficients = [float(f"{c:.{digits}g}") for c in nearest]
        left = own - x @ np.array(coefficients)
        constant = float(f"{np.median(left):.{digits}g}") if fit.constant else 0.0
        return replace(fit, coefficients=tuple(coefficients), constant=constant)

    return told


def sums_with_own_digits(fit, numbers, ruler):
    """Sums whose coefficients tell a column to its digits: the shortest ones first.

    Those that are no whole numbers have few digits, or one over them has: a sixth. A
    constant is left out if it can be.

    Parameters
    ----------
    fit : Fit
        A sum, its coefficients about right.
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.

    Yields
    ------
    Fit
    """
    sample = sample_of({name: numbers[name] for name in fit.columns})
    for constant in dict.fromkeys((0.0, fit.constant)):
        for told in _of_few_digits(replace(fit, constant=constant), sample, ruler):
            if all(has_own_digits(told, rows, ruler) for rows in (sample, numbers)):
                yield told


def _of_few_digits(fit, numbers, ruler):
    """The same sum with other coefficients that are no whole numbers, or one over."""
    open_to = [p for p, c in fit.terms.items() if not c.is_integer()]
    if not open_to:
        return
    nearest = None
    if len(open_to) == 1:
        nearest = _middle_coefficient(fit, open_to[0], numbers, ruler)
    if nearest is None:
        nearest = _to_more_digits(fit, numbers)(_ALL_DIGITS)
    if not all(nearest.terms[p] for p in open_to):
        return
    for digits in range(1, OWN_DIGITS + 1):
        shortest = _chosen([nearest.terms[p] for p in open_to], digits)
        constants = [float(f"{nearest.constant:.{d}g}") for d in range(1, digits + 1)]
        for chosen, constant in product(shortest, dict.fromkeys(constants)):
            terms = fit.terms | dict(zip(open_to, chosen, strict=True))
            coefficients = tuple(terms.values())
            yield replace(fit, coefficients=coefficients, constant=constant)


def _middle_coefficient(fit, name, numbers, ruler):
    """The sum with the middle of where rounding leaves a coefficient.

    None where it leaves none for nearly all rows.
    """
    x, own = numbers[name], fit.terms[name]
    rest = numbers[fit.target] - fit.predict(numbers) + own * x
    known = ~np.isnan(rest) & (x != 0)
    if not known.any():
        return None
    rest, x = np.where(x < 0, -rest, rest)[known], np.abs(x[known])
    half, broken = half_step(ruler), MAX_BROKEN / 2
    low = np.quantile((rest - half) / x, 1 - broken)
    high = np.quantile((rest + half) / x, broken)
    if low > high:
        return None
    terms = fit.terms | {name: float(low + high) / 2}
    return replace(fit, coefficients=tuple(terms.values()))


def _chosen(numbers, digits):
    """Some numbers of so many digits each, or one over such a number.

    Of few numbers in every way; of more, in which every other one doubles the ways, all
    in one way, or each in that which is nearer.
    """
    ways = [_of_digits(number, digits) for number in numbers]
    if len(numbers) <= MAX_PARENTS:
        return list(product(*ways))
    nearer = [
        min(way, key=lambda told, own=own: abs(told - own))
        for own, way in zip(numbers, ways, strict=True)
    ]
    return [*zip(*ways, strict=True), tuple(nearer)]


def _of_digits(number, digits):
    """A number of so many digits, and one over such a number."""
    return float(f"{number:.{digits}g}"), 1 / float(f"{1 / number:.{digits}g}")
