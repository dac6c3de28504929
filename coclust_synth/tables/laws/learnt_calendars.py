"""Calendars of dates as a table has them, see `Calendar`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import (
    CALENDAR_SIZES,
    Calendar,
    day_categories,
    units_a_day,
)
from coclust_synth.tables.laws.days_of_runs import Cells
from coclust_synth.tables.laws.grains import shares_of_steps
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.rows import ColumnCounts

_HOURS = 24
#: Weights of all divisions, one day as likely as another.
FLAT = tuple(np.ones(size) for size in CALENDAR_SIZES)
#: A division of time is told where it takes this share of the rows elsewhere, and
#: chance would take as many once in ten thousand columns.
LEAST_SHARE, MAX_CHANCE = 0.05, 1e-4
_N_FITTINGS = 20
# Place of the hours among the divisions of time.
_OF_HOURS = 2
_DECIMALS = 3
# Minutes, 5, 15 and 30 of them, and hours.
_TIMES_A_DAY = (1440, 288, 96, 48, 24)


def learn_calendar(
    counts: ColumnCounts,
    lows: np.ndarray,
    highs: np.ndarray,
    ruler: SteppedRuler,
    individuals: Sequence[NDArray[np.int64]] | None = None,
) -> Calendar | None:
    """The calendar of dates that lie in runs.

    Weights of the divisions of time are fitted in turn, so that on average as many rows
    of each run are drawn on each weekday, day of the month, hour and day of the year as
    the table has (iterative proportional fitting), values being spread evenly but for
    them.

    Parameters
    ----------
    counts : ColumnCounts
        Values on the ruler, and the individuals who hold each.
    lows, highs : ndarray of int64, shape (m,)
        Ends of the run of each value, both included.
    ruler : SteppedRuler
        Of dates.
    individuals : sequence of ndarray of int64, optional
        See `held_in_groups`.

    Returns
    -------
    Calendar or None
        None where dates fall on any day, at any hour.

    Examples
    --------
    >>> days = np.array([day for day in range(2000) if (day + 3) % 7 < 5])
    >>> counts = ColumnCounts(days, np.full(len(days), 4))
    >>> start = days // 50 * 50
    >>> calendar = learn_calendar(counts, start, start + 49, SteppedRuler(1, unit="D"))
    >>> calendar.weekdays.tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    """
    cells = Cells.of(counts, lows, highs, ruler)
    if cells is None:
        return None
    excess = (counts.counts @ counts.counts) / counts.counts.sum()
    flat = cells.expected(FLAT)
    told = {}
    held = held_in_groups(counts, ruler, individuals)
    for k, (groups, has) in enumerate(held):
        if are_elsewhere(groups, has, flat[k], excess):
            told[k] = groups, has
    steps, shares = _round_times(counts, ruler)
    if not told and not steps:
        return None
    of_week, of_month, of_day, of_year = fitted(told, cells)
    return Calendar(ruler, of_week, of_month, of_day, of_year, steps, shares)


def calendar_beside(
    calendar: Calendar,
    counts: ColumnCounts,
    rows: NDArray[np.int64],
    dates: NDArray[np.int64],
) -> Calendar:
    """What is left for a calendar to say of dates that another nearly tells.

    Where all mails leave at nine, most are opened in the hours after, and no calendar
    needs to say so: its weights are how many times as many rows the table has as would
    be drawn without, of each division in turn. Once: a row has few dates to choose
    from, and all that differs by chance would be laid on these.

    Parameters
    ----------
    calendar : Calendar
        Of the dates: what it does not tell is not told here.
    counts : ColumnCounts
        Values on its ruler, and the rows that hold each.
    rows : ndarray of int64, shape (m,)
        Of the table, several dates each.
    dates : ndarray of int64, shape (m,)
        That each row would be drawn, one as likely as another.

    Returns
    -------
    Calendar
    """
    own = calendar.weekdays, calendar.days, calendar.hours, calendar.feasts
    told = {
        k: held
        for k, held in enumerate(held_in_groups(counts, calendar.finest))
        if np.ptp(own[k]) > 0
    }
    cells = _Draws.of_dates(rows, dates, calendar.finest)
    of_week, of_month, hours, of_year = fitted(told, cells, n_fittings=1)
    calendar = replace(calendar, weekdays=of_week, days=of_month, eras=())
    return replace(calendar, hours=hours, feasts=of_year)


def held_in_groups(
    counts: ColumnCounts,
    ruler: SteppedRuler,
    individuals: Sequence[NDArray[np.int64]] | None = None,
) -> Iterator[tuple[NDArray[np.int64], NDArray[Any]]]:
    """Rows of each weekday, day of the month, hour and day of the year, in groups.

    Those that fewer than `MIN_ROWS` have are one group, the first; so are all hours of
    dates without a time.

    Parameters
    ----------
    counts : ColumnCounts
        Values on the ruler, and the rows that hold each.
    ruler : SteppedRuler
        Of dates.
    individuals : sequence of ndarray of int64, optional
        Who have each value of each division; by default each row is another one's.

    Yields
    ------
    groups, has : ndarray of shape (size,)
        Of the values of each division.
    """
    has_times = ruler.step < units_a_day(ruler)
    of_all = divisions(counts.values, ruler)
    for i, (of, size) in enumerate(zip(of_all, CALENDAR_SIZES, strict=True)):
        has = np.bincount(of, counts.counts, minlength=size)
        is_told = (has if individuals is None else individuals[i]) >= MIN_ROWS
        is_told = is_told & (i != _OF_HOURS or has_times)
        yield np.where(is_told, 1 + np.arange(size), 0), has


def individuals_in_groups(
    dates: NDArray[np.int64], who: NDArray[np.int64], ruler: SteppedRuler
) -> list[NDArray[np.int64]]:
    """How many have each weekday, day of the month, hour and day of the year.

    Parameters
    ----------
    dates, who : ndarray of int64, shape (n,)
        On the ruler; whose each is, from 0.
    ruler : SteppedRuler
        Of dates.

    Returns
    -------
    list of ndarray of int64, shape (size,)
        Of the values of each division.
    """
    n_who = int(who.max(initial=0)) + 1
    sized = zip(divisions(dates, ruler), CALENDAR_SIZES, strict=True)
    return [
        np.bincount(np.unique(of * n_who + who) // n_who, minlength=size)
        for of, size in sized
    ]


def divisions(
    values: NDArray[np.int64], ruler: SteppedRuler
) -> tuple[NDArray[np.int64], ...]:
    """Weekday, day of the month, hour and day of the year of dates on a ruler."""
    unit = units_a_day(ruler)
    of_week, of_month, of_year = day_categories(values // unit)
    return of_week, of_month, values % unit * _HOURS // unit, of_year


def fitted(
    told: Mapping[int, tuple[NDArray[np.int64], NDArray[Any]]],
    cells: "Cells | _Draws",
    weights: Sequence[NDArray[np.float64]] = FLAT,
    n_fittings: int = _N_FITTINGS,
) -> list[NDArray[np.float64]]:
    """Weights with which cells are expected to have as many rows as the table.

    Parameters
    ----------
    told : mapping of int to (ndarray, ndarray)
        Of divisions, their groups and rows, see `held_in_groups`; others stay.
    cells : Cells
    weights : sequence of ndarray, default=FLAT
        Of all divisions, that are begun with.
    n_fittings : int, default=20

    Returns
    -------
    list of ndarray of float64
    """
    weights = list(weights)
    for _ in range(n_fittings):
        for k, (groups, has) in told.items():
            held = np.bincount(groups, has)
            held[0] = 0 if held[0] < MIN_ROWS else held[0]
            drawn = np.bincount(groups, cells.expected(weights)[k])
            weights[k] = weights[k] * (held / np.maximum(drawn, 1e-9))[groups]
            weights[k] = np.minimum(weights[k] / weights[k].max(), 1.0)
    return [np.round(own, _DECIMALS) for own in weights]


def _round_times(counts, ruler):
    """Steps that times are rounded to, and the share of each."""
    unit = units_a_day(ruler)
    steps = [
        Fraction(unit, times)
        for times in _TIMES_A_DAY
        if unit % times == 0 and unit // times > ruler.step
    ]
    kept, shares = shares_of_steps(counts, steps, ruler)
    return tuple(map(int, kept)), shares


@dataclass(frozen=True, eq=False)
class _Draws:
    """Dates that rows would be drawn.

    rows : (m,) of each date, from 0. of : (4, m) weekday, day of the month, hour and
    day of the year.
    """

    rows: np.ndarray
    of: np.ndarray

    @classmethod
    def of_dates(cls, rows, dates, ruler):
        unit = units_a_day(ruler)
        of_week, of_month, of_year = day_categories(dates // unit)
        hours = dates % unit * _HOURS // unit
        rows = np.unique(rows, return_inverse=True)[1]
        return cls(rows, np.stack([of_week, of_month, hours, of_year]))

    def expected(self, weights):
        """Rows of each weekday, day of the month, hour and day of the year."""
        mass = np.ones(len(self.rows))
        for own, of in zip(weights, self.of, strict=True):
            mass *= own[of]
        mass /= np.maximum(np.bincount(self.rows, mass), 1e-12)[self.rows]
        sized = zip(self.of, CALENDAR_SIZES, strict=True)
        return [np.bincount(of, mass, size) for of, size in sized]


def are_elsewhere(
    groups: NDArray[np.int64],
    has: NDArray[Any],
    drawn: NDArray[np.float64],
    excess: float,
) -> bool:
    """Whether rows are elsewhere in a division of time than a calendar would have them.

    Parameters
    ----------
    groups, has : ndarray of shape (size,)
        Group of each of its values, and their rows; see `held_in_groups`.
    drawn : ndarray of float64, shape (size,)
        Rows that would be drawn of each.
    excess : float
        How many rows chance moves at once.
    """
    held, told = np.bincount(groups, has), np.bincount(groups, drawn)
    if np.abs(held - told).sum() / 2 < LEAST_SHARE * held.sum():
        return False
    distance = ((held - told) ** 2 / np.maximum(told, 1)).sum()
    # Chance moves whole values, with all rows that have them.
    return bool(chdtrc(max(len(held) - 1, 1), distance / excess) < MAX_CHANCE)
