"""Columns that others tell exactly in some rows, as another column says.

What may be told is seen in a few rows of one value: least squares leave no more than
rounding. It is then learnt in all rows of that value, and tried on those of the others.
"""

from typing import Any, NamedTuple

import numpy as np

from coclust_synth.tables.relations import Bill, Cases, Fit
from coclust_synth.tables.relations.formula import as_written
from coclust_synth.tables.rules.compared.numbers import is_rarer, labelled
from coclust_synth.tables.rules.fitting.exact import exact_product, exact_sums
from coclust_synth.tables.rules.fitting.rounding import (
    are_few,
    differs,
    is_whole,
    misses,
    tolerance,
)
from coclust_synth.tables.rules.fitting.scales import bits_of
from coclust_synth.tables.rules.fitting.told import (
    ROWS_OF_LOOK,
    dependants,
    evenly,
    in_turn,
    looks_told,
)

# Columns of no more values say which case a row is, of all so many values at most.
_MAX_VALUES, _MAX_GROUPS = 20, 150
# Rows of one value, at least, in which something is learnt, and of these such that have
# not the commonest value of the column.
_MIN_LEARNT, _MIN_RARER = 100, 50
# Of a share of rows that is told, the steps that make a difference.
_SHARES = 20
# Values of whole numbers that shares of others are looked for.
_MIN_SHARED = 100
# Rows of a group in which it is learnt first.
_FIRST = 300
# Share of the rows that have the column which is told by all cases, at least, and of
# those of the value that it is learnt in.
_MIN_TOLD = 0.2
# Columns of fewer values are told by any others in so few rows.
_MIN_VALUES = 6
# Share of a few rows that may lack a column, and groups in which it was looked for in
# vain.
_MAX_MISSING, _MAX_FAILED = 0.1, 2


class _Group(NamedTuple):
    """Rows of one value of a column that says which case a row is."""

    by: str
    value: Any
    rows: np.ndarray


class _InRows(NamedTuple):
    """What tells a column in some rows, which of all rows it tells, and its minuses."""

    rule: Fit
    holds: np.ndarray
    n_taken_off: int


def find_cases(columns, told, stays=()):
    """The columns that others tell in rows of some values of another column.

    But for `MAX_BROKEN` of the rows of each value, of all and of those that have not
    the commonest value, in a fifth of all rows that have the column or more. A rule of
    all values is none of these.

    Parameters
    ----------
    columns : Columns
        Enough individuals have each value that is a case, and all others together.
    told : sequence of relations
        Columns that are told from others exactly.
    stays : collection of str, default=()
        Columns that are the same in all rows of a person: they are told from others of
        them only.

    Returns
    -------
    list of Cases
    """
    numbers = columns.numbers
    found = {each.target: each for each in told}
    # What is a sum of others, or a bill, tells nothing that these do not.
    looked_at = [n for n in numbers if not isinstance(found.get(n), Fit | Bill)]
    if len(looked_at) < 2:
        return []
    search = _Search(columns, looked_at, found, stays)
    ranked = sorted(search.cases(), key=lambda pair: pair[0])
    return in_turn((rule for _, rule in ranked), told)


def _groups(evidence, enough):
    """Rows of each value of the columns that have few, which enough people have."""
    coding, of_columns = evidence.coding, []
    for j, name in enumerate(coding.names):
        if name in evidence.numbers:
            own = evidence.numbers[name]
            is_number = evidence.coding.schema[name].compared_as == "number"
            values, labels = _few_values(own) if is_number else ({}, None)
        else:
            labels = np.where(evidence.is_moved(j), -1, evidence.codes[:, j])
            listed = coding.schema.columns[j].categories
            values = [listed[code] for code in coding.parts[j].seen]
            pooled = evidence.pooled.get(j, set())
            values = {c: v for c, v in enumerate(values) if c not in pooled}
        if 2 <= len(values) <= _MAX_VALUES:
            of_columns.append((len(values), name, values, labels))
    n_groups = 0
    for n, name, values, labels in sorted(of_columns, key=lambda of: of[0]):
        n_groups += n
        if n_groups > _MAX_GROUPS:
            return
        for code, value in values.items():
            rows = labels == code
            if evidence.n_of(rows) >= enough:
                yield _Group(name, value, rows)


def _few_values(own):
    """Values of a number that has few, by label, and the label of each row."""
    known = own[~np.isnan(own)]
    if len(np.unique(known[: 4 * _MAX_VALUES])) > _MAX_VALUES:
        return {}, None
    values, labels = labelled(own)
    return dict(enumerate(map(as_written, values.tolist()))), labels


def _has_many(own):
    """Whether a column has more than a few values."""
    return len(np.unique(own[~np.isnan(own)])) >= _MIN_VALUES


