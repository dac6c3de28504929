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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.grains import round_shares
from coclust_synth.tables.laws.multiples import first_that_may

#: How many values each part of a date has.
PART_SIZES = {"month": 12, "weekday": 7, "hour": 24}
# 1970-01-01 was a Thursday; weekdays are counted from Monday.
_FIRST_WEEKDAY = 3
# Every weekday of every month is among so many days, one after the other.
_ALL_DAYS = 366 + 7
#: Weekdays, days of a month, hours, and days of a year: 31 of each month, whether it
#: has them or not.
CALENDAR_SIZES = 7, 32, 24, 12 * 31
_WEEK, _MONTH, _DAY, _YEAR = CALENDAR_SIZES
# A drawn date moves to one so many days before or after it: where weekdays differ
# alone, and where days of the month do; or further where none of these is likely.
_REACH_OF_WEEKS, _REACH_OF_MONTHS, _FAR = 3, 15, 186
# Days from the first date that is looked at in a calendar to the last.
_MAX_CHECKED = 1_000_000
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
    eras : tuple of Era
        Calendars of their own, from the first dates to the last, where habits change.
        All but `rounded` tells of the dates of all eras together.
    """

    finest: SteppedRuler
    weekdays: np.ndarray = field(default_factory=lambda: np.ones(_WEEK))
    days: np.ndarray = field(default_factory=lambda: np.ones(_MONTH))
    hours: np.ndarray = field(default_factory=lambda: np.ones(_DAY))
    feasts: np.ndarray = field(default_factory=lambda: np.ones(_YEAR))
    steps: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()
    eras: tuple["Era", ...] = ()

    def without(self, parts: Iterable[str]) -> Self:
        """The calendar of dates of which some parts are known, see `PART_SIZES`.

        It has no eras.
        """
        flat = {"weekday": "weekdays", "hour": "hours"}
        names = [flat[part] for part in parts if part in flat]
        known = {n: np.ones_like(getattr(self, n)) for n in names}
        return replace(self, **known, eras=())

    def of_most(self, k: int) -> Self:
        """The same calendar, eras of fewer than k individuals having no other one."""
        whole = replace(self, eras=())
        eras = (
            own if own.n_individuals >= k else replace(own, calendar=whole)
            for own in self.eras
        )
        return replace(self, eras=tuple(eras))

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
        of_week, of_month, of_year = day_categories(days)
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
        if self.eras:
            return self._rounded_in_eras(values, lows, highs, heaps, rng, wanted)
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

    def _rounded_in_eras(self, values, lows, highs, heaps, rng, wanted):
        """Dates moved by the calendar of the era of each, see `rounded`."""
        starts, out = [era.start for era in self.eras[1:]], np.array(values)
        place = np.searchsorted(starts, values, side="right")
        for at, era in enumerate(self.eras):
            rows = np.flatnonzero(place == at)
            asked = {part: of[rows] for part, of in wanted.items()}
            of_rows = values[rows], lows[rows], highs[rows], heaps, rng, asked
            out[rows] = era.calendar.rounded(*of_rows)
        return out

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
        told: dict[str, Any] = {}
        if not _is_flat(self.feasts):
            told["feasts"] = self.feasts.tolist()
        if self.steps:
            told |= {"steps": [*self.steps], "shares": [*self.shares]}
        if self.eras:
            told["eras"] = [own.to_dict() for own in self.eras]
        return told

    @classmethod
    def from_dict(cls, data: dict) -> "Calendar":
        """Inverse of `to_dict`."""
        names = ("weekdays", "days", "hours", "feasts")
        weights: dict[str, Any] = {
            name: np.array(data[name]) for name in names if name in data
        }
        steps, shares = (tuple(data.get(name, ())) for name in ("steps", "shares"))
        calendar = cls(SteppedRuler(**data["finest"]), **weights)
        eras = tuple(map(Era.from_dict, data.get("eras", ())))
        return replace(calendar, steps=steps, shares=shares, eras=eras)


@dataclass(frozen=True, eq=False)
class Era:
    """Dates that have other habits than those before and after them.

    Parameters
    ----------
    start : int
        First date, on the ruler of the calendar; the era lasts until the next one.
    n_individuals : int
        Of those that the calendar is learnt from.
    calendar : Calendar
        Without eras.
    """

    start: int
    n_individuals: int
    calendar: Calendar

    def to_dict(self) -> dict:
        """JSON compatible form."""
        own = {"start": self.start, "n_individuals": self.n_individuals}
        return own | {"calendar": self.calendar.to_dict()}

    @classmethod
    def from_dict(cls, data: dict) -> Self:
        """Inverse of `to_dict`."""
        own = int(data["start"]), int(data["n_individuals"])
        return cls(*own, Calendar.from_dict(data["calendar"]))


def day_categories(
    days: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Weekday, day of the month and day of the year of days since 1970-01-01."""
    day = days.astype("datetime64[D]")
    of_month = (day - day.astype("datetime64[M]").astype("datetime64[D]")).astype(int)
    return weekday(days), _day_of_month(days), month(days) * 31 + of_month


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


