"""Columns of numbers or dates of which one is never above the other."""

from dataclasses import dataclass

import numpy as np

# An order is broken by no more than this share of the rows, ...
MAX_BROKEN = 0.005
# ... would be by more were the columns independent, this many times as many, ...
_MIN_RATIO = 10
# ... and by so many rows that chance does not explain that they are missing.
_MIN_EXPECTED = 50
# Of columns that are mostly equal it says little.
_MAX_EQUAL = 0.9


@dataclass(frozen=True)
class Order:
    """One column is at most another.

    Attributes
    ----------
    low, high : str
        Names of the columns.
    n_rows : int
        Rows that have both.
    broken : float
        Share of these where it does not hold.
    """

    low: str
    high: str
    n_rows: int
    broken: float

    def __str__(self):
        return f"{self.low} <= {self.high}"


def find_orders(numbers, min_rows):
    """The orders between columns that few rows break.

    Parameters
    ----------
    numbers : mapping of str to ndarray of float64, shape (n,)
        Comparable columns; nan where missing.
    min_rows : int
        Individuals that a rule describes at least: on both sides of it.

    Returns
    -------
    list of Order
        Those that follow from two others are left out.
    """
    found = {}
    names = list(numbers)
    for i, low in enumerate(names):
        for high in names[:i] + names[i + 1 :]:
            x, y = numbers[low], numbers[high]
            known = ~np.isnan(x) & ~np.isnan(y)
            n = int(known.sum())
            if n < max(min_rows, 1):
                continue
            x, y = x[known], y[known]
            broken = float((x > y).mean())
            if broken > MAX_BROKEN or (x == y).mean() > _MAX_EQUAL:
                continue
            # Share of all pairs of a row and another row that break it.
            by_chance = np.searchsorted(np.sort(y), x).mean() / n
            if by_chance * n < _MIN_EXPECTED or by_chance < _MIN_RATIO * broken:
                continue
            found[low, high] = Order(low, high, n, broken)
    return [
        order
        for (low, high), order in found.items()
        if not any((low, m) in found and (m, high) in found for m in names)
    ]
