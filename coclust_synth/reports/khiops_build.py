"""From a grid and its merges to a co-clustering report of Khiops."""

from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.modl.data_grid import DataGrid, Records
from coclust_synth.modl.importance import interests, typicalities
from coclust_synth.reports.khiops import (
    CoclusteringReport,
    Interval,
    Node,
    ReportDimension,
    Summary,
    ValueGroup,
)

_MAX_NAMED = 3  # values in the name of a cluster
_QUOTED = frozenset(",'{}")  # characters for which the name quotes a value


@dataclass(frozen=True)
class CategoricalAxis:
    """The texts of a categorical dimension of a report.

    Attributes
    ----------
    name : str
    values : sequence of str
        Each value of the records, all different.
    """

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class NumericAxis:
    """The bounds of a numeric dimension of a report.

    Attributes
    ----------
    name : str
    edges : sequence of float
        Lowest value, upper end of each interval, the last being the highest value.
    with_missing : bool, default=False
        Whether missing values are a part, the first one, before the intervals.
    """

    name: str
    edges: tuple[float, ...]
    with_missing: bool = False


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
        tree = _Tree(parts, grid.dimensions[k].totals, interests(grid, k))
        for step, (side, kept, absorbed) in enumerate(merges):
            if side == k:
                tree.merge(kept, absorbed, step, len(merges) - step - 1, k)
        order, nodes = tree.number(levels, sum(grid.shape), axis)
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
    check_is_fitted(model)
    if isinstance(table, pd.DataFrame):
        frame = table.rename(columns=str).reset_index(drop=True)
    else:
        frame = pd.DataFrame(np.array(table, dtype=object), columns=model.coding_.names)
        frame = frame.infer_objects()
    codes = model.coding_.encode(frame)
    n_individuals = len(codes)
    if ids is None:
        ids = range(n_individuals)
    ids = tuple(map(str, ids))
    if len(ids) != n_individuals or len(set(ids)) != n_individuals:
        raise ParameterError(
            f"Expected {n_individuals} different ids, one an individual. Received "
            f"{len(ids)}, of which {len(set(ids))} are different. Leave ids out to use "
            "row numbers."
        )
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


# --- parts ------------------------------------------------------------------


