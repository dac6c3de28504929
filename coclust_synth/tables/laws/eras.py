"""Eras of dates: stretches of time with habits of their own.

Where shops opened on the first of a month until 1980, and on any day since, one
calendar of both would have some of the old ones on any day, and some of the new ones on
the first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from coclust_synth.tables.laws.calendars import CALENDAR_SIZES, Calendar, Era
from coclust_synth.tables.laws.days_of_runs import Cells
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.laws.learnt_calendars import (
    LEAST_SHARE,
    MAX_CHANCE,
    are_elsewhere,
    divisions,
    fitted,
    held_in_groups,
    individuals_in_groups,
)
from coclust_synth.tables.rows import ColumnCounts

# Places where an era may end, at most.
_MOST_ENDS = 1000
_NAMES = "weekdays", "days", "hours", "feasts"


def find_eras(
    calendar: Calendar,
    dates: NDArray[np.int64],
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    persons: NDArray[np.int64] | None,
    k: int,
) -> tuple[Era, ...]:
    """The eras of a column of dates.

    Time is parted where the weekdays, days of the month, hours or days of the year of
    the dates on both sides differ most from what one calendar says of both, if more
    than chance has it over all places and divisions of time (10⁻⁴), and by a twentieth
    of the rows of the smaller side; and so on with each side. The calendar of a side
    begins with that of both, and changes in what differs.

    Parameters
    ----------
    calendar : Calendar
        Of all dates, without eras.
    dates : ndarray of int64, shape (n,)
        On its ruler, increasing.
    ends : (ndarray of int64, ndarray of int64), shape (n,)
        Of the run of each date, both included; runs increase too.
    persons : ndarray of int64, shape (n,), or None
        Who has each; None where each date is of another individual.
    k : int
        Individuals of an era, at least.

    Returns
    -------
    tuple of Era
        Empty where habits do not change.
    """
    some = _Dates(dates, *ends, np.arange(len(dates)) if persons is None else persons)
    if some.n_individuals < 2 * k or some.cells(calendar.finest) is None:
        return ()
    eras = tuple(_parted(calendar, some, max(k, MIN_ROWS)))
    return eras if len(eras) > 1 else ()


@dataclass(frozen=True, eq=False)
class _Dates:
    """Some dates, the ends of their runs, and who has each: all of shape (n,)."""

    dates: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    who: np.ndarray

    @property
    def n_individuals(self):
        return len(np.unique(self.who))

    @property
    def excess(self):
        """How many rows chance moves at once: those of a date, or of a person."""
        alike = (np.unique(x, return_counts=True)[1] for x in (self.dates, self.who))
        return max(rows @ rows / rows.sum() for rows in alike)

    @property
    def counts(self):
        """Values, and the rows that have each; where each is first."""
        values, first, rows = np.unique(
            self.dates, return_index=True, return_counts=True
        )
        return ColumnCounts(values, rows), first

    def held_in_groups(self, ruler):
        """Groups of values of each division, and rows, as 20 individuals have them."""
        if self.n_individuals == len(self.dates):
            return held_in_groups(self.counts[0], ruler)
        individuals = individuals_in_groups(self.dates, self.who, ruler)
        return held_in_groups(self.counts[0], ruler, individuals)

    def cells(self, ruler):
        counts, first = self.counts
        return Cells.of(counts, self.lows[first], self.highs[first], ruler)

    def part(self, rows):
        return _Dates(
            *(own[rows] for own in (self.dates, self.lows, self.highs, self.who))
        )


def _parted(calendar: Calendar, some: _Dates, k: int) -> Iterator[Era]:
    """Eras of dates that a calendar tells, or begins with."""
    at = _end_of_era(calendar, some, k)
    sides = [] if at is None else [some.part(slice(at)), some.part(slice(at, None))]
    own = [_of_side(calendar, side) for side in sides]
    if any(own) and min(side.n_individuals for side in sides) >= k:
        for changed, side in zip(own, sides, strict=True):
            yield from _parted(changed or calendar, side, k)
    else:
        yield Era(int(some.lows[0]), some.n_individuals, calendar)


def _of_side(calendar, side):
    """The calendar of dates on one side, None where that of both tells them."""
    finest, alike, told = calendar.finest, side.excess, {}
    cells = side.cells(finest)
    weights = [getattr(calendar, name) for name in _NAMES]
    of_all = zip(
        side.held_in_groups(finest),
        divisions(side.dates, finest),
        cells.expected(weights),
        strict=True,
    )
    for division, ((groups, has), of, drawn) in enumerate(of_all):
        if are_elsewhere(groups, has / alike, drawn / alike, 1.0):
            n_rest = len(np.unique(side.who[groups[of] == 0]))
            told[division] = groups, _as_many_or_none(groups, has, n_rest)
    if not told:
        return None
    return replace(
        calendar, **dict(zip(_NAMES, fitted(told, cells, weights), strict=True))
    )


def _as_many_or_none(groups, has, n_rest):
    """Rows, those of the first group being `MIN_ROWS` or none where fewer have them.

    Whichever is nearer: who are fewer would be lost again in each era.
    """
    if n_rest >= MIN_ROWS:
        return has
    rest = MIN_ROWS if n_rest >= MIN_ROWS / 2 else 0
    is_rest = groups == 0
    return np.where(is_rest, has * (rest / max(has[is_rest].sum(), 1)), has)


def _end_of_era(calendar, some, k):
    """How many dates are before the place where habits change most, or None."""
    cells = some.cells(calendar.finest)
    # Runs of k individuals and more, of which some are one block.
    _, first, run = np.unique(some.lows, return_index=True, return_inverse=True)
    size = max(k, len(run) // _MOST_ENDS)
    blocks = np.unique(first // size, return_inverse=True)[1]
    n_before = np.searchsorted(blocks[run], np.arange(1, blocks[-1] + 1))
    if not len(n_before):
        return None
    drawn = cells.expected_in(blocks, [getattr(calendar, name) for name in _NAMES])
    held = _held_in(blocks[run], some.dates, calendar.finest)
    best, at = 0.0, None
    smaller = np.minimum(n_before, len(run) - n_before) / some.excess
    n_tests = len(CALENDAR_SIZES) * len(n_before)
    of_all = some.held_in_groups(calendar.finest)
    for (groups, _), had, told in zip(of_all, held, drawn, strict=True):
        # As many as are there by themselves: chance moves all of a date, or a person.
        own = np.eye(int(groups.max()) + 1)[groups] / some.excess
        had, told = had @ own, told @ own
        far = told.sum(axis=0)
        had *= far > 0  # What few have, so that the calendar has none, parts no eras.
        total = had.sum(axis=0)
        told *= total / np.maximum(far, 1e-9)
        before = np.cumsum(told, axis=0)[:-1]
        apart = np.cumsum(had, axis=0)[:-1] - before
        after = np.maximum(total - before, 1)
        distance = (apart**2 * (1 / np.maximum(before, 1) + 1 / after)).sum(axis=1)
        freedom = max(int((total > 0).sum()) - 1, 1)
        is_changed = chdtrc(freedom, distance) * n_tests < MAX_CHANCE
        is_changed &= np.abs(apart).sum(axis=1) / 2 >= LEAST_SHARE * smaller
        # By Fisher's normal score: chances are too small to compare.
        score = np.where(is_changed, np.sqrt(2 * distance) - np.sqrt(2 * freedom), 0)
        if score.max() > best:
            best, at = score.max(), int(n_before[score.argmax()])
    return at


def _held_in(block, dates, ruler):
    """Rows of each block that fall on each weekday, day of the month, ..."""
    n_blocks = int(block[-1]) + 1
    of_all = divisions(dates, ruler)
    for of, size in zip(of_all, CALENDAR_SIZES, strict=True):
        yield np.bincount(block * size + of, minlength=n_blocks * size).reshape(
            -1, size
        )
