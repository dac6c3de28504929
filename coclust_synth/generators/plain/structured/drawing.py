"""Rows drawn cell by cell, each from its leaf, within what the rules allow."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from coclust_synth.generators.plain.structured.dates.drawn_dates import (
    allowed_by_parts,
    both_allow,
    having_parts,
    left_on_calendar,
    limits_of,
    of_own_leaf,
)
from coclust_synth.generators.plain.structured.following import (
    Following,
    calendar_of,
    weekdays_after,
)
from coclust_synth.generators.plain.structured.leaves._kernels import exchanged
from coclust_synth.generators.plain.structured.leaves.balance import (
    balanced,
    expected_rows,
    without_ties,
)
from coclust_synth.generators.plain.structured.leaves.exchanging import (
    exchanged_in_leaves,
)
from coclust_synth.generators.plain.structured.roundness import Roundness
from coclust_synth.generators.plain.structured.telling import (
    Telling,
    differs_from_alike,
)
from coclust_synth.generators.plain.structured.told_later import (
    allowed_by_dependences,
    ranges_by_fits,
)
from coclust_synth.generators.plain.structured.waves import (
    left_on_waves,
    on_waves,
    waves_of,
)
from coclust_synth.generators.plain.trees._tree_kernels import (
    Limits,
    pick,
    pick_evenly,
    pick_within,
)
from coclust_synth.tables.draws.strata import dealt, strata
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.relations import Cases
from coclust_synth.tables.rules.compared.numbers import last_up_to, up_to
from coclust_synth.tables.rules.evidence import numbers_for
from coclust_synth.tables.values.columns import canonical_bounds, from_values

# A row that breaks a rule is drawn again so many times.
_TIMES_AGAIN = 10
# Values are int64; these dtypes hold fewer.
_SMALL_INTEGERS = re.compile(r"[uU]?[iI]nt(8|16|32)\b")


def draw_rows(structure, clusters, rng, conditions=()):
    """Draw a row for each individual of some clusters.

    Parameters
    ----------
    structure : Structure
    clusters : ndarray of int64, shape (n,)
    rng : numpy.random.Generator
    conditions : sequence of Comparison, SumComparison or SameText
        Rows that do not meet them are dropped, as soon as their columns are drawn.

    Returns
    -------
    DataFrame of n rows, or fewer under conditions
        In the order of `clusters`.
    """
    drawing = Drawing(structure, clusters, rng)
    drawing.fill(conditions)
    return pd.DataFrame({name: drawing.cells[name] for name in structure.coding.names})


class Drawing:
    """Rows of which some columns are drawn.

    Parameters
    ----------
    structure : Structure
    clusters : ndarray of int64, shape (n,)
    rng : numpy.random.Generator
    codes : ndarray of int32, shape (n, d), optional
        Of the columns that the structure is given; others are not read.
    numbers : dict of str to ndarray of float64, shape (n,), default={}
        Of the same, those of numbers and dates.
    between : dict of str to callable, default={}
        From the numbers drawn before a column to the lowest and the highest that each
        row may have of it, beside what rules leave.
    taken : dict of str to callable, default={}
        Of columns of categories, whether a row may not have a code that it was drawn,
        see `Seen`: it is exchanged with another of the leaf, as far as one can have it.

    Attributes
    ----------
    codes : ndarray of int32, shape (n, d + 1 + number of features and distances)
        The column after the d ones is the cluster; then come parts of dates and
        how round numbers are, and distances of dates.
    numbers : dict of str to ndarray of float64, shape (n,)
    cells : dict of str to Series
        What was drawn.
    is_balanced : bool
        Whether columns get the distribution of the table, see `balance`: all rows are
        there that were to be drawn.
    """

    def __init__(
        self,
        structure,
        clusters,
        rng,
        codes=None,
        numbers=None,
        between=None,
        taken=None,
    ):
        self.structure, self.rng, self.n = structure, rng, len(clusters)
        self.coding, self.scales = structure.coding, structure.scales
        d = len(self.coding.parts)
        n_codes = d + 1 + len(structure.features) + len(structure.distances)
        self.codes = np.zeros((self.n, n_codes), dtype=np.int32)
        if codes is not None:
            self.codes[:, :d] = codes
        self.codes[:, d] = clusters
        self.numbers, self.between = dict(numbers or {}), dict(between or {})
        self.taken = dict(taken or {})
        for j in structure.given:
            self._note_parts(j)
        self.seen, self.cells = list(structure.given), {}
        self.is_balanced = not structure.given
        self._beside: tuple[Drawing, np.ndarray] | None = None

    @property
    def clusters(self):
        """Of the rows."""
        return self.codes[:, len(self.coding.parts)]

    def fill(self, conditions=()):
        """Draw all columns; of rows that break a condition no further ones.

        Rows that values before them left nothing that no rule forbids are drawn again,
        or left out under conditions.
        """
        self._fill_all(conditions)
        if conditions:
            self._keep(~self._is_broken())
            return
        broken = np.flatnonzero(self._is_broken() | differs_from_alike(self))
        for _ in range(_TIMES_AGAIN):
            if len(broken):
                is_good = self.draw_again(broken)
                broken = broken[~is_good | differs_from_alike(self)[broken]]

    def _fill_all(self, conditions=()):
        for drawn in self.structure.columns:
            self._fill(drawn)
            name = self.coding.names[drawn.column]
            for condition in conditions:
                if name in condition.names and set(condition.names) <= set(self.cells):
                    self._keep(condition.holds(self.cells))

    def _is_broken(self):
        """Whether two values of a row never meet, or are in another order.

        Or what others tell is beyond a value that 20 have and nobody goes beyond. What
        was given cannot be mended.
        """
        rules, bins = self.structure.rules, self.structure.bins
        broken, given = np.zeros(self.n, dtype=bool), {*self.structure.given}
        for (one, two), allowed in rules.tables.items():
            if one < two and not {one, two} <= given:
                own = (bins[j][self.codes[:, j]] for j in (one, two))
                broken |= ~allowed[tuple(own)]
        given = {self.coding.names[j] for j in given}
        for order in rules.orders:
            if not {*order.columns} <= given:
                low, high = (self.numbers[name] for name in order.columns)
                scales = (self.scales[name] for name in order.columns)
                broken |= up_to(low, *scales) > high
        for name, (first, last) in self.structure.last_values.items():
            own = self.numbers[name]
            broken |= (own < first) | (own > last)
        return broken

    def draw_again(self, rows):
        """Draw others of the same clusters for some rows; whether they break no rule.

        Those that do not take the place of the rows.

        Parameters
        ----------
        rows : ndarray of int64, shape (m,)

        Returns
        -------
        ndarray of bool, shape (m,)
        """
        names = self.coding.names
        given = {names[j] for j in self.structure.given} & {*self.numbers}
        numbers = {name: self.numbers[name][rows] for name in given}
        codes = self.codes[rows, : len(names)]
        others = Drawing(
            self.structure, self.clusters[rows], self.rng, codes, numbers, self.between
        )
        others.is_balanced = False
        others._beside = self, np.delete(np.arange(self.n), rows)
        others._fill_all()
        is_good = ~others._is_broken()
        taken = np.arange(self.n)
        taken[rows[is_good]] = self.n + np.flatnonzero(is_good)
        self.codes = np.concatenate([self.codes, others.codes])[taken]
        for name, own in others.numbers.items():
            self.numbers[name] = np.concatenate([self.numbers[name], own])[taken]
        for name, own in others.cells.items():
            both = pd.concat([self.cells[name], own], ignore_index=True)
            self.cells[name] = both.take(taken).reset_index(drop=True)
        return is_good

    def _fill(self, drawn):
        """Draw one column."""
        j = drawn.column
        name, parts = self.coding.names[j], self.coding.parts[j]
        base = drawn.base(self._known_to(drawn.fit))
        lowest, highest = self._range(drawn)
        for place, tree in drawn.parts:
            self._of_part(place)[:] = self._evenly(tree, tree.leaf_of(self.codes))
        leaf = drawn.tree.leaf_of(self.codes)
        following = self._following(drawn, base)
        limited = partial(self._limits, drawn, base, lowest, highest, following, leaf)
        codes = self._codes(drawn, leaf, limited, following)
        if name in self.taken and name not in self.scales:
            codes = self._untaken(drawn, codes, leaf, limited())
        if drawn.equals is not None and drawn.equals not in self.numbers:
            codes = np.where(codes == parts.n_parts, self._other(drawn), codes)
        lookup = self.structure.rules.lookup(name)
        telling = None if lookup is None else Telling(self, lookup)
        if telling is not None:
            codes = telling.told(codes)
        values, missing = drawn.parts_of(parts).draw(codes, self.rng)
        if telling is not None and name in self.scales:
            told = telling.numbers(codes)
            own = self.scales[name].nearest(np.nan_to_num(told))
            values = np.where(np.isnan(told), values, own)
        if drawn.is_unbound:
            first, last = self.structure.ends_of(name)
            missing |= (base < first) | (base > last)
        if isinstance(drawn.fit, Cases):
            values[self._is_told(drawn)] = 0
        if base is not None:
            values = drawn.with_base(base, values, parts, self.scales[name])
            values = self._on_calendar(drawn, base, values, codes, following)
        elif drawn.parts and self._roundness(drawn) is None:
            values = having_parts(parts, values, codes, self._parts(drawn), self.rng)
        if drawn.equals in self.numbers:
            other = self._tied_to(drawn)
            tied = (codes == drawn.parts_of(parts).n_parts) & ~np.isnan(other)
            values[tied] = self.scales[name].nearest(other[tied])
            missing[tied] = False
        if telling is not None and lookup.rises:
            values = telling.in_order(values, missing)
            codes = parts.encode(values, missing)
        if telling is not None:
            like = telling.alike(codes)
            codes, values, missing = codes[like], values[like], missing[like]
            if self._beside is not None:
                drawn_so = codes, values, missing
                codes, values, missing = telling.as_beside(*self._beside, *drawn_so)
        if name in self.scales:
            if base is None and lookup is None:
                values = self._exchanged(drawn, values, codes, lowest, highest)
            values = self._inside(drawn, values, codes, base, lowest, highest)
            values = self.scales[name].within(values, lowest, highest)
            values = self._on_waves(drawn, values, lowest, highest)
            values = self._rounded(drawn, values, codes, lowest, highest)
            low, high = held_by(self.coding.schema.columns[j])
            values = values if low is None else np.clip(values, low, high)
            self.numbers[name] = self.scales[name].to_numbers(values, missing)
            codes = parts.encode(values, missing)
        self.codes[:, j] = codes
        self._note_parts(j)
        if name in self.scales:
            values = self._as_held(name, parts, values)
        self.cells[name] = from_values(values, missing, self.coding.schema.columns[j])
        self.seen.append(j)

    def _as_held(self, name, parts, values):
        """Values with the last digits of the table, equal to those that they equal.

        What an order compares has the digits of the column that was drawn first.
        """
        held = parts.as_held(values)
        for pair in self.structure.rules.bounds:
            for other in {*pair} - {name}:
                if name in pair and other in self.cells and held.dtype == np.float64:
                    equal = self.numbers[other] == self.numbers[name]
                    own = self.cells[other].to_numpy(np.float64, na_value=np.nan)
                    held = np.where(equal, own, held)
        return held

    def _of_part(self, place):
        """Codes of a part of a date, a view."""
        return self.codes[:, len(self.coding.parts) + 1 + place]

    def _note_parts(self, j):
        """Take down the parts and the distances of a column that trees ask for."""
        asked = (*self.structure.features, *self.structure.distances)
        for place, feature in enumerate(asked):
            if feature.column == j:
                own = feature.codes(self.coding.names, self.numbers, self.scales)
                self._of_part(place)[:] = own

    def _parts(self, drawn):
        """The parts of a column that were drawn before it, by feature."""
        return {
            self.structure.features[place]: self._of_part(place)
            for place, _ in drawn.parts
        }

    def _roundness(self, drawn):
        """How round numbers are, if it is drawn before them; None of other columns."""
        return next((f for f in self._parts(drawn) if isinstance(f, Roundness)), None)

    def _rounded(self, drawn, values, codes, lowest, highest):
        """Numbers that are as round as was drawn before them."""
        roundness = self._roundness(drawn)
        if roundness is None:
            return values
        atoms, own = self.coding.parts[drawn.column], self._parts(drawn)[roundness]
        return roundness.rounded(values, codes, own, atoms, (lowest, highest))

    def _by_parts(self, drawn):
        """Which codes have the parts that were drawn before a column."""
        own, atoms = self._parts(drawn), self.coding.parts[drawn.column]
        roundness = self._roundness(drawn)
        if roundness is None:
            return allowed_by_parts(atoms, own)
        return roundness.allowed(atoms), own[roundness].astype(np.int64)

    def _following(self, drawn, base):
        """Dates of rows after others whose parts were drawn, None of other columns."""
        if drawn.fit is None or not drawn.parts or self._waves(drawn) is not None:
            return None
        scale = self.scales[self.coding.names[drawn.column]]
        own = self.coding.parts[drawn.column]
        calendar = calendar_of(own) or Calendar(own.grains.finest)
        dates = scale.nearest(base)
        parts = {}
        for feature, codes in self._parts(drawn).items():
            if feature.since is not None:
                feature = replace(feature, since=None)
                codes = weekdays_after(dates, codes, scale.ruler)
            parts[feature] = codes
        return Following(drawn.residuals, calendar, dates, parts)

    def _on_calendar(self, drawn, base, values, codes, following):
        """Dates that another nearly tells, moved inside the run of what is left."""
        if following is not None:
            return following.moved(values, codes, self.rng)
        calendar = drawn.calendar
        if calendar is None or self._waves(drawn) is not None:
            return values
        scale = self.scales[self.coding.names[drawn.column]]
        residuals, values = drawn.residuals, values.copy()
        at = np.flatnonzero((codes >= 0) & (codes < len(residuals.lows)))
        low, high = (
            scale.ruler.snap(scale.nearest(base[at]) + ends[codes[at]])
            for ends in (residuals.lows, residuals.highs)
        )
        values[at] = calendar.rounded(values[at], low, high, values[:0], self.rng)
        return values

    def _waves(self, drawn):
        """The values of a column of waves, None of other columns."""
        return waves_of(drawn, self.coding.parts[drawn.column])

    def _on_waves(self, drawn, values, lowest, highest):
        """Values of a column of waves, moved to the nearest of these."""
        waves = self._waves(drawn)
        if waves is None:
            return values
        scale = self.scales[self.coding.names[drawn.column]]
        lowest, highest = (
            np.where(np.isfinite(end), scale.nearest(np.nan_to_num(end)), end)
            for end in (lowest, highest)
        )
        return on_waves(waves, values, lowest, highest)

    def _evenly(self, tree, leaf):
        """A code of its leaf for each row, without limits."""
        leaves = balanced(leaf, tree.leaves) if self.is_balanced else tree.leaves
        return pick_evenly(leaf, *dealt(leaf, self.rng), leaves)

    def _codes(self, drawn, leaf, limited, following):
        """A code of its leaf for each row, within limits.

        Where limits take codes from rows that others do not get back, these are drawn
        again, the codes that were missed from leaves where they are likelier. A date
        whose leaf holds none that has its parts is moved to one that is near; a row
        that has no code in reach of its cluster gets one that is not.
        """
        limits = limited()
        leaves = drawn.tree.leaves
        if self.is_balanced:
            leaves = balanced(leaf, leaves)
        elif drawn.expected is not None:
            leaves = balanced(leaf, leaves, wanted=self._wanted(drawn, leaf))
        if limits is None:
            return pick_evenly(leaf, *dealt(leaf, self.rng), leaves)
        points, order = strata(leaf, self.rng)
        only = of_own_leaf if drawn.parts else lambda leaves: leaves
        if following is None:
            codes = pick_within(leaf, points, order, only(leaves), limits)
        else:
            codes = following.picked(leaf, points, leaves, limits)
        if self.is_balanced:
            leaves = balanced(leaf, drawn.tree.leaves, codes)
            codes = pick_within(leaf, points, order, only(leaves), limits)
        lost = np.flatnonzero(codes < 0)
        is_reached = drawn.column in self.structure.reach
        if len(lost) and is_reached:
            limits = limited(in_reach=False)
        if limits is not None:
            rest, order = limits_of(limits, lost), np.argsort(leaf[lost], kind="stable")
            codes[lost] = pick_within(leaf[lost], points[lost], order, leaves, rest)
            lost = np.flatnonzero(codes < 0)
        codes[lost] = pick(leaf[lost], points[lost], leaves)
        return codes

    def _untaken(self, drawn, codes, leaf, limits):
        """Codes that rows may not have, exchanged with others of their leaf.

        Drawn again they would be others: fewer rows would have the commonest codes.
        """
        is_taken = self.taken[self.coding.names[drawn.column]]

        def may_have(rows, codes):
            own = codes
            if drawn.equals is not None:
                tied = codes == self.coding.parts[drawn.column].n_parts
                own = np.where(tied, self._other(drawn)[rows], codes)
            met = ~is_taken(self, rows, own)
            if limits is not None:
                met &= limits.allowed[rows, limits.group[codes]]
                met &= limits.later[limits.combination[rows], codes]
            return met

        return exchanged_in_leaves(codes, leaf, may_have, self.rng)

    def _wanted(self, drawn, leaf):
        """Rows that are to have each code, of rows after the first of a person."""
        tree, parts = drawn.expected, self.coding.parts[drawn.column]
        n_codes = drawn.parts_of(parts).n_parts
        wanted = expected_rows(tree.leaf_of(self.codes), tree.leaves, n_codes)
        if drawn.equals is None:
            return wanted
        other = self._other(drawn)
        if drawn.equals in self.numbers:
            scale = self.scales[self.coding.names[drawn.column]]
            numbers = self.numbers[drawn.equals]
            missing = np.isnan(numbers)
            other = scale.nearest(np.nan_to_num(numbers))
            if drawn.fit is not None:
                base = drawn.base(self._known_to(drawn.fit))
                other = scale.ruler.snap(other - scale.nearest(base))
            other = drawn.parts_of(parts).encode(other, missing)
        return without_ties(wanted, leaf, drawn.tree.leaves, np.maximum(other, 0))

    def _keep(self, met):
        """Go on with some of the rows."""
        self.n, self.codes, self.is_balanced = int(met.sum()), self.codes[met], False
        self.numbers = {name: own[met] for name, own in self.numbers.items()}
        self.cells = {
            name: own[met].reset_index(drop=True) for name, own in self.cells.items()
        }

    def _range(self, drawn):
        """Lowest and highest number that orders, sums and a loose fit leave each row.

        What others tell exactly is what they tell, in rows that have them: an order
        that few rows break would break the sum in as many.
        """
        name = self.coding.names[drawn.column]
        anything = np.broadcast_to(-np.inf, self.n), np.broadcast_to(np.inf, self.n)
        lowest, highest = anything
        is_told = None
        if drawn.fit is not None and not drawn.fit.about:
            is_told = self._is_told(drawn)
            if is_told.all() or drawn.fit.draws_factor:
                return anything
        for low, high in self.structure.rules.bounds:
            if name in (low, high):
                scales = self.scales[low], self.scales[high]
            if high == name and low in self.numbers:
                lowest = np.fmax(lowest, up_to(self.numbers[low], *scales))
            if low == name and high in self.numbers:
                highest = np.fmin(highest, last_up_to(self.numbers[high], *scales))
        rules, unbound = self.structure.rules, self.structure.unbound
        for first, last in ranges_by_fits(
            rules, unbound, name, self.numbers, self.structure.ends_of
        ):
            first, last = np.fmax(lowest, first), np.fmin(highest, last)
            lowest = np.where(first <= last, first, lowest)
            highest = np.where(first <= last, last, highest)
        if drawn.fit is not None:
            first, last = self.structure.ends_of(name)
            ends = np.minimum(first, highest), np.maximum(last, lowest)
            lowest, highest = np.fmax(lowest, ends[0]), np.fmin(highest, ends[1])
        if name in self.between:
            first, last = self.between[name](self.numbers)
            lowest = np.fmax(lowest, first)
            highest = np.fmax(np.fmin(highest, last), lowest)
        if is_told is None:
            return lowest, highest
        return np.where(is_told, -np.inf, lowest), np.where(is_told, np.inf, highest)

    def _known_to(self, fit):
        """Numbers that are drawn, and what else tells a column by a fit."""
        return numbers_for(fit, self.numbers, self.codes, self.coding)

    def _is_told(self, drawn):
        """Rows of which a fit says something."""
        return ~np.isnan(drawn.fit.predict(self._known_to(drawn.fit)))

    def _exchanged(self, drawn, values, codes, lowest, highest):
        """Values that a row may not have, changed with rows of their atom.

        So an atom keeps its law: what is cut off at its limits would be missed.
        """
        name = self.coding.names[drawn.column]
        numbers = values / self.scales[name].per_day
        if not ((numbers < lowest) | (numbers > highest)).any():
            return values
        n_atoms = len(self.coding.parts[drawn.column].lows)
        atom = np.where((codes >= 0) & (codes < n_atoms), codes, -1)
        order = np.argsort(atom, kind="stable")
        return values[exchanged(numbers, atom, order, lowest, highest)]

    def _inside(self, drawn, values, codes, base, lowest, highest):
        """Values that a row may not have, in what it may have of their atom.

        As far from one end to the other: the nearest that it may have would be that of
        many.
        """
        atoms = drawn.parts_of(self.coding.parts[drawn.column])
        scale = self.scales[self.coding.names[drawn.column]]
        if base is not None and drawn.fit.logarithms:
            return values
        numbers = values / scale.per_day
        beyond = (numbers < lowest) | (numbers > highest)
        at = np.flatnonzero(beyond & (codes >= 0) & (codes < len(atoms.lows)))
        shift = 0.0 if base is None else base[at]
        low = atoms.lows[codes[at]] / scale.per_day + shift
        high = atoms.highs[codes[at]] / scale.per_day + shift
        first, last = np.maximum(low, lowest[at]), np.minimum(high, highest[at])
        share = np.clip((numbers[at] - low) / np.maximum(high - low, 1e-300), 0, 1)
        moved = scale.nearest(first + share * (last - first))
        values[at] = np.where(first <= last, moved, values[at])
        return values

    def _limits(self, drawn, base, lowest, highest, following, leaf, in_reach=True):
        """The codes that each row may have, or None where any.

        Those in reach of its cluster, unless that is not asked for.
        """
        j, allowed, later = drawn.column, None, None
        if drawn.fit is None:
            allowed = self._allowed_bins(j, in_reach)
            later = allowed_by_dependences(self.structure, j, self.codes, self.seen)
        is_bound = np.isfinite(lowest).any() or np.isfinite(highest).any()
        calendar = drawn.calendar if following is None else None
        waves = self._waves(drawn)
        if drawn.parts and drawn.fit is None:
            by_parts = self._by_parts(drawn)
            later = by_parts if later is None else both_allow(later, by_parts)
        if following is None and not is_bound:
            if all(given is None for given in (allowed, later, calendar, waves)):
                return None
        name = self.coding.names[drawn.column]
        parts = drawn.parts_of(self.coding.parts[drawn.column])
        low, high = np.full(parts.n_parts, -np.inf), np.full(parts.n_parts, np.inf)
        if isinstance(parts, AtomParts):
            m = len(parts.lows)
            low[:m], high[:m] = parts.lows, parts.highs
            if waves is None and drawn.fit is not None and drawn.fit.about:
                # What is mostly beyond the ends of the column would gather there.
                low[:m] = high[:m] = parts.means
            if drawn.fit is None or not drawn.fit.logarithms:
                per_day = self.scales[name].per_day
                low, high = low / per_day, high / per_day
        if base is not None:
            if drawn.fit.logarithms:
                lowest, highest = (
                    np.log(np.maximum(end, 1e-300)) for end in (lowest, highest)
                )
            # A product with a factor of 0 is 0, whatever is left of it.
            lowest = np.where(base == -np.inf, -np.inf, lowest - base)
            highest = highest - base
        group = self.structure.bins[drawn.column]
        if allowed is None:
            group = np.zeros(parts.n_parts, dtype=np.int32)
            allowed = np.ones((self.n, 1), dtype=bool)
        if waves is not None:
            own, ruler = self.scales[name].nearest(base), self.scales[name].ruler
            group, allowed = left_on_waves(waves, own, parts, ruler)
        elif calendar is not None:
            scale = self.scales[name]
            leaves = leaf, drawn.tree.leaves
            group, allowed = left_on_calendar(
                calendar, scale, base, parts, *leaves, self.rng
            )
        if later is None:
            later = np.ones((1, parts.n_parts), bool), np.zeros(self.n, np.int64)
        later, combination = later
        if drawn.equals is not None:
            group = np.append(group, allowed.shape[1]).astype(np.int32)
            if drawn.equals in self.numbers:
                other = self._tied_to(drawn)
                first, last = drawn.tied or (low[:m].min(), high[:m].max())
                is_own = (other >= first) & (other <= last)
            else:
                other = self._other(drawn)
                is_own = allowed[np.arange(self.n), group[other]]
                is_own &= later[combination, other]
            allowed = np.column_stack([allowed, is_own])
            later = np.column_stack([later, np.ones(len(later), bool)])
            low, high = np.append(low, -np.inf), np.append(high, np.inf)
        ends = map(np.ascontiguousarray, (lowest, highest))
        return Limits(group, allowed, later, combination, low, high, *ends)

    def _allowed_bins(self, j, in_reach):
        """Bins of a column that each row may have, or None where all.

        Of a column that others tell, those that most rows of a combination may have.
        """
        allowed = self._allowed(j)
        if in_reach and j in self.structure.reach:
            reached = self.structure.reach[j][self.clusters]
            allowed = reached if allowed is None else _narrowed(allowed, reached)
        lookup = self.structure.rules.lookup(self.coding.names[j])
        if lookup is None or allowed is None:
            return allowed
        return Telling(self, lookup).allowed_alike(allowed)

    def _other(self, drawn):
        """Codes of the column that one often equals."""
        return self.codes[:, self.coding.names.index(drawn.equals)]

    def _tied_to(self, drawn):
        """Numbers of the column that one often equals."""
        scales = self.scales[drawn.equals], self.scales[self.coding.names[drawn.column]]
        return up_to(self.numbers[drawn.equals], *scales)

    def _allowed(self, j):
        """Bins of a column that each row may have, or None where all.

        Where there are none, as columns before it should not have met, those that met
        first are left out: rows of a person know the columns that stay, then others.
        """
        tables, allowed = self.structure.rules.tables, None
        for other in reversed(self.seen):
            if (other, j) in tables:
                own = self.structure.bins[other][self.codes[:, other]]
                of_rows = tables[other, j][own]
                if allowed is None:
                    allowed = np.ones_like(of_rows)
                allowed = _narrowed(allowed, of_rows)
        return allowed


def _narrowed(allowed, further):
    """What of the bins that rows may have is among further ones, or all if nothing."""
    both = allowed & further
    return np.where(both.any(axis=1)[:, None], both, allowed)


def held_by(column):
    """Lowest and highest value of a column: its bounds, and what its dtype can hold.

    Open ends of atoms, sums and orders go no further.

    Parameters
    ----------
    column : Column
        Of kind integer, real or datetime.

    Returns
    -------
    (low, high)
        Both None where there is no limit.
    """
    low, high = canonical_bounds(column) or (None, None)
    small = _SMALL_INTEGERS.match(column.dtype or "")
    if small:
        limits = np.iinfo(small.group().lower())
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
    return low, high
