"""When the rows of a person are, where nobody has two at a time.

A row comes after the last one, and after that one ended if rows never overlap. It comes
early enough for those that are to follow, and before what stays above it: nobody comes
again once they are no longer followed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

Numbers = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Times:
    """The column that the rows of a person are in the order of.

    Attributes
    ----------
    column : str
    since : str
        Column of the row before, at which a row begins or after it: `column`, or where
        that row ends.
    above : tuple of str
        Columns of a person that the column is at most.
    values : ndarray of float64, increasing
        Its numbers, where many have each of them, as waves; else the last one alone.
    step : float
        Of the column; days of a date.
    """

    column: str
    since: str
    above: tuple[str, ...]
    values: np.ndarray
    step: float

    def _end(self, numbers: Numbers) -> np.ndarray:
        """The last time of each person."""
        ends = [numbers[name] for name in self.above if name in numbers]
        return reduce(np.fmin, ends, self.values[-1])

    def goes_on(self, numbers: Numbers) -> np.ndarray:
        """Whether a row can follow each of some rows.

        Parameters
        ----------
        numbers : mapping of str to ndarray of float64, shape (n,)

        Returns
        -------
        ndarray of bool, shape (n,)
            So it can where the numbers are missing.
        """
        own, since = numbers[self.column], numbers[self.since]
        end = self._end(numbers)
        if len(self.values) == 1:
            return ~(np.fmax(own + self.step, since) > end)
        after = np.searchsorted(self.values, own, "right")
        after = np.maximum(after, np.searchsorted(self.values, np.fmax(own, since)))
        coming = np.append(self.values, np.inf)[np.where(np.isnan(own), 0, after)]
        return ~(coming > end)

    def between(
        self, n_rows: str, earlier: str | None = None
    ) -> Callable[[Numbers], tuple[np.ndarray | float, np.ndarray | float]]:
        """From when to when rows come.

        Parameters
        ----------
        n_rows : str
            Number that says how many are to come, this one among them.
        earlier : str, optional
            Number that is the column's in the row before.

        Returns
        -------
        callable
            From numbers to the lowest and the highest one.
        """

        def ends(numbers):
            if n_rows not in numbers:  # what stays is told from it
                return -np.inf, np.inf
            first = -np.inf if earlier is None else numbers[earlier] + self.step
            n_more, end = numbers[n_rows].astype(np.int64) - 1, self._end(numbers)
            if len(self.values) == 1:
                return first, end - n_more * self.step
            last = np.searchsorted(self.values, end, "right") - 1 - n_more
            return first, self.values[np.maximum(last, 0)]

        return ends
