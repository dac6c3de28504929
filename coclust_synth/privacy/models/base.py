"""What all privacy models share: a measure of each class, and a bound on it.

A model is asked of a matrix of counts with a row for each equivalence class and a
column for each value of a sensitive column. What is counted is rows, or persons, each
as `coclust_synth.privacy.models.sensitive` says for the model. Only entries that are
not zero are worked on, so that a matrix of many classes and many values can be sparse.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from coclust_synth.exceptions import ParameterError

# Individuals of each class who hold each value, dense or sparse.
Counts: TypeAlias = ArrayLike | sparse.csr_array


class PrivacyModel(ABC):
    """A measure of each equivalence class and the bound asked of it.

    A model is about what somebody can tell who knows the quasi-identifiers of a person
    and looks at this one table: nothing else is protected.

    Attributes
    ----------
    measure : str
        What is measured.
    more_is_better : bool
        Whether the bound is the least allowed, or the most.
    needs_order : bool
        Whether the values of the column have to be in an order.
    counts_once : bool
        Whether a person of several values counts for one of them only.
    """

    measure: ClassVar[str]
    more_is_better: ClassVar[bool]
    needs_order: bool = False
    counts_once: ClassVar[bool] = True

    @abstractmethod
    def values(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.float64]:
        """Measure of each class.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_classes, n_values), int
            Individuals of each class who hold each value; every class has at least one.
        total_counts : array-like of shape (n_values,), int
            The same for the whole table.

        Returns
        -------
        ndarray of shape (n_classes,), float64
        """

    @abstractmethod
    def within(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each of some measures respects the bound."""

    def holds(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.bool_]:
        """Whether each class respects the bound, shape (n_classes,), bool."""
        return self.within(self.values(counts, total_counts))

    def worst(self, values: NDArray[np.float64]) -> float:
        """The measure of a table: that of its worst class."""
        return float(values.min() if self.more_is_better else values.max())

    def reachable(self, total_counts: ArrayLike) -> float:
        """Measure of the whole table as one class, which is where merging ends."""
        total_counts = np.asarray(total_counts)
        return float(self.values(total_counts[np.newaxis], total_counts)[0])


def check_reachable(model: PrivacyModel, column: str, total_counts: ArrayLike) -> None:
    """Refuse a model that a table does not even satisfy as one class.

    Where each row is a person no merging of classes does better. Where persons have
    several rows some can, by chance; such a model is refused all the same.

    Parameters
    ----------
    model : PrivacyModel
    column : str
        Name of the sensitive column, for the message.
    total_counts : array-like of shape (n_values,), int
        Individuals of the table who hold each value.

    Raises
    ------
    ParameterError
        Naming the model, the column and the best measure that can be reached.
    """
    best = model.reachable(total_counts)
    if not model.within(np.array([best]))[0]:
        raise ParameterError(
            f"Expected a model that the column {column!r} can satisfy. Received "
            f"{model}; the whole table as one class has {model.measure} = {best:.6g}, "
            "and no merging of classes leads beyond it. Ask for less, or leave the "
            "model out."
        )


def as_counts(counts) -> sparse.csr_array:
    """Counts of classes, sparse, sorted and without zeros; a copy."""
    matrix = sparse.csr_array(counts, dtype=np.int64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if (np.diff(matrix.indptr) == 0).any():
        raise ParameterError(
            "Expected classes of at least one row. Received one without any. "
            "Leave empty classes out."
        )
    return matrix


def entry_rows(matrix: sparse.csr_array) -> NDArray[np.int64]:
    """Row of each stored entry of a matrix."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def sum_rows(matrix: sparse.csr_array, entries: NDArray[Any]) -> NDArray[Any]:
    """Sum of a figure for each stored entry, over the entries of each row."""
    return np.bincount(entry_rows(matrix), entries, minlength=matrix.shape[0])
