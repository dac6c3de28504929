"""Columns as numbers that can be compared and added: dates are days."""

import numpy as np

# Units of a date in a day, by name.
A_DAY = {"D": 1, "s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}
A_DAY["ns"] = 1000 * A_DAY["us"]


class NumberScale:
    """Between the values of a column and numbers: days of a date, else the values.

    Parameters
    ----------
    column : Column
        Of kind integer, real or datetime.
    ruler : Ruler
        Of the column.
    """

    def __init__(self, column, ruler):
        self.per_day = A_DAY[column.unit] if column.kind == "datetime" else 1
        self.ruler = ruler

    def to_numbers(self, values, missing):
        """Numbers of some values, float64; nan where missing."""
        return np.where(missing, np.nan, np.asarray(values, np.float64) / self.per_day)

    def nearest(self, numbers):
        """The values that are nearest to some numbers."""
        values = np.asarray(numbers, dtype=np.float64) * self.per_day
        if self.ruler.dtype is np.int64:
            half = self.ruler.step / 2
            return self.ruler.snap(np.floor(values + half).astype(np.int64))
        return self.ruler.snap(values)

    def within(self, values, lowest, highest):
        """Values moved to a range of numbers; an infinite end is none."""
        values = np.array(values)
        at = np.flatnonzero(np.isfinite(lowest))
        low = self.nearest(lowest[at])
        low = np.where(low / self.per_day < lowest[at], self.ruler.above(low), low)
        values[at] = np.maximum(values[at], low)
        at = np.flatnonzero(np.isfinite(highest))
        high = self.nearest(highest[at])
        high = np.where(high / self.per_day > highest[at], self.ruler.below(high), high)
        values[at] = np.minimum(values[at], high)
        return values


def up_to(numbers, scale, other):
    """Numbers as they are compared with those of another column that is not below them.

    Dates with times are those days where the other column has days only: what is
    cancelled on the day on which it was booked is not cancelled before.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)
    scale, other : NumberScale
        Of the numbers, and of the other column.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    return np.floor(numbers) if _are_times_beside_days(scale, other) else numbers


def last_up_to(numbers, scale, other):
    """The highest numbers of a column that are up to those of another, see `up_to`.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)
        Of the other column.
    scale, other : NumberScale
        Of the column, and of the other one.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    if not _are_times_beside_days(scale, other):
        return numbers
    return numbers + 1 - 1 / scale.per_day


def _are_times_beside_days(scale, other):
    """Whether a column has dates with times, and another one dates without."""
    are_dates = all(getattr(s.ruler, "unit", None) is not None for s in (scale, other))
    if not are_dates or other.ruler.step % other.per_day:
        return False
    return scale.ruler.step % scale.per_day != 0


def equal_pairs(x, y):
    """How many pairs of a value of one column and one of another are equal.

    Parameters
    ----------
    x, y : ndarray of float64, shape (n,)
        None missing.

    Returns
    -------
    float
        Of the n * n pairs; over n, the rows that are equal on average where chance
        pairs the columns.
    """
    values, of_x = np.unique(x, return_counts=True)
    others, of_y = np.unique(y, return_counts=True)
    _, i, j = np.intersect1d(values, others, return_indices=True)
    return float(of_x[i] @ of_y[j])


def is_rarer(values):
    """Rows that have not the commonest of some values, ndarray of bool, shape (n,).

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        nan where missing.
    """
    own, rows = np.unique(values, return_counts=True)
    return values != own[rows.argmax()]


def labelled(numbers):
    """The different numbers, increasing, and which of them each row has; -1 of nan."""
    known, labels = ~np.isnan(numbers), np.full(len(numbers), -1)
    different, labels[known] = np.unique(numbers[known], return_inverse=True)
    return different, labels
