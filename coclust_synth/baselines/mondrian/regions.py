"""Mondrian's regions: the axes that columns are cut along, and the cutting.

The regions of one depth are cut together, so that privacy models are asked of all their
pieces in a few calls. Rows are sorted by each column once; cutting keeps the order.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd

from coclust_synth.baselines.mondrian._kernels import Axes, gather_pieces, mark_pieces
from coclust_synth.privacy.classes import count_matrix
from coclust_synth.privacy.models.sensitive import SensitiveModel
from coclust_synth.tables.column import ORDERED_KINDS
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

MISSING_PLACE = 2.0  # farther from every value than they are from each other


def column_axes(
    columns: Sequence,
    leaves: Sequence,
    codes: np.ndarray,
    hierarchies: Mapping[str, GeneralizationHierarchy],
    weights: Sequence[np.ndarray],
) -> Axes:
    """Axes of some columns, those of fewest leaves first.

    Parameters
    ----------
    columns, leaves, codes
        As `code_leaves` gives them.
    hierarchies : mapping of column name to GeneralizationHierarchy
        Leaves are in the order of the tree, and parted with its nodes.
    weights : sequence of ndarray of float64, shape (n_leaves,)
        For each column what its leaves are ordered by where they have no order,
        decreasing.

    Returns
    -------
    Axes
    """
    found = []
    for column, own, code, weight in zip(
        columns, leaves, codes.T, weights, strict=True
    ):
        hierarchy = hierarchies.get(column.name)
        if hierarchy is not None:
            found.append(_tree_axis(hierarchy, own, code))
        elif column.kind in ORDERED_KINDS:
            found.append((code, _places(own), False, None, None))
        else:
            by_weight = np.argsort(-weight, kind="stable")
            place = np.arange(len(weight), dtype=np.float64)
            found.append((np.argsort(by_weight)[code], place, True, None, None))
    found.sort(key=lambda axis: len(axis[1]))
    ranks, places, counted, nodes, unders = zip(*found, strict=True)
    offsets = np.concatenate([[0], np.cumsum([len(place) for place in places])])
    heights = [0 if own is None else len(own) - 1 for own in nodes]
    node = np.zeros((max(heights) + 1, offsets[-1]), dtype=np.int64)
    under = np.zeros(node.shape)
    for j, height in enumerate(heights):
        if height:
            here = slice(offsets[j], offsets[j + 1])
            node[: height + 1, here], under[: height + 1, here] = nodes[j], unders[j]
    return Axes(
        np.stack(ranks).astype(np.int32),
        offsets.astype(np.int64),
        np.array(heights, dtype=np.int64),
        np.concatenate(places),
        np.array(counted),
        node,
        under,
    )


def _places(own):
    """Place of each leaf of an ordered column, 0 to 1: of numbers, else of ranks."""
    values = [leaf for leaf in own.leaves if leaf is not None]
    if not all(isinstance(value, Real | Decimal) for value in values):
        values = range(len(values))
    values = np.array(values, dtype=np.float64)
    if len(values):
        # By a power of 2, so that no difference is beyond the largest float.
        values = np.ldexp(values, -np.frexp(np.abs(values).max())[1])
        values = (values - values[0]) / max(
            values[-1] - values[0], np.finfo(float).tiny
        )
    return np.append(values, np.full(len(own.leaves) - len(values), MISSING_PLACE))


def _tree_axis(hierarchy, own, code):
    """Leaves in the order of the tree: those of every node follow each other."""
    nodes = np.array([hierarchy.node_of(i) for i in range(hierarchy.height + 1)])
    in_tree = np.lexsort(nodes)  # by the last level, the root, first
    leaf = hierarchy.leaf_codes(pd.Series(list(own.leaves), dtype=object))
    sizes = np.array([np.bincount(level)[level] for level in nodes])
    under = (sizes - 1) / max(hierarchy.n_leaves - 1, 1)
    rank = np.argsort(in_tree)[leaf][code]
    place = np.arange(hierarchy.n_leaves, dtype=np.float64)
    return rank, place, True, nodes[:, in_tree], under[:, in_tree]


def cut_regions(
    axes: Axes,
    propose: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]],
    models: Sequence[SensitiveModel],
) -> np.ndarray:
    """Cut all rows in ever smaller regions.

    Parameters
    ----------
    axes : Axes
        Of n rows.
    propose : callable
        Of the order and the bounds of the regions: the columns and the cuts of each,
        best first, as the kernels give them.
    models : sequence of SensitiveModel
        The first cut is made whose pieces all hold; none if there is no such.

    Returns
    -------
    ndarray of int64, shape (n,)
        Region of each row, from 0 without gaps.
    """
    n = axes.rank.shape[1]
    # Rows that tie in a column are in the order of the others.
    rows = np.lexsort(axes.rank[::-1])
    order = np.stack(
        [rows[np.argsort(rank[rows], kind="stable")] for rank in axes.rank]
    )
    bounds = np.array([0, n])
    classes = np.empty(n, dtype=np.int64)
    n_classes = 0
    while len(bounds) > 1:
        columns, cuts = propose(order, bounds)
        chosen = _chosen(axes, order, bounds, columns, cuts, models)
        whole = chosen < 0
        region = np.repeat(np.arange(len(whole)), np.diff(bounds))
        done = whole[region]
        classes[order[0][done]] = (n_classes + np.cumsum(whole) - 1)[region[done]]
        n_classes += int(whole.sum())
        piece, _ = _pieces(
            axes, order, bounds, np.flatnonzero(~whole), chosen, columns, cuts
        )
        sizes = np.bincount(piece[piece >= 0])
        bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        order = gather_pieces(order, piece, bounds)
    return classes


def _chosen(axes, order, bounds, columns, cuts, models):
    """The first cut of each region whose pieces hold every model; -1 if none does."""
    chosen = np.where(columns[:, 0] >= 0, 0, -1)
    tried = np.flatnonzero(chosen >= 0)
    while models and len(tried):
        piece, owner = _pieces(axes, order, bounds, tried, chosen, columns, cuts)
        rows = np.flatnonzero(piece >= 0)
        holds = np.ones(len(owner), dtype=bool)
        for model in models:
            shape = (len(owner), model.n_codes)
            counts = count_matrix(piece[rows], model.codes[rows], shape)
            holds &= model.holds(counts)
        tried = np.unique(owner[~holds])
        following = chosen[tried] + 1
        left = following < columns.shape[1]
        left[left] = columns[tried[left], following[left]] >= 0
        chosen[tried] = np.where(left, following, -1)
        tried = tried[left]
    return chosen


def _pieces(axes, order, bounds, regions, chosen, columns, cuts):
    """Piece of each row that some regions are cut in, else -1; region of each piece."""
    piece = np.full(axes.rank.shape[1], -1, dtype=np.int64)
    which = regions, chosen[regions]
    owner = mark_pieces(
        axes, order, bounds, regions, columns[which], cuts[which], piece
    )
    return piece, owner
