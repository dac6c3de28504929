"""Columns that others nearly fix: a sum, a difference, a product of a few of them."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from coclust_synth.tables.draws.rulers import ContinuousRuler, Ruler
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.relations import (
    IN_A_DAY,
    DateOf,
    Fit,
    Function,
    Limited,
    Share,
)
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rules.numbers import A_DAY
from coclust_synth.tables.rules.orders import MAX_BROKEN
from coclust_synth.tables.rules.regressions import (
    DIGITS,
    MAX_PARENTS,
    MAX_SPREAD,
    all_at_once,
    least_absolute,
    leave_little,
    select,
    spread_of,
    whole,
    without_idle,
)

# Rows that fits are tried on.
_MAX_ROWS = 4000
# Larger numbers have no squares, and are in no fit.
_MAX_SIZE = 1e150
_MIN_ROWS = 200
# Of these an exact fit needs fewer: each row of them is told as well.
_MIN_EXACT_ROWS = 50
# A column of no more values reads as a list: exact sums with whole coefficients alone
# tell more of it than its shares do.
_MAX_LISTED = 20
# Rows where a parent may be missing, or not positive where logarithms are taken.
_MAX_UNUSABLE = 0.005
# Sums of a column are looked for without those that tell it best so often.
_MAX_TRIED = 8
# Bits that a fit saves a row, at least.
MIN_BITS = 1.0
# What a fit that is about right leaves of the spread of its column, at most, where it
# is stated, or found for dates.
MAX_LEFT = 0.5
# A sum is told for another of its columns that it saves as many bits of, but for these.
_AS_MANY_BITS = 0.5
# Share of the rows that an exact fit tells, ...
_ALL = 0.999
# ... up to this share of the column's middle value, where it has no step.
_ROUNDING = 1e-5
# ... or of the value: single precision has seven digits.
SINGLE = 1e-6
# A coefficient that is a second, a minute or an hour of a day, but for this share.
_NEAR_SHARE = 1e-3
# Rounding of one column is seen in another if so many times as many rows would differ.
_SEEN = 10
# Digits of the factor of a product, and of the coefficients of another unit.
FACTOR_DIGITS = 6


def find_fits(numbers, rulers, told=(), orders=()):
    """The fits that make columns cheaper to tell, each of columns told before.

    Parameters
    ----------
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    rulers : mapping of str to Ruler
        Of the columns that may be told by a fit.
    told : sequence of relations
        Columns that are told from others already.
    orders : sequence of Order
        That are kept too.

    Returns
    -------
    list of Fit
        No column depends on itself through others.
    """
    sample = sample_of(numbers)
    found = {fit.target: fit for fit in told}
    open_targets = set(rulers) & set(sample) - set(found)
    listed = {
        name
        for name in open_targets
        if len(np.unique(sample[name][~np.isnan(sample[name])])) <= _MAX_LISTED
    }
    # What is told exactly is a sum or product of others in itself: more need not tell
    # it. Functions are powers, or no more than these.
    exactly = {(fit.target, True) for fit in told if isinstance(fit, Function)}
    near: dict = {}
    exact: dict = {}
    while True:
        tried = {}
        for target in sorted(open_targets):
            banned = dependants(target, found)
            if target not in near or banned & near[target].parents:
                scales = _scales(target, sample, rulers, banned, listed)
                near[target] = _best(s.one_by_one() for s in scales)
            key = target, frozenset(banned), len(exactly)
            if key not in exact:
                scales = _scales(target, sample, rulers, banned, listed)
                exact[key] = _best(s.all_at_once(exactly) for s in scales)
            tried[target] = _best([near[target], exact[key]])
            if target in listed and not tried[target].is_whole:
                tried[target] = _Tried()
        target = max(tried, key=lambda t: _worth(tried[t]), default=None)
        if target is None or tried[target].fit is None:
            break
        is_exact, saved, fit = tried[target]
        sides = open_targets if is_exact else open_targets - listed
        fit = _best_side(saved, fit, sample, rulers, sides, found, orders)
        fit = _told_to_its_digits(fit, sample, rulers, open_targets - listed, found)
        found[fit.target] = fit
        open_targets.remove(fit.target)
        if is_exact:
            exactly.add((fit.target, fit.logarithms))
    fits = [found[name] for name in found if name not in {fit.target for fit in told}]
    return [_settled(fit, numbers, rulers[fit.target]) for fit in fits]


def exact_sums(target, numbers, ruler, banned):
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

    Yields
    ------
    Fit
    """
    sample = sample_of(numbers)
    if target not in sample:
        return
    scale = _Scale.of(target, ruler, sample, banned, logarithms=False)
    for tried, parents in scale.one_after_another():
        tried = tried if tried.is_exact else scale.together(parents)
        if tried.is_exact:
            fit = _settled(tried.fit, numbers, ruler)
            if not fit.about:
                yield fit


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
    scale = _Scale.of(target, ruler, sample, banned, logarithms=True)
    tried = scale.one_by_one()
    if not tried.is_exact:
        return None
    fit = _settled(tried.fit, numbers, ruler)
    return None if fit.about else fit


