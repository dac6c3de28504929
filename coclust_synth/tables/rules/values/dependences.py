"""Columns that others tell, one or up to three together: a distance, by its two ends.

What is told of a combination is a value that `MIN_ROWS` individuals or more have with
it, as of an atom. Other combinations go with one value too, but with which one is not
told: what is drawn for them is drawn once.
"""

from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Dependence
from coclust_synth.tables.rules.fitting.told import dependants
from coclust_synth.tables.rules.values._neighbour_kernels import told_by
from coclust_synth.tables.rules.values.classes_beside import learn_class_limits
from coclust_synth.tables.rules.values.lookup import Lookup, with_neighbours
from coclust_synth.tables.values.numbers import log_choose

# Columns that tell another together, at most.
_MAX_TELLING = 3
# Rows of a first look, of which as many share their combination with another at least;
# what holds of all rows may be broken by this many times as many of them.
_FIRST, _MIN_SHARED, _SLACK = 1500, 50, 3
# Columns of which three together are looked at, at most: those of fewest values, as
# combinations of others are of few people.
_MAX_TELLERS = 16
# Share of the rows whose combination is told, at least.
_MIN_TOLD = 0.5
# Chance that a column which does not depend on one of those that tell it, given the
# others, is taken for one that does.
_MAX_CHANCE = 1e-9


def common_labels(columns):
    """One number for each combination of values.

    Parameters
    ----------
    columns : sequence of ndarray, shape (n,)
        nan is a value.

    Returns
    -------
    ndarray of int64, shape (n,)
        From 0 without gaps.
    """
    labels = np.zeros(len(columns[0]), dtype=np.int64)
    for own in columns:
        values, codes = np.unique(own, return_inverse=True)
        labels = labels * len(values) + codes
        labels = np.unique(labels, return_inverse=True)[1]
    return labels


def learn_lookup(evidence, relation):
    """What a table tells of the combinations of a dependence.

    Parameters
    ----------
    evidence : Evidence
    relation : Dependence

    Returns
    -------
    Lookup
        Of no combination, where none has a value with `MIN_ROWS` individuals.
    """
    keys = _Keys.of(_Labels.of(evidence), relation.parents)
    lookup = keys.lookup(relation.target)
    limits = learn_class_limits(evidence, relation)
    if limits is not None:
        return _with_limits(lookup, limits, evidence)
    return lookup if len(relation.parents) > 1 else with_neighbours(lookup, evidence)


def _with_limits(lookup, limits, evidence):
    """The same, where limits tell a class, also of atoms between two of them."""
    names, place = evidence.coding.names, limits.place
    name = lookup.columns[place]
    parts, scale = evidence.coding.parts[names.index(name)], evidence.scales[name]
    present = np.zeros(len(parts.lows), dtype=bool)
    ends = [scale.to_numbers(own, present) for own in (parts.lows, parts.highs)]
    keys, codes = [], []
    for key, own, classes in zip(
        limits.keys, limits.limits, limits.classes, strict=True
    ):
        first, last = (np.searchsorted(own, end, side="right") for end in ends)
        inside = np.flatnonzero((first == last) & (classes[first] >= 0))
        others = np.tile(key, (len(inside), 1))
        keys.append(np.insert(others, place, inside, axis=1))
        codes.append(classes[first[inside]])
    columns = [names.index(column) for column in lookup.columns]
    missing = np.isnan(evidence.numbers[name])
    told = lookup.told(evidence.codes[missing][:, columns])
    target = evidence.codes[missing, names.index(lookup.target)]
    # Classes of missing numbers that are not all the same are drawn.
    is_missing = lookup.keys[:, place] >= len(parts.lows)
    if (target != told).sum() > MAX_BROKEN * len(told):
        is_missing[:] = False
    return replace(
        lookup,
        keys=np.concatenate([*keys, lookup.keys[is_missing]]).astype(np.int32),
        codes=np.concatenate([*codes, lookup.codes[is_missing]]),
        values=np.empty(0),
        limits=limits,
    )


