"""How persons and their rows are learnt: see `persons`.

Everything is counted in persons. Atoms and categories are those of the table; the
number of rows of a person is told as other numbers are, one that 20 persons have or a
run of those of 20; so are the distance of the dates, or years, of two rows, and what a
column is like in all rows of a person. Each leaf describes k persons or more, of the
rows after the first too. That a column stays is
told of everybody, and one person in whose rows it changes makes it disappear.
"""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar

import numpy as np

from coclust_synth.generators.plain.persons.columns_of_rows import ColumnsOfRows
from coclust_synth.generators.plain.persons.known_before import (
    COUNT,
    KNOWN,
    LEFT,
    before,
    level,
)
from coclust_synth.generators.plain.persons.last_rows import (
    bins_of_last,
    find_last_rows,
    with_last_rows,
)
from coclust_synth.generators.plain.persons.person_levels import Level, learn_level
from coclust_synth.generators.plain.persons.person_once import find_once
from coclust_synth.generators.plain.persons.person_times import MIN_MORE, room_of_rows
from coclust_synth.generators.plain.persons.person_totals import (
    Total,
    find_totals,
    first_of_each,
)
from coclust_synth.generators.plain.persons.persons import (
    PersonStructure,
    constants_above,
    said_of_last_row,
    said_of_row_before,
)
from coclust_synth.generators.plain.persons.row_numbers import (
    RowNumber,
    find_row_numbers,
)
from coclust_synth.generators.plain.structured.drawn import find_stays
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.people.nested_keys import NestedKey
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.relations import Age, DayOf, Dependence, Fit, Order
from coclust_synth.tables.rules.between_rows.lags import (
    find_lags,
    find_lags_of_categories,
)
from coclust_synth.tables.rules.between_rows.order import (
    find_end_of_rows,
    find_lasting,
    find_order_of_rows,
    order_of_rows,
)
from coclust_synth.tables.rules.between_rows.since import (
    find_counts,
    find_counts_of_cases,
    find_since,
)
from coclust_synth.tables.rules.between_rows.steps import (
    find_near_dates,
    find_running,
    find_slow,
    find_steps,
    not_in_circles,
)
from coclust_synth.tables.rules.compared.orders import find_orders
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.fitting.rounding import misses
from coclust_synth.tables.rules.found import codes_of_values
from coclust_synth.tables.rules.kept import Rule, Rules
from coclust_synth.tables.rules.values.lookup import Lookup

# The next row is told from the end of the last one where such a share of the rows, at
# most, begins before.
_MAX_OVERLAP = 0.05
# In how many rows a person had each code is remembered of columns of so many together,
# where those of more than this share of the rows are not of the row before and come
# back.
_MOST_CODES, _COME_BACK = 24, 0.05


def structure_of_persons(table, clusters, ids):
    """Grow trees for persons and their rows.

    Parameters
    ----------
    table : PersonTable
        Of n rows.
    clusters : ndarray of int64, shape (n,)
        Cluster of the person of each row, of k persons at least.
    ids : Key
        Of persons.

    Returns
    -------
    PersonStructure
    """
    k, names, n_rows = table.k, table.evidence.coding.names, len(clusters)
    later = table.later(clusters, k) if table.n_with_several >= k else None
    begins = () if later is None else table.begins(later.rules)
    first = table.first(clusters, k, begins)
    return PersonStructure(
        first,
        later,
        names,
        table.constants,
        table.ordered_by,
        later is not None and table.is_once,
        ids,
        n_rows,
        tuple(fit.target for fit in begins),
        np.inf if later is None else table.most_rooms,
        () if later is None else table.totals,
        () if later is None else table.row_numbers,
        () if later is None else table.once(later.rules),
        table.nested,
    )


