"""Classes of a number that begin elsewhere beside other values: high, by the test."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Dependence
from coclust_synth.tables.rules.fitting.told import dependants
from coclust_synth.tables.rules.values._neighbour_kernels import (
    count_changes,
    leave_few_changes,
)
from coclust_synth.tables.rules.values.classes_of_numbers import (
    CLASS_KINDS,
    MAX_CLASSES,
    learn_limits,
)
from coclust_synth.tables.rules.values.lookup import ClassLimits

# Rows of a first look, and how many times as often as in all rows a number may be in
# another class there.
_FIRST, _SLACK = 1500, 3
# A column beside which limits are others has so many values at most, and two together
# so many combinations.
_MAX_VALUES = 60
# So many columns have other limits at most.
_MAX_BESIDE = 2
# Beside such a column as many neighbouring numbers at most are of different classes, of
# those that are without it.
_MAX_LEFT = 0.7
# So many neighbours are of different classes at most, of those that are by chance; and
# so many rows are of another class than most with the same value of a column that does
# not tell it, of those that are not of the commonest class.
_MAX_BY_CHANCE, _MIN_UNTOLD = 0.3, 0.1
# Share of the rows whose class is told, at least.
_MIN_TOLD = 0.5


def learn_class_limits(evidence: Any, relation: Dependence) -> ClassLimits | None:
    """Where each class of a number begins, of a column that is one.

    Parameters
    ----------
    evidence : Evidence
    relation : Dependence
        On a number, and perhaps columns of few values beside it.

    Returns
    -------
    ClassLimits or None
        None where the rows of no number, or fewer than half of them, are told their
        class, or more than .5 % of these are of another.
    """
    names, parents = evidence.coding.names, relation.parents
    target = names.index(relation.target)
    if len(parents) == 1:
        limits, classes = learn_limits(evidence, *parents, relation.target)
        return None if limits is None else ClassLimits.alone(limits, classes)
    if len(parents) > _MAX_BESIDE + 1:
        return None
    for place, name in reversed([*enumerate(parents)]):
        others = [names.index(other) for other in parents if other != name]
        are_few = all(_is_beside(evidence, j) for j in others)
        if are_few and evidence.coding.schema[name].kind in CLASS_KINDS:
            found = _limits_beside(evidence, place, name, others, target)
            if found is not None:
                return found
    return None


def _limits_beside(evidence, place, name, others, target):
    """Those of each combination that 20 individuals have, see `learn_class_limits`."""
    known = ~np.isnan(evidence.numbers[name])
    known &= _is_single(evidence, target) & (evidence.codes[:, target] >= 0)
    for j in others:
        known &= _is_single(evidence, j)
    keys, group = np.unique(evidence.codes[:, others], axis=0, return_inverse=True)
    group = np.where(known, group.ravel(), -1)
    kept, limits, classes = [], [], []
    for g in np.flatnonzero(evidence.count(group, len(keys)) >= MIN_ROWS):
        rows = group == g
        own = np.unique(evidence.codes[rows, target])
        if len(own) == 1:
            found = np.empty(0), own.astype(np.int32)
        else:
            names = name, evidence.coding.names[target]
            found = learn_limits(evidence, *names, rows)
        if found[0] is not None:
            kept.append(keys[g])
            limits.append(found[0])
            classes.append(found[1])
    if not any(len(own) for own in limits):
        return None
    own = ClassLimits(
        place, np.array(kept, dtype=np.int32), tuple(limits), tuple(classes)
    )
    codes = np.insert(evidence.codes[:, others], place, 0, axis=1)
    told = own.told(codes[known], evidence.numbers[name][known])
    n_told = (told >= 0).sum()
    n_broken = ((told >= 0) & (told != evidence.codes[known, target])).sum()
    is_told = n_told >= _MIN_TOLD * known.sum() and n_broken <= MAX_BROKEN * n_told
    return own if is_told else None


def _is_beside(evidence, j):
    """Whether a column has few values, most of which are those of 20 individuals."""
    if evidence.coding.parts[j].n_parts > _MAX_VALUES:
        return False
    missing = evidence.of_codes[j][evidence.codes[:, j]] == evidence.missing.get(j)
    single = _is_single(evidence, j) & ~missing
    return bool(2 * single.sum() >= len(single))


def _is_single(evidence, j):
    """Rows whose code of a column stands for one value, which is their own."""
    codes, parts = evidence.codes[:, j], evidence.coding.parts[j]
    single = ~np.isin(codes, [*evidence.pooled.get(j, ())]) & ~evidence.is_moved(j)
    if evidence.coding.names[j] in evidence.numbers:
        single &= np.append(parts.lows == parts.highs, True)[
            np.minimum(codes, len(parts.lows))
        ]
    return single


def _is_told_alone(evidence, target):
    """Whether the codes of one column nearly tell those of another."""
    own = evidence.codes[:, target].astype(np.int64)
    n_classes = own.max(initial=0) + 1
    others = len(own) - np.bincount(own).max(initial=0)
    for codes in np.delete(evidence.codes, target, axis=1).T:
        rows = np.bincount(codes * n_classes + own)
        rows = np.append(rows, np.zeros(-len(rows) % n_classes, dtype=np.int64))
        left = len(own) - rows.reshape(-1, n_classes).max(axis=1).sum()
        if left <= _MIN_UNTOLD * others:
            return True
    return False


def find_classes_beside(
    evidence: Any, told: Mapping[str, Any], min_individuals: int
) -> list[Dependence]:
    """The columns of categories that are classes of a number, by one or two others.

    Parameters
    ----------
    evidence : Evidence
    told : mapping of str to relation
        Columns that are told from others already; none comes to depend on itself.
    min_individuals : int
        Who are in a class, and who are in others.

    Returns
    -------
    list of Dependence
        On the columns beside the number, then on this.
    """
    names, found = evidence.coding.names, dict(told)
    dependences: list[Dependence] = []
    if len(evidence.codes) < 2 * max(min_individuals, MIN_ROWS):
        return dependences  # too few for a class and the others
    for target, number, beside in _FirstLook(evidence, told).candidates():
        tellers = tuple(names[j] for j in (*beside, number))
        relation = Dependence(tellers, names[target])
        if relation.target in found or dependants(names[target], found) & {*tellers}:
            continue
        if _is_found(evidence, relation, min_individuals):
            found[relation.target] = relation
            dependences.append(relation)
    return dependences


def _is_found(evidence, relation, min_individuals):
    """Whether limits tell the classes of enough people, beside several values."""
    limits = learn_class_limits(evidence, relation)
    if limits is None:
        return False
    target = evidence.coding.names.index(relation.target)
    n_classes = evidence.coding.parts[target].n_parts
    columns = [evidence.coding.names.index(name) for name in relation.parents]
    numbers = evidence.numbers[relation.parents[limits.place]]
    told = limits.told(evidence.codes[:, columns], numbers)
    of_classes = np.sort(evidence.count(told, n_classes))
    # What is told whatever the number is, the columns beside it tell.
    by_number = sum(len(own) > 0 for own in limits.limits)
    others = of_classes[:-1].sum()
    enough = min(of_classes[-1], others) >= max(min_individuals, MIN_ROWS)
    if not enough or by_number < 2:
        return False
    # Of what is not told, rows of one combination have one class all the same.
    beside = np.delete(evidence.codes[:, columns], limits.place, axis=1)
    rest = (told < 0) & ~np.isnan(numbers) & _is_single(evidence, target)
    of_rows = np.column_stack([beside, numbers])[rest]
    n_others = _n_not_most(of_rows, evidence.codes[rest, target])
    return bool(n_others <= MAX_BROKEN * len(numbers))


def _n_not_most(rows, classes):
    """Rows of another class than most of those that are equal to them."""
    _, same = np.unique(rows, axis=0, return_inverse=True)
    pairs = np.column_stack([same.ravel(), classes])
    pairs, counts = np.unique(pairs, axis=0, return_counts=True)
    most = np.zeros(len(rows), dtype=np.int64)
    np.maximum.at(most, pairs[:, 0], counts)
    return len(rows) - most.sum()


class _FirstLook:
    """Some rows, of which it is seen soon what cannot be.

    Parameters
    ----------
    evidence : Evidence
    told : collection of str
        Columns that are no classes.

    Attributes
    ----------
    targets : ndarray of int64
        Positions of the columns that may be classes.
    """

    def __init__(self, evidence: Any, told: Collection[str]) -> None:
        n, names = len(evidence.codes), evidence.coding.names
        rows = np.linspace(0, n - 1, min(n, _FIRST)).astype(np.int64)
        self._codes, self._orders = np.asfortranarray(evidence.codes[rows]), {}
        for j, name in enumerate(names):
            if evidence.coding.schema[name].kind in CLASS_KINDS:
                x = evidence.numbers[name][rows]
                order = np.argsort(x, kind="stable")[: (~np.isnan(x)).sum()]
                if len(order) >= _MIN_TOLD * len(x):
                    self._orders[j] = order
        targets = [
            j
            for j, name in enumerate(names)
            if name not in evidence.numbers
            and name not in told
            and 1 < len(np.unique(self._codes[:, j])) <= MAX_CLASSES
            and not _is_told_alone(evidence, j)
        ]
        self.targets = np.array(targets, dtype=np.int64)
        # Ranks, which take a byte: each is looked at beside each column and number.
        ranks = [np.unique(self._codes[:, j], return_inverse=True)[1] for j in targets]
        classes = np.array(ranks, dtype=np.uint8).reshape(len(targets), len(rows))
        self._classes = np.ascontiguousarray(classes.T)
        self._beside = [j for j in range(len(names)) if _is_beside(evidence, j)]
        self._n_codes = self._codes.max(axis=0, initial=0) + 1
        self._last = np.full(_MAX_VALUES**2, -1, dtype=np.int64)

    def candidates(self) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """Classes, numbers and what stands beside these that may tell them.

        Two columns beside a number only where one leaves fewer changes alone.
        """
        pairs: dict[int, list] = {}
        for number in self._orders if len(self.targets) else ():
            (alone,) = self._n_changes(number, [()])
            beside = np.array([j for j in self._beside if j != number], dtype=np.int64)
            left = self._n_changes(number, beside[:, None])
            is_fewer = left <= _MAX_LEFT * alone
            is_fewer &= beside[:, None] != self.targets
            for t in np.flatnonzero(is_fewer.any(axis=0)):
                target, own = int(self.targets[t]), np.flatnonzero(is_fewer[:, t])
                own = own[np.argsort(left[own, t], kind="stable")]
                fewer = beside[own].tolist()
                fits = [j for j in fewer if self._may_be(target, number, (j,))]
                yield from ((target, number, (j,)) for j in fits)
                if not fits:
                    pairs.setdefault(number, []).append((t, fewer[0]))
        for number, tried in pairs.items():
            yield from self._of_pairs(number, tried)

    def _of_pairs(self, number, tried):
        """Those of a number with two columns beside it.

        tried : of a target, by its place, and one of the columns.
        """
        order = self._orders[number]
        beside = np.array([j for j in self._beside if j != number], dtype=np.int64)
        codes = self._codes.T[beside][:, order].astype(np.int64)
        for t, first in tried:
            target, values = int(self.targets[t]), self._classes[order, t]
            # One change for each class of each group, and slips.
            most = 2 * _slips(order) + _MAX_VALUES * int(values.max(initial=0))
            known = self._n_codes[beside], self._last, values, most
            own = self._codes[order, first].astype(np.int64)
            for j in beside[leave_few_changes(own, codes, *known)].tolist():
                two = min(first, j), max(first, j)
                if j not in (target, first) and self._may_be(target, number, two):
                    yield target, number, two

    def _n_changes(self, number, beside):
        """Neighbouring numbers of different classes, of each target.

        Beside b sets of columns, none or one: (b, t) int64.
        """
        order = self._orders[number]
        keys = np.array([self._group(own)[order] for own in beside], dtype=np.int64)
        keys = keys.reshape(len(beside), len(order))
        return count_changes(keys, self._last, self._classes[order])

    def _group(self, beside):
        """A number for each combination of what is beside a number, (m,) int64."""
        group = np.zeros(len(self._codes), dtype=np.int64)
        for j in beside:
            group = group * self._n_codes[j] + self._codes[:, j]
        return group

    def _by_groups(self, number, beside):
        """Rows by what is beside their number, then by this; which are as the next."""
        order, group = self._orders[number], self._group(beside)
        order = order[np.argsort(group[order], kind="stable")]
        return order, np.diff(group[order]) == 0

    def _may_be(self, target, number, beside):
        """Whether few neighbours are of different classes, beside the same values."""
        order, is_same = self._by_groups(number, beside)
        own = self._codes[order, target].astype(np.int64)
        group = np.append(0, np.cumsum(~is_same))
        n_classes, n_groups = own.max(initial=0) + 1, group.max(initial=0) + 1
        rows = np.bincount(group * n_classes + own, minlength=n_groups * n_classes)
        rows = rows.reshape(n_groups, n_classes)
        of_groups = np.maximum(rows.sum(axis=1), 1)
        by_chance = (of_groups - (rows**2).sum(axis=1) / of_groups).sum()
        beyond = (is_same & (own[1:] != own[:-1])).sum() - (rows > 0).sum() + n_groups
        is_rare = beyond <= min(2 * _slips(order), _MAX_BY_CHANCE * by_chance)
        return is_rare and n_groups <= _MAX_VALUES


def _slips(order):
    """Rows that may be in another class, of some."""
    return _SLACK * MAX_BROKEN * len(order) + 2
