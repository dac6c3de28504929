"""Labels that stand for all values of a class, of classes given by their rows."""

import numpy as np

from coclust_synth.tables.covering import covering_nodes, leaves_in, named_once
from coclust_synth.tables.generalized_column import GeneralizedColumn
from coclust_synth.tables.hierarchy_columns import ORDERED_KINDS


def class_columns(columns, leaves, leaf_codes, classes, *, intervals, hierarchies=None):
    """Columns whose label in each class covers the values of its rows.

    Parameters
    ----------
    columns : tuple of Column
    leaves : tuple of ColumnLeaves
        As `code_leaves` gives them.
    leaf_codes : ndarray of int32, shape (n, d)
    classes : ndarray of int64, shape (n,)
        Class of each row, from 0 without gaps.
    intervals : bool
        Whether labels of numbers, dates and ordinal values run from the lowest to the
        highest value; otherwise all labels are the sets of the values that occur.
    hierarchies : mapping of column name to GeneralizationHierarchy, optional
        Labels of these columns are nodes: the lowest that covers the values.

    Returns
    -------
    tuple of GeneralizedColumn
    """
    found = []
    for column, own, codes in zip(columns, leaves, leaf_codes.T, strict=True):
        ordered = column.kind in ORDERED_KINDS
        members = _covers(codes, classes, own.missing)
        if column.name in (hierarchies or {}):
            hierarchy = hierarchies[column.name]
            members = leaves_in(members, own.leaves, hierarchy)
            members, labels = covering_nodes(members, hierarchy)
            found.append(
                GeneralizedColumn.from_members(
                    column.name,
                    hierarchy.leaves,
                    ordered,
                    members,
                    classes,
                    named_once(members, labels),
                )
            )
            continue
        if ordered and intervals:
            members = _filled(members, own.missing)
        found.append(
            GeneralizedColumn.from_members(
                column.name, own.leaves, ordered, members, classes, None, own.texts
            )
        )
    return tuple(found)


def _covers(codes, classes, missing):
    """Leaves that occur in each class, bool (n_classes, n_leaves)."""
    members = np.zeros((int(classes.max()) + 1, len(missing)), dtype=bool)
    members[classes, codes] = True
    return members


def _filled(members, missing):
    """The same with all leaves between the lowest and the highest; missing is apart."""
    present = members & ~missing
    begun = np.logical_or.accumulate(present, axis=1)
    not_over = np.logical_or.accumulate(present[:, ::-1], axis=1)[:, ::-1]
    return members | (begun & not_over)
