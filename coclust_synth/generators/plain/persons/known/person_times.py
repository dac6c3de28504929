"""When the rows of a person are.

How long it is to the next row goes with the room that is left for each to come: who has
many, and began late, comes often. Where nobody has two rows at a time, a row comes
after the last one, and after that one ended if rows never overlap. It comes early
enough for those that are to follow, and before what stays above it: nobody comes again
once they are no longer followed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.rules.compared.numbers import NumberScale

Numbers = Mapping[str, np.ndarray]
# Room is told in tenths of a step, or in as many parts of all the time there is.
_PARTS_OF_STEP, _PARTS_OF_SPAN = 10, 1_000_000
# Of so few rows to come the last ones can be anywhere.
MIN_MORE = 3


def constants_above(rules, name, constants):
    """Of what stays in the rows of persons, what is above a column that changes."""
    above = {high for low, high in rules.bounds if low == name}
    return tuple(constant for constant in constants if constant in above)


def end_of_rows(numbers: Numbers, above: tuple[str, ...], last: float) -> np.ndarray:
    """The last time that each person can have: before what stays above it.

    Parameters
    ----------
    numbers : mapping of str to ndarray of float64, shape (n,)
    above : sequence of str
        Columns of a person that the times are at most; those not known say nothing.
    last : float
        Of all.

    Returns
    -------
    ndarray of float64, shape (n,), or ()
    """
    ends = [numbers[name] for name in above if name in numbers]
    return reduce(np.fmin, ends, np.array(last))


def room_of_rows(
    last: np.ndarray,
    left: np.ndarray,
    numbers: Numbers,
    above: tuple[str, ...],
    parts: AtomParts,
    scale: NumberScale,
) -> np.ndarray:
    """How long it is from a row of a person to the end, for each that is to come.

    Parameters
    ----------
    last : ndarray of float64, shape (n,)
        Number of the row.
    left : ndarray of float64 or int64, shape (n,)
        Rows to come.
    numbers, above
        See `end_of_rows`.
    parts : AtomParts
        Of the column that rows are in the order of.
    scale : NumberScale
        Of the same.

    Returns
    -------
    ndarray of int64, shape (n,)
        In tenths of a step, or millionths of all the time there is; 0 without any.
    """
    first, last_of_all = parts.lows.min(), parts.highs.max()
    first, last_of_all = first / scale.per_day, last_of_all / scale.per_day
    step = scale.ruler.step / scale.per_day
    unit = max(step / _PARTS_OF_STEP, (last_of_all - first) / _PARTS_OF_SPAN)
    end = end_of_rows(numbers, above, last_of_all)
    room = np.maximum(end - last, 0.0) / unit / left
    return np.floor(np.nan_to_num(room)).astype(np.int64)


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
        From a row to the next one, at least: of the column, days of a date; or 0.
    most_rooms : float, default=inf
        Times the room for a row that it is to the next one at most, where `MIN_MORE` or
        more come after that.
    """

    column: str
    since: str
    above: tuple[str, ...]
    values: np.ndarray
    step: float
    most_rooms: float = np.inf

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
        end = end_of_rows(numbers, self.above, self.values[-1])
        if len(self.values) == 1:
            return ~(np.fmax(own + self.step, since) > end)
        after = np.searchsorted(self.values, own, "right")
        after = np.maximum(after, np.searchsorted(self.values, np.fmax(own, since)))
        coming = np.append(self.values, np.inf)[np.where(np.isnan(own), 0, after)]
        return ~(coming > end)

    def between(
        self, n_rows: str, earlier: str | None = None, ended: str | None = None
    ) -> Callable[[Numbers], tuple[np.ndarray | float, np.ndarray | float]]:
        """From when to when rows come.

        Parameters
        ----------
        n_rows : str
            Number that says how many are to come, this one among them.
        earlier : str, optional
            Number that is the column's in the row before.
        ended : str, optional
            Number at which that row ends.

        Returns
        -------
        callable
            From numbers to the lowest and the highest one.
        """

        def ends(numbers):
            if n_rows not in numbers:  # what stays is told from it
                return -np.inf, np.inf
            first = -np.inf if earlier is None else numbers[earlier] + self.step
            n_more = numbers[n_rows].astype(np.int64) - 1
            end = end_of_rows(numbers, self.above, self.values[-1])
            if len(self.values) == 1:
                last = end - n_more * self.step
                if earlier is None or np.isinf(self.most_rooms):
                    return first, last
                room = np.maximum(end - numbers[earlier], 0) / (n_more + 1)
                near = np.maximum(numbers[earlier] + self.most_rooms * room, first)
                if ended is not None:  # After a long stay nothing would be left.
                    late = numbers[ended] + self.most_rooms * room
                    near = np.where(near <= numbers[ended], late, near)
                return first, np.where(n_more >= MIN_MORE, np.fmin(near, last), last)
            last = np.searchsorted(self.values, end, "right") - 1 - n_more
            return first, self.values[np.maximum(last, 0)]

        return ends
