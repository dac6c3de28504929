"""What keys repeat of their rows: the year of an application, the code of a place.

In 2023-08115-000123 the number is beside a year and a code that stand in other columns.
Keys that are made repeat them of the row that they are for. What they repeat tells
nothing that this row does not.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import pandas as pd
from pandas.api.types import is_datetime64_dtype, is_float_dtype

# Of a date, from the longest on; a column that is no date is repeated as it is.
_LAYOUTS = ("%Y%m%d", "%y%m%d", "%Y%m", "%y%m", "%m%y", "%Y", "%y", "%m", "%d")
# Rows of a first look, and of which share another text may stand there.
_FIRST, _MAX_OTHERS = 200, 0.005
# Rows of which it is said, at least.
_MIN_ROWS = 20


@dataclass(frozen=True)
class Repeated:
    """A piece of keys that is the text of another column.

    Attributes
    ----------
    name : str
        The column.
    layout : str
        Of a date; empty of others.
    shortest, longest : int
        How long such pieces are, of 20 rows or more.
    """

    name: str
    layout: str
    shortest: int
    longest: int

    @classmethod
    def find(cls, pieces: pd.Series, others: pd.DataFrame) -> Self | None:
        """The first of some columns that pieces of keys repeat, if there is one."""
        if len(pieces) < _MIN_ROWS or pieces.nunique() < 2:
            return None
        n_long = pieces.str.len().value_counts()
        lengths = n_long.index[n_long >= _MIN_ROWS]
        if not len(lengths):
            return None
        for name in others.columns:
            is_date = is_datetime64_dtype(others[name])
            for layout in _LAYOUTS if is_date else ("",):
                own = cls(name, layout, int(lengths.min()), int(lengths.max()))
                if all(own._is_of(rows, others) for rows in (pieces[:_FIRST], pieces)):
                    return own
        return None

    def texts(self, rows: pd.DataFrame) -> pd.Series:
        """What keys of some rows repeat; missing where it is not as long as it was."""
        own = rows[self.name]
        if is_float_dtype(own):
            return pd.Series(pd.NA, index=own.index, dtype="str")
        texts = own.dt.strftime(self.layout) if self.layout else own.astype("str")
        as_long = texts.str.len().between(self.shortest, self.longest)
        return texts.where(as_long & own.notna())

    def _is_of(self, pieces, others):
        same = pieces.to_numpy() == self.texts(others[: len(pieces)]).to_numpy()
        return (~same).sum() <= _MAX_OTHERS * len(pieces)


@dataclass(frozen=True)
class Around:
    """What is before the number of keys and behind it, of which some is repeated.

    Attributes
    ----------
    before, behind : tuple of str and Repeated
    """

    before: tuple[str | Repeated, ...]
    behind: tuple[str | Repeated, ...] = ()

    @classmethod
    def find(
        cls, tokens: Sequence[Sequence[str]], at: int, others: pd.DataFrame
    ) -> Self | None:
        """What is around the numbers of some keys, if all of it is told by their rows.

        Parameters
        ----------
        tokens : sequence of sequence of str
            Of a key of each person, as many of all.
        at : int
            Which of these is the number.
        others : DataFrame
            The columns that may be repeated, in as many rows.
        """
        found: list[str | Repeated] = []
        for place, own in enumerate(zip(*tokens, strict=True)):
            pieces = pd.Series(own)
            told = own[0] if pieces.nunique() == 1 else Repeated.find(pieces, others)
            if place != at and told is None:
                return None
            found.append(told or "")
        if not any(isinstance(each, Repeated) for each in found[:at] + found[at + 1 :]):
            return None
        return cls(tuple(found[:at]), tuple(found[at + 1 :]))

    def texts(self, rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
        """What is before and behind the numbers of keys of some rows."""

        def joined(pieces):
            texts = pd.Series("", index=rows.index, dtype="str")
            for own in pieces:
                texts = texts + (own if isinstance(own, str) else own.texts(rows))
            return texts

        return joined(self.before), joined(self.behind)

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        sides = {"before": self.before, "behind": self.behind}
        return {
            side: [own if isinstance(own, str) else asdict(own) for own in pieces]
            for side, pieces in sides.items()
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        sides = (
            tuple(
                own if isinstance(own, str) else Repeated(**own) for own in data[side]
            )
            for side in ("before", "behind")
        )
        return cls(*sides)
