"""Columns as sums of others: coefficients that leave little, whole if they can be."""

import numpy as np

from coclust_synth.tables.rules.fitting.least_squares import least_squares
from coclust_synth.tables.rules.fitting.quantiles import quantile
from coclust_synth.tables.rules.fitting.told import evenly

# Rows that fits are tried on.
_MAX_ROWS = 4000
# Larger numbers have no squares, and are in no fit.
_MAX_SIZE = 1e150
# Columns that are found one by one, at most.
MAX_PARENTS = 3
# Each further column must shrink the residuals to this share.
_MIN_GAIN = 0.8
# What is left is rounding where it is this share of the spread.
_NOTHING = 1e-9
# A column that moves the target by no more of its spread is left out.
_IDLE = 1e-6
# Residuals are this share of the column's own spread, at most.
MAX_SPREAD = 0.05
# Coefficients this near to a whole number are tried as that number.
_NEAR_WHOLE = 0.03
# Digits of a coefficient that is told.
DIGITS = 4
# Of the rows that all columns are tried on at once, those of a first look.
_ONE_OF = 4
# Of which least squares leave this share, at most: of a few rows that a sum is not of.
_MAX_FIRST = 0.01
# Of all columns one is left out that moves the target by no more of its spread.
_NEXT_TO_NOTHING = 0.01
# Columns that explain less of the variance shrink nothing to `_MIN_GAIN`.
_LEAST_EXPLAINED = 0.01
_N_REWEIGHTINGS = 15
# Weights that move what is left by no more of the largest value have settled.
_SETTLED = 1e-12
# Columns of which shares are told, at most; one that moves the target by no more of its
# spread has a share by chance.
_NOISE = 1e-3
_MAX_SHARES = 12
# As many as a column has values tell any: what twelve states have in many rows.
_VALUES_A_SHARE = 2
# A column is no part of what adds up to nothing where it has a smaller share of it.
_NOTHING_OF_IT = 1e-6


def sample_of(numbers):
    """Some rows that fits are tried on, of the columns that have squares.

    Parameters
    ----------
    numbers : mapping of str to ndarray of float64, shape (n,)

    Returns
    -------
    dict of str to ndarray of float64, shape (at most 4000,)
    """
    n = len(next(iter(numbers.values()), ()))
    rows = evenly(np.arange(n), _MAX_ROWS)
    return {name: x[rows] for name, x in numbers.items() if has_squares(x)}


def has_squares(x):
    """Whether no number of a column is so large that its square has no float."""
    return np.nanmax(np.abs(x), initial=0.0) <= _MAX_SIZE


def select(parents, y):
    """Columns that tell another: the one that tells most of what is left, and so on.

    Where none alone tells much, the two that do together: a rate is a count over
    another, and may hang together with neither.

    Parameters
    ----------
    parents : dict of str to ndarray of float64, shape (n,)
    y : ndarray of float64, shape (n,)
        Not all the same.

    Returns
    -------
    names : list of str
        Three at most, each of which shrinks what is left to .8, two at once to the
        square of it; none of a column that none tells.
    coefficients : ndarray of float64
    constant : float
    left : float
        Share of the spread.
    """
    spread = spread_of(y)
    names, everyone = [], list(parents)
    x = np.column_stack([parents[p] for p in everyone])
    x = np.clip(x, *np.quantile(x, [0.01, 0.99], axis=0))
    x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-12)
    alike = x.T @ x / len(x)
    coefficients, constant, left, residuals = np.array([]), 0.0, 1.0, y
    while left > _NOTHING:
        used = [everyone.index(p) for p in names]
        for more in _strongest(x, alike, residuals, used):
            candidate = [*names, *(everyone[i] for i in more)]
            chosen = np.column_stack([parents[p] for p in candidate])
            c, c0, r = least_absolute(chosen, y)
            now = spread_of(r) / spread
            if now <= _MIN_GAIN ** len(more) * left:
                break
        else:
            break
        names, coefficients, constant, left, residuals = candidate, c, c0, now, r
    # A column that a later one has made idle.
    kept = [
        p
        for p, c in zip(names, coefficients, strict=True)
        if abs(c) * spread_of(parents[p]) > _IDLE * spread
    ]
    if kept and len(kept) < len(names):
        names = kept
        x = np.column_stack([parents[p] for p in names])
        coefficients, constant, residuals = least_absolute(x, y)
        left = spread_of(residuals) / spread
    return names, coefficients, constant, left


