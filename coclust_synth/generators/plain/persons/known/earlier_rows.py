"""What rows of a person before the row before say of a column.

The row before is one row, and may be an odd one: who was ill last year is mostly well
again, but not who was ill in most years. What a person is like in all rows (see
`person_levels`) is told of those who have six of them, and of those is a mean that rows
to come have a part in. So there are two things more:

- the mean of the earlier rows, in places among the codes of the column;
- the last step: how far the row before is from that before it, of numbers. What grows
  goes on to grow, and what made a slip comes back.

Each is known where k persons have it, and where it tells more than what is known
without.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.persons.known.person_levels import STEPS
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.parts.parts import Parts

#: Last steps are told in so many parts of the range, or of a logarithm, up to so many.
PARTS_OF_STEP, MOST_PARTS = 100_000, 1_000_000
# Of what others leave of a column it tells such a correlation at least, and by so many
# standard deviations more than chance has it.
_MIN_SHARE, _MIN_DEVIATIONS = 0.1, 3.0
# Of so many times k persons at least: what one of few was like in all rows before is
# whose row it is (of 140 firms it was told of .55 which were in the table, not of .50).
_MIN_TIMES = 10


def place_among(codes: NDArray[np.int_], parts: Parts) -> NDArray[np.float64]:
    """Where codes are among those of a column, in steps; nan where they are missing.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
    parts : Parts
        Of the column, in an order, or two.
    """
    n_present = parts.n_parts - parts.with_missing
    place = np.rint(STEPS * codes / max(n_present - 1, 1))
    return np.where(codes < n_present, place, np.nan)


def mean_after(
    mean: NDArray[np.float64],
    place: NDArray[np.float64],
    n_drawn: NDArray[np.int_] | int,
) -> NDArray[np.float64]:
    """The mean of some rows, by that of these but the last one.

    Parameters
    ----------
    mean : ndarray of float64, shape (n,)
        Of the rows before the last one; nan where all of them are missing.
    place : ndarray of float64, shape (n,)
        Of the last one; a missing one says nothing.
    n_drawn : ndarray of int, shape (n,), or int
        How many rows there are, with those that are missing.

    Examples
    --------
    Second rows of three people, and the first of one who has no other:

    >>> means = np.array([4.0, 4.0, np.nan, 4.0])
    >>> mean_after(means, np.array([8.0, np.nan, 8.0, 8.0]), np.array([2, 2, 2, 1]))
    array([6., 4., 8., 8.])
    """
    mean = np.where(n_drawn == 1, np.nan, mean)
    mean, place = (
        np.where(np.isnan(one), other, one)
        for one, other in ((mean, place), (place, mean))
    )
    return np.rint(mean + (place - mean) / n_drawn)


def means_before(
    places: NDArray[np.float64], n_before: NDArray[np.int_]
) -> NDArray[np.float64]:
    """The mean of the earlier rows of each row that is not the first of its person.

    Parameters
    ----------
    places : ndarray of float64, shape (n,)
        Rows of a person side by side.
    n_before : ndarray of int, shape (n,)
        How many rows of its person are before each.
    """
    mean = np.full(len(places), np.nan)
    order = np.argsort(n_before, kind="stable")
    for at in np.split(order, np.cumsum(np.bincount(n_before))[:-1])[1:]:
        mean[at] = mean_after(mean[at - 1], places[at - 1], n_before[at])
    return mean[n_before > 0]


def steps_between(
    own: NDArray[np.float64], before: NDArray[np.float64], parts: AtomParts
) -> NDArray[np.float64]:
    """How far numbers are from others, told in parts; nan where one is missing.

    Of a column above 0 the logarithm of their ratio, else as a share of its range.

    Parameters
    ----------
    own, before : ndarray of float64, shape (n,)
    parts : AtomParts
        Of the column.

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> from coclust_synth.tables.parts.atoms import learn_atoms
    >>> from coclust_synth.tables.rows import count_values
    >>> values = np.repeat([0, 5, 10], 20)
    >>> counts = count_values(values, np.zeros(60, dtype=bool))
    >>> parts = learn_atoms(counts, None, SteppedRuler(1))
    >>> steps_between(np.array([5.0, np.nan]), np.array([10.0, 5.0]), parts)
    array([-50000.,     nan])
    """
    low, high = float(parts.lows.min()), float(parts.highs.max())
    if low > 0:
        step = np.log(np.maximum(own, low)) - np.log(np.maximum(before, low))
    else:
        step = (own - before) / max(high - low, 1e-300)
    return np.clip(np.rint(PARTS_OF_STEP * step), -MOST_PARTS, MOST_PARTS)


def tells_more(
    own: NDArray[np.float64],
    known: Sequence[NDArray[np.float64]],
    more: NDArray[np.float64],
    person: NDArray[np.int_],
    k: int,
) -> float:
    """The correlation of a column with one more, beside what is known without it.

    Parameters
    ----------
    own : ndarray of float64, shape (n,)
    known : sequence of ndarray of float64, shape (n,)
        The first one is the row before; where one is missing it is in the middle.
    more : ndarray of float64, shape (n,)
        Rows that lack it, or `own`, are not looked at.
    person : ndarray of int, shape (n,)
        Whose each row is.
    k : int
        Persons of rows in which `more` is not that of the row before, at least; ten
        times as many have rows.

    Returns
    -------
    float
        0 where it is below .1, or chance would have as much, or persons are too few.
    """
    at = ~np.isnan(own + more)
    own, more, person = own[at], more[at], person[at]
    known = [_filled(of[at]) for of in known]
    n_persons, n_telling = (
        len(np.unique(of)) for of in (person, person[more != known[0]])
    )
    if n_persons < _MIN_TIMES * k or n_telling < k:
        return 0.0
    x = np.column_stack([np.ones(len(own)), *known])
    left, more = (y - x @ np.linalg.lstsq(x, y, rcond=None)[0] for y in (own, more))
    whole = np.sqrt((left @ left) * (more @ more))
    of_each = np.bincount(person, left * more)
    share = of_each.sum() / whole if whole else 0.0
    by_chance = _MIN_DEVIATIONS * np.sqrt(of_each @ of_each)
    is_more = abs(share) >= _MIN_SHARE and abs(of_each.sum()) >= by_chance
    return float(share) if is_more else 0.0


def _filled(x):
    """Numbers, and the mean of all where they are missing."""
    missing = np.isnan(x)
    return np.where(missing, x[~missing].mean() if not missing.all() else 0.0, x)