def broken_by(lookup, evidence):
    """Which rows have another value than their combination goes with.

    Parameters
    ----------
    lookup : Lookup
    evidence : Evidence

    Returns
    -------
    broken, known, is_told : ndarray of bool, shape (n,)
        Combinations go with the value that most of their rows have, and with that which
        is told. Rows where a value stands for several are not known.
    """
    labels, names = _Labels.of(evidence), evidence.coding.names
    columns = [names.index(name) for name in lookup.columns]
    target = names.index(lookup.target)
    told = lookup.learnt.told_of_rows(evidence.codes[:, columns], evidence.numbers)
    known = labels.single[:, [*columns, target]].all(axis=1)
    if lookup.limits is not None:
        known &= (told >= 0) | ~np.isnan(evidence.numbers[lookup.number])
    keys = _Keys.of(labels, lookup.columns)
    differs = (told >= 0) & (evidence.codes[:, target] != told)
    differs |= ~keys.most(target).is_most
    return known & differs, known, known & (told >= 0)


def find_dependences(evidence, fits, min_individuals):
    """The columns that others tell, up to three together and no fewer of these.

    One alone is asked for numbers that `code_bins` puts in a bin with others, and for
    categories that go by intervals of such integers (a city, by its postcode) that
    nothing tells: what else a column tells alone, `find_combinations` finds.

    Sets of columns are tried by size, as TANE does (Huhtala et al. 1999): a column that
    is told by some is not tried for more, nor are columns of which one tells another.
    First on some rows, then on all, where at most `MAX_BROKEN` of the rows may have
    another value than most of their combination. The column must depend on each of
    those that tell it given the others: that all rows of a combination agree, but for
    those, is what chance does with probability 1e-9 at most, were they given to its
    rows from those that share the others.

    Parameters
    ----------
    evidence : Evidence
    fits : mapping of str to relation
        Columns that are told from others already. One that is told nearly may be
        told by a dependence.
    min_individuals : int
        Whose combinations are told, and who of these have not the commonest value.

    Returns
    -------
    list of Dependence
        No column depends on itself through others.
    """
    labels = _Labels.of(evidence)
    found = dict(fits)
    exact = {name for name, fit in fits.items() if not fit.is_loose}
    dependences = []
    for columns, j in _candidates(labels):
        names, target = tuple(labels.names[c] for c in columns), labels.names[j]
        others = {name: fit for name, fit in found.items() if name != target}
        if target in exact or dependants(target, others) & set(names):
            continue
        keys = _Keys.of(labels, names)
        if labels.is_category_by_number(columns, j):
            is_code = evidence.coding.schema[names[0]].kind == "integer"
            if not is_code or names[0] in exact or not keys.go_by_intervals(j):
                continue
        if keys.tell(j, min_individuals):
            relation = Dependence(names, target)
            found[target] = relation
            exact.add(target)
            dependences.append(relation)
    return dependences


class _Labels(NamedTuple):
    """A number for each value of each column.

    labels : (n, d) int64. single : (n, d) bool, whether the cell is one value. names :
    (d,). is_number : (d,) bool. evidence : Evidence.
    """

    labels: np.ndarray
    single: np.ndarray
    names: Any
    is_number: np.ndarray
    evidence: Any

    @classmethod
    def of(cls, evidence):
        names, codes = evidence.coding.names, evidence.codes
        columns = evidence.coding.schema.columns
        is_number = np.array([c.kind not in LISTED_KINDS for c in columns])
        # The code of a value that is not known is -1.
        labels = codes.astype(np.int64) + 1
        single = np.ones(codes.shape, dtype=bool)
        for j, name in enumerate(names):
            if is_number[j]:
                labels[:, j] = common_labels([evidence.numbers[name]])
            for code in evidence.pooled.get(j, ()):
                single[:, j] &= codes[:, j] != code
            single[:, j] &= ~evidence.is_moved(j)
        return cls(labels, single, names, is_number, evidence)

    @property
    def usable(self):
        """Columns of several values, most rows of which have one with `MIN_ROWS`."""
        usable = []
        for j, own in enumerate(self.labels.T):
            rows = np.bincount(own[self.single[:, j]], minlength=1)
            is_common = rows[rows >= MIN_ROWS]
            if len(is_common) > 1 and is_common.sum() >= _MIN_TOLD * len(own):
                usable.append(j)
        return usable

    @property
    def coarse(self):
        """Columns of which a bin stands for several values, (d,) bool."""
        own = self.labels.max(axis=0, initial=-1) + 1
        return self.is_number & (np.array(self.evidence.n_bins) < own)

    def is_category_by_number(self, columns, target):
        """Whether one column of numbers, by positions, tells one of categories."""
        is_one = len(columns) == 1
        return is_one and self.is_number[columns[0]] and not self.is_number[target]


