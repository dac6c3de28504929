"""Which columns are told from others: what rules say of it, and a first look at a few
rows that tells where to look for more.
"""

import numpy as np

# More rows than columns that least squares take, and rows that these are tried on.
_MORE_ROWS, _TRIED_FIRST, _TRIED = 30, 100, 1000
#: Rows of a look beside one for each column.
ROWS_OF_LOOK = _MORE_ROWS + _TRIED
# Rows tried that are told, at least; a few are off, and least squares with them.
_MOST = 0.9
# The same of whole numbers, most of which are whole multiples or nearly the same.
_MOST_WHOLE, _WHOLE = 0.99, 0.5
# What is nothing of the spread, beside rounding; and what is added to invert a matrix.
_NOTHING, _RIDGE = 1e-4, 1e-10
# What rounding of a column and those that tell it leaves, of that of the column.
_ROUNDING = 2.0


def dependants(column, fits):
    """The column, and all that are told from it.

    Parameters
    ----------
    column : str
    fits : mapping of str to relation
        That tells a column from others, by that column.

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


def in_turn(relations, told):
    """Of relations in an order, those whose column nothing before them tells.

    Nor do they tell a column from itself, through others or what is `told` before all.
    """
    found, kept = {each.target: each for each in told}, []
    for each in relations:
        if each.target not in found:
            if dependants(each.target, found).isdisjoint(each.parents):
                found[each.target] = each
                kept.append(each)
    return kept


def looks_told(x, rounding):
    """Columns that seem to be told by the others, and how.

    Parameters
    ----------
    x : ndarray of float64, shape (m, p)
        None missing.
    rounding : ndarray of float64, shape (p,)
        What rounding leaves of each column; of whole numbers a half.

    Yields
    ------
    how : {"sum", "product"}
    told : ndarray of bool, shape (p,)
    """
    n, p = x.shape
    if n < p + 2 * _MORE_ROWS:
        return
    learnt = np.zeros(n, dtype=bool)
    learnt[evenly(np.arange(n), p + _MORE_ROWS)] = True
    varies = np.ptp(x[learnt], axis=0) > 0
    yield "sum", _told(x, learnt, varies, rounding)
    positive = varies & (x > 0).all(axis=0)
    logarithms = np.log(np.where(positive, x, 1.0))
    middle = np.where(positive, np.median(x, axis=0), 1.0)
    yield "product", _told(logarithms, learnt, positive, rounding / middle)


def evenly(rows, n):
    """So many of some rows, or all."""
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), n)).astype(np.int64)]


def _told(x, learnt, usable, rounding):
    """Columns of which least squares of some rows tell most others."""
    told, spread = np.zeros(x.shape[1], dtype=bool), x[learnt].std(axis=0)
    places = np.flatnonzero(usable & (spread > 0))  # squares near 1e-200 are 0
    if len(places) < 2:
        return told
    x, rounding, spread = x[:, places], rounding[places], spread[places]
    mean = x[learnt].mean(axis=0)
    z = (x - mean) / spread
    own = z[learnt]
    alike = own.T @ own / len(own) + _RIDGE * np.eye(len(places))
    inverse = np.linalg.inv(alike)
    # A column of the inverse over its diagonal is the column less what others tell.
    to_left = inverse / np.diag(inverse) * spread
    is_whole = rounding >= _WHOLE
    enough = np.where(is_whole, 1, _ROUNDING) * rounding
    enough = np.maximum(enough, _NOTHING * spread)
    most = np.where(is_whole, _MOST_WHOLE, _MOST)
    may, rest = np.flatnonzero(rounding < spread / 4), z[~learnt]
    for rows in (evenly(np.arange(len(rest)), _TRIED_FIRST), slice(None)):
        left = np.abs(rest[rows] @ to_left[:, may])
        may = may[(left <= enough[may]).mean(axis=0) >= most[may]]
    told[places[may]] = True
    return told
