"""Which rows of a leaf get its higher numbers: those higher in another column.

Inside a leaf columns are drawn as if they were independent. Of a leaf of the largest
that is far off: of the k people whose blood has most of one protein some have ten times
as much as others, and of the next one too. So a leaf whose k individuals say so has a
Gaussian copula with the columns that tell most of it; the values of an atom that rows
of the leaf get are in its order too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from coclust_synth.generators.plain.structured.leaves.forward import (
    first_of_best,
    rounded,
    slopes_of,
    told_more,
)
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.atoms import AtomParts

# Chance that a leaf of independent columns has one, over all leaves of a column.
_MAX_CHANCE = 1e-2
# Of so many columns at most.
_MOST_COLUMNS = 3
# Correlations and slopes are told in such parts, correlations of so many at most.
_PARTS, _MOST_PARTS = 20, 19


@dataclass(frozen=True, eq=False)
class Inside:
    """What the numbers of each leaf go along: a sum of the normal scores of others.

    Attributes
    ----------
    columns : ndarray of int64, shape (c,)
        Positions of columns that are drawn before.
    slopes : ndarray of float64, shape (c, T)
        Factor of each in the sum of a leaf.
    shares : ndarray of float64, shape (T,)
        Correlation with the sum; 0 in leaves that go along nothing.
    """

    columns: NDArray[np.int64]
    slopes: NDArray[np.float64]
    shares: NDArray[np.float64]

    def points(
        self,
        numbers: Callable[[int], NDArray[np.float64]],
        leaf: NDArray[np.int64],
        points: NDArray[np.float64],
        ends: NDArray[np.float64],
        rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Points by which rows draw from their leaves, those of a leaf in its order.

        Parameters
        ----------
        numbers : callable
            From the position of a column to its numbers, NaN where missing.
        leaf : ndarray of int64, shape (n,)
        points : ndarray of float64, shape (n,)
            As drawn by chance, in [0, 1).
        ends : ndarray of float64, shape (T,)
            Share of each leaf that has an order; points beyond it stay.
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of float64, shape (n,)
        """
        at = np.flatnonzero((points < ends[leaf]) & (self.shares[leaf] > 0))
        points = points.copy()
        level = self._levels(numbers, at, leaf[at], rng)
        points[at] = in_order(points[at], leaf[at], level)
        return points

    def ordered(
        self,
        values: np.ndarray,
        codes: NDArray[np.int64],
        leaf: NDArray[np.int64],
        points: NDArray[np.float64],
        numbers: Callable[[int], NDArray[np.float64]],
        atoms: AtomParts,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """Values of the rows of an atom in the order of what they go along.

        Parameters
        ----------
        values : ndarray, shape (n,)
        codes : ndarray of int, shape (n,)
            Their atoms, and more.
        leaf, points, numbers, rng
            As of `points`, that gave the points.
        atoms : AtomParts

        Returns
        -------
        ndarray, shape (n,)
        """
        at, values = np.flatnonzero(self.shares[leaf] > 0), values.copy()
        key = leaf[at] * (int(codes.max(initial=0)) + 1) + codes[at]
        values[at] = in_order(values[at], key, points[at])
        n_leaves = len(self.shares) - 2
        for end, code in enumerate(end_runs(atoms), n_leaves):
            if code is not None and self.shares[end] > 0:
                at = np.flatnonzero(codes == code)
                group = np.full(len(at), end)
                level = self._levels(numbers, at, group, rng)
                values[at] = in_order(values[at], group, level)
        return values

    def _levels(self, numbers, at, of, rng):
        """By what some rows of leaves and ends go along, and chance."""
        sums = np.zeros(len(at))
        for column, slopes in zip(self.columns.tolist(), self.slopes, strict=True):
            own = np.flatnonzero(slopes[of])
            told = scores(numbers(column)[at[own]], of[own])
            sums[own] += slopes[of[own]] * told
        share, chance = self.shares[of], rng.standard_normal(len(at))
        return share * scores(sums, of) + np.sqrt(1 - share**2) * chance

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        of, leaf = np.nonzero(self.slopes)
        told = self.columns[of], leaf, np.rint(self.slopes[of, leaf] * _PARTS)
        return {
            "shares": np.rint(self.shares * _PARTS).astype(int).tolist(),
            "slopes": np.column_stack(told).astype(int).tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        shares = np.array(data["shares"], dtype=np.float64) / _PARTS
        column, leaf, parts = np.array(data["slopes"], dtype=np.int64).reshape(-1, 3).T
        columns, of = np.unique(column, return_inverse=True)
        slopes = np.zeros((len(columns), len(shares)))
        slopes[of, leaf] = parts / _PARTS
        return cls(columns, slopes, shares)

    def check(self, n_leaves, columns):
        """Raise a ValueError unless it is of so many leaves, and of these columns."""
        is_sound = len(self.shares) == n_leaves + 2
        is_sound &= {*self.columns.tolist()} <= columns
        if not (is_sound and ((self.shares >= 0) & (self.shares < 1)).all()):
            raise ValueError("inside")


def learn_inside(
    own: NDArray[np.unsignedinteger],
    leaf: NDArray[np.int64],
    n_leaves: int,
    atoms: AtomParts,
    known: Mapping[int, NDArray[np.unsignedinteger]],
    k: int,
) -> Inside | None:
    """What the numbers of each leaf go along, if any do.

    Parameters
    ----------
    own : ndarray of unsigned int, shape (n,)
        See `ranks`; 0 where they have no order.
    leaf : ndarray of int64, shape (n,)
    n_leaves : int
    atoms : AtomParts
        Of the column.
    known : mapping of int to ndarray of unsigned int, shape (n,)
        Of the columns drawn before, by position; each row is an individual.
    k : int
        Individuals of a leaf that goes along others, at least, and 20.

    Returns
    -------
    Inside or None
    """
    rows = np.flatnonzero(own)
    groups = [(rows, leaf[rows])]
    for end, code in enumerate(end_runs(atoms)):
        if code is not None and len(rows) >= k:
            side = own[rows].astype(np.int64) * (1 - 2 * end)
            extreme = rows[side <= np.partition(side, k - 1)[k - 1]]
            groups.append((extreme, np.full(len(extreme), n_leaves + end)))
    rows, of = map(np.concatenate, zip(*groups, strict=True))
    n_groups = n_leaves + 2
    y, apart = _told_scores(own[rows], of, n_groups)
    is_told = np.bincount(of, minlength=n_groups) >= max(k, MIN_ROWS)
    told = np.flatnonzero(is_told & (apart >= MIN_ROWS))
    if not len(told) or not known:
        return None
    of_rows = (_told_scores(each[rows], of, n_groups) for each in known.values())
    x = np.column_stack([told_scores for told_scores, _ in of_rows])
    least = -ndtri(_MAX_CHANCE / (len(told) * len(known)) / 2)
    slopes, shares = np.zeros((len(known), n_groups)), np.zeros(n_groups)
    order = np.argsort(of, kind="stable")
    for t, of_leaf in zip(told, _parted(order, of[order], told), strict=True):
        columns, factors, share = _told_by(x[of_leaf], y[of_leaf], least)
        slopes[columns, t], shares[t] = factors, share
    used = np.flatnonzero(slopes.any(axis=1))
    return Inside(np.array([*known])[used], slopes[used], shares) if len(used) else None


def _parted(order, leaf, told):
    """The rows of each leaf of some, of all in the order of their leaf."""
    for t in told:
        first, last = np.searchsorted(leaf, [t, t + 1])
        yield order[first:last]


def _told_by(x, y, least):
    """The columns that tell most of a leaf, one after the other, slopes and share.

    Each tells of what the others leave by so many standard deviations at `least`.
    """
    squares, crossed, whole = x.T @ x, x.T @ y, y @ y
    columns, slopes, share = [], np.zeros(0), 0.0
    while len(columns) < min(_MOST_COLUMNS, len(crossed)):
        more = told_more(squares, crossed, columns, 1e-9)
        untold = whole - slopes @ crossed[columns]
        partial = np.sqrt(np.clip(more.max() / max(untold, 1e-9), 0, 1 - 1e-9))
        n_free = len(y) - 3 - len(columns)
        if n_free < 1 or np.arctanh(partial) * np.sqrt(n_free) < least:
            break
        columns.append(first_of_best(more))
        slopes = slopes_of(squares, crossed, columns)
        share = np.sqrt(max(slopes @ crossed[columns], 0) / whole)
    slopes = np.rint(slopes * _PARTS) / _PARTS
    share = min(np.rint(share * _PARTS), _MOST_PARTS) / _PARTS
    return columns, slopes, share if slopes.any() else 0.0


def end_runs(atoms: AtomParts) -> tuple[int | None, int | None]:
    """The first and the last atom of a column, where they are runs."""
    if not len(atoms.lows):
        return None, None
    ends = int(atoms.lows.argmin()), int(atoms.highs.argmax())
    first, last = (e if atoms.lows[e] < atoms.highs[e] else None for e in ends)
    return (None, None) if first == last else (first, last)


def ranks(numbers):
    """Places of numbers among all different ones, from 1; 0 where missing.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)

    Returns
    -------
    ndarray of unsigned int, shape (n,)
        As short as can be: they are sorted again and again.
    """
    known = ~np.isnan(numbers)
    found, place = np.unique(numbers[known], return_inverse=True)
    ranks = np.zeros(len(numbers), dtype=np.min_scalar_type(len(found)))
    ranks[known] = place + 1
    return ranks


def scores(numbers, leaf):
    """Normal scores of numbers in their leaf, of equals the middle, of missing ones 0.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)
    leaf : ndarray of int64, shape (n,)

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    return _scored(ranks(numbers), leaf, int(leaf.max(initial=-1)) + 1)[0]


def _told_scores(ranks, leaf, n_leaves):
    """Normal scores, and how many of each leaf have not the number that most have.

    Where these are few, who they are would be told: all scores are 0 there.
    """
    scores, apart = _scored(ranks, leaf, n_leaves)
    return np.where((apart >= MIN_ROWS)[leaf], scores, 0.0), apart


def _scored(ranks, leaf, n_leaves):
    known, scores = np.flatnonzero(ranks), np.zeros(len(ranks))
    if not len(known):
        return scores, np.zeros(n_leaves, dtype=np.int64)
    short = leaf[known].astype(np.min_scalar_type(n_leaves))
    order = known[np.lexsort([ranks[known], short])]
    x, of = ranks[order], leaf[order]
    is_first = np.ones(len(x), dtype=bool)
    is_first[1:] = (x[1:] != x[:-1]) | (of[1:] != of[:-1])
    first = np.flatnonzero(is_first)
    equals = np.diff(np.append(first, len(x)))
    size, most = np.bincount(of, minlength=n_leaves), np.zeros(n_leaves, dtype=np.int64)
    np.maximum.at(most, of[first], equals)
    middle, of = first + equals / 2, of[first]
    place = (middle - (np.cumsum(size) - size)[of]) / size[of]
    scores[order] = np.repeat(rounded(ndtri(place)), equals)
    return scores, size - most


def in_order(values: np.ndarray, group: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Values of each group in the order that others have.

    Parameters
    ----------
    values : ndarray, shape (n,)
    group : ndarray of int, shape (n,)
    by : ndarray, shape (n,)

    Returns
    -------
    ndarray, shape (n,)

    Examples
    --------
    >>> group, by = np.array([0, 1, 0]), np.array([0.2, 0.3, 0.1])
    >>> in_order(np.array([3, 5, 4]), group, by).tolist()
    [4, 5, 3]
    """
    ordered = np.empty_like(values)
    ordered[np.lexsort([by, group])] = values[np.lexsort([values, group])]
    return ordered
