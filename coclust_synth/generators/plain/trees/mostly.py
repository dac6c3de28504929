"""Columns that another one tells in most rows: a code and a label with some slips.

A tree tells common categories apart alone, and has leaves of k individuals: of sixty
schools that all but a few pupils stay at it leaves far fewer of these there. Such a
column is drawn to have what another tells, or not, and its own tree tells what it has
else. Where the other is missing, the next one tells it that does of such rows.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.tables.laws.laws import MIN_ROWS


class MostlyTold(NamedTuple):
    """What tells a column in most rows.

    Attributes
    ----------
    other : int
        The column that tells it.
    says : tuple of int
        Code that goes with each of its codes: one that `MIN_ROWS` individuals have; -1
        where there is none.
    """

    other: int
    says: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return {"other": self.other, "says": list(self.says)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return cls(int(data["other"]), tuple(map(int, data["says"])))


class Coded(NamedTuple):
    """A column of categories.

    codes : (n,) int64. known : (n,) bool, where it is not missing. n_codes : int.
    """

    codes: NDArray[np.int64]
    known: NDArray[np.bool_]
    n_codes: int


def said_by(
    told: tuple[MostlyTold, ...], codes: NDArray[np.int32]
) -> NDArray[np.int64]:
    """What the first of some columns that says something says of each row.

    Parameters
    ----------
    told : tuple of MostlyTold
    codes : ndarray of int32, shape (n, d)
        Of all columns.

    Returns
    -------
    ndarray of int64, shape (n,)
        -1 where none says anything.
    """
    said = np.full(len(codes), -1)
    for each in told:
        own = np.array(each.says)[codes[:, each.other]]
        said = np.where(said < 0, own, said)
    return said


def find_mostly_told(
    own: Coded,
    leaf: NDArray[np.int64],
    others: Mapping[int, Coded],
    count: Callable[[NDArray[np.int64], int], NDArray[np.int64]],
    k: int,
) -> tuple[MostlyTold, ...]:
    """The columns that tell another one in most rows, and far more than its tree does.

    Of rows in which both are known, half at least of those in which the column is, more
    have what is told than have not. Drawn from the leaves of the tree alone, twice as
    many would not have it, and rows of k individuals, and `MIN_ROWS`, more; it is the
    column whose word most rows have. Then the same is asked of the rows of which it
    says nothing. Whether a row has what is told is drawn for all of them alike: of
    those told so far `MIN_ROWS` individuals have something else in the table.

    Parameters
    ----------
    own : Coded
        The column, n rows.
    leaf : ndarray of int64, shape (n,)
        Of its tree.
    others : mapping of int to Coded
        Columns that are drawn before it.
    count : callable
        From a label of each row, -1 for none, and the number of labels to the
        individuals who have each.
    k : int
        Individuals of each leaf, at least.

    Returns
    -------
    tuple of MostlyTold
        None of columns that trees tell as well.

    Examples
    --------
    >>> code = np.repeat(np.arange(4), 50)
    >>> all_rows, one_leaf = np.ones(200, dtype=bool), np.zeros(200, dtype=np.int64)
    >>> def found(label):
    ...     own, others = Coded(label, all_rows, 2), {7: Coded(code, all_rows, 4)}
    ...     count = lambda labels, n: np.bincount(labels[labels >= 0], minlength=n)
    ...     return find_mostly_told(own, one_leaf, others, count, k=20)
    >>> slips = np.arange(200) % 10 == 0
    >>> found(np.where(slips, 1 - code % 2, code % 2))
    (MostlyTold(other=7, says=(0, 1, 0, 1)),)
    >>> found(np.arange(200) % 2)
    ()
    """
    found: list[MostlyTold] = []
    left, slips = own.known, np.zeros(len(leaf), dtype=bool)
    while left.any():
        told = _most_told(own, left, slips, leaf, others, count, max(k, MIN_ROWS))
        if told is None:
            break
        found.append(told)
        said = np.array(told.says)[others[told.other].codes]
        slips |= left & (said >= 0) & (said != own.codes)
        left = left & (said < 0)
    return tuple(found)


def _most_told(own, left, slips, leaf, others, count, least):
    """The column that tells another in most of the rows that are left, or None."""
    found, most = None, 0
    held = _Held.of(leaf[left], own.codes[left], own.n_codes)
    for j, other in others.items():
        both = own.known & other.known
        says = _commonest(own, other, both, count)
        rows = np.flatnonzero(left & both & (says[other.codes] >= 0))
        said = says[other.codes[rows]]
        differs = own.codes[rows] != said
        n, n_others = len(rows), differs.sum()
        if n <= 2 * n_others or 2 * n < left.sum() or n - n_others <= most:
            continue
        more = n - n_others - held.share(leaf[rows], said).sum()
        if more < max(least, n_others):
            continue
        slip = np.where(slips, 0, -1)
        slip[rows[differs]] = 0
        if count(slip, 1)[0] >= MIN_ROWS:
            found, most = MostlyTold(j, tuple(says.tolist())), n - n_others
    return found


def _commonest(own, other, both, count):
    """What goes most with each code of another column, -1 where few individuals do.

    Only pairs that some row has are counted: of two columns of 20,000 categories there
    are 400 million others.
    """
    labels = other.codes[both] * own.n_codes + own.codes[both]
    place = np.full(len(both), -1)
    place[both], pairs = pd.factorize(labels)
    who = count(place, len(pairs))
    code, held = np.divmod(pairs, own.n_codes)
    order = np.lexsort((-held, who))  # The last is kept: of as many the first code.
    order = order[who[order] >= MIN_ROWS]
    says = np.full(other.n_codes, -1)
    says[code[order]] = held[order]
    return says


class _Held(NamedTuple):
    """How often leaves hold codes.

    keys : (m,) int64, of a leaf and a code. rows : (m,), that have both. of_leaf : rows
    of each leaf. n_own : codes.
    """

    keys: NDArray[np.int64]
    rows: NDArray[np.int64]
    of_leaf: NDArray[np.int64]
    n_own: int

    @classmethod
    def of(cls, leaf, own, n_own):
        keys, rows = np.unique(leaf * n_own + own, return_counts=True)
        return cls(keys, rows, np.bincount(leaf), n_own)

    def share(self, leaf, codes):
        """Share of the rows of leaves that have some of their codes."""
        wanted = leaf * self.n_own + codes
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        rows = np.where(self.keys[at] == wanted, self.rows[at], 0)
        return rows / self.of_leaf[leaf]
