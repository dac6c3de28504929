"""The order in which a tree puts codes of a column: their own, or along a target."""

from functools import cached_property

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.midnight import in_order

# How much more of a target one split of numbers along it explains than one in their
# order, at least, beside so many times what it would by chance.
_MUCH_MORE, _BY_CHANCE = 0.1, 2.0
# A component that explains less of what the first one does is rounding.
_ROUNDING = 1e-9
# Rows of the whole column that an ordering of categories adds to each.
_PRIOR_ROWS = 2


class Target:
    """What a tree is grown for, and sums of it, which many features ask for.

    Parameters
    ----------
    values : ndarray of float64, shape (n, q)
        Of many categories nearly all are 0.
    """

    def __init__(self, values):
        self.values = values
        self.n_columns = values.shape[1]
        self.mean = values.mean(axis=0)
        self._rows, self._columns = np.nonzero(values)
        self._others = values[self._rows, self._columns]

    @cached_property
    def squares(self):
        """Of the distances from the mean, their sum."""
        return ((self.values - self.mean) ** 2).sum()

    def sums(self, codes, n_codes):
        """Sums over the rows of each code, shape (n_codes, q)."""
        cells = codes[self._rows].astype(np.int64) * self.n_columns + self._columns
        size = n_codes * self.n_columns
        return np.bincount(cells, self._others, size).reshape(n_codes, self.n_columns)


def orders_of(codes, sizes, target, individual):
    """The number of each code: itself, or its place along the target, in a list.

    Categories have a second place, along what is most of the rest of the target: in one
    order streets of a town would be beside each other, cheap ones and dear. Not of rows
    of persons, who keep to what they had before less often then.

    Numbers have theirs where one split along the target explains much more of it than
    one of the numbers in their order would: the size of a school tells which one it is,
    and so how many of its pupils are poor. What stands for a missing number comes
    first, and so does then what few individuals have.
    """
    n_codes, n_ordered, start = sizes
    own_order = np.argsort(in_order(n_codes, n_ordered, start)).astype(np.int32)
    own_order[n_ordered:] = -1
    if n_ordered and not target.n_columns:
        return [own_order]
    counts = np.bincount(codes, minlength=n_codes)
    sums = target.sums(codes, n_codes)
    along, *others = _along(counts, sums, target)
    if not n_ordered:
        return [along, *others] if individual is None else [along]
    holders, n = counts, len(codes)
    if individual is not None:
        pairs = np.unique(individual.astype(np.int64) * n_codes + codes)
        holders = np.bincount(pairs % n_codes, minlength=n_codes)
        n = len(np.unique(individual))
    along[holders < MIN_ROWS] = -1
    by_chance = _BY_CHANCE * np.count_nonzero(counts) / n
    more = _explained(along, counts, sums) - _explained(own_order, counts, sums)
    return [along if more > (_MUCH_MORE + by_chance) * target.squares else own_order]


def _along(counts, sums, target):
    """Place of each code along principal components of what it has of it: two at most.

    Of three codes and more, and where there is a second component.
    """
    if not target.n_columns:
        return [_places(counts)]
    mean = target.mean
    shift = (sums + _PRIOR_ROWS * mean) / (counts + _PRIOR_ROWS)[:, None] - mean
    weighted = shift * np.sqrt(counts)[:, None]
    explained, vectors = np.linalg.eigh(weighted.T @ weighted)
    n_places = 1 + (np.count_nonzero(counts) > 2)
    is_more = explained[::-1][:n_places] > _ROUNDING * explained[-1]
    along = np.round(shift @ vectors[:, ::-1], 12).T[: max(is_more.sum(), 1)]
    return list(map(_places, along))


def _places(values):
    """Rank of each value, (C,) int32."""
    ranks = np.empty(len(values), dtype=np.int32)
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    return ranks


def _explained(ranks, counts, sums):
    """What the best split of some ranks explains of the squares of a target."""
    order = np.argsort(ranks, kind="stable")
    left, of_left = np.cumsum(counts[order]), np.cumsum(sums[order], axis=0)
    right, of_right = left[-1] - left, of_left[-1] - of_left
    is_split = (left > 0) & (right > 0)
    if not is_split.any():
        return 0.0
    found = (of_left**2).sum(axis=1)[is_split] / left[is_split]
    found += (of_right**2).sum(axis=1)[is_split] / right[is_split]
    return float(found.max() - (of_left[-1] ** 2).sum() / left[-1])