def find_told_by_row_before(evidence, rules, k):
    """What the row before of a person tells exactly, in words.

    Parameters
    ----------
    evidence : Evidence
        Of the rows of a table, and their persons.
    rules : Rules
        Of the table.
    k : int
        Persons of several rows, at least.

    Returns
    -------
    tuple of str
        Empty where fewer than k persons have several rows.
    """
    table = PersonTable.of(evidence, rules, k)
    if table.n_with_several < k:
        return ()
    rules = table.rules_of_later
    of_rows = *said_of_row_before(rules), *said_of_last_row(rules)
    told = (*of_rows, *map(str, table.once(rules)))
    totals = (total.said(evidence.coding) for total in table.totals)
    return (*totals, *map(str, table.row_numbers), *told)


def without_lost(evidence, rules, k):
    """Rows in which values that no next row could be told from are moved ones.

    A place that enough people go to, of which too few come away again in the table.

    Parameters
    ----------
    evidence : Evidence
        Of the rows of a table, and their persons.
    rules : Rules
        Of the table.
    k : int
        Persons of several rows, at least.

    Returns
    -------
    Evidence
        Common values are to stand for these, as for rare ones: see `Evidence.moved`.
    """
    table, moved = PersonTable.of(evidence, rules, k), dict(evidence.moved)
    for lag in table.lags if table.n_with_several >= k else ():
        (base,) = {name for name in table.changing if before(name) in lag.columns}
        j = evidence.coding.names.index(base)
        parts, codes = evidence.coding.parts[j], evidence.codes[:, j]
        is_lost = ~np.isin(codes, lag.keys) & (codes < len(parts.seen))
        if is_lost.any():
            moved[j] = evidence.is_moved(j) | is_lost
    return replace(evidence, moved=moved)