def _strongest(x, alike, residuals, used):
    """The column that tells most of what is left, and the two that tell most together.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)
        Of mean 0 and variance 1.
    alike : ndarray of float64, shape (p, p)
        Their correlations.
    residuals : ndarray of float64, shape (n,)
    used : list of int
        Columns that are left out.

    Yields
    ------
    list of int
        One column, then two if so many may be had, by the squares that they explain;
        none that explain next to nothing.
    """
    clipped = np.clip(residuals, *np.quantile(residuals, [0.01, 0.99]))
    told = x.T @ (clipped - clipped.mean()) / len(x)
    both = told[:, None] ** 2 + told**2 - 2 * alike * np.outer(told, told)
    explained = both / np.maximum(1 - alike**2, _IDLE)
    np.fill_diagonal(explained, told**2)
    explained[used] = explained[:, used] = -1
    n_left = min(MAX_PARENTS, len(told)) - len(used)
    least = _LEAST_EXPLAINED * clipped.var()
    if n_left >= 1 and explained.diagonal().max() >= least:
        yield [int(explained.diagonal().argmax())]
    explained[np.tril_indices(len(told))] = -1
    if n_left >= 2 and explained.max() >= least:
        yield np.unravel_index(explained.argmax(), explained.shape)


def all_at_once(x, y):
    """Whole coefficients of all columns, where the others may be of no use.

    Of terms that are about as large none alone tells much.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)
    y : ndarray of float64, shape (n,)

    Yields
    ------
    ndarray of float64, shape (p,)
        0 of the columns that are of no use; then the same with that of the one column
        of which a share is told, if there is one. Nothing where little is told, or
        where columns are as many as rows, which tell anything. Where columns are sums
        of each other, these have no coefficients of their own, and 0.
    """
    if x.shape[1] < len(y) - 1 and leave_little(x.T, y):
        coefficients, _, _ = least_absolute(x, y)
        yield from _whole_or_share(x, y, coefficients)


def more_at_once(x, y):
    """The same of what `all_at_once` leaves: several shares, and the fewest columns.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)
    y : ndarray of float64, shape (n,)

    Yields
    ------
    ndarray of float64, shape (p,)
        Where columns are sums of each other, the same of the fewest that tell. Then
        with coefficients that are multiples of one share, as those of a mean are. Then
        with the coefficients of a few columns of which shares are told, first to four
        digits.
    """
    if x.shape[1] >= len(y) - 1 or not leave_little(x.T, y):
        return
    coefficients, _, _ = least_absolute(x, y)
    fewest = _of_fewest(x, coefficients)
    if fewest is not None:
        yield from _whole_or_share(x, y, fewest)
        coefficients = fewest
    yield from _multiples_of_a_share(x, y, coefficients)
    yield from _several_shares(x, y, coefficients)


