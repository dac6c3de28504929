"""Calendars of dates as a table has them, see `Calendar`."""

from dataclasses import dataclass, replace
from fractions import Fraction

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
from coclust_synth.tables.laws.grains import shares_of_steps
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.rows import ColumnCounts

_HOURS = 24
# A division of time is told where it takes this share of the rows elsewhere, and chance
# would take as many once in ten thousand columns.
_LEAST_SHARE, _MAX_CHANCE = 0.05, 1e-4
# Days that runs cover together, at most: a thousand years of dates have no calendar.
_MAX_DAYS = 400_000
_N_FITTINGS = 20
_DECIMALS = 3
# Minutes, 5, 15 and 30 of them, and hours.
_TIMES_A_DAY = (1440, 288, 96, 48, 24)


def learn_calendar(
    counts: ColumnCounts, lows: np.ndarray, highs: np.ndarray, ruler: SteppedRuler
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
    unit = units_a_day(ruler)
    spans = highs // unit - lows // unit + 1
    starts, runs = np.unique(lows, return_inverse=True)
    if not len(counts.values) or unit % ruler.step:
        return None
    rows = np.bincount(runs, counts.counts)
    span, end = np.zeros((2, len(starts)), dtype=np.int64)
    span[runs], end[runs] = spans, highs
    if span.sum() > _MAX_DAYS:
        return None
    cells = _Cells.of(starts, end, span, rows, ruler)
    excess = (counts.counts @ counts.counts) / counts.counts.sum()
    flat = cells.expected([np.ones(size) for size in CALENDAR_SIZES])
    told = {}
    for k, (groups, has) in enumerate(_held(counts, ruler)):
        if k == 2 and ruler.step == unit:  # dates without a time
            continue
        if _differ(np.bincount(groups, has), np.bincount(groups, flat[k]), excess):
            told[k] = groups, has
    steps, shares = _round_times(counts, ruler)
    if not told and not steps:
        return None
    of_week, of_month, of_day, of_year = _fitted(told, cells)
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
        for k, held in enumerate(_held(counts, calendar.finest))
        if np.ptp(own[k]) > 0
    }
    cells = _Draws.of_dates(rows, dates, calendar.finest)
    of_week, of_month, hours, of_year = _fitted(told, cells, 1)
    return replace(
        calendar, weekdays=of_week, days=of_month, hours=hours, feasts=of_year
    )


def _held(counts, ruler):
    """Rows of each weekday, day of the month, hour and day of the year, in groups.

    Those that fewer than `MIN_ROWS` have are one group, the first.
    """
    unit = units_a_day(ruler)
    of_week, of_month, of_year = day_categories(counts.values // unit)
    hours = counts.values % unit * _HOURS // unit
    for of, size in zip(
        (of_week, of_month, hours, of_year), CALENDAR_SIZES, strict=True
    ):
        has = np.bincount(of, counts.counts, minlength=size)
        yield np.where(has >= MIN_ROWS, 1 + np.arange(size), 0), has


def _fitted(told, cells, n_fittings=_N_FITTINGS):
    """Weights with which cells are expected to have as many rows, of all divisions."""
    weights = [np.ones(size) for size in CALENDAR_SIZES]
    for _ in range(n_fittings):
        for k, (groups, has) in told.items():
            held = np.bincount(groups, has)
            held[0] = 0 if held[0] < MIN_ROWS else held[0]
            drawn = np.bincount(groups, cells.expected(weights)[k])
            weights[k] *= (held / np.maximum(drawn, 1e-9))[groups]
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
class _Cells:
    """Days of runs by hours.

    runs, days : (p,) run of each day, and its number. rows : (m,) of each run.
    covered : (p, 24) share of each hour that is in the run.
    """

    runs: np.ndarray
    days: np.ndarray
    rows: np.ndarray
    covered: np.ndarray

    @classmethod
    def of(cls, lows, highs, spans, rows, ruler):
        unit = units_a_day(ruler)
        runs = np.repeat(np.arange(len(spans)), spans)
        place = np.arange(len(runs)) - np.repeat(np.cumsum(spans) - spans, spans)
        days = (lows // unit)[runs] + place
        hour = np.arange(_HOURS) * (unit / _HOURS)
        begin = np.maximum(lows[runs] - days * unit, 0)[:, None]
        end = np.minimum(highs[runs] + ruler.step - days * unit, unit)[:, None]
        shared = np.minimum(end, hour + unit / _HOURS) - np.maximum(begin, hour)
        return cls(runs, days, rows, np.maximum(shared, 0) * (_HOURS / unit))

    def expected(self, weights):
        """Rows of each weekday, day of the month, hour and day of the year."""
        of_week, of_month, of_year = day_categories(self.days)
        of_days = weights[0][of_week] * weights[1][of_month] * weights[3][of_year]
        mass = self.covered * weights[2] * of_days[:, None]
        total = np.bincount(self.runs, mass.sum(axis=1), len(self.rows))
        mass *= (self.rows / np.maximum(total, 1e-12))[self.runs][:, None]
        by_day = mass.sum(axis=1)
        n_week, n_month, _, n_year = CALENDAR_SIZES
        return [
            np.bincount(of_week, by_day, n_week),
            np.bincount(of_month, by_day, n_month),
            mass.sum(axis=0),
            np.bincount(of_year, by_day, n_year),
        ]


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


def _differ(held, drawn, excess):
    """Whether rows are elsewhere than dates that fall anywhere would be."""
    n = held.sum()
    if np.abs(held - drawn).sum() / 2 < _LEAST_SHARE * n:
        return False
    distance = ((held - drawn) ** 2 / np.maximum(drawn, 1)).sum()
    # Chance moves whole values, with all rows that have them.
    return chdtrc(max(len(held) - 1, 1), distance / excess) < _MAX_CHANCE
