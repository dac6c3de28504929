"""Where a grid that is shown comes from: a report of Khiops, or a saved model."""

import os
import zipfile
from collections import defaultdict
from pathlib import Path

import numpy as np

from coclust_synth.exceptions import ModelFileError
from coclust_synth.generators.plain.composition import cluster_composition
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.modl.criterion.terms import Dimension
from coclust_synth.modl.data_grid.data_grid import DataGrid
from coclust_synth.modl.data_grid.importance import interests
from coclust_synth.plotting.clusters import ShownGrid, typicality
from coclust_synth.reports.khiops.files import read_khiops_report
from coclust_synth.reports.khiops.report import CoclusteringReport
from coclust_synth.reports.view.grid import ViewedDimension, ViewedGrid, sorted_cells

#: Names of the dimensions of a table of individuals by parts.
_TABLE = ("id", "part")
_MAX_INNER = 12  # values in the text of a group of them that is a value itself


def read_grid(path: str | os.PathLike) -> ViewedGrid:
    """Read a grid from a file.

    Parameters
    ----------
    path : path
        A model of `coclust-synth fit`, or a co-clustering report of Khiops, of
        `coclust-synth cocluster` or of `coclust-synth grid`.

    Returns
    -------
    ViewedGrid

    Raises
    ------
    ModelFileError
        If it is none of these, truncated, of another version, or has no grid of two
        dimensions.
    """
    path = Path(path)
    if not path.is_file():
        raise ModelFileError(
            f"Expected a model or a co-clustering report in {str(path)!r}. Received no "
            "such file. Check the path."
        )
    if _is_archive(path):
        return grid_of_model(PlainModel.load(path), name=path.name)
    return grid_of_report(read_khiops_report(path), name=path.name)