@dataclass(frozen=True, eq=False)
class PersonTable:
    """The rows of a table by person.

    Attributes
    ----------
    evidence : Evidence
    rules : Rules
    rows : ndarray of int64, shape (n,)
        Those of each person side by side, in their order.
    is_first : ndarray of bool, shape (n,)
        Of `rows`.
    constants, changing : tuple of str
        Names of the columns; the one that rows are in the order of is the first of
        those that change.
    ordered_by : str or None
    k : int
    nested : tuple of NestedKey
        Columns that are drawn as numbers in each person.
    grouped : Evidence or None
        Of the same rows, with groups where `evidence` has common values for rare ones.
    has_counts : bool
        Whether the number of rows of each is told of individuals.
    """

    has_counts: ClassVar[bool] = True

    evidence: Evidence
    rules: Rules
    rows: np.ndarray
    is_first: np.ndarray
    constants: tuple[str, ...]
    changing: tuple[str, ...]
    ordered_by: str | None
    k: int
    nested: tuple[NestedKey, ...] = ()
    grouped: Evidence | None = None

    @classmethod
    def of(cls, evidence, rules, k, nested=(), grouped=None):
        person, names = evidence.persons.codes, evidence.coding.names
        constants = find_lasting(evidence, k)
        changing = tuple(n for n in names if n not in constants)
        first = find_order_of_rows(evidence, rules.orders, k)
        rows = order_of_rows(evidence, first)
        if first is not None:
            changing = (first, *(n for n in changing if n != first))
        is_first = np.diff(person[rows], prepend=-1) > 0
        own = constants, changing, first, k, nested, grouped
        return cls(evidence, rules, rows, is_first, *own)

    @property
    def whose(self):
        """Rows these are, in words."""
        return "a person"

    @property
    def individual(self):
        """Number of the individual of each row of the table."""
        return self.evidence.persons.codes

    @cached_property
    def rows_after(self):
        """Rows after the first of each person, ..."""
        return self.rows[~self.is_first]

    @cached_property
    def rows_before(self):
        """... and the one before each of these."""
        return self.rows[np.flatnonzero(~self.is_first) - 1]

    @cached_property
    def individuals_after(self):
        """The individuals of rows after the first, numbered anew."""
        codes = np.unique(self.individual[self.rows_after], return_inverse=True)[1]
        return Persons(self.evidence.persons.column, codes)

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """What stays and is a total of the rows."""
        columns = self.constants, self.changing
        return find_totals(self.evidence, self.rules, *columns, self.k)

    @cached_property
    def row_numbers(self) -> tuple[RowNumber, ...]:
        """What counts the rows that are alike in another column."""
        of_rows = self.evidence, self.rows, self.changing
        return find_row_numbers(*of_rows, self._told_exactly, self.k)

    @property
    def _told_exactly(self):
        """Columns of which others of the row tell each value."""
        return {
            name for name, relation in self.rules.told.items() if not relation.about
        }

    def once(self, rules):
        """What no person has twice, beside the days that rows are in the order of.

        Nor what rules of later rows tell from the row before, as they count. What
        stands for rare values may be there twice.
        """
        schema, earlier = self.evidence.coding.schema, {*map(before, self.changing)}
        told = {name for name, fit in rules.fits.items() if earlier & {*fit.parents}}
        changing = [
            name
            for name in self.changing
            if name not in told - {self.ordered_by}
            if name != self.ordered_by or schema[name].unit not in (None, "D")
        ]
        within = {
            shared: [name for name in changing if name not in {shared, *stays}]
            for shared, stays in self._shared.items()
        }
        evidence = self.evidence if self.grouped is None else self.grouped
        return find_once(evidence, changing, within, self.k)

    @property
    def _shared(self):
        """Numbers and dates that rows of a person share, and what stays in these.

        Keys of which others have several, first; the numbers of rows are told.
        """
        told = {own.target for own in self.row_numbers}
        told |= {own.column for own in self.nested}
        shared = {own.column: told | {*own.constants} for own in self.nested[::-1]}
        if self.ordered_by is not None:
            shared.setdefault(self.ordered_by, told)
        return shared

    @cached_property
    def lags(self) -> tuple[Lookup, ...]:
        """The categories that are what others were in the row before."""
        own = [
            name
            for name in self.changing
            if name not in {*self.evidence.numbers, *self.rules.told}
        ]
        if len(own) < 2:
            return ()
        columns = ColumnsOfRows(self.evidence)
        columns.add(own, self.rows_before, before)
        columns.add(own, self.rows_after)
        evidence = columns.evidence(self.individuals_after)
        return find_lags_of_categories(evidence, own, before, self.k)

    @property
    def sums(self):
        """Of the totals, those of numbers that are added up."""
        return [total for total in self.totals if not total.is_count]

    @cached_property
    def levels(self) -> dict[str, Level]:
        """Of the columns that change and that nothing tells, if there are any."""
        told = self._told_exactly
        found = {
            name: learn_level(self.evidence, name)
            for name in self.changing
            if name not in {*told, self.ordered_by}
        }
        return {name: own for name, own in found.items() if own is not None}

    @property
    def listed(self):
        """Of numbers that change, those that are codes: most rows have the same one."""
        return tuple(
            name
            for name, own in self.levels.items()
            if name in self.evidence.numbers and own.column.kind == "categorical"
        )

    @property
    def is_once(self):
        """Whether nearly no person has two rows of one of what they are in order of."""
        if self.ordered_by is None:
            return False
        numbers = self.evidence.numbers[self.ordered_by][self.rows]
        if np.isnan(numbers).any():
            return False
        same = ~self.is_first[1:]
        repeats = same & (np.diff(numbers) == 0)
        return bool(repeats.sum() <= MAX_BROKEN * same.sum())

    @property
    def n_rows_each(self):
        """Rows of each person."""
        return np.bincount(self.evidence.persons.codes)

    @property
    def n_with_several(self):
        """Persons of several rows."""
        return int((self.n_rows_each > 1).sum())

    def begins(self, rules):
        """What first rows begin with, where later ones add to it: a total, with one."""
        rows = self.rows[self.is_first]
        numbers = {name: x[rows] for name, x in self.evidence.numbers.items()}
        return [
            fit
            for fit in _added(rules)
            if getattr(self.rules.told.get(fit.target), "about", True)
            and {*fit.columns} <= numbers.keys()
            and _holds(fit, numbers, self.evidence.scales[fit.target].ruler)
        ]

    def first(self, clusters, k, begins):
        """Trees of the first row of each person, and of what stays."""
        rows = self.rows[self.is_first]
        columns = ColumnsOfRows(self.evidence)
        columns.add(self.constants, rows)
        each = self.n_rows_each
        columns.add_number(COUNT, each, each, bins_of_last)
        persons = np.arange(len(rows))
        for name, own in self.levels.items() if self.n_with_several >= k else ():
            columns.add_level(level(name), own, own.drawn, persons)
        columns.add(self.changing, rows)
        evidence = columns.evidence(None)
        rules = _renumbered(self._rules_of_first(), self.evidence, evidence)
        told = [*begins, *self._counted(evidence)]
        more = [Rule(fit, rows=len(rows), individuals=len(rows)) for fit in told]
        rules = replace(rules, all=(*_untold(rules.all, told), *more))
        rules = self.with_last(rules, evidence, COUNT)
        return Structure.learn(evidence, rules, clusters[rows], k, listed=self.listed)

    def _counted(self, evidence):
        """The number of rows, as what stays says it: how many live in a household.

        Perhaps but for a whole number, as who has children, and none is in the table.
        """
        n_rows = self.n_rows_each
        for name in self.constants:
            numbers = evidence.numbers.get(name, np.empty(0))
            if not len(numbers) or name in evidence.dates or np.isnan(numbers).any():
                continue
            more = np.median(n_rows - numbers)
            is_told = (n_rows - numbers == more).mean() >= 1 - MAX_BROKEN
            if more == np.round(more) and is_told and np.ptp(n_rows) > 0:
                return [Fit(COUNT, (name,), (1.0,), float(more))]
        return []

    def later(self, clusters, k):
        """Trees of each other row, given what stays and the row before."""
        rows = self.rows_after
        evidence, given = self.evidence_of_later
        stays = {name: before(name) for name in self.changing}
        listed = (*self.listed, *map(before, self.listed))
        rests = {own.rest: own.source for own in self.sums}
        of_rows = clusters[rows], k, given, stays, listed, rests
        return Structure.learn(evidence, self.rules_of_later, *of_rows)

    def with_last(self, rules, evidence, number):
        """Rules of some rows, and what goes with the last row, see `last_rows`."""
        if self.n_with_several < self.k:
            return rules
        return with_last_rows(rules, evidence, number, self.last_rows)

    @cached_property
    def last_rows(self):
        """What of the columns that change goes with the last row of a person."""
        told = self._told_exactly | {self.ordered_by}
        names = [name for name in self.changing if name not in told]
        later, _ = self.evidence_of_later
        return find_last_rows(later, LEFT, names, self.k, self.whose)

    @cached_property
    def evidence_of_later(self):
        """Rows after the first with what is known before them, and its names."""
        columns = ColumnsOfRows(self.evidence)
        for known in KNOWN:
            known.learn(self, columns)
        given = columns.names
        columns.add(self.changing, self.rows_after)
        return columns.evidence(self.individuals_after), given

    @cached_property
    def remembered(self) -> dict[str, np.ndarray]:
        """Of columns of few codes that come back, the earlier rows that have each.

        By name; (m, codes) of the m rows after the first of each person. Of several,
        those whose codes come back most often.
        """
        told = self._told_exactly
        coding, later = self.evidence.coding, ~self.is_first
        starts, found, n_back = first_of_each(self.is_first), {}, {}
        for name in self.changing:
            j = coding.names.index(name)
            n_codes = coding.parts[j].n_parts
            if name in {*told, *self.evidence.numbers} or n_codes > _MOST_CODES:
                continue
            codes = self.evidence.codes[self.rows, j]
            held = codes[:, None] == np.arange(n_codes)
            so_far = np.cumsum(held, axis=0) - held
            so_far -= so_far[starts]
            own, row_before = codes[later], codes[np.flatnonzero(later) - 1]
            is_back = (so_far[later, own] > 0) & (own != row_before)
            found[name], n_back[name] = so_far[later], is_back.sum()
        kept, n_codes = {}, 0
        for name in sorted(found, key=lambda name: -n_back[name]):
            n_codes += found[name].shape[1]
            if n_codes > _MOST_CODES or n_back[name] <= _COME_BACK * later.sum():
                break
            kept[name] = found[name]
        return kept

    @property
    def most_rooms(self):
        """Times the room for a row that it is to the next one, but for few rows.

        What `MAX_BROKEN` of the rows go beyond, and `MIN_ROWS` persons.
        """
        if self.ordered_by is None:
            return np.inf
        rows, earlier = self.rows_after, self.rows_before
        left, one = self.n_left, np.ones(len(rows))
        room = self.room(earlier, left)
        known = (left > MIN_MORE) & (room > 0)
        # From each row to the end, less what is left of it after the next one.
        apart = (self.room(earlier, one) - self.room(rows, one))[known]
        times = apart / room[known]
        highest_first = np.argsort(-times, kind="stable")
        person = self.individual[rows[known]][highest_first]
        anew = np.sort(np.unique(person, return_index=True)[1])
        if len(anew) <= MIN_ROWS:
            return np.inf
        few = max(int(MAX_BROKEN * len(times)), anew[MIN_ROWS])
        return float(np.ceil(times[highest_first[few]]))

    @cached_property
    def n_left(self):
        """Rows to come before each row that is not the first, with this one."""
        person = self.evidence.persons.codes[self.rows]
        place = np.arange(len(self.rows)) - first_of_each(self.is_first)
        return (self.n_rows_each[person] - place)[~self.is_first]

    def room(self, rows, left):
        """Room for each of the rows that are to come after some rows."""
        name, coding = self.ordered_by, self.evidence.coding
        own = coding.parts[coding.names.index(name)], self.evidence.scales[name]
        above = constants_above(self.rules, name, self.constants)
        known = {name, *above} & {*self.evidence.numbers}
        numbers = {n: self.evidence.numbers[n][rows] for n in known}
        return room_of_rows(numbers[name], left, numbers, above, *own)

    def _rules_of_first(self):
        """Those of the table, what stays told from nothing that changes if it can be.

        Else the first row would be drawn before the number of rows is.
        """
        stays, kept = {*self.constants}, []
        for rule in self.rules.all:
            relation = rule.relation
            if isinstance(relation, Fit) and relation.target in stays:
                if not stays.issuperset(relation.parents):
                    relation = self._told_otherwise(relation, stays) or relation
            kept.append(replace(rule, relation=relation))
        return replace(self.rules, all=tuple(kept))

    def _mostly_stay(self, evidence):
        """Numbers that are mostly those of the row before: from when a dose is on."""
        numbers = evidence.numbers
        names = (name for name in self.changing if name in numbers)
        of_both = ((name, numbers[name], numbers[before(name)]) for name in names)
        return {n for n, *own in of_both if find_stays(*own, self.k) is not None}

    def _told_otherwise(self, relation, known):
        """A rule solved for a column that is not known nor of another fit, or None."""
        others = [fit for fit in self.rules.fits.values() if fit is not relation]
        used = {name for fit in others for name in (fit.target, *fit.parents)}
        return _solved(relation, known | used)

    @cached_property
    def rules_of_later(self):
        """Those of rows after the first, told from what is known before them."""
        (evidence, given), k = self.evidence_of_later, self.k
        known = {*given, *([] if self.ordered_by is None else [self.ordered_by])}
        fixed = known | self._mostly_stay(evidence)
        kept = []
        for rule in self.rules.all:
            relation = rule.relation
            if relation.told in known:
                ways = (self._told_otherwise(relation, own) for own in (fixed, known))
                relation = next((own for own in ways if own is not None), None)
            elif relation.told in fixed and not relation.about:
                relation = self._told_otherwise(relation, fixed) or relation
            if relation is not None:
                kept.append(replace(rule, relation=relation))
        support = {"rows": len(evidence.codes), "individuals": evidence.n_individuals}
        if self.ordered_by is not None:
            since, never_after = (
                find_end_of_rows(
                    evidence, self.ordered_by, self.rules.bounds, before, may_overlap
                )
                for may_overlap in (_MAX_OVERLAP, MAX_BROKEN)
            )
            gap = Fit(self.ordered_by, (before(since),), (1.0,), 0.0, about=True)
            ends = dict.fromkeys((before(self.ordered_by), before(never_after)))
            orders = [Order(end, self.ordered_by) for end in ends]
            kept += [Rule(relation, **support) for relation in (gap, *orders)]
        for name in self.changing:
            pair = {n: evidence.numbers.get(n) for n in (before(name), name)}
            if name != self.ordered_by and name in evidence.numbers:
                orders = find_orders(replace(evidence, numbers=pair), k)
                kept += [Rule(order, **support) for order in orders]
        for total in self.sums:
            pair = {n: evidence.numbers[n] for n in (total.source, total.rest)}
            orders = find_orders(replace(evidence, numbers=pair), k)
            kept += [Rule(order, **support) for order in orders]
        coding = evidence.coding
        # Of the others no number is told, nor what is left of one.
        has_atoms = tuple(
            name
            for name in self.changing
            if len(getattr(coding.parts[coding.names.index(name)], "lows", ()))
        )
        from_dates = partial(find_near_dates, ordered_by=self.ordered_by)
        from_before = (
            partial(find, before=before)
            for find in (
                find_lags,
                find_since,
                find_running,
                find_steps,
                find_counts,
                find_counts_of_cases,
            )
        )
        slow = partial(find_slow, before=before)
        pairs = codes_of_values(self.rules.combinations, self.evidence.coding)
        labels = {label: Dependence((code,), label) for code, label in pairs}
        for find in (*from_before, from_dates, slow):
            told = labels | Rules(tuple(kept)).told
            fits = find(evidence, has_atoms, told=told, min_individuals=k)
            kept = _untold(kept, fits) + [Rule(fit, **support) for fit in fits]
        lags = [Dependence(lag.columns, lag.target) for lag in self.lags]
        kept += [Rule(lag, **support) for lag in lags]
        lookups = *self.rules.lookups, *self.lags
        rules = replace(self.rules, all=tuple(kept), lookups=lookups)
        rules = _renumbered(rules, self.evidence, evidence)
        return self.with_last(rules, evidence, LEFT)