def _rises(names, target, numbers):
    """See `Lookup.rises`."""
    if len(names) > 1 or not {*names, target} <= numbers.keys():
        return 0
    x, y = numbers[names[0]], numbers[target]
    known = ~np.isnan(x) & ~np.isnan(y)
    order = np.lexsort((y[known], x[known]))
    # Of one number the middle one of what goes with it, but for slips the only one.
    starts = np.unique(x[known][order], return_index=True)[1]
    middle = (starts + np.append(starts[1:], len(order)) - 1) // 2
    steps = np.diff(y[known][order][middle])
    for direction in (1, -1):
        if (steps != 0).any() and (direction * steps < 0).mean() <= MAX_BROKEN:
            return direction
    return 0


def _of_several(evidence, j, rows):
    """Numbers of some rows whose codes stand for several; nan of others."""
    name, parts = evidence.coding.names[j], evidence.coding.parts[j]
    none = np.empty(0)
    if name not in evidence.numbers:
        return none
    is_one = np.append(parts.lows == parts.highs, [True] * parts.with_missing)
    values = np.where(
        is_one[evidence.codes[rows, j]], np.nan, evidence.numbers[name][rows]
    )
    return none if np.isnan(values).all() else values


class _Most(NamedTuple):
    """The commonest value of each combination.

    is_most : (n,) bool, whether a row has it. first : (m,), a row that has it.
    individuals : (m,), who have it.
    """

    is_most: np.ndarray
    first: np.ndarray
    individuals: np.ndarray


