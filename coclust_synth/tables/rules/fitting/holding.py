"""Whether what a relation says holds in nearly all rows."""

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.fitting.rounding import misses


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