def sample_of(numbers):
    """Some rows that fits are tried on, of the columns that have squares."""
    n = len(next(iter(numbers.values()), ()))
    rows = np.linspace(0, n - 1, min(n, _MAX_ROWS)).astype(np.int64)
    return {
        name: x[rows]
        for name, x in numbers.items()
        if np.nanmax(np.abs(x), initial=0.0) <= _MAX_SIZE
    }


def misses(fit, numbers, ruler):
    """Where a column is not what a fit says, by more than rounding.

    Parameters
    ----------
    fit : Fit, Limited, Function, Share, DateOf, DatePart or Age
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
    if isinstance(fit, Share):
        predicted = predicted * fit.nearest(own, predicted)
    known = ~np.isnan(own) & ~np.isnan(predicted)
    distance = np.abs(np.where(known, predicted - own, 0))
    # Dates tell whole numbers, whatever the steps of the column.
    if not isinstance(fit, Fit | Limited | Function | Share | DateOf):
        return distance > 0, known
    return distance > tolerance(np.where(known, own, np.nan), ruler), known


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
    return _bits(own[known], ruler) - _bits(left[known], ruler)


def _settled(fit, numbers, ruler):
    """The fit, of the fewest digits if it is exact, else said to be about right.

    An exact product tells the column to its own digits if any factor does.
    """
    tried = _by_digits(fit, numbers)
    exact = (each for each in tried if _is_exact(each, numbers, ruler))
    settled = next(exact, replace(fit, about=True))
    if settled.about or not fit.logarithms or _has_own_digits(settled, numbers, ruler):
        return settled
    return next(_with_own_digits(settled, numbers, ruler), settled)


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


def _with_own_digits(fit, numbers, ruler):
    """A product with a factor that tells a column to its digits: the shortest ones.

    The factor has few digits, or one over it has. Each row, being rounded, says between
    which two numbers it is.
    """
    own, told = numbers[fit.target], np.exp(fit.predict(numbers)) / fit.constant
    known = (own > 0) & (told > 0) & np.isfinite(told)
    if not known.any():
        return
    own, told = own[known], told[known]
    half, broken = _half_step(ruler), MAX_BROKEN / 2
    low = np.quantile((own - half) / told, 1 - broken)
    high = np.quantile((own + half) / told, broken)
    middle = (low + high) / 2
    if not 0 < middle < np.inf:
        return
    for digits in range(1, FACTOR_DIGITS + 1):
        over = 1 / float(f"{1 / middle:.{digits}g}")
        for factor in (float(f"{middle:.{digits}g}"), over):
            with_it = replace(fit, constant=factor)
            if low <= factor <= high and _has_own_digits(with_it, numbers, ruler):
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


def tolerance(values, ruler):
    """What rounding leaves: sums of rounded decimals can be a step off.

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
    if ruler.dtype is np.int64:
        return np.full(len(values), _half_step(ruler))
    size = np.abs(values)
    known = size[~np.isnan(size)]
    middle = np.median(known) if len(known) else 0.0
    least = max(3 * _half_step(ruler), _ROUNDING * middle)
    return np.fmax(least, SINGLE * size)


