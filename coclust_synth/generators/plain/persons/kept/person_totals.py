"""What stays with a person and is a total of their rows: the income of a household.

It is drawn with the person. What is left of a sum after each row is known when the next
one is drawn, which often gets it all: the last who earns anything. How many rows are of
a kind, as how many of a household are minors, goes along with what is drawn of them. In
the end totals are counted again, and what they tell is told from these.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.labels import short_text
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.kept import Rules


class Rows(Protocol):
    """Rows of a table, or drawn ones: an `Evidence`, or a `Drawing`."""

    @property
    def coding(self) -> TableCoding:
        """Of their columns."""

    @property
    def codes(self) -> NDArray[np.int32]:
        """Of their cells, shape (n, d) at least."""

    @property
    def numbers(self) -> Mapping[str, NDArray[np.float64]]:
        """Of the columns of numbers and dates, shape (n,) each."""


#: What the name of what is left of a total begins with, beside the columns of a table.
REST = "\0rest of "
# So many limits are tried that a count is up to, or from.
_MAX_LIMITS = 20


@dataclass(frozen=True)
class Total:
    """A column that stays, and what it is the total of.

    Attributes
    ----------
    target : str
        Of numbers, the same in all rows of a person, not missing.
    source : str
        Of numbers, not missing, that no others tell; or of categories.
    up_to, beyond : float, optional
        Counted are the rows up to it, or above it, ...
    code : int, optional
        ... or with this code. Without any of these, values are added up.
    """

    target: str
    source: str
    up_to: float | None = None
    beyond: float | None = None
    code: int | None = None

    @property
    def is_count(self) -> bool:
        """Whether rows are counted."""
        return (self.up_to, self.beyond, self.code) != (None, None, None)

    @property
    def rest(self) -> str:
        """Name of what is left of it, beside the columns of a table."""
        return REST + self.target

    def said(self, coding: TableCoding) -> str:
        """In words."""
        if self.code is not None:
            label = coding.parts[coding.names.index(self.source)].labels[self.code]
            return f"{self.target} = rows of {self.source} = {label}"
        if self.up_to is not None:
            return f"{self.target} = rows of {self.source} <= {short_text(self.up_to)}"
        if self.beyond is not None:
            return f"{self.target} = rows of {self.source} > {short_text(self.beyond)}"
        return f"{self.target} = sum of {self.source}"

    def of_rows(self, rows: Rows) -> NDArray[np.float64]:
        """What each row adds, shape (n,)."""
        if self.code is not None:
            codes = rows.codes[:, rows.coding.names.index(self.source)]
            return (codes == self.code).astype(np.float64)
        own = rows.numbers[self.source]
        if self.up_to is not None:
            return (own <= self.up_to).astype(np.float64)
        if self.beyond is not None:
            return (own > self.beyond).astype(np.float64)
        return own

    def rest_after(self, rows: Rows) -> NDArray[np.float64]:
        """What is left of it after each of some rows, shape (n,)."""
        name = self.rest if self.rest in rows.numbers else self.target
        return rows.numbers[name] - self.of_rows(rows)

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return cls(**data)


def find_totals(
    evidence: Evidence,
    rules: Rules,
    constants: Sequence[str],
    changing: Sequence[str],
    k: int,
) -> tuple[Total, ...]:
    """The totals of a table of persons.

    One holds for all persons but .5 %, and k of them have two rows or more that add to
    it; of a count, k have a row that is counted and one that is not.

    Parameters
    ----------
    evidence : Evidence
        With persons.
    rules : Rules
        Of the table: what they tell exactly is no source, and no target.
    constants, changing : sequence of str
    k : int

    Returns
    -------
    tuple of Total
        At most one for a target, and one sum for a source.
    """
    told = {n for n, rule in rules.told.items() if not rule.about}
    numbers = {n: x for n, x in evidence.numbers.items() if n not in evidence.dates}
    persons = evidence.persons
    assert persons is not None
    first = np.unique(persons.codes, return_index=True)[1]
    sources = [
        name
        for name in changing
        if name in numbers and name not in told and not np.isnan(numbers[name]).any()
    ]
    found: dict[str, Total] = {}
    for target in constants:
        if target not in numbers or target in told or np.isnan(numbers[target]).any():
            continue
        whole = numbers[target][first]
        for total in _candidates(target, sources, changing, evidence, whole):
            sums = {own.source for own in found.values() if not own.is_count}
            is_free = total.is_count or total.source not in sums
            if is_free and _is_total(total, evidence, whole, k):
                found[target] = total
                break
    return tuple(found.values())


def first_of_each(is_first: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where the rows of its person begin, of each row of persons side by side.

    Parameters
    ----------
    is_first : ndarray of bool, shape (n,)
        Whether it is the first one.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    return np.maximum.accumulate(np.where(is_first, np.arange(len(is_first)), 0))


def rest_before(
    total: Total,
    evidence: Evidence,
    rows: NDArray[np.int64],
    is_first: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """What is left of a total before each row.

    Parameters
    ----------
    total : Total
    evidence : Evidence
    rows : ndarray of int64, shape (n,)
        Those of each person side by side, in their order.
    is_first : ndarray of bool, shape (n,)
        Of `rows`.

    Returns
    -------
    ndarray of float64, shape (n,)
        In the order of the table.
    """
    added = total.of_rows(evidence)[rows]
    so_far = np.cumsum(added) - added
    starts = first_of_each(is_first)
    rest = np.empty(len(rows))
    rest[rows] = evidence.numbers[total.target][rows] - (so_far - so_far[starts])
    return rest


def with_rest(
    added: NDArray[np.float64],
    rest: NDArray[np.float64],
    whose: NDArray[np.int64],
    ends: NDArray[np.float64],
) -> NDArray[np.float64]:
    """What rows add to a sum, where the last one that adds any gets what is left.

    Parameters
    ----------
    added : ndarray of float64, shape (n,)
    rest : ndarray of float64, shape (n,)
        Of the sum of each person, in all rows.
    whose : ndarray of int64, shape (n,)
        Persons of the rows, side by side.
    ends : ndarray of float64, shape (2,)
        Lowest and highest that a row can add: it gets nothing that goes beyond.

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> with_rest(
    ...     np.array([5.0, 0.0, 2.0, 0.0]), np.array([3.0, 3.0, 4.0, 4.0]),
    ...     np.array([0, 0, 1, 1]), np.array([0.0, 9.0]),
    ... )
    array([8., 0., 6., 0.])
    """
    adds = np.flatnonzero(added)
    is_last = np.append(whose[adds][1:] != whose[adds][:-1], True)[: len(adds)]
    last = adds[is_last]
    more = added[last] + rest[last]
    may = (more >= ends[0]) & (more <= ends[1]) & (more != 0)
    out = added.copy()
    out[last[may]] = more[may]
    return out


def _candidates(target, sources, changing, evidence, whole) -> Iterator[Total]:
    """What a column could be the total of, sums first."""
    for source in sources:
        yield Total(target, source)
    if (whole != np.round(whole)).any() or whole.min() < 0:
        return
    total = whole.sum()
    off = MAX_BROKEN * max(total, 1)
    for source in sources:
        values, rows = np.unique(evidence.numbers[source], return_counts=True)
        ruler = evidence.scales[source].ruler
        # Nobody's value, but where the column has none between it and the next one.
        values = values.astype(ruler.dtype)
        limits = ruler.roundest(values[:-1], values[1:]).astype(np.float64)
        up_to = np.cumsum(rows)[:-1]
        for at in _nearest(up_to, total, off):
            yield Total(target, source, up_to=float(limits[at]))
        for at in _nearest(rows.sum() - up_to, total, off):
            yield Total(target, source, beyond=float(limits[at]))
    for source in (name for name in changing if name not in evidence.numbers):
        j = evidence.coding.names.index(source)
        rows = np.bincount(evidence.codes[:, j])
        for code in np.flatnonzero(np.abs(rows - total) <= off):
            yield Total(target, source, code=int(code))


def _nearest(rows, total, off):
    """Where about as many rows are counted, the nearest ones first."""
    nearest = np.argsort(np.abs(rows - total), kind="stable")[:_MAX_LIMITS]
    return nearest[np.abs(rows[nearest] - total) <= off]


def _is_total(total, evidence, whole, k):
    """Whether a column is a total, of nearly all persons and not of single rows."""
    added, person = total.of_rows(evidence), evidence.persons.codes
    n_adding = np.bincount(person, added != 0)
    sums = np.bincount(person, added)
    scale = evidence.scales[total.target]
    is_told = scale.nearest(sums) == scale.nearest(whole)
    if (~is_told).sum() > MAX_BROKEN * len(whole):
        return False
    if total.is_count:
        some = (n_adding > 0) & (n_adding < np.bincount(person))
        return bool(some.sum() >= k)
    return bool((n_adding > 1).sum() >= k)
