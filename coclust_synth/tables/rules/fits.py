"""Columns that others nearly fix: a sum, a difference, a product of a few of them."""

from dataclasses import replace

import numpy as np

from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.relations import DateOf, Fit
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rulers import ContinuousRuler, Ruler
from coclust_synth.tables.rules.numbers import A_DAY
from coclust_synth.tables.rules.orders import MAX_BROKEN

# Rows that fits are tried on.
_MAX_ROWS = 4000
# Larger numbers have no squares, and are in no fit.
_MAX_SIZE = 1e150
_MIN_ROWS = 200
# A column of no more values needs no fit; it reads as a list.
_MAX_LISTED = 20
# Rows where a parent may be missing, or not positive where logarithms are taken.
_MAX_UNUSABLE = 0.005
# Columns of a fit, at most.
_MAX_PARENTS = 3
# Each further column must shrink the residuals to this share.
_MIN_GAIN = 0.8
# Residuals are this share of the column's own spread, at most.
_MAX_SPREAD = 0.05
# Coefficients this near to a whole number are tried as that number.
_NEAR_WHOLE = 0.03
# Bits that a fit saves a row, at least.
_MIN_BITS = 1.0
# A sum is told for another of its columns that it saves as many bits of, but for these.
_AS_MANY_BITS = 0.5
# Share of the rows that an exact fit tells, ...
_ALL = 0.999
# ... up to this share of the column's middle value, where it has no step.
_ROUNDING = 1e-5
# What is left is rounding where it is this share of the spread.
_NOTHING = 1e-9
# A column that moves the target by no more of its spread is left out.
_IDLE = 1e-6
# Digits of a coefficient that is told, and of the factor of a product.
_DIGITS, _FACTOR_DIGITS = 4, 6
_N_REWEIGHTINGS = 15


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
    numbers = {
        name: x
        for name, x in numbers.items()
        if np.nanmax(np.abs(x), initial=0.0) <= _MAX_SIZE
    }
    n = len(next(iter(numbers.values()), ()))
    rows = np.linspace(0, n - 1, min(n, _MAX_ROWS)).astype(np.int64)
    sample = {name: x[rows] for name, x in numbers.items()}
    found, tried = {fit.target: fit for fit in told}, {}
    open_targets = {
        name
        for name in set(rulers) & set(numbers) - set(found)
        if len(np.unique(sample[name][~np.isnan(sample[name])])) > _MAX_LISTED
    }
    while True:
        for target in sorted(open_targets):
            banned = dependants(target, found)
            if target not in tried or banned & set(_parents_of(tried[target])):
                tried[target] = _best_fit(target, sample, rulers, banned)
        ready = [t for t in sorted(open_targets) if tried[t] is not None]
        if not ready:
            break
        target = max(ready, key=lambda t: tried[t][0])
        fit = _best_side(*tried[target], sample, rulers, open_targets, found, orders)
        found[fit.target] = fit
        open_targets.remove(fit.target)
    fits = [found[name] for name in found if name not in {fit.target for fit in told}]
    return [_settled(fit, numbers, rulers[fit.target]) for fit in fits]


