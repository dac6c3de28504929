"""The quasi-identifiers of a table as codes of leaves, their original values.

A numeric or date column of very many values is coded by groups of neighbouring leaves:
classes are formed from the groups, and released under intervals of leaves.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from coclust_synth.tables.column import ORDERED_KINDS, Column
from coclust_synth.tables.generalized.covering import packed_sets
from coclust_synth.tables.hierarchies.columns import ColumnLeaves, code_leaves
from coclust_synth.tables.rows import DistinctRows, collapse

MAX_SINGLE = 128  # leaves of an ordered column that are coded one by one
_MAX_HELD = 5e8  # leaves of a column in sets of one class each, bytes


@dataclass(frozen=True, eq=False)
class LeafCoding:
    """The leaves of some columns, and the distinct rows coded by them.

    Attributes
    ----------
    columns : tuple of Column
    leaves : tuple of ColumnLeaves
        Of each column.
    groups : tuple of ndarray of int64, shape (n_leaves,)
        Group of each leaf of each column, from 0; mostly each its own.
    leaf_codes : ndarray of int32, shape (n, d)
        Leaf of each cell; of no rows where these were counted elsewhere.
    records : DistinctRows
        The distinct rows of groups.
    inverse : ndarray of int64, shape (n,)
        Record of each row of the table; likewise.
    """

    columns: tuple[Column, ...]
    leaves: tuple[ColumnLeaves, ...]
    groups: tuple[np.ndarray, ...]
    leaf_codes: np.ndarray
    records: DistinctRows
    inverse: np.ndarray

    @classmethod
    def learn(cls, table, schema, *, parts=None, part_codes=None):
        """Code the columns that a schema keeps.

        Parameters
        ----------
        table : DataFrame or TableValues, of n rows
        schema : Schema
            Complete, without undecided columns.
        parts : TableCoding, optional
            Of these columns among others: the groups are its parts.
        part_codes : ndarray of int, shape (n, number of columns of `parts`), optional
            What `parts` makes of the rows; needed with it.

        Raises
        ------
        SchemaError
            If values do not fit a column.
        """
        columns, leaves, codes = code_leaves(table, schema)
        pairs = list(zip(columns, leaves, strict=True))
        if parts is None:
            groups = tuple(leaf_groups(own, column.kind) for column, own in pairs)
            n_groups = [int(group.max()) + 1 for group in groups]
        else:
            places = [parts.names.index(column.name) for column in columns]
            groups = tuple(
                part_of_leaves(codes[:, k], part_codes[:, place], len(own.leaves))
                for k, (place, own) in enumerate(zip(places, leaves, strict=True))
            )
            n_groups = parts.n_parts_per_variable[places]
        grouped = [group[own] for group, own in zip(groups, codes.T, strict=True)]
        records, inverse = collapse(np.column_stack(grouped), n_groups)
        return cls(columns, leaves, groups, codes, records, inverse)

    def in_pieces(self, record, weight, seed, order):
        """The same rows, with rows of one record as several records.

        Parameters
        ----------
        record : ndarray of int64, shape (M,)
            The record of each piece; each record has one or more.
        weight : ndarray of int64, shape (M,)
            Rows of each piece; those of a record are its rows in all.
        seed : int or numpy.random.SeedSequence
            Of which of the equal rows are in which piece: all are as likely.
        order : ndarray of int64, shape (n,)
            The rows in the order in which the seed draws them.

        Returns
        -------
        LeafCoding
            Its records are the pieces.
        """
        rows = np.random.default_rng(seed).permutation(order)
        rows = rows[np.argsort(self.inverse[rows], kind="stable")]
        pieces = np.argsort(record, kind="stable")
        inverse = np.empty_like(self.inverse)
        inverse[rows] = np.repeat(pieces, weight[pieces])
        n_parts, codes = self.records.n_parts_per_variable, self.records.codes[record]
        return replace(
            self, records=DistinctRows(codes, weight, n_parts), inverse=inverse
        )

    @property
    def is_ordered(self):
        """Whether each column is numeric, a date, or ordinal; shape (d,), bool."""
        return np.array([c.kind in ORDERED_KINDS for c in self.columns])

    @property
    def is_grouped(self):
        """Whether each column is coded by groups of several leaves; shape (d,)."""
        pairs = zip(self.groups, self.leaves, strict=True)
        return np.array([g.max() + 1 < len(own.leaves) for g, own in pairs])

    @property
    def repeats(self):
        """Chance that two rows of a group have the same leaf; shape (d,), in [0, 1]."""
        pairs = zip(self.groups, self.leaves, strict=True)
        return np.array(
            [
                np.sum(own.counts.astype(float) ** 2)
                / np.sum(np.bincount(group, own.counts) ** 2)
                for group, own in pairs
            ]
        )

    def leaf_sets(self, kept):
        """Leaves of each column that stand for sets of groups of all columns.

        Parameters
        ----------
        kept : ndarray of bool, shape (n_classes, V)

        Returns
        -------
        list of (members, sets)
            For each column its different sets, bool of shape (n_sets, n_leaves), and
            the set of each class.
        """
        ends = np.cumsum(self.records.n_parts_per_variable)[:-1]
        found = []
        for own, group in zip(np.split(kept, ends, axis=1), self.groups, strict=True):
            _, first, sets = np.unique(
                packed_sets(own), return_index=True, return_inverse=True
            )
            found.append((own[first][:, group], sets))
        return found

    def held_sets(self, kept, classes, *, intervals):
        """As `leaf_sets`, but grouped columns have just the leaves of their rows.

        Parameters
        ----------
        kept : ndarray of bool, shape (n_classes, V)
        classes : ndarray of int64, shape (n,)
            Class of each row; -1 for none.
        intervals : bool
            Whether a set has all leaves between its first and its last.
        """
        found = self.leaf_sets(kept)
        rows = classes >= 0
        for j in np.flatnonzero(self.is_grouped):
            own = self.leaves[j]
            if len(kept) * len(own.leaves) > _MAX_HELD:
                continue
            held = np.zeros((len(kept), len(own.leaves)), dtype=bool)
            held[classes[rows], self.leaf_codes[rows, j]] = True
            if intervals:
                held[:, ~own.missing] = _filled(held[:, ~own.missing])
            _, first, sets = np.unique(
                packed_sets(held), return_index=True, return_inverse=True
            )
            found[j] = held[first], sets
        return found

    def population_codes(self, frame):
        """Groups of the rows of another table, numbered over all columns.

        Parameters
        ----------
        frame : DataFrame of m rows
            With these columns.

        Returns
        -------
        ndarray of int64, shape (m, d)
            -1 for a value that this table does not have.
        """
        codes = []
        for own, group, offset, column in zip(
            self.leaves, self.groups, self.records.offsets, self.columns, strict=True
        ):
            place = {leaf: i for i, leaf in enumerate(own.leaves)}
            found, uniques = pd.factorize(frame[column.name])
            places = [place.get(value, -1) for value in [*uniques.tolist(), None]]
            leaf = np.array(places)[found]
            codes.append(np.where(leaf < 0, -1, group[leaf] + offset))
        return np.column_stack(codes).astype(np.int64)


def part_of_leaves(leaf_codes, part_codes, n_leaves):
    """Part of each leaf of a column: that of the first row that holds it.

    Told by the rows, as a model may pool rare values by what else their rows hold.

    Parameters
    ----------
    leaf_codes, part_codes : ndarray of int, shape (n,)
        Every leaf is that of some row.
    n_leaves : int

    Returns
    -------
    ndarray of int64, shape (n_leaves,)
    """
    parts = np.empty(n_leaves, dtype=np.int64)
    parts[leaf_codes[::-1]] = part_codes[::-1]
    return parts


def _filled(held):
    """The same sets with all leaves between the first and the last of each."""
    after = np.logical_or.accumulate(held, axis=1)
    before = np.logical_or.accumulate(held[:, ::-1], axis=1)[:, ::-1]
    return after & before


def leaf_groups(own, kind):
    """Groups of neighbouring leaves, of rows as equal as may be; missing is its own."""
    n_leaves = len(own.leaves)
    if kind not in ORDERED_KINDS or n_leaves <= MAX_SINGLE:
        return np.arange(n_leaves)
    counts = own.counts[~own.missing]
    share = (np.cumsum(counts) - counts) * MAX_SINGLE // counts.sum()
    groups = np.unique(share, return_inverse=True)[1]
    return np.append(groups, np.full(own.missing.sum(), groups[-1] + 1))