def _best_side(saved, fit, sample, rulers, targets, found, orders):
    """The same sum, solved for the column that it saves most bits of.

    Where a - b + c is told from the others, so are a, b and c. Whole days between two
    moments say of the later one all but its hour, and the moments, drawn each on its
    own, next to nothing of the days. Of columns that it saves about as many bits of,
    the one with the fewest orders beside the sum: no room is left for these in what the
    sum tells.
    """
    if not _is_signed(fit):
        return fit
    sides = [(saved, fit)]
    for p, c in zip(fit.parents, fit.coefficients, strict=True):
        terms = zip(fit.parents, fit.coefficients, strict=True)
        others = [(q, -c * d) for q, d in terms if q != p]
        parents = [fit.target, *(q for q, _ in others)]
        if p not in targets or set(parents) & dependants(p, found):
            continue
        signs = [c, *(d for _, d in others)]
        constant = -c * fit.constant
        solved = Fit(p, tuple(parents), tuple(signs), constant, False)
        left = sample[p] - solved.predict(sample)
        left = left[~np.isnan(left)]
        own = sample[p][~np.isnan(sample[p])]
        sides.append((_bits(own, rulers[p]) - _bits(left, rulers[p]), solved))
    most = max(bits for bits, _ in sides)
    if fit.constant and saved >= most - _AS_MANY_BITS:
        return fit  # Which may round to it exactly, and others not.
    near = [side for side in sides if side[0] >= most - _AS_MANY_BITS]
    beside = [o.columns for o in orders if not set(o.columns) <= set(fit.columns)]

    def rank(side):
        bits, solved = side
        return sum(solved.target in columns for columns in beside), -bits

    return min(near, key=rank)[1]


def _is_signed(fit):
    """Whether it is a sum or difference of columns as they are."""
    return not fit.logarithms and set(fit.coefficients) <= {1.0, -1.0}


def _told_to_its_digits(fit, sample, rulers, targets, found):
    """The same exact fit, for a column that it tells to its digits, if there is one.

    An hourly wage is a monthly one over the hours, rounded. The monthly one is the
    product of both but for what the rounding left, times the hours. Where rounding the
    one would not be seen in the other, as in round numbers, either may be told.
    """
    ruler = rulers[fit.target]
    settled = _settled(fit, sample, ruler)
    if _is_signed(fit) or settled.about or _has_own_digits(settled, sample, ruler):
        return fit
    for name in fit.parents:
        if name not in targets:
            continue
        for solved in _solved(settled, name, sample, rulers[name]):
            is_free = not set(solved.parents) & dependants(name, found)
            if is_free and _has_own_digits(solved, sample, rulers[name]):
                if _is_seen(solved, fit.target, sample, rulers):
                    return solved
    return fit


def _is_seen(fit, name, sample, rulers):
    """Whether rounding one of those that tell a column would change its last digit.

    In many more rows than may differ: a number that is u off at most, anything being as
    likely, is rounded to another one in u / 2 of its step.
    """
    half, told = _half_step(rulers[name]), []
    for off in (-half, half):
        said = fit.predict(sample | {name: sample[name] + off})
        told.append(np.exp(said) if fit.logarithms else said)
    steps = np.abs(told[1] - told[0]) / 2 / (2 * _half_step(rulers[fit.target]))
    return np.nanmean(np.minimum(steps / 2, 1)) >= _SEEN * MAX_BROKEN


