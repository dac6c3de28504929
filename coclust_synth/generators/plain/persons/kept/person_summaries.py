"""What stays with a person and sums up their rows: the worst grade, the mean of scores.

It is drawn with the person, as a total is. What rows have yet to do for it is known
before each (whether the highest is still to come, what those to come are on average),
and the last one does it. In the end it is told again, from what was drawn.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.compared.numbers import NumberScale
from coclust_synth.tables.rules.evidence import Evidence, pooled_codes

Numbers = Mapping[str, NDArray[np.float64]]
#: What the name of what is to do for one begins with, beside the columns of a table.
TO_DO = "\0to do for "
# What a column can be of the rows of a person, the first of those that hold as well.
_HIGHEST, _LOWEST, _LAST, _MEAN = _KINDS = "maximum", "minimum", "last", "mean"
# Of persons of whom it could be otherwise, this share has it so.
_MOST = 0.99
# ... and so likely it is, at most, that any row of each of them would be so.
_MAX_CHANCE = 1e-9


@dataclass(frozen=True)
class Summary:
    """A column that stays, and which one it sums up.

    Attributes
    ----------
    target : str
        The same in all rows of a person.
    source : str
        That no others tell.
    kind : str
        ``maximum``, ``minimum``, ``last`` or ``mean``.
    """

    target: str
    source: str
    kind: str

    @property
    def to_do(self) -> str:
        """Name of what rows have yet to do for it, beside the columns of a table."""
        return TO_DO + self.target

    @property
    def is_mean(self) -> bool:
        """Whether what is to do is what rows are on average; else whether one is it."""
        return self.kind == _MEAN

    @property
    def needs_order(self) -> bool:
        """Whether it is another one in another order of the rows, and nothing to do."""
        return self.kind == _LAST

    def __str__(self):
        if self.kind == _LAST:
            return f"{self.target} = {self.source} of the last row of a person"
        return f"{self.target} = {self.kind} of {self.source}"

    def of_persons(self, values: NDArray, first: NDArray[np.int64]) -> NDArray:
        """What it is of some values in rows of persons, side by side.

        Parameters
        ----------
        values : ndarray, shape (n,)
        first : ndarray of int64, shape (n_persons,)
            Where the rows of each begin.

        Examples
        --------
        >>> grades, first = np.array([2.0, 3.0, 1.0]), np.array([0, 2])
        >>> for kind in ("maximum", "last", "mean"):
        ...     print(Summary("told", "grade", kind).of_persons(grades, first))
        [3. 1.]
        [3. 1.]
        [2.5 1. ]
        """
        if self.kind == _LAST:
            return values[np.append(first[1:], len(values)) - 1]
        if self.kind == _MEAN:
            n_rows = np.diff(first, append=len(values))
            return np.add.reduceat(values, first) / n_rows
        of = np.maximum if self.kind == _HIGHEST else np.minimum
        return of.reduceat(values, first)

    def to_do_after(self, numbers: Numbers, left: NDArray) -> NDArray[np.float64]:
        """What is to do for it after each of some rows.

        Parameters
        ----------
        numbers : mapping of str to ndarray of float64, shape (n,)
            Of the rows; of first ones without what is to do before.
        left : ndarray of float64 or int64, shape (n,)
            How many rows come, with these.

        Returns
        -------
        ndarray of float64, shape (n,)
            The mean of the rows to come, or 1 where one of them is to be as it says.
        """
        own = numbers[self.source]
        before = numbers.get(self.to_do)
        if self.is_mean:
            before = numbers[self.target] if before is None else before
            return before + (before - own) / np.maximum(left - 1, 1)
        is_other = (own != numbers[self.target]).astype(np.float64)
        return is_other if before is None else is_other * before

    def to_do_before(
        self, numbers: Numbers, is_first: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """What is to do for it before each row of persons, side by side.

        Parameters
        ----------
        numbers : mapping of str to ndarray of float64, shape (n,)
        is_first : ndarray of bool, shape (n,)

        Returns
        -------
        ndarray of float64, shape (n,)
        """
        first = np.flatnonzero(is_first)
        n_rows = np.diff(first, append=len(is_first))
        start = np.repeat(first, n_rows)
        own, whole = numbers[self.source], numbers[self.target]
        added = own if self.is_mean else (own == whole).astype(np.float64)
        so_far = np.cumsum(added) - added
        so_far -= so_far[start]
        if not self.is_mean:
            return (so_far == 0).astype(np.float64)
        n_rows = np.repeat(n_rows, n_rows)
        return (whole * n_rows - so_far) / (n_rows + start - np.arange(len(own)))

    def between(
        self,
        n_rows: str,
        scale: NumberScale,
        ends: NDArray[np.float64],
        others: Sequence["Summary"] = (),
    ) -> Callable[[Numbers], tuple[NDArray, NDArray]]:
        """From where to where the source is in rows: the last one does what is to do.

        Parameters
        ----------
        n_rows : str
            Number that says how many are to come, this one among them.
        scale : NumberScale
            Of the source.
        ends : ndarray of float64, shape (2,)
            Its lowest and highest number, which no row goes beyond for a mean.
        others : sequence of Summary, default=()
            Of the lowest number the highest one, and the other way: where both are to
            come in two rows, half of the persons have one first, half the other.
        """

        def ends_of(numbers):
            if not {self.target, n_rows} <= numbers.keys():  # Told from rows.
                return np.array(-np.inf), np.array(np.inf)
            wanted, is_due = numbers[self.target], numbers[n_rows] == 1
            for other in (own for own in others if own.target in numbers):
                is_to_come = numbers.get(other.to_do, 1.0) == 1
                # As good as at random: whether they are an odd number of steps apart.
                step = getattr(scale.ruler, "step", 1.0) / scale.per_day
                is_odd = np.rint((numbers[other.target] - wanted) / step) % 2 == 1
                is_first = is_odd == (self.kind == _LOWEST)
                is_due = is_due | (numbers[n_rows] == 2) & is_to_come & is_first
            if self.is_mean:
                values = scale.nearest(numbers.get(self.to_do, wanted))
                wanted = scale.to_numbers(values, np.zeros(len(values), dtype=bool))
            elif self.to_do in numbers:
                is_due = is_due & (numbers[self.to_do] == 1)
            wanted = np.clip(wanted, *ends)
            low, high = (np.where(is_due, wanted, end) for end in (-np.inf, np.inf))
            high = wanted if self.kind == _HIGHEST else high
            return wanted if self.kind == _LOWEST else low, high

        return ends_of

    def is_other_end(self, other: Self) -> bool:
        """Whether one is the lowest and the other the highest number of a column."""
        kinds = {self.kind, other.kind}
        return self.source == other.source and kinds == {_LOWEST, _HIGHEST}

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; a ValueError of another kind."""
        if data["kind"] not in _KINDS:
            raise ValueError("kind")
        return cls(**data)