def misses(fit, numbers, ruler):
    """Where a column is not what a fit says, by more than rounding.

    Parameters
    ----------
    fit : Fit, DateOf, DatePart or Age
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
    known = ~np.isnan(own) & ~np.isnan(predicted)
    distance = np.abs(np.where(known, predicted - own, 0))
    # Dates tell whole numbers, whatever the steps of the column.
    exactly = not isinstance(fit, Fit | DateOf)
    tolerance = 0 if exactly else _tolerance(own[known], ruler)
    return distance > tolerance, known


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
    known = ~np.isnan(left)
    if not known.any():
        return np.nan
    return _spread(left[known]) / max(_spread(own[known]), 1e-300)


def _settled(fit, numbers, ruler):
    """The fit, of the fewest digits if it is exact, else said to be about right."""
    digits = range(1, _FACTOR_DIGITS + 1) if fit.logarithms else ()
    for each in (*(_rounded(fit, d) for d in digits), fit):
        missed, known = misses(each, numbers, ruler)
        if missed.sum() <= MAX_BROKEN * known.sum():
            return each
    return replace(fit, about=True)


def _rounded(fit, digits):
    return replace(fit, constant=float(f"{fit.constant:.{digits}g}"))


def _tolerance(values, ruler):
    """What rounding leaves: sums of rounded decimals can be a step off."""
    if ruler.dtype is np.int64:
        return _half_step(ruler)
    middle = np.median(np.abs(values)) if len(values) else 0.0
    return max(3 * _half_step(ruler), _ROUNDING * middle)


def _best_side(saved, fit, sample, rulers, open_targets, found, orders):
    """The same sum, solved for the column that it saves most bits of.

    Where a - b + c is told from the others, so are a, b and c. Of columns that it saves
    about as many of, the one with the fewest orders beside the sum: no room is left for
    these in what the sum tells.
    """
    if fit.logarithms or fit.constant or not set(fit.coefficients) <= {1.0, -1.0}:
        return fit
    sides = [(saved, fit)]
    for p, c in zip(fit.parents, fit.coefficients, strict=True):
        terms = zip(fit.parents, fit.coefficients, strict=True)
        others = [(q, -c * d) for q, d in terms if q != p]
        parents = [fit.target, *(q for q, _ in others)]
        if p not in open_targets or set(parents) & dependants(p, found):
            continue
        signs = [c, *(d for _, d in others)]
        solved = Fit(p, tuple(parents), tuple(signs), 0.0, False)
        left = sample[p] - solved.predict(sample)
        left = left[~np.isnan(left)]
        own = sample[p][~np.isnan(sample[p])]
        sides.append((_bits(own, rulers[p]) - _bits(left, rulers[p]), solved))
    most = max(bits for bits, _ in sides)
    near = [side for side in sides if side[0] >= most - _AS_MANY_BITS]
    beside = [o.columns for o in orders if not set(o.columns) <= set(fit.columns)]

    def rank(side):
        bits, solved = side
        return sum(solved.target in columns for columns in beside), -bits

    return min(near, key=rank)[1]


def _parents_of(tried):
    return () if tried is None else tried[1].parents


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


def _best_fit(target, sample, rulers, banned):
    """The fit that saves most bits a row, as (bits, Fit), or None."""
    dates = {name for name, ruler in rulers.items() if getattr(ruler, "unit", None)}
    fitted = [_fit_scale(target, sample, rulers[target], banned, False)]
    if target not in dates:  # that have no products
        fitted.append(_fit_scale(target, sample, rulers[target], banned | dates, True))
    worth = [each for each in fitted if each is not None and each[0] >= _MIN_BITS]
    return max(worth, key=lambda each: each[0], default=None)


def _fit_scale(target, sample, ruler, banned, logarithms):
    y = sample[target]
    known = ~np.isnan(y)
    if logarithms:
        if (y[known] <= 0).mean() > _MAX_UNUSABLE:
            return None
        known &= y > 0
    if known.sum() < _MIN_ROWS:
        return None
    own = y[known]
    y = np.log(own) if logarithms else own
    parents = _usable(sample, known, banned, logarithms)
    spread = _spread(y)
    if not parents or not spread > 0:
        return None
    names, coefficients, constant, left = _select(parents, y, spread)
    if not names:
        return None
    coefficients, constant = _whole(
        np.column_stack([parents[p] for p in names]),
        y,
        coefficients,
        constant,
        left * spread,
        logarithms,
    )
    if left >= _MAX_SPREAD:
        return None
    names, coefficients = list(names), list(coefficients)
    residuals = (
        y
        - constant
        - sum(c * parents[p] for p, c in zip(names, coefficients, strict=True))
    )
    if not logarithms and constant == 0:
        for sign, name in _exactly(residuals, parents, names, own, ruler):
            names, coefficients = [*names, name], [*coefficients, sign]
            residuals = residuals - sign * parents[name]
    if logarithms:
        constant = float(f"{np.exp(constant):.{_FACTOR_DIGITS}g}")
    fit = Fit(target, tuple(names), tuple(coefficients), constant, logarithms)
    if logarithms:
        cost = _bits(residuals, ContinuousRuler(), own / _step(ruler))
    else:
        cost = _bits(residuals, ruler)
    return _bits(own, ruler) - cost, fit


def _exactly(residuals, parents, names, own, ruler):
    """The column that is all that is left, where most of it is 0: fees of few loans."""
    tolerance = _tolerance(own, ruler)
    if (np.abs(residuals) <= tolerance).mean() >= _ALL:
        return []
    for name, x in parents.items():
        for sign in (1.0, -1.0):
            told = np.abs(residuals - sign * x) <= tolerance
            if name not in names and told.mean() >= _ALL:
                return [(sign, name)]
    return []


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
        if good.mean() < 1 - _MAX_UNUSABLE or len(np.unique(x[good])) < 2:
            continue
        x = np.where(good, x, np.median(x[good]))
        usable[name] = np.log(x) if logarithms else x
    return usable


def _select(parents, y, spread):
    """Add the column that tells most of what is left, while each helps."""
    names, everyone = [], list(parents)
    x = np.column_stack([parents[p] for p in everyone])
    x = np.clip(x, *np.quantile(x, [0.01, 0.99], axis=0))
    x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-12)
    coefficients, constant, left, residuals = np.array([]), 0.0, 1.0, y
    for _ in range(min(_MAX_PARENTS, len(everyone))):
        if left <= _NOTHING:
            break
        clipped = np.clip(residuals, *np.quantile(residuals, [0.01, 0.99]))
        strength = np.abs(x.T @ (clipped - clipped.mean()))
        strength[[everyone.index(p) for p in names]] = -1
        candidate = [*names, everyone[int(strength.argmax())]]
        c, c0, r = _least_absolute(np.column_stack([parents[p] for p in candidate]), y)
        now = _spread(r) / spread
        if now > _MIN_GAIN * left:
            break
        names, coefficients, constant, left, residuals = candidate, c, c0, now, r
    # A column that a later one has made idle.
    kept = [
        p
        for p, c in zip(names, coefficients, strict=True)
        if abs(c) * _spread(parents[p]) > _IDLE * spread
    ]
    if kept and len(kept) < len(names):
        names = kept
        x = np.column_stack([parents[p] for p in names])
        coefficients, constant, residuals = _least_absolute(x, y)
        left = _spread(residuals) / spread
    return names, coefficients, constant, left


def _least_absolute(x, y):
    """Coefficients of least absolute deviations, by reweighted least squares."""
    design = np.column_stack([np.ones(len(y)), x])
    scale = np.abs(design).max(axis=0)
    scale[scale == 0] = 1
    weights = np.ones(len(y))
    for _ in range(_N_REWEIGHTINGS):
        weighted = design / scale * weights[:, None]
        beta = np.linalg.lstsq(weighted, y * weights, rcond=None)[0] / scale
        residuals = y - design @ beta
        floor = 0.1 * np.median(np.abs(residuals)) + 1e-9
        weights = 1 / np.sqrt(np.maximum(np.abs(residuals), floor))
    return beta[1:], float(beta[0]), residuals


def _spread(residuals):
    """Mean distance from the median, of all but the furthest hundredth."""
    distance = np.abs(residuals - np.median(residuals))
    return float(np.mean(np.minimum(distance, np.quantile(distance, 0.99))))


def _whole(x, y, coefficients, constant, spread, logarithms):
    """Whole coefficients where they fit as well; else a few digits of each."""
    nearest = np.round(coefficients)
    whole = np.where(
        (np.abs(coefficients - nearest) < _NEAR_WHOLE) & (nearest != 0),
        nearest,
        coefficients,
    )
    residuals = y - x @ whole
    if _spread(residuals) > 1.1 * spread + 1e-12:
        whole, residuals = coefficients, y - x @ coefficients
    whole = [float(f"{c:.{_DIGITS}g}") for c in whole]
    residuals = y - x @ np.array(whole)
    if (
        not logarithms
        and _spread(residuals) <= 1.1 * spread + 1e-12
        and (np.abs(np.median(residuals)) <= max(spread, 1e-9))
    ):
        return whole, 0.0
    return whole, float(f"{np.median(residuals):.{_DIGITS}g}")


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