def _solved(fit, name, sample, ruler):
    """The same fit for one of the columns that tell it, told to few digits first."""
    terms = dict(zip(fit.parents, fit.coefficients, strict=True))
    own = terms.pop(name)
    parents = fit.target, *terms
    factors = 1 / own, *(-c / own for c in terms.values())
    if fit.logarithms:
        factor = fit.constant ** (-1 / own)
        solved = Fit(name, parents, factors, factor, logarithms=True)
        yield from _with_own_digits(solved, sample, ruler)
        return
    for digits in range(DIGITS, FACTOR_DIGITS + 1):
        *told, constant = (
            float(f"{c:.{digits}g}") for c in (*factors, -fit.constant / own)
        )
        yield Fit(name, parents, tuple(told), constant, logarithms=False)


def _has_own_digits(fit, numbers, ruler):
    """Whether few rows of a column are rounded to another value than their own."""
    told, own = fit.predict(numbers), numbers[fit.target]
    if fit.logarithms:
        if not _same_zeros(fit, numbers):
            return False
        told = np.exp(told)
    known = ~np.isnan(told)
    differ = known & (np.abs(np.where(known, told, 0) - own) > _half_step(ruler))
    n_rows = (~np.isnan(own)).sum()
    return differ.sum() + (~np.isnan(own) & ~known).sum() <= MAX_BROKEN * n_rows


def dependants(column, fits):
    """The column, and all that are told from it.

    Parameters
    ----------
    column : str
    fits : mapping of str to Fit, DatePart or Age
        By target.

    Returns
    -------
    set of str
    """
    found = {column}
    while True:
        more = {t for t, fit in fits.items() if set(fit.parents) & found} - found
        if not more:
            return found
        found |= more


def _half_step(ruler):
    return 0.501 * (getattr(ruler, "step", None) or 1e-9) / _per_day(ruler)


def _per_day(ruler):
    """Units of a ruler in a day, as numbers of dates are days; 1 of other numbers."""
    return A_DAY.get(getattr(ruler, "unit", None), 1)


class _Tried(NamedTuple):
    """A fit, whether it is exact, and the bits that it saves a row."""

    is_exact: bool = False
    bits: float = 0.0
    fit: Fit | None = None

    @property
    def parents(self):
        return set() if self.fit is None else set(self.fit.parents)

    @property
    def is_whole(self):
        """Whether it is an exact sum of whole multiples."""
        if not self.is_exact or self.fit.logarithms:
            return False
        told = (*self.fit.coefficients, self.fit.constant)
        return all(number.is_integer() for number in told)


def _best(tried):
    """The fit of a column that is worth most; of exact sums, whole ones come first.

    Net and gross tell each other but for rounding, which their difference has not.
    """
    return max(tried, key=lambda one: (one.is_whole, _worth(one)), default=_Tried())


def _worth(tried):
    """Exact fits before others, and of these sums before products."""
    is_sum = tried.is_exact and not tried.fit.logarithms
    return tried.is_exact, is_sum, tried.bits


