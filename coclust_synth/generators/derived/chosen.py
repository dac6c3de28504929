"""The derived hierarchy of a column or the built-in one, whichever tells more.

What a column tells is the mutual information of its nodes with the parts of each other
column, summed over these; over N rows, and less what so many nodes and parts would have
by chance (Miller and Madow's correction [1]_)::

    I = sum n_ij / N log(n_ij N / (n_i n_j)) - (nodes - 1) (parts - 1) / (2 N)

Where (nodes - 1) (parts - 1) is above N, as of a column of nearly as many parts as
rows, that can be far below 0 and would take away what others are told: it is 0 there.
Of fewer it is 0 on average where there is nothing to tell. The share of a level is its
information over the largest of any level, and 0 if that is none. Two hierarchies of a
column are compared by the area under their information over the logarithm of the number
of nodes: what is left on the way from values to the root.

References
----------
.. [1] G. A. Miller, "Note on the bias of information estimates", in Information Theory
   in Psychology, 1955.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.hierarchies.built_in import built_in_hierarchy
from coclust_synth.tables.hierarchies.columns import code_leaves
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues

BUILT_IN = ("auto", "never", "always")
#: A built-in hierarchy, which reads as people write, is taken if it tells this share of
#: what the derived one does, which was fitted to these rows.
_AS_MUCH = 0.95


def chosen_hierarchies(
    derived: Mapping[str, GeneralizationHierarchy],
    table: TableValues,
    schema: Schema,
    parts: Mapping[str, NDArray[np.integer]],
    *,
    built_in: str,
    max_levels: int | None,
) -> dict[str, GeneralizationHierarchy]:
    """For each column its derived hierarchy or the built-in one, with information.

    Parameters
    ----------
    derived : mapping of column name to GeneralizationHierarchy
    table : TableValues of n rows
    schema : Schema
        Complete, of these columns.
    parts : mapping of column name to ndarray of int, shape (n,)
        Part of each cell, from -1: what information is about.
    built_in : {"auto", "never", "always"}
        When a built-in hierarchy is taken: where it tells as much by the measure of
        this module, or wherever there is one.
    max_levels : int or None

    Returns
    -------
    dict of str to GeneralizationHierarchy
    """
    columns, leaves, codes = code_leaves(table, schema)
    found = {}
    for column, own, code in zip(columns, leaves, codes.T, strict=True):
        name = column.name
        beside = [codes for other, codes in parts.items() if other != name]
        others = np.column_stack([*beside, np.zeros(len(code), dtype=np.int64)])
        chosen = derived[name]
        information = level_information(chosen, code, others)
        suggested, origin = None, "derived"
        if built_in != "never":
            suggested = built_in_hierarchy(column, own)
        if suggested is not None:
            theirs = level_information(suggested, code, others)
            if max_levels is not None:
                suggested, theirs = _of_levels(suggested, theirs, max_levels)
            own_area, area = (
                area_under(chosen, information),
                area_under(suggested, theirs),
            )
            origin = f"derived, which tells {own_area:.3f}; the built-in one {area:.3f}"
            if built_in == "always" or area >= _AS_MUCH * own_area:
                chosen, information = suggested, theirs
                origin = (
                    f"built-in, which tells {area:.3f}; the derived one {own_area:.3f}"
                )
        most = information.max()
        shares = information / most if most > 0 else information
        shares = tuple(shares.tolist())
        found[name] = replace(chosen, information=shares, origin=origin)
    return found


def _of_levels(hierarchy, information, max_levels):
    """The levels of a hierarchy that tell most, and what these tell."""
    n_nodes = [len(labels) for labels in hierarchy.labels]
    kept = kept_levels(n_nodes, information[0] - information, max_levels)
    of_levels = GeneralizationHierarchy.from_partitions(
        hierarchy.name,
        hierarchy.leaves,
        [hierarchy.node_of(level) for level in kept],
        [hierarchy.labels[level] for level in kept],
        ordered=hierarchy.ordered,
    )
    return of_levels, information[kept]


def level_information(
    hierarchy: GeneralizationHierarchy,
    leaf_codes: NDArray[np.integer],
    others: NDArray[np.integer],
) -> NDArray[np.float64]:
    """What the nodes of each level tell of other columns.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    leaf_codes : ndarray of int, shape (n,)
        Leaf of each row.
    others : ndarray of int, shape (n, d)
        Part of each row in each other column, from -1.

    Returns
    -------
    ndarray of float64, shape (height + 1,)
        In nats, not below 0.

    Examples
    --------
    >>> lines = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")]
    >>> pet = GeneralizationHierarchy.from_lines("pet", lines)
    >>> codes = np.repeat([0, 1, 2], 200)
    >>> level_information(pet, codes, (codes == 2)[:, np.newaxis]).round(2).tolist()
    [0.64, 0.64, 0.0]
    """
    levels = [hierarchy.node_of(level) for level in range(hierarchy.height + 1)]
    found = np.zeros(len(levels))
    for parts in others.T:
        own = np.unique(parts, return_inverse=True)[1]
        shape = (hierarchy.n_leaves, int(own.max()) + 1)
        counts = np.zeros(shape)
        np.add.at(counts, (leaf_codes, own), 1)
        for level, nodes in enumerate(levels):
            of_nodes = np.zeros((int(nodes.max()) + 1, shape[1]))
            np.add.at(of_nodes, nodes, counts)
            found[level] += _information(of_nodes[of_nodes.any(axis=1)])
    # No level knows less than a coarser one: what is left of chance is not told.
    return np.maximum.accumulate(np.maximum(found, 0)[::-1])[::-1]


def area_under(
    hierarchy: GeneralizationHierarchy, information: NDArray[np.float64]
) -> float:
    """Information over the logarithm of the number of nodes, from the root on.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
        Of two leaves or more.
    information : ndarray of float64, shape (height + 1,)
    """
    sizes = np.log([len(labels) for labels in hierarchy.labels])[::-1]
    return float(np.trapezoid(information[::-1], sizes / sizes[-1]))


def _information(counts):
    n = counts.sum()
    rows, columns = counts.sum(axis=1, keepdims=True), counts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = counts / n * np.log(counts * n / (rows * columns))
    found = np.nansum(terms)
    n_free = (len(counts) - 1) * (len(columns) - 1)
    found -= n_free / (2 * n)
    return max(float(found), 0.0) if n_free > n else float(found)


def kept_levels(
    n_nodes: Sequence[int], costs: Sequence[float], max_levels: int
) -> list[int]:
    """Levels that tell most, spread from single values to the root.

    Between the values and the root, numbers of nodes are parted into as many ranges of
    one ratio as levels are wanted. Of each range that level is kept whose merging costs
    most, which is where a dendrogram is cut; places that are left go to the costliest
    of the others.

    Parameters
    ----------
    n_nodes : sequence of int
        Nodes of each level, decreasing; the last is the root.
    costs : sequence of float
        Cost of the grid where each level begins, increasing (nats).
    max_levels : int
        From 2: the values and the root.

    Returns
    -------
    list of int
        Increasing; the first and the last level are among them.

    Examples
    --------
    >>> kept_levels([9, 8, 7, 4, 3, 1], [0, 0, 1, 2, 9, 11], 4)
    [0, 3, 4, 5]
    """
    last = len(n_nodes) - 1
    if last < max_levels:
        return list(range(last + 1))
    n_wanted = max_levels - 2
    losses = np.diff(costs)
    inner = sorted(range(1, last), key=lambda level: (-losses[level], level))
    shares = np.log(n_nodes) / np.log(n_nodes[0])
    ranges: set = set()
    kept: list[int] = []
    for level in inner:
        of = min(int(shares[level] * n_wanted), n_wanted - 1)
        if of not in ranges and len(kept) < n_wanted:
            ranges.add(of)
            kept.append(level)
    kept += [level for level in inner if level not in kept][: n_wanted - len(kept)]
    return sorted([0, *kept, last])