class _Keys(NamedTuple):
    """Rows by their combination of some columns.

    labels : _Labels. columns : positions. key : (n,) int64, of each row. n : of them.
    """

    labels: _Labels
    columns: list
    key: np.ndarray
    n: int

    @classmethod
    def of(cls, labels, names):
        columns = [labels.names.index(name) for name in names]
        key = np.zeros(len(labels.labels), dtype=np.int64)
        for own in labels.labels[:, columns].T:
            key = key * (own.max(initial=0) + 1) + own
            key = np.unique(key, return_inverse=True)[1]
        return cls(labels, columns, key, int(key.max(initial=-1)) + 1)

    def known(self, target):
        """Rows whose combination and target are of single values."""
        return self.labels.single[:, [*self.columns, target]].all(axis=1)

    def most(self, target):
        """See `_Most`; of the rows that are known."""
        # Whether a row is known is told by its pair of a combination and a value.
        known, own = self.known(target), self.labels.labels[:, target]
        n_values = int(own.max(initial=0)) + 1
        pairs, first, pair = np.unique(
            self.key * n_values + own, return_index=True, return_inverse=True
        )
        rows = np.bincount(pair, known, minlength=len(pairs))
        by_rows = np.lexsort((-rows, pairs // n_values))
        combination = (pairs // n_values)[by_rows]
        commonest = by_rows[np.unique(combination, return_index=True)[1]]
        is_most = known & (pair == commonest[self.key])
        first = first[commonest]
        labels = np.where(is_most, self.key, -1)
        individuals = self.labels.evidence.count(labels, self.n)
        return _Most(is_most, first, individuals)

    def lookup(self, target):
        """What is told of the target, given by name."""
        labels = self.labels
        j = labels.names.index(target)
        most = self.most(j)
        rows = most.first[most.individuals >= MIN_ROWS]
        codes = labels.evidence.codes
        names = tuple(labels.names[c] for c in self.columns)
        keys = codes[np.ix_(rows, self.columns)]
        rises = _rises(names, target, labels.evidence.numbers)
        values = _of_several(labels.evidence, j, rows)
        return Lookup(names, target, keys, codes[rows, j], rises, values=values)

    def tell(self, target, min_individuals):
        """Whether they tell the target, see `find_dependences`."""
        known, most = self.known(target), self.most(target)
        n_broken = int(known.sum() - most.is_most.sum())
        if n_broken > MAX_BROKEN * known.sum():
            return False
        is_told = known & (most.individuals >= MIN_ROWS)[self.key]
        if is_told.sum() < _MIN_TOLD * len(known):
            return False
        evidence, own = self.labels.evidence, self.labels.labels[:, target]
        of_values = evidence.count(np.where(is_told, own, -1), int(own.max()) + 1)
        others = of_values.sum() - of_values.max()
        if min(of_values.max(), others) < max(min_individuals, 1):
            return False
        return self._log_chance(target, most, is_told) <= np.log(_MAX_CHANCE)

    def go_by_intervals(self, target):
        """Whether half as many neighbouring numbers differ in it as others would."""
        own = self.labels.labels[self.most(target).first, target]
        n_changes = (own[1:] != own[:-1]).sum()
        shares = np.bincount(own) / len(own)
        return n_changes <= 0.5 * (len(own) - 1) * (1 - (shares**2).sum())

    def _log_chance(self, target, most, is_told):
        """Logarithm of the chance that the rows of a combination agree, at most 0."""
        evidence, labels = self.labels.evidence, self.labels.labels
        agree = is_told & most.is_most
        beyond = np.ones(len(agree), dtype=bool)
        beyond[most.first] = False  # one row of each has a value in any case
        beyond &= agree
        n, v = int(is_told.sum()), int(is_told.sum() - agree.sum())
        which_broken = log_choose(n, v)
        likeliest = -np.inf
        for left_out in self.columns:
            rest = [labels[:, c] for c in self.columns if c != left_out]
            rest = common_labels(rest) if rest else np.zeros(len(labels), dtype=int)
            pair = common_labels([rest, labels[:, target]])
            of_rest = np.bincount(rest[is_told], minlength=rest.max() + 1)
            of_pair = np.bincount(pair[is_told], minlength=pair.max() + 1)
            share = of_pair[pair[beyond]] / of_rest[rest[beyond]]
            likeliest = max(likeliest, float(np.log(share).sum()))
        # Several rows of a person are no more evidence.
        of_persons = evidence.n_individuals / max(len(labels), 1)
        return min((likeliest + which_broken) * of_persons, 0.0)


def _candidates(labels):
    """Sets of columns and what each may tell, in the order in which they are tried.

    Smaller sets first, and categories before numbers; categories by numbers last.

    Parameters
    ----------
    labels : _Labels

    Returns
    -------
    list of (tuple of int, int)
    """
    usable = labels.usable
    first, coarse = _FirstLook.of(labels, usable), labels.coarse[usable]
    tells = {(j,): first.told_by((j,)) for j in range(len(usable))}
    alone = [(j, t) for (j,), told in tells.items() for t in told or ()]
    found = [((j,), t) for j, t in alone if coarse[j] or coarse[t]]
    tellers = np.argsort(first.n_values, kind="stable").tolist()
    for size in range(2, _MAX_TELLING + 1):
        if size == _MAX_TELLING:
            tellers = tellers[:_MAX_TELLERS]
        for columns in combinations(sorted(tellers), size):
            parts = [tells.get(part) for part in combinations(columns, size - 1)]
            # Those of too few rows, or of which one tells another.
            if None in parts or set(columns) & set().union(*parts):
                continue
            told = first.told_by(columns)
            if told is not None:
                tells[columns] = told.union(*parts)
                found += [(columns, target) for target in told.difference(*parts)]

    def rank(each):
        columns, target = each
        is_last = labels.is_category_by_number(columns, target)
        n_numbers = labels.is_number[[*columns]].sum()
        return is_last, len(columns), n_numbers, columns, target

    found = [(tuple(usable[c] for c in columns), usable[t]) for columns, t in found]
    return sorted(found, key=rank)


class _FirstLook(NamedTuple):
    """Some rows, of which it is seen soon what cannot be.

    labels : (q, m) int64, from 0 without gaps. n_values : (q,). single : (q, m) bool.
    seen, last : see `_neighbour_kernels`.
    """

    labels: np.ndarray
    n_values: np.ndarray
    single: np.ndarray
    seen: np.ndarray
    last: np.ndarray

    @classmethod
    def of(cls, labels, columns):
        """Of some columns, q positions."""
        n = len(labels.labels)
        rows = np.linspace(0, n - 1, min(n, _FIRST)).astype(np.int64)
        rows = np.ix_(rows, np.array(columns, dtype=np.int64))
        own = np.ascontiguousarray(labels.labels[rows].T)
        single = np.ascontiguousarray(labels.single[rows].T)
        for column in own:
            column[:] = common_labels([column])
        n_values = own.max(axis=1, initial=-1) + 1
        # Labels that share a byte are told apart where few neighbours differ in these.
        seen = np.where(single, own % 255 + 1, 0).T.astype(np.uint8, order="C")
        last = np.full(own.shape[1] * int(n_values.max(initial=0)), -1, dtype=np.int64)
        return cls(own, n_values, single, seen, last)

    def told_by(self, columns):
        """What some columns tell; None where few rows share their values."""
        of = np.array(columns, dtype=np.int64)
        told = told_by(of, *self, _MIN_SHARED, _SLACK * MAX_BROKEN)
        return {*np.flatnonzero(told).tolist()} - {*columns} if len(told) else None
