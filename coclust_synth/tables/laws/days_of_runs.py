"""Days and hours that runs of dates cover, and rows that calendars expect there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import (
    CALENDAR_SIZES,
    day_categories,
    units_a_day,
)
from coclust_synth.tables.rows import ColumnCounts

_HOURS = 24
# Days that runs cover together, at most: a thousand years of dates have no calendar.
_MAX_DAYS = 400_000


@dataclass(frozen=True, eq=False)
class Cells:
    """Days of runs by hours.

    Parameters
    ----------
    runs, days : ndarray of int64, shape (p,)
        Run of each day, and its number.
    rows : ndarray of float64, shape (m,)
        Of each run.
    covered : ndarray of float64, shape (p, 24)
        Share of each hour that is in the run.
    """

    runs: np.ndarray
    days: np.ndarray
    rows: np.ndarray
    covered: np.ndarray

    @classmethod
    def of(
        cls,
        counts: ColumnCounts,
        lows: np.ndarray,
        highs: np.ndarray,
        ruler: SteppedRuler,
    ) -> Self | None:
        """The cells of dates that lie in runs.

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
        Cells or None
            None without values, and of those of a thousand years.
        """
        unit = units_a_day(ruler)
        starts, of_values = np.unique(lows, return_inverse=True)
        if not len(counts.values) or unit % ruler.step:
            return None
        ends, spans = np.zeros((2, len(starts)), dtype=np.int64)
        ends[of_values], spans[of_values] = highs, highs // unit - lows // unit + 1
        if spans.sum() > _MAX_DAYS:
            return None
        runs = np.repeat(np.arange(len(spans)), spans)
        place = np.arange(len(runs)) - np.repeat(np.cumsum(spans) - spans, spans)
        days = (starts // unit)[runs] + place
        hour = np.arange(_HOURS) * (unit / _HOURS)
        begin = np.maximum(starts[runs] - days * unit, 0)[:, None]
        end = np.minimum(ends[runs] + ruler.step - days * unit, unit)[:, None]
        shared = np.minimum(end, hour + unit / _HOURS) - np.maximum(begin, hour)
        rows = np.bincount(of_values, counts.counts)
        return cls(runs, days, rows, np.maximum(shared, 0) * (_HOURS / unit))

    def expected(self, weights: Sequence[NDArray[np.float64]]) -> list[np.ndarray]:
        """Rows of each weekday, day of the month, hour and day of the year."""
        everything = np.zeros(len(self.rows), dtype=np.int64)
        return [of[0] for of in self.expected_in(everything, weights)]

    def expected_in(
        self, blocks: NDArray[np.int64], weights: Sequence[NDArray[np.float64]]
    ) -> list[NDArray[np.float64]]:
        """The same of each of some blocks of runs.

        Parameters
        ----------
        blocks : ndarray of int64, shape (m,)
            Of each run, in order: from 0, and each has some.
        weights : sequence of ndarray
            Of each value of the divisions.

        Returns
        -------
        list of ndarray of float64, shape (number of blocks, size)
        """
        of_week, of_month, of_year = day_categories(self.days)
        of_days = weights[0][of_week] * weights[1][of_month] * weights[3][of_year]
        mass = self.covered * weights[2] * of_days[:, None]
        total = np.bincount(self.runs, mass.sum(axis=1), len(self.rows))
        mass *= (self.rows / np.maximum(total, 1e-12))[self.runs][:, None]
        by_day, own = mass.sum(axis=1), blocks[self.runs]
        n_blocks = int(blocks.max()) + 1
        hours = np.add.reduceat(mass, np.searchsorted(own, np.arange(n_blocks)))

        def summed(of, size):
            cells = np.bincount(own * size + of, by_day, n_blocks * size)
            return cells.reshape(n_blocks, size)

        n_week, n_month, _, n_year = CALENDAR_SIZES
        return [
            summed(of_week, n_week),
            summed(of_month, n_month),
            hours,
            summed(of_year, n_year),
        ]
