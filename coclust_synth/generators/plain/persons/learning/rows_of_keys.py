"""Rows of what a person has several of, told from the row before of the same key.

The versions of a contract follow each other, and so do those of another contract of the
same customer, in the same years: what the row before of a customer is tells nothing of
a row that is of another contract. So, with such a key, it is looked for what the row
before of the same key tells. Where this is more than what the row before of the person
tells, the first row of each key is drawn as the rows of persons are, and the others of
it right after it, given how many there are. Individuals are persons in both.

So it is too where the keys of a person follow each other, as orders and stays do: then
the row before the first one of a key is the last one of the key before, and all rows
know what they would if none had a key.

How many rows a person has of all keys is drawn after how many keys, unless each key of
a person has as many, or a column tells how many. So the keys get all of these together.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from coclust_synth.generators.plain.persons.kept.key_rows import (
    ALL_ROWS,
    KEY_ROWS,
    ROWS_OF_KEYS,
    numbers_told,
)
from coclust_synth.generators.plain.persons.kept.known_before import KEYS_LEFT, before
from coclust_synth.generators.plain.persons.kept.last_rows import (
    LastRows,
    bins_of_last,
    with_last_rows,
)
from coclust_synth.generators.plain.persons.learning.first_rows import more_than
from coclust_synth.generators.plain.persons.learning.from_table import (
    structure_of_persons,
)
from coclust_synth.generators.plain.persons.learning.keys_in_order import (
    but_of,
    follow_each_other,
    last_of_all,
    numbered_in_order,
    remembered_by_key,
)
from coclust_synth.generators.plain.persons.learning.later_rows import learn_later
from coclust_synth.generators.plain.persons.learning.person_table import PersonTable
from coclust_synth.tables.column import Column
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rules.evidence import Evidence


def learn_with_keys(evidence, rules, clusters, k, ids, nested=(), grouped=None):
    """Grow trees for persons, their rows, and those of one key.

    Parameters
    ----------
    evidence : Evidence
        Of the n rows of a table, and their persons.
    rules : Rules
        Of the table.
    clusters : ndarray of int64, shape (n,)
        Cluster of the person of each row, of k persons at least.
    k : int
        Persons of each leaf, at least.
    ids : Key
        Of persons.
    nested : tuple of NestedKey, default=()
        Columns that are drawn as numbers in each person. Of several the first one is
        looked at, of most values.
    grouped : Evidence, optional
        Of the same rows, with groups where `evidence` has common values for rare ones.

    Returns
    -------
    PersonStructure
        With `within` where the row before of the same key tells more.
    """
    whole = PersonTable.of(evidence, rules, k, nested, grouped)
    whole = numbered_in_order(whole) if nested else whole
    split = _split(whole) if nested else None
    if split is None:
        return structure_of_persons(whole, clusters, ids)
    of_key, firsts = split
    structure = structure_of_persons(
        firsts, clusters[of_key.rows[of_key.is_first]], ids
    )
    own = replace(
        structure,
        names=whole.evidence.coding.names,
        n_rows=len(clusters),
        row_numbers=whole.row_numbers,
        is_after_last=firsts.of_all is not None,
    )
    later = learn_later(of_key, clusters, k)
    within = replace(
        own,
        later=later,
        constants=of_key.constants,
        ordered_by=of_key.ordered_by,
        is_once=of_key.is_once,
        most_rooms=of_key.most_rooms,
        once=of_key.once(later.rules),
    )
    return replace(own, within=within)


def _split(whole):
    """The rows by key, and the first ones by person, of all; None to be left so."""
    evidence, k = whole.evidence, whole.k
    if whole.totals or whole.n_with_several < k:
        return None
    person, key = evidence.persons.codes, whole.nested[0].column
    of_key = np.column_stack([person, evidence.numbers[key].astype(np.int64)])
    of_key = np.unique(of_key, axis=0, return_inverse=True)[1].ravel()
    n_rows = np.bincount(of_key)[of_key]
    none = np.zeros(len(n_rows), dtype=bool)
    parts = evidence.learn_atoms(n_rows, none, SteppedRuler(1))
    tables = _with_number((evidence, whole.grouped), KEY_ROWS, n_rows, parts)
    keys = Persons(key, of_key)
    by_key = (None if own is None else replace(own, persons=keys) for own in tables)
    parted = _RowsOfKeys.of_owners(person, whole.rules, k, *by_key)
    rows = parted.rows[parted.is_first]
    n_keys = np.bincount(np.unique(person[rows], return_inverse=True)[1])
    if min(evidence.n_of(n_rows > 1), (n_keys > 1).sum()) < k:
        return None
    follow = follow_each_other(parted, whole)
    if not follow and not _tells_more(parted, whole):
        return None
    firsts, grouped = (None if own is None else _some(own, rows) for own in tables)
    first = _FirstOfKeys.of(firsts, whole.rules, k, whole.nested, grouped)
    if follow:
        lasts = _some(tables[0], parted.rows[np.append(parted.is_first[1:], True)])
        held = remembered_by_key(parted, whole)
        first = replace(first, of_all=whole, lasts=lasts, held=_of_rows(held, rows))
        parted = replace(parted, firsts=first, held=held)
    first = replace(first, last_of_keys=parted.last_rows)
    more = (more_than(own, n_rows) for own in evidence.numbers.values())
    if KEY_ROWS in first.changing and all(own is None for own in more):
        first = first.with_all_rows(np.bincount(person))
    return parted, first


def _tells_more(of_key, whole):
    """Whether the row before of the same key tells what that of the person does not."""
    numbered = {own.target for own in whole.row_numbers} | {*whole.starts}
    said = [
        {
            str(relation)
            for relation in table.rules_of_later.relations
            if not relation.about
            and relation.told not in numbered
            and any(before(name) in relation.columns for name in table.changing)
        }
        for table in (of_key, whole)
    ]
    return not said[0] <= said[1]


def _of_rows(held, rows):
    """Of some rows, how many earlier ones have each code."""
    return {name: own[rows] for name, own in held.items()}


def _with_number(tables, name, own, parts):
    """Tables, as far as there are such, with a column of numbers of rows."""
    ends = min(1, int(parts.lows.min())), max(len(own), int(parts.highs.max()))
    column = Column(name=name, kind="integer", dtype="int64", step=1, bounds=ends)
    codes = parts.encode(own, np.zeros(len(own), dtype=bool))
    found = []
    for table in tables:
        if table is not None:
            coding = table.coding
            schema = replace(coding.schema, columns=(*coding.schema.columns, column))
            table = replace(
                table,
                coding=TableCoding(schema, (*coding.parts, parts), coding.pools),
                codes=np.column_stack([table.codes, codes]),
                of_codes=(*table.of_codes, bins_of_last(parts)),
                values=table.values | {name: own},
                numbers=table.numbers | {name: own.astype(np.float64)},
            )
        found.append(table)
    return found


def _some(evidence, rows):
    """Some rows of a table."""
    codes = np.unique(evidence.persons.codes[rows], return_inverse=True)[1]
    return replace(
        evidence,
        codes=evidence.codes[rows],
        values={name: own[rows] for name, own in evidence.values.items()},
        numbers={name: own[rows] for name, own in evidence.numbers.items()},
        persons=Persons(evidence.persons.column, codes),
        moved={j: own[rows] for j, own in evidence.moved.items()},
    )


@dataclass(frozen=True, eq=False)
class _FirstOfKeys(PersonTable):
    """The first row of each key, by person.

    Attributes
    ----------
    last_of_keys : tuple of LastRows
        What goes with the last row of a key.
    of_all : PersonTable or None
        All rows by person, where keys follow each other.
    lasts : Evidence or None
        The last row of each key, then.
    held : dict of str to ndarray of int64, shape (n, codes)
        How many earlier rows of the person have each code, see `remembered`.
    """

    last_of_keys: tuple[LastRows, ...] = ()
    of_all: PersonTable | None = None
    lasts: Evidence | None = None
    held: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def evidence_before(self):
        """The last row of each key, where these follow each other."""
        return self.evidence if self.lasts is None else self.lasts

    @cached_property
    def remembered(self):
        """As of all rows, where keys follow each other."""
        if self.of_all is None:
            return super().remembered
        return _of_rows(self.held, self.rows_after)

    def with_last(self, rules, evidence, number):
        """Rules of some rows, and what goes with the last row of a key, or of all."""
        rules = with_last_rows(rules, evidence, KEY_ROWS, self.last_of_keys)
        if self.of_all is None:
            return rules
        last = last_of_all(self.of_all, self)
        own = but_of(self.last_rows, last)
        rules = with_last_rows(rules, evidence, number, (*last, *own))
        last = but_of(last, self.last_of_keys)
        return with_last_rows(rules, evidence, KEY_ROWS, last)

    def with_all_rows(self, n_rows):
        """The same, and the rows of all keys of each person, shape (n_persons,)."""
        n_rows = numbers_told(n_rows)
        counts = count_values(n_rows, np.zeros(len(n_rows), dtype=bool))
        parts = learn_atoms(counts, None, SteppedRuler(1), spread=True)
        own = n_rows[self.evidence.persons.codes]
        tables = _with_number((self.evidence, self.grouped), ALL_ROWS, own, parts)
        return replace(
            self,
            evidence=tables[0],
            grouped=tables[1],
            constants=(*self.constants, ALL_ROWS),
        )

    @cached_property
    def totals(self):
        """The rows of all keys; others would be of other rows too."""
        return (ROWS_OF_KEYS,) if ALL_ROWS in self.constants else ()

    @cached_property
    def advances(self):
        """As of all rows, where keys follow each other; else others would not know."""
        whole = self.of_all
        if whole is None or whole.ordered_by != self.ordered_by:
            return ()
        return tuple(a for a in whole.advances if a.rule.target in self.changing)


@dataclass(frozen=True, eq=False)
class _RowsOfKeys(PersonTable):
    """The rows of a table by key.

    Attributes
    ----------
    owners : ndarray of int64, shape (n,)
        Number of the person of each row: the individuals.
    firsts : _FirstOfKeys or None
        The first rows, where keys follow each other: what is told of their persons is
        known to all.
    held : dict of str to ndarray of int64, shape (n, codes)
        As of `firsts`, of each row.
    """

    has_counts: ClassVar[bool] = False

    owners: np.ndarray = None
    firsts: _FirstOfKeys | None = None
    held: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of_owners(cls, owners, rules, k, evidence, grouped):
        """The rows of some keys, and whose they are."""
        return replace(cls.of(evidence, rules, k, (), grouped), owners=owners)

    @property
    def whose(self):
        """Rows these are, in words."""
        return f"one {self.evidence.persons.column}"

    @property
    def individual(self):
        """Number of the individual of each row of the table."""
        return self.owners

    @cached_property
    def totals(self):
        """None."""
        return ()

    @cached_property
    def n_keys_left(self):
        """Of the person of each row after the first, with that of the row."""
        if self.firsts is None:
            return None
        owner = self.owners[self.rows[self.is_first]]
        place = np.arange(len(owner)) - np.searchsorted(owner, owner)
        n_keys = np.bincount(owner)
        left = np.minimum(n_keys[owner] - place, numbers_told(n_keys).max())
        return left[self.evidence.persons.codes[self.rows_after]]

    def with_last(self, rules, evidence, number):
        """Rules of rows, and what goes with the last one of a key, or of all."""
        rules = super().with_last(rules, evidence, number)
        if self.firsts is None:
            return rules
        last = last_of_all(self.firsts.of_all, self)
        rules = with_last_rows(rules, evidence, KEYS_LEFT, last)
        last = but_of(last, self.last_rows)
        return with_last_rows(rules, evidence, number, last)

    @cached_property
    def levels(self):
        """Of the persons, as the first rows of keys have them, if they know any."""
        found = {} if self.firsts is None else self.firsts.levels
        return {name: own for name, own in found.items() if name in self.changing}

    @cached_property
    def rests_of_levels(self):
        """None: they are of the first rows."""
        return {}

    @cached_property
    def means_so_far(self):
        """None."""
        return {}

    @cached_property
    def last_steps(self):
        """None."""
        return {}

    @cached_property
    def advances(self):
        """Those of the first rows; else the row before of the key tells them."""
        found = () if self.firsts is None else self.firsts.advances
        return tuple(own for own in found if own.rule.target in self.changing)

    @cached_property
    def starts(self):
        """The numbers of persons that tell these, by column."""
        return {
            own.rule.target: self.firsts.starts[own.rule.target]
            for own in self.advances
        }

    @cached_property
    def remembered(self):
        """What is held by rows before, of this key and of those before."""
        return _of_rows(self.held, self.rows_after)
