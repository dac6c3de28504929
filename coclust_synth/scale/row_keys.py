"""Coded rows of an engine: the codes of a batch, and rows as whole numbers.

A coded row is one whole number in mixed radix, or a few where one would not hold. A
batch is coded cell by cell, wherever it is read.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from coclust_synth.scale.source import changed_table
from coclust_synth.tables.rows import DistinctRows

_LIMIT = 2**62


def key_columns(n_codes: Sequence[int]) -> list[list[int]]:
    """Which columns each key is made of, so that it fits into 63 bits.

    Examples
    --------
    >>> key_columns([2**30, 2**30, 2**30])
    [[0, 1], [2]]
    """
    groups: list[list[int]] = [[]]
    size = 1
    for k, n in enumerate(n_codes):
        if groups[-1] and size * (n + 1) > _LIMIT:
            groups.append([])
            size = 1
        groups[-1].append(k)
        size *= n + 1
    return groups


def make_key(codes, n_codes: Sequence[int], columns: Sequence[int], zero):
    """The key of some columns: of arrays, or of expressions of an engine.

    Parameters
    ----------
    codes : sequence
        Of each column, from -1.
    n_codes : sequence of int
    columns : sequence of int
    zero : object
        What the sum begins with.
    """
    key = zero
    for k in columns:
        key = key * (int(n_codes[k]) + 1) + (codes[k] + 1)
    return key


def find_rows(rows: DistinctRows, codes: NDArray[np.integer]) -> NDArray[np.int64]:
    """Position of coded rows among distinct ones.

    Parameters
    ----------
    rows : DistinctRows
    codes : ndarray of int, shape (n, d)
        Numbered within their variables, from -1.

    Returns
    -------
    ndarray of int64, shape (n,)
        -1 where there is no such row.

    Examples
    --------
    >>> codes, counts = np.array([[0, 2], [1, 3]]), np.array([5, 1])
    >>> rows = DistinctRows(codes, counts, np.array([2, 2]))
    >>> find_rows(rows, np.array([[1, 1], [0, 0], [0, 1]])).tolist()
    [1, 0, -1]
    """
    n_codes = rows.n_parts_per_variable.tolist()
    local = np.where(rows.codes < 0, -1, rows.codes - rows.offsets)
    known, asked = (
        [
            make_key(each.T.astype(np.int64), n_codes, columns, np.int64(0))
            for columns in key_columns(n_codes)
        ]
        for each in (local, codes)
    )
    if len(known) == 1:
        return pd.Index(known[0]).get_indexer(asked[0])
    return pd.MultiIndex.from_arrays(known).get_indexer(
        pd.MultiIndex.from_arrays(asked)
    )


def rows_of_keys(
    keys: Sequence[NDArray[np.int64]], counts: NDArray[np.int64], n_codes: Sequence[int]
) -> DistinctRows:
    """The rows of some keys, in lexicographic order.

    Parameters
    ----------
    keys : sequence of ndarray of shape (S,)
        One for each group of `key_columns`.
    counts : ndarray of shape (S,)
    n_codes : sequence of int

    Examples
    --------
    >>> rows = rows_of_keys([np.array([5, 1])], np.array([7, 2]), [1, 2])
    >>> rows.codes.tolist(), rows.counts.tolist()
    ([[-1, 1], [0, 2]], [2, 7])
    """
    n_parts = np.asarray(n_codes, dtype=np.int64)
    order = keys[0].argsort() if len(keys) == 1 else np.lexsort(tuple(keys)[::-1])
    codes = np.empty((len(order), len(n_parts)), dtype=np.int32)
    for key, columns in zip(keys, key_columns(n_codes), strict=True):
        left = key[order]
        for k in reversed(columns):
            left, codes[:, k] = np.divmod(left, n_parts[k] + 1)
    codes -= 1
    rows = DistinctRows(codes, counts[order].astype(np.int64), n_parts)
    np.add(codes, rows.offsets.astype(np.int32), out=codes, where=codes >= 0)
    return rows


class CellCodes(NamedTuple):
    """The code of each different cell of a column, and of those not there."""

    name: str
    codes: np.ndarray
    missing: int
    n_codes: int


class CellLookup(NamedTuple):
    """The different cells of a column, none of them missing, and their codes."""

    name: str
    cells: pa.Array
    codes: np.ndarray
    missing: int

    @classmethod
    def of(cls, cells: pa.ChunkedArray, coded: CellCodes) -> Self:
        """Those of cells as an engine counts them, NULL among them.

        Examples
        --------
        >>> cells = pa.chunked_array([["a", None, "b"]])
        >>> coded = CellCodes("town", np.array([1, 2, 0]), 2, 3)
        >>> lookup = CellLookup.of(cells, coded)
        >>> lookup.encode(pa.array(["b", "b", None, "a"])).tolist()
        [0, 0, 2, 1]
        """
        present = cells.is_valid()
        codes = coded.codes[present.to_numpy()].astype(np.int32)
        known = _plain(cells.filter(present).combine_chunks())
        return cls(coded.name, known, codes, coded.missing)

    def encode(self, column: pa.Array) -> np.ndarray:
        """Code of each cell of a batch, shape (n,) int32.

        Raises
        ------
        TableError
            If there is a cell that was not counted.
        """
        column = _plain(column)
        if pa.types.is_floating(column.type):
            # By the rule of `source`: NaN is missing, and there is one zero.
            column = pc.if_else(pc.is_nan(column), None, pc.add(column, 0.0))
        column = column.cast(self.cells.type).dictionary_encode()
        place = pc.index_in(column.dictionary, value_set=self.cells)
        if place.null_count:
            raise changed_table(self.name)
        codes = np.append(self.codes[place.to_numpy()], np.int32(self.missing))
        return codes[column.indices.fill_null(len(codes) - 1).to_numpy()]


def of_codes(
    function: Callable[[np.ndarray], Any],
    lookups: Sequence[CellLookup],
    batch: pa.RecordBatch,
) -> Any:
    """What a function gives for the codes of a batch, shape (n, d) int32."""
    columns = zip(lookups, batch.columns, strict=True)
    return function(np.column_stack([own.encode(cells) for own, cells in columns]))


def _plain(cells):
    """Cells that are no longer a dictionary's."""
    return cells.dictionary_decode() if pa.types.is_dictionary(cells.type) else cells
