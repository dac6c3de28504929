"""Categories beside which the numbers of a column stop: of what is paid nothing is due.

Each of the numbers beyond may be too rare to be missed alone. All of them together are
not: chance would have `min_expected` rows of them, and there is none.
"""

import numpy as np


def beyond_stops(together, in_order, min_expected, of_persons=1.0):
    """Bins of numbers that a category never has, from its last one to an end.

    Parameters
    ----------
    together : ndarray of int64, shape (categories, bins)
        Rows of each combination.
    in_order : ndarray of bool, shape (bins,)
        Those of numbers, from the lowest to the highest; others stand for missing.
    min_expected : float
        Individuals that a category would have of the bins that it never has, were the
        columns independent, at least.
    of_persons : float, default=1.0
        Individuals over rows.

    Returns
    -------
    ndarray of bool, shape (categories, bins)
    """
    of_categories, of_bins = together.sum(axis=1), together.sum(axis=0)
    never = np.zeros(together.shape, dtype=bool)
    up = np.flatnonzero(in_order)
    is_large = of_categories * of_persons >= min_expected
    ends = together[is_large][:, up[[0, -1]] if len(up) else up]
    if ends.all():  # As of most of the many pairs that hundreds of columns are.
        return never
    n = max(of_bins.sum(), 1)
    for places in (up, up[::-1]):
        empty = np.logical_and.accumulate(together[:, places] == 0, axis=1)
        expected = of_categories * (empty @ of_bins[places]) / n * of_persons
        never[:, places] |= empty & (expected >= min_expected)[:, None]
    return never
