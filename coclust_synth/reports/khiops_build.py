"""From a grid and its merges to a co-clustering report of Khiops."""

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.modl.data_grid import DataGrid, Records
from coclust_synth.modl.importance import interests, typicalities
from coclust_synth.reports.khiops import (
    CoclusteringReport,
    ReportDimension,
    Summary,
    ValueGroup,
)
from coclust_synth.reports.khiops_tree import (
    CategoricalAxis,
    NumericAxis,
    Tree,
    intervals,
    merge_name,
)

_MAX_NAMED = 3  # values in the name of a cluster
_QUOTED = frozenset(",'{}")  # characters for which the name quotes a value


def build_report(
    records, merges, axes, *, frequency_variable="", dictionary="", database=""
):
    """Describe a grid and its hierarchy as Khiops does.

    Parameters
    ----------
    records : Records
        The observations and their partitions. Intervals of numeric dimensions are
        numbered in increasing order, missing values first.
    merges : sequence of (axis, kept, absorbed)
        Down to one part in each dimension, the dimensions interleaved. A part put
        together keeps the number of `kept`.
    axes : sequence of CategoricalAxis and NumericAxis
        The texts of each dimension.
    frequency_variable, dictionary, database : str
        Where the observations came from.

    Returns
    -------
    CoclusteringReport
    """
    grid = DataGrid.from_records(records)
    null_cost = grid.null().cost
    levels = _levels(grid, merges, null_cost)
    dimensions, orders = [], []
    for k, axis in enumerate(axes):
        parts = _parts(records, grid, k, axis)
        tree = Tree(parts, grid.dimensions[k].totals, interests(grid, k))
        for step, (side, kept, absorbed) in enumerate(merges):
            if side == k:
                name = merge_name(k, len(merges) - step - 1)
                tree.merge(kept, absorbed, step, name)
        order, nodes = tree.number(levels, sum(grid.shape))
        orders.append(order)
        parts = tuple(parts[i] for i in order)
        dimensions.append(_dimension(records, k, axis, parts, nodes))
    cell_parts = np.column_stack(
        [np.argsort(order)[grid.cells[:, k]] for k, order in enumerate(orders)]
    )
    cell_order = np.lexsort((*cell_parts.T[::-1], -grid.counts))
    return CoclusteringReport(
        summary=Summary(
            instances=int(grid.counts.sum()),
            cells=len(grid.counts),
            null_cost=null_cost,
            cost=grid.cost,
            level=max(0.0, 1.0 - grid.cost / null_cost) if null_cost > 0 else 0.0,
            initial_dimensions=len(axes),
            frequency_variable=frequency_variable,
            dictionary=dictionary,
            database=database,
        ),
        dimensions=tuple(dimensions),
        cell_parts=tuple(map(tuple, cell_parts[cell_order].tolist())),
        cell_frequencies=tuple(grid.counts[cell_order].tolist()),
    )


