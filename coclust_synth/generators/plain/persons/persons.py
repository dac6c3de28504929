"""Rows of persons who have several: what stays, how many, and how they follow.

A person is drawn once: the cluster, the columns that are the same in all rows of every
person, how many rows there are, what others are like in all of them (`person_levels`),
and the first one. Each further row is drawn given these and the row before it. Rows are
in the order of a column of dates, or of a number that grows, which then is told by its
distance to that of the row before; else in that of the table. See `learning` for how
this is learnt, and what it tells.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from coclust_synth.generators.plain.persons.asked import Lots
from coclust_synth.generators.plain.persons.drawing import draw_persons
from coclust_synth.generators.plain.persons.kept.person_once import Once
from coclust_synth.generators.plain.persons.kept.person_summaries import Summary
from coclust_synth.generators.plain.persons.kept.person_totals import Total
from coclust_synth.generators.plain.persons.kept.row_numbers import RowNumber
from coclust_synth.generators.plain.persons.known.known_before import (
    said_of_last_row,
    said_of_row_before,
)
from coclust_synth.generators.plain.persons.known.person_starts import (
    first,
    said_of_first_values,
)
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.tables.people.nested_keys import NestedKey
from coclust_synth.tables.rules.kept import Rules
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.keys import Key

#: What the names of arrays of the rows after the first begin with.
LATER = "later/"
#: ... and of those of the rows after the first of what has a key.
WITHIN = "within/"


@dataclass(frozen=True, eq=False)
class PersonStructure:
    """What persons and their rows are drawn from.

    Attributes
    ----------
    first : Structure
        Of one row a person: columns that stay, the number of rows, levels, the first
        row.
    later : Structure or None
        Of each other row; the columns that stay, the number of rows, how many are still
        to come, levels and the row before are known. None where fewer than k persons
        have such rows: all are drawn with one.
    names : tuple of str
        Columns of the table, in their order.
    constants : tuple of str
        Those that stay.
    ordered_by : str or None
        Column of dates, or of whole numbers.
    is_once : bool
        Whether no person has two rows of one of these, but for a few.
    ids : Key
        Of persons.
    n_rows : int
        Of the table.
    begins : tuple of str
        Columns that a sum tells in the first row of a person, and no rule of the table:
        a total, to which later rows are added.
    most_rooms : float
        Times the room for a row that it is to the next one, but for few rows, see
        `Times`.
    totals : tuple of Total
        Of what stays, what is a total of the rows; or the rows of all keys.
    row_numbers : tuple of RowNumber
        What counts the rows that are alike in another column.
    nested : tuple of NestedKey
        Columns that are drawn as numbers in each person, and made anew.
    once : tuple of Once
        What no person has twice, see `find_once`.
    within : PersonStructure or None
        Of the rows of what has a key, or of one moment, where these are drawn key by
        key: then the rows above are the first ones of each. It shares `first`.
    is_after_last : bool
        Whether the row before the first one of a key is the last one of the key before:
        keys of a person follow each other.
    summaries : tuple of Summary
        Of what stays, what is the mean, highest, lowest or last of the rows.
    """

    first: Structure
    later: Structure | None
    names: tuple[str, ...]
    constants: tuple[str, ...]
    ordered_by: str | None
    is_once: bool
    ids: Key
    n_rows: int
    begins: tuple[str, ...] = ()
    most_rooms: float = np.inf
    totals: tuple[Total, ...] = ()
    row_numbers: tuple[RowNumber, ...] = ()
    once: tuple[Once, ...] = ()
    nested: tuple[NestedKey, ...] = ()
    within: "PersonStructure | None" = None
    is_after_last: bool = False
    summaries: tuple[Summary, ...] = ()

    @property
    def schema(self) -> Schema:
        """Of the columns of the table."""
        schema = self.first.coding.schema
        return replace(schema, columns=tuple(schema[name] for name in self.names))

    @property
    def rules(self) -> Rules:
        """Of the table."""
        made = {*self.first.coding.names}.difference(self.names)
        rules = self.first.rules.but_of(made)
        kept = (rule for rule in rules.all if rule.relation.told not in self.begins)
        return replace(rules, all=tuple(kept))

    @property
    def lasting(self) -> tuple[str, ...]:
        """Columns of the table that stay in all rows of a person."""
        within = self if self.within is None else self.within
        in_keys = {*within.constants} & {*self.names}
        return tuple(name for name in self.constants if name in in_keys)

    @property
    def shared_within(self) -> str | None:
        """What rows within share: a key, or else what all rows are in the order of."""
        return self.nested[0].column if self.nested else self.ordered_by

    @property
    def lasting_within(self) -> tuple[str, ...]:
        """Columns that stay in the rows of one moment, where these go together."""
        if self.within is None or self.nested:
            return ()
        others = {*self.lasting, self.ordered_by}
        own = (name for name in self.within.constants if name in self.names)
        return tuple(name for name in own if name not in others)

    @property
    def told_by_row_before(self) -> tuple[str, ...]:
        """What is told exactly by totals, and from the row before, in words."""
        of_table = (total for total in self.totals if total.target in self.names)
        totals = (total.said(self.first.coding) for total in of_table)
        fits = map(self.first.rules.fits.get, self.begins)
        begins = said_of_first_values(fits, self.constants)
        summaries = map(str, self.summaries)
        told = (*totals, *summaries, *begins, *map(str, self.row_numbers))
        later = () if self.later is None else (self.later.rules,)
        if self.within is None:
            of = said_of_row_before, said_of_last_row
            said = (own for rules in later for each in of for own in each(rules))
            return (*told, *said, *map(str, self.once))
        key = self.shared_within
        of_rows = said_of_row_before(
            self.within.later.rules, f"the row before of one {key}"
        )
        which = "last" if self.is_after_last else "first"
        for rules in later:
            of_rows += said_of_row_before(rules, f"the {which} row of the {key} before")
        # Of keys nobody has these numbers, and what counts rows is said so.
        counted = [own.column for own in self.nested]
        counted += [own.target for own in self.row_numbers]
        counts = tuple(f"{name} = " for name in counted)
        # Nor has the table those beside its columns, as the rows of a key are.
        of_rows = (own for own in of_rows if "\0" not in own)
        of_rows = tuple(own for own in of_rows if not own.startswith(counts))
        of_last = said_of_last_row(self.within.later.rules)
        for rules in later:
            more = said_of_last_row(rules)
            of_last += tuple(said for said in more if said not in of_last)
        once = (replace(own, within=key) for own in self.within.once)
        return (*told, *of_rows, *of_last, *map(str, once))

    @property
    def n_persons(self) -> int:
        """Persons of the table."""
        return int(self.first.cluster_rows.sum())

    def draw(self, n, rng, first_person=0) -> pd.DataFrame:
        """Draw n rows of persons, those of a person one after the other.

        Parameters
        ----------
        n : int
            Of the last person only as many rows are drawn as are missing.
        rng : numpy.random.Generator
        first_person : int, default=0
            Number of the first person.

        Returns
        -------
        DataFrame of n rows
            The last column names the person.
        """
        frames, found, lots = [], 0, Lots(self, first_person=first_person)
        while found < n:
            frames.append(lots.draw(n - found, rng))
            found += len(frames[-1])
        return pd.concat(frames, ignore_index=True).iloc[:n]

    def draw_persons(
        self, clusters, rng, agreed=None
    ) -> tuple[pd.DataFrame, np.ndarray]:
        """All rows of a person for each of some clusters; see `draw_persons`."""
        return draw_persons(self, clusters, rng, agreed)

    def count_broken(self, frame, pools=()):
        """How many drawn rows break each rule; see `Structure.count_broken`."""
        # No rule is about what is drawn besides: any value will do.
        of_first = {first(name): name for name in self.names}
        others = {
            c.name: frame[of_first[c.name]] if c.name in of_first else _any_of(c)
            for c in self.first.schema.columns
            if c.name not in self.names
        }
        of_table = replace(self.first, rules=self.rules)
        return of_table.count_broken(frame.assign(**others), pools)

    def named_anew(self, frame):
        """Rows of some persons who were drawn, named in sequence."""
        person = pd.factorize(frame[self.ids.column.name])[0]
        return frame.assign(**{self.ids.column.name: self.names_of(person)})

    def names_of(self, person, first_person=0):
        """Names of the persons of some rows, numbered from 0."""
        n_persons = int(person.max(initial=-1)) + 1
        return self.ids.make(n_persons, first_person).iloc[person].array

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form of all but the trees, whose arrays are `arrays`."""
        return {
            "first": self.first.to_dict(),
            "later": None if self.later is None else self.later.to_dict(),
            "names": list(self.names),
            "constants": list(self.constants),
            "ordered_by": self.ordered_by,
            "is_once": self.is_once,
            "ids": self.ids.to_dict(),
            "n_rows": self.n_rows,
            "begins": list(self.begins),
            "most_rooms": None if np.isinf(self.most_rooms) else self.most_rooms,
            "totals": [total.to_dict() for total in self.totals],
            "row_numbers": [own.to_dict() for own in self.row_numbers],
            "nested": [own.to_dict() for own in self.nested],
            "once": [own.to_dict() for own in self.once],
            "is_after_last": self.is_after_last,
            "summaries": [own.to_dict() for own in self.summaries],
        } | ({} if self.within is None else {"within": self.within._rows_to_dict()})

    def _rows_to_dict(self):
        """What `to_dict` says of rows after the first."""
        own = self.to_dict()
        kept = "later", "constants", "ordered_by", "is_once", "most_rooms", "once"
        return {name: own[name] for name in kept}

    def arrays(self) -> dict[str, np.ndarray]:
        """Arrays of all trees."""
        later = {} if self.later is None else self.later.arrays()
        within = {} if self.within is None else self.within.later.arrays()
        later = {LATER + name: own for name, own in later.items()}
        within = {WITHIN + name: own for name, own in within.items()}
        return self.first.arrays() | later | within

    @classmethod
    def from_dict(cls, data, arrays) -> Self:
        """Inverse of `to_dict` and `arrays`.

        Raises
        ------
        ValueError, KeyError, TypeError
            If the pieces do not fit together.
        """
        later, most_rooms = data["later"], data.get("most_rooms")
        if "within" in data:
            own = {name: of for name, of in data.items() if name != "within"}
            of_keys = {LATER + name: of for name, of in _of(WITHIN, arrays).items()}
            of_rows = cls.from_dict(own | data["within"], arrays | of_keys)
            return replace(cls.from_dict(own, arrays), within=of_rows)
        return cls(
            Structure.from_dict(data["first"], arrays),
            None if later is None else Structure.from_dict(later, _of(LATER, arrays)),
            tuple(data["names"]),
            tuple(data["constants"]),
            data["ordered_by"],
            # Of models that were saved before it is not known.
            bool(data.get("is_once", False)),
            Key.from_dict(data["ids"]),
            int(data["n_rows"]),
            tuple(data.get("begins", ())),
            np.inf if most_rooms is None else float(most_rooms),
            tuple(map(Total.from_dict, data.get("totals", ()))),
            tuple(map(RowNumber.from_dict, data.get("row_numbers", ()))),
            tuple(map(Once.from_dict, data.get("once", ()))),
            tuple(map(NestedKey.from_dict, data.get("nested", ()))),
            is_after_last=bool(data.get("is_after_last", False)),
            summaries=tuple(map(Summary.from_dict, data.get("summaries", ()))),
        )


def _of(prefix, arrays):
    """Of some arrays, those whose name begins so, without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _any_of(column):
    """A value that a column may have."""
    value = (column.categories or column.bounds)[0]
    return pd.Timestamp(value) if column.kind == "datetime" else value
