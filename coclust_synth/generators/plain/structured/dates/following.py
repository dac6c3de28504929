"""Dates told from others, of which parts were drawn before: see `date_features`.

How far such a date is from that of the row before, or from another of its row, has a
law of its own: the same day stays the same day, a week a week. A distance that few
share says where the date is but for a quarter of it: some days after a month any
weekday is as likely. One that many share stays as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.dates.date_features import DateFeature
from coclust_synth.generators.plain.structured.dates.seasons import weights_of_days
from coclust_synth.generators.plain.structured.leaves._kernels import (
    Wanted,
    evened,
    pick_likely,
)
from coclust_synth.tables.laws.calendars import (
    PART_SIZES,
    Calendar,
    date_part,
    units_a_day,
    weekday,
)
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.rules.fitting.told import evenly

# A distance that few share is off by so much of it.
_OFF = 0.25
# Calendars weigh hours to three decimals; what is less is 0.
_LEAST = 1e-3
# Weights of distances are of so many rows, and settle in so many rounds.
_EVENED, _N_ROUNDS = 4_000, 20
_OF_ROWS = ("dates", "weekday", "hour", "known")
# Where dates are more days apart, distances are drawn whatever the parts.
_MAX_DAYS = 1_000_000


@dataclass(frozen=True, eq=False)
class Following:
    """Dates that are some time after others.

    Parameters
    ----------
    distances : AtomParts
        From these, in units of dates.
    calendar : Calendar
    dates : ndarray of int64, shape (n,)
        Those of the row before, or what a fit says, in the same units.
    drawn : mapping of DateFeature to ndarray of int32, shape (n,)
        Codes of parts.
    seasons : sequence of float, default=()
        Weights of months, see `learn_seasons`; all are alike without.
    is_next : bool, default=True
        Whether they are after those of the row before: where no distance of a leaf
        leads to the parts they move up to half a week. Others stay: a stay of a day is
        of a day.
    """

    distances: AtomParts
    calendar: Calendar
    dates: NDArray[np.int64]
    drawn: Mapping[DateFeature, NDArray[np.int32]]
    seasons: Sequence[float] = ()
    is_next: bool = True

    @cached_property
    def _known(self):
        """Whether no part is missing, of each row."""
        own = [codes < feature.n_codes - 1 for feature, codes in self.drawn.items()]
        return np.logical_and.reduce([np.ones(len(self.dates), dtype=bool), *own])

    def _wanted(self, rows):
        """The parts that dates of some rows are to have."""
        return {f.part: own[rows].astype(np.int64) for f, own in self.drawn.items()}

    @cached_property
    def _wide(self):
        lows, highs = self.distances.lows, self.distances.highs
        off = np.where(lows < highs, np.abs(lows) * _OFF, 0).astype(np.int64)
        return np.maximum(lows - off, lows.min()), np.minimum(highs + off, highs.max())

    def picked(self, leaf, points, leaves, limits):
        """A distance of its leaf for each row, one that leads to the parts.

        Parameters
        ----------
        leaf : ndarray of int64, shape (n,)
        points : ndarray of float64, shape (n,)
            From 0 to 1.
        leaves : Leaves
        limits : Limits

        Returns
        -------
        ndarray of int64, shape (n,)
            Codes; -1 where no distance does.
        """
        low, high = self._wide
        ruler, n = self.calendar.finest, len(self.dates)
        unit = units_a_day(ruler)
        first, last = self.dates.min() + low.min(), self.dates.max() + high.max()
        days = np.arange(first // unit, (last + ruler.step) // unit + 1)
        if len(days) > _MAX_DAYS:
            return np.full(n, -1)
        calendar = self.calendar.without(feature.part for feature in self.drawn)
        any_day = PART_SIZES["weekday"]
        is_on = weekday(days) == np.arange(any_day + 1)[:, None]
        is_on[any_day] = True
        parts = self._wanted(slice(None))
        wanted = Wanted(
            self.dates,
            parts.get("weekday", np.full(n, any_day)),
            parts.get("hour", np.full(n, -1)),
            self._known,
            unit,
            ruler.step,
            int(days[0]),
            _summed(is_on.astype(np.int64)),
            _summed(is_on * calendar.of_days(days)),
            calendar.clock[1],
            self._usual_hours(parts),
            np.append(0.0, np.cumsum(weights_of_days(self.seasons, days))),
            self.distances.lows,
            self.distances.highs,
        )
        weight = self._evened(leaf, leaves, limits, low, high, wanted)
        return pick_likely(leaf, points, leaves, limits, low, high, wanted, weight)

    def _evened(self, leaf, leaves, limits, low, high, wanted):
        """Weights of distances, so that each comes as often as leaves have it."""
        some = evenly(np.arange(len(leaf)), _EVENED)
        limits = limits._replace(
            allowed=limits.allowed[some],
            combination=limits.combination[some],
            lowest=limits.lowest[some],
            highest=limits.highest[some],
        )
        of_rows = {name: getattr(wanted, name)[some] for name in _OF_ROWS}
        wanted, n = wanted._replace(**of_rows), self.distances.n_parts
        return evened(leaf[some], leaves, limits, low, high, wanted, n, _N_ROUNDS)

    def _usual_hours(self, parts):
        """Hours since midnight, each as often as it is where one of them was drawn.

        A distance of some days leads to any hour, but to the hours of a calendar more
        than to others; one of some hours to few of them. None weighs nothing.
        """
        hours = self.calendar.hours if "hour" in parts else np.ones(24)
        return np.append(0.0, np.cumsum(np.maximum(hours, _LEAST)))

    def moved(
        self,
        values: NDArray[np.int64],
        codes: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Dates moved to some near them that have the parts, none too soon.

        Parameters
        ----------
        values : ndarray of int64, shape (n,)
        codes : ndarray of int, shape (n,)
            Of the distances.
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of int64, shape (n,)
        """
        (lows, highs), values = self._wide, values.copy()
        at = np.flatnonzero(self._known & (codes >= 0) & (codes < len(lows)))
        ends = self.dates[at] + lows[codes[at]], self.dates[at] + highs[codes[at]]
        values[at] = self._rounded(values[at], *ends, at, rng)
        if not self.is_next:
            return values
        at = at[~self._has_parts(values[at], at)]
        week = 7 * units_a_day(self.calendar.finest)
        first = np.maximum(values[at] - week // 2, self.dates[at] + lows.min())
        values[at] = self._rounded(values[at], first, first + week, at, rng)
        return values

    def _rounded(self, values, lows, highs, rows, rng):
        """Dates with the parts of some rows, in runs."""
        wanted = self._wanted(rows)
        return self.calendar.rounded(values, lows, highs, values[:0], rng, wanted)

    def _has_parts(self, values, rows):
        """Whether the dates of some rows have their parts."""
        ruler, wanted = self.calendar.finest, self._wanted(rows)
        own = [date_part(part, values, ruler) == of for part, of in wanted.items()]
        return np.logical_and.reduce([np.ones(len(values), dtype=bool), *own])


def weekdays_after(dates, days, ruler):
    """Codes of the weekdays that come 0 to 6 days after those of some dates."""
    last = PART_SIZES["weekday"]
    own = (date_part("weekday", dates, ruler) + days) % last
    return np.where(days == last, last, own).astype(np.int32)


def calendar_of(dates: AtomParts) -> Calendar | None:
    """The calendar of dates that are told from others, None where they have none."""
    if dates.calendar is not None:
        return dates.calendar
    return dates.grains if isinstance(dates.grains, Calendar) else None


def _summed(of_days):
    """Sums of the days before each one, and of all."""
    return np.pad(np.cumsum(of_days, axis=1), ((0, 0), (1, 0)))