def _of_fewest(x, coefficients):
    """Coefficients that say the same where columns are sums of each other.

    To the coefficients any multiple of what adds up to nothing may be added: those that
    are smallest together are 0 of as many columns as may be left out.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)
    coefficients : ndarray of float64, shape (p,)

    Returns
    -------
    ndarray of float64, shape (p,), or None
        None where no column is a sum of others.
    """
    x = x - x.mean(axis=0)
    scale = np.maximum(x.std(axis=0), 1e-300)
    _, sizes, directions = np.linalg.svd(x / scale, full_matrices=False)
    nothing = directions[sizes <= _NOTHING * sizes[0]].T / scale[:, None]
    if not nothing.size:
        return None
    nothing /= np.abs(nothing).max(axis=0)
    smallest = coefficients - nothing @ _reweighted(nothing, coefficients)
    # Those that are about 0 are so, one for each way to add up to nothing.
    left_out, basis = [], np.zeros((0, nothing.shape[1]))
    for column in np.argsort(np.abs(smallest), kind="stable"):
        candidate = np.vstack([basis, nothing[column]])
        if np.linalg.matrix_rank(candidate, tol=_NOTHING_OF_IT) == len(candidate):
            left_out, basis = [*left_out, column], candidate
    added = np.linalg.lstsq(basis, coefficients[left_out], rcond=None)[0]
    fewest = coefficients - nothing @ added
    fewest[left_out] = 0
    if nothing.shape[1] > 1 or _is_whole(fewest).all():
        return fewest
    return _whole_without_one(nothing[:, 0], coefficients, fewest)


def _whole_without_one(nothing, coefficients, fewest):
    """The smallest whole coefficients that say the same without a column, if any do.

    A count is the sum of some numbers, of which a score is a sum with weights: where
    the score is high the count is a share of it and of all numbers but one, too.
    """
    support = np.flatnonzero(np.abs(nothing) > _NOTHING_OF_IT)
    added = coefficients[support] / nothing[support]
    each = coefficients - added[:, None] * nothing
    each = each[_is_whole(each).all(axis=1)]
    return each[np.abs(each).sum(axis=1).argmin()] if len(each) else fewest


def _whole_or_share(x, y, coefficients):
    """See `all_at_once`: of coefficients that are about right."""
    told = _whole_only(coefficients)
    yield told
    moves = np.abs(coefficients) * [spread_of(own) for own in x.T]
    shares = np.flatnonzero(~_is_whole(coefficients) & (moves > _IDLE * spread_of(y)))
    if len(shares) == 1:
        left = y - x @ told
        told = told.copy()
        told[shares] = least_absolute(x[:, shares], left)[0]
        yield told


def _multiples_of_a_share(x, y, coefficients):
    """Coefficients that are multiples of the smallest, which is one over a number."""
    moves = np.abs(coefficients) * [spread_of(own) for own in x.T]
    told = np.where(moves > _NOISE * spread_of(y), coefficients, 0.0)
    if np.count_nonzero(told) >= 2:
        over = np.round(1 / np.abs(told[told != 0]).min())
        if over >= 2 and _is_whole(over * told).all():
            yield np.round(over * told) / over


