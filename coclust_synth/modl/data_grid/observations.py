"""From the columns of a table to the values and records that a grid is learnt from."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from coclust_synth.exceptions import TableError
from coclust_synth.modl.data_grid.data_grid import Records
from coclust_synth.tables.values.columns import list_categories


@dataclass(frozen=True, eq=False)
class NumericValues:
    """The distinct numbers of a column.

    Attributes
    ----------
    numbers : ndarray of float64, shape (V,)
        Increasing; -inf first where some are missing.
    """

    numbers: np.ndarray

    @classmethod
    def learn(cls, series):
        """The values of a column, and the code of each row."""
        numbers, codes = np.unique(to_numbers(series), return_inverse=True)
        return cls(numbers), codes

    def partition(self, labels):
        """The intervals of a partition of the codes."""
        last = np.flatnonzero(np.diff(labels))
        low, high = self.numbers[last], self.numbers[last + 1]
        # Halved first: the sum of two numbers can be infinite.
        middle = low / 2 + high / 2
        return Intervals(np.where((low <= middle) & (middle < high), middle, low))


@dataclass(frozen=True, eq=False)
class CategoricalValues:
    """The distinct categories of a column.

    Attributes
    ----------
    categories : tuple
        Sorted; None first where some are missing.
    """

    categories: tuple

    @classmethod
    def learn(cls, series):
        """The values of a column, and the code of each row."""
        present = series.astype(object)
        categories = list_categories(present)
        if present.isna().any():
            categories = (None, *categories)
        return cls(categories), _positions(series, categories)

    def partition(self, labels):
        """The groups of a partition of the codes."""
        groups = [[] for _ in range(int(labels.max()) + 1)]
        for category, label in zip(self.categories, labels.tolist(), strict=True):
            groups[label].append(category)
        return Groups(tuple(map(tuple, groups)))


@dataclass(frozen=True, eq=False)
class Intervals:
    """A partition of numbers; missing ones lie below all others.

    Attributes
    ----------
    cuts : ndarray of float64, shape (J - 1,)
        Upper ends of all intervals but the last, which they belong to; halfway between
        the numbers on both sides. -inf is the cut above missing numbers.
    """

    cuts: np.ndarray

    def index(self, series):
        """Interval of each number of a column, shape (n,)."""
        return np.searchsorted(self.cuts, to_numbers(series), side="left")


@dataclass(frozen=True, eq=False)
class Groups:
    """A partition of categories.

    Attributes
    ----------
    groups : tuple of J tuple
        Categories of each group; None stands for missing.
    """

    groups: tuple

    def index(self, series):
        """Group of each category of a column, shape (n,).

        A category of no group goes to the one of most categories, the first of
        several, as in Khiops.
        """
        categories = [category for group in self.groups for category in group]
        group = np.repeat(np.arange(len(self.groups)), list(map(len, self.groups)))
        default = int(np.argmax(np.bincount(group)))
        return np.append(group, default)[_positions(series, categories)]


def count_records(frame, numeric, frequencies=None):
    """The distinct rows of a table, coded.

    Parameters
    ----------
    frame : DataFrame, shape (n, d)
    numeric : sequence of d bool
        Whether a column is one of numbers, or of categories.
    frequencies : array-like of int, shape (n,), optional
        Observations that each row stands for, 1 by default. Values that only rows of
        frequency 0 have are unknown to the result.

    Returns
    -------
    records : Records
        In lexicographic order, each value a part of its own.
    values : list of d NumericValues or CategoricalValues

    Raises
    ------
    TableError
        If a frequency is negative or not whole, there are fewer than two observations,
        or a number is not finite.
    """
    counts = _whole_frequencies(frequencies, len(frame))
    frame, counts = frame[counts > 0], counts[counts > 0]
    if counts.sum() < 2:
        raise TableError(
            f"Expected at least two observations. Received {counts.sum()}. Check the "
            "table and its frequencies."
        )
    values, codes = [], []
    for (_, series), is_numeric in zip(frame.items(), numeric, strict=True):
        kind = NumericValues if is_numeric else CategoricalValues
        of_column, codes_of_column = kind.learn(series)
        values.append(of_column)
        codes.append(codes_of_column)
    rows, inverse = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    # Whole and below 2^53: the float weights of bincount are exact.
    counts = np.bincount(inverse.ravel(), counts).astype(np.int64)
    labels = tuple(np.arange(n) for n in rows.max(axis=0) + 1)
    return Records(rows, counts, labels, tuple(map(bool, numeric))), values


def _whole_frequencies(frequencies, n_rows):
    if frequencies is None:
        return np.ones(n_rows, dtype=np.int64)
    series = pd.Series(np.asarray(frequencies).ravel())
    numbers = pd.to_numeric(series, errors="coerce").to_numpy(float, na_value=np.nan)
    if np.shape(frequencies) != (n_rows,):
        raise TableError(
            f"Expected one frequency for each of {n_rows} rows. Received an array of "
            f"shape {np.shape(frequencies)}. Give a column of {n_rows} numbers."
        )
    wrong = ~(np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers)))
    if wrong.any():
        raise TableError(
            "Expected frequencies that are whole numbers, 0 or more. Received "
            f"{series[wrong].tolist()[0]!r}. Round or clip them first."
        )
    return numbers.astype(np.int64)


def to_numbers(series):
    """The numbers of a column as float64, -inf where missing.

    Raises
    ------
    TableError
        If one of them is infinite, or no number.
    """
    try:
        numbers = pd.to_numeric(series).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise TableError(
            f"Column {series.name!r}: expected numbers. Received others ({error}). "
            "Convert the column, or name it among the categorical ones when fitting."
        ) from None
    if np.isinf(numbers).any():
        raise TableError(
            f"Column {series.name!r}: expected finite numbers. Received infinite ones. "
            "Replace them, for instance by missing ones."
        )
    return np.where(np.isnan(numbers), -np.inf, numbers)


def _positions(series, categories):
    """Place of each value of a column in a list of categories, -1 if it has none."""
    place = {category: i for i, category in enumerate(categories)}
    codes, uniques = pd.factorize(series.astype(object))
    places = [place.get(unique, -1) for unique in uniques]
    return np.array([*places, place.get(None, -1)], dtype=np.int64)[codes]
