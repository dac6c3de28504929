"""What the values of a column are released as that few individuals hold."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.column import OTHER, Column
from coclust_synth.tables.literals import decode, encode
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues


class Pooled(NamedTuple):
    """How much of a column is released as something else.

    Attributes
    ----------
    column : str
    values : int
        Different values; missing is one.
    rows : int
        Rows that hold them.
    """

    column: str
    values: int
    rows: int


class CodedColumn(NamedTuple):
    """A column of categories as it is released.

    Attributes
    ----------
    column : Column
        With the categories that are released.
    codes : ndarray of shape (n,), int64
        Category of each row; -1 for missing.
    groups : frozenset of str, default=()
        Names among the categories that stand for rare values alone.
    """

    column: Column
    codes: np.ndarray
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Pool:
    """What the values of a column are released as that are not released themselves.

    Attributes
    ----------
    name : str
        Of the column.
    parent : str or None
        Name of the column that it is nested in.
    targets : dict
        What is released beside a value of the parent.
    default : value
        Released beside any other value of the parent, or without one; None is missing.
    groups : frozenset of str, default=()
        Names among these that stand for rare values alone.
    """

    name: str
    parent: str | None
    targets: dict
    default: Any
    groups: frozenset[str] = frozenset()

    def encode(
        self,
        cells: np.ndarray,
        known: np.ndarray,
        column: Column,
        parent: CodedColumn | None,
    ) -> np.ndarray:
        """Category that each value is released as.

        Parameters
        ----------
        cells : ndarray of shape (n,), int64
            Category of each row, of those of `column`; see `listed_codes`.
        known : ndarray of bool, shape (n,)
            Rows whose value, or missing value, is released itself.
        column : Column
            As it is released.
        parent : CodedColumn or None
            The column `parent`, n rows.

        Returns
        -------
        ndarray of shape (n,), int64
            -1 for missing.
        """
        code_of = {value: code for code, value in enumerate(column.categories)}
        code_of[None] = -1
        codes = np.full(len(cells), code_of[self.default], dtype=np.int64)
        if parent is not None:
            # The code -1 of a missing value is that of the last place.
            above = (*parent.column.categories, None)
            released = [code_of[self.targets.get(v, self.default)] for v in above]
            codes = np.array(released)[parent.codes]
        codes[known] = cells[known]
        return codes

    def check(self, schema: Schema) -> None:
        """Refuse a schema without the columns and the values that this pool names.

        Raises
        ------
        SchemaError
        """
        allowed = {*schema[self.name].categories, None}
        if self.parent is not None:
            schema[self.parent]
        for value in (*self.targets.values(), self.default):
            if value not in allowed:
                raise SchemaError(
                    f"Column {self.name!r}: expected a group among its categories. "
                    f"Received {value!r}. Add it to `categories`."
                )

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {
            "column": self.name,
            "parent": self.parent,
            "targets": [[encode(v) for v in pair] for pair in self.targets.items()],
            "default": encode(self.default),
            "groups": sorted(self.groups),
        }

    @classmethod
    def from_dict(cls, data: dict) -> "Pool":
        """Inverse of `to_dict`."""
        where = f"Column {data['column']!r}"
        pairs = [[decode(v, where) for v in pair] for pair in data["targets"]]
        default = decode(data["default"], where)
        told = {
            value for value in (*dict(pairs).values(), default) if value is not None
        }
        # Models that were saved before know groups by their names.
        groups = data.get("groups", [v for v in map(str, told) if v.endswith(OTHER)])
        own = dict(pairs), default, frozenset(groups)
        return cls(data["column"], data["parent"], *own)


def coded_numbers(
    table: TableValues, column: Column, numbers: Collection[int]
) -> CodedColumn:
    """Whole numbers as categories, of which others are none.

    Parameters
    ----------
    table : TableValues of n rows
    column : Column
        Of kind integer.
    numbers : collection of int
        One at least.

    Returns
    -------
    CodedColumn
        Others than `numbers` are missing.
    """
    values, missing = table.read(replace(column, bounds=None))
    listed = np.array(sorted(numbers), dtype=np.int64)
    at = np.minimum(np.searchsorted(listed, values), len(listed) - 1)
    is_own = ~missing & (listed[at] == values)
    categories = tuple(listed.tolist())
    named = replace(
        column, kind="categorical", categories=categories, bounds=None, step=None
    )
    return CodedColumn(named, np.where(is_own, at, -1))
