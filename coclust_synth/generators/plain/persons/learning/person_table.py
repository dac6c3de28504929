"""The rows of a table by person, and what is found in them.

Everything is counted in persons. Atoms and categories are those of the table; the
number of rows of a person is told as other numbers are, one that 20 persons have or a
run of those of 20; so are the distance of the dates, or years, of two rows, and what a
column is like in all rows of a person. That a column stays is told of everybody, and
one person in whose rows it changes makes it disappear.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from coclust_synth.generators.plain.persons.kept.last_rows import (
    find_last_rows,
    with_last_rows,
)
from coclust_synth.generators.plain.persons.kept.person_once import find_once
from coclust_synth.generators.plain.persons.kept.person_summaries import (
    Summary,
    find_summaries,
)
from coclust_synth.generators.plain.persons.kept.person_totals import (
    Total,
    find_totals,
    first_of_each,
)
from coclust_synth.generators.plain.persons.kept.row_numbers import (
    RowNumber,
    find_row_numbers,
)
from coclust_synth.generators.plain.persons.known.known_before import (
    KNOWN,
    LEFT,
    before,
)
from coclust_synth.generators.plain.persons.known.level_rests import rests_of
from coclust_synth.generators.plain.persons.known.person_levels import (
    Level,
    learn_level,
)
from coclust_synth.generators.plain.persons.known.person_starts import (
    learn_start,
    start,
)
from coclust_synth.generators.plain.persons.known.person_times import (
    MIN_MORE,
    constants_above,
    room_of_rows,
)
from coclust_synth.generators.plain.persons.learning.columns_of_rows import (
    ColumnsOfRows,
)
from coclust_synth.generators.plain.persons.learning.earlier_rows import (
    find_last_steps,
    find_means_so_far,
)
from coclust_synth.generators.plain.persons.learning.first_rows import more_than
from coclust_synth.generators.plain.persons.learning.first_values import (
    find_first_values,
)
from coclust_synth.generators.plain.persons.learning.later_rows import (
    find_rules_of_later,
    told_otherwise,
)
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.people.nested_keys import NestedKey
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rules.between_rows.advances import Advance, find_advances
from coclust_synth.tables.rules.between_rows.lags import find_lags_of_categories
from coclust_synth.tables.rules.between_rows.order import (
    find_lasting,
    find_order_of_rows,
    order_of_rows,
)
from coclust_synth.tables.rules.between_rows.steps import LaterRows
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.kept import Rules
from coclust_synth.tables.rules.values.lookup import Lookup

# In how many rows a person had each code is remembered of columns of so many together,
# where those of more than this share of the rows are not of the row before and come
# back.
_MOST_CODES, _COME_BACK = 24, 0.05


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
    #: Keys to come with each row after the first, of the rows of a key.
    n_keys_left: ClassVar[np.ndarray | None] = None

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
        return cls(evidence, rules, rows, is_first, *own)._with_summaries_open()

    def _with_summaries_open(self):
        """The same, what sums up rows told by these and no rule: how long one stayed.

        From the first and the last visit, and not the last one from that.
        """
        targets = {own.target for own in self.summaries}
        told = self._told_otherwise(targets) if targets else {}
        if not told:
            return self
        rules = (
            replace(rule, relation=told.get(rule.relation.told, rule.relation))
            for rule in self.rules.all
        )
        return replace(self, rules=replace(self.rules, all=tuple(rules)))

    def _told_otherwise(self, names):
        """Rules of what stays that tell some of it, solved for what else stays."""
        stays, found = {*self.constants}, {}
        known = names | self._told_by_rows
        for name in sorted(names & {*self._told_by_row}):
            relation = self._told_by_row[name]
            if stays.issuperset(relation.columns):
                found[name] = told_otherwise(relation, self.rules, known)
        return {name: own for name, own in found.items() if own is not None}

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

    @property
    def evidence_before(self):
        """The table that these are of, row by row, see `rows_before`."""
        return self.evidence

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
    def summaries(self) -> tuple[Summary, ...]:
        """What stays and sums up the rows, if nothing else says what it is."""
        numbers, told = self.evidence.numbers, {*self._told_by_row}
        # Of what a rule tells, it may tell another column as well.
        said = {n for n in told if n not in self._told_otherwise({n})}
        said |= self._told_by_rows
        constants = [
            name
            for name in self.constants
            if name not in said
            and (name not in numbers or not self._counts_rows(numbers[name]))
        ]
        changing = [name for name in self.changing if name not in told]
        own = self.evidence, self.rows, constants, changing, self.k
        found = find_summaries(*own)
        told -= {*self._told_otherwise({own.target for own in found})}
        return tuple(own for own in found if own.target not in told)

    @cached_property
    def _told_by_rows(self):
        """What stays and is a total of the rows, or a number of the first one."""
        begins = {fit.parents[0] for fit in find_first_values(self)}
        return begins | {total.target for total in self.totals}

    @property
    def summed_up(self):
        """Of the summaries, those for which each row may have something to do."""
        return [own for own in self.summaries if not own.needs_order]

    def _counts_rows(self, numbers):
        """Whether numbers of each row are how many there are, or some more."""
        first = self.rows[self.is_first]
        return more_than(numbers[first], self.n_rows_each) is not None

    @cached_property
    def row_numbers(self) -> tuple[RowNumber, ...]:
        """What counts the rows that are alike in another column."""
        of_rows = self.evidence, self.rows, self.changing
        return find_row_numbers(*of_rows, self._told_exactly, self.k)

    @property
    def _told_exactly(self):
        """Columns of which others of the row, and of the person, tell each value."""
        return {*self._told_by_row, *(own.rule.target for own in self.advances)}

    @property
    def is_told_of_all_rows(self) -> bool:
        """Whether something stays that tells of all rows: a total, their number."""
        numbers = self.evidence.numbers
        stays = [numbers[name] for name in self.constants if name in numbers]
        of_rows = self.totals or self.summaries or any(map(self._counts_rows, stays))
        return bool(of_rows)

    @property
    def _told_by_row(self):
        """What tells columns exactly from others of the row, by their names."""
        return {
            name: relation
            for name, relation in self.rules.told.items()
            if not relation.about
        }

    @cached_property
    def advances(self) -> tuple[Advance, ...]:
        """What advances with what the rows are in the order of.

        But for what another such column nearly tells: it is drawn near that one. And
        not numbers of keys, which count these.
        """
        if self.ordered_by is None:
            return ()
        keys = {own.column for own in self.nested}
        own = [name for name in self.changing if name not in keys]
        of_table = self.evidence, own, self.ordered_by, start
        found = find_advances(*of_table, self._told_by_row, self.k)
        names, told = {own.rule.target for own in found}, self.rules.told
        near = {name for name in names & {*told} if names & {*told[name].parents}}
        return tuple(own for own in found if own.rule.target not in near)

    @cached_property
    def starts(self) -> dict[str, Level]:
        """The numbers of persons that tell these, by column."""
        return {own.rule.target: learn_start(own) for own in self.advances}

    def once(self, rules):
        """What no person has twice, beside the days that rows are in the order of.

        Nor what rules of later rows tell from the row before or from numbers of
        persons, as it counts. What stands for rare values may be there twice.
        """
        schema, earlier = self.evidence.coding.schema, {*map(before, self.changing)}
        earlier |= {*map(start, self.starts)}
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
        columns.add(own, self.rows_before, before, self.evidence_before)
        columns.add(own, self.rows_after)
        evidence = columns.evidence(self.individuals_after)
        return find_lags_of_categories(LaterRows(evidence, own, before, self.k))

    @property
    def sums(self):
        """Of the totals, those of numbers that are added up."""
        return [total for total in self.totals if not total.is_count]

    @cached_property
    def levels(self) -> dict[str, Level]:
        """Of the columns that change and that nothing tells, if there are any."""
        found = {
            name: learn_level(self.evidence, name, self._comes_back(name))
            for name in self._untold
        }
        return {name: own for name, own in found.items() if own is not None}

    def _comes_back(self, name):
        """Whether k persons change the first two codes of a column in both ways."""
        codes = self.evidence.codes[:, self.evidence.coding.names.index(name)]
        own, earlier = codes[self.rows_after], codes[self.rows_before]
        person = self.individual[self.rows_after]
        return all(
            len(np.unique(person[(earlier == one) & (own == 1 - one)])) >= self.k
            for one in (0, 1)
        )

    @cached_property
    def rests_of_levels(self) -> dict[str, np.ndarray]:
        """What levels leave for rows after the first and those that come, by column."""
        place = np.arange(len(self.rows)) - first_of_each(self.is_first)
        person, found = self.individual[self.rows], {}
        for name, own in self.levels.items():
            if own.has_rests:
                j = self.evidence.coding.names.index(name)
                codes = self.evidence.codes[self.rows, j]
                found[name] = rests_of(own.held[1][person], codes, place, self.n_left)
        return found

    @cached_property
    def means_so_far(self) -> dict[str, np.ndarray]:
        """What earlier rows were like on average, by column, where it tells more."""
        return find_means_so_far(self, self._untold)

    @cached_property
    def last_steps(self) -> dict[str, np.ndarray]:
        """How far the row before is from that before it, where it tells more."""
        return find_last_steps(self, self._untold)

    @property
    def _untold(self):
        """Columns that change and that nothing tells, but what rows are in order of."""
        told = {*self._told_exactly, self.ordered_by}
        return [name for name in self.changing if name not in told]

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
        return find_last_rows(later, LEFT, names, self.k, self.whose, self._ends)

    @property
    def _ends(self):
        """Bins of categories that the next row would tell, and cannot, by column.

        Of k persons each: of fewer no rule is told, though nobody goes on from these.
        """
        found, coding = {}, self.evidence.coding
        for lag in self.lags:
            (base,) = {name for name in self.changing if before(name) in lag.columns}
            j = coding.names.index(base)
            codes, bins = self.evidence.codes[:, j], self.evidence.of_codes[j]
            earlier = self.evidence_before.codes[self.rows_before, j]
            told = np.union1d(lag.keys.ravel(), earlier)
            persons = Persons(self.evidence.persons.column, self.individual)
            common = np.flatnonzero(persons.count(codes) >= self.k)
            found[base] = np.setdiff1d(bins[common], bins[told])
        return found

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
        rows, left, room = self.rows_after, self.n_left, self.room_before
        one = np.ones(len(rows))
        known = (left > MIN_MORE) & (room > 0)
        # From each row to the end, less what is left of it after the next one.
        to_end = self.room(self.rows_before, one, self.evidence_before)
        apart = (to_end - self.room(rows, one))[known]
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

    @property
    def room_before(self):
        """Room for each row after the first and those that follow it."""
        return self.room(self.rows_before, self.n_left, self.evidence_before)

    def room(self, rows, left, evidence=None):
        """Room for each of the rows that are to come after some rows."""
        evidence = self.evidence if evidence is None else evidence
        name, coding = self.ordered_by, evidence.coding
        own = coding.parts[coding.names.index(name)], evidence.scales[name]
        above = constants_above(self.rules, name, self.constants)
        known = {name, *above} & {*evidence.numbers}
        numbers = {n: evidence.numbers[n][rows] for n in known}
        return room_of_rows(numbers[name], left, numbers, above, *own)

    @cached_property
    def rules_of_later(self):
        """Those of rows after the first, told from what is known before them."""
        return find_rules_of_later(self)
