"""The rows of a table by key, and the first one of each key by person."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from coclust_synth.generators.plain.persons.kept.last_rows import (
    LastRows,
    bins_of_last,
    with_last_rows,
)
from coclust_synth.generators.plain.persons.known.key_rows import (
    ALL_ROWS,
    KEY_ROWS,
    ROWS_OF_KEYS,
    numbers_told,
)
from coclust_synth.generators.plain.persons.known.known_before import KEYS_LEFT
from coclust_synth.generators.plain.persons.learning.keys_in_order import (
    but_of,
    last_of_all,
    remembered_by_key,
)
from coclust_synth.generators.plain.persons.learning.person_table import PersonTable
from coclust_synth.tables.column import Column
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rules.between_rows.order import (
    find_order_of_rows,
    order_of_rows,
)
from coclust_synth.tables.rules.evidence import Evidence


def with_number(tables, name, own, parts):
    """Tables, as far as there are such, with a column of numbers of rows.

    Parameters
    ----------
    tables : sequence of Evidence or None
    name : str
    own : ndarray of int64, shape (n,)
    parts : AtomParts

    Returns
    -------
    list of Evidence or None
    """
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
class FirstOfKeys(PersonTable):
    """The first row of each key, by person.

    What is told of persons is that of all their rows.

    Attributes
    ----------
    of_all : PersonTable
        All rows by person.
    of_key : RowsOfKeys
        All rows by key.
    lasts : Evidence or None
        The last row of each key, where these follow each other: those before the first
        ones.
    last_of_keys : tuple of LastRows
        What goes with the last row of a key.
    """

    of_all: PersonTable = None
    of_key: "RowsOfKeys" = None
    lasts: Evidence | None = None
    last_of_keys: tuple[LastRows, ...] = ()

    @classmethod
    def of_keys(cls, whole, tables, of_key, follow):
        """The first rows of all keys.

        Parameters
        ----------
        whole : PersonTable
        tables : list of Evidence or None
            As of `with_number`, of all rows, and with groups.
        of_key : RowsOfKeys
        follow : bool
            Whether keys follow each other.
        """
        rows = of_key.rows[of_key.is_first]
        firsts, grouped = (None if own is None else _some(own, rows) for own in tables)
        found = cls.of(firsts, whole.rules, whole.k, whole.nested, grouped)
        ends, lasts = np.append(of_key.is_first[1:], True), None
        if follow:
            lasts = _some(tables[0], of_key.rows[ends])
        found = replace(found, of_all=whole, of_key=of_key, lasts=lasts)
        return found._in_order_of(whole.ordered_by)._with_sizes_first()

    def _with_sizes_first(self):
        """The same, how many rows each key has drawn before what its first row has.

        What only the last row of all keys has (a death) is told from it.
        """
        if KEY_ROWS not in self.changing:
            return self
        first = (own for own in (self.ordered_by, KEY_ROWS) if own is not None)
        return replace(self, changing=(*dict.fromkeys((*first, *self.changing)),))

    def _in_order_of(self, name):
        """The same, in the order of a column and not in that of the keys' numbers.

        Where keys are moments it is that of these.
        Without another one they stay as they are, in the order of none: numbers of keys
        end where few persons have so many, and no person is to end there.
        """
        keys = {own.column for own in self.nested}
        if keys and self.ordered_by not in keys:
            return self
        if name in keys or name not in self.changing:
            name = self._rises_with(keys)
        if name is None:
            return replace(self, ordered_by=None)
        others = (other for other in self.changing if other != name)
        rows = order_of_rows(self.evidence, name)
        return replace(self, rows=rows, changing=(name, *others), ordered_by=name)

    def _rises_with(self, keys):
        """The column that rows would be in the order of without keys, None if it falls.

        A year, of which each key of a person has its own.
        """
        numbers = {n: x for n, x in self.evidence.numbers.items() if n not in keys}
        others = replace(self.evidence, numbers=numbers)
        name = find_order_of_rows(others, self.rules.orders, self.k)
        if name is None:
            return None
        rises = np.diff(numbers[name][self.rows])[~self.is_first[1:]] >= 0
        return name if (~rises).sum() <= MAX_BROKEN * len(rises) else None

    @property
    def evidence_before(self):
        """The last row of each key, where these follow each other."""
        return self.evidence if self.lasts is None else self.lasts

    @property
    def _untold(self):
        """But for the keys: their numbers are told in the end."""
        keys = {own.column for own in self.nested}
        return [name for name in super()._untold if name not in keys]

    @cached_property
    def levels(self):
        """Of what changes in keys those of all rows, which leave nothing to the next.

        Of what stays in these all rows would be alike, though no two keys are.
        """
        changes, names = {*self.of_key.changing}, {*self._untold}
        found = {n: own for n, own in super().levels.items() if n not in changes}
        for name, own in self.of_all.levels.items():
            if name in names & changes:
                found[name] = replace(own, has_rests=False)
        return found

    @cached_property
    def remembered(self):
        """Of all rows of the keys before."""
        rows = self.of_key.rows[self.of_key.is_first]
        return {n: own[rows][self.rows_after] for n, own in self.held.items()}

    @cached_property
    def held(self):
        """How many earlier rows of the person have each code, of all rows by column."""
        return remembered_by_key(self.of_key, self.of_all)

    @cached_property
    def advances(self):
        """Those of all rows."""
        if self.of_all.ordered_by != self.ordered_by:
            return ()
        found = self.of_all.advances
        return tuple(own for own in found if own.rule.target in self.changing)

    @cached_property
    def totals(self):
        """The rows of all keys; others would be of other rows too."""
        return (ROWS_OF_KEYS,) if ALL_ROWS in self.constants else ()

    @cached_property
    def summaries(self):
        """None, as others are of other rows too."""
        return ()

    def with_last(self, rules, evidence, number):
        """Rules of some rows, and what goes with the last row of a key, or of all."""
        rules = with_last_rows(rules, evidence, KEY_ROWS, self.last_of_keys)
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
        tables = with_number((self.evidence, self.grouped), ALL_ROWS, own, parts)
        return replace(
            self,
            evidence=tables[0],
            grouped=tables[1],
            constants=(*self.constants, ALL_ROWS),
        )


@dataclass(frozen=True, eq=False)
class RowsOfKeys(PersonTable):
    """The rows of a table by key.

    Attributes
    ----------
    owners : ndarray of int64, shape (n,)
        Number of the person of each row: the individuals.
    firsts : FirstOfKeys or None
        The first rows, what is told of whose persons all rows know. None as long as it
        is asked whether these are to be drawn.
    """

    has_counts: ClassVar[bool] = False

    owners: np.ndarray = None
    firsts: FirstOfKeys | None = None

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
    def n_keys_left(self):
        """Of the person of each row after the first, with that of the row."""
        if self.firsts is None:
            return None
        owner = self.owners[self.rows[self.is_first]]
        place = np.arange(len(owner)) - np.searchsorted(owner, owner)
        n_keys = np.bincount(owner)
        left = np.minimum(n_keys[owner] - place, numbers_told(n_keys).max())
        return left[self.evidence.persons.codes[self.rows_after]]

    @cached_property
    def totals(self):
        """None."""
        return ()

    @cached_property
    def summaries(self):
        """None."""
        return ()

    @cached_property
    def levels(self):
        """Those of the first rows."""
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
        names = (own.rule.target for own in self.advances)
        return {name: self.firsts.starts[name] for name in names}

    @cached_property
    def remembered(self):
        """Of this key and of those before."""
        held = {} if self.firsts is None else self.firsts.held
        return {name: own[self.rows_after] for name, own in held.items()}

    def with_last(self, rules, evidence, number):
        """Rules of rows, and what goes with the last one of a key, or of all."""
        rules = super().with_last(rules, evidence, number)
        if self.firsts is None:
            return rules
        last = last_of_all(self.firsts.of_all, self)
        rules = with_last_rows(rules, evidence, KEYS_LEFT, last)
        last = but_of(last, self.last_rows)
        return with_last_rows(rules, evidence, number, last)
