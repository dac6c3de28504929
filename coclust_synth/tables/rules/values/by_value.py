"""Dependences counted by value: rows that have another value than most like them."""

import numpy as np
import pandas as pd

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN


def differs_by_value(pair):
    """Rows that have another value than most with their value of the first column.

    Parameters
    ----------
    pair : Pair

    Returns
    -------
    differs, known : ndarray of bool, shape (n,)
        Missing values, and those that stand for several, are not known.
    """
    own, other = (_labels(pair, j) for j in (pair.first, pair.second))
    known = (own >= 0) & (other >= 0)
    n_others = int(other.max(initial=0)) + 1
    pairs, of_row, rows = np.unique(
        own[known] * n_others + other[known], return_inverse=True, return_counts=True
    )
    by_rows = np.lexsort((-rows, pairs // n_others))
    first = np.unique((pairs // n_others)[by_rows], return_index=True)[1]
    is_most = np.zeros(len(pairs), dtype=bool)
    is_most[by_rows[first]] = True
    differs = np.zeros(len(own), dtype=bool)
    differs[known] = ~is_most[of_row]
    return differs, known


def is_of_ranges(pair):
    """Whether a code tells in which range a number is, not which number it is.

    The time at which a sample is received rises with that at which it was taken, and
    one of the latter is beside several of the former.

    Parameters
    ----------
    pair : Pair
        Of which the first column fixes the second.

    Returns
    -------
    bool
        Too many rows differ by value, or the number of most is in a bin of several.
    """
    evidence, j = pair.evidence, pair.second
    if evidence.coding.names[j] not in evidence.numbers:
        return False
    differs, known = differs_by_value(pair)
    bins = evidence.bins[known, j]
    first = np.unique(_labels(pair, j)[known], return_index=True)[1]
    is_range = np.bincount(bins[first]) > 1
    too_many = MAX_BROKEN * known.sum()
    return bool(differs.sum() > too_many or 2 * is_range[bins].sum() > known.sum())


def _labels(pair, j):
    """A number for each value of a column, int64, -1 of those that are not known."""
    evidence = pair.evidence
    name, bins = evidence.coding.names[j], evidence.bins[:, j]
    known = pair.known(j)[bins] & ~evidence.is_moved(j)
    if name in evidence.numbers:
        return np.where(known, pd.factorize(evidence.numbers[name])[0], -1)
    return np.where(known, bins, -1).astype(np.int64)