class _Search:
    """Formulas of columns, learnt in groups of rows and tried on others."""

    def __init__(self, columns, names, found, stays):
        numbers, rulers = columns.numbers, columns.rulers
        self._evidence, self._numbers, self._rulers = columns.evidence, numbers, rulers
        self._names, self._found = names, found
        self._enough, self._stays = columns.enough, frozenset(stays)
        self._groups = list(_groups(columns.evidence, columns.enough))
        self._formulas = {name: [] for name in names}
        self._failed: dict = {}
        self._x = np.column_stack([numbers[n] for n in names])
        rounding = (tolerance(numbers[n], rulers[n]) for n in names)
        self._rounding = np.array([np.nanmean(own) for own in rounding])
        n_values = [len(np.unique(own[~np.isnan(own)])) for own in self._x.T]
        is_free = np.array([n not in found for n in names])
        self._is_open = is_free & (np.array(n_values) >= _MIN_VALUES)

    def cases(self):
        """What tells columns by cases, with what comes first of several."""
        for group in self._groups:
            for target, how in self._candidates(group):
                failed = self._failed.get((target, how), 0)
                if failed < _MAX_FAILED and not self._is_told_in(group, target):
                    rule = self._learnt(group, target, how)
                    formula = None if rule is None else self._formula(group, rule)
                    if formula is None:
                        self._failed[target, how] = failed + 1
                    else:
                        self._formulas[target].append(formula)
        for target, formulas in self._formulas.items():
            ranked = self._by_column(target, formulas) if formulas else ()
            yield from sorted(ranked, key=lambda pair: pair[0])

    def _candidates(self, group):
        """Columns that others may tell in the rows of a group, and how."""
        rows = np.flatnonzero(group.rows)
        if len(rows) < _MIN_LEARNT:
            return
        few = self._x[evenly(rows, self._x.shape[1] + ROWS_OF_LOOK)]
        is_other = np.array([name != group.by for name in self._names])
        for most in (_MAX_MISSING, 0.0):
            places = np.flatnonzero(is_other & (np.isnan(few).mean(axis=0) <= most))
            known = ~np.isnan(few[:, places]).any(axis=1)
            if known.mean() >= 0.5:
                break
        few = few[np.ix_(known, places)]
        for how, told in looks_told(few, self._rounding[places]):
            for j in places[told & self._is_open[places]]:
                yield self._names[j], how

    def _is_told_in(self, group, target):
        """Whether a formula that is known tells the rows of a group."""
        return any(
            self._holds_in(group, each, target) for each in self._formulas[target]
        )

    def _holds_in(self, group, formula, target):
        rows = group.rows & ~np.isnan(self._numbers[target])
        if group.by in formula.rule.columns:
            return False
        if self._evidence.n_of(rows) < self._enough:
            return False
        rarer = rows.copy()
        rarer[rows] = is_rarer(self._numbers[target][rows])
        return are_few(~formula.holds, rows, rarer)

    def _learnt(self, group, target, how):
        """What tells a column in the rows of a group, None where nothing does."""
        banned = dependants(target, self._found) | {group.by}
        if target in self._stays:
            banned |= set(self._numbers) - self._stays
        rows = np.flatnonzero(group.rows)
        if len(rows) > _FIRST:
            # Most columns that look told are not, which takes long to see in all rows.
            few = {n: x[evenly(rows, _FIRST)] for n, x in self._numbers.items()}
            if self._exact(target, how, few, banned) is None:
                return None
        own = {n: x[rows] for n, x in self._numbers.items()}
        known = ~np.isnan(own[target])
        is_some = is_rarer(own[target][known]).sum() >= _MIN_RARER
        if not is_some or not _has_many(own[target]):
            return None
        return self._exact(target, how, own, banned)

    def _exact(self, target, how, numbers, banned):
        """The exact sum, or product, that tells a column, None where there is none."""
        if how == "product":
            return exact_product(target, numbers, self._rulers[target], banned)
        told = numbers.keys() - {*self._names}
        sums = exact_sums(target, numbers, self._rulers[target], banned, told)
        return next(sums, None)

    def _formula(self, group, rule):
        """A rule with the rows that it tells to the last digit, None if they are few.

        Whole numbers of few values are any shares of others, rounded.
        """
        target, numbers = rule.target, self._numbers
        ruler, told_by = self._rulers[target], rule.coefficients
        missed, told = misses(rule, numbers, ruler)
        holds = told & ~missed & ~differs(rule, numbers, ruler)
        if is_whole(ruler) and len(np.unique(numbers[target][holds])) < _MIN_SHARED:
            if not all(map(float.is_integer, (*told_by, rule.constant))):
                return None
        if holds[group.rows].sum() < _MIN_TOLD * told[group.rows].sum():
            return None
        return _InRows(rule, holds, sum(c < 0 for c in told_by))

    def _by_column(self, target, formulas):
        """The cases of each column that says which, and what comes first of several.

        What tells more of the rows, by half a tenth; sums, and what has nothing taken
        off, as bills are; and of the same solved for several columns that which takes
        most to tell.
        """
        has_own = ~np.isnan(self._numbers[target])
        for by in dict.fromkeys(group.by for group in self._groups):
            if by == target or (target in self._stays and by not in self._stays):
                continue
            groups = [group for group in self._groups if group.by == by]
            of_formula: dict = {}
            is_told = np.zeros(len(has_own), dtype=bool)
            for group in groups:
                for i, formula in enumerate(formulas):
                    if self._holds_in(group, formula, target):
                        of_formula.setdefault(i, []).append(group.value)
                        is_told |= group.rows & has_own
                        break
            n_told, n_others = is_told.sum(), self._evidence.n_of(has_own & ~is_told)
            if not of_formula or n_told < _MIN_TOLD * has_own.sum():
                continue
            if len(of_formula) == 1 and n_others < self._enough:
                continue  # A rule of all rows.
            cases = tuple(
                (tuple(values), formulas[i].rule) for i, values in of_formula.items()
            )
            share = round(_SHARES * n_told / has_own.sum())
            n_taken_off = max(formulas[i].n_taken_off for i in of_formula)
            bits = bits_of(self._numbers[target][is_told], self._rulers[target])
            yield (-share, n_taken_off, -bits, len(cases)), Cases(target, by, cases)
