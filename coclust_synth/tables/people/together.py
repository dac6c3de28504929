"""Rows that share a value which tells most other columns: of one person or event.

Where no column is called whose each row is, one may tell it all the same: the moment of
an incident of which there is a row for each who was there, the birth date of who comes
back every year. Rows that have the same value of it then agree elsewhere too, in what
rows of different people do not.
"""

from collections.abc import Iterable
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.texts.identifiers import is_called_place

# Of the rows, those that share their value: else rows are nearly people.
_MANY = 0.1
# Different values, and of so many rows each at most: columns of fewer are categories.
_MIN_DIFFERENT, _MAX_ROWS_EACH = 50, 20
# A column goes with such a value where two rows that share it agree in the column in so
# many of the cases in which two rows of the table do not; where nearly all rows have
# one value it goes with anything.
_AGREE, _NEARLY_CONSTANT = 0.9, 0.9
# Columns that do, at least, and as a share of all: a postcode tells a town, a county; a
# tax what it is of, and what goes with that.
_MIN_COLUMNS, _MOST = 4, 0.5
# Pairs of rows that are compared, and of how many it is said at least.
_LOOKED_AT, _MIN_PAIRS = 2000, 20


class Together:
    """A column whose values tell which rows belong together.

    Attributes
    ----------
    name : str
        The column.
    n_rows, n_shared, n_different : int
        Rows that have a value of it; of these, those that share it with another; and
        different values.
    others : tuple of str
        Columns in which rows that share it agree, but for those that tell it too.
    n_others : int
        Columns in which they could.
    """

    def __init__(
        self, name: str, sizes: np.ndarray, others: Iterable[str], n_others: int
    ) -> None:
        self.name = name
        self.n_rows, self.n_different = int(sizes.sum()), len(sizes)
        self.n_shared = int(sizes[sizes > 1].sum())
        self.others, self.n_others = tuple(others), n_others

    @classmethod
    def find(cls, frame: pd.DataFrame, columns: Iterable[Column]) -> Self | None:
        """The column of a table that tells most others, if one does.

        Parameters
        ----------
        frame : DataFrame
        columns : iterable of Column
            Those that are looked at. A place tells others, but not who was there.

        Examples
        --------
        Of 200 incidents there is a row for each of the three who were there:

        >>> from coclust_synth import infer_schema
        >>> rng = np.random.default_rng(0)
        >>> incidents = pd.DataFrame({
        ...     "minute": rng.choice(10_000, 200, replace=False),
        ...     "place": rng.integers(0, 9, 200),
        ...     "kind": rng.integers(0, 4, 200),
        ...     "officers": rng.integers(1, 5, 200),
        ...     "night": rng.random(200) < 0.5,
        ... })
        >>> rows = pd.concat([incidents] * 3).assign(age=rng.integers(18, 80, 600))
        >>> found = Together.find(rows, infer_schema(rows).kept.columns)
        >>> found.name, found.n_shared, found.n_different, found.others
        ('minute', 600, 200, ('place', 'kind', 'officers', 'night'))

        Rows of different people agree in nothing:

        >>> Together.find(incidents, infer_schema(incidents).kept.columns) is None
        True
        """
        names = [column.name for column in columns]
        own = {name: pd.factorize(frame[name])[0] for name in names}
        # Columns that tell each other have the same codes, and count as one.
        once = {codes.tobytes(): name for name, codes in reversed(own.items())}
        codes = {name: own[name] for name in reversed(once.values())}
        alike = {name: _share_alike(own) for name, own in codes.items()}
        codes = {name: own for name, own in codes.items() if alike[name] < 1}
        counted = [name for name in codes if alike[name] < _NEARLY_CONSTANT]
        found = []
        for name, whose in codes.items():
            if is_called_place(name):
                continue
            sizes = np.bincount(whose[whose >= 0])
            pairs = _pairs(whose) if _may_tell(sizes, len(whose)) else None
            if pairs is None:
                continue
            agree = [of for of in counted if of != name]
            told = [of for of in agree if _goes_with(codes[of], alike[of], pairs)]
            # What tells the column too is another name of the same.
            names_of = [of for of in told if _tells(codes[of], whose, alike[name])]
            told = [of for of in told if of not in names_of]
            n_others = len(agree) - len(names_of)
            if len(told) >= max(_MIN_COLUMNS, _MOST * n_others):
                found.append(cls(name, sizes, told, n_others))
        return max(found, key=lambda own: (len(own.others), own.n_shared), default=None)


def _may_tell(sizes, n_rows):
    """Whether a column has many values, which many rows share with another."""
    is_many = len(sizes) >= max(_MIN_DIFFERENT, sizes.sum() / _MAX_ROWS_EACH)
    return is_many and sizes[sizes > 1].sum() >= _MANY * n_rows


def _tells(codes, other, alike):
    """Whether rows that share a value of a column agree in another one."""
    pairs = _pairs(codes)
    return pairs is not None and _goes_with(other, alike, pairs)


def _goes_with(codes, alike, pairs):
    """Whether pairs of rows agree in a column, more than any two rows do."""
    one, other = pairs
    share = np.mean(codes[one] == codes[other])
    return share - alike >= _AGREE * (1 - alike)


def _share_alike(codes):
    """Of all pairs of rows, those with one value; none given is a value here."""
    shares = np.bincount(codes + 1) / max(len(codes), 1)
    return float(shares @ shares)


def _pairs(whose):
    """Pairs of rows that share a value, (m,) each; None where there are few."""
    order = np.argsort(whose, kind="stable")
    order = order[np.count_nonzero(whose < 0) :]
    first = np.flatnonzero(whose[order[1:]] == whose[order[:-1]])
    if len(first) < _MIN_PAIRS:
        return None
    if len(first) > _LOOKED_AT:
        first = first[np.linspace(0, len(first) - 1, _LOOKED_AT).astype(np.int64)]
    return order[first], order[first + 1]
