"""Columns of all kinds as the records that MDAV-generic measures distances of."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.baselines._mdav_kernels import Records, group_centres
from coclust_synth.exceptions import TableError
from coclust_synth.tables.hierarchy_columns import ORDERED_KINDS, ColumnLeaves
from coclust_synth.tables.schema import Column

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
            If an ordered column has missing values, or numbers too far apart.
        """
        is_ordinal = np.array([column.kind == "ordinal" for column in columns])
        is_ordered = np.array([column.kind in ORDERED_KINDS for column in columns])
        for column, own, ordered in zip(columns, leaves, is_ordered, strict=True):
            n_missing = int(own.counts[own.missing].sum())
            if ordered and n_missing:
                raise TableError(
                    f"Column {column.name!r}: expected a value in each row, as NaN is "
                    f"at no distance from a value. Received {n_missing} missing. Leave "
                    "these rows out, impute them, or declare the column categorical."
                )
            if column.kind == "real" and widest_range(own.values) > MAX_WIDTH:
                raise TableError(
                    f"Column {column.name!r}: expected numbers that differ by "
                    f"{MAX_WIDTH:g} at most, so that squares can be added. Received "
                    f"{own.leaves[0]!r} and {own.leaves[-1]!r}. Correct them, or take "
                    "logarithms."
                )
        return cls(columns, leaves, leaf_codes, is_ordered & ~is_ordinal, is_ordinal)

    @property
    def numbers(self):
        """Numbers less the lowest of their column, shape (n, number of averaged ones).

        Differences of integers are exact up to 2**53, those of dates in their unit.
        """
        found = [
            _above_lowest(self.leaves[j].values)[self.leaf_codes[:, j]]
            for j in np.flatnonzero(self.is_number)
        ]
        return np.array(found).reshape(-1, len(self.leaf_codes)).T

    def records(self, *, scale, convex):
        """What the kernels read: numbers, ranks in shares, then codes.

        Parameters
        ----------
        scale : {"deviation", "range", "none"}
            What numbers are divided by; a constant is 0.
        convex : bool
        """
        ordinals, nominals = map(np.flatnonzero, (self.is_ordinal, self.is_nominal))
        numbers = SCALES[scale](self.numbers)
        ranks = [self.leaves[j].values[self.leaf_codes[:, j]] for j in ordinals]
        names = [self.leaf_codes[:, j] for j in nominals]
        n_categories = np.array(
            [len(self.columns[j].categories) for j in ordinals]
            + [len(self.leaves[j].leaves) for j in nominals],
            dtype=np.int64,
        )
        shares = [rank / n for rank, n in zip(ranks, n_categories, strict=False)]
        codes = np.empty((len(numbers), len(n_categories)), dtype=np.int64)
        for j, own in enumerate([*ranks, *names]):
            codes[:, j] = own
        n_means = numbers.shape[1]
        values = np.column_stack([numbers, *shares, *names])
        return Records(
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

    def centres(self, classes, *, convex):
        """Means, medians and modes of classes.

        Parameters
        ----------
        classes : ndarray of int64, shape (n,)
        convex : bool

        Returns
        -------
        list of ndarray of shape (n_classes,)
            Of each column: means less the lowest number, codes into its categories, or
            codes of leaves.
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
        return [found[place] for place in np.argsort(order)]


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
