"""Rows of persons, drawn one after the other, and what is told once all are drawn.

Told in the end are the numbers of rows that count them, totals, and what these tell.
"""

from functools import cached_property

import numpy as np
import pandas as pd

from coclust_synth.generators.plain.persons.kept.person_once import Seen
from coclust_synth.generators.plain.persons.kept.person_totals import with_rest
from coclust_synth.generators.plain.persons.known.key_rows import (
    KEY_ROWS,
    ROWS_OF_KEYS,
    LastOfKeys,
    key_rows_between,
)
from coclust_synth.generators.plain.persons.known.known_before import (
    COUNT,
    LEFT,
    RowsToCome,
    before,
    of_row_before,
    remembered,
)
from coclust_synth.generators.plain.persons.known.person_times import (
    Times,
    constants_above,
)
from coclust_synth.generators.plain.structured.agreed import Agreed
from coclust_synth.generators.plain.structured.drawing.rows import Drawing
from coclust_synth.generators.plain.structured.waves import waves_of
from coclust_synth.tables.relations import Cases, DayOf
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.series import from_values


def draw_persons(persons, clusters, rng, agreed=None):
    """Draw all rows of a person for each of some clusters.

    Parameters
    ----------
    persons : PersonStructure
    clusters : ndarray of int64, shape (n,)
    rng : numpy.random.Generator
    agreed : Agreed, optional
        Of persons who are drawn; those of these rows are put to it.

    Returns
    -------
    DataFrame
        Nobody is named in it.
    ndarray of int64
        Whose each row is, in order, from 0.
    """
    agreed = Agreed() if agreed is None else agreed
    n, after = len(clusters), _RowsAfter(persons, agreed)
    of_key = None if persons.within is None else _RowsAfter(persons.within, agreed)
    between = after.between(COUNT)
    row = Drawing(persons.first, clusters, rng, between=between, agreed=agreed)
    row.fill()
    person = np.arange(n)
    n_rows = row.numbers[COUNT] if persons.later is not None else np.ones(n)
    drawn, whose, sums = [], [], np.zeros((len(persons.totals), n))
    n_codes = after.remembered | (of_key.remembered if of_key is not None else {})
    held = {name: np.zeros((n, size), int) for name, size in n_codes.items()}
    seen, n_drawn = Seen(persons.once, n), 0
    while True:
        n_drawn += 1
        seen.draw_others(row, person)
        agreed.take_down(row)
        last = LastOfKeys(row) if persons.is_after_last else row
        for own, place in _with_rows_of_key(row, of_key, held, person, rng):
            for so_far, total in zip(sums, persons.totals, strict=True):
                if own is row or total.source in persons.names:
                    so_far[person[place]] += total.of_rows(own)
            if own is row or persons.is_after_last:
                for name, counts in held.items():
                    codes = own.codes[:, own.coding.names.index(name)]
                    counts[person[place], codes] += 1
            if own is not row and persons.is_after_last:
                last.go_on(own, place)
            drawn.append((n_drawn, own.n, own.held))
            whose.append(person[place])
        has_more = after.goes_on(last, n_rows[person] - n_drawn)
        if not has_more.any():
            break
        person = person[has_more]
        left = n_rows[person] - n_drawn
        before_row = {name: held[name][person] for name in after.remembered}
        earlier = n_drawn, before_row, seen.taken(person)
        row = after.draw(row, last, has_more, left, *earlier, rng)
    whose = np.concatenate(whose)
    order = np.argsort(whose, kind="stable")
    frame, whose = _in_order(persons, drawn, order), whose[order]
    return _with_told_in_the_end(persons, frame, whose, sums), whose


def _in_order(persons, drawn, order):
    """The rows that were drawn, those of a person one after the other.

    Parameters
    ----------
    persons : PersonStructure
    drawn : list of (int, int, dict)
        Of rows drawn together, which key of the persons they are of, how many they are,
        and what they hold, see `Drawing`.
    order : ndarray of int64, shape (n,)

    Returns
    -------
    DataFrame of n rows
    """
    cells = {}
    for name in persons.names:
        held = zip(*(held[name] for _, _, held in drawn), strict=True)
        held = (np.concatenate(own)[order] for own in held)
        cells[name] = from_values(*held, persons.schema[name])
    frame = pd.DataFrame(cells)
    if persons.within is not None and persons.nested:
        numbers = [np.full(n, number) for number, n, _ in drawn]
        frame[persons.nested[0].column] = np.concatenate(numbers)[order]
    return frame