def units_a_day(ruler: SteppedRuler) -> int:
    """Units of a ruler of dates in a day."""
    return int(np.timedelta64(1, "D").astype(f"m8[{ruler.unit}]").astype(np.int64))


def weekday(days: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weekday of each day since 1970-01-01, from 0 for Monday."""
    return (days + _FIRST_WEEKDAY) % 7


def month(days: NDArray[np.int64]) -> NDArray[np.int64]:
    """Month of each day since 1970-01-01, from 0 for January."""
    return days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12


def date_part(
    part: str, values: NDArray[np.int64], ruler: SteppedRuler
) -> NDArray[np.int64]:
    """A part of each date, from 0.

    Parameters
    ----------
    part : {"month", "weekday", "hour"}
    values : ndarray of int64, shape (n,)
        Units since 1970-01-01.
    ruler : SteppedRuler
        Of dates.

    Returns
    -------
    ndarray of int64, shape (n,)

    Examples
    --------
    >>> date_part("weekday", np.array([0, 3, 4]), SteppedRuler(1, unit="D"))
    array([3, 6, 0])
    """
    unit = units_a_day(ruler)
    if part == "hour":
        return values % unit * PART_SIZES["hour"] // unit
    return {"month": month, "weekday": weekday}[part](values // unit)


def parts_held(
    parts: Sequence[str],
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    ruler: SteppedRuler,
) -> NDArray[np.bool_]:
    """Which combinations of parts dates of a run can have.

    Parameters
    ----------
    parts : sequence of str
        Some of `PART_SIZES`, in their order.
    lows, highs : ndarray of int64, shape (m,)
        Ends of each run, both included.
    ruler : SteppedRuler

    Returns
    -------
    ndarray of bool, shape (m, size of the first part, ...)

    Examples
    --------
    >>> week = np.array([4]), np.array([6])
    >>> parts_held(["weekday"], *week, SteppedRuler(1, unit="D"))[0].nonzero()[0]
    array([0, 1, 2])
    """
    unit = units_a_day(ruler)
    first, last = lows // unit, highs // unit
    spans = np.minimum(last - first + 1, _ALL_DAYS)
    runs = np.repeat(np.arange(len(lows)), spans)
    place = np.arange(len(runs)) - np.repeat(np.cumsum(spans) - spans, spans)
    days = first[runs] + place
    of_year, of_week = month(days), weekday(days)
    n_hours = PART_SIZES["hour"]
    begin = np.where(days == first[runs], (lows % unit * n_hours // unit)[runs], 0)
    end = (highs % unit * n_hours // unit)[runs]
    end = np.where(days == last[runs], end, n_hours - 1)
    held = np.zeros((len(lows), *PART_SIZES.values()), dtype=bool)
    for hour in range(n_hours):
        on = (begin <= hour) & (hour <= end)
        held[runs[on], of_year[on], of_week[on], hour] = True
    left_out = [i for i, part in enumerate(PART_SIZES) if part not in parts]
    return np.any(held, axis=tuple(i + 1 for i in left_out))
