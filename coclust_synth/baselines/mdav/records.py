"""Columns of all kinds as the records that MDAV-generic measures distances of.

A missing number, date or ordinal value stands where the column's mean or median is, and
whether a value is missing is a nominal column beside: at squared distance 1 from every
value, on top of that from the mean to it, and 0 from other missing ones. Of standard
deviations that is 2 on average, as between two values drawn at random.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.baselines.mdav._kernels import MDAVRecords, group_centres, median
from coclust_synth.exceptions import TableError
from coclust_synth.tables.column import ORDERED_KINDS, Column
from coclust_synth.tables.hierarchies.columns import ColumnLeaves

MAX_WIDTH = 1e145  # squares of up to 10^18 rows do not pass the largest float
ORDINAL_MEANS = ("median", "convex")


@dataclass(frozen=True, eq=False)
class MixedColumns:
    """Columns of a table, each with what its kind needs.

    Attributes
    ----------
    columns : tuple of Column
    leaves : tuple of ColumnLeaves
    leaf_codes : ndarray of int32, shape (n, d)
    is_number, is_ordinal : ndarray of bool, shape (d,)
        Which columns are averaged (numbers and dates), and which have a median; the
        others have a mode.
    """

    columns: tuple[Column, ...]
    leaves: tuple[ColumnLeaves, ...]
    leaf_codes: np.ndarray
    is_number: np.ndarray
    is_ordinal: np.ndarray

    @classmethod
    def of(cls, columns, leaves, leaf_codes):
        """Tell the kinds apart.

        Raises
        ------
        TableError
            If a column has numbers too far apart.
        """
        is_ordinal = np.array([column.kind == "ordinal" for column in columns])
        is_ordered = np.array([column.kind in ORDERED_KINDS for column in columns])
        for column, own in zip(columns, leaves, strict=True):
            present = own.values[~own.missing]
            if (
                column.kind == "real"
                and len(present)
                and (widest_range(present) > MAX_WIDTH)
            ):
                raise TableError(
                    f"Column {column.name!r}: expected numbers that differ by "
                    f"{MAX_WIDTH:g} at most, so that squares can be added. Received "
                    f"{present[0]} and {present[-1]}. Correct them, or take "
                    "logarithms."
                )
        return cls(columns, leaves, leaf_codes, is_ordered & ~is_ordinal, is_ordinal)

    def missing(self, j):
        """Where a column has no value, shape (n,)."""
        return self.leaves[j].missing[self.leaf_codes[:, j]]

    @property
    def numbers(self):
        """Numbers less the lowest of their column, shape (n, number of averaged ones).

        Differences of integers are exact up to 2**53, those of dates in their unit. A
        missing one is the mean of the others.
        """
        found = [self._numbers(j) for j in np.flatnonzero(self.is_number)]
        return np.array(found).reshape(-1, len(self.leaf_codes)).T

    def _numbers(self, j):
        numbers = _above_lowest(self.leaves[j].values)[self.leaf_codes[:, j]]
        missing = self.missing(j)
        if missing.any():
            numbers[missing] = 0.0 if missing.all() else numbers[~missing].mean()
        return numbers

    def _ranks(self, j):
        """Ranks of ordinal values; a missing one is their median."""
        ranks = self.leaves[j].values[self.leaf_codes[:, j]]
        missing = self.missing(j)
        if missing.any() and not missing.all():
            ranks[missing] = median(np.bincount(ranks[~missing]))
        return ranks

    def records(self, *, scale, convex):
        """What the kernels read: numbers, ranks in shares, then codes.

        Of the codes the last tell, for each ordered column that lacks values, where.

        Parameters
        ----------
        scale : {"deviation", "range", "none"}
            What numbers are divided by; a constant is 0.
        convex : bool
        """
        ordinals, nominals = map(np.flatnonzero, (self.is_ordinal, self.is_nominal))
        numbers = SCALES[scale](self.numbers)
        ranks = [self._ranks(j) for j in ordinals]
        names = [self.leaf_codes[:, j] for j in nominals]
        names += [self.missing(j) for j in self._lacking]
        n_categories = np.array(
            [len(self.columns[j].categories) for j in ordinals]
            + [len(self.leaves[j].leaves) for j in nominals]
            + [2] * len(self._lacking),
            dtype=np.int64,
        )
        shares = [rank / n for rank, n in zip(ranks, n_categories, strict=False)]
        codes = np.empty((len(numbers), len(n_categories)), dtype=np.int64)
        for j, own in enumerate([*ranks, *names]):
            codes[:, j] = own
        n_means = numbers.shape[1]
        values = np.column_stack([numbers, *shares, *names])
        return MDAVRecords(
            np.ascontiguousarray(values, dtype=np.float64),
            codes,
            n_categories,
            np.append(0, np.cumsum(n_categories)),
            n_means,
            n_means + len(ordinals),
            convex,
        )

    @property
    def is_nominal(self):
        """Which columns have a mode, shape (d,)."""
        return ~(self.is_number | self.is_ordinal)

    @property
    def _lacking(self):
        """Ordered columns that lack values."""
        ordered = np.flatnonzero(~self.is_nominal)
        return [j for j in ordered if self.missing(j).any()]

    def centres(self, classes, *, convex):
        """Means, medians and modes of classes.

        The mean or median is that of the values there are, or missing where more than
        half of a class are.

        Parameters
        ----------
        classes : ndarray of int64, shape (n,)
        convex : bool

        Returns
        -------
        list of ndarray of shape (n_classes,)
            Of each column: means less the lowest number, codes into its categories, or
            codes of leaves; NaN for a mean or median that is missing.
        """
        n_classes = int(classes.max()) + 1
        records = self.records(scale="none", convex=convex)
        codes, points = group_centres(records, classes, n_classes)
        n_means = records.n_means
        # A sum over n may miss the one value of a class by a rounding.
        least = np.full((n_classes, n_means), np.inf)
        most = -least
        np.minimum.at(least, classes, records.values[:, :n_means])
        np.maximum.at(most, classes, records.values[:, :n_means])
        means = np.clip(points[:, :n_means], least, most)
        order = np.concatenate(
            [
                np.flatnonzero(o)
                for o in (self.is_number, self.is_ordinal, self.is_nominal)
            ]
        )
        found = [*means.T, *codes.T]
        found = [found[place] for place in np.argsort(order)]
        for j in self._lacking:
            found[j] = self._centres_of_present(j, classes, convex)
        return found

    def _centres_of_present(self, j, classes, convex):
        present = ~self.missing(j)
        alone = MixedColumns(
            self.columns[j : j + 1],
            self.leaves[j : j + 1],
            self.leaf_codes[present, j : j + 1],
            self.is_number[j : j + 1],
            self.is_ordinal[j : j + 1],
        )
        with_values, own = np.unique(classes[present], return_inverse=True)
        n_rows = np.bincount(classes)
        centre = np.full(len(n_rows), np.nan)
        if len(own):
            (centre[with_values],) = alone.centres(own, convex=convex)
        centre[2 * np.bincount(classes, present) < n_rows] = np.nan
        return centre


def widest_range(values):
    """Largest range of the columns of an array; infinite if beyond all floats."""
    with np.errstate(over="ignore"):
        return float(np.max(values.max(axis=0) - values.min(axis=0)))


def _above_lowest(values):
    """Sorted numbers less the first, exactly where they are integers, as floats."""
    if values.dtype == np.int64:
        # A difference may not fit in 63 bits; that of 64 wraps to the right one.
        values = values.view(np.uint64)
    return (values - values[0]).astype(np.float64)


def _by_deviation(numbers):
    return _centred(numbers, numbers.std(axis=0))


def _by_range(numbers):
    return _centred(numbers, np.ptp(numbers, axis=0))


def _as_they_are(numbers):
    return numbers


def _centred(numbers, spread):
    return (numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


SCALES = {"deviation": _by_deviation, "range": _by_range, "none": _as_they_are}