def _is_archive(path):
    """Whether a file is a model: a truncated one still begins as all of them do."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04" or zipfile.is_zipfile(path)
    except OSError as error:
        raise ModelFileError(
            f"Expected to be able to read {str(path)!r}. Received: {error.strerror}. "
            "Check the path."
        ) from None


# --- reports ----------------------------------------------------------------


def grid_of_report(report: CoclusteringReport, *, name: str = "") -> ViewedGrid:
    """The grid of a co-clustering report.

    Parameters
    ----------
    report : CoclusteringReport
    name : str
        By default the table's that it is of.

    Returns
    -------
    ViewedGrid

    Raises
    ------
    ModelFileError
        If it has fewer than two dimensions, or pieces that do not fit together.
    """
    name = name or report.summary.database
    if len(report.dimensions) < 2 or not report.cell_parts:
        names = ", ".join(repr(dimension.name) for dimension in report.dimensions)
        raise ModelFileError(
            "Expected a co-clustering of two dimensions or more. Received "
            f"{len(report.dimensions)}{names and f' ({names})'}, and "
            f"{len(report.cell_parts)} cells: no structure was found. There is no grid "
            "to look at."
        )
    try:
        return _grid_of_report(report, name)
    except (KeyError, IndexError, TypeError, ValueError):
        raise ModelFileError(
            f"Expected a co-clustering report in {name!r} whose parts, hierarchies and "
            "cells fit together. Received one where they do not. Write it again."
        ) from None


def _grid_of_report(report, name):
    orders, dimensions, numbers, inner = [], [], [], []
    for axis, dimension in enumerate(report.dimensions):
        leaves = {node.name: node for node in dimension.hierarchy if node.is_leaf}
        ranks = [leaves[part.name].rank for part in dimension.parts]
        orders.append(np.argsort(ranks))
        merges = [node for node in dimension.hierarchy if not node.is_leaf]
        merges.sort(key=lambda node: -node.hierarchical_rank)
        inner += [(axis, node) for node in merges]
        dimensions.append(_dimension_of(report, axis, orders[axis], merges))
        nodes = dimensions[axis].nodes
        numbers.append({node: i for i, node in enumerate(nodes)})
        if len(numbers[axis]) != 2 * len(dimension.parts) - 1:
            raise ValueError("nodes")
    inner.sort(key=lambda pair: -pair[1].hierarchical_rank)
    cells = np.array(report.cell_parts, dtype=np.int64)
    counts = np.array(report.cell_frequencies, dtype=np.int64)
    shape = np.array(list(map(len, orders)))
    is_whole = cells.shape == (len(counts), len(shape)) and (counts > 0).all()
    if not is_whole or (cells < 0).any() or (cells >= shape).any():
        raise ValueError("cells")
    places = [np.argsort(order)[cells[:, axis]] for axis, order in enumerate(orders)]
    cells, counts = sorted_cells(np.column_stack(places), counts)
    first = (n.level for d in report.dimensions for n in d.hierarchy if n.is_leaf)
    return ViewedGrid(
        name,
        tuple(dimensions),
        cells,
        counts,
        _merges_of(report, numbers, inner),
        np.clip([min(first), *(node.level for _, node in inner)], 0.0, 1.0),
        report.summary.cost,
        report.summary.null_cost,
    )


def _merges_of(report, numbers, inner):
    """(dimension, left node, right node) of each merge; ValueError if it is no tree."""
    children = defaultdict(list)
    runs = {}
    for axis, dimension in enumerate(report.dimensions):
        for node in sorted(dimension.hierarchy, key=lambda node: node.rank):
            children[axis, node.parent].append(numbers[axis][node.name])
        runs |= {(axis, i): (i, i) for i in range(len(dimension.parts))}
    merges = []
    for axis, node in inner:
        left, right = children[axis, node.name]
        # Children come before; a node is a run of parts.
        (start, middle), (following, end) = runs[axis, left], runs[axis, right]
        if following != middle + 1:
            raise ValueError("order")
        runs[axis, numbers[axis][node.name]] = (start, end)
        merges.append((axis, left, right))
    return tuple(merges)


def _dimension_of(report, axis, order, merges):
    dimension = report.dimensions[axis]
    leaves = {node.name: node for node in dimension.hierarchy if node.is_leaf}
    parts = [dimension.parts[i] for i in order]
    own = [leaves[part.name] for part in parts]
    groups = [] if dimension.is_numeric else parts
    if not all(map(_is_whole, groups)):
        raise ValueError("values")
    texts = _texts_of_inner(dimension)
    empty = tuple(() for _ in parts)
    return ViewedDimension(
        dimension.name,
        _kind(report, axis),
        tuple(part.name for part in parts),
        np.array([node.frequency for node in own], dtype=np.int64),
        np.array([node.interest for node in own], dtype=np.float64),
        tuple(tuple(texts.get(v, v) for v in g.values) for g in groups) or empty,
        tuple(group.frequencies for group in groups) or empty,
        # Khiops writes zeros for variable parts, of which none is typical.
        tuple(
            group.typicalities if any(group.typicalities or ()) else ()
            for group in groups
        )
        or empty,
        tuple(len(group.values) for group in groups),
        tuple(node.name for node in merges),
    )


def _is_whole(group):
    """Whether a group has values, and each a frequency and a typicality."""
    n = len(group.values)
    lengths = {n, len(group.frequencies), len(group.typicalities or group.values)}
    texts = (group.name, *group.values)
    return n > 0 and lengths == {n} and all(isinstance(text, str) for text in texts)


def _kind(report, axis):
    if report.dimensions[axis].is_numeric:
        return "numerical"
    # Individuals and parts, as `cocluster` and Khiops write them.
    others = [d for k, d in enumerate(report.dimensions) if k != axis]
    names = report.dimensions[axis].name, others[0].name
    is_table = len(others) == 1 and (others[0].inner_variables or names == _TABLE)
    return "individuals" if is_table else "categorical"


def _texts_of_inner(dimension):
    """Texts of variable parts that are groups, which names cut after three values."""
    texts = {}
    for variable in dimension.inner_variables:
        if not variable.is_numeric:
            for group in variable.parts:
                shown = ", ".join(group.values[:_MAX_INNER])
                more = ", ..." if len(group.values) > _MAX_INNER else ""
                texts[group.name] = f"{variable.name} {{{shown}{more}}}"
    return texts


# --- models -----------------------------------------------------------------


def grid_of_model(model: PlainModel, *, name: str) -> ViewedGrid:
    """The grid of individuals and parts of a model that tables are drawn from.

    Clusters of individuals have numbers for names: a model knows nobody.

    Parameters
    ----------
    model : PlainModel
    name : str

    Returns
    -------
    ViewedGrid
    """
    dendrogram = model.dendrogram
    cells = np.argwhere(dendrogram.cells > 0)
    counts = dendrogram.cells[tuple(cells.T)]
    sizes = dendrogram.row_sizes, dendrogram.column_sizes
    totals = dendrogram.cells.sum(axis=1), dendrogram.cells.sum(axis=0)
    grid = DataGrid(cells, counts, tuple(map(Dimension, totals, sizes)), 0.0)
    trees = [
        _tree(dendrogram.merges.tolist(), axis, interests(grid, axis), totals[axis])
        for axis in (0, 1)
    ]
    orders = [order for order, _ in trees]
    composition = cluster_composition(model)
    typical = None
    if composition is not None:
        typical = typicality(composition, model.part_clusters)
    labels = model.coding.part_labels
    members = []
    for cluster in orders[1]:
        own = np.flatnonzero(model.part_clusters == cluster)
        told = typical if typical is not None else np.zeros(len(labels))
        members.append(own[np.lexsort((-model.part_counts[own], -told[own].round(9)))])
    unit = "persons" if model.by_person else "individuals"
    n_rows, n_columns = dendrogram.cells.shape
    dimensions = (
        ViewedDimension(
            unit,
            "individuals",
            tuple(f"cluster {i + 1}" for i in range(n_rows)),
            totals[0][orders[0]],
            interests(grid, 0)[orders[0]],
            ((),) * n_rows,
            ((),) * n_rows,
            ((),) * n_rows,
            tuple(sizes[0][orders[0]].tolist()),
            tuple(f"A{i + 1}" for i in range(n_rows - 1)),
        ),
        ViewedDimension(
            "part",
            "categorical",
            _distinct(_name(labels[v] for v in own) for own in members),
            totals[1][orders[1]],
            interests(grid, 1)[orders[1]],
            tuple(tuple(labels[v] for v in own) for own in members),
            tuple(tuple(model.part_counts[own].tolist()) for own in members),
            tuple(() if typical is None else tuple(typical[own]) for own in members),
            tuple(map(len, members)),
            tuple(f"B{i + 1}" for i in range(n_columns - 1)),
        ),
    )
    places = [np.argsort(order) for order in orders]
    cells, counts = sorted_cells(
        np.column_stack([places[k][cells[:, k]] for k in (0, 1)]), counts
    )
    return ViewedGrid(
        name,
        dimensions,
        cells,
        counts,
        _in_time(dendrogram.merges.tolist(), [merges for _, merges in trees]),
        dendrogram.information,
        float(dendrogram.best_cost),
        dendrogram.null_cost,
    )


def grid_of_shown(shown: ShownGrid) -> ViewedGrid:
    """The grid of a level that pictures show; see `grid_of_model`.

    Parameters
    ----------
    shown : ShownGrid

    Returns
    -------
    ViewedGrid
        Without its costs, which are 0.
    """
    cells = np.argwhere(shown.cells > 0)
    counts = shown.cells[tuple(cells.T)]
    totals = shown.cells.sum(axis=1), shown.cells.sum(axis=0)
    sizes = shown.individuals, np.array(list(map(len, shown.parts)))
    grid = DataGrid(cells, counts, tuple(map(Dimension, totals, sizes)), 0.0)
    n_rows, n_columns = shown.cells.shape
    merges = sorted(
        (step, axis, pair, kept)
        for axis, tree in enumerate(shown.trees)
        for step, pair, kept in zip(tree.steps, tree.merges, tree.kept, strict=True)
    )
    dimensions = (
        ViewedDimension(
            shown.unit,
            "individuals",
            tuple(f"cluster {i + 1}" for i in range(n_rows)),
            totals[0],
            interests(grid, 0),
            *(((),) * n_rows,) * 3,
            tuple(sizes[0].tolist()),
            tuple(f"A{i + 1}" for i in range(n_rows - 1)),
        ),
        ViewedDimension(
            "part",
            "categorical",
            _distinct(map(_name, shown.parts)),
            totals[1],
            interests(grid, 1),
            shown.parts,
            shown.frequencies,
            shown.typicalities,
            tuple(sizes[1].tolist()),
            tuple(f"B{i + 1}" for i in range(n_columns - 1)),
        ),
    )
    return ViewedGrid(
        "grid",
        dimensions,
        cells,
        counts,
        tuple((axis, *pair) for _, axis, pair, _ in merges),
        np.array([shown.information, *(kept for *_, kept in merges)]),
        0.0,
        0.0,
    )


def _tree(merges, axis, interest, totals):
    """Clusters of one side from left to right, and its merges as pairs of nodes.

    Nodes are numbered as in `ViewedGrid`; of two, that of larger interest is left.
    """
    branches = {
        i: (i, [i], float(share), max(int(total), 1))
        for i, (share, total) in enumerate(zip(interest, totals, strict=True))
    }
    pairs, n_parts = [], len(totals)
    for _, kept, absorbed in (merge for merge in merges if merge[0] == axis):
        left, right = branches[kept], branches.pop(absorbed)
        if round(right[2], 9) > round(left[2], 9):
            left, right = right, left
        total = left[3] + right[3]
        share = (left[2] * left[3] + right[2] * right[3]) / total
        node = n_parts + len(pairs)
        branches[kept] = (node, left[1] + right[1], share, total)
        pairs.append((left[0], right[0]))
    ((_, order, _, _),) = branches.values()
    place = {part: i for i, part in enumerate(order)}
    return np.array(order), [tuple(place.get(n, n) for n in pair) for pair in pairs]


def _in_time(merges, of_axes):
    """The merges of both sides in the order in which they are done."""
    following = [iter(pairs) for pairs in of_axes]
    return tuple((axis, *next(following[axis])) for axis, _, _ in merges)


def _name(values):
    first = [value for value, _ in zip(values, range(4), strict=False)]
    return "{" + ", ".join([*first[:3], "..."] if len(first) > 3 else first) + "}"


def _distinct(names):
    """Names, with a number where one was there before."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(found)
