"""Labels that stand for all values of a class, of its rows or of the nodes above."""

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.column import ORDERED_KINDS
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.covering import (
    ALL,
    MISSING,
    covering_nodes,
    leaves_in,
    named_once,
)
from coclust_synth.tables.labels import distinct_labels

MAX_CELLS = 1e9  # values by label, of one byte and held three times: about 3 GB


def check_label_memory(names, n_values, n_labels):
    """Refuse what would need more values by label than fit in memory.

    Parameters
    ----------
    names : sequence of d str
        Of the columns.
    n_values, n_labels : sequence of d int
        Values that a label of each can stand for, and labels that there can be.

    Raises
    ------
    ParameterError
    """
    n_cells = np.multiply(n_values, n_labels, dtype=np.float64)
    widest = int(n_cells.argmax())
    if n_cells[widest] > MAX_CELLS:
        raise ParameterError(
            f"Expected at most {MAX_CELLS:.2g} values by label in a column. Received "
            f"about {n_cells[widest]:.2g} in {names[widest]!r}, of "
            f"{n_values[widest]:,} values and up to {n_labels[widest]:,} labels. Leave "
            "it out, round its values, or choose a larger k."
        )


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
        hierarchy = (hierarchies or {}).get(column.name)
        if hierarchy is not None:
            members = _covers(codes, classes, own.missing)
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
        cover = _intervals if ordered and intervals else _covers
        members = cover(codes, classes, own.missing)
        found.append(
            GeneralizedColumn.from_members(
                column.name, own.leaves, ordered, members, classes, None, own.texts
            )
        )
    return tuple(found)


def node_column(name, hierarchy, leaf_codes, node_of, labels, suppressed):
    """A column whose values are released as nodes, the same for all of its rows.

    Parameters
    ----------
    name : str
    hierarchy : GeneralizationHierarchy
    leaf_codes : ndarray of int, shape (n,)
        Leaf of each row.
    node_of : ndarray of int, shape (n_leaves,)
        Node that each leaf is released as.
    labels : sequence of str
        Of the nodes. A single one is the root, which stands for all values.
    suppressed : ndarray of bool, shape (n,)
        Rows that are released as the root.

    Returns
    -------
    GeneralizedColumn

    Raises
    ------
    ParameterError
        As of `check_label_memory`.
    """
    is_all = suppressed | (len(labels) == 1)
    if len(labels) > 1:
        labels = (ALL, *labels)
    # An empty text would read as a missing label.
    texts = distinct_labels([label or MISSING for label in labels], with_missing=False)
    # Of the root, which is -1, and the nodes that have rows.
    used, sets = np.unique(
        np.where(is_all, -1, node_of[leaf_codes]), return_inverse=True
    )
    check_label_memory([name], [hierarchy.n_leaves], [len(used)])
    members = (used[:, np.newaxis] < 0) | (node_of == used[:, np.newaxis])
    return GeneralizedColumn.from_members(
        name,
        hierarchy.leaves,
        hierarchy.ordered,
        members,
        sets,
        [texts[node + 1] for node in used],
    )


def _covers(codes, classes, missing):
    """Leaves that occur in each class, bool (n_classes, n_leaves)."""
    members = np.zeros((int(classes.max()) + 1, len(missing)), dtype=bool)
    members[classes, codes] = True
    return members


def _intervals(codes, classes, missing):
    """The same with all leaves between the lowest and the highest; missing is apart."""
    n_classes, n_leaves = int(classes.max()) + 1, len(missing)
    members = np.zeros((n_classes, n_leaves), dtype=bool)
    absent = missing[codes]
    members[classes[absent], codes[absent]] = True
    lowest, highest = np.full(n_classes, n_leaves), np.full(n_classes, -1)
    present = classes[~absent], codes[~absent]
    np.minimum.at(lowest, *present)
    np.maximum.at(highest, *present)
    for own, first, last in zip(members, lowest, highest, strict=True):
        own[first : last + 1] = True
    return members
