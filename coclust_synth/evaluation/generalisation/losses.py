"""What a generalised table lost, and what its equivalence classes are like.

The measures of the literature on k-anonymity. A class is the rows of equal labels in
all generalised columns, n_E its size, N the number of rows, suppressed ones included.
Those of loss say how wide the labels are, 0 for original values; those of classes look
at sizes only, and so does `precision` at levels: what is in a label they do not see.
None of them is a measure of risk.

All of them are functions of the released table and of the list of original values that
it publishes: they disclose nothing that it does not. `classification_metric` counts
values of another column inside classes, which is the released table's as well.

References
----------
.. [1] V. S. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002: loss
   and classification metrics.
.. [2] R. J. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization",
   ICDE 2005: discernability, N for each suppressed record.
.. [3] K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional
   k-anonymity", ICDE 2006: normalised average class size, C_AVG.
.. [4] L. Sweeney, "Achieving k-anonymity privacy protection using generalization and
   suppression", IJUFKS 10(5), 2002: precision.
.. [5] T. Benkhelif, thesis, 2018, equations (2.7) to (2.10).
"""

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.generalized.table import GeneralizedColumn, GeneralizedTable
from coclust_synth.tables.schema import unknown_column
from coclust_synth.validation import check_choice, check_integer

# --- how wide labels are ------------------------------------------------------


def information_loss(released: GeneralizedTable, ordered: str = "set") -> float:
    """Mean share of a column's leaves that a cell stands for (Iyengar's loss).

    Parameters
    ----------
    released : GeneralizedTable
    ordered : {"set", "range"}, default="set"
        How cells of ordered columns count. ``"set"``: as all others, by
        (\\|g\\| - 1) / (\\|A\\| - 1), with \\|g\\| the leaves of the label and
        \\|A\\| those of the column. ``"range"``: by (max g - min g) / (max A - min A),
        of numbers, or of ranks where leaves are none (dates, ordinal texts).

    Returns
    -------
    float
        In [0, 1], the mean over rows and generalised columns: 0 for original values, 1
        if every cell stands for all. A suppressed row counts 1, in other rows a column
        of one leaf 0.
        With ``"range"`` missing is as far from a value as can be: a label of both
        counts 1.

    Raises
    ------
    ParameterError
        If `ordered` is neither.
    """
    check_choice("ordered", ordered, ("set", "range"))
    losses = [
        _range_losses(column)
        if ordered == "range" and column.ordered
        else _set_losses(column)
        for column in released.columns
    ]
    cells = [
        np.where(released.suppressed, 1.0, loss[column.codes])
        for column, loss in zip(released.columns, losses, strict=True)
    ]
    return float(np.mean(cells))


def arx_loss(
    released: GeneralizedTable,
    domain_sizes: Mapping[str, int] | None = None,
    aggregate: str = "geometric",
) -> float:
    """Loss as ARX counts it.

    Of a column of N_i values, with share the part of them that a cell stands for::

        x_i = (sum over rows of share - n / N_i) / (n - n / N_i), at least 0

    Parameters
    ----------
    released : GeneralizedTable
    domain_sizes : mapping of column name to int, optional
        N_i where it is not the number of leaves, as where a hierarchy also lists values
        that the table has not (100 ages where 72 occur).
    aggregate : {"geometric", "arithmetic"}, default="geometric"
        prod(1 + x_i)^(1/d) - 1, or the mean of the x_i.

    Returns
    -------
    float
        In [0, 1]. The share of a suppressed cell, and of one that stands for all
        of several leaves, is 1; where N_i = 1, x_i is 0.

    Raises
    ------
    ParameterError
        If `aggregate` is neither, or a size is that of no column or below the number of
        leaves.

    References
    ----------
    ARX 3.9, metric "Loss".
    """
    check_choice("aggregate", aggregate, ("geometric", "arithmetic"))
    sizes = {column.name: len(column.leaves) for column in released.columns}
    for name, size in (domain_sizes or {}).items():
        if name not in sizes:
            raise ParameterError(unknown_column(name, released.names))
        check_integer(f"the domain size of {name!r}", size, minimum=sizes[name])
        sizes[name] = size
    losses = np.array(
        [_arx_column(released, c, sizes[c.name]) for c in released.columns]
    )
    if aggregate == "arithmetic":
        return float(losses.mean())
    return float(np.exp(np.log1p(losses).mean()) - 1)


