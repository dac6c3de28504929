"""How high in their hierarchies labels are, and how far two hierarchies agree."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from coclust_synth.evaluation.generalisation.losses import precision
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.showing import Shown


def label_levels(
    column: GeneralizedColumn, hierarchy: GeneralizationHierarchy
) -> NDArray[np.int64]:
    """Level of the lowest node that covers what each label stands for.

    Parameters
    ----------
    column : GeneralizedColumn
    hierarchy : GeneralizationHierarchy
        With the values of the column among its leaves.

    Returns
    -------
    ndarray of int64, shape (n_labels,)
        From 0, an original value, to the height.

    Raises
    ------
    SchemaError
        If a value is no leaf.

    Examples
    --------
    >>> lines = [("cook", "food", "*"), ("baker", "food", "*"), ("smith", "metal", "*")]
    >>> work = GeneralizationHierarchy.from_lines("work", lines)
    >>> members = np.array([[True, True, False], [False, False, True]])
    >>> column = GeneralizedColumn.from_members(
    ...     "work", work.leaves, False, members, np.array([0, 0, 1])
    ... )
    >>> label_levels(column, work).tolist()
    [1, 0]
    """
    codes = hierarchy.leaf_codes(list(column.leaves))
    return np.array(
        [hierarchy.covering(codes[own])[0] for own in column.members], dtype=np.int64
    )


def release_precision(
    released: GeneralizedTable, hierarchies: Mapping[str, GeneralizationHierarchy]
) -> float:
    """Precision PREC of a release, over the columns that have a hierarchy.

    Parameters
    ----------
    released : GeneralizedTable
    hierarchies : mapping of column name to GeneralizationHierarchy
        Of one of its generalised columns at least.

    Returns
    -------
    float
        See `coclust_synth.evaluation.precision`; suppressed cells are at the root.

    Raises
    ------
    ParameterError
        If no generalised column has a hierarchy.
    SchemaError
        If a value of a column is no leaf of its hierarchy.
    """
    named = [column for column in released.columns if column.name in hierarchies]
    if not named:
        raise ParameterError(
            "Expected a hierarchy of one of the generalised columns, "
            f"{', '.join(map(repr, released.names))}. Received "
            f"{', '.join(map(repr, hierarchies)) or 'none'}. Give one."
        )
    levels, heights = [], []
    for column in named:
        hierarchy = hierarchies[column.name]
        own = label_levels(column, hierarchy)[column.codes]
        levels.append(np.where(released.suppressed, hierarchy.height, own))
        heights.append(hierarchy.height)
    return precision(np.column_stack(levels), heights)


@dataclass(frozen=True, repr=False)
class HierarchyAgreement(Shown):
    """What two hierarchies have in common, on the values that both have.

    Attributes
    ----------
    values : tuple of str
        Texts of these values, in the order of the first hierarchy.
    common_groups : tuple of tuple of str
        Groups of two values or more, not all of them, that are nodes of both.
    n_groups : tuple of int
        Such groups in each hierarchy.
    joined_pairs : tuple of int
        Pairs of values that are under one node below the root: in the first, in the
        second, in both.
    n_pairs : int
        Pairs of values.
    rank_correlation : float or None
        Spearman correlation, in [-1, 1], of the level on which each pair joins in the
        first and in the second; equal levels share their mean rank. 1 where both join
        the same pairs first. None where all pairs join on one level in either.

    References
    ----------
    F. B. Baker, "Stability of two hierarchical grouping techniques", JASA 69, 1974:
    the rank correlation of the levels of all pairs.
    """

    values: tuple[str, ...]
    common_groups: tuple[tuple[str, ...], ...]
    n_groups: tuple[int, int]
    joined_pairs: tuple[int, int, int]
    n_pairs: int
    rank_correlation: float | None

    def _told(self):
        first, second = self.n_groups
        return {
            "values": len(self.values),
            "groups of both": f"{len(self.common_groups)} of {first} and {second}",
            "rank correlation": self.rank_correlation,
        }


def compare_hierarchies(
    first: GeneralizationHierarchy, second: GeneralizationHierarchy
) -> HierarchyAgreement:
    """Compare two hierarchies; values are matched by their texts.

    Parameters
    ----------
    first, second : GeneralizationHierarchy
        At least two values have a leaf in both.

    Returns
    -------
    HierarchyAgreement

    Raises
    ------
    ParameterError
        If they have fewer than two values in common.
    """
    texts = [text for text in first.labels[0] if text in set(second.labels[0])]
    if len(texts) < 2:
        raise ParameterError(
            f"Expected two hierarchies of the same values. Received those of "
            f"{first.name!r} and {second.name!r}, with {len(texts)} values in common. "
            "Compare hierarchies of one column."
        )
    groups, levels = [], []
    for hierarchy in (first, second):
        leaves = [hierarchy.labels[0].index(text) for text in texts]
        nodes = [hierarchy.node_of(level)[leaves] for level in range(hierarchy.height)]
        groups.append(_groups(nodes))
        levels.append(_joining_levels(nodes))
    common = [group for group in groups[0] if group in groups[1]]
    in_first, in_second = (
        of < hierarchy.height
        for of, hierarchy in zip(levels, (first, second), strict=True)
    )
    return HierarchyAgreement(
        tuple(texts),
        tuple(tuple(texts[value] for value in group) for group in common),
        (len(groups[0]), len(groups[1])),
        (int(in_first.sum()), int(in_second.sum()), int((in_first & in_second).sum())),
        len(levels[0]),
        _rank_correlation(*levels),
    )


def _groups(nodes):
    """The groups below the root, each once, as increasing positions of values."""
    found = {}
    for of_level in nodes:
        for node in np.unique(of_level):
            group = tuple(np.flatnonzero(of_level == node).tolist())
            if 1 < len(group) < len(of_level):
                found[group] = None
    return found


def _joining_levels(nodes):
    """First level on which each pair of values is under one node."""
    pairs = np.triu_indices(len(nodes[0]), 1)
    apart = [of_level[pairs[0]] != of_level[pairs[1]] for of_level in nodes]
    return np.sum(apart, axis=0)


def _rank_correlation(first, second):
    ranks = rankdata(first), rankdata(second)
    if any(len(np.unique(of)) == 1 for of in ranks):
        return None
    return float(np.corrcoef(*ranks)[0, 1])
