"""Times of a day that cluster around midnight: their order begins at another hour.

Nights begin at 23:30 or at 00:15: counted from midnight, the two are as far apart as
two times can be. Such a column is in order from the hour of which the fewest have a
time.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import Ruler, SteppedRuler
from coclust_synth.tables.laws.calendars import units_a_day
from coclust_synth.tables.laws.laws import MIN_ROWS

_HOURS = 24
# Of the hour with which an order begins so many times as few have one as of both of
# those around midnight, which are of `MIN_ROWS` individuals each: else it stays.
_FEWER = 2


def first_of_day(
    means: NDArray[Any],
    values: NDArray[Any],
    individuals: NDArray[np.int64],
    ruler: Ruler,
) -> int:
    """The atom of times of a day with which their order begins.

    Parameters
    ----------
    means : ndarray, shape (r,)
        Of each atom, increasing.
    values : ndarray, shape (n,)
        In units of the ruler.
    individuals : ndarray of int64, shape (n,)
        Who have each: those of an hour are counted once.
    ruler : Ruler

    Returns
    -------
    int
        0 but of times of a day that cluster around midnight.

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> minutes = np.append(np.arange(60), np.arange(1380, 1440))
    >>> who, ruler = np.arange(120), SteppedRuler(60, unit="s")
    >>> first_of_day(60 * minutes, 60 * minutes, who, ruler)
    60
    >>> first_of_day(3600 + minutes, 3600 + minutes, who, ruler)
    0
    """
    if not isinstance(ruler, SteppedRuler) or ruler.unit is None or not len(values):
        return 0
    day = units_a_day(ruler)
    if day < _HOURS or values.min() < 0 or values.max() >= day:
        return 0
    pairs = np.unique(individuals * _HOURS + values * _HOURS // day)
    n = np.bincount(pairs % _HOURS, minlength=_HOURS)
    hour, around = int(n.argmin()), min(n[0], n[-1])
    if around < MIN_ROWS or _FEWER * n[hour] > around:
        return 0
    return int(np.searchsorted(means, hour * day // _HOURS)) % len(means)


def in_order(n_codes: int, n_ordered: int, start: int) -> NDArray[np.int64]:
    """Codes in their order, those that are in none last.

    Parameters
    ----------
    n_codes, n_ordered : int
        Codes, and of these how many, the first, are in an order.
    start : int
        The one with which it begins.

    Examples
    --------
    >>> in_order(5, 4, 3).tolist()
    [3, 0, 1, 2, 4]
    """
    codes = np.arange(n_codes)
    codes[:n_ordered] = np.roll(codes[:n_ordered], -start)
    return codes
