"""From a grid and its merges to a co-clustering report of Khiops."""

import numpy as np

from coclust_synth.modl.data_grid.importance import interests, typicalities
from coclust_synth.reports.khiops.axes import (
    NumericAxis,
    PartsAxis,
    default_group,
    intervals,
    values_name,
)
from coclust_synth.reports.khiops.report import (
    CoclusteringReport,
    ReportDimension,
    Summary,
    ValueGroup,
)
from coclust_synth.reports.khiops.tree import Tree, merge_name


def build_report(
    records, grid, merges, axes, *, frequency_variable="", dictionary="", database=""
):
    """Describe a grid and its hierarchy as Khiops does.

    Parameters
    ----------
    records : Records
        The observations and their partitions. Intervals of numeric dimensions are
        numbered in increasing order, missing values first.
    grid : DataGrid
        Of these records.
    merges : sequence of (axis, kept, absorbed)
        Down to one part in each dimension, the dimensions interleaved. A part put
        together keeps the number of `kept`.
    axes : sequence of CategoricalAxis, NumericAxis and PartsAxis
        The texts of each dimension.
    frequency_variable, dictionary, database : str
        Where the observations came from.

    Returns
    -------
    CoclusteringReport
    """
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


# --- parts ------------------------------------------------------------------


def _parts(records, grid, k, axis):
    """The parts of one dimension, in the order of the grid."""
    if isinstance(axis, NumericAxis):
        return tuple(intervals(axis))
    frequency = records.value_totals(k)
    is_parts = isinstance(axis, PartsAxis)
    if is_parts:
        # Parts stay in their order, and none is typical.
        typicality, place = np.zeros(len(frequency)), range(len(frequency))
    else:
        typicality = typicalities(records, grid, k)
        rounded = typicality.round(9)  # rounding must not break ties
        place = list(zip(-rounded, -frequency, axis.values, strict=True))
    groups = []
    for cluster in range(grid.shape[k]):
        members = sorted(
            np.flatnonzero(records.labels[k] == cluster).tolist(),
            key=place.__getitem__,
        )
        values = tuple(axis.values[v] for v in members)
        groups.append(
            ValueGroup(
                name=values_name(values, quote=not is_parts),
                values=values,
                frequencies=tuple(frequency[members].tolist()),
                typicalities=tuple(typicality[members].tolist()),
            )
        )
    return groups


def _dimension(records, k, axis, parts, nodes):
    totals = records.value_totals(k)
    if isinstance(axis, NumericAxis):
        return ReportDimension(
            name=axis.name,
            is_numeric=True,
            initial_parts=len(parts),
            n_values=int(totals.sum()),
            parts=parts,
            minimum=axis.edges[0] if axis.edges else None,
            maximum=axis.edges[-1] if axis.edges else None,
            hierarchy=nodes,
        )
    is_parts = isinstance(axis, PartsAxis)
    return ReportDimension(
        name=axis.name,
        is_numeric=False,
        initial_parts=len(parts),
        n_values=len(axis.values),
        parts=parts,
        default_group=0 if is_parts else default_group(parts),
        hierarchy=nodes,
        inner_variables=axis.variables if is_parts else (),
    )


# --- hierarchy --------------------------------------------------------------


def _levels(grid, merges, null_cost):
    """Share of the best grid's information that is left after each merge."""
    gain = null_cost - grid.cost
    if gain <= 0.0:
        return [0.0] * len(merges)
    costs = [coarser.cost for coarser in grid.after(merges[:-1])]
    # One cell tells nothing: it is the null grid, also where parts are still apart.
    return [*((null_cost - cost) / gain for cost in costs), 0.0]
