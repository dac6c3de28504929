"""From a grid and its merges to a co-clustering report of Khiops, and its trees."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.modl.data_grid.importance import interests, typicalities
from coclust_synth.reports.khiops.axes import (
    MISSING,
    NumericAxis,
    PartsAxis,
    default_group,
    intervals,
    values_name,
)
from coclust_synth.reports.khiops.report import (
    CoclusteringReport,
    Interval,
    Node,
    ReportDimension,
    Summary,
    ValueGroup,
)


@dataclass(eq=False)
class _Branch:
    """A node of a tree that is being built; ties are broken by its `text`."""

    name: str
    text: str
    frequency: int
    interest: float
    first_part: int
    step: int | None = None
    children: tuple = ()


class Tree:
    """The merges of one dimension, as a tree of its parts.

    Parameters
    ----------
    parts : sequence of ValueGroup or of Interval
    totals, interest : sequence of int and of float
        Observations and interest of each.
    """

    def __init__(self, parts, totals, interest):
        self.is_numeric = isinstance(parts[0], Interval)
        self.branches = [
            _Branch(part.name, _text(part), int(total), float(share), i)
            for i, (part, total, share) in enumerate(
                zip(parts, totals, interest, strict=True)
            )
        ]

    def merge(self, kept, absorbed, step, name):
        """Put two branches together under a name, which intervals do not need."""
        pair = self.branches[kept], self.branches[absorbed]
        left, right = sorted(pair, key=lambda branch: branch.first_part)
        if self.is_numeric:
            name = _union_name(left.name, right.name)
        frequency = left.frequency + right.frequency
        weighted = left.frequency * left.interest + right.frequency * right.interest
        self.branches[kept] = _Branch(
            name, name, frequency, weighted / frequency, left.first_part, step, pair
        )
        self.branches[absorbed] = None

    def number(self, levels, n_parts):
        """Order of the parts, and the nodes of the report.

        Parameters
        ----------
        levels : list of float
            Level after each merge of all dimensions.
        n_parts : int
            Parts of the best grid, summed over the dimensions.

        Returns
        -------
        order : list of int
            The parts from left to right.
        nodes : tuple of Node
            Leaves first.
        """
        order, leaves, inner = [], [], []
        for rank, (branch, parent) in enumerate(self._infix(), start=1):
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

    def _infix(self):
        """Branches with the names of their parents, from left to right."""
        root = next(branch for branch in self.branches if branch is not None)
        # A stack, since a tree of merges can be as deep as it has parts.
        stack = [(root, "", False)]
        while stack:
            branch, parent, is_open = stack.pop()
            if is_open or not branch.children:
                yield branch, parent
                continue
            left, right = sorted(branch.children, key=self._place)
            stack.append((right, branch.name, False))
            stack.append((branch, parent, True))
            stack.append((left, branch.name, False))

    def _place(self, branch):
        if self.is_numeric:
            return branch.first_part
        # Rounding must not break ties.
        return (-round(branch.interest, 9), -branch.frequency, branch.text)


def _text(part):
    """What tells a part from others of equal interest and frequency."""
    return part.values[0] if isinstance(part, ValueGroup) else part.name


def _union_name(left, right):
    """Name of two neighbours together, ``*`` where missing values are in it."""
    if left == MISSING:
        return f"*{right}"
    return f"{left.split(',')[0]},{right.split(',')[1]}"


def merge_name(k, n_left):
    """Name of a merge of dimension `k` that `n_left` others are to follow."""
    return f"{_letters(k)}{n_left + 1}"


def _letters(k):
    """A, B, ..., Z, AA, AB, ...: the names of dimensions in those of nodes."""
    letters = ""
    k += 1
    while k > 0:
        k, rest = divmod(k - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


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
            np.flatnonzero(records.labels[k] == cluster).tolist(), key=place.__getitem__
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
