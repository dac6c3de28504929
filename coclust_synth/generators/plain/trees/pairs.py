"""Few rows that two columns tell together, and neither of them alone.

A tree splits along the column that tells most, and such rows are then on both of its
sides, soon too few to be a leaf: of loans to two borrowers of whom nobody was checked
all are paid out directly, but what a loan is for tells more of that than either of
both. So these rows are set apart first.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.trees._pair_kernels import best_splits

# Targets in such steps have sums that no order of adding changes.
_STEPS = 2**20
# Sums of squares that differ by less are alike.
_MORE = 1 + 1e-9
# Splits that pairs are made of, those that tell most: there are as many pairs as their
# square.
_MOST_SPLITS = 100
# Rows that are looked at together.
_AT_ONCE = 2**14

Nodes = tuple[NDArray[np.int32], ...]


class Half(NamedTuple):
    """Rows on one side of a split.

    feature : int. threshold : the largest code on the left. is_left : whether they are
    there.
    """

    feature: int
    threshold: int
    is_left: bool

    def rows(self, features: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of some rows they are, (n,)."""
        return (features[:, self.feature] <= self.threshold) == self.is_left

    def nodes(self, inside: Nodes, outside: Nodes) -> Nodes:
        """The split, above the nodes of its sides."""
        left, right = (inside, outside) if self.is_left else (outside, inside)
        top, n_left = (self.feature, self.threshold, 1, 1 + len(left[0])), len(left[0])
        moved = [np.where(child < 0, -1, child + 1) for child in left[2:]]
        others = [np.where(child < 0, -1, child + 1 + n_left) for child in right[2:]]
        below = zip(top, [*left[:2], *moved], [*right[:2], *others], strict=True)
        return tuple(np.hstack(own).astype(np.int32) for own in below)


def find_pair(
    features: NDArray[np.int32], target: NDArray[np.float64], k: int
) -> tuple[Half, Half] | None:
    """Halves whose common rows tell more of a target than both halves do.

    They tell more than any split does, too. Of each feature the split that tells most
    is looked at, and that of what is missing; of many the hundred that tell most.

    Parameters
    ----------
    features : ndarray of int32, shape (n, p)
        -1 where one is missing that is in an order.
    target : ndarray of float64, shape (n, q)
    k : int
        Rows of both halves, of the first without the second, and of others, at least.

    Returns
    -------
    tuple of Half, or None

    Examples
    --------
    >>> x, y = np.indices((2, 2)).reshape(2, -1).repeat([50, 50, 50, 25], axis=1)
    >>> for half in find_pair(np.column_stack([x, y]), (x & y)[:, None], k=20):
    ...     print(half)
    Half(feature=0, threshold=0, is_left=False)
    Half(feature=1, threshold=0, is_left=False)
    >>> find_pair(np.column_stack([x, y]), (x + y)[:, None], k=20)
    """
    n = len(features)
    target = np.round((target - target.mean(axis=0)) * _STEPS)
    most = sorted(
        (-told, int(j), int(at)) for told, j, at in _splits(features, target, k)
    )
    splits = sorted((j, at) for _, j, at in most[:_MOST_SPLITS])
    if not splits:
        return None
    feature, threshold = np.array(splits).T
    sums = _sums_of_sides(
        features[:, feature] <= threshold, np.column_stack([np.ones(n), target])
    )
    rows, told = sums[:, 0], _told(np.square(sums[:, 1:]).sum(axis=1), sums[:, 0], n)
    alone = np.diagonal(told[0])
    least = np.maximum(alone[:, None] + alone, alone.max())
    # Those of the first half alone are beside them: left of it, or right.
    can_be = (rows >= k) & (rows[[1, 0, 3, 2]] >= k) & (feature[:, None] != feature)
    told = np.where(can_be & (told > least * _MORE), told, 0.0)
    if not told.any():
        return None
    side, i, j = map(int, np.unravel_index(told.argmax(), told.shape))
    return Half(*splits[i], side < 2), Half(*splits[j], side % 2 == 0)


def _sums_of_sides(left, of):
    """Sums on both left sides, left and right, right and left, both right.

    Shape (4, q, m, m), of what (n, q) and sides of m splits, (n, m).
    """
    least = of.min(axis=0)
    both = np.zeros((of.shape[1], left.shape[1], left.shape[1]))
    of_all = np.zeros(both.shape[1:])
    for start in range(0, len(left), _AT_ONCE):
        own = left[start : start + _AT_ONCE].astype(np.float64)
        of_all += own.T @ own
        # Of a class of many nearly all rows are not.
        for sums, x in zip(both, (of[start : start + _AT_ONCE] - least).T, strict=True):
            some = np.flatnonzero(x)
            sums += own[some].T @ (x[some, None] * own[some])
    both += least[:, None, None] * of_all
    one, whole = np.diagonal(both, axis1=1, axis2=2), of.sum(axis=0)[:, None, None]
    first, second = one[:, :, None], one[:, None, :]
    sides = both, first - both, second - both, whole - first - second + both
    return np.stack(sides)


def _told(squares, rows, n):
    """What it tells of n rows, whose sum is 0, to set some apart."""
    return squares * n / np.maximum(rows * (n - rows), 1)


def _splits(features, target, k):
    """Where each feature tells most, and where what is missing ends, and how much."""
    at, told, missing = best_splits(np.ascontiguousarray(features.T), target, k)
    for j in np.flatnonzero(told >= 0):
        yield told[j], j, at[j]
        if missing[j] >= 0 and at[j] >= 0:
            yield missing[j], j, -1
