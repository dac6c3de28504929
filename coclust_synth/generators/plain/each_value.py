"""A column of a model, of each value of which as many rows are asked for."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.parts.atoms import AtomParts, are_values
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.values.columns import to_values


@dataclass(frozen=True, eq=False)
class EachValue:
    """A column of few values.

    Attributes
    ----------
    column : Column
    values : ndarray of object, shape (n_values,)
        Categories, or whole numbers in order.
    """

    column: Column
    values: np.ndarray

    @classmethod
    def of(cls, column: Column, coding: TableCoding) -> Self:
        """The values of a column that rows are drawn by.

        Raises
        ------
        ParameterError
            If it is of numbers, and not each is drawn by itself.
        """
        values = column.categories
        if column.kind not in LISTED_KINDS:
            known = column.name in coding.names
            parts = coding.parts[coding.names.index(column.name)] if known else None
            if not isinstance(parts, AtomParts) or not are_values(parts):
                raise ParameterError(
                    "Expected a column of categories, or of few whole numbers, to "
                    "draw a number of rows for each of its values. Received "
                    f"{column.name!r}, whose numbers the model draws from runs. "
                    "Choose another column, or give conditions on it."
                )
            values = parts.lows.tolist()
        return cls(column, np.array(values, dtype=object))

    def labels(self, frame: pd.DataFrame) -> np.ndarray:
        """Place of the value of each row among these, -1 where it is none."""
        own, missing = to_values(frame[self.column.name], self.column)
        if self.column.kind not in LISTED_KINDS:
            own = pd.Index(self.values.astype(np.int64)).get_indexer(own)
        return np.where(missing, -1, own)
