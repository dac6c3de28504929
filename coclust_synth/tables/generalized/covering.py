"""The nodes of hierarchies that cover sets of leaves, and how they are labelled."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.generalized.value_sets import MISSING, packed_sets
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.labels import distinct_labels


def check_hierarchies(
    hierarchies: Mapping[str, GeneralizationHierarchy],
    frame: pd.DataFrame,
    names: tuple[str, ...],
) -> dict[str, GeneralizationHierarchy]:
    """Refuse hierarchies that are not of these columns, or lack a value of them.

    Parameters
    ----------
    hierarchies : mapping of column name to GeneralizationHierarchy
    frame : DataFrame
    names : tuple of str
        The columns that may have one, such as the quasi-identifiers.

    Returns
    -------
    dict
        The same.

    Raises
    ------
    ParameterError
        If this is no such mapping, or one is of another column.
    SchemaError
        If a value of the column is no leaf.
    """
    wrong = [hierarchies]
    if isinstance(hierarchies, Mapping):
        wrong = [
            own
            for own in hierarchies.values()
            if not isinstance(own, GeneralizationHierarchy)
        ]
    if wrong:
        raise ParameterError(
            "Expected hierarchies as a mapping of column names to "
            "GeneralizationHierarchy. Received an object of type "
            f"{type(wrong[0]).__name__}. Make them by from_lines, or read them."
        )
    given = dict(hierarchies)
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ParameterError(
            f"Expected hierarchies of the columns {', '.join(map(repr, names))}. "
            f"Received one of {unknown[0]!r}. Leave it out, or name it among them."
        )
    for name, hierarchy in given.items():
        hierarchy.leaf_codes(frame[name])  # refuses a value that is no leaf
    return given


def hierarchies_of_all(
    hierarchies: Mapping[str, GeneralizationHierarchy] | None,
    frame: pd.DataFrame,
    names: tuple[str, ...],
) -> list[GeneralizationHierarchy]:
    """The hierarchies of quasi-identifiers, in their order, each of which has one.

    Parameters
    ----------
    hierarchies, frame, names
        As of `check_hierarchies`; None stands for no hierarchies.

    Raises
    ------
    ParameterError, SchemaError
        As `check_hierarchies` does, and ParameterError if a column has none.
    """
    given = {}
    if hierarchies is not None:
        given = check_hierarchies(hierarchies, frame, names)
    lacking = [name for name in names if name not in given]
    if lacking:
        raise ParameterError(
            "Expected a hierarchy for every quasi-identifier. Received none of "
            f"{', '.join(map(repr, lacking))}. Add them to hierarchies, or name "
            "other quasi-identifiers."
        )
    return [given[name] for name in names]


def leaves_in(members, leaves, hierarchy):
    """Sets of the leaves of a column as sets of those of its hierarchy.

    Parameters
    ----------
    members : ndarray of bool, shape (n_sets, n_own)
    leaves : sequence of n_own values
    hierarchy : GeneralizationHierarchy
        Of m leaves, these among them.

    Returns
    -------
    ndarray of bool, shape (n_sets, m)
    """
    place = hierarchy.leaf_codes(pd.Series(list(leaves), dtype=object))
    found = np.zeros((len(members), hierarchy.n_leaves), dtype=bool)
    found[:, place] = members
    return found


def covering_nodes(members, hierarchy):
    """Lowest node that covers each set of leaves.

    Parameters
    ----------
    members : ndarray of bool, shape (n_sets, n_leaves)
        Leaves of each set, at least one, in the order of those of the hierarchy.
    hierarchy : GeneralizationHierarchy

    Returns
    -------
    members : ndarray of bool, shape (n_sets, n_leaves)
        Leaves under the node of each set.
    labels : list of str
        Label of the node.
    """
    _, first, inverse = np.unique(
        packed_sets(members), return_index=True, return_inverse=True
    )
    distinct = members[first]
    covered, labels = np.empty_like(distinct), []
    for own, leaves in zip(covered, distinct, strict=True):
        level, node = hierarchy.covering(np.flatnonzero(leaves))
        own[:] = hierarchy.node_of(level) == node
        labels.append(hierarchy.labels[level][node])
    return covered[inverse], [labels[i] for i in inverse]


def named_once(members, labels):
    """The labels of sets of leaves, numbered where different sets have the same.

    The empty text, which hierarchies write for missing values, would read as a missing
    label.

    Parameters
    ----------
    members : ndarray of bool, shape (n_sets, n_leaves)
    labels : sequence of n_sets str

    Returns
    -------
    list of n_sets str
    """
    _, first, inverse = np.unique(
        packed_sets(members), return_index=True, return_inverse=True
    )
    texts = distinct_labels([labels[i] or MISSING for i in first], with_missing=False)
    return [texts[i] for i in inverse]