def _several_shares(x, y, coefficients):
    """See `more_at_once`: of coefficients that are about right."""
    moves = np.abs(coefficients) * [spread_of(own) for own in x.T]
    is_open = ~_is_whole(coefficients) | (np.round(coefficients) == 0)
    is_share = is_open & (moves > _NOISE * spread_of(y))
    n_most = min(_MAX_SHARES, len(np.unique(y)) // _VALUES_A_SHARE)
    if 2 <= is_share.sum() <= n_most:
        told = np.where(is_share, 0.0, _whole_only(coefficients))
        shares = least_absolute(x[:, is_share], y - x @ told)[0]
        for of_some_digits in ([float(f"{c:.{DIGITS}g}") for c in shares], shares):
            told[is_share] = of_some_digits
            yield told.copy()


def _is_whole(coefficients):
    return np.abs(coefficients - np.round(coefficients)) < _NEAR_WHOLE


def _whole_only(coefficients):
    return np.where(_is_whole(coefficients), np.round(coefficients), 0.0)


def without_idle(x, y):
    """Columns that tell another together, all but those that move it next to nothing.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)
    y : ndarray of float64, shape (n,)

    Returns
    -------
    columns : ndarray of int64, shape (q,)
    coefficients : ndarray of float64, shape (q,)
    spread : float
        Of what they leave.
    """
    coefficients, _, _ = least_absolute(x, y)
    terms = np.abs(coefficients) * [spread_of(own) for own in x.T]
    columns = np.flatnonzero(terms > _NEXT_TO_NOTHING * spread_of(y))
    coefficients, _, residuals = least_absolute(x[:, columns], y)
    return columns, coefficients, spread_of(residuals)


def leave_little(columns, y, at_most=np.inf):
    """Whether least squares of all columns leave next to nothing in some of the rows.

    Parameters
    ----------
    columns : sequence of p ndarray of float64, shape (n,)
    y : ndarray of float64, shape (n,)
    at_most : float
        The spread of what is left.

    Returns
    -------
    bool
        Also where the columns are as many as these rows.
    """
    y = y[::_ONE_OF]
    left = left_of(np.column_stack([own[::_ONE_OF] for own in columns]), y)
    return spread_of(left) < min(at_most, _MAX_FIRST * spread_of(y))


def left_of(x, y):
    """What least squares of some columns and a constant leave, (n,) float64.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)
    y : ndarray of float64, shape (n,)
    """
    design = np.column_stack([np.ones(len(y)), x])
    design /= np.maximum(np.abs(design).max(axis=0), 1e-300)
    return y - design @ least_squares(design, y)


def least_absolute(x, y):
    """Coefficients of least absolute deviations, by reweighted least squares.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)
    y : ndarray of float64, shape (n,)

    Returns
    -------
    coefficients : ndarray of float64, shape (p,)
    constant : float
    residuals : ndarray of float64, shape (n,)
    """
    design = np.column_stack([np.ones(len(y)), x])
    beta = _reweighted(design, y)
    return beta[1:], float(beta[0]), y - design @ beta


def _reweighted(design, y):
    """Coefficients of all columns of a design, see `least_absolute`."""
    scale = np.abs(design).max(axis=0)
    scale[scale == 0] = 1
    scaled = design / scale
    weights, residuals = np.ones(len(y)), y
    negligible = _SETTLED * np.abs(y).max()
    for _ in range(_N_REWEIGHTINGS):
        before = residuals
        weighted = scaled * weights[:, None]
        beta = least_squares(weighted, y * weights) / scale
        residuals = y - design @ beta
        if np.abs(residuals - before).max() <= negligible:
            break
        floor = 0.1 * np.median(np.abs(residuals)) + 1e-9
        weights = 1 / np.sqrt(np.maximum(np.abs(residuals), floor))
    return beta


def spread_of(residuals):
    """Mean distance from the median, the furthest hundredth as far as the next.

    Parameters
    ----------
    residuals : ndarray of float64, shape (n,)

    Returns
    -------
    float
    """
    distance = np.abs(residuals - np.median(residuals))
    return float(np.mean(np.minimum(distance, quantile(distance, 0.99))))


def whole(x, y, coefficients, spread, logarithms):
    """Whole coefficients where they fit as well; else a few digits of each.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)
    y : ndarray of float64, shape (n,)
    coefficients : ndarray of float64, shape (p,)
    spread : float
        Of what they leave.
    logarithms : bool
        Whether a constant is kept, even if about 0.

    Returns
    -------
    coefficients : list of float
    constant : float
    """
    nearest = np.round(coefficients)
    told = np.where(
        (np.abs(coefficients - nearest) < _NEAR_WHOLE) & (nearest != 0),
        nearest,
        coefficients,
    )
    residuals = y - x @ told
    if spread_of(residuals) > 1.1 * spread + 1e-12:
        told, residuals = coefficients, y - x @ coefficients
    told = [float(f"{c:.{DIGITS}g}") for c in told]
    residuals = y - x @ np.array(told)
    if (
        not logarithms
        and spread_of(residuals) <= 1.1 * spread + 1e-12
        and (np.abs(np.median(residuals)) <= max(spread, 1e-9))
    ):
        return told, 0.0
    return told, float(f"{np.median(residuals):.{DIGITS}g}")
