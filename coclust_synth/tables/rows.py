"""What the later stages see of the rows: counts of values, and distinct coded rows.

`ColumnCounts` is all that parts are computed from, `DistinctRows` all that a
co-clustering is computed from: both can be made by another engine than pandas.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coclust_synth.exceptions import ParameterError, SchemaError

_KEY_LIMIT = 2**63  # row keys are int64


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """How often each value of one column occurs.

    Parameters
    ----------
    values : ndarray of shape (m,), int64 or float64
        Distinct canonical values that are present, increasing.
    counts : ndarray of shape (m,), int64
        Rows that hold each value, all positive.
    n_missing : int
        Rows without a value.
    """

    values: np.ndarray
    counts: np.ndarray
    n_missing: int = 0

    @property
    def n_present(self) -> int:
        """Rows with a value."""
        return int(self.counts.sum())

    @property
    def n_rows(self) -> int:
        """All rows."""
        return self.n_present + self.n_missing


def count_values(
    values: np.ndarray, missing: np.ndarray, rows: np.ndarray | None = None
) -> ColumnCounts:
    """Count the distinct values of a canonical column.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Canonical values; those at missing positions are not read.
    missing : ndarray of shape (n,), bool
        Where the value is missing.
    rows : ndarray of shape (n,), int64, optional
        Rows of a table that each of these stands for; by default one.

    Examples
    --------
    >>> column = np.array([3, 1, 3, 0]), np.array([False, False, False, True])
    >>> count_values(*column)
    ColumnCounts(values=array([1, 3]), counts=array([1, 2]), n_missing=1)
    """
    if rows is None:
        distinct, counts = np.unique(values[~missing], return_counts=True)
        return ColumnCounts(distinct, counts.astype(np.int64), int(missing.sum()))
    distinct, position = np.unique(values[~missing], return_inverse=True)
    counts = np.bincount(position, rows[~missing], len(distinct)).astype(np.int64)
    return ColumnCounts(distinct, counts, int(rows[missing].sum()))


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The distinct coded rows of a table, in lexicographic order.

    Parameters
    ----------
    codes : ndarray of shape (S, d), int32
        Part of each variable, numbered over all variables: `offsets[k]` + code in
        variable k; -1 where the variable is left out of the row.
    counts : ndarray of shape (S,), int64
        Individuals who have each row.
    n_parts_per_variable : ndarray of shape (d,), int64
    """

    codes: np.ndarray
    counts: np.ndarray
    n_parts_per_variable: np.ndarray

    @property
    def offsets(self) -> np.ndarray:
        """First global part number of each variable, shape (d,)."""
        return np.cumsum(self.n_parts_per_variable) - self.n_parts_per_variable

    @property
    def n_parts(self) -> int:
        """Parts of all variables together."""
        return int(self.n_parts_per_variable.sum())

    @property
    def n_individuals(self) -> int:
        """Rows of the table, repeated rows counted each time."""
        return int(self.counts.sum())

    def thinned(self, n: int, rng: np.random.Generator) -> "DistinctRows":
        """About n of the individuals, each with the same probability; or all.

        Examples
        --------
        >>> rows = DistinctRows(np.array([[0], [1]]), np.array([10**6, 1]), [2])
        >>> some = rows.thinned(1000, np.random.default_rng(0))
        >>> some.codes.tolist(), 900 < some.n_individuals < 1100
        ([[0]], True)
        """
        if self.n_individuals <= n:
            return self
        drawn = rng.binomial(self.counts, n / self.n_individuals)
        kept = drawn > 0
        return DistinctRows(self.codes[kept], drawn[kept], self.n_parts_per_variable)


def collapse(
    codes: np.ndarray, n_parts_per_variable: Sequence[int] | NDArray[np.int64]
) -> tuple[DistinctRows, np.ndarray]:
    """Gather equal rows.

    Parameters
    ----------
    codes : ndarray of shape (n, d), int
        Part of each variable, numbered from 0 within the variable; -1 = left out.
    n_parts_per_variable : sequence of d int
        Number of parts of each variable.

    Returns
    -------
    rows : DistinctRows
    inverse : ndarray of shape (n,), int64
        Position in `rows` of each individual's row.

    Raises
    ------
    SchemaError
        If a code is not a part of its variable.

    Examples
    --------
    >>> rows, inverse = collapse(np.array([[1, 0], [0, 2], [1, 0]]), [2, 3])
    >>> rows.codes.tolist(), rows.counts.tolist(), inverse.tolist()
    ([[0, 4], [1, 2]], [1, 2], [1, 0, 1])
    """
    n_parts = np.asarray(n_parts_per_variable, dtype=np.int64)
    if codes.ndim != 2 or codes.shape[1] != len(n_parts):
        raise ParameterError(
            f"Expected codes of shape (n, {len(n_parts)}), one column for each number "
            f"of parts. Received shape {codes.shape}. Give as many numbers as columns."
        )
    for k, n_k in enumerate(n_parts):
        column = codes[:, k]
        if len(column) and not (-1 <= column.min() and column.max() < n_k):
            raise SchemaError(
                f"Expected codes from -1 to {n_k - 1} in variable {k}. Received "
                f"{column.min()} to {column.max()}. Encode the table with its parts."
            )

    # A row is a number in mixed radix, its first variable leading: numbers compare
    # as rows do. Before a number would pass int64 it is replaced by its rank.
    key, n_keys = np.zeros(len(codes), dtype=np.int64), 1
    for k, n_k in enumerate(n_parts.tolist()):
        if n_keys * (n_k + 1) > _KEY_LIMIT:
            distinct, key = np.unique(key, return_inverse=True)
            n_keys = len(distinct)
        key = key * (n_k + 1) + (codes[:, k] + 1)
        n_keys *= n_k + 1
    _, first, inverse, counts = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )

    local = codes[first].astype(np.int32)
    rows = DistinctRows(local, counts.astype(np.int64), n_parts)
    np.add(local, rows.offsets.astype(np.int32), out=local, where=local >= 0)
    return rows, inverse
