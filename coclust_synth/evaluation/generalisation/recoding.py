"""How high in their hierarchies the labels of a generalised table are."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from coclust_synth.evaluation.generalisation.losses import precision
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy


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
