"""Rows that are equal to another and would not be by chance: several of one person.

Where no column says whose each row is, equal rows may be one person's or those of
people who are alike. People who are alike are so where people are many: beside rows
that repeat by chance are others that differ from them in little, more often than beside
rows that nobody repeats. Rows of one person repeat wherever that person is.
"""

from collections.abc import Iterable
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.tables.column import Column

# Of the different rows, those that are there twice at least: else k rows are nearly k
# people. And of these, those that are near no other.
_MANY = 0.1
# Columns in which a row that is near another one may differ. Two, as one change may be
# told twice: in a total, in the columns of yes and no that a category became.
_FEW_COLUMNS = 2
# Rows of each sort that are compared with all others; of how many it is said at least.
_LOOKED_AT, _MIN_ROWS = 200, 20


class Repeats:
    """Rows that are there several times.

    Attributes
    ----------
    n_rows : int
    n_different : int
        Of them, if equal ones count once.
    largest : int
        So many are equal, at most.
    """

    def __init__(self, sizes: np.ndarray) -> None:
        self.n_rows, self.n_different = int(sizes.sum()), len(sizes)
        self.largest = int(sizes.max())

    @classmethod
    def find(cls, frame: pd.DataFrame, columns: Iterable[Column]) -> Self | None:
        """Those of a table, if they are many and chance does not explain them.

        Parameters
        ----------
        frame : DataFrame
        columns : iterable of Column
            Those that are looked at.

        Examples
        --------
        Of 300 people with numbers of their own each is there twice:

        >>> from coclust_synth import infer_schema
        >>> numbers = np.random.default_rng(0).integers(0, 99, (300, 6))
        >>> table = pd.DataFrame(np.repeat(numbers, 2, axis=0)).add_prefix("answer")
        >>> found = Repeats.find(table, infer_schema(table).kept.columns)
        >>> found.n_rows, found.n_different, found.largest
        (600, 300, 2)

        Answers that many give are those of many:

        >>> Repeats.find(table % 2, infer_schema(table % 2).kept.columns) is None
        True
        """
        names = [column.name for column in columns]
        if not names or not len(frame):
            return None
        own = (pd.factorize(frame[n], use_na_sentinel=False)[0] for n in names)
        # Columns that tell each other have the same codes, and count as one.
        each = {one.tobytes(): one for one in own}
        codes = pd.DataFrame(dict(enumerate(each.values())), dtype=np.int32)
        sizes = codes.groupby([*codes.columns], sort=False).size()
        repeated = sizes.to_numpy() > 1
        if repeated.sum() < max(_MIN_ROWS, _MANY * len(sizes)):
            return None
        different = codes.drop_duplicates().to_numpy().T
        alone = _share_alone(different, np.flatnonzero(repeated))
        if alone < max(_MANY, _MIN_ROWS / repeated.sum()):
            return None
        usual = _share_alone(different, np.flatnonzero(~repeated))
        return cls(sizes.to_numpy()) if alone > usual / 2 else None


def _share_alone(different, chosen):
    """Of some of the different rows, (columns, rows), those that no other is near."""
    if not len(chosen):
        return 1.0  # every row is repeated: there are none to compare with
    looked_at = chosen[np.linspace(0, len(chosen) - 1, _LOOKED_AT).astype(int)]
    n_near = [np.sum(_n_other(different, row) <= _FEW_COLUMNS) - 1 for row in looked_at]
    return float(np.mean(np.equal(n_near, 0)))


def _n_other(different, row):
    """In how many columns each row differs from one of them."""
    count = np.zeros(different.shape[1], dtype=np.int32)
    for column in different:
        count += column != column[row]
    return count