def find_summaries(
    evidence: Evidence,
    rows: NDArray[np.int64],
    constants: Sequence[str],
    changing: Sequence[str],
    k: int,
) -> tuple[Summary, ...]:
    """The columns of a table of persons that sum up others.

    One holds for all persons but .5 %, for 99 % of those in whose rows the other one
    differs, k at least, and for 99 % of those who have not its commonest value, k at
    least. By chance, any row of a person being it, it would hardly be so. A mean is
    rounded to the last digit.

    Parameters
    ----------
    evidence : Evidence
        With persons.
    rows : ndarray of int64, shape (n,)
        Those of each person side by side, in their order.
    constants, changing : sequence of str
        What may sum up others, and what may be summed up.
    k : int

    Returns
    -------
    tuple of Summary
        At most one for a target: of several that which holds for most persons.
    """
    persons = evidence.persons
    assert persons is not None
    first, found = np.flatnonzero(np.diff(persons.codes[rows], prepend=-1)), []
    for target in constants:
        holding: list[tuple[int, Summary]] = []
        for own in _candidates(target, changing, evidence):
            n_broken = _n_broken(own, evidence, rows, first, k)
            holding += [] if n_broken is None else [(n_broken, own)]
        if holding:
            found.append(min(holding, key=lambda own: own[0])[1])
    return tuple(found)


def _candidates(target, sources, evidence) -> Iterator[Summary]:
    """What a column could sum up: numbers all ways, dates and categories some."""
    numbers, names = evidence.numbers, evidence.coding.names
    pooled = {names[j] for j in pooled_codes(evidence.coding)}
    if (target in numbers and np.isnan(numbers[target]).any()) or target in pooled:
        return
    for source in (name for name in sources if name not in pooled):
        if (source in numbers) != (target in numbers):
            continue
        if target not in numbers:
            if not {*map(names.index, (target, source))} & {*evidence.missing}:
                yield Summary(target, source, _LAST)
        elif evidence.are_alike(target, source) and not np.isnan(numbers[source]).any():
            kinds = _KINDS[:-1] if target in evidence.dates else _KINDS
            yield from (Summary(target, source, kind) for kind in kinds)


def _n_broken(summary, evidence, rows, first, k):
    """Persons of whom a column is something else; None where it is no summary."""
    values, whole, is_known = _values_of(summary, evidence, rows)
    is_known, whole = np.logical_and.reduceat(is_known, first), whole[first]
    if summary.is_mean:
        scale = evidence.scales[summary.target]
        is_so = _is_rounded(summary.of_persons(values, first), whole, scale)
    else:
        is_so = summary.of_persons(values, first) == whole
    n_broken = (~is_so & is_known).sum()
    if n_broken > MAX_BROKEN * len(first):
        return None
    n_rows = np.diff(first, append=len(rows))
    differs = values != np.repeat(values[first], n_rows)
    differs = np.logical_or.reduceat(differs, first) & is_known
    kinds, n = np.unique(whole, return_counts=True)
    for some in (differs, (whole != kinds[n.argmax()]) & is_known):
        if (some & is_so).sum() < max(k, _MOST * some.sum()):
            return None
    alike = np.add.reduceat(values == np.repeat(whole, n_rows), first)
    by_chance = np.log(np.maximum(alike, 0.5) / n_rows)[differs & is_so].sum()
    return int(n_broken) if by_chance <= np.log(_MAX_CHANCE) else None


def _values_of(summary, evidence, rows):
    """Of source and target, and rows that are no others', as of rare categories."""
    names = summary.source, summary.target
    if summary.target in evidence.numbers:
        values = [evidence.numbers[name][rows] for name in names]
        return *values, np.ones(len(rows), dtype=bool)
    places = [evidence.coding.names.index(name) for name in names]
    parts = [evidence.coding.parts[j] for j in places]
    texts = [
        np.array([*map(str, own.labels)] + [""] * own.n_parts)[: own.n_parts]
        for own in parts
    ]
    values = [
        own[evidence.codes[rows, j]] for j, own in zip(places, texts, strict=True)
    ]
    return *values, ~np.any([evidence.is_moved(j)[rows] for j in places], axis=0)


def _is_rounded(means, whole, scale):
    """Whether some numbers are means, to the last digit, however half of it is rounded.

    Of numbers without steps their own last digits are.
    """
    half = getattr(scale.ruler, "step", 0.0) / scale.per_day / 2
    off = 1e-9 * np.maximum(np.abs(means), 1e-300) + half * (1 + 1e-9)
    return np.abs(means - whole) <= off
