"""From classes and their covers to the generalised columns that are released."""

import numpy as np

from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.covering import (
    covering_nodes,
    leaves_in,
    named_once,
)
from coclust_synth.tables.generalized.value_sets import ALL


def release_columns(coding, classes, leaf_sets, hierarchies):
    """The generalised columns of some classes.

    Parameters
    ----------
    coding : LeafCoding
    classes : ndarray of int64, shape (n,)
        Class of each row; -1 if it is suppressed.
    leaf_sets : list of (members, sets)
        Cover of each class, as of `LeafCoding.leaf_sets`.
    hierarchies : mapping of column name to GeneralizationHierarchy
        Columns whose labels are nodes.

    Returns
    -------
    tuple of GeneralizedColumn
    """
    # Suppressed rows are one class more, whose labels stand for everything.
    extended = np.where(classes < 0, len(leaf_sets[0][1]), classes)
    columns = []
    for j, (members, sets) in enumerate(leaf_sets):
        column, leaves, labels = coding.columns[j], coding.leaves[j].leaves, None
        texts = coding.leaves[j].texts
        if column.name in hierarchies:
            hierarchy = hierarchies[column.name]
            members = leaves_in(members, leaves, hierarchy)
            leaves = hierarchy.leaves
            members, labels = covering_nodes(members, hierarchy)
            members = np.vstack([members, np.ones(len(leaves), dtype=bool)])
            labels = named_once(members, [*labels, ALL])
            texts = None  # the labels are those of the nodes
        else:
            members = np.vstack([members, np.ones(len(leaves), dtype=bool)])
        set_of_row = np.append(sets, len(members) - 1)[extended]
        ordered = coding.is_ordered[j]
        columns.append(
            GeneralizedColumn.from_members(
                column.name, leaves, ordered, members, set_of_row, labels, texts
            )
        )
    return tuple(columns)
