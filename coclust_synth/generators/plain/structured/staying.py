"""Whether a column has its value of the row before of the same person.

It then is drawn to stay, or to change. What changes together, as the rooms of a flat
and its price where the next one is another flat, is told by asking whether columns that
were drawn before have stayed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.dates.date_features import (
    binned,
    go_together,
)
from coclust_synth.tables.rules.evidence import Evidence

# Numbers stay in such a share of the rows at least, beyond chance, and categories in
# such a one: of few of them trees tell as much.
_MIN_STAYS, _MOSTLY = 0.1, 0.5
# Values other than the commonest one stay so much as often as all do, at least.
_AS_OFTEN = 0.5


@dataclass(frozen=True)
class Stayed:
    """Whether a column has its value of the row before, for trees to ask for.

    Attributes
    ----------
    column, since : int
        Positions of the column, and of that with its value of the row before.
    """

    column: int
    since: int

    n_codes: ClassVar[int] = 2
    n_ordered: ClassVar[int] = 0

    def codes(
        self,
        names: Sequence[str],
        numbers: Mapping[str, NDArray[np.float64]],
        codes: NDArray[np.int32],
    ) -> NDArray[np.int32]:
        """1 of each row in which it has; what is missing twice is the same.

        Parameters
        ----------
        names : sequence of str
            Of all columns.
        numbers : mapping of str to ndarray of float64, shape (n,)
            Of those that have such.
        codes : ndarray of int32, shape (n, d)
            Of all.

        Returns
        -------
        ndarray of int32, shape (n,)
        """
        own, earlier = (
            numbers.get(names[j], codes[:, j]) for j in (self.column, self.since)
        )
        both_missing = (own != own) & (earlier != earlier)
        return ((own == earlier) | both_missing).astype(np.int32)

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return cls(int(data["column"]), int(data["since"]))


def find_stayed(
    evidence: Evidence,
    owns: Mapping[str, tuple[Any, ...]],
    earlier: Mapping[str, str],
    order: Sequence[str],
    k: int,
) -> dict[Stayed, set[str]]:
    """The columns that stay in some rows, and those drawn later that go with it.

    Parameters
    ----------
    evidence : Evidence
    owns : mapping of str to (ndarray of int32, shape (n,), (int, int), dict)
        Of each column that is drawn, as `find_date_features` takes them.
    earlier : mapping of str to str
        Of columns, that with their value of the row before of the same person.
    order : sequence of str
        Columns that are drawn, one after the other.
    k : int
        Individuals with rows in which it stays, and in which it changes, at least.

    Returns
    -------
    dict of Stayed to set of str
        What goes with each: columns, or whether these stay.
    """
    if not earlier:
        return {}
    names, of_rows = evidence.coding.names, (evidence.numbers, evidence.codes)
    places = {n: (names.index(n), names.index(earlier[n])) for n in earlier}
    stays = {n: Stayed(*of).codes(names, *of_rows) for n, of in places.items()}
    bins = {name: binned(own, *sizes[:2]) for name, (own, sizes, _) in owns.items()}
    # Rows of a person are as alike as they are in the column that goes with it.
    alike, found = evidence.persons.codes, {}
    for place, name in enumerate(order):
        if name not in stays:
            continue
        own = stays[name]
        if min(evidence.n_of(own == 0), evidence.n_of(own == 1)) < k:
            continue
        along = {
            other
            for other in order[place + 1 :]
            for of in (bins[other], stays.get(other))
            if of is not None and go_together(own, of, alike, None)
        }
        if along:
            found[Stayed(*places[name])] = along
    return found


def find_stays(own, earlier, k, others=()):
    """The rows in which a column has its value of the row before, if it often has.

    Categories do in half of the rows. Of rows that had another number than the
    commonest one, more are to have it again than by chance, and than have the next
    higher or lower one: counts that are near each other are often equal, too. Others
    than the commonest one are to stay half as often as all at least: where who is in
    poor health mostly is well the next year, what stays is that all others are.

    What hardly stays may do so with another column: two rows of one day are of one
    place, where hardly two of other days are.

    Parameters
    ----------
    own, earlier : ndarray, shape (n,)
        Numbers, float64, or codes of categories.
    k : int
        Such rows, at least.
    others : iterable of ndarray of bool, shape (n,), default=()
        Rows in which each of some other columns stays.

    Returns
    -------
    ndarray of bool, shape (n,), or None
    """
    stays = own == earlier
    is_often = _often_stay(own, earlier, k) or (
        _stay_beyond_chance(own, earlier)
        and any(_stay_with(stays, rows, own, earlier, k) for rows in others)
    )
    return stays if is_often else None


def of_most(others, stays, n_of, k):
    """Those of some rows in which a column stays with most who have such rows.

    Not with one alone, who has hundreds of them.

    Parameters
    ----------
    others : iterable of ndarray of bool, shape (n,)
        Rows in which each of some other columns stays.
    stays : ndarray of bool, shape (n,)
    n_of : callable
        How many individuals have some rows.
    k : int
        Individuals with rows in which both stay, at least; and half of all.

    Returns
    -------
    list of ndarray of bool, shape (n,)
    """
    return [
        rows for rows in others if n_of(rows & stays) >= max(k, _MOSTLY * n_of(rows))
    ]


def _often_stay(own, earlier, k):
    """Whether values of some rows often are those of the row before."""
    stays = own == earlier
    before, after, commonest = _codes_of_both(own, earlier)
    others = before != commonest
    before, after = before[others], after[others]
    n_stay, n_others, n_all = (before == after).sum(), len(before), max(len(stays), 1)
    least = max(k, _AS_OFTEN * stays.sum() / n_all * n_others)
    if own.dtype.kind == "f":
        by_chance = _equal_by_chance(before, after)
        is_next = (np.abs(after - before) == 1) & (after != commonest)
        beside = max(by_chance, is_next.sum() / 2)
        is_often = n_stay >= beside + _MIN_STAYS * n_others
    else:
        is_often = stays.sum() >= _MOSTLY * n_all
    return bool(is_often and n_stay >= least)


def _stay_with(stays, rows, own, earlier, k):
    """Whether values stay in most of some rows, and in others half as often at most."""
    there, elsewhere = (stays[of].mean() if of.any() else 0.0 for of in (rows, ~rows))
    is_mostly = there >= max(_MOSTLY, 2 * elsewhere)
    return bool(is_mostly and _often_stay(own[rows], earlier[rows], k))


def _stay_beyond_chance(own, earlier):
    """Whether values stay twice as often as by chance."""
    before, after, _ = _codes_of_both(own, earlier)
    return (before == after).sum() >= 2 * _equal_by_chance(before, after)


def _codes_of_both(own, earlier):
    """Codes of values before and after, where both are known, and the commonest one."""
    known = (own == own) & (earlier == earlier)
    _, codes = np.unique([earlier[known], own[known]], return_inverse=True)
    before, after = codes.reshape(2, -1)
    return before, after, np.bincount(codes.ravel(), minlength=1).argmax()


def _equal_by_chance(before, after):
    """In how many rows two codes would be equal by chance."""
    n = max(before.max(initial=0), after.max(initial=0)) + 1
    shares = (np.bincount(of, minlength=n) for of in (before, after))
    return np.prod([*shares], axis=0).sum() / max(len(before), 1)
