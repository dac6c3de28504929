"""Between a column of a table and the leaves of a generalisation hierarchy."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.column import LISTED_KINDS, ORDERED_KINDS, Column
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.reading.texts.text import format_column, parse_column
from coclust_synth.tables.rows import ColumnCounts, count_values
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.columns import examples, to_values
from coclust_synth.tables.values.dtypes import is_dates_in_texts
from coclust_synth.tables.values.series import from_values
from coclust_synth.validation import n_values


@dataclass(frozen=True, eq=False)
class ColumnLeaves:
    """The distinct values of a column, as leaves of its hierarchy.

    Attributes
    ----------
    leaves : tuple
        Values of the column's type in increasing order (of categories, that of the
        schema); None is the last where values are missing.
    texts : list of str
        Each as a text file has it; for None the column's first missing mark.
    counts : ndarray of int64, shape (n_leaves,)
        Rows that hold each.
    values : ndarray of int64 or float64, shape (n_leaves,)
        Canonical values, as `to_values` gives them; 0 for None.
    missing : ndarray of bool, shape (n_leaves,)
        Where the leaf is None.
    """

    leaves: tuple
    texts: list[str]
    counts: np.ndarray
    values: np.ndarray
    missing: np.ndarray

    @classmethod
    def of(
        cls, values: np.ndarray, missing: np.ndarray, column: Column
    ) -> "ColumnLeaves":
        """The leaves of a column.

        Parameters
        ----------
        values : ndarray of shape (n,), int64 or float64
        missing : ndarray of shape (n,), bool
            Both as `to_values` gives them.
        column : Column
            Its complete description.
        """
        return cls.of_counts(count_values(values, missing), column)

    @classmethod
    def of_counts(cls, found: ColumnCounts, column: Column) -> "ColumnLeaves":
        """The same of values that were counted elsewhere."""
        present = from_values(found.values, np.zeros(len(found.values), bool), column)
        has_missing = int(found.n_missing > 0)
        return cls(
            (*present.tolist(), *[None] * has_missing),
            [*format_column(present, column), *[_mark(column)] * has_missing],
            np.append(found.counts, [found.n_missing] * has_missing).astype(np.int64),
            np.append(found.values, np.zeros(has_missing, found.values.dtype)),
            np.arange(len(found.values) + has_missing) >= len(found.values),
        )


def code_leaves(
    table: pd.DataFrame | TableValues, schema: Schema
) -> tuple[tuple[Column, ...], tuple[ColumnLeaves, ...], np.ndarray]:
    """Code the columns that a schema keeps by their leaves.

    Parameters
    ----------
    table : DataFrame or TableValues, of n rows
    schema : Schema
        Complete, without undecided columns.

    Returns
    -------
    columns : tuple of Column
    leaves : tuple of ColumnLeaves
        Of each column.
    codes : ndarray of int32, shape (n, d)
        Position among them of each cell.

    Raises
    ------
    SchemaError
        If values do not fit a column.
    """
    columns = schema.kept.columns
    table = TableValues.of(table)
    leaves = tuple(ColumnLeaves.of(*table.read(c), c) for c in columns)
    pairs = zip(columns, leaves, strict=True)
    codes = np.column_stack([_positions(*table.read(c), own) for c, own in pairs])
    return columns, leaves, codes


def match_column(
    hierarchy: GeneralizationHierarchy, series: pd.Series, column: Column
) -> GeneralizationHierarchy:
    """The hierarchy of a file for a column of a table: its leaves get their types.

    Values are found by their texts, as the table's file has them: 1 is not 1.0. Leaves
    that no row holds stay. The leaves of an ordered column are put in order.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
        Its labels of level 0 are texts.
    series : Series
    column : Column
        Its complete description.

    Returns
    -------
    GeneralizationHierarchy
        With the name of the column.

    Raises
    ------
    SchemaError
        If a value of the column is no leaf, or a leaf cannot be a value of it.
    """
    found = ColumnLeaves.of(*to_values(series, column), column)
    texts = hierarchy.labels[0]
    lacking = [text for text in found.texts if text not in set(texts)]
    if lacking:
        raise SchemaError(
            f"Hierarchy of {column.name!r}: expected each value of the column in the "
            f"file. Received none for {examples(lacking)} ({n_values(len(lacking))}). "
            "Add these; texts are compared, so that 1 is not 1.0."
        )
    value_of = dict(zip(found.texts, found.leaves, strict=True))
    more = [text for text in texts if text not in value_of]
    value_of |= {text: None for text in more if text == _mark(column)}
    more = [text for text in more if text not in value_of]
    value_of |= dict(zip(more, _typed(more, column), strict=True))
    leaves = [value_of[text] for text in texts]
    ordered = column.kind in ORDERED_KINDS
    order = sorted(range(len(leaves)), key=_place(leaves, column, ordered))
    lines = hierarchy.lines()
    return GeneralizationHierarchy.from_lines(
        column.name,
        [lines[leaf] for leaf in order],
        leaves=tuple(leaves[leaf] for leaf in order),
        ordered=ordered,
    )


def _positions(values, missing, own):
    """Leaf of each cell of a column."""
    present = own.values[~own.missing]
    places = np.searchsorted(present, values).astype(np.int32)
    places[missing] = len(present)
    return places


def _mark(column):
    return column.missing[0] if column.missing else ""


def _typed(texts, column):
    """Values of a column that its table does not hold."""
    if not texts:
        return []
    if column.kind in LISTED_KINDS:
        named = {str(category): category for category in column.categories}
        unknown = [text for text in texts if text not in named]
        if unknown and column.kind != "categorical":
            raise SchemaError(
                f"Hierarchy of {column.name!r}: expected leaves among the categories "
                f"of a column of kind {column.kind}. Received {examples(unknown)}. Add "
                "them to `categories` in the schema, or remove them."
            )
        return [named.get(text, text) for text in texts]
    hint = replace(column, categories=None, bounds=None, missing=())
    return parse_column(pd.Series(texts, dtype=object), hint)[0].tolist()


def _place(leaves, column, ordered):
    """Key that sorts positions of leaves: missing last, others by value or as given."""
    rank = None
    if column.kind == "ordinal":
        rank = {category: code for code, category in enumerate(column.categories)}
    elif is_dates_in_texts(column):
        texts = pd.Series([leaf for leaf in leaves if leaf is not None], dtype=object)
        values, _ = to_values(texts, replace(column, bounds=None))
        rank = dict(zip(texts, values.tolist(), strict=True))
    if rank is not None:
        return lambda leaf: (leaves[leaf] is None, rank.get(leaves[leaf], 0))
    if ordered:
        return lambda leaf: (
            (leaves[leaf] is None,) + (leaves[leaf],) * (leaves[leaf] is not None)
        )
    return lambda leaf: leaves[leaf] is None
