"""Numbers whose codes an engine tells by thresholds, and not by value.

They are halfway between two values of the table that have different codes, so that how
an engine reads a decimal fraction moves nobody.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import ibis
import numpy as np
import pyarrow as pa

# Numbers of more runs of codes are looked up by value.
_MAX_CUTS = 100
# Least gap of numbers that their middle tells apart: relative, and near 0.
_LEAST_GAP, _LEAST_NUMBER = 1e-12, 1e-300


class Cuts(NamedTuple):
    """Thresholds of a number, each the highest of its code, and the codes."""

    numbers: list[Any]
    codes: list[int]

    @classmethod
    def of(cls, cells: pa.ChunkedArray, codes: np.ndarray) -> Cuts | None:
        """Those of different cells and the code of each; None of what has no cuts."""
        is_whole = pa.types.is_integer(cells.type)
        is_float = pa.types.is_float32(cells.type) or pa.types.is_float64(cells.type)
        if not (is_whole or is_float):
            return None
        present = cells.is_valid().to_numpy()
        numbers = np.array(cells.to_pylist(), dtype=object)[present]
        order = numbers.argsort()
        numbers, codes = numbers[order].tolist(), codes[present][order]
        ends = np.flatnonzero(np.diff(codes))
        if len(ends) >= _MAX_CUTS or not numbers:
            return None
        if is_whole:
            highest = [numbers[e] for e in ends]
        else:
            gaps = [(numbers[e], numbers[e + 1]) for e in ends]
            if not all(_are_apart(low, high) for low, high in gaps):
                return None
            highest = [low / 2 + high / 2 for low, high in gaps]
        return cls(highest, codes[[*ends, -1]].tolist())

    def expression(self, cell: Any, missing: int) -> Any:
        """The code of a cell, as the engine computes it; that of none for NULL."""
        *codes, last = self.codes
        below = zip(self.numbers, codes, strict=True)
        branches = [(cell <= number, code) for number, code in below]
        code = ibis.cases(*branches, else_=last) if branches else ibis.literal(last)
        return cell.isnull().ifelse(missing, code).cast("int64")


def _are_apart(low, high):
    """Whether a decimal fraction tells their middle from both, however it is read."""
    return high - low > _LEAST_GAP * max(-low, high) and high - low > _LEAST_NUMBER
