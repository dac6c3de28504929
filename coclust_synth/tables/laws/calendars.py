"""On which days of the week and of the month, and at what hours, dates fall.

Offices close on Sundays, leases begin on the first, few are operated on at four in the
morning, what is written down happened at a quarter past, and who does not know their
birthday has it on the first of January. A run of a column's atoms spreads its values
over all that the column can take; its *calendar* says which of them are likelier.

What a saved calendar tells of a column is of all its values together: a weight, to
three decimals, of each weekday, of each day of the month (the last one apart), of each
hour and of each day of the year that `MIN_ROWS` individuals or more have, and one for
all others together, which is 0 if fewer have any of them. Who has several dates counts
for each. Of times, it tells also which share is rounded to a minute, to 5, 15 or 30 of
them, and to an hour, as `grains` do of numbers.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.date_parts import month, units_a_day, weekday
from coclust_synth.tables.laws.grains import round_shares, shares_of_steps
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.laws.multiples import first_that_may
from coclust_synth.tables.rows import ColumnCounts

_WEEK, _MONTH, _DAY = 7, 32, 24
# Days of a year: 31 of each month, whether it has them or not.
_YEAR = 12 * 31
# A drawn date moves to one so many days before or after it: where weekdays differ
# alone, and where days of the month do; or further where none of these is likely.
_REACH_OF_WEEKS, _REACH_OF_MONTHS, _FAR = 3, 15, 186
# A division of time is told where it takes this share of the rows elsewhere, and chance
# would take as many once in ten thousand columns.
_LEAST_SHARE, _MAX_CHANCE = 0.05, 1e-4
# Days that runs cover together, at most: a thousand years of dates have no calendar.
_MAX_DAYS = 400_000
# Days from the first date that is looked at in a calendar to the last.
_MAX_CHECKED = 1_000_000
_N_FITTINGS = 20
_DECIMALS = 3
# Minutes, 5, 15 and 30 of them, and hours.
_TIMES_A_DAY = (1440, 288, 96, 48, 24)
# Days that are looked at for values at a time.
_CHUNK = 2**19


@dataclass(frozen=True, eq=False)
class Calendar:
    """Which dates of a run are likelier than others.

    Parameters
    ----------
    finest : SteppedRuler
        Of dates: all drawn values are on it.
    weekdays, days, hours : ndarray of shape (7,), (32,), (24,)
        Weights, from 0 to 1: from Monday; of the days of a month from the first, and
        last of its last day whichever it is; from midnight.
    feasts : ndarray of shape (372,)
        Of the days of a year, 31 of each month.
    steps : tuple of int
        Of the times that some are rounded to, in units of `finest`, increasing; each is
        a multiple of the one before, and divides an hour.
    shares : tuple of float
        Of the times, those that are rounded to each.
    """

    finest: SteppedRuler
    weekdays: np.ndarray = field(default_factory=lambda: np.ones(_WEEK))
    days: np.ndarray = field(default_factory=lambda: np.ones(_MONTH))
    hours: np.ndarray = field(default_factory=lambda: np.ones(_DAY))
    feasts: np.ndarray = field(default_factory=lambda: np.ones(_YEAR))
    steps: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()

    def without(self, parts: Iterable[str]) -> Self:
        """The calendar of dates of which some parts are known, see `PART_SIZES`."""
        flat = {"weekday": "weekdays", "hour": "hours"}
        names = [flat[part] for part in parts if part in flat]
        return replace(self, **{n: np.ones_like(getattr(self, n)) for n in names})

    def likeliness(self, lows, highs):
        """Mean weight of the dates from one to another.

        Parameters
        ----------
        lows, highs : ndarray of int64, shape (n,)
            On `finest`, both included.

        Returns
        -------
        ndarray of float64, shape (n,), in [0, 1]
            1 of dates more than a million days apart.
        """
        if not len(lows):
            return np.ones(0)
        unit = units_a_day(self.finest)
        ends = highs + self.finest.step
        start, stop = int(lows.min()) // unit, int(ends.max()) // unit + 1
        if stop - start > _MAX_CHECKED:
            return np.ones(len(lows))
        days = np.arange(start, stop)
        weight = self.of_days(days)
        before = np.append(0.0, np.cumsum(weight)) * self.hours.sum()
        clock, passed = self.clock

        def reached(values):
            day = values // unit - start
            return before[day] + weight[day] * np.interp(values % unit, clock, passed)

        hours = (ends - lows) * (_DAY / unit)
        return np.clip((reached(ends) - reached(lows)) / hours, 0.0, 1.0)

    def of_days(self, days: NDArray[np.int64]) -> NDArray[np.float64]:
        """Weight of each day since 1970-01-01, whatever the hour; of their shape."""
        first, last = int(days.min()), int(days.max())
        if last - first < days.size - 1:  # each day once is less to look up
            return self.of_days(np.arange(first, last + 1))[days - first]
        of_week, of_month, of_year = _categories(days)
        return self.weekdays[of_week] * self.days[of_month] * self.feasts[of_year]

    @property
    def clock(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Time of a day by the hour, and weights of the hours before, shape (25,)."""
        clock = np.arange(_DAY + 1) * (units_a_day(self.finest) / _DAY)
        return clock, np.append(0.0, np.cumsum(self.hours))

    def rounded(
        self,
        values: NDArray[np.int64],
        lows: NDArray[np.int64],
        highs: NDArray[np.int64],
        heaps: NDArray[np.int64],
        rng: np.random.Generator,
        wanted: Mapping[str, NDArray[np.int64]] = MappingProxyType({}),
    ) -> NDArray[np.int64]:
        """Dates of which some are moved, each inside its run and not far.

        Parameters
        ----------
        values, lows, highs : ndarray of int64, shape (n,)
            On `finest`, and the ends of the run of each.
        heaps : ndarray of int64, shape (h,)
            Values that are no others', unless nothing else is likely near these.
        rng : numpy.random.Generator
        wanted : mapping of str to ndarray of int64, shape (n,), default={}
            Of some parts of dates, see `date_part`, the one that each date is to have.

        Returns
        -------
        ndarray of int64, shape (n,)
            A value stays where its run has no likely date near it.
        """
        out = np.array(values)
        near = _REACH_OF_WEEKS if _is_flat(self.days) else _REACH_OF_MONTHS
        near = near if _is_flat(self.feasts) else _FAR
        left = np.flatnonzero(lows < highs)
        for reach, taken in ((near, heaps), (_FAR, heaps), (_FAR, heaps[:0])):
            points, stay = rng.random((2, len(left))), [left[:0]]
            n = _CHUNK // (2 * reach + 1)
            for start in range(0, len(left), n):
                some = slice(start, start + n)
                own = left[some]
                ends = lows[own], highs[own]
                asked = {part: of[own] for part, of in wanted.items()}
                moved, fits = self._moved(
                    out[own], *ends, taken, points[:, some], reach, asked
                )
                out[own[fits]] = moved[fits]
                stay.append(own[~fits])
            left = np.concatenate(stay)
        return self._with_round_times(out, lows, highs, heaps, rng)

    def _with_round_times(self, values, lows, highs, heaps, rng):
        """Dates of which some times are round, in the same hour, and no heap.

        Runs of a few minutes have none: it may be before that of the date, not all.
        """
        if not self.steps or not len(values):
            return values
        hour, first = units_a_day(self.finest) // _DAY, lows.min()

        def round_times(step):
            down = values // step * step
            others = (
                (
                    other,
                    (other // hour == values // hour)
                    & (other >= first)
                    & ~np.isin(other, heaps),
                )
                for other in (down, down + step, down - step)
            )
            return first_that_may(others, len(values))

        multiples = map(round_times, reversed(self.steps))
        return round_shares(values, self.shares, multiples, lows < highs, rng)

    def _moved(self, values, lows, highs, heaps, points, reach, wanted):
        """Where each value would go, and whether it may."""
        unit = units_a_day(self.finest)
        days = (values // unit)[:, None] + np.arange(-reach, reach + 1)
        first, last = (lows // unit)[:, None], (highs // unit)[:, None]
        begin = np.where(days == first, lows[:, None] - first * unit, 0)
        upto = highs[:, None] + self.finest.step - last * unit
        end = np.where(days == last, np.minimum(upto, unit), unit)
        clock, passed = self.clock
        if "hour" in wanted:
            begin = np.maximum(begin, clock[wanted["hour"]][:, None])
            end = np.maximum(begin, np.minimum(end, clock[wanted["hour"] + 1][:, None]))
        begin, end = np.interp(begin, clock, passed), np.interp(end, clock, passed)
        weight = (end - begin) * self.of_days(days)
        weight[(days < first) | (days > last)] = 0.0
        for part, of in (("month", month), ("weekday", weekday)):
            if part in wanted:
                weight[of(days) != wanted[part][:, None]] = 0.0
        if self.finest.step == unit:
            weight[np.isin(days * unit, heaps)] = 0.0
        total = np.cumsum(weight, axis=1)
        day = (total <= (points[0] * total[:, -1])[:, None]).sum(axis=1, keepdims=True)
        day = np.minimum(day, days.shape[1] - 1)
        day, begin, end = (
            np.take_along_axis(x, day, 1)[:, 0] for x in (days, begin, end)
        )
        time = np.interp(begin + points[1] * (end - begin), passed, clock)
        moved = self.finest.down(day * unit + np.floor(time).astype(np.int64))
        fits = (total[:, -1] > 0) & (lows <= moved) & (moved <= highs)
        return moved, fits & ~np.isin(moved, heaps)

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {
            "finest": self.finest.to_dict(),
            "weekdays": self.weekdays.tolist(),
            "days": self.days.tolist(),
            "hours": self.hours.tolist(),
        } | self._told_of_some()

    def _told_of_some(self):
        """What not all calendars have."""
        told = {} if _is_flat(self.feasts) else {"feasts": self.feasts.tolist()}
        return told | (
            {"steps": [*self.steps], "shares": [*self.shares]} if self.steps else {}
        )

    @classmethod
    def from_dict(cls, data: dict) -> "Calendar":
        """Inverse of `to_dict`."""
        names = ("weekdays", "days", "hours", "feasts")
        weights: dict[str, Any] = {
            name: np.array(data[name]) for name in names if name in data
        }
        steps, shares = (tuple(data.get(name, ())) for name in ("steps", "shares"))
        calendar = cls(SteppedRuler(**data["finest"]), **weights)
        return replace(calendar, steps=steps, shares=shares)


def learn_calendar(
    counts: ColumnCounts, lows: np.ndarray, highs: np.ndarray, ruler: SteppedRuler
) -> Calendar | None:
    """The calendar of dates that lie in runs.

    Weights of the divisions of time are fitted in turn, so that on average as many rows
    of each run are drawn on each weekday, day of the month, hour and day of the year as
    the table has
    (iterative proportional fitting), values being spread evenly but for them.

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
    of_week, of_month, of_year = _categories(counts.values // unit)
    hours = counts.values % unit * _DAY // unit
    observed = of_week, of_month, hours, of_year
    weights = [np.ones(size) for size in (_WEEK, _MONTH, _DAY, _YEAR)]
    told = {}
    excess = (counts.counts @ counts.counts) / counts.counts.sum()
    flat = cells.expected(weights)
    for k, of_values in enumerate(observed):
        if k == 2 and ruler.step == unit:  # dates without a time
            continue
        has = np.bincount(of_values, counts.counts, minlength=len(weights[k]))
        groups = np.where(has >= MIN_ROWS, 1 + np.arange(len(has)), 0)
        if _differ(np.bincount(groups, has), np.bincount(groups, flat[k]), excess):
            told[k] = groups, has
    steps, shares = _round_times(counts, ruler)
    if not told and not steps:
        return None
    for _ in range(_N_FITTINGS):
        for k, (groups, has) in told.items():
            held = np.bincount(groups, has)
            held[0] = 0 if held[0] < MIN_ROWS else held[0]
            drawn = np.bincount(groups, cells.expected(weights)[k])
            weights[k] *= (held / np.maximum(drawn, 1e-9))[groups]
            weights[k] = np.minimum(weights[k] / weights[k].max(), 1.0)
    of_week, of_month, hours, of_year = (np.round(own, _DECIMALS) for own in weights)
    return Calendar(ruler, of_week, of_month, hours, of_year, steps, shares)


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
        hour = np.arange(_DAY) * (unit / _DAY)
        begin = np.maximum(lows[runs] - days * unit, 0)[:, None]
        end = np.minimum(highs[runs] + ruler.step - days * unit, unit)[:, None]
        shared = np.minimum(end, hour + unit / _DAY) - np.maximum(begin, hour)
        return cls(runs, days, rows, np.maximum(shared, 0) * (_DAY / unit))

    def expected(self, weights):
        """Rows of each weekday, day of the month, hour and day of the year."""
        of_week, of_month, of_year = _categories(self.days)
        of_days = weights[0][of_week] * weights[1][of_month] * weights[3][of_year]
        mass = self.covered * weights[2] * of_days[:, None]
        total = np.bincount(self.runs, mass.sum(axis=1), len(self.rows))
        mass *= (self.rows / np.maximum(total, 1e-12))[self.runs][:, None]
        by_day = mass.sum(axis=1)
        return [
            np.bincount(of_week, by_day, _WEEK),
            np.bincount(of_month, by_day, _MONTH),
            mass.sum(axis=0),
            np.bincount(of_year, by_day, _YEAR),
        ]


def _categories(days):
    """Weekday, day of the month and day of the year of some dates."""
    day = days.astype("datetime64[D]")
    of_month = (day - day.astype("datetime64[M]").astype("datetime64[D]")).astype(int)
    return weekday(days), _day_of_month(days), month(days) * 31 + of_month


def _differ(held, drawn, excess):
    """Whether rows are elsewhere than dates that fall anywhere would be."""
    n = held.sum()
    if np.abs(held - drawn).sum() / 2 < _LEAST_SHARE * n:
        return False
    distance = ((held - drawn) ** 2 / np.maximum(drawn, 1)).sum()
    # Chance moves whole values, with all rows that have them.
    return chdtrc(max(len(held) - 1, 1), distance / excess) < _MAX_CHANCE


def _day_of_month(days):
    """From 0; the last day of any month is the last of all."""
    day = days.astype("datetime64[D]")
    month = day.astype("datetime64[M]")
    tomorrow = (days + 1).astype("datetime64[D]")
    is_last = tomorrow.astype("datetime64[M]") != month
    of_month = (day - month.astype("datetime64[D]")).astype(np.int64)
    return np.where(is_last, _MONTH - 1, of_month)


def _is_flat(weights):
    return bool((weights == weights[0]).all())