class _Scale(NamedTuple):
    """A column that may be told, and those that may tell it, perhaps in logarithms.

    target : name. ruler : its own. own, y : (n,) its values, and these or their
    logarithms. parents : columns by name, as y is. sample : all rows.
    """

    target: str
    ruler: Ruler
    own: np.ndarray
    y: np.ndarray
    parents: dict
    sample: dict
    logarithms: bool

    @classmethod
    def of(cls, target, ruler, sample, banned, *, logarithms):
        """Those rows that have the target; of logarithms, above 0."""
        own = sample[target]
        known = ~np.isnan(own)
        if logarithms:
            if (own[known] < 0).mean() > _MAX_UNUSABLE:
                known[:] = False
            known &= own > 0
        own = own[known]
        if len(own) < _MIN_EXACT_ROWS:
            return cls(target, ruler, own, own, {}, sample, logarithms)
        parents = _usable(sample, known, banned, logarithms)
        y = np.log(own) if logarithms else own
        parents = parents if spread_of(y) > 0 else {}
        return cls(target, ruler, own, y, parents, sample, logarithms)

    def matrix(self, names):
        """Columns side by side, (n, p)."""
        return np.column_stack([self.parents[name] for name in names])

    def tried(self, names, coefficients, constant):
        """The fit of some columns, if it is worth its while."""
        y, parents, own = self.y, self.parents, self.own
        terms = zip(names, coefficients, strict=True)
        left = y - constant - sum(c * parents[p] for p, c in terms)
        if self.logarithms:
            constant = float(f"{np.exp(constant):.{FACTOR_DIGITS}g}")
            cost = _bits(left, ContinuousRuler(), own / _step(self.ruler))
        else:
            cost = _bits(left, self.ruler)
        saved = _bits(own, self.ruler) - cost
        if saved < MIN_BITS:
            return _Tried()
        names, coefficients = tuple(names), tuple(map(float, coefficients))
        fit = Fit(self.target, names, coefficients, constant, self.logarithms)
        if self.logarithms and not _same_zeros(fit, self.sample):
            return _Tried()
        is_exact = not _settled(fit, self.sample, self.ruler).about
        if not is_exact and len(own) < _MIN_ROWS:
            return _Tried()
        return _Tried(is_exact, saved, fit)

    def is_told(self):
        """Whether all columns together leave next to nothing."""
        return bool(self.parents) and leave_little(self.matrix(self.parents), self.y)

    def one_by_one(self):
        """The fit of columns that each tell much; an exact, whole one if it can be.

        What is told of a sum tells its terms nearly: the tax of a price and a fee, the
        fee.
        """
        tried = (each for each, _ in self.one_after_another())
        best = next(tried, _Tried())
        if self.logarithms or best.is_whole:
            return best
        return _best([best, *(each for each in tried if each.is_whole)])

    def one_after_another(self):
        """The fit of columns that each tell much; that without the strongest of these;
        and so on, as long as those that are left leave no more than rounding.

        Yields
        ------
        tried : _Tried
        parents : dict
            It is of some of them.
        """
        parents = dict(self.parents)
        for _ in range(_MAX_TRIED):
            if not parents:
                return
            names, coefficients, _, left = select(parents, self.y)
            if not names:
                return
            spread = left * spread_of(self.y)
            near = left < MAX_SPREAD
            tried = self._of(names, coefficients, spread) if near else _Tried()
            yield tried, dict(parents)
            rounding = tolerance(self.own, self.ruler).mean()
            if not leave_little(self.matrix(parents), self.y, rounding):
                return
            terms = coefficients * [spread_of(parents[name]) for name in names]
            del parents[names[np.abs(terms).argmax()]]

    def together(self, parents):
        """The fit of a few columns, of all but those that move it next to nothing."""
        columns, coefficients, spread = without_idle(self.matrix(parents), self.y)
        if not 1 <= len(columns) <= MAX_PARENTS:
            return _Tried()
        return self._of([[*parents][i] for i in columns], coefficients, spread)

    def _of(self, names, coefficients, spread):
        """The fit of some columns, its coefficients whole if they can be.

        Perhaps with one more that is all that whole ones leave, the tax of a price.
        """
        x = self.matrix(names)
        told, constant = whole(x, self.y, coefficients, spread, self.logarithms)
        if self.logarithms:
            return self.tried(names, told, constant)
        more = self._that_is_left(names, told) if constant == 0 else []
        tried = self.tried(*_with(names, told, more), constant)
        nearest = np.round(coefficients)
        if tried.is_whole or not nearest.all():
            return tried
        more = self._that_is_left(names, nearest)
        of_whole = self.tried(*_with(names, nearest, more), 0.0)
        return of_whole if of_whole.is_whole else tried

    def all_at_once(self, exactly):
        """The fit, exact, of any number of columns, but those that are told so."""
        names = [p for p in self.parents if (p, self.logarithms) not in exactly]
        if len(names) < 2:
            return _Tried()
        x = self.matrix(names)
        coefficients = all_at_once(x, self.y)
        is_in = coefficients != 0
        if not is_in.any():
            return _Tried()
        constant = np.median(self.y - x @ coefficients)
        if not self.logarithms:
            digits = float(f"{constant:.{DIGITS}g}")
            rounding = tolerance(self.own, self.ruler)
            constant = digits if np.abs(constant) > rounding.min() else 0.0
        names = [name for name, is_it in zip(names, is_in, strict=True) if is_it]
        tried = self.tried(names, coefficients[is_in], constant)
        return tried if tried.is_exact else _Tried()

    def _that_is_left(self, names, coefficients):
        """The sign and name of a column that is all that is left: fees of few loans."""
        terms = zip(names, coefficients, strict=True)
        residuals = self.y - sum(c * self.parents[p] for p, c in terms)
        rounding = tolerance(self.own, self.ruler)
        if (np.abs(residuals) <= rounding).mean() >= _ALL:
            return []
        for name, x in self.parents.items():
            for sign in (1.0, -1.0):
                told = np.abs(residuals - sign * x) <= rounding
                if name not in names and told.mean() >= _ALL:
                    return [(sign, name)]
        return []


