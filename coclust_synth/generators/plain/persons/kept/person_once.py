"""What no person has twice: two visits on a day, a subject that is examined again.

Or not twice in one claim, or on one day: a diagnosis, a medicine.
"""

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.evidence import pooled_codes

# Rows that would be as one before of their person by chance, of categories and of
# numbers, at least; of these such a share may be.
_BY_CHANCE, _BY_CHANCE_NEAR, _MOST = 50, 20, 0.05
# What numbers of a person are apart where they nearly are the same, in steps.
_NEAR = 3
# Rows that are as one before are drawn again so many times.
_TIMES_AGAIN = 10


@dataclass(frozen=True)
class Once:
    """A column of which hardly any person has a value twice.

    Attributes
    ----------
    column : str
    within : str, optional
        Number or date that rows of a person share, of which no two have the same value
        of the column; by default no two of the person have.
    """

    column: str
    within: str | None = None

    def __str__(self):
        both = (
            self.column if self.within is None else f"{self.within} and {self.column}"
        )
        return f"hardly two rows of one {both}"

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return cls(**data)


def find_once(evidence, names, within, k):
    """The columns of which nearly no person has a value twice, as chance would have it.

    Of dates with times the day is meant. Of numbers and dates chance is told by how
    many rows of a person are a few steps apart: half as many a step would be the same.
    Of categories it is told by giving them to the rows in another order.

    Parameters
    ----------
    evidence : Evidence
        Of rows of persons.
    names : sequence of str
        Columns that change from row to row.
    within : mapping of str to collection of str
        Numbers and dates that rows of a person share, and the columns of `names` that
        may be there but once where they are more often in the rows of a person. Of
        each column the first that is so is told.
    k : int
        Persons of several rows that share one of these, at least.

    Returns
    -------
    tuple of Once
        `MAX_BROKEN` of the rows after the first may be as one before.
    """
    person = evidence.persons.codes
    found = {name: None for name in names if _is_once(evidence, name, person)}
    for own, columns in within.items():
        shared = _groups(evidence, own)
        several = np.bincount(shared[shared >= 0])[shared] > 1
        if len(np.unique(person[several & (shared >= 0)])) < k:
            continue
        for name in columns:
            if name not in found and _is_once(evidence, name, shared):
                found[name] = own
    return tuple(Once(name, found[name]) for name in names if name in found)


def _groups(evidence, name):
    """Number of the rows of a person that share a number or a date; -1 without one."""
    own = _values(name, evidence.coding, evidence.codes, evidence.numbers)
    pairs = np.column_stack([evidence.persons.codes, own])
    groups = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
    return np.where(np.isnan(own), -1, groups)


def _is_once(evidence, name, group):
    """Whether nearly no two rows of a group have the same value, -1 being no group."""
    coding = evidence.coding
    own = _values(name, coding, evidence.codes, evidence.numbers)
    moved = evidence.is_moved(coding.names.index(name))
    known = ~np.isnan(own) & ~moved & (group >= 0)
    most = MAX_BROKEN * ((group >= 0).sum() - len(np.unique(group[group >= 0])))
    own, group = own[known], group[known]
    if name in evidence.numbers:
        scale = evidence.scales[name]
        step = getattr(scale.ruler, "step", None)
        if step is None:
            return False
        step = step / scale.per_day
        step = max(step, 1.0) if name in evidence.dates else step
        apart = np.round(_apart(own, group) / step)
        n_same = (apart == 0).sum()
        by_chance = ((apart > 0) & (apart <= _NEAR)).sum() / _NEAR / 2
        enough = _BY_CHANCE_NEAR
    else:
        n_same = (_apart(own, group) == 0).sum()
        shuffled = np.random.default_rng(0).permutation(own)
        by_chance = (_apart(shuffled, group) == 0).sum()
        enough = _BY_CHANCE
    return by_chance >= enough and n_same <= min(most, _MOST * by_chance)


class Seen:
    """Values that the rows of some persons have so far.

    Parameters
    ----------
    once : sequence of Once
        What no person has twice.
    n : int
        Persons.
    """

    def __init__(self, once, n):
        # Of each person: looking one up takes as long of thousands as of a few.
        self._held = {own: [set() for _ in range(n)] for own in once}

    def draw_others(self, row, person):
        """Draw rows again that have a value of an earlier row, and take all down.

        Parameters
        ----------
        row : Drawing
            The next row of some persons; rows are changed in place.
        person : ndarray of int64, shape (m,)
            Whose each is.
        """
        if not self._held:
            return
        for _ in range(_TIMES_AGAIN):
            again = np.flatnonzero(self._is_as_before(row, person))
            if not len(again):
                break
            row.draw_again(again)
        for own, held in self._held.items():
            for whose, value in zip(person.tolist(), _pairs(own, row), strict=True):
                held[whose].add(value)

    def taken(self, person):
        """Whether codes that rows could have are those of an earlier row, by column.

        Parameters
        ----------
        person : ndarray of int64, shape (m,)
            Whose each row will be.

        Returns
        -------
        dict of str to callable
            From the drawing, some of its rows, and a code for each to whether it is;
            of categories only, and where what is shared is drawn before them.
        """
        return {own.column: partial(self._is_taken, own, person) for own in self._held}

    def _is_taken(self, own, person, row, rows, codes):
        """Whether the persons of some rows have codes of a column; see `taken`."""
        same = np.zeros(len(rows), dtype=bool)
        if own.within is not None and own.within not in row.numbers:
            return same
        values = _code_values(own.column, row.coding, codes)
        shared = 0.0 * values
        if own.within is not None:
            shared = _values(own.within, row.coding, row.codes, row.numbers)[rows]
        return self._are_held(own, person[rows], _paired(shared, values))

    def _is_as_before(self, row, person):
        """Rows with a value that an earlier one has, of their person or their claim."""
        same = np.zeros(len(person), dtype=bool)
        for own in self._held:
            same |= self._are_held(own, person, _pairs(own, row))
        return same

    def _are_held(self, own, person, pairs):
        """Whether earlier rows of some persons have a pair; none has a missing one."""
        held = self._held[own]
        both = zip(person.tolist(), pairs, strict=True)
        return np.array([pair in held[whose] for whose, pair in both], dtype=bool)


def _pairs(own, row):
    """What is shared, and what is not to be there twice, of rows; see `_paired`."""
    shared, values = (
        None if name is None else _values(name, row.coding, row.codes, row.numbers)
        for name in (own.within, own.column)
    )
    return _paired(np.zeros(len(values)) if shared is None else shared, values)


def _paired(shared, values):
    """Both numbers of each row as one, a list of complex; nan is not equal to any."""
    return (shared + 1j * values).tolist()


def _values(name, coding, codes, numbers):
    """A number for each value, float64; nan where missing, or one of several.

    Dates are days.
    """
    j = coding.names.index(name)
    if name in numbers:
        own = numbers[name]
        column = coding.schema[name]
        is_date = column.kind == "datetime" and not column.is_time
        return np.floor(own) if is_date else np.asarray(own, np.float64)
    return _code_values(name, coding, codes[:, j])


def _code_values(name, coding, codes):
    """A number for each code of a column of categories, as of `_values`."""
    j = coding.names.index(name)
    parts = coding.parts[j]
    none = [*pooled_codes(coding).get(j, ())]
    none += [parts.n_parts - 1] if parts.with_missing else []
    return np.where(np.isin(codes, none), np.nan, codes.astype(np.float64))


def _apart(own, person):
    """How far values are above the next lower ones of their person, those that have."""
    order = np.lexsort((own, person))
    return np.diff(own[order])[np.diff(person[order]) == 0]
