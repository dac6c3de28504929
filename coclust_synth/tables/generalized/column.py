"""A column whose cells are sets of original values: what each label stands for."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.generalized.covering import (
    packed_sets,
    set_labels,
    uniform_weights,
)
from coclust_synth.tables.literals import VALUE_TYPES
from coclust_synth.tables.showing import Shown
from coclust_synth.tables.values.columns import examples

_INFINITE = (float("inf"), float("-inf"))


@dataclass(frozen=True, eq=False, repr=False)
class GeneralizedColumn(Shown):
    """A column whose cells are sets of original values.

    Parameters
    ----------
    name : str
        Name of the column.
    leaves : tuple
        Original values, pairwise different and in order: numbers increasing, ordinal
        categories in their order. None, if there, is the last: missing.
    ordered : bool
        Whether the leaves have an order, as of a numeric or ordinal column.
    members : ndarray of shape (n_labels, n_leaves), bool
        Leaves that each label stands for, at least one; rows are pairwise different.
    labels : tuple of str
        A readable text for each row of `members`, pairwise different.
    codes : ndarray of shape (n_rows,), int32
        Label of each row of the table.

    Raises
    ------
    SchemaError
        If leaves, members and labels do not fit each other.
    ParameterError
        If a code is that of no label.

    Notes
    -----
    Arrays are copied, and read-only.
    """

    name: str
    leaves: tuple
    ordered: bool
    members: np.ndarray
    labels: tuple[str, ...]
    codes: np.ndarray

    def __post_init__(self) -> None:
        leaves = tuple(map(_plain, self.leaves))
        members = np.array(self.members, dtype=bool)
        codes = np.array(self.codes)
        _check_leaves(self.name, leaves)
        _check_members(self.name, len(leaves), members)
        _check_labels(self.name, members, self.labels)
        _check_codes(self.name, codes, len(members))
        members.setflags(write=False)
        codes = codes.astype(np.int32)
        codes.setflags(write=False)
        for field, value in (
            ("leaves", leaves),
            ("ordered", bool(self.ordered)),
            ("members", members),
            ("labels", tuple(self.labels)),
            ("codes", codes),
        ):
            object.__setattr__(self, field, value)

    @classmethod
    def from_members(
        cls,
        name: str,
        leaves: Sequence,
        ordered: bool,
        members: np.ndarray,
        codes: np.ndarray,
        labels: Sequence[str] | None = None,
        texts: Sequence[str] | None = None,
    ) -> GeneralizedColumn:
        """Make a column from sets of leaves that may be repeated or unused.

        Parameters
        ----------
        name, leaves, ordered
            As of the class.
        members : ndarray of shape (n_sets, n_leaves), bool
            Sets of leaves, such as one for each class of rows. Equal ones become one
            label; those of no row are left out.
        codes : ndarray of shape (n_rows,), int
            Set of each row.
        labels : sequence of n_sets str, optional
            Their texts, that of the first of equal sets being kept; default, those of
            `covering.set_labels`.
        texts : sequence of str, optional
            Of the leaves in such labels, as their file writes them.

        Returns
        -------
        GeneralizedColumn
            Labels in the order of the leaves they begin with.

        Raises
        ------
        SchemaError, ParameterError
            As the class does.
        """
        leaves = tuple(map(_plain, leaves))
        members, codes = np.asarray(members, dtype=bool), np.asarray(codes)
        _check_leaves(name, leaves)
        _check_members(name, len(leaves), members)
        _check_codes(name, codes, len(members))
        if labels is not None:
            _check_length(name, members, labels)
        is_used = np.bincount(codes, minlength=len(members)) > 0
        used, codes = np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[codes]
        # Of two sets the one with the first leaf that they differ in comes first.
        _, first, merged = np.unique(
            packed_sets(~members[used]), return_index=True, return_inverse=True
        )
        kept = used[first]
        if labels is None:
            texts = set_labels(members[kept], leaves, ordered, texts)
        else:
            texts = tuple(labels[i] for i in kept)
        return cls(name, leaves, ordered, members[kept], texts, merged[codes])

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def sizes(self) -> np.ndarray:
        """Number of leaves of each label, shape (n_labels,)."""
        return self.members.sum(axis=1)

    @property
    def is_all(self) -> np.ndarray:
        """Whether each row's label stands for all leaves, shape (n_rows,)."""
        return (self.sizes == len(self.leaves))[self.codes]

    def take(self, rows: np.ndarray) -> GeneralizedColumn:
        """The same labels, used or not, of some rows.

        Parameters
        ----------
        rows : ndarray of int
            Positions of rows, in the order they are to have.
        """
        codes = self.codes[rows]
        codes.setflags(write=False)
        taken = copy(self)  # what is checked and read-only is shared
        object.__setattr__(taken, "codes", codes)
        return taken

    def leaf_codes(self, values: pd.Series) -> np.ndarray:
        """Position of original values among the leaves.

        Parameters
        ----------
        values : Series of n values
            Of the type of the leaves: a text is no number.

        Returns
        -------
        ndarray of shape (n,), int32

        Raises
        ------
        SchemaError
            If a value, or a missing one, is no leaf.
        """
        codes, uniques = pd.factorize(values)
        place = {leaf: i for i, leaf in enumerate(self.leaves)}
        # A missing value has the code -1: the last place.
        places = np.array([place.get(v, -1) for v in [*uniques.tolist(), None]])
        found = places[codes].astype(np.int32)
        if (found < 0).any():
            unknown = pd.unique(values[found < 0])
            raise SchemaError(
                f"Column {self.name!r}: expected values among its {len(self.leaves)} "
                f"leaves, {examples(self.leaves)}. Received {examples(unknown)}. "
                "Compare with the table that was generalised, read in the same way."
            )
        return found

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """One leaf of each row, all leaves of its label being equally likely.

        Returns
        -------
        ndarray of shape (n_rows,), int64
            Positions of leaves.
        """
        _, leaf = np.nonzero(self.members)
        sizes = self.sizes
        starts = np.cumsum(sizes) - sizes
        return leaf[starts[self.codes] + rng.integers(0, sizes[self.codes])]

    def _told(self):
        return {
            "name": self.name,
            "rows": self.n_rows,
            "labels": len(self.labels),
            "original values": len(self.leaves),
        }