def _untold(rules, fits):
    """Rules but those that tell what some fits tell, or nearly what tells these."""
    targets = {fit.target for fit in fits}
    kept = [r for r in rules if r.relation.told not in targets]
    told = [r.relation for r in kept if r.relation.told is not None]
    told = not_in_circles(told, fits)
    return [r for r in kept if r.relation.told is None or r.relation in told]


def _added(rules):
    """Of sums that add to a column of the row before, what they add.

    Also where they are solved for a part of it: what is paid, of what was owed.
    """
    for fit in rules.fits.values():
        if not isinstance(fit, Fit) or fit.about or len(fit.parents) == 1:
            continue
        signs = {fit.target: -1.0} | fit.terms
        for name in fit.columns:
            if before(name) in fit.terms and signs[before(name)] == -signs[name]:
                terms = {p: c for p, c in fit.terms.items() if p != before(name)}
                told = tuple(terms.values())
                yield replace(fit, parents=tuple(terms), coefficients=told)


def _holds(fit, numbers, ruler):
    """Whether a sum tells a column in nearly all rows, to its last digit."""
    missed, known = misses(fit, numbers, ruler)
    return (missed | ~known).sum() <= MAX_BROKEN * len(known)


def _solved(fit, fixed):
    """A sum, solved for a column that nothing else fixes; None where none is.

    Of a date some days after another, the days.
    """
    if isinstance(fit, DayOf) and fit.days not in fixed:
        return Age(fit.days, fit.since, fit.target, "days")
    if not isinstance(fit, Fit) or fit.logarithms:
        return None
    open_to = (p for p, c in fit.terms.items() if p not in fixed and abs(c) == 1)
    name = next(open_to, None)
    return None if name is None else fit.solved_for(name)


def _renumbered(rules, table, evidence):
    """Rules of the columns of a table, of which the same names are other columns."""
    names, own = table.coding.names, evidence.coding.names
    combinations = tuple(
        replace(c, first=own.index(names[c.first]), second=own.index(names[c.second]))
        for c in rules.combinations
    )
    return replace(rules, combinations=combinations)
