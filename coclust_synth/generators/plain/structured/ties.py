"""Columns that often have the value of another: what is paid back of what was lent.

Or their own of the row before: the years of school of a grown-up.
"""

import numpy as np

from coclust_synth.tables.rules.compared.numbers import equal_pairs

# Columns are equal in so many times the rows that chance would have.
_MIN_RATIO = 10
# The value of the row before stays in such a share of the rows, at least.
_MOSTLY = 0.5


def find_stays(own, earlier, k):
    """The rows in which a column has its value of the row before, if it mostly has.

    Parameters
    ----------
    own, earlier : ndarray, shape (n,)
        Numbers, or codes of categories.
    k : int
        Such rows, at least.

    Returns
    -------
    ndarray of bool, shape (n,), or None
    """
    stays = own == earlier
    return stays if stays.sum() >= max(k, _MOSTLY * len(stays)) else None


def find_tie(name, orders, numbers, drawn, k):
    """The column drawn before that one often equals, and in which rows.

    Parameters
    ----------
    name : str
    orders : sequence of Order
        Only columns of which one is at most the other are compared.
    numbers : mapping of str to ndarray of float64, shape (n,)
    drawn : set of str
    k : int
        Rows in which they are equal, at least, besides those of one value.

    Returns
    -------
    other : str or None
    ties : ndarray of bool, shape (n,), or None
    """
    most, found = k - 1, (None, None)
    for order in orders:
        if name not in (order.low, order.high):
            continue
        other = order.high if name == order.low else order.low
        if other not in drawn:
            continue
        x, y = numbers[name], numbers[other]
        ties = x == y
        known = ~np.isnan(x) & ~np.isnan(y)
        by_chance = equal_pairs(x[known], y[known]) / max(known.sum(), 1)
        # What is equal at one value only, such as 0, that value explains.
        n_ties = ties.sum() - np.unique(x[ties], return_counts=True)[1].max(initial=0)
        if n_ties > max(most, _MIN_RATIO * by_chance):
            most, found = n_ties, (other, ties)
    return found
