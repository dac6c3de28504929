"""Columns that are a function of one other: its logarithm, its square."""

from itertools import permutations

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import FUNCTIONS, Function
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.digits import FACTOR_DIGITS
from coclust_synth.tables.rules.fitting.regressions import least_absolute, sample_of
from coclust_synth.tables.rules.fitting.rounding import are_few, misses, tolerance
from coclust_synth.tables.rules.fitting.told import evenly, in_turn

# Rows, and different values of each column, at least.
_MIN_ROWS, _MIN_VALUES = 200, 8
# Share of the rows of which the function says something: there is no logarithm of 0.
_MIN_TOLD = 0.5
# Rows of a first look. Nearly all must agree with what two of them tell, that are at
# one of these places in the order of the other column, but for what rounding does.
_FIRST, _MOST, _SLACK = 200, 0.95, 4
_PLACES = ((0.05, 0.95), (0.2, 0.8), (0.35, 0.65))
# Rows in which it is seen that a column neither rises nor falls with another one, by
# more than rounding and what is lost in computing.
_SCREENED, _A_LITTLE_MORE = 1000, 1.1


def find_functions(columns, told=()):
    """The columns that are a function of one other but for rounding.

    At most `MAX_BROKEN` of the rows differ, of all and of those that have not the
    commonest value of the column. What a straight line tells as well is a sum, which
    `find_fits` finds.

    Returns
    -------
    list of Function
        Of several for a column, one that tells all its rows; without factor and
        constant; of a column that has a step, where this one has none; the first of
        `FUNCTIONS`.
    """
    numbers, rulers = columns.numbers, columns.rulers
    sample = {
        name: x
        for name, x in sample_of(numbers).items()
        if len(np.unique(x[~np.isnan(x)])) >= _MIN_VALUES
    }
    ranked = []
    rarer = {name: is_rarer(x) for name, x in sample.items()}
    may_be = _rise_or_fall(sample, rulers)
    for target, of in permutations(sample, 2):
        if not may_be[target, of]:
            continue
        y, x = np.where(rarer[target], sample[target], np.nan), sample[of]
        for function in _alike(y, x, rulers[target]):
            relation = Function(target, function, of)
            fit = _settled(relation, sample, numbers, rulers[target])
            if fit is not None:
                rank = _rank(fit, sample, rulers)
                ranked.append((*rank, len(ranked), fit))
    return in_turn((fit for *_, fit in sorted(ranked)), told)


def _rise_or_fall(sample, rulers):
    """Which columns rise with another one above 0, or fall, as all `FUNCTIONS` do.

    Returns
    -------
    dict of (str, str) to bool
        False where more rows differ than may, by the column and the other one.
    """
    names, n = [*sample], len(next(iter(sample.values()), ()))
    rows = evenly(np.arange(n), _SCREENED)
    y = np.column_stack([sample[name][rows] for name in names]) if names else None
    slack = [_A_LITTLE_MORE * tolerance(sample[m], rulers[m])[rows] for m in names]
    slack, may_be = np.array(slack).T, {}
    for j, of in enumerate(names):
        # A row that differs is one end of two steps.
        own = np.argsort(y[:, j], kind="stable")
        own = own[y[own, j] > 0]
        steps, least = np.diff(y[own], axis=0), slack[own][1:] + slack[own][:-1]
        ways = [(steps > least).sum(axis=0), (steps < -least).sum(axis=0)]
        few = np.minimum(*ways) <= 2 * MAX_BROKEN * n
        may_be |= {(name, of): bool(own) for name, own in zip(names, few, strict=True)}
    return may_be


def _rank(fit, sample, rulers):
    """What of several functions is taken first, in a tuple that sorts."""
    own, said = sample[fit.target], fit.predict(sample)
    tells_all = np.isnan(said[~np.isnan(own)]).mean() <= MAX_BROKEN
    has_step = [getattr(rulers[n], "step", None) is not None for n in fit.columns]
    is_plain = fit.factor == 1 and not fit.constant
    order = [*FUNCTIONS].index(fit.function)
    return not tells_all, not is_plain, has_step[0] - has_step[1], order


def _alike(y, x, ruler):
    """The functions of x that y may be, as far as some rows tell; nan is not known."""
    rows = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    if len(rows) < max(_MIN_ROWS, (1 - MAX_BROKEN) * (~np.isnan(y)).sum()):
        return []
    rows = evenly(rows, _FIRST)
    rows = rows[np.argsort(np.abs(x[rows]), kind="stable")]
    x, y = x[rows], y[rows]
    slack = _SLACK * tolerance(y, ruler)[:, None]
    names, agree = [*FUNCTIONS], np.zeros(1 + len(FUNCTIONS), dtype=bool)
    with np.errstate(all="ignore"):
        told = np.column_stack([x, *(FUNCTIONS[name](x) for name in names)])
        is_told = np.isfinite(told)
        for places in _PLACES:
            i, j = (int(place * (_FIRST - 1)) for place in places)
            slope = (y[j] - y[i]) / (told[j] - told[i])
            apart = np.abs(y[:, None] - y[i] - slope * (told - told[i]))
            agree |= ((apart <= slack) | ~is_told).mean(axis=0) >= _MOST
    agree &= is_told.mean(axis=0) >= _MIN_TOLD
    is_straight, *is_function = agree
    if is_straight:
        return []
    return [name for name, is_it in zip(names, is_function, strict=True) if is_it]


def _settled(relation, sample, numbers, ruler):
    """The function with the fewest digits of its factor that fit; None without any."""
    x, y = relation.predict(sample), sample[relation.target]
    known = ~np.isnan(x) & ~np.isnan(y)
    if known.sum() < _MIN_ROWS:
        return None
    (factor,), _, _ = least_absolute(x[known, None], y[known])
    factors = [float(f"{factor:.{d}g}") for d in range(1, FACTOR_DIGITS + 1)]
    for digits, own in enumerate([1.0, *factors]):
        constant = np.median((y - own * x)[known])
        for told in (0.0, float(f"{constant:.{max(digits, 1)}g}")):
            fit = Function(relation.target, relation.function, relation.of, own, told)
            if own and _holds(fit, sample, ruler) and _holds(fit, numbers, ruler):
                return fit
    return None


def _holds(fit, numbers, ruler):
    """Whether few rows break it, see `find_functions`."""
    own = numbers[fit.target]
    missed, known = misses(fit, numbers, ruler)
    rarer = known & is_rarer(own)
    return known.sum() >= _MIN_TOLD * (~np.isnan(own)).sum() and are_few(
        missed, known, rarer
    )
