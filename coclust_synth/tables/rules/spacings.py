"""How many bits it takes to tell numbers, in groups of them."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma


def nats_of_numbers(
    x: NDArray[np.float64],
    unit: NDArray[np.float64],
    group: NDArray[np.int64],
    n_groups: int,
    person: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Mean nats to tell a number of each group, of which each person has one.

    Of numbers that many of a group have, how many do tells it; of others how far those
    next to each are apart, to their units (Vasicek 1976). Logarithms of counts are as
    they are expected in samples, so that small groups seem no better told.

    Parameters
    ----------
    x, unit : ndarray of float64, shape (n,)
        Numbers, and what each is told to.
    group : ndarray of int64, shape (n,)
    n_groups : int
    person : ndarray of int64, shape (n,)

    Returns
    -------
    ndarray of float64, shape (n_groups,)
        Of a group without numbers the mean of all.

    Examples
    --------
    >>> x, of = np.arange(100.0), np.arange(100)
    >>> nats_of_numbers(x, np.ones(100), 0 * of, 1, of).round(1)  # log(100)
    array([4.6])
    """
    if not len(x):
        return np.zeros(n_groups)
    key = group * (int(person.max()) + 1) + person
    once = np.unique(key, return_index=True)[1]
    once = once[np.lexsort([x[once], group[once]])]
    x, unit, group = x[once], unit[once], group[once]
    size = np.bincount(group, minlength=n_groups)
    run, starts, ends = _runs(x, group)
    alike = (ends - starts + 1)[run]
    nats = digamma(size)[group] - digamma(alike)
    rest = np.flatnonzero(alike <= np.sqrt(size)[group])
    n_near, apart = _spacings(x[rest], group[rest], n_groups)
    own = np.maximum(apart * n_near / np.maximum(n_near - 1, 1), apart + unit[rest])
    nats[rest] += np.log(own / unit[rest]) + digamma(alike[rest]) - digamma(n_near)
    mean = np.bincount(group, nats, n_groups) / np.maximum(size, 1)
    return np.where(size > 0, mean, nats.mean())


def _spacings(x, group, n_groups):
    """How many numbers of its group are next to each, and how far these reach.

    `x` is in order in each group, and equal ones are next to others alike. Of a single
    one as far as all numbers do.
    """
    size = np.bincount(group, minlength=n_groups)
    first, place = (np.cumsum(size) - size)[group], np.arange(len(x))
    near = np.maximum(np.sqrt(size).astype(int) // 2, 1)[group]
    run, starts, ends = _runs(x, group)
    low = starts[run[np.maximum(place - near, first)]]
    high = ends[run[np.minimum(place + near, first + size[group] - 1)]]
    apart = np.where(high > low, x[high] - x[low], np.ptp(x) if len(x) else 0.0)
    return high - low + 1, apart


def _runs(x, group):
    """The run of equal numbers that each is in, and where each run starts and ends."""
    is_new = (np.diff(x) != 0) | (np.diff(group) != 0)
    starts = np.flatnonzero(np.append(np.ones(min(len(x), 1), dtype=bool), is_new))
    ends = np.append(starts[1:], len(x)) - 1
    return (
        np.repeat(np.arange(len(starts)), ends[: len(starts)] - starts + 1),
        starts,
        ends,
    )