def precision(levels: ArrayLike, heights: ArrayLike) -> float:
    """Precision of a recoding along hierarchies, PREC.

    Parameters
    ----------
    levels : ndarray of shape (n, d), int
        Level of each cell in the hierarchy of its column: 0 for an original value, the
        height for the root, as of a suppressed cell.
    heights : ndarray of shape (d,), int
        Level of the root of each hierarchy.

    Returns
    -------
    float
        1 - mean of level / height, in [0, 1]: 1 for original values, 0 if everything
        is at the root. A hierarchy of height 0 loses nothing.

    Raises
    ------
    ParameterError
        If shapes do not fit, or a level is not from 0 to the height.
    """
    levels, heights = np.asarray(levels), np.asarray(heights)
    fits = levels.ndim == 2 and levels.size and heights.shape == levels.shape[1:]
    if not fits or (levels < 0).any() or (levels > heights).any():
        raise ParameterError(
            "Expected levels of shape (n, d), each from 0 to the height of its column, "
            f"and d heights. Received shapes {levels.shape} and {heights.shape}"
            f"{', and levels outside' if fits else ''}. Give a level for each cell."
        )
    return float(1 - (levels / np.maximum(heights, 1)).mean())


# --- what classes are like ----------------------------------------------------


def discernability(released: GeneralizedTable) -> int:
    """Discernability metric DM: sum of n_E² over classes, and N per suppressed row.

    Returns
    -------
    int
        From N, if all rows differ, to N².

    References
    ----------
    Bayardo and Agrawal (2005), who count N for a suppressed record; authors who leave
    that term out have less.
    """
    n_suppressed = int(released.suppressed.sum())
    kept = released.kept_class_sizes
    return int((kept**2).sum()) + released.n_rows * n_suppressed


def average_class_size(released: GeneralizedTable, k: int) -> float:
    """Normalised average size of classes C_AVG: (N / number of classes) / k.

    Parameters
    ----------
    released : GeneralizedTable
    k : int
        Size that was asked for, at least 1, not the one achieved.

    Returns
    -------
    float
        1 at best, if every class holds exactly k rows. Suppressed rows count in N, and
        are one class together.

    Raises
    ------
    ParameterError
        If k is below 1.
    """
    check_integer("k", k, minimum=1)
    return released.n_rows / len(released.class_sizes) / k


def classification_metric(released: GeneralizedTable, target: str) -> float:
    """Share of rows that a classifier by class cannot get right, CM.

    Parameters
    ----------
    released : GeneralizedTable
    target : str
        A column that is not generalised; a missing value is a value like others.

    Returns
    -------
    float
        1/N sum of penalties, in [0, 1]: 1 for a suppressed row, and for a row whose
        value is not the majority of its class. Of values that tie for the majority one
        is chosen, so that a class costs n_E - its largest count.

    Raises
    ------
    ParameterError
        If there is no such column among those that are not generalised.
    """
    if target not in released.others.columns:
        raise ParameterError(unknown_column(target, tuple(released.others.columns)))
    kept = ~released.suppressed
    values, _ = pd.factorize(released.others[target][kept], use_na_sentinel=False)
    counts = pd.DataFrame({"class": released.class_codes[kept], "value": values})
    majorities = counts.value_counts().groupby("class").max()
    return 1 - float(majorities.sum()) / released.n_rows


def completeness(released: GeneralizedTable) -> float:
    """Share of the rows that are not suppressed, in [0, 1]."""
    return float((~released.suppressed).mean())


# --- computing ----------------------------------------------------------------


def _set_losses(column: GeneralizedColumn) -> np.ndarray:
    """(|g| - 1) / (|A| - 1) of each label."""
    return (column.sizes - 1) / max(len(column.leaves) - 1, 1)


def _range_losses(column: GeneralizedColumn) -> np.ndarray:
    """(max g - min g) / (max A - min A) of each label."""
    values = [leaf for leaf in column.leaves if leaf is not None]
    if not all(isinstance(value, Real | Decimal) for value in values):
        values = list(range(len(values)))
    numbers = np.array(values, dtype=float)
    if len(numbers) < 2:
        return _set_losses(column)
    members = column.members[:, : len(numbers)]
    highest = np.where(members, numbers, -np.inf).max(axis=1)
    lowest = np.where(members, numbers, np.inf).min(axis=1)
    losses = (highest - lowest) / (numbers.max() - numbers.min())
    only_missing = ~members.any(axis=1)
    mixed = column.members[:, len(numbers) :].any(axis=1) & ~only_missing
    return np.where(only_missing, 0, np.where(mixed, 1, losses))


def _arx_column(
    released: GeneralizedTable, column: GeneralizedColumn, size: int
) -> float:
    if size == 1:
        return 0.0
    # All leaves stand for the whole domain; the only one, for itself.
    is_all = (column.sizes == len(column.leaves)) & (column.sizes > 1)
    shares = np.where(is_all, 1.0, column.sizes / size)[column.codes]
    shares = np.where(released.suppressed, 1.0, shares)
    least = released.n_rows / size
    return max(0.0, float((shares.sum() - least) / (released.n_rows - least)))
