"""The derived hierarchy of a column or the built-in one, whichever tells more."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.derived.information import area_under, level_information
from coclust_synth.generators.derived.levels import kept_levels
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
        `coclust_synth.generators.derived.information`, or wherever there is one.
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