def spread(column: GeneralizedColumn) -> np.ndarray:
    """Share of each leaf in each label, a label being spread evenly over its leaves.

    Returns
    -------
    ndarray of shape (n_labels, n_leaves), float64
        Rows sum to 1.
    """
    return uniform_weights(column.members)


# --- checking -----------------------------------------------------------------


def _plain(leaf):
    is_scalar = isinstance(leaf, np.number | np.bool_ | np.str_)
    return leaf.item() if is_scalar else leaf


def _check_leaves(name: str, leaves: tuple) -> None:
    expected = f"Column {name!r}: expected leaves that are"
    if not leaves:
        raise SchemaError(
            f"{expected} the values of the column. Received none. List at least one."
        )
    wrong = [
        leaf
        for i, leaf in enumerate(leaves)
        if not (leaf is None and i == len(leaves) - 1)
        and (not isinstance(leaf, VALUE_TYPES) or pd.isna(leaf) or leaf in _INFINITE)
    ]
    if wrong:
        raise SchemaError(
            f"{expected} texts, finite numbers, booleans or dates, with None for "
            f"missing at the end. Received {examples(wrong)}. Correct them."
        )
    if len(set(leaves)) < len(leaves):
        twice = [leaf for i, leaf in enumerate(leaves) if leaf in leaves[:i]]
        raise SchemaError(
            f"{expected} pairwise different. Received {examples(twice)} more than "
            "once. List each value once."
        )


def _check_members(name: str, n_leaves: int, members: np.ndarray) -> None:
    expected = f"Column {name!r}: expected"
    if members.ndim != 2 or members.shape[1] != n_leaves:
        raise SchemaError(
            f"{expected} members of shape (n, {n_leaves}), a row for each label and a "
            f"column for each leaf. Received {members.shape}. Give a bool for each "
            "label and leaf."
        )
    n_empty = len(members) - int(members.any(axis=1).sum())
    if n_empty:
        raise SchemaError(
            f"{expected} labels that stand for at least one leaf. Received {n_empty} "
            "that stand for none. Give them leaves, or leave them out."
        )


def _check_length(name: str, members: np.ndarray, labels: Sequence[str]) -> None:
    if len(labels) != len(members):
        raise SchemaError(
            f"Column {name!r}: expected a label for each of the {len(members)} rows of "
            f"members. Received {len(labels)}. Give as many."
        )


def _check_labels(name: str, members: np.ndarray, labels: Sequence[str]) -> None:
    expected = f"Column {name!r}: expected"
    _check_length(name, members, labels)
    if len(np.unique(packed_sets(members))) < len(members):
        raise SchemaError(
            f"{expected} labels that stand for different leaves. Received some that "
            "are equal. Merge them, by GeneralizedColumn.from_members."
        )
    if len(set(labels)) < len(labels) or not all(isinstance(t, str) for t in labels):
        raise SchemaError(
            f"{expected} labels that are pairwise different texts. Received "
            f"{examples(labels)}. Rename them, or leave them to from_members."
        )


def _check_codes(name: str, codes: np.ndarray, n_labels: int) -> None:
    if codes.ndim != 1 or codes.dtype.kind not in "iu":
        received = f"shape {codes.shape} and dtype {codes.dtype}"
    elif len(codes) and not (0 <= codes.min() and codes.max() < n_labels):
        received = f"{codes.min()} to {codes.max()}"
    else:
        return
    raise ParameterError(
        f"Column {name!r}: expected for each row the code of its label, from 0 to "
        f"{n_labels - 1}. Received {received}. Number the rows of members."
    )
