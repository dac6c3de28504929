"""A column in two variables: a part of its values, and the rank within the part.

What hangs together is measured between parts first, of which there are few; a column
whose ranks are never measured with others costs a model no cells for them. Values too
rare for anything but their own share to be measured are gathered before.

All of this is post-processing of noisy counts.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class SplitColumn:
    """Values of a column, gathered, in parts.

    Attributes
    ----------
    gathered : ndarray of int64, shape (size,)
        Gathered value of each value.
    shares : ndarray of float64, shape (size,)
        Of a value in its gathered value; they sum to 1 there.
    part, rank : ndarray of int64, shape (g,)
        Of each gathered value; the rank counts from 0 in each part.
    """

    gathered: np.ndarray
    shares: np.ndarray
    part: np.ndarray
    rank: np.ndarray

    @property
    def n_values(self):
        """Gathered values."""
        return len(self.part)

    @cached_property
    def n_parts(self):
        """Parts of the gathered values."""
        return int(self.part.max()) + 1

    @cached_property
    def n_ranks(self):
        """Most gathered values of a part."""
        return int(self.rank.max()) + 1

    @cached_property
    def values(self):
        """Gathered value of each part and rank, (parts, ranks), or -1."""
        table = np.full((self.n_parts, self.n_ranks), -1)
        table[self.part, self.rank] = np.arange(self.n_values)
        return table

    def given(self, allowed):
        """The column whose values are those allowed.

        Parameters
        ----------
        allowed : ndarray of bool, shape (size,)

        Returns
        -------
        column : SplitColumn
        share : ndarray of float64, shape (parts, ranks)
            Of the allowed values in the gathered one of each part and rank; 0 where
            there is none.
        """
        shares = self.shares * allowed
        of_gathered = np.bincount(self.gathered, shares)
        whole = of_gathered[self.gathered]
        # Of a gathered value with none allowed nothing is drawn, whatever its shares.
        shares = np.divide(shares, whole, out=self.shares.copy(), where=whole > 0)
        values = self.values
        share = np.where(values >= 0, of_gathered[values], 0.0)
        return replace(self, shares=shares), share

    def draw(self, gathered, rng):
        """A value for each gathered one, of about the shares, in random order."""
        order = rng.permutation(len(gathered))
        order = order[np.argsort(gathered[order], kind="stable")]
        counts = np.bincount(gathered, minlength=self.n_values)
        last = np.cumsum(counts)
        by_group = np.argsort(self.gathered, kind="stable")
        group = self.gathered[by_group]
        ends = np.cumsum(self.shares[by_group] * counts[group]) + rng.random()
        # Whatever sums of fractions are rounded to, a group keeps its rows.
        first = last - counts
        ends = np.clip(np.floor(ends).astype(np.int64), first[group], last[group])
        ends[np.append(group[1:] != group[:-1], True)] = last
        values = np.empty(len(gathered), dtype=np.int64)
        values[order] = np.repeat(by_group, np.diff(ends, prepend=0))
        return values


def split_column(counts, is_numeric, least, n_parts):
    """Gather the rare values of a column and cut the others into parts.

    Parameters
    ----------
    counts : ndarray of float64, shape (size,)
        Noisy, not negative.
    is_numeric : bool
        Whether what is gathered, and a part, is an interval of values.
    least : float
        Rows of a value that is not rare.
    n_parts : int
        About.

    Returns
    -------
    SplitColumn
    """
    gathered = _gather(counts, is_numeric, least)
    totals = np.bincount(gathered, counts)
    shares = 1.0 / np.bincount(gathered)[gathered]
    of_value = totals[gathered]
    np.divide(counts, of_value, out=shares, where=of_value > 0)
    part = _parts(totals, is_numeric, n_parts)
    rank = np.empty(len(part), dtype=np.int64)
    for of_part in range(part.max() + 1):
        rank[part == of_part] = np.arange((part == of_part).sum())
    return SplitColumn(gathered, shares, part, rank)


def _gather(counts, is_numeric, least):
    """Gathered value of each value."""
    if is_numeric:
        return _in_runs(counts, least)
    gathered = np.empty(len(counts), dtype=np.int64)
    is_rare = counts < least
    n_frequent = len(counts) - is_rare.sum()
    gathered[~is_rare] = np.arange(n_frequent)
    gathered[is_rare] = n_frequent + _in_runs(counts[is_rare], least)
    return gathered


def _in_runs(counts, least):
    """Number of the run of each value: in order, each of enough rows if all have."""
    gathered, total, number = np.empty(len(counts), dtype=np.int64), 0.0, 0
    for value, count in enumerate(counts):
        gathered[value] = number
        total += count
        if total >= least:
            number, total = number + 1, 0.0
    return np.minimum(gathered, max(number - 1, 0)) if total < least else gathered


def _parts(counts, is_numeric, n_parts):
    """Part of each gathered value: intervals of about equal weight, or the frequent
    ones alone and the others together."""
    if len(counts) <= n_parts + 1:
        return np.arange(len(counts))
    if is_numeric:
        weights = counts + 1e-9 * counts.sum() + 1e-300
        middles = np.cumsum(weights) - weights / 2
        part = (middles / weights.sum() * n_parts).astype(np.int64)
        return np.unique(np.minimum(part, n_parts - 1), return_inverse=True)[1]
    part = np.full(len(counts), n_parts - 1)
    part[np.argsort(-counts, kind="stable")[: n_parts - 1]] = np.arange(n_parts - 1)
    return part
