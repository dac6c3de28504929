"""Parts of a table's variables that the search finds, and their co-clustering.

Parts are made of values of several variables, coded with who has them.
"""

from dataclasses import dataclass, fields

import numpy as np

from coclust_synth.modl.grid.dendrogram import Dendrogram
from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.learnt.search import PartsSearchResult, search_parts
from coclust_synth.modl.search.grid_dendrogram import GridDendrogram
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.fine import coarser_coding, fine_coding
from coclust_synth.tables.rows import DistinctRows


@dataclass(frozen=True, eq=False)
class ValueTable:
    """A table whose variables are to be cut into parts.

    Attributes
    ----------
    rows : DistinctRows
        Its distinct rows. The values of a numeric variable are numbered in increasing
        order; -1 is a missing value, of which there is no observation.
    numeric : ndarray of bool, shape (d,)
        Whether the parts of a variable are intervals of its values, or groups.
    n_values : ndarray of int64, shape (d,)
        What the prior of its parts counts: of a numeric variable the instances, of a
        categorical one the categories, missing being one.
    """

    rows: DistinctRows
    numeric: np.ndarray
    n_values: np.ndarray

    @property
    def n_per_variable(self):
        """Values of each variable, shape (d,)."""
        return self.rows.n_parts_per_variable

    @property
    def n_variables(self):
        """Number of variables, d."""
        return len(self.numeric)

    @property
    def first(self):
        """First value of each variable, then the number of all, shape (d + 1,)."""
        return np.append(self.rows.offsets, self.rows.n_parts)

    @property
    def variable(self):
        """Variable of each value, shape (V,)."""
        return np.repeat(np.arange(self.n_variables), self.n_per_variable)

    def contingency(self):
        """Instances x values."""
        return Contingency.from_distinct_rows(self.rows)


@dataclass(frozen=True, eq=False)
class LearntParts:
    """What was learnt of a table.

    Attributes
    ----------
    coding : TableCoding
        The parts: intervals, and groups of categories.
    row_labels : ndarray of int64, shape (n,)
        Cluster of each row of the table.
    dendrogram : GridDendrogram
        That of `parts_dendrogram`; finer grids keep the parts.
    search : PartsSearchResult
    """

    coding: TableCoding
    row_labels: np.ndarray
    dendrogram: GridDendrogram
    search: PartsSearchResult

    @property
    def grid(self) -> Grid:
        """The grid of distinct rows and parts."""
        return self.search.grid


def learn_parts(table, schema, *, seed, **options):
    """Search the parts of all variables of a table, and their co-clustering.

    Parameters
    ----------
    table : TableValues
    schema : Schema
        Complete, without undecided columns.
    seed, options
        Those of `search_parts`.

    Returns
    -------
    LearntParts

    Raises
    ------
    SchemaError
        If a column is undecided, none is kept, or values do not fit.
    """
    fine = fine_coding(table, schema)
    values, inverse = _value_table(fine, table)
    rows = values.rows
    search = search_parts(values, seed=seed, **options)
    coding = coarser_coding(fine, search.part, table)
    codes = np.where(rows.codes >= 0, search.part[rows.codes], -1)
    of_parts = DistinctRows(codes, rows.counts, coding.n_parts_per_variable)
    merges = parts_dendrogram(search)
    dendrogram = GridDendrogram(
        **{f.name: getattr(merges, f.name) for f in fields(merges)},
        contingency=Contingency.from_distinct_rows(of_parts),
        grid=search.grid,
        seed=seed,
        rows=inverse,
    )
    row_labels = search.grid.row_labels[inverse]
    return LearntParts(coding, row_labels, dendrogram, search)


def learn_released_parts(table, schema, *, persons=None, pools=(), seed, **options):
    """Search the parts of a table that are fit to be released.

    Numeric columns are cut only where groups of `MIN_ROWS` individuals or more meet,
    and missing values are a part. The clusters of rows that the search finds with the
    parts are left: rows are instances here even where individuals are persons.

    Parameters
    ----------
    table : TableValues
        Which went through `release_values`.
    schema : Schema
        Complete, without undecided columns.
    persons, pools
        As of `TableCoding.learn`.
    seed, options
        Those of `search_parts`.

    Returns
    -------
    coding : TableCoding
    search : PartsSearchResult

    Raises
    ------
    SchemaError
        If a column is undecided, none is kept, or values do not fit.
    """
    fine = fine_coding(table, schema, binning="heaped", persons=persons)
    values, _ = _value_table(fine, table)
    search = search_parts(values, seed=seed, **options)
    coding = coarser_coding(
        fine, search.part, table, keep_missing=True, persons=persons, pools=pools
    )
    return coding, search


def _value_table(fine, table):
    """The values of a table by fine parts, and the distinct row of each row."""
    rows, inverse = fine.distinct_rows(table)
    frame = table.frame
    numeric = [column.kind not in LISTED_KINDS for column in fine.schema.columns]
    n_values = [
        len(frame) if is_numeric else parts.n_parts + bool(frame[name].isna().any())
        for name, parts, is_numeric in zip(fine.names, fine.parts, numeric, strict=True)
    ]
    return ValueTable(rows, np.array(numeric), np.array(n_values)), inverse


def parts_dendrogram(search):
    """The dendrogram of a grid of learnt parts: merges of the clusters, down to one.

    The parts stay as they are, but for the last step: one cell tells nothing of them,
    so that it costs what the null model does.

    Parameters
    ----------
    search : PartsSearchResult

    Returns
    -------
    Dendrogram
    """
    grid, state = search.grid, search.state
    merges, _ = state.merge_path(stop_at_rise=False)
    finest = grid.cells, grid.row_sizes, grid.column_sizes
    plain = Dendrogram(*finest, merges, np.zeros(len(merges) + 1), grid.cost)
    levels = map(plain.level, range(len(merges)))
    costs = [
        state.terms_of(level.cells, level.row_sizes, level.column_sizes).total
        for level in levels
    ]
    costs.append(search.null_cost)
    return Dendrogram(*finest, merges, np.array(costs), grid.cost)
