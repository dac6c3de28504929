"""Pairs of columns that may say something of each other, by counts of many at once.

A thousand columns are half a million pairs. What no rule about values that never meet
can be about is seen in the counts of one column beside many others.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth.tables.parts.parts import CategoryParts
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.rules.values.stops import beyond_stops

# Cells, and counts, of so many columns are held together.
_AT_ONCE = 2**21
# What is computed in another order differs in its last digits.
_ROUNDING = 1e-9


def pairs_to_try(evidence, min_expected):
    """The pairs of columns of which one may fix the other, or values never meet.

    Parameters
    ----------
    evidence : Evidence
    min_expected : float
        Individuals that chance would give values that never meet, at least; of
        categories fewer may say so together.

    Yields
    ------
    (int, int)
        The first before the second. One tells the other but for `MAX_BROKEN` of the
        rows; or two values, or all of a column that are not missing, never meet where
        chance would have it; or both are of categories, two of which never meet; or
        numbers of one stop beside a category of the other.
    """
    sizes = np.array(evidence.n_bins, dtype=np.int64)
    cells = evidence.bins.copy()
    for j, moved in evidence.moved.items():
        cells[moved, j] = -1
    kinds = [_kinds(evidence, j) for j in range(len(sizes))]
    of_persons = evidence.n_individuals / max(len(cells), 1)
    listed = np.array([isinstance(p, CategoryParts) for p in evidence.coding.parts])
    for j in range(1, len(sizes)):
        held = np.maximum(sizes[:j] * sizes[j], len(cells))
        ends = np.flatnonzero(np.diff(np.cumsum(held) // _AT_ONCE)) + 1
        for some in np.split(np.arange(j), ends):
            counts = _Counts.of(cells, kinds, some, j)
            may_be = counts.nearly_fix() | counts.are_nearly_fixed()
            may_be |= counts.never_meet(min_expected, of_persons)
            may_be |= counts.have_none() & listed[some] & listed[j]
            mixed = np.flatnonzero(~may_be & (listed[some] != listed[j]))
            may_be[mixed] = counts.stop(mixed, listed[j], min_expected, of_persons)
            yield from ((i, j) for i in some[may_be].tolist())


class _Counts(NamedTuple):
    """Rows of each bin of m columns that have each bin of another one.

    rows : (bins of all m, bins of the other). starts : (m,), of the bins of each.
    missing, known : bins that are missing, and of one value, of the m and of the other.
    """

    rows: np.ndarray
    starts: np.ndarray
    missing: tuple[np.ndarray, np.ndarray]
    known: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, cells, kinds, some, j):
        """Of some columns and one, of rows whose cells are not -1."""
        missing, known = zip(*(kinds[c] for c in (*some, j)), strict=True)
        sizes, n = np.array([len(own) for own in known[:-1]]), len(known[-1])
        # Cells that say nothing are of a bin more, before all others of their column.
        ends = np.cumsum(sizes + 1)
        both = (cells[:, some].astype(np.int64) + (ends - sizes)) * (n + 1)
        both += cells[:, [j]] + 1
        rows = np.bincount(both.ravel(), minlength=ends[-1] * (n + 1))
        rows = np.delete(rows.reshape(-1, n + 1)[:, 1:], ends - sizes - 1, axis=0)
        missing, known = (
            (np.concatenate(own[:-1]), own[-1]) for own in (missing, known)
        )
        return cls(rows, np.cumsum(sizes) - sizes, missing, known)

    def nearly_fix(self):
        """Columns of which each value has one of the other, but for few rows."""
        own = self.rows[:, self.known[1]] * self.known[0][:, None]
        n, most = own.sum(axis=1), own.max(axis=1, initial=0)
        n, most = (np.add.reduceat(of, self.starts) for of in (n, most))
        return n - most <= MAX_BROKEN * n

    def are_nearly_fixed(self):
        """Columns of which each value of the other has one, but for few rows."""
        own = self.rows[:, self.known[1]] * self.known[0][:, None]
        n, most = (of.reduceat(own, self.starts) for of in (np.add, np.maximum))
        n, most = n.sum(axis=1), most.sum(axis=1)
        return n - most <= MAX_BROKEN * n

    def have_none(self):
        """Columns of which some value has none of some value of the other."""
        return np.logical_or.reduceat((self.rows == 0).any(axis=1), self.starts)

    def stop(self, which, by_other, min_expected, of_persons):
        """Whether numbers of some columns, or of the other, stop beside a category."""
        ends = np.append(self.starts[1:], len(self.rows))
        found = np.zeros(len(which), dtype=bool)
        for place, i in enumerate(which):
            own = slice(self.starts[i], ends[i])
            together, in_order = self.rows[own], self.known[1]
            if by_other:
                together, in_order = together.T, self.known[0][own]
            found[place] = beyond_stops(
                together, in_order, min_expected * (1 - _ROUNDING), of_persons
            ).any()
        return found

    def never_meet(self, min_expected, of_persons):
        """Columns of which values, or all but the missing, have none of the other."""
        starts, (missing, of_other) = self.starts, self.missing
        # All values of a column that are not missing are one more.
        wide = np.column_stack([self.rows, self.rows[:, ~of_other].sum(axis=1)])
        present = np.add.reduceat(wide * ~missing[:, None], starts)
        alone = self.rows.sum(axis=1), present[:, :-1].sum(axis=1)
        other, n = np.add.reduceat(wide, starts), np.add.reduceat(alone[0], starts)
        other = other * (of_persons / np.maximum(n, 1))[:, None]
        sizes, least = np.diff(starts, append=len(wide)), min_expected * (1 - _ROUNDING)
        never = (wide == 0) & (alone[0][:, None] * other.repeat(sizes, axis=0) >= least)
        of_present = (present == 0) & (alone[1][:, None] * other >= least)
        found = np.logical_or.reduceat(never.any(axis=1), starts)
        return found | of_present.any(axis=1)


def _kinds(evidence, j):
    """Which bins of a column are missing, and which are of one value."""
    missing = np.zeros(evidence.n_bins[j], dtype=bool)
    if j in evidence.missing:
        missing[evidence.missing[j]] = True
    known = ~missing
    known[[*evidence.pooled.get(j, ())]] = False
    return missing, known