def _with_rows_of_key(row, of_key, held, person, rng):
    """Some rows, and those after them that have the same key, if such are drawn.

    Each with the places of its rows among those of the first one. In `held` it is
    counted, when the next are drawn, how many rows of each person have each code.
    """
    place, n_drawn = np.arange(row.n), 1
    seen = Seen(() if of_key is None else of_key.persons.once, row.n)
    while True:
        seen.draw_others(row, place)
        if n_drawn > 1:
            of_key.agreed.take_down(row)
        yield row, place
        if of_key is None:
            return
        left = row.numbers[KEY_ROWS] - n_drawn
        has_more = of_key.goes_on(row, left)
        if not has_more.any():
            return
        place = place[has_more]
        own = {name: held[name][person[place]] for name in of_key.remembered}
        earlier = n_drawn, own, seen.taken(place)
        row = of_key.draw(row, row, has_more, left[has_more], *earlier, rng)
        n_drawn += 1


class _RowsAfter:
    """The rows after the first of persons, or of what has a key.

    Parameters
    ----------
    persons : PersonStructure
        `later` of which they are drawn from.
    agreed : Agreed
        What combinations have in the rows before.
    """

    def __init__(self, persons, agreed):
        self.persons, self.agreed = persons, agreed

    @cached_property
    def times(self):
        """When rows come, None where they are in no order, or several on a wave."""
        if self.persons.later is None or self.persons.ordered_by is None:
            return None
        name, later = self.persons.ordered_by, self.persons.later
        j, scale = later.coding.names.index(name), later.scales[name]
        drawn = next(own for own in later.columns if own.column == j)
        values = waves_of(drawn, later.coding.parts[j])
        if values is None:
            values = later.coding.parts[j].highs.max(keepdims=True)
        elif not self.persons.is_once:
            return None
        since = drawn.fit.parents[0]
        # A row may begin before the end of the last one, if no order says otherwise.
        is_after = (since, name) in {order.columns for order in later.rules.orders}
        return Times(
            name,
            of_row_before(since) if is_after else name,
            self._above,
            values / scale.per_day,
            scale.ruler.step / scale.per_day * self.persons.is_once,
            self.persons.most_rooms,
        )

    @cached_property
    def _above(self):
        """What stays and is above what rows are in the order of."""
        return constants_above(
            self.persons.rules, self.persons.ordered_by, self.persons.constants
        )

    def between(self, n_rows, earlier=None):
        """From when to when rows of persons come, who have so many, by column."""
        times, found, first = self.times, {}, self.persons.first
        if ROWS_OF_KEYS in self.persons.totals:
            keys = first.ends_of(COUNT)[1] if n_rows == COUNT else None
            found = key_rows_between(n_rows, *first.ends_of(KEY_ROWS), keys)
        if times is not None:
            ended = None if earlier is None else before(times.since)
            found = found | {times.column: times.between(n_rows, earlier, ended)}
        for own in self._summaries:
            of_source = first.scales[own.source], first.ends_of(own.source)
            others = [each for each in self._summaries if own.is_other_end(each)]
            ends = own.between(n_rows, *of_source, others)
            found[own.source] = _in_both(found.get(own.source), ends)
        return found

    @property
    def _summaries(self):
        """Those of numbers, for which rows are drawn: not where it is key by key."""
        scales = self.persons.first.scales
        if KEY_ROWS in scales:
            return []
        return [own for own in self.persons.summaries if own.source in scales]

    @cached_property
    def remembered(self):
        """Codes of the columns of which it is known how often a person had each."""
        if self.persons.later is None:
            return {}
        coding = self.persons.later.coding
        names = remembered(coding.names)
        return {n: coding.parts[coding.names.index(n)].n_parts for n in names}

    @cached_property
    def _goes_on_from(self):
        """By column, whether its codes tell the next row, where a lag says so.

        Of a death nobody goes on, also where how many rows come was drawn before.
        """
        later, found = self.persons.later, {}
        for own in () if later is None else later.rules.lookups:
            base = of_row_before(own.columns[0])
            if own.columns == (before(base),) and base not in later.scales:
                parts = later.coding.parts[later.coding.names.index(base)]
                goes_on = np.isin(np.arange(parts.n_parts), own.keys)
                goes_on[len(parts.seen) :] = True
                found[base] = found.get(base, False) | goes_on
        return found

    def goes_on(self, row, left):
        """Whether another row follows each of some rows, if so many are to come."""
        has_more = left > 0
        for name, goes_on in self._goes_on_from.items():
            has_more &= goes_on[row.codes[:, row.coding.names.index(name)]]
        if self.times is not None:
            has_more &= self.times.goes_on(row.numbers)
        return has_more

    def draw(self, row, row_before, has_more, left, n_drawn, held, taken, rng):
        """The row after another, of the persons who have so many more."""
        to_come = RowsToCome(
            self.persons.later,
            row,
            row_before,
            has_more,
            n_drawn,
            left,
            held,
            self.persons.totals,
            self.persons.summaries,
            self.persons.ordered_by,
            self._above,
        )
        between = self.between(LEFT, before(self.persons.ordered_by or ""))
        known, later = to_come.known(), self.persons.later
        # Leaves are of persons of other clusters too: of some nobody has such rows, and
        # those after the last one that has are not known.
        clusters = np.minimum(row.clusters[has_more], len(later.cluster_rows) - 1)
        after = Drawing(later, clusters, rng, *known, between, taken, self.agreed)
        for name in self.persons.constants:
            after.held[name] = tuple(own[has_more] for own in row.held[name])
        after.fill()
        return after


