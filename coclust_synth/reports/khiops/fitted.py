"""From fitted co-clusterings and grids of columns to their reports of Khiops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.data_grid.fitting import FittedDataGrid
from coclust_synth.modl.data_grid.observations import NumericValues, count_records
from coclust_synth.reports.khiops.axes import (
    CategoricalAxis,
    NumericAxis,
    learnt_parts,
    observations,
)
from coclust_synth.reports.khiops.build import build_report
from coclust_synth.reports.khiops.report import CoclusteringReport
from coclust_synth.tables.reading.native import to_frame
from coclust_synth.tables.table import TableValues
from coclust_synth.validation import check_fitted

if TYPE_CHECKING:
    from coclust_synth.modl.estimator import MODLCoclustering


def coclustering_report(
    model: MODLCoclustering,
    table: pd.DataFrame | TableValues | ArrayLike,
    *,
    ids: Sequence[str] | None = None,
    dictionary: str = "",
    database: str = "",
) -> CoclusteringReport:
    """Describe a fitted co-clustering of a table as Khiops does.

    The report holds the individuals of each cluster: it is no anonymous output.

    Parameters
    ----------
    model : MODLCoclustering
        Fitted.
    table : DataFrame, TableValues or array-like, shape (n, d)
        What it was fitted on.
    ids : sequence of str, shape (n,), optional
        A name for each individual, all different; by default their row numbers, from
        0, or in a report of learnt parts, as in Khiops, their lines in a file, from 2.
    dictionary, database : str
        Names of the table, for the reader of the report.

    Returns
    -------
    CoclusteringReport
        Of two categorical dimensions, ``id`` and ``part``; of learnt parts, of
        ``Instance index`` (``id``, if `ids` are given) and ``Variables``. There dates
        are numbers, counted in the unit of their column from 1970 on.

    Raises
    ------
    TableError
        If the model was not fitted on this table.
    ParameterError
        If the ids are not as many as the individuals, or not all different.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth import MODLCoclustering
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = MODLCoclustering(n_iterations=5, random_state=0).fit(table)
    >>> report = coclustering_report(model, table)
    >>> [part.name for part in report.dimensions[1].parts]
    ['{a=x, b=u}', '{a=y, b=v}']
    """
    check_fitted(model, "row_labels_")
    if not isinstance(table, TableValues):
        table = TableValues(to_frame(table))
    codes = model.coding_.encode(table)
    if ids is not None:
        ids = individual_names(ids, len(codes))
    _check_is_of(model, codes)
    if model.parts == "learnt":
        records, grid, axes = learnt_parts(model, table, codes, ids)
    else:
        records, grid, axes = _fixed_parts(model, codes, ids)
    return build_report(
        records,
        grid,
        model.dendrogram_.merges.tolist(),
        axes,
        dictionary=dictionary,
        database=database,
    )


def individual_names(ids, n_individuals, said_by="ids"):
    """The names of individuals as texts; `said_by` is the argument or the option.

    Raises
    ------
    ParameterError
        If the ids are not as many as the individuals, or not all different.
    """
    ids = tuple(map(str, ids))
    if len(ids) != n_individuals or len(set(ids)) != n_individuals:
        raise ParameterError(
            f"Expected {n_individuals} different ids, one an individual. Received "
            f"{len(ids)}, of which {len(set(ids))} are different. Leave {said_by} out "
            "to use row numbers."
        )
    return ids


def _check_is_of(model, codes):
    """Refuse a table that does not have the cells of the model."""
    n_individuals, cells = len(codes), np.zeros(model.grid_.shape, dtype=np.int64)
    if n_individuals == len(model.row_labels_):
        individual, part = observations(codes, model.coding_)
        clusters = model.row_labels_[individual], model.column_labels_[part]
        np.add.at(cells, clusters, 1)
    if not np.array_equal(cells, model.grid_.cells):
        raise TableError(
            f"Expected the table of {len(model.row_labels_)} individuals that the "
            f"model was fitted on. Received another one, of {n_individuals}. Give that "
            "table, its rows in the same order."
        )


def _fixed_parts(model, codes, ids):
    """Records, grid and axes of a co-clustering of given parts."""
    individual, part = observations(codes, model.coding_)
    records = Records(
        np.column_stack([individual, part]),
        np.ones(len(part), dtype=np.int64),
        (model.row_labels_, model.column_labels_),
        (False, False),
    )
    if ids is None:
        ids = tuple(map(str, range(len(codes))))
    axes = CategoricalAxis("id", ids), CategoricalAxis("part", tuple(model.part_names_))
    return records, DataGrid.from_records(records), axes


if TYPE_CHECKING:
    from coclust_synth.modl.data_grid.estimator import MODLDataGrid


def data_grid_report(
    model: MODLDataGrid | FittedDataGrid,
    table: pd.DataFrame | ArrayLike,
    *,
    frequency: str | None = None,
    dictionary: str = "",
    database: str = "",
) -> CoclusteringReport:
    """Describe a fitted grid of the columns of a table as Khiops does.

    Parameters
    ----------
    model : MODLDataGrid or FittedDataGrid
        Fitted. Khiops takes at most 10 columns; more are described all the same.
    table : DataFrame or array-like, shape (n, d)
        What it was fitted on.
    frequency : str, optional
        Column of `table` with the frequencies that it was fitted with.
    dictionary, database : str
        Names of the table, for the reader of the report.

    Returns
    -------
    CoclusteringReport
        A dimension for each column. Categories are texts, a missing one the empty one;
        missing numbers lie below all others.

    Raises
    ------
    ParameterError
        If `frequency` is no column of the table.
    TableError
        If the model was not fitted on this table, or categories have the same text.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth import MODLDataGrid
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": [1, 2, 8, 9] * 50})
    >>> model = MODLDataGrid(n_iterations=5, random_state=0).fit(table)
    >>> report = data_grid_report(model, table)
    >>> [part.name for part in report.dimensions[1].parts]
    [']-inf,5]', ']5,+inf[']
    """
    check_fitted(model, "partitions_")
    frame, frequencies = to_frame(table), None
    if frequency is not None:
        frequencies = _pop(frame, frequency)
    values = _values_of(model, frame, frequencies)
    return build_report(
        model.records_,
        model.grid_,
        model.dendrogram_.merges.tolist(),
        [
            _axis(name, of_column, labels)
            for name, of_column, labels in zip(
                model.partitions_, values, model.records_.labels, strict=True
            )
        ],
        frequency_variable=frequency or "",
        dictionary=dictionary,
        database=database,
    )


def _pop(frame, name):
    """Take a column out of a table."""
    if name not in frame.columns:
        raise ParameterError(
            f"Expected frequency to name a column. Received {name!r}. Choose among "
            f"{', '.join(map(repr, frame.columns))}."
        )
    return frame.pop(name)


def _values_of(model, frame, frequencies):
    """Values of each column, by their codes in the records of the model."""
    if list(frame.columns) == list(model.partitions_):
        fitted = model.records_
        records, values = count_records(frame, fitted.numeric, frequencies)
        if np.array_equal(records.codes, fitted.codes) and np.array_equal(
            records.counts, fitted.counts
        ):
            return values
    raise TableError(
        f"Expected the table that the model was fitted on, {model.grid_.counts.sum()} "
        f"observations of {', '.join(map(repr, model.partitions_))}. Received another "
        "one. Give that table, with the column of its frequencies if it has one."
    )


def _axis(name, values, labels):
    if not isinstance(values, NumericValues):
        return CategoricalAxis(name, _texts(name, values.categories))
    present = values.numbers[values.numbers > -np.inf].tolist()
    if not present:
        return NumericAxis(name, (), with_missing=True)
    # A cut of -inf parts missing numbers from the others.
    cuts = values.partition(labels).cuts.tolist()
    with_missing = -np.inf in cuts
    edges = (present[0], *cuts[with_missing:], present[-1])
    return NumericAxis(name, edges, with_missing)


def _texts(name, categories):
    present = [category for category in categories if category is not None]
    # A column of them, since pandas writes dates by what all of them have.
    texts = pd.Series(present).astype(str).tolist()
    if len(present) < len(categories):
        texts = ["", *texts]  # the missing one comes first
    if len(set(texts)) < len(texts):
        raise TableError(
            f"Column {name!r}: expected categories whose texts differ. Received "
            f"{len(texts)} categories of {len(set(texts))} texts. Rename some."
        )
    return tuple(texts)
