"""The roundest date or time between two others: the first of a year, of a month, ..."""

import numpy as np

# From the roundest on: unit, and how many of it; days are counted from the first of
# their month, the other units from the year 0, from January, from midnight, ...
_LEVELS = [
    *(("Y", n) for n in (100, 50, 20, 10, 5, 2, 1)),
    *(("M", n) for n in (6, 3, 1)),
    *(("D", n) for n in (10, 5, 2, 1)),
    *(("h", n) for n in (12, 6, 2, 1)),
    *((unit, n) for unit in ("m", "s") for n in (30, 10, 5, 2, 1)),
    *((unit, n) for unit in ("ms", "us", "ns") for n in (500, 100, 50, 10, 5, 2, 1)),
]


def roundest_instant(a: np.ndarray, b: np.ndarray, unit: str, step: int) -> np.ndarray:
    """The roundest instant strictly between each a and its b; a where there is none.

    Parameters
    ----------
    a, b : ndarray of int64, of one shape
        Units since 1970-01-01, multiples of `step`.
    unit : {"D", "s", "ms", "us", "ns"}
    step : int
        The instant found is a multiple of it.

    Returns
    -------
    ndarray of int64

    Examples
    --------
    >>> days = np.array(["2019-11-23", "2020-02-11"], dtype="M8[D]").astype(int)
    >>> roundest_instant(days[:1], days[1:], "D", 1).astype("M8[D]")
    array(['2020-01-01'], dtype='datetime64[D]')
    """
    best = np.array(a)
    # No level is finer than the unit: a unit of time always comes after that of days.
    finest = max(k for k, (of, _) in enumerate(_LEVELS) if of == unit)
    for level in reversed(_LEVELS[: finest + 1]):
        candidate = _first_above(a, unit, *level)
        fits = (a < candidate) & (candidate < b) & (candidate % step == 0)
        best = np.where(fits, candidate, best)
    return best


def _first_above(a, unit, of, n):
    """The first instant after each a that is `n` of the unit `of`."""
    instants = np.asarray(a).astype(f"M8[{unit}]")
    index = instants.astype(f"M8[{of}]").astype(np.int64)
    first = 0
    if of == "Y":
        first = -1970
    elif of == "D":
        first = instants.astype("M8[M]").astype("M8[D]").astype(np.int64)
    above = first + ((index - first) // n + 1) * n
    return above.astype(f"M8[{of}]").astype(f"M8[{unit}]").astype(np.int64)