def _in_both(some, ends):
    """Ends within others, see `Drawing`; these alone where there are no others."""

    def of_both(numbers):
        (low, high), (first, last) = some(numbers), ends(numbers)
        return np.clip(low, first, last), np.clip(high, first, last)

    return ends if some is None else of_both


def _with_told_in_the_end(persons, frame, whose, sums):
    """Rows with what is told of all rows of a person together.

    Parameters
    ----------
    persons : PersonStructure
    frame : DataFrame of n rows
        Those of a person one after the other; changed in place.
    whose : ndarray of int64, shape (n,)
    sums : ndarray of float64, shape (n_totals, n_persons)
        Of what was drawn.

    Returns
    -------
    DataFrame of n rows
    """
    frame = _with_row_numbers(persons, frame, whose)
    for key in persons.nested:
        frame = key.held(frame, whose)
    return _with_totals(persons, frame, whose, sums)


def _with_row_numbers(persons, frame, whose):
    """Rows with the numbers of those that were drawn, as far as there are such.

    What has more rows is cut where it is a claim, a stay: another one begins.
    """
    nested = {own.column: own for own in persons.nested}
    for own in persons.row_numbers:
        of_rows = frame, whose, persons.schema, persons.first.scales
        ends, numbers = persons.first.ends_of(own.target), own.in_rows(*of_rows)
        first, last = ends if own.added is not None else ends.astype(np.int64)
        if own.source in nested and own.added is None:
            part, numbers = np.divmod(numbers - first, last - first + 1)
            numbers += first
            parts = pd.MultiIndex.from_arrays([whose, frame[own.source], part])
            codes, _ = pd.factorize(parts)
            key = nested[own.source]
            frame = key.numbered(frame.assign(**{own.source: codes}), whose)
        numbers = np.clip(numbers, first, last)
        if own.added is not None:
            numbers = persons.first.scales[own.target].nearest(numbers)
        present = np.zeros(len(frame), dtype=bool)
        frame[own.target] = from_values(numbers, present, persons.schema[own.target])
    return frame