def _with(names, coefficients, more):
    """Columns and their coefficients, and more of them."""
    signs, others = [sign for sign, _ in more], [name for _, name in more]
    return [*names, *others], [*coefficients, *signs]


def _scales(target, sample, rulers, banned, listed):
    """The column as it is, and unless it is a date by logarithms.

    One of a list of values is a sum of others or nothing.
    """
    dates = {name for name, ruler in rulers.items() if getattr(ruler, "unit", None)}
    ruler = rulers[target]
    sums = _Scale.of(target, ruler, sample, banned, logarithms=False)
    if target in listed:
        if sums.is_told():
            yield sums
        return
    yield sums
    if target not in dates:  # that have no products
        yield _Scale.of(target, ruler, sample, banned | dates, logarithms=True)


def _same_zeros(fit, sample):
    """Whether a product is 0 where a factor is, and says something of nearly all 0."""
    own, told = sample[fit.target], fit.predict(sample)
    differ = (own == 0) != np.isneginf(told)
    return differ.sum() <= _MAX_UNUSABLE * (~np.isnan(own)).sum()


def _usable(sample, known, banned, logarithms):
    """Columns that a fit may use, in the rows that have the target."""
    usable = {}
    for name, x in sample.items():
        if name in banned:
            continue
        x = x[known]
        good = ~np.isnan(x)
        if logarithms:
            good &= x > 0
        if good.mean() < 1 - _MAX_UNUSABLE or np.ptp(x[good]) == 0:
            continue
        x = np.where(good, x, np.median(x[good]))
        usable[name] = np.log(x) if logarithms else x
    return usable


def _bits(values, ruler: Ruler, steps_a_unit=None):
    """Bits that telling a value takes: its atom, and its place on the ruler in it."""
    if ruler.dtype is np.int64:
        values = np.round(values * _per_day(ruler)).astype(np.int64)
    values, known = ruler.snap(values), np.zeros(len(values), dtype=bool)
    atoms = learn_atoms(count_values(values, known), None, ruler)
    codes = atoms.encode(values, known)
    share = np.bincount(codes, minlength=atoms.n_parts) / len(values)
    width = (atoms.highs - atoms.lows).astype(np.float64)[codes]
    steps = width / _step(ruler) if steps_a_unit is None else width * steps_a_unit
    return float(np.mean(np.log2(np.maximum(1.0, steps)) - np.log2(share[codes])))


def _step(ruler):
    return getattr(ruler, "step", None) or 1e-4
