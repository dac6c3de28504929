"""Equivalence classes of a table, and what they hold of a sensitive column.

The rows of a class are equal in every quasi-identifier: somebody who knows these values
of a person cannot tell the person's row from the others of its class. Missing values
are a value like any other, whatever object stands for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from coclust_synth.exceptions import TableError
from coclust_synth.tables.rows import collapse
from coclust_synth.tables.values.dtypes import describe, not_supported


@dataclass(frozen=True, eq=False)
class EquivalenceClasses:
    """The classes of a table on some columns.

    Attributes
    ----------
    codes : ndarray of shape (n,), int64
        Class of each row, from 0 without gaps.
    sizes : ndarray of shape (n_classes,), int64
        Rows of each class, at least 1.
    first : ndarray of shape (n_classes,), int64
        Position of the first row of each class.
    """

    codes: NDArray[np.int64]
    sizes: NDArray[np.int64]
    first: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True, eq=False)
class CodedValues:
    """The values of a column, numbered.

    Attributes
    ----------
    codes : ndarray of shape (n,), int64
        Position in `values` of the value of each row.
    values : tuple
        The different values: numbers and dates increasing, those of an ordered category
        dtype or of a given order in that order, texts sorted. None, if present, is
        last: missing.
    ordered : bool
        Whether their order means something.
    """

    codes: NDArray[np.int64]
    values: tuple
    ordered: bool

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows that hold each value, shape (n_values,), int64."""
        return np.bincount(self.codes, minlength=len(self.values))


def equivalence_classes(
    frame: pd.DataFrame, columns: Sequence[str]
) -> EquivalenceClasses:
    """Gather the rows that are equal in some columns.

    Parameters
    ----------
    frame : DataFrame of n rows
        Its index is not read.
    columns : sequence of str
        At least one. Labels are compared as what they are: ``"1"`` is not ``1``.

    Returns
    -------
    EquivalenceClasses

    Raises
    ------
    TableError
        If a column holds lists or other containers.

    Notes
    -----
    20 ms for the 27,118 classes of the 48,842 rows of UCI Adult in eight columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"sex": ["F", "M", "F"], "age": [None, 40, None]})
    >>> classes = equivalence_classes(frame, ["sex", "age"])
    >>> classes.codes.tolist(), classes.sizes.tolist(), classes.first.tolist()
    ([0, 1, 0], [2, 1], [0, 1])
    """
    coded = [_factorize(frame[name]) for name in columns]
    codes = np.column_stack([codes for codes, _ in coded])
    rows, inverse = collapse(codes, [len(uniques) for _, uniques in coded])
    first = np.empty(len(rows.counts), dtype=np.int64)
    first[inverse[::-1]] = np.arange(len(inverse))[::-1]  # the last one written stays
    return EquivalenceClasses(inverse, rows.counts, first)


def code_values(series: pd.Series) -> CodedValues:
    """Number the values of a column.

    Those of an ordered category dtype are in its order, whether rows hold them or not.

    Parameters
    ----------
    series : Series of n rows

    Returns
    -------
    CodedValues

    Raises
    ------
    TableError
        If the column holds lists or other containers.

    Examples
    --------
    >>> code_values(pd.Series([30, None, 4])).values
    (4.0, 30.0, None)
    >>> sizes = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    >>> code_values(pd.Series(["low", "high"], dtype=sizes)).codes
    array([0, 2])
    """
    codes, uniques = _factorize(series)
    kind = describe(series)[0]
    ordered = kind in ("ordinal", "integer", "real", "datetime")
    if kind == "ordinal":
        listed = series.cat.categories.tolist()
    else:
        listed = _sorted(uniques)
    position = {value: code for code, value in enumerate(listed)}
    # Missing values have the code -1: the last place.
    codes = np.array([*map(position.get, uniques), len(listed)], dtype=np.int64)[codes]
    with_missing = bool((codes == len(listed)).any())
    return CodedValues(codes, (*listed, *[None] * with_missing), ordered)


def count_matrix(
    rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]
) -> sparse.csr_array:
    """How often each pair of codes occurs.

    Parameters
    ----------
    rows, columns : ndarray of shape (n,), int
        For instance the class, and the code of the sensitive value, of each individual.
    shape : (n_rows, n_columns)
        Numbers of codes.

    Returns
    -------
    csr_array of int64
        At most n of its entries are stored, none of them 0.

    Examples
    --------
    >>> count_matrix(np.array([0, 1, 1]), np.array([2, 0, 0]), (2, 3)).toarray()
    array([[0, 0, 1],
           [2, 0, 0]])
    """
    ones = np.ones(len(rows), dtype=np.int64)
    return sparse.coo_array((ones, (rows, columns)), shape=shape).tocsr()


def _factorize(series: pd.Series) -> tuple[NDArray[np.int64], list]:
    """Codes in the order of appearance, -1 where missing, and the different values."""
    try:
        codes, uniques = pd.factorize(series)
    except TypeError:
        raise TableError(not_supported(series, "lists or other containers")) from None
    return codes, uniques.tolist()


def _sorted(values: list) -> list:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))
