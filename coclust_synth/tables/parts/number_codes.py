"""Whole numbers that may be codes: of trades, of towns, of schools.

A step away from a quantity that many have, somebody has one too: where `MIN_ROWS` have
one value, and how many have the next is a matter of chance, nobody has it in one column
of e^20. Who rounds skips values as well, but what many have is round then. So where
some of the values that many have, and that are not round, have nobody beside them, they
are those of a list. What is between two of them would be the code of nothing.
"""

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare_numbers import MAX_LISTED
from coclust_synth.tables.rows import ColumnCounts

# What many have is held by half of the rows; half of these values, so many at least,
# are not round, and beside such a share of the latter is nobody: of codes that end in
# 1 to 5 it is a quarter.
_HALF, _LEAST, _APART = 0.5, 10, 0.2
# A round value is a multiple of so many steps.
_ROUND = 5
# Doubles beyond are no longer each a whole number.
_MAX_WHOLE = 2.0**53


def are_codes(counts: ColumnCounts, step: float) -> bool:
    """Whether the whole numbers of a column may be codes.

    Distances between places and scores of a test are lists, too.

    Parameters
    ----------
    counts : ColumnCounts
        Of the column: of int64, or of float64 as those with missing ones are read.
    step : int or float
        All are multiples of it.

    Returns
    -------
    bool
        False of others than whole numbers, and where there are few values, or all are
        held by many: each of them is told as it is.

    Examples
    --------
    >>> trades = np.array([t * 10 + n for t in range(1, 9) for n in (1, 2, 3, 4)])
    >>> people = np.array([60, 40, 30, 9] * 8)
    >>> are_codes(ColumnCounts(trades, people), 1)
    True
    >>> are_codes(ColumnCounts(np.arange(18, 50), people), 1)
    False
    """
    many = counts.counts >= MIN_ROWS
    held = counts.counts[many].sum()
    is_told = len(many) <= MAX_LISTED or many.all()
    if step < 1 or is_told or held < _HALF * counts.n_present:
        return False
    values = counts.values
    if values.dtype != np.int64:
        if np.abs(values).max() > _MAX_WHOLE:
            return False
        values = np.round(values).astype(np.int64)
    inner = np.flatnonzero(many)[1:-1]
    own = inner[values[inner] // int(step) % _ROUND != 0]
    if len(own) < max(_LEAST, _HALF * len(inner)):
        return False
    # Without a sign the difference of any two fits.
    apart = np.diff(values.view(np.uint64))
    apart = np.maximum(apart[own], apart[own - 1])
    return bool((apart > int(step)).mean() >= _APART)
