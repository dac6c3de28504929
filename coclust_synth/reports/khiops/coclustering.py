"""From a fitted co-clustering of individuals and parts to its report of Khiops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.frames import to_frame
from coclust_synth.reports.khiops.axes import CategoricalAxis
from coclust_synth.reports.khiops.build import build_report
from coclust_synth.reports.khiops.parts import learnt_parts, observations
from coclust_synth.reports.khiops.report import CoclusteringReport
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


def individual_names(ids, n_individuals):
    """The names of individuals as texts.

    Raises
    ------
    ParameterError
        If the ids are not as many as the individuals, or not all different.
    """
    ids = tuple(map(str, ids))
    if len(ids) != n_individuals or len(set(ids)) != n_individuals:
        raise ParameterError(
            f"Expected {n_individuals} different ids, one an individual. Received "
            f"{len(ids)}, of which {len(set(ids))} are different. Leave ids out to use "
            "row numbers."
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