def coclustering_report(model, table, *, ids=None, dictionary="", database=""):
    """Describe a fitted co-clustering of a table as Khiops does.

    The report holds the individuals of each cluster: it is no anonymous output.

    Parameters
    ----------
    model : MODLCoclustering
        Fitted.
    table : DataFrame or array-like, shape (n, d)
        What it was fitted on.
    ids : sequence of str, shape (n,), optional
        A name for each individual, all different; by default their row numbers, from
        0.
    dictionary, database : str
        Names of the table, for the reader of the report.

    Returns
    -------
    CoclusteringReport
        Of two categorical dimensions, ``id`` and ``part``.

    Raises
    ------
    TableError
        If the model was not fitted on this table.
    ParameterError
        If the ids are not as many as the individuals, or not all different; or if the
        parts were learnt.

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
    check_is_fitted(model)
    if model.parts != "fixed":
        raise ParameterError(
            f'Expected a co-clustering of parts="fixed". Received one of parts='
            f"{model.parts!r}, whose cost a report of two categorical dimensions does "
            'not have. Fit with parts="fixed" for a report.'
        )
    if isinstance(table, pd.DataFrame):
        frame = table.rename(columns=str).reset_index(drop=True)
    else:
        frame = pd.DataFrame(np.array(table, dtype=object), columns=model.coding_.names)
        frame = frame.infer_objects()
    codes = model.coding_.encode(frame)
    n_individuals = len(codes)
    ids = individual_names(ids, n_individuals)
    first = np.cumsum([0, *model.coding_.n_parts_per_variable[:-1]])
    individual, variable = np.nonzero(codes >= 0)
    part = codes[individual, variable] + first[variable]
    if n_individuals == len(model.row_labels_):
        records = Records(
            np.column_stack([individual, part]),
            np.ones(len(part), dtype=np.int64),
            (model.row_labels_, model.column_labels_),
            (False, False),
        )
        cells = np.zeros(model.grid_.shape, dtype=np.int64)
        np.add.at(cells, tuple(records.part_indexes().T), 1)
        if np.array_equal(cells, model.grid_.cells):
            return build_report(
                records,
                [tuple(map(int, merge)) for merge in model.hierarchy_.merges],
                (
                    CategoricalAxis("id", ids),
                    CategoricalAxis("part", tuple(model.part_names_)),
                ),
                dictionary=dictionary,
                database=database,
            )
    raise TableError(
        f"Expected the table of {len(model.row_labels_)} individuals that the model "
        f"was fitted on. Received another one, of {n_individuals}. Give that table, "
        "its rows in the same order."
    )


def individual_names(ids, n_individuals):
    """The names of individuals as texts; their row numbers, from 0, where None.

    Raises
    ------
    ParameterError
        If the ids are not as many as the individuals, or not all different.
    """
    if ids is None:
        ids = range(n_individuals)
    ids = tuple(map(str, ids))
    if len(ids) != n_individuals or len(set(ids)) != n_individuals:
        raise ParameterError(
            f"Expected {n_individuals} different ids, one an individual. Received "
            f"{len(ids)}, of which {len(set(ids))} are different. Leave ids out to use "
            "row numbers."
        )
    return ids


# --- parts ------------------------------------------------------------------


def _parts(records, grid, k, axis):
    """The parts of one dimension, in the order of the grid."""
    if isinstance(axis, NumericAxis):
        return tuple(intervals(axis))
    typicality = typicalities(records, grid, k)
    rounded = typicality.round(9)  # rounding must not break ties
    frequency = records.value_totals(k)
    groups = []
    for cluster in range(grid.shape[k]):
        members = sorted(
            np.flatnonzero(records.labels[k] == cluster).tolist(),
            key=lambda v: (-rounded[v], -frequency[v], axis.values[v]),
        )
        values = tuple(axis.values[v] for v in members)
        groups.append(
            ValueGroup(
                name=_group_name(values),
                values=values,
                frequencies=tuple(frequency[members].tolist()),
                typicalities=tuple(typicality[members].tolist()),
            )
        )
    return groups


def _group_name(values):
    shown = [
        "'" + value.replace("'", "''") + "'" if _QUOTED & set(value) else value
        for value in values[:_MAX_NAMED]
    ]
    if len(values) > _MAX_NAMED:
        shown.append("...")
    return "{" + ", ".join(shown) + "}"


def _dimension(records, k, axis, parts, nodes):
    totals = records.value_totals(k)
    if isinstance(axis, NumericAxis):
        return ReportDimension(
            name=axis.name,
            is_numeric=True,
            initial_parts=len(parts),
            n_values=int(totals.sum()),
            parts=parts,
            minimum=axis.edges[0],
            maximum=axis.edges[-1],
            hierarchy=nodes,
        )
    return ReportDimension(
        name=axis.name,
        is_numeric=False,
        initial_parts=len(parts),
        n_values=len(axis.values),
        parts=parts,
        default_group=_default_group(parts),
        hierarchy=nodes,
    )


def _default_group(groups):
    """The group of the least frequent value; of several, of the last by name."""
    least = min(min(group.frequencies) for group in groups)
    last = {
        max(
            value
            for value, frequency in zip(group.values, group.frequencies, strict=True)
            if frequency == least
        ): i
        for i, group in enumerate(groups)
        if least in group.frequencies
    }
    return last[max(last)]


# --- hierarchy --------------------------------------------------------------


def _levels(grid, merges, null_cost):
    """Share of the best grid's information that is left after each merge."""
    gain = null_cost - grid.cost
    if gain <= 0.0:
        return [0.0] * len(merges)
    return [(null_cost - coarser.cost) / gain for coarser in grid.after(merges)]
