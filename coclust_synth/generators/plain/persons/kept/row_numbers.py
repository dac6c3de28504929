"""Numbers of the rows of a person that are alike: the lines of a claim, refills.

`line_no` counts the rows of each claim, `refill_no` those of each drug. It is drawn as
other columns are, so that these can go with it; in the end each row gets its number
among those that were drawn.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.evidence import Evidence


@dataclass(frozen=True)
class RowNumber:
    """A column that counts the rows of a person with the same value of another.

    Attributes
    ----------
    target : str
        Of whole numbers, not missing.
    source : str
    first : int
        Number of the first row, 0 or 1.
    """

    target: str
    source: str
    first: int = 1

    def __str__(self):
        return f"{self.target} = number of the row among those of one {self.source}"

    def told(
        self, values: NDArray[np.int64], person: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The number of each row.

        Parameters
        ----------
        values : ndarray of int64, shape (n,)
            What tells the values of the source apart.
        person : ndarray of int64, shape (n,)
            Whose each row is; those of a person are in their order.

        Examples
        --------
        >>> refill = RowNumber("refill", "drug")
        >>> refill.told(np.array([3, 3, 5, 3, 3]), np.array([0, 0, 0, 0, 1])).tolist()
        [1, 2, 1, 3, 1]
        """
        rows = pd.DataFrame({"person": person, "value": values})
        before = rows.groupby(["person", "value"]).cumcount()
        return before.to_numpy(dtype=np.int64) + self.first

    def in_rows(
        self, frame: pd.DataFrame, person: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The number of each of some rows; see `told`."""
        return self.told(pd.factorize(frame[self.source])[0].astype(np.int64), person)

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
    """The columns that count rows of persons.

    One does in all rows but .5 %, and k persons have two rows that are alike in what is
    counted, and one that is not: the number of a row among all is told otherwise.

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
        One for a column at most.
    """
    assert evidence.persons is not None
    person, found = evidence.persons.codes[rows], []
    # Two claims may be of one day.
    sources = sorted(changing, key=lambda name: name in evidence.dates)
    for target in _counts(evidence, changing, told):
        x = evidence.numbers[target][rows]
        for source in (name for name in sources if name != target):
            own = RowNumber(target, source, int(x.min()))
            values = _values(evidence, source)[rows]
            if (own.told(values, person) != x).sum() > MAX_BROKEN * len(x):
                continue
            pairs = np.unique(np.column_stack([person, values]), axis=0)
            n_rows, n_values = np.bincount(person), np.bincount(pairs[:, 0])
            if ((n_values > 1) & (n_values < n_rows)).sum() >= k:
                found.append(own)
                break
    return tuple(found)


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
