"""Rows of a person that are alike, counted or added up: refills, what a year has cost.

`line_no` counts the rows of each claim, `refill_no` those of each drug, and `so_far`
adds up what the rows of a year cost, to begin again with the next one. It is drawn as
other columns are, so that these can go with it; in the end each row gets its number
among those that were drawn.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.tables.column import Column
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.compared.numbers import NumberScale
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.fitting.told import dependants
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import to_values

# Parts of dates in which rows are alike, and the units that tell them apart.
_PARTS = {"year": "M8[Y]", "month": "M8[M]", "day": "M8[D]"}
# Of others, rows that are next to each other.
_RUN = "run"


@dataclass(frozen=True)
class RowNumber:
    """A column that counts the rows of a person with the same value of another.

    Attributes
    ----------
    target : str
        Of whole numbers, or of those that are added up; not missing.
    source : str
    first : int
        Number of the first row, 0 or 1.
    part : {"year", "month", "day", "run"}, optional
        What of a date is the same; or only rows next to each other are alike.
    added : str, optional
        Column that is added up; by default rows are counted.
    """

    target: str
    source: str
    first: int = 1
    part: str | None = None
    added: str | None = None

    @property
    def parents(self) -> tuple[str, ...]:
        """The columns that tell it in the rows of a person."""
        return tuple(own for own in (self.source, self.added) if own is not None)

    def __str__(self):
        of = f"{self.part} of " if self.part in _PARTS else ""
        of += f"{self.source} in a row" if self.part == _RUN else self.source
        if self.added is not None:
            return f"{self.target} = sum of {self.added} so far in rows of one {of}"
        return f"{self.target} = number of the row among those of one {of}"

    def told(
        self,
        values: NDArray[np.int64],
        person: NDArray[np.int64],
        added: NDArray[np.float64] | None = None,
    ) -> NDArray[np.int64] | NDArray[np.float64]:
        """The number of each row.

        Parameters
        ----------
        values : ndarray of int64, shape (n,)
            What tells the values of the source apart.
        person : ndarray of int64, shape (n,)
            Whose each row is; those of a person are in their order.
        added : ndarray of float64, shape (n,), optional
            What is added up.

        Examples
        --------
        >>> refill = RowNumber("refill", "drug")
        >>> refill.told(np.array([3, 3, 5, 3, 3]), np.array([0, 0, 0, 0, 1])).tolist()
        [1, 2, 1, 3, 1]
        """
        rows = pd.DataFrame({"person": person, "value": values, "added": added})
        alike = rows.groupby(["person", "value"])
        if added is not None:
            return alike["added"].cumsum().to_numpy(dtype=np.float64)
        return alike.cumcount().to_numpy(dtype=np.int64) + self.first

    def in_rows(
        self,
        frame: pd.DataFrame,
        person: NDArray[np.int64],
        schema: Schema,
        scales: Mapping[str, NumberScale],
    ) -> NDArray[np.int64] | NDArray[np.float64]:
        """The number of each of some rows; see `told`.

        `schema` and `scales` are of their columns.
        """
        added, cells = None, frame[self.source]
        if self.added is not None:
            own = to_values(frame[self.added], schema[self.added])
            added = scales[self.added].to_numbers(*own)
        if self.part in _PARTS:
            column = schema[self.source]
            values = _in_parts(*to_values(cells, column), column, self.part)
        else:
            values = pd.factorize(cells)[0].astype(np.int64)
        if self.part == _RUN:
            values = _in_runs(values, person)
        return self.told(values, person, added)

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return cls(**data)


def find_row_numbers(
    evidence: Evidence,
    rows: NDArray[np.int64],
    changing: tuple[str, ...],
    told: set[str],
    k: int,
) -> tuple[RowNumber, ...]:
    """The columns that count rows of persons, or add up what these have.

    One does in all rows but .5 %, and k persons have two rows that are alike in what is
    counted, and one that is not: the number of a row among all is told otherwise, and
    so is a sum of all.

    Parameters
    ----------
    evidence : Evidence
        Of n rows, with persons.
    rows : ndarray of int64, shape (n,)
        Those of each person side by side, in their order.
    changing : tuple of str
    told : set of str
        Columns that rules tell exactly.
    k : int

    Returns
    -------
    tuple of RowNumber
        One for a column at most, which comes after those that tell it.
    """
    assert evidence.persons is not None
    person = evidence.persons.codes[rows]
    # Two claims may be of one day.
    names = sorted(changing, key=lambda name: name in evidence.dates)
    sources: dict[tuple[str, str | None], NDArray[np.int64]]
    sources = {(name, None): _values(evidence, name)[rows] for name in names}
    for name in names:
        if name in evidence.dates:
            for part in _PARTS:
                sources[name, part] = _dates_in_parts(evidence, name, part)[rows]
        else:
            sources[name, _RUN] = _in_runs(sources[name, None], person)
    sources = {s: own for s, own in sources.items() if _has_alike(own, person, k)}
    found: dict[str, RowNumber] = {}
    for own in _possible(evidence, rows, changing, told, sources):
        if own.target in found or own.source == own.added:
            continue
        if not dependants(own.target, found).isdisjoint(own.parents):
            continue
        x, added = evidence.numbers[own.target][rows], None
        if own.added is not None:
            added = evidence.numbers[own.added][rows]
        by = own.told(sources[own.source, own.part], person, added)
        if (~np.isclose(by, x, rtol=1e-9, atol=1e-6)).sum() <= MAX_BROKEN * len(x):
            found[own.target] = own
    return _in_turn(found)


def _in_turn(found: dict[str, RowNumber]) -> tuple[RowNumber, ...]:
    """Each after those that tell it: no column depends on itself."""
    ordered: dict[str, RowNumber] = {}
    while len(ordered) < len(found):
        left = found.keys() - ordered.keys()
        ordered |= {t: own for t, own in found.items() if left.isdisjoint(own.parents)}
    return tuple(ordered.values())


def _possible(evidence, rows, changing, told, sources) -> Iterator[RowNumber]:
    """What may be counted, and what may be added up, in each source."""
    for target in _counts(evidence, changing, told):
        first = int(evidence.numbers[target].min())
        for source, part in sources:
            yield RowNumber(target, source, first, part)
    person = evidence.persons.codes[rows]
    is_first = np.diff(person, prepend=-1) != 0
    numbers = {
        name: evidence.numbers[name][rows]
        for name in changing
        if name in evidence.numbers and name not in evidence.dates
        if not np.isnan(evidence.numbers[name]).any()
    }
    for target, added in ((t, a) for t in numbers for a in numbers if t != a):
        x, own = numbers[target], numbers[added]
        begins = x[is_first] != own[is_first]
        if target in told or begins.sum() > MAX_BROKEN * len(begins):
            continue
        if (x != own).sum() > MAX_BROKEN * len(x):
            for source, part in sources:
                yield RowNumber(target, source, 1, part, added)


def _has_alike(values, person, k):
    """Whether k persons have two rows that are alike, and one that is not."""
    pairs = np.unique(np.column_stack([person, values]), axis=0)
    n_rows, n_values = np.bincount(person), np.bincount(pairs[:, 0])
    return ((n_values > 1) & (n_values < n_rows)).sum() >= k


def _counts(evidence, changing, told) -> Iterator[str]:
    """Columns of whole numbers from 0 or 1 on that could be numbers of rows."""
    most = np.bincount(evidence.persons.codes).max()
    for name in changing:
        x = evidence.numbers.get(name)
        if x is None or name in {*told, *evidence.dates} or np.isnan(x).any():
            continue
        first = x.min()
        if first in (0, 1) and x.max() < most + first and (x == np.round(x)).all():
            yield name


def _values(evidence, name):
    """What tells the values of a column apart, where many have them."""
    if name in evidence.numbers:
        x = np.nan_to_num(evidence.numbers[name], nan=np.inf)
        return np.unique(x, return_inverse=True)[1].astype(np.int64)
    return evidence.codes[:, evidence.coding.names.index(name)].astype(np.int64)


def _dates_in_parts(evidence, name, part):
    """What tells the years, months or days of dates apart."""
    column = evidence.coding.schema[name]
    missing = np.isnan(evidence.numbers[name])
    return _in_parts(evidence.values[name], missing, column, part)


def _in_parts(values, missing, column: Column, part):
    """The same of values in the unit of a column."""
    own = np.asarray(values).astype(f"M8[{column.unit}]").astype(_PARTS[part])
    return np.where(missing, np.iinfo(np.int64).max, own.astype(np.int64))


def _in_runs(values, person):
    """Numbers of runs of rows of a person, one after the other, of one value."""
    begins = (np.diff(values, prepend=-1) != 0) | (np.diff(person, prepend=-1) != 0)
    return np.cumsum(begins).astype(np.int64)
