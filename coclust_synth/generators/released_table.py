"""From classes and their covers to the table that is released, and what was done."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from coclust_synth.generators.coc import covering_nodes
from coclust_synth.generators.roles import release_values
from coclust_synth.privacy.classes import code_values
from coclust_synth.tables.generalized import GeneralizedTable
from coclust_synth.tables.generalized_column import GeneralizedColumn
from coclust_synth.tables.labels import distinct_labels
from coclust_synth.tables.value_sets import MISSING


@dataclass(frozen=True, eq=False)
class HybridReport:
    """What was done to a table; it is about real rows, and as confidential.

    Attributes
    ----------
    classes : DataFrame
        For each class its ``size`` and its ``perturbed`` rows: those with a value that
        their label does not stand for. Suppressed rows are no class here.
    n_suppressed : int
        Rows whose quasi-identifiers are all ``*``.
    covered_cells : float
        Share of the quasi-identifying cells, suppressed rows included, whose label
        stands for the value that was there.
    """

    classes: pd.DataFrame
    n_suppressed: int
    covered_cells: float

    @property
    def n_perturbed(self):
        """Rows with a value that their label does not stand for."""
        return int(self.classes["perturbed"].sum())


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
    columns : tuple of GeneralizedColumn
    report : HybridReport
    """
    # Suppressed rows are one class more, whose labels stand for everything.
    extended = np.where(classes < 0, len(kept), classes)
    columns, covered = [], np.ones((len(classes), len(coding.columns)), dtype=bool)
    for j, (members, sets) in enumerate(coding.leaf_sets(kept)):
        column, leaves, labels = coding.columns[j], coding.leaves[j].leaves, None
        own, texts = coding.leaf_codes[:, j], coding.leaves[j].texts
        if column.name in hierarchies:
            hierarchy = hierarchies[column.name]
            place = hierarchy.leaf_codes(pd.Series(list(leaves), dtype=object))
            leaves, own, ours = hierarchy.leaves, place[own], members
            members = np.zeros((len(ours), len(leaves)), dtype=bool)
            members[:, place] = ours
            members, labels = covering_nodes(members, hierarchy)
            labels = _named_once(members, [*labels, hierarchy.labels[-1][0]])
            texts = None  # the labels are those of the nodes
        members = np.vstack([members, np.ones(len(leaves), dtype=bool)])
        set_of_row = np.append(sets, len(members) - 1)[extended]
        covered[:, j] = members[set_of_row, own]
        ordered = coding.is_ordered[j]
        columns.append(
            GeneralizedColumn.from_members(
                column.name, leaves, ordered, members, set_of_row, labels, texts
            )
        )
    sizes = np.bincount(classes[classes >= 0])
    perturbed = np.bincount(extended, ~covered.all(axis=1))[: len(sizes)]
    report = HybridReport(
        pd.DataFrame({"size": sizes, "perturbed": perturbed.astype(np.int64)}),
        int((classes < 0).sum()),
        float(covered.mean()),
    )
    return tuple(columns), report


def release_table(frame, schema, columns, classes, roles, how):
    """The released table, in an order that tells nothing of that of the table.

    Parameters
    ----------
    frame : DataFrame
        The table.
    schema : Schema
    columns : tuple of GeneralizedColumn
    classes : ndarray of int64, shape (n,)
        -1 for a row that is suppressed; these rows are a class too.
    roles : Roles
    how : mapping of column name to str
        What is done with the values of each sensitive column; see `release_values`.
        Values are shuffled and drawn by the system's entropy: whoever knew a seed could
        undo it.

    Returns
    -------
    GeneralizedTable
        Rows by their labels, then by what else is released of them.
    """
    rng = np.random.default_rng()
    own = np.unique(classes, return_inverse=True)[1]
    others = {
        name: release_values(frame[name], how[name], own, rng)
        for name in roles.sensitive
    } | {name: frame[name] for name in roles.others}
    dropped = set(roles.dropped)
    release = GeneralizedTable(
        columns,
        pd.DataFrame(others) if others else None,
        tuple(name for name in schema.names if name not in dropped),
        classes < 0,
    )
    keys = [column.codes for column in release.columns]
    keys += [code_values(release.others[name]).codes for name in release.others]
    return release.take(np.lexsort(keys[::-1]))


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
