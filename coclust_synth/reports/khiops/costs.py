"""What a co-clustering report of Khiops claims, computed again from its table.

`report_costs` gives the costs of its grid and of the null grid. It uses the partitions
of the report alone: neither its cells nor its figures.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

from coclust_synth.exceptions import TableError
from coclust_synth.modl.criterion.terms import CostTerms
from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.learnt.grid import VariablePartsGrid
from coclust_synth.reports.khiops.axes import inner_variable, line_numbers
from coclust_synth.reports.khiops.report import (
    CoclusteringReport,
    ReportDimension,
    ValueGroup,
)


@dataclass(frozen=True)
class ReportCosts:
    """The costs of a report, term by term (nats).

    Attributes
    ----------
    null, best : CostTerms
        Of the grid of one cell, and of the grid of the report.
    """

    null: CostTerms
    best: CostTerms


def report_costs(report: CoclusteringReport, table: pd.DataFrame) -> ReportCosts:
    """Compute the costs of a report again, from its partitions and its table.

    They agree with the printed ones, except where the report was simplified (it prints
    the costs of the grid that it was made from), and sometimes where a categorical
    variable has 4 to 7 values: depending on how its search went, Khiops then uses a
    catch-all cluster without paying for the choice of one, and prints less.

    Parameters
    ----------
    report : CoclusteringReport
        Of variables of the table, with or without a frequency variable, or of
        instances x variable parts.
    table : DataFrame
        Categories as in the report: best read as texts, an empty one where missing
        (``pandas.read_csv(..., dtype=str, keep_default_na=False)``).

    Returns
    -------
    ReportCosts

    Raises
    ------
    TableError
        If the table lacks a variable or holds a value that the report does not know.

    Examples
    --------
    >>> from coclust_synth import MODLDataGrid, data_grid_report
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = MODLDataGrid(n_iterations=5, random_state=0).fit(table)
    >>> costs = report_costs(data_grid_report(model, table), table)
    >>> costs.best.total < costs.null.total
    True
    """
    _, grid = report_grid(report, table)
    return ReportCosts(null=grid.null().terms, best=grid.terms)


def report_grid(report: CoclusteringReport, table: pd.DataFrame):
    """The rows of a table, coded and partitioned as a report says, and their grid.

    Parameters
    ----------
    report : CoclusteringReport
    table : DataFrame
        See `report_costs`.

    Returns
    -------
    records : Records
        Values of a categorical dimension are numbered as in the report, group after
        group, but variable parts variable after variable. Instances come before these.
    grid : DataGrid or VariablePartsGrid

    Raises
    ------
    TableError
        If the table lacks a variable or holds a value that the report does not know.
    """
    if report.has_variable_parts:
        return _variable_parts_grid(report, table)
    counts = np.ones(len(table), dtype=np.int64)
    frequency = report.summary.frequency_variable
    if frequency:
        counts = _frequencies(table, frequency)
        table, counts = table[counts > 0], counts[counts > 0]
    records = Records(
        np.column_stack([_codes(dim, table) for dim in report.dimensions]),
        counts,
        tuple(map(_labels, report.dimensions)),
        tuple(dimension.is_numeric for dimension in report.dimensions),
    )
    return records, DataGrid.from_records(records)


def _codes(dimension: ReportDimension, table, *, leave_out=False):
    """Value, or interval, of each row; -1 if `leave_out` and it is missing."""
    if dimension.is_numeric:
        return dimension.interval_indexes(_numbers(table, dimension.name))
    texts = _texts(table, dimension.name)
    groups = cast(tuple[ValueGroup, ...], dimension.parts)
    values = [value for group in groups for value in group.values]
    codes = pd.Index(values).get_indexer(texts)
    unknown = codes < 0
    if leave_out:
        unknown &= texts != ""
    if unknown.any():
        raise TableError(
            f"Expected values of {dimension.name!r} that the report knows. Received "
            f"{texts[unknown.argmax()]!r}. Give the table that the report was made "
            "from, its columns read as texts."
        )
    return codes


def _labels(dimension: ReportDimension):
    """Part of each value, or of each interval."""
    if dimension.is_numeric:
        return np.arange(len(dimension.parts))
    groups = cast(tuple[ValueGroup, ...], dimension.parts)
    sizes = [len(group.values) for group in groups]
    return np.repeat(np.arange(len(sizes)), sizes)


def _column(table, name):
    if name not in table.columns:
        raise TableError(
            f"Expected a column {name!r}, which the report is about. Received the "
            f"columns {', '.join(map(repr, table.columns))}. Give the table that the "
            "report was made from."
        )
    return table[name]


def _texts(table, name):
    column = _column(table, name)
    return column.astype(str).where(column.notna(), "").to_numpy(dtype=object)


def _numbers(table, name):
    column = _column(table, name)
    try:
        return pd.to_numeric(column.where(column != "")).to_numpy(dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TableError(
            f"Expected numbers in {name!r}, as the report says. Received {error}. "
            "Give the table that the report was made from."
        ) from None


def _frequencies(table, name):
    numbers = _numbers(table, name)
    wrong = ~((numbers >= 0) & (numbers == np.floor(numbers)))
    if wrong.any():
        raise TableError(
            f"Expected whole frequencies, 0 or more, in {name!r}. Received "
            f"{numbers[wrong][0]}. Give the table that the report was made from."
        )
    return numbers.astype(np.int64)


# --- instances x variable parts ---------------------------------------------


def _variable_parts_grid(report, table):
    instances, variables = report.dimensions
    if instances.inner_variables:
        instances, variables = variables, instances
    names, rows, parts, inner, category_totals = [], [], [], [], []
    for variable in variables.inner_variables:
        codes = _codes(variable, table, leave_out=True)
        present = np.flatnonzero(codes >= 0)
        labels = _labels(variable)
        if not variable.is_numeric:
            counts = np.bincount(codes[present], minlength=len(labels))
            category_totals.append(counts)
        own = labels[codes[present]]
        totals = np.bincount(own, minlength=len(variable.parts))
        inner.append(inner_variable(variable, totals))
        rows.append(present)
        parts.append(len(names) + own)
        names += [part.name for part in variable.parts]
    rows, parts = np.concatenate(rows), np.concatenate(parts)
    instance = _places(instances, _instance_names(instances, table))
    records = Records(
        np.column_stack([instance[rows], parts]),
        np.ones(len(rows), dtype=np.int64),
        (_labels(instances), _labels(variables)[_places(variables, names)]),
        (False, False),
    )
    return records, VariablePartsGrid.of_instances(records, inner, category_totals)


def _instance_names(instances, table):
    """Names of the rows: a column of the table, or the number of their line."""
    if instances.name in table.columns:
        return _texts(table, instances.name)
    return line_numbers(len(table))


def _places(dimension, names):
    """Place of some values among those of a categorical dimension."""
    values = [value for group in dimension.parts for value in group.values]
    place = pd.Index(values).get_indexer(names)
    if (place < 0).any():
        absent = str(names[(place < 0).argmax()])
        raise TableError(
            f"Expected the groups of {dimension.name!r} to hold {len(names)} values "
            f"that the table tells of. Received no {absent!r} there. Give the table "
            "that the report was made from."
        )
    return place
