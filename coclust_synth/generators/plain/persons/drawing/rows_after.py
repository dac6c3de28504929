"""How a row of a person is drawn after another."""

from functools import cached_property

from coclust_synth.generators.plain.persons.kept.known_before import (
    LEFT,
    RowsToCome,
    before,
    of_row_before,
    remembered,
)
from coclust_synth.generators.plain.persons.kept.person_times import (
    Times,
    constants_above,
)
from coclust_synth.generators.plain.structured.drawing.rows import Drawing
from coclust_synth.generators.plain.structured.waves import waves_of


class RowsAfter:
    """The rows after the first of persons, or of what has a key.

    Parameters
    ----------
    persons : PersonStructure
        `later` of which they are drawn from.
    """

    def __init__(self, persons):
        self.persons = persons

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
        times = self.times
        if times is None:
            return {}
        ended = None if earlier is None else before(times.since)
        return {times.column: times.between(n_rows, earlier, ended)}

    @cached_property
    def remembered(self):
        """Codes of the columns of which it is known how often a person had each."""
        if self.persons.later is None:
            return {}
        coding = self.persons.later.coding
        names = remembered(coding.names)
        return {n: coding.parts[coding.names.index(n)].n_parts for n in names}

    def goes_on(self, row, left):
        """Whether another row follows each of some rows, if so many are to come."""
        has_more = left > 0
        if self.times is not None:
            has_more &= self.times.goes_on(row.numbers)
        return has_more

    def draw(self, row, has_more, left, held, taken, rng):
        """The row after another, of the persons who have so many more."""
        to_come = RowsToCome(
            self.persons.later,
            row,
            has_more,
            left,
            held,
            self.persons.totals,
            self.persons.ordered_by,
            self._above,
        )
        between = self.between(LEFT, before(self.persons.ordered_by or ""))
        clusters = row.clusters[has_more]
        known = to_come.known()
        after = Drawing(self.persons.later, clusters, rng, *known, between, taken)
        for name in self.persons.constants:
            after.cells[name] = row.cells[name][has_more].reset_index(drop=True)
        after.fill()
        return after