def _parts(records, grid, k, axis):
    """The parts of one dimension, in the order of the grid."""
    if isinstance(axis, NumericAxis):
        return _intervals(axis)
    typicality = typicalities(records, grid, k)
    frequency = records.value_totals(k)
    groups = []
    for cluster in range(grid.shape[k]):
        members = sorted(
            np.flatnonzero(records.labels[k] == cluster).tolist(),
            key=lambda v: (-typicality[v], -frequency[v], axis.values[v]),
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


def _intervals(axis):
    edges = list(axis.edges)
    parts = [Interval("Missing", ())] if axis.with_missing else []
    for i, bounds in enumerate(pairwise(edges)):
        lower = -inf if i == 0 else bounds[0]
        upper = inf if i == len(edges) - 2 else bounds[1]
        parts.append(Interval(_interval_name(lower, upper), bounds))
    return parts


def _interval_name(lower, upper):
    left = "-inf" if lower == -inf else f"{lower:.10g}"
    right = "+inf[" if upper == inf else f"{upper:.10g}]"
    return f"]{left},{right}"


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
    targets = [np.arange(n_parts) for n_parts in grid.shape]
    levels = []
    for side, kept, absorbed in merges:
        target = targets[side]
        number = np.arange(grid.shape[side])
        # `target` is the present number of each part's representative.
        number[target[absorbed]] = target[kept]
        _, number = np.unique(number, return_inverse=True)
        targets[side] = number[target]
        grid = grid.coarser(side, number)
        levels.append((null_cost - grid.cost) / gain if gain > 0.0 else 0.0)
    return levels


@dataclass(eq=False)
class _Branch:
    """A node of a tree that is being built; ties are broken by its `text`."""

    name: str
    text: str
    frequency: int
    interest: float
    step: int | None = None
    children: tuple = ()
    first_part: int = 0


class _Tree:
    """The merges of one dimension, as a tree of its parts."""

    def __init__(self, parts, totals, interest):
        self.branches = [
            _Branch(part.name, _text(part), int(total), float(share), first_part=i)
            for i, (part, total, share) in enumerate(
                zip(parts, totals, interest, strict=True)
            )
        ]

    def merge(self, kept, absorbed, step, n_left, k):
        """Put two branches together; `n_left` merges are to follow."""
        pair = self.branches[kept], self.branches[absorbed]
        frequency = sum(branch.frequency for branch in pair)
        interest = sum(branch.frequency * branch.interest for branch in pair)
        name = f"{_letters(k)}{n_left + 1}"
        self.branches[kept] = _Branch(
            name,
            name,
            frequency,
            interest / frequency,
            step,
            pair,
            min(branch.first_part for branch in pair),
        )
        self.branches[absorbed] = None

    def number(self, levels, n_parts, axis):
        """Order of the parts, and the nodes of the report.

        Parameters
        ----------
        levels : list of float
            Level after each merge of all dimensions.
        n_parts : int
            Parts of the best grid, summed over the dimensions.
        axis : CategoricalAxis or NumericAxis
        """
        root = next(branch for branch in self.branches if branch is not None)
        if isinstance(axis, NumericAxis):
            _name_intervals(root, _intervals(axis))
        order, leaves, inner = [], [], []
        for rank, (branch, parent) in enumerate(_infix(root, axis), start=1):
            is_leaf = not branch.children
            if is_leaf:
                order.append(branch.first_part)
            (leaves if is_leaf else inner).append(
                Node(
                    name=branch.name,
                    parent=parent,
                    frequency=branch.frequency,
                    interest=branch.interest,
                    level=1.0 if is_leaf else levels[branch.step],
                    rank=rank,
                    hierarchical_rank=(
                        n_parts if is_leaf else n_parts - branch.step - 1
                    ),
                    is_leaf=is_leaf,
                )
            )
        return order, (*leaves, *inner)


def _text(part):
    """What tells a part from others of equal interest and frequency."""
    return part.values[0] if isinstance(part, ValueGroup) else part.name


def _infix(root, axis):
    """Nodes with the names of their parents, from left to right."""
    numeric = isinstance(axis, NumericAxis)

    def place(branch):
        if numeric:
            return branch.first_part
        return (-branch.interest, -branch.frequency, branch.text)

    # A stack, since a tree of merges can be as deep as it has parts.
    stack = [(root, "", False)]
    while stack:
        branch, parent, is_open = stack.pop()
        if is_open or not branch.children:
            yield branch, parent
            continue
        left, right = sorted(branch.children, key=place)
        stack.append((right, branch.name, False))
        stack.append((branch, parent, True))
        stack.append((left, branch.name, False))


def _name_intervals(root, parts):
    """Name merged intervals by what they cover, ``*`` for missing values too."""
    stack = [(root, False)]
    last = {}
    while stack:
        branch, is_open = stack.pop()
        if not branch.children:
            last[id(branch)] = branch.first_part
        elif not is_open:
            stack.append((branch, True))
            stack.extend((child, False) for child in branch.children)
        else:
            stop = max(last[id(child)] for child in branch.children)
            last[id(branch)] = stop
            covered = parts[branch.first_part : stop + 1]
            with_missing = not covered[0].bounds
            intervals = covered[with_missing:]
            lower = intervals[0].name[1:].split(",")[0]
            upper = intervals[-1].name.split(",")[1]
            branch.name = f"{'*' if with_missing else ''}]{lower},{upper}"


def _letters(k):
    """A, B, ..., Z, AA, AB, ...: the names of dimensions in those of nodes."""
    letters = ""
    k += 1
    while k > 0:
        k, rest = divmod(k - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
