"""How one column of some rows is drawn: a code for each row, then a value."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from coclust_synth.generators.plain.structured.dates.days_to_dates import DaysToDate
from coclust_synth.generators.plain.structured.dates.drawn_dates import having_parts
from coclust_synth.generators.plain.structured.dates.following import (
    Following,
    calendar_of,
    weekdays_after,
)
from coclust_synth.generators.plain.structured.drawing.codes import (
    codes_of_tree,
    differing,
    drawn_codes,
    untaken,
)
from coclust_synth.generators.plain.structured.drawing.ends import (
    ends_of_rows,
    exchanged_within,
    held_by,
    moved_inside,
)
from coclust_synth.generators.plain.structured.drawing.limits import limits_of_rows
from coclust_synth.generators.plain.structured.drawn import numbers_of_tie
from coclust_synth.generators.plain.structured.equal import Equal
from coclust_synth.generators.plain.structured.roundness import Roundness, rounded
from coclust_synth.generators.plain.structured.telling import Telling
from coclust_synth.generators.plain.structured.waves import on_waves, waves_of
from coclust_synth.generators.plain.trees.mostly import said_by
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.relations import Cases


class ColumnDrawing:
    """One column of some rows, of which those before it are drawn.

    Parameters
    ----------
    rows : Drawing
    drawn : Drawn
        How it is drawn.

    Attributes
    ----------
    name : str
    atoms, parts : Parts
        Of the column, and of what is drawn: what a fit leaves of it, if there is one.
    scale : NumberScale or None
        None of categories.
    base : ndarray of float64, shape (n,), or None
        What a fit says.
    lowest, highest : ndarray of float64, shape (n,)
        From where to where its numbers may be.
    date_parts : dict of feature to ndarray of int32, shape (n,)
        What of it is drawn before: parts of dates, and how round numbers are.
    roundness : Roundness or None
        The last of these.
    is_equal : ndarray of bool, shape (n,), or None
        Whether it is to be the column that it often equals, where that is drawn first.
    waves : ndarray or None
        The values of a column of waves.
    days : DaysToDate or None
        Of days that tell a date which has a calendar.
    leaf : ndarray of int64, shape (n,)
        Of the tree, once what is drawn before is.
    limits : Limits or None
        The codes that each row may have, once that is known.
    following : Following or None
        Of dates of rows after others whose parts were drawn.
    is_blank : ndarray of bool, shape (n,)
        Rows that miss a value as no rule left them one of their leaf.
    points : ndarray of float64, shape (n,), or None
        By which rows drew from their leaves, where these go along other columns.
    """

    def __init__(self, rows, drawn):
        j, coding, structure = drawn.column, rows.coding, rows.structure
        self.rows, self.drawn, self.name = rows, drawn, coding.names[j]
        self.atoms, self.scale = coding.parts[j], rows.scales.get(self.name)
        self.parts = drawn.parts_of(self.atoms)
        self.base = drawn.base(rows.known_to(drawn.fit))
        self.lowest, self.highest = ends_of_rows(rows, drawn)
        parts = {structure.features[at]: rows.part(at) for at, _ in drawn.parts}
        self.date_parts = {
            own: codes for own, codes in parts.items() if not isinstance(own, Equal)
        }
        self._equals = {o: codes for o, codes in parts.items() if isinstance(o, Equal)}
        kinds = (part for part in self.date_parts if isinstance(part, Roundness))
        self.roundness = next(kinds, None)
        self.waves = waves_of(drawn, self.atoms)
        self.days = None
        if drawn.fit is None and drawn.calendar is not None:
            told = structure.rules.fits, coding.schema, rows.numbers
            self.days = DaysToDate.find(self.name, self.atoms, *told)
        lookup = structure.rules.lookup(self.name)
        self._telling = None if lookup is None else Telling(rows, lookup)
        self.points: np.ndarray | None = None
        self.is_blank = np.zeros(rows.n, dtype=bool)

    def draw(self):
        """Draw it.

        Returns
        -------
        codes : ndarray of int, shape (n,)
        values, missing : ndarray, shape (n,)
        """
        for place, tree in self.drawn.parts:
            own = self.rows.structure.features[place]
            if isinstance(own, Equal):
                self.rows.part(place)[:] = self._drawn_equal(own, tree)
            else:
                self.rows.part(place)[:] = codes_of_tree(self.rows, tree)
        self.leaf = self.drawn.tree.leaf_of(self.rows.codes)
        self.following = self._dates_after()
        codes = self._drawn_codes()
        values, missing = self._drawn_values(codes)
        codes, values, missing = self._as_told(codes, values, missing)
        if self.scale is not None:
            values = self._within_ends(codes, values)
            codes = self.atoms.encode(values, missing)
        return codes, values, missing

    @property
    def is_equal(self):
        """See the attributes; drawn before the column."""
        return np.any([*self._equals.values()], axis=0) if self._equals else None

    @property
    def ties_are_drawn(self):
        """Whether no other rows than those of `is_equal` are tied."""
        return any(own.beside is None for own in self._equals)

    def _drawn_equal(self, own, tree):
        """Whether each row is to be the column that it often equals."""
        rows, leaf, scale = self.rows, tree.leaf_of(self.rows.codes), self.scale
        # Of one that has not the digits of the other it cannot be that.
        other = own.numbers(rows.coding.names, rows.numbers)
        held = scale.to_numbers(scale.nearest(np.nan_to_num(other)), np.isnan(other))
        is_free = (held == other) & (self.lowest <= other) & (other <= self.highest)
        if own.beside is not None:
            # Where both are the same it would be the first, of which it is to be none.
            is_free &= other != self._numbers_of(rows.coding.names[own.beside])
            if self.ties_are_drawn:
                is_free &= ~self.is_equal
        of_rows = np.where(is_free, other, np.nan), leaf, tree.leaves
        return own.drawn(*of_rows, rows.rng, rows.is_balanced)

    @property
    def _is_to_differ(self):
        """Whether rows that are not drawn to equal another column are to differ.

        Numbers where that is drawn before, categories that others mostly tell, and
        those that stay in less than half of the rows: of those that mostly do few
        others are left in a leaf.
        """
        if self.drawn.equals is None or self.scale is not None:
            return self.is_equal is not None
        if self.drawn.told:
            return True
        leaves = self.drawn.tree.leaves
        of_all = slice(*leaves.indptr[-2:])
        rows, is_tied = leaves.rows[of_all], leaves.code[of_all] == self.atoms.n_parts
        return 2 * rows[is_tied].sum() < rows.sum()

    @property
    def other(self):
        """Codes of the column that it often equals, or what others mostly tell.

        The commonest one where they say nothing.
        """
        if not self.drawn.told:
            names = self.rows.coding.names
            return self.rows.codes[:, names.index(self.drawn.equals)]
        leaves = self.drawn.tree.leaves
        of_all = slice(*leaves.indptr[-2:])
        rows = leaves.rows[of_all] * (leaves.code[of_all] < self.atoms.n_parts)
        commonest = leaves.code[of_all][rows.argmax()]
        return np.where(self._said < 0, commonest, self._said)

    @property
    def is_said(self):
        """Rows of which others say something; None where no row is without."""
        if not self.drawn.told or (self._said >= 0).all():
            return None
        return self._said >= 0

    @cached_property
    def _said(self):
        """What others mostly tell, -1 where nothing."""
        return said_by(self.drawn.told, self.rows.codes)

    @cached_property
    def limits(self):
        """See the attributes; some are drawn, so that they are asked for once."""
        return limits_of_rows(self)

    @cached_property
    def tied_to(self):
        """Numbers that it often equals; None where it equals none."""
        if self.drawn.equals is None or self.scale is None:
            return None
        numbers = self._numbers_of(self.drawn.equals)
        for own, codes in self._equals.items():
            if own.beside is not None:
                other = self._numbers_of(own.of(self.rows.coding.names))
                numbers = np.where(codes > 0, other, numbers)
        return numbers

    def _numbers_of(self, other):
        """Numbers of another column as this one has them."""
        return numbers_of_tie(other, self.rows.numbers, self.rows.scales, self.scale)

    def _dates_after(self):
        """Dates of rows after others whose parts were drawn, None of other columns."""
        seasons = self.drawn.seasons
        has_parts = bool(self.date_parts) or bool(seasons)
        if self.base is None or not has_parts or self.waves is not None:
            return None
        calendar = self.drawn.calendar or calendar_of(self.atoms)
        calendar = calendar or Calendar(self.atoms.grains.finest)
        dates = self.scale.nearest(self.base)
        parts = {}
        for feature, codes in self.date_parts.items():
            if feature.since is not None:
                earlier, ruler = self._since(feature.since)
                codes = weekdays_after(earlier, codes, ruler)
                feature = replace(feature, since=None)
            parts[feature] = codes
        names = self.rows.coding.names
        given = {names[j] for j in self.rows.structure.given}
        is_next = given.issuperset(self.drawn.fit.parents)
        own = self.drawn.residuals, calendar, dates, parts, seasons, is_next
        return Following(*own)

    def _since(self, j):
        """Dates that are drawn, in the units of their ruler; 1970 of missing ones."""
        scale = self.rows.scales[self.rows.coding.names[j]]
        return scale.nearest(np.nan_to_num(self.rows.numbers_at(j))), scale.ruler

    def _drawn_codes(self):
        """Of categories those of the tied column, and of what others tell."""
        codes = drawn_codes(self)
        if self._is_to_differ:
            codes = differing(self, codes)
        if self.name in self.rows.taken and self.scale is None:
            codes = untaken(self, codes)
        if self.drawn.equals is not None and self.scale is None:
            codes = np.where(codes == self.atoms.n_parts, self.other, codes)
        return codes if self._telling is None else self._telling.told(codes)

    def _drawn_values(self, codes):
        """A value of each code, on what a fit says, or the one that others tell."""
        rows, drawn = self.rows, self.drawn
        values, missing = self.parts.draw(codes, rows.rng)
        if self.points is not None:
            told = self.leaf, self.points, rows.numbers_at, self.parts, rows.rng
            values = drawn.inside.ordered(values, codes, *told)
        if self._telling is not None and self.scale is not None:
            told = self._telling.numbers(codes)
            own = self.scale.nearest(np.nan_to_num(told))
            values = np.where(np.isnan(told), values, own)
        if drawn.is_unbound:
            first, last = rows.structure.ends_of(self.name)
            missing |= (self.base < first) | (self.base > last)
        if isinstance(drawn.fit, Cases):
            values[rows.is_told(drawn.fit)] = 0
        if self.base is not None:
            values = drawn.with_base(self.base, values, self.atoms, self.scale)
            values = self._on_calendar(values, codes)
            if drawn.grains is not None and self.waves is None:
                values = self._as_round(values, codes)
        elif self.date_parts and self.roundness is None:
            of_dates = self.atoms, values, codes, self.date_parts
            values = having_parts(*of_dates, rows.rng)
        elif self.days is not None:
            values = self.days.moved(drawn.calendar, values, codes, rows.rng)
        if self.tied_to is not None:
            tied = (codes == self.parts.n_parts) & ~np.isnan(self.tied_to)
            values[tied] = self.scale.nearest(self.tied_to[tied])
            missing[tied] = False
        return values, missing

    def _on_calendar(self, values, codes):
        """Dates that another nearly tells, moved inside the run of what is left."""
        rng, residuals = self.rows.rng, self.drawn.residuals
        if self.following is not None:
            return self.following.moved(values, codes, rng)
        calendar, scale = self.drawn.calendar, self.scale
        if calendar is None or self.waves is not None:
            return values
        values = values.copy()
        at = np.flatnonzero((codes >= 0) & (codes < len(residuals.lows)))
        low, high = (
            scale.ruler.snap(scale.nearest(self.base[at]) + ends[codes[at]])
            for ends in (residuals.lows, residuals.highs)
        )
        values[at] = calendar.rounded(values[at], low, high, values[:0], rng)
        return values

    def _as_round(self, values, codes):
        """Numbers that another nearly tells, as round as those of the column."""

        def with_left(left):
            return self.drawn.with_base(self.base, left, self.atoms, self.scale)

        grains = self.drawn.grains, self.atoms.grains.finest
        of_rows = *grains, values, codes, self.leaf
        leaves, rng = self.drawn.tree.leaves, self.rows.rng
        return rounded(*of_rows, leaves, self.drawn.residuals, with_left, rng)

    def _as_told(self, codes, values, missing):
        """Rows of a combination have the same value, in the order of what tells it."""
        telling, beside = self._telling, self.rows.beside
        agreed = self.rows.agreed
        if telling is None:
            return codes, values, missing
        if telling.lookup.rises:
            values = telling.in_order(values, missing)
            codes = self.atoms.encode(values, missing)
        like = telling.alike(codes)
        codes, values, missing = codes[like], values[like], missing[like]
        said = [] if beside is None else [telling.of(beside[0]).said_of(beside[1])]
        earlier = None if agreed is None else agreed.of(telling.lookup)
        for own in said if earlier is None else [*said, earlier]:
            codes, values, missing = telling.as_said(own, codes, values, missing)
        return codes, values, missing

    def _within_ends(self, codes, values):
        """Numbers that a row may have, in waves, round, and held by the dtype."""
        if self.base is None and self._telling is None:
            values = exchanged_within(self, values, codes)
        values = moved_inside(self, values, codes)
        values = self.scale.within(values, self.lowest, self.highest)
        if self.waves is not None:
            lowest, highest = (
                np.where(np.isfinite(end), self.scale.nearest(np.nan_to_num(end)), end)
                for end in (self.lowest, self.highest)
            )
            values = on_waves(self.waves, values, lowest, highest)
        if self.roundness is not None:
            own, ends = self.date_parts[self.roundness], (self.lowest, self.highest)
            values = self.roundness.rounded(values, codes, own, self.atoms, ends)
        low, high = held_by(self.rows.coding.schema.columns[self.drawn.column])
        return values if low is None else np.clip(values, low, high)
