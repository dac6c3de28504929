"""Rows of persons who have several: what stays, how many, and how they follow.

A person is drawn once: the cluster, the columns that are the same in all rows of every
person, how many rows there are, what others are like in all of them (`person_levels`),
and the first one. Each further row is drawn given these and the row before it. Rows are
in the order of a column of dates, or of a number that grows, which then is told by its
distance to that of the row before; else in that of the table. See `person_rows` for how
this is learnt, and what it tells.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from coclust_synth.generators.draws import allot
from coclust_synth.generators.plain.persons.known_before import (
    COUNT,
    LEFT,
    RowsToCome,
    before,
    in_words,
    of_row_before,
    remembered,
)
from coclust_synth.generators.plain.persons.person_once import Once, Seen
from coclust_synth.generators.plain.persons.person_times import Times
from coclust_synth.generators.plain.persons.person_totals import Total, with_rest
from coclust_synth.generators.plain.persons.row_numbers import RowNumber
from coclust_synth.generators.plain.structured.drawing.rows import Drawing
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.structured.waves import waves_of
from coclust_synth.tables.people.nested_keys import NestedKey
from coclust_synth.tables.relations import Cases, DayOf, Dependence, Fit, Never
from coclust_synth.tables.rules.kept import Rules
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import from_values, to_values
from coclust_synth.tables.values.keys import Key

#: Name of the number of rows of what has a key, where these are drawn one by one.
KEY_ROWS = "\0rows of a key"
#: What the names of arrays of the rows after the first begin with.
LATER = "later/"
#: ... and of those of the rows after the first of what has a key.
WITHIN = "within/"


def constants_above(rules, name, constants):
    """Of what stays in the rows of persons, what is above a column that changes."""
    above = {high for low, high in rules.bounds if low == name}
    return tuple(constant for constant in constants if constant in above)


def said_of_row_before(rules, row_before="the row before"):
    """Of rules of rows after the first, what the row before tells exactly, in words."""
    told = [rule.relation for rule in rules.all]
    lags = (own for own in told if isinstance(own, Dependence))
    said = [
        *(str(fit) for fit in told if isinstance(fit, Fit | Cases) and not fit.about),
        *(f"{own.target} = {', '.join(own.parents)}" for own in lags),
    ]
    return in_words(said, row_before)


def said_of_last_row(rules):
    """Of rules of rows after the first, what goes with the last row, in words."""
    told = (rule.relation for rule in rules.all)
    return tuple(
        str(own) for own in told if isinstance(own, Never) and own.first == LEFT
    )


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
        Of what stays, what is a total of the rows.
    row_numbers : tuple of RowNumber
        What counts the rows that are alike in another column.
    nested : tuple of NestedKey
        Columns that are drawn as numbers in each person, and made anew.
    once : tuple of Once
        What no person has twice, see `find_once`.
    within : PersonStructure or None
        Of the rows of what has a key, where these are told from the row before of the
        same key: then the rows above are the first ones of each. It shares `first`.
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
    def told_by_row_before(self) -> tuple[str, ...]:
        """What is told exactly by totals, and from the row before, in words."""
        totals = (total.said(self.first.coding) for total in self.totals)
        told = (*totals, *map(str, self.row_numbers))
        later = () if self.later is None else (self.later.rules,)
        if self.within is None:
            of = said_of_row_before, said_of_last_row
            said = (own for rules in later for each in of for own in each(rules))
            return (*told, *said, *map(str, self.once))
        key = self.nested[0].column
        of_rows = said_of_row_before(
            self.within.later.rules, f"the row before of one {key}"
        )
        for rules in later:
            of_rows += said_of_row_before(rules, f"the first row of the {key} before")
        # Of keys nobody has these numbers, and what counts rows is said so.
        counted = [own.column for own in self.nested]
        counted += [own.target for own in self.row_numbers]
        counts = tuple(f"{name} = " for name in counted)
        of_rows = tuple(own for own in of_rows if not own.startswith(counts))
        of_last = said_of_last_row(self.within.later.rules)
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
        frames, found = [], 0
        while found < n:
            size = int(np.ceil((n - found) * self.n_persons / self.n_rows))
            sizes = allot(self.first.cluster_rows, size, rng)
            clusters = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
            frame, person = self.draw_persons(clusters, rng)
            frame[self.ids.column.name] = self._named(person, first_person)
            frames.append(frame)
            found, first_person = found + len(frame), first_person + size
        return pd.concat(frames, ignore_index=True).iloc[:n]

    def count_broken(self, frame, pools=()):
        """How many drawn rows break each rule; see `Structure.count_broken`."""
        columns = [c for c in self.first.schema.columns if c.name not in self.names]
        # No rule is about them: any value will do.
        others = {c.name: (c.categories or c.bounds)[0] for c in columns}
        first = replace(self.first, rules=self.rules)
        return first.count_broken(frame.assign(**others), pools)

    def named_anew(self, frame):
        """Rows of some persons who were drawn, named in sequence."""
        person = pd.factorize(frame[self.ids.column.name])[0]
        return frame.assign(**{self.ids.column.name: self._named(person)})

    def _named(self, person, first_person=0):
        """Names of the persons of some rows, numbered from 0."""
        return self.ids.make(int(person.max()) + 1, first_person).iloc[person].array

    def draw_persons(self, clusters, rng) -> tuple[pd.DataFrame, np.ndarray]:
        """Draw all rows of a person for each of some clusters.

        Parameters
        ----------
        clusters : ndarray of int64, shape (n,)
        rng : numpy.random.Generator

        Returns
        -------
        DataFrame
            Nobody is named in it.
        ndarray of int64
            Whose each row is, in order, from 0.
        """
        n = len(clusters)
        between = self._between(COUNT)
        row, person = Drawing(self.first, clusters, rng, between=between), np.arange(n)
        row.fill()
        n_rows = row.numbers[COUNT] if self.later is not None else np.ones(n)
        frames, persons, sums = [], [], np.zeros((len(self.totals), n))
        held = {
            name: np.zeros((n, size), int) for name, size in self._remembered.items()
        }
        seen, n_drawn = Seen(self.once, n), 0
        while True:
            n_drawn += 1
            seen.draw_others(row, person)
            for own, total in zip(sums, self.totals, strict=True):
                own[person] += total.of_rows(row)
            for name, counts in held.items():
                counts[
                    person, row.codes[:, row.structure.coding.names.index(name)]
                ] += 1
            for own, place in self._with_rows_of_key(row, rng):
                frame = pd.DataFrame({name: own.cells[name] for name in self.names})
                if self.within is not None:
                    frame[self.nested[0].column] = n_drawn
                frames.append(frame)
                persons.append(person[place])
            has_more = n_rows[person] > n_drawn
            if self._times is not None:
                has_more &= self._times.goes_on(row.numbers)
            if not has_more.any():
                break
            person = person[has_more]
            left = n_rows[person] - n_drawn
            before_row = {name: counts[person] for name, counts in held.items()}
            taken = seen.taken(person)
            row = self._row_after(row, has_more, left, before_row, taken, rng)
        whose = np.concatenate(persons)
        order = np.argsort(whose, kind="stable")
        frame = pd.concat(frames, ignore_index=True).iloc[order]
        frame, whose = frame.reset_index(drop=True), whose[order]
        frame = self._with_row_numbers(frame, whose)
        for key in self.nested:
            frame = key.held(frame, whose)
        return self._with_totals(frame, whose, sums), whose

    def _with_rows_of_key(self, row, rng):
        """Some rows, and those after them that have the same key, if such are drawn.

        Each with the places of its rows among those of the first one.
        """
        place, n_drawn, within = np.arange(row.n), 1, self.within
        seen = Seen(() if within is None else within.once, row.n)
        while True:
            seen.draw_others(row, place)
            yield row, place
            if within is None:
                return
            left = row.numbers[KEY_ROWS] - n_drawn
            has_more = left > 0
            if within._times is not None:
                has_more &= within._times.goes_on(row.numbers)
            if not has_more.any():
                return
            place, n_drawn = place[has_more], n_drawn + 1
            taken = seen.taken(place)
            row = within._row_after(row, has_more, left[has_more], {}, taken, rng)

    def _with_row_numbers(self, frame, whose):
        """Rows with the numbers of those that were drawn, as far as there are such.

        What has more rows is cut where it is a claim, a stay: another one begins.
        """
        nested = {own.column: own for own in self.nested}
        for own in self.row_numbers:
            first, last = self.first.ends_of(own.target).astype(np.int64)
            numbers = own.in_rows(frame, whose)
            if own.source in nested:
                part, numbers = np.divmod(numbers - first, last - first + 1)
                numbers += first
                parts = pd.MultiIndex.from_arrays([whose, frame[own.source], part])
                codes, _ = pd.factorize(parts)
                key = nested[own.source]
                frame = key.numbered(frame.assign(**{own.source: codes}), whose)
            numbers = np.clip(numbers, first, last)
            present = np.zeros(len(frame), dtype=bool)
            frame[own.target] = from_values(numbers, present, self.schema[own.target])
        return frame

    def _with_totals(self, frame, whose, sums):
        """Rows with the totals of what was drawn, and what these tell exactly.

        So is what is told from columns that nested keys hold. What no row got of a sum
        is added to the last one that adds to it.
        """
        held = {name for own in self.nested for name in own.constants}
        changed = {total.target for total in self.totals}
        changed |= held & {*self.first.scales}
        if not changed:
            return frame
        scales, numbers = self.first.scales, {}
        for name in (name for name in self.names if name in scales):
            own = to_values(frame[name], self.schema[name])
            numbers[name] = scales[name].to_numbers(*own)
        for own, total in zip(sums, self.totals, strict=True):
            if not total.is_count:
                x = numbers[total.source]
                own = np.bincount(whose, x) if total.source in held else own
                ends = self.first.ends_of(total.source)
                rest = numbers[total.target] - own[whose]
                numbers[total.source] = with_rest(x, rest, whose, ends)
                own = np.bincount(whose, numbers[total.source])
                changed.add(total.source)
            numbers[total.target] = np.clip(own, *self.first.ends_of(total.target))[
                whose
            ]
        in_order = (self.first.coding.names[own.column] for own in self.first.columns)
        for name in in_order:
            fit = self.first.rules.fits.get(name)
            if name in numbers and fit is not None and _is_told_by(fit, changed):
                by = (
                    {fit.by: frame[fit.by].to_numpy(object)}
                    if _is_by_category(fit, numbers)
                    else {}
                )
                told = fit.predict(by | numbers)
                told = np.exp(told) if fit.logarithms else told
                if isinstance(fit, DayOf):
                    told = told + numbers[name] % 1  # The clock is its own.
                known = ~np.isnan(numbers[name]) & ~np.isnan(told)
                numbers[name] = np.where(known, told, numbers[name])
                changed.add(name)
        for name in changed:
            missing = np.isnan(numbers[name])
            values = scales[name].nearest(np.where(missing, 0.0, numbers[name]))
            frame[name] = from_values(values, missing, self.schema[name])
        return frame

    @cached_property
    def _times(self):
        """When rows come, None where they are in no order, or several on a wave."""
        if self.later is None or self.ordered_by is None:
            return None
        name, later = self.ordered_by, self.later
        j, scale = later.coding.names.index(name), later.scales[name]
        drawn = next(own for own in later.columns if own.column == j)
        values = waves_of(drawn, later.coding.parts[j])
        if values is None:
            values = later.coding.parts[j].highs.max(keepdims=True)
        elif not self.is_once:
            return None
        since = drawn.fit.parents[0]
        # A row may begin before the end of the last one, if no order says otherwise.
        is_after = (since, name) in {order.columns for order in later.rules.orders}
        return Times(
            name,
            of_row_before(since) if is_after else name,
            self._above,
            values / scale.per_day,
            scale.ruler.step / scale.per_day * self.is_once,
            self.most_rooms,
        )

    @cached_property
    def _above(self):
        """What stays and is above what rows are in the order of."""
        return constants_above(self.rules, self.ordered_by, self.constants)

    def _between(self, n_rows, earlier=None):
        """From when to when rows of persons come, who have so many, by column."""
        times = self._times
        if times is None:
            return {}
        ended = None if earlier is None else before(times.since)
        return {times.column: times.between(n_rows, earlier, ended)}

    @cached_property
    def _remembered(self):
        """Codes of the columns of which it is known how often a person had each."""
        if self.later is None:
            return {}
        coding = self.later.coding
        names = remembered(coding.names)
        return {n: coding.parts[coding.names.index(n)].n_parts for n in names}

    def _row_after(self, row, has_more, left, held, taken, rng):
        """The row after another, of the persons who have so many more."""
        to_come = RowsToCome(
            self.later,
            row,
            has_more,
            left,
            held,
            self.totals,
            self.ordered_by,
            self._above,
        )
        between = self._between(LEFT, before(self.ordered_by or ""))
        clusters = row.clusters[has_more]
        known = to_come.known()
        after = Drawing(self.later, clusters, rng, *known, between, taken)
        for name in self.constants:
            after.cells[name] = row.cells[name][has_more].reset_index(drop=True)
        after.fill()
        return after

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
        )


def _of(prefix, arrays):
    """Of some arrays, those whose name begins so, without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _is_by_category(fit, numbers):
    """Whether a column that is no number says how a fit tells another."""
    return isinstance(fit, Cases) and fit.by not in numbers


def _is_told_by(fit, changed):
    """Whether columns that changed tell another exactly."""
    is_exact = not (fit.draws_factor or fit.is_loose)
    return (
        is_exact and fit.target not in changed and not changed.isdisjoint(fit.parents)
    )
