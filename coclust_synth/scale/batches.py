"""The codes of the rows of a batch, cell by cell, wherever the batch is read."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from coclust_synth.scale.source import changed_table


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
