"""Which rows of a leaf get its higher values: those higher along other columns.

Inside a leaf columns are drawn as if they were independent. Of rows of persons, of whom
a leaf has k, that is far off: the rank of a player would move in each row within all
that k players have. So the values that a leaf gives its rows follow a sum of other
columns, as closely as they do in all leaves together: a Gaussian copula inside each.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from coclust_synth.generators.plain.structured.leaves.forward import (
    first_of_best,
    rounded,
    slopes_of,
    told_more,
)
from coclust_synth.tables.laws.laws import MIN_ROWS

# Of so many columns at most, each of which tells so much more of the variance.
_MOST_COLUMNS, _MIN_MORE = 4, 0.01
# They go with what leaves hold by such a correlation at least, told by other persons,
# and by so many standard deviations more than chance has it.
_MIN_SHARE, _MAX_SHARE, _MIN_DEVIATIONS = 0.1, 0.98, 3.0
# Where nearly all of a leaf are equal, little is left to go along: their normal scores
# have such a variance at least.
_MIN_SPREAD = 0.05
# A leaf in which few rows are drawn has as many of the table beside them.
_OF_TABLE = 20
# Slopes are learnt of about so many rows, all those of some persons.
_MANY_ROWS = 50_000
# Figures of leaves are told in such parts.
_PARTS = 100


@dataclass(frozen=True, eq=False)
class Along:
    """How the rows of a leaf go along other columns.

    Attributes
    ----------
    columns : tuple of str
        Those of which their places among atoms are added up, see `places`.
    slopes, middles : tuple of float
        Of each: the factor of its places, and the place where it is missing.
    share : float
        Correlation of the sum with the values in a leaf, in (0, 1).
    means, widths : ndarray of float64, shape (T,)
        Of the sum, by leaf, each person counted once; a leaf of less than k persons,
        or 20, has a width of 0.
    """

    columns: tuple[str, ...]
    slopes: tuple[float, ...]
    middles: tuple[float, ...]
    share: float
    means: NDArray[np.float64]
    widths: NDArray[np.float64]

    def points(
        self,
        places: Callable[[str], NDArray[np.float64]],
        leaf: NDArray[np.int64],
        points: NDArray[np.float64],
        ends: NDArray[np.float64],
        rng: np.random.Generator,
    ) -> NDArray[np.float64]:
        """Points by which rows draw from the distributions of their leaves.

        Parameters
        ----------
        places : callable
            From a column to the places of the rows, NaN where missing.
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
        own = np.zeros(len(leaf))
        for name, slope, middle in zip(
            self.columns, self.slopes, self.middles, strict=True
        ):
            place = places(name)
            own += slope * np.where(np.isnan(place), middle, place)
        at = np.flatnonzero((points < ends[leaf]) & (self.widths[leaf] > 0))
        of = leaf[at]
        sum_ = np.clip((own[at] - self.means[of]) / self.widths[of], -3, 3)
        chance = rng.standard_normal(len(at))
        level = ndtr(self.share * sum_ + np.sqrt(1 - self.share**2) * chance)
        order = np.lexsort([level, of])
        at, of, level = at[order], of[order], level[order]
        size = np.bincount(of, minlength=len(ends))
        place = np.arange(len(at)) - (np.cumsum(size) - size)[of]
        place = place + rng.random(len(ends))[of]
        points = points.copy()
        among = (place + _OF_TABLE * level) / (size[of] + _OF_TABLE)
        points[at] = ends[of] * among
        return points

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return {
            "columns": list(self.columns),
            "slopes": list(self.slopes),
            "middles": list(self.middles),
            "share": self.share,
            "means": np.rint(self.means * _PARTS).astype(int).tolist(),
            "widths": np.rint(self.widths * _PARTS).astype(int).tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return cls(
            tuple(map(str, data["columns"])),
            tuple(map(float, data["slopes"])),
            tuple(map(float, data["middles"])),
            float(data["share"]),
            np.array(data["means"], dtype=np.float64) / _PARTS,
            np.array(data["widths"], dtype=np.float64) / _PARTS,
        )

    def check(self, n_leaves, names):
        """Raise a ValueError unless it is of so many leaves, and of these columns."""
        sizes = {len(self.slopes), len(self.middles)}
        of_leaves = {len(self.means), len(self.widths)}
        is_sound = sizes == {len(self.columns)} and of_leaves == {n_leaves}
        figures = *self.slopes, *self.middles, *self.means, *self.widths
        is_sound &= bool(np.isfinite(figures).all())
        if not (is_sound and {*self.columns} <= names and 0 <= self.share < 1):
            raise ValueError("along")


def places(numbers, parts, per_day):
    """Where numbers are among the atoms of their column, from 0 to 1.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)
    parts : AtomParts
    per_day : float
        See `NumberScale`.

    Returns
    -------
    ndarray of float64, shape (n,)
        NaN where missing.
    """
    means = np.sort(parts.means) / per_day
    return np.interp(numbers, means, np.linspace(0, 1, len(means)))


def learn_along(own, n_ordered, leaf, n_leaves, known, evidence, k):
    """How the rows of leaves go along other columns, if they do.

    Parameters
    ----------
    own : ndarray of int, shape (n,)
        Codes of the column.
    n_ordered : int
        How many of its codes, the first, are in an order.
    leaf : ndarray of int64, shape (n,)
    n_leaves : int
    known : mapping of str to ndarray of float64, shape (n,)
        Places of the columns drawn before.
    evidence : Evidence
        Of the rows; the individuals are counted.
    k : int
        Individuals of the leaves that are told, at least, and 20.

    Returns
    -------
    Along or None
        None where they do not: what is learnt of every other person, and asked of those
        between.
    """
    held = evidence.count(np.where(own < n_ordered, leaf, -1), n_leaves)
    is_told = (own < n_ordered) & (held >= max(k, MIN_ROWS))[leaf]
    rows = np.flatnonzero(is_told)
    if not len(rows) or not known:
        return None
    every, person = -(-len(rows) // _MANY_ROWS), evidence.persons.codes
    # One after the other, as those of even codes may be persons of no such leaf.
    number = np.unique(person[rows], return_inverse=True)[1]
    rows, number = rows[number % every == 0], number[number % every == 0] // every
    y = _scores(own[rows], leaf[rows], n_leaves)
    found = {name: _filled(place[rows]) for name, place in known.items()}
    x = np.column_stack([_in_leaves(each, leaf[rows]) for each, _ in found.values()])
    whole = y @ y
    if whole <= _MIN_SPREAD * len(y):
        return None
    told = _foretold(x, y, number % 2)
    if not _deviations(told * y, number) >= _MIN_DEVIATIONS:
        return None
    share = (told @ y) / np.sqrt(told @ told) * np.sqrt(len(y)) / whole
    both = x.T @ x, x.T @ y
    columns = _forward(*both, whole)
    if share < _MIN_SHARE or not columns:
        return None
    slopes = np.round(slopes_of(*both, columns), 3)
    names = [list(known)[j] for j in columns]
    middles = [found[name][1] for name in names]
    sums = sum(
        slope * np.where(np.isnan(known[name]), middle, known[name])
        for name, slope, middle in zip(names, slopes, middles, strict=True)
    )
    of_told = np.where(is_told, leaf, -1)
    means, widths = _of_leaves(sums, of_told, n_leaves, person)
    share = round(float(min(share, _MAX_SHARE)), 2)
    return Along(tuple(names), tuple(slopes), tuple(middles), share, means, widths)


def _scores(own, leaf, n_leaves):
    """Normal scores of codes among those of their leaf, of equals the middle."""
    key = leaf * (int(own.max()) + 1) + own
    _, of, counts = np.unique(key, return_inverse=True, return_counts=True)
    size = np.bincount(leaf, minlength=n_leaves)
    middle = (np.cumsum(counts) - counts / 2)[of] - (np.cumsum(size) - size)[leaf]
    return _in_leaves(ndtri(middle / size[leaf]), leaf)


def _filled(place):
    """Places, the mean of all where they are missing, and that mean."""
    known = ~np.isnan(place)
    middle = round(float(place[known].mean()), 3) if known.any() else 0.0
    return np.where(known, place, middle), middle


def _in_leaves(x, leaf):
    """Numbers less their mean in each leaf."""
    size = np.maximum(np.bincount(leaf), 1)
    left = x - (np.bincount(leaf, x) / size)[leaf]
    return rounded(left)


def _forward(squares, crossed, whole):
    """The columns that tell most together, one after the other."""
    columns = []
    while len(columns) < min(_MOST_COLUMNS, len(crossed)):
        more = told_more(squares, crossed, columns, 1e-9 * whole)
        if more.max() < max(_MIN_MORE * whole, 1e-9):
            break
        columns.append(first_of_best(more))
    return columns


def _foretold(x, y, half):
    """Scores as the rows of the other half foretell them."""
    told = np.zeros(len(y))
    for of in (half == 0, half == 1):
        other = x[~of].T @ x[~of], x[~of].T @ y[~of]
        columns = _forward(*other, y[~of] @ y[~of])
        told[of] = x[of][:, columns] @ slopes_of(*other, columns)
    return told


def _deviations(product, person):
    """Standard deviations that a sum over persons is above 0."""
    of_each = np.bincount(person, product)
    return of_each.sum() / max(np.sqrt(of_each @ of_each), 1e-300)


def _of_leaves(sums, leaf, n_leaves, person):
    """Mean and standard deviation of some numbers in each leaf, told in parts.

    Each person of a leaf counts once, however many rows of it are theirs.
    """
    at = np.flatnonzero(leaf >= 0)
    leaf, sums = leaf[at], sums[at]
    pair = leaf * (int(person.max()) + 1) + person[at]
    _, of, n_rows = np.unique(pair, return_inverse=True, return_counts=True)
    weight = 1 / n_rows[of]
    whole = np.maximum(np.bincount(leaf, weight, n_leaves), 1)
    means = np.bincount(leaf, weight * sums, n_leaves) / whole
    squares = np.bincount(leaf, weight * (sums - means[leaf]) ** 2, n_leaves) / whole
    told = (means, np.sqrt(squares))
    return tuple(np.rint(own * _PARTS) / _PARTS for own in told)
