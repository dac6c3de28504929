"""From classes and their covers to the generalised columns that are released."""

import numpy as np
import pandas as pd

from coclust_synth.generators.coc import covering_nodes
from coclust_synth.tables.generalized_column import GeneralizedColumn
from coclust_synth.tables.labels import distinct_labels
from coclust_synth.tables.value_sets import MISSING


def release_columns(coding, classes, kept, hierarchies):
    """The generalised columns of some classes.

    Parameters
    ----------
    coding : LeafCoding
    classes : ndarray of int64, shape (n,)
        Class of each row; -1 if it is suppressed.
    kept : ndarray of bool, shape (n_classes, V)
        Cover of each class, in groups of leaves.
    hierarchies : mapping of column name to GeneralizationHierarchy
        Columns whose labels are nodes.

    Returns
    -------
    tuple of GeneralizedColumn
    """
    # Suppressed rows are one class more, whose labels stand for everything.
    extended = np.where(classes < 0, len(kept), classes)
    columns = []
    for j, (members, sets) in enumerate(coding.leaf_sets(kept)):
        column, leaves, labels = coding.columns[j], coding.leaves[j].leaves, None
        texts = coding.leaves[j].texts
        if column.name in hierarchies:
            hierarchy = hierarchies[column.name]
            place = hierarchy.leaf_codes(pd.Series(list(leaves), dtype=object))
            leaves, ours = hierarchy.leaves, members
            members = np.zeros((len(ours), len(leaves)), dtype=bool)
            members[:, place] = ours
            members, labels = covering_nodes(members, hierarchy)
            labels = _named_once(members, [*labels, hierarchy.labels[-1][0]])
            texts = None  # the labels are those of the nodes
        members = np.vstack([members, np.ones(len(leaves), dtype=bool)])
        set_of_row = np.append(sets, len(members) - 1)[extended]
        ordered = coding.is_ordered[j]
        columns.append(
            GeneralizedColumn.from_members(
                column.name, leaves, ordered, members, set_of_row, labels, texts
            )
        )
    return tuple(columns)


def _named_once(members, labels):
    """The labels of sets of leaves, numbered where different sets have the same.

    The empty text, which hierarchies write for missing values, would read as a missing
    label.
    """
    members = np.vstack([members, np.ones(members.shape[1], dtype=bool)])
    _, first, inverse = np.unique(
        np.packbits(members, axis=1), axis=0, return_index=True, return_inverse=True
    )
    texts = distinct_labels([labels[i] or MISSING for i in first], with_missing=False)
    return [texts[i] for i in inverse.ravel()]
