"""Rare categories, which are drawn as common ones that are beside what they are beside.

A group of rare values, ``A (other)``, is a value that nobody has: where a code of a
list is expected it is none, and who looks for it knows which rows were drawn. So rules
are found with groups, but trees are grown on rows in which common values stand for
them: of the values beside the same one of the column that theirs is nested in, each as
often as rows hold it that are in the same leaf of a tree on the cluster and the other
columns. Statistical offices fill answers that are missing in this way (imputation
within classes: Andridge and Little 2010, A review of hot deck imputation, section 3).

Common values then count the rows of rare ones too. A group stays that has more than
`MOST` times the rows of all that could stand for it. Where common values tell another
column, of whose rows `SHIFTED` would change their tenth or value, they stand for
rare ones only beside the same tenth, or value, of that column too: long histories of
late payments are rare, and all common ones are short. So they do where as many rows
would have what never meets in the table, and would often by chance: who names a rare
site in answer to a question does not pass it over, as most do.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from coclust_synth.generators.plain.structured.dates.date_features import binned
from coclust_synth.generators.plain.structured.targets.codes import code_sizes
from coclust_synth.generators.plain.trees._tree_kernels import Limits, pick_within
from coclust_synth.generators.plain.trees.trees import grow_tree
from coclust_synth.tables.draws.strata import strata
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import DEFAULT_RARE, MAX_BROKEN
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rules.evidence import Evidence, pooled_codes
from coclust_synth.tables.rules.values.dependences import common_labels

#: Rows of rare values that common ones stand for, over those that they have themselves.
MOST = 2.0
#: Share of the rows by which what common values tell may be off, as total variation, or
#: that may have what never meets.
SHIFTED = 0.05
# Columns of so many codes are looked at by these, others by tenths.
_FEW = 25


def with_common_values(
    evidence: Evidence,
    clusters: np.ndarray,
    k: int,
    rng: np.random.Generator,
    never: Mapping[int, np.ndarray] | None = None,
) -> Evidence:
    """The same rows, with common values for groups of rare ones.

    Parameters
    ----------
    evidence : Evidence
        Of n rows.
    clusters : ndarray of int64, shape (n,)
        Cluster of the individual of each row.
    k : int
        Individuals of each leaf, at least.
    rng : numpy.random.Generator
        Which row gets which value of its leaf. All rows of a person that hold a group
        beside one value get the same.

    Returns
    -------
    Evidence
        Of the same coding, in which groups may have no rows; `moved` are those that had
        a group, or another value.
    """
    filling = _Filling(evidence, clusters, k, rng, never or {})
    all_moved = dict(filling.is_group)
    for j, parent in _nesting(evidence.coding, filling.is_group):
        filling.fill(j, parent)
        changed = filling.codes[:, j] != evidence.codes[:, j]
        all_moved[j] = filling.is_group[j] | changed
    return replace(evidence, codes=filling.codes[:, :-1], moved=all_moved)


class _Filling:
    """Codes in which columns get common values for groups, one after the other.

    See `with_common_values` for the parameters.

    Attributes
    ----------
    codes : ndarray of int32, shape (n, d + 1)
        The cluster comes after the columns.
    is_group : dict of int to ndarray of bool, shape (n,)
        Rows that hold a group, by column.
    """

    def __init__(self, evidence, clusters, k, rng, never):
        self.evidence, self._k, self._rng, self._never = evidence, k, rng, never
        self.codes = np.column_stack([evidence.codes, clusters]).astype(np.int32)
        self.is_group = _rows_of_groups(evidence)
        # What trees can ask for.
        d = self.codes.shape[1]
        self._asked = [j for j in range(d) if j not in self.is_group]
        n_clusters = int(clusters.max(initial=0)) + 1
        self._sizes = code_sizes(evidence.coding, [(n_clusters, 0)])

    def fill(self, j, parent):
        """Put common values for the groups of a column."""
        beside, is_moved = np.zeros(len(self.codes), dtype=np.int64), False
        if parent is not None:
            beside = self.codes[:, parent].astype(np.int64)
            is_moved = beside != self.evidence.codes[:, parent]
        own = self._filled(j, beside, is_moved)
        shifted = self._shifted(j, parent, own)
        if shifted:
            own = self._filled(j, common_labels([beside, *shifted]), is_moved)
        self.codes[:, j] = own
        self._asked.append(j)

    def _filled(self, j, beside, is_moved):
        """Codes of a column, with common values where these may stand for others."""
        evidence, codes, own = self.evidence, self.codes, self.codes[:, j].copy()
        is_known = _is_known(evidence.coding, j, own)
        is_common = is_known & ~is_moved & ~_is_of_groups(evidence, j, self.is_group)
        is_common &= ~np.isin(own, self._never.get(j, ()))
        may_go = _are_few(beside, self.is_group[j], is_common)
        # Where no group has a name, a moved row has the value of any column beside.
        is_free = evidence.is_moved(j)
        may_go |= is_free
        rows = np.flatnonzero(is_known & (is_moved | (self.is_group[j] & may_go)))
        common = np.flatnonzero(is_common)
        if not len(rows) or not len(common):
            return own
        whose, sizes = _some(evidence.persons, common), self._sizes
        n_own = tuple(sizes[:, j].tolist())
        known = own[common], n_own, self._asked, codes[common], sizes[0], sizes[1]
        tree = grow_tree(*known, self._k, whose)
        once, like = _once(evidence.persons, rows, own, beside)
        is_beside = _are_beside(evidence, own, beside, common, n_own[0])
        is_free = is_free & ~is_beside.any(axis=1)[beside]
        limits = _limits(is_beside, beside[once], is_free[once])
        leaf = tree.leaf_of(codes[once])
        drawn = pick_within(leaf, *strata(leaf, self._rng), tree.leaves, limits)
        own[rows] = np.where(drawn < 0, own[once], drawn)[like]
        return own

    def _shifted(self, j, parent, own):
        """Codes, or tenths, of columns that common values would tell anew, or never do.

        A column that they tell, but for `MAX_BROKEN` of their rows, gets what most rows
        of the value have.
        """
        coding, before = self.evidence.coding, self.evidence.codes[:, j]
        # Where no group has a name, its rows had the value of one that is common.
        is_moved, shifted = (own != before) | self.evidence.is_moved(j), []
        is_own = ~is_moved & ~self.is_group[j]
        for t in range(len(coding.names)) if is_moved.any() else ():
            if t in (j, parent) or t not in self._asked:
                continue
            labels, sizes = self.codes[:, t], self._sizes[:, t].tolist()
            labels = labels if sizes[0] <= _FEW else binned(labels, *sizes)
            n_labels = int(labels.max()) + 1
            pairs = before[is_own] * np.int64(n_labels) + labels[is_own]
            rows = np.bincount(pairs, minlength=(int(own.max()) + 1) * n_labels)
            rows = rows.reshape(-1, n_labels)
            told, n = rows.argmax(axis=1), len(own)
            by_chance = np.outer(rows.sum(axis=1), np.bincount(labels)) / n
            never = (rows == 0) & (by_chance >= MIN_ROWS)
            if never[own, labels][is_moved].sum() > SHIFTED * n:
                shifted.append(labels)
                continue
            if t in self.is_group:
                continue
            n_broken = rows.sum() - rows.max(axis=1).sum()
            if n_broken > MAX_BROKEN * rows.sum():
                continue
            anew = np.where(is_moved, told[own], labels)
            off = np.bincount(anew, minlength=n_labels) - np.bincount(labels)
            if np.abs(off).sum() / 2 > SHIFTED * n:
                shifted.append(labels)
        return shifted


def _rows_of_groups(evidence):
    """Rows that hold a group of rare values, or one in their place, by column."""
    pooled = pooled_codes(evidence.coding)
    return {
        j: np.isin(evidence.codes[:, j], [*pooled.get(j, ())]) | evidence.is_moved(j)
        for j in sorted({*pooled, *evidence.moved})
        if pooled.get(j) or j in evidence.moved
    }


def _nesting(coding, columns):
    """Of some columns the one that each is nested in, or None, those above first."""
    left = dict.fromkeys(columns)
    for pool in coding.pools:
        j = coding.names.index(pool.name)
        if j in columns:
            del left[j]
            is_there = pool.parent in coding.names
            yield j, coding.names.index(pool.parent) if is_there else None
    yield from left.items()


def _is_known(coding, j, own):
    """Rows whose value is there, or a group."""
    parts = coding.parts[j]
    return own < parts.n_parts - parts.with_missing


def _is_of_groups(evidence, j, is_group):
    """Rows whose value is a group, or beside a group or nothing in what is nested."""
    found, nested_in = is_group[j].copy(), {j}
    for other, parent in _nesting(evidence.coding, is_group):
        if parent in nested_in:
            nested_in.add(other)
            known = _is_known(evidence.coding, other, evidence.codes[:, other])
            found |= is_group[other] | ~known
    return found


def _are_few(beside, is_rare, is_common):
    """Whether rare rows are few for the common ones beside the value of each row."""
    n_rare, n_common = np.bincount(beside, is_rare), np.bincount(beside, is_common)
    return (n_rare <= MOST * n_common)[beside]


def _some(persons, rows):
    """The persons of some rows, numbered anew."""
    if persons is None:
        return None
    return Persons(
        persons.column, np.unique(persons.codes[rows], return_inverse=True)[1]
    )


def _once(persons, rows, own, beside):
    """One row for each that gets a value of its own, and the place of each row's."""
    if persons is None:
        return rows, slice(None)
    labels = common_labels([of[rows] for of in (persons.codes, own, beside)])
    _, first, like = np.unique(labels, return_index=True, return_inverse=True)
    return rows[first], like


def _are_beside(evidence, own, beside, rows, n_own):
    """Which values are beside which of the other column, slips of few left out."""
    n_beside = int(beside.max()) + 1
    pair = np.full(len(own), -1)
    pair[rows] = beside[rows].astype(np.int64) * n_own + own[rows]
    n = evidence.count(pair, n_beside * n_own).reshape(n_beside, n_own)
    return (n >= DEFAULT_RARE) | ((n == n.max(axis=0)) & (n > 0))


def _limits(is_beside, beside, is_free):
    """That rows get what is beside the same value, and free ones what any has."""
    n, n_own = len(beside), is_beside.shape[1]
    is_beside = np.vstack([is_beside, is_beside.any(axis=0)])
    of_rows = np.where(is_free, len(is_beside) - 1, beside).astype(np.int64)
    anything, none = np.ones((n, 1), dtype=bool), np.zeros(n_own)
    ends = np.full(n, -np.inf), np.full(n, np.inf)
    group = np.zeros(n_own, dtype=np.int64)
    return Limits(group, anything, is_beside, of_rows, none, none, *ends)