def _with_totals(persons, frame, whose, sums):
    """Rows with the totals of what was drawn, and what these tell exactly.

    So is what is told from columns that nested keys hold. What no row got of a sum
    is added to the last one that adds to it; where rows are drawn key by key, what is
    beyond the ends of the total. Counts are right there, within public bounds.
    """
    held = {name for own in persons.nested for name in own.constants}
    totals = zip(sums, persons.totals, strict=True)
    totals = [(own, of) for own, of in totals if of.target in persons.names]
    changed = {total.target for _, total in totals}
    changed |= held & {*persons.first.scales}
    changed |= {own.target for own in persons.row_numbers if own.added is not None}
    if not changed and not persons.summaries:
        return frame
    scales, numbers = persons.first.scales, {}
    for name in (name for name in persons.names if name in scales):
        own = to_values(frame[name], persons.schema[name])
        numbers[name] = scales[name].to_numbers(*own)
    for own, total in totals:
        by_key = persons.within is not None
        lowest, highest = persons.first.ends_of(total.target)
        if not total.is_count:
            x = numbers[total.source]
            own = np.bincount(whose, x) if total.source in held else own
            ends = persons.first.ends_of(total.source)
            wanted = np.clip(own, lowest, highest)[whose]
            wanted = wanted if by_key else numbers[total.target]
            numbers[total.source] = with_rest(x, wanted - own[whose], whose, ends)
            own = np.bincount(whose, numbers[total.source])
            changed.add(total.source)
        if by_key and total.is_count:
            lowest, highest = persons.schema[total.target].bounds or (0, np.inf)
        numbers[total.target] = np.clip(own, lowest, highest)[whose]
    changed |= _sum_up(persons, frame, whose, numbers)
    in_order = (persons.first.coding.names[own.column] for own in persons.first.columns)
    for name in in_order:
        fit = persons.first.rules.fits.get(name)
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
        frame[name] = from_values(values, missing, persons.schema[name])
    return frame


def _sum_up(persons, frame, whose, numbers):
    """Tell what sums up the rows of persons anew: in numbers, or in a frame of rows.

    Returns
    -------
    set of str
        Of which numbers changed.
    """
    first = np.flatnonzero(np.diff(whose, prepend=-1))
    n_rows, changed = np.diff(first, append=len(whose)), set()
    for own in persons.summaries:
        if own.source in numbers:
            told = own.of_persons(numbers[own.source], first)
            numbers[own.target] = np.repeat(told, n_rows)
            changed.add(own.target)
        else:
            last = np.append(first[1:], len(whose)) - 1
            _agree_in_the_end(persons, own, frame, last, n_rows)
    return changed


def _agree_in_the_end(persons, summary, frame, last, n_rows):
    """Make a category that of the last row of each person, in a frame of rows.

    It is told from that row; where a rule is about it and other columns, as where only
    who died has a date of death, the row gets it. If rules are about both, none does.
    """
    target, source = frame[summary.target], frame[summary.source]
    about = [{*relation.columns} for relation in persons.rules.relations]
    if not any({summary.target} < columns for columns in about):
        told = pd.Series(np.repeat(source.to_numpy(object)[last], n_rows), frame.index)
        # Nobody whom the table holds may have ended so.
        may = told.isin(persons.schema[summary.target].categories)
        told = told.where(may, target).astype(target.dtype)
        frame[summary.target] = told
        return
    if {summary.source, summary.target, LEFT} >= _about(persons, summary.source):
        source = source.astype(object)
        source.iloc[last] = target.to_numpy(object)[last]
        frame[summary.source] = source.astype(frame[summary.source].dtype)


def _about(persons, name):
    """What rules of rows, and numbers of rows and of persons, have to do with a column.

    With itself, where it stays in rows of a key.
    """
    of_rows = [own for own in (persons.later, persons.within) if own is not None]
    rules = [persons.rules, *(own.rules for own in of_rows)]
    about = [{*own.columns} for each in rules for own in each.relations]
    counts = *persons.totals, *persons.row_numbers
    about += [{own.source, own.target} for own in counts]
    of_keys = (*persons.nested, *of_rows[1:])
    about += [{held, before(held)} for own in of_keys for held in own.constants]
    return set().union(*(own for own in about if name in own))


def _is_by_category(fit, numbers):
    """Whether a column that is no number says how a fit tells another."""
    return isinstance(fit, Cases) and fit.by not in numbers


def _is_told_by(fit, changed):
    """Whether columns that changed tell another exactly, and with columns alone.

    Numbers of persons, as when somebody was born, are not in the rows any more.
    """
    is_exact = not (fit.draws_factor or fit.is_loose)
    of_table = not any("\0" in name for name in fit.parents)
    is_new = fit.target not in changed and not changed.isdisjoint(fit.parents)
    return is_exact and of_table and is_new
