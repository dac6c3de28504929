"""What the level of a person leaves for the rows to come, in a column of two values.

Who lives in a city in a third of their rows may move there once, and stay, or go there
and back: a level alone says neither, and drawn rows would come back to what most of
them are. So each row is drawn knowing in what share of it and of those after it the
person is to have the second value, as the rows before leave it: who has moved away is
not drawn back, and what is drawn of a person has the level that was drawn.

It is said of columns that k persons change in either direction. What goes one way (who
has married is no longer single) is told by the row before. Nor is it said where more
than .5 % of the persons have a level that fewer than 20 are near, and that is drawn as
one that many have: those who are often ill would all be ill once.
"""

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.persons.known.person_levels import STEPS


def rest_after(
    rest: NDArray[np.float64], codes: NDArray[np.int_], left: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The share of the rows to come, by that of these and one more.

    Parameters
    ----------
    rest : ndarray of float64, shape (n,)
        Before a row, in steps; nan of who has no level.
    codes : ndarray of int, shape (n,)
        Of the row: 0 and 1, others are missing and say nothing.
    left : ndarray of float64, shape (n,)
        How many are to come after it.

    Examples
    --------
    Half of the rows of four people are to have it, and the next row has it, has it not,
    has it, and is missing:

    >>> rest_after(np.full(4, 5000.0), np.array([1, 0, 1, 2]), np.array([3, 3, 1, 3]))
    array([3333., 6667.,    0., 5000.])
    """
    off = np.where(codes < 2, rest - STEPS * np.minimum(codes, 1), 0.0)
    return np.clip(np.rint(rest + off / left), 0, STEPS)


def rests_of(
    rest: NDArray[np.float64],
    codes: NDArray[np.int_],
    place: NDArray[np.int_],
    left: NDArray[np.int_],
) -> NDArray[np.float64]:
    """The share before each row that is not the first of its person.

    Parameters
    ----------
    rest : ndarray of float64, shape (n,)
        Level of the person of each row, those of a person side by side.
    codes : ndarray of int, shape (n,)
    place : ndarray of int, shape (n,)
        How many rows of its person are before each.
    left : ndarray of int, shape (m,)
        Of rows that are not the first, with themselves.
    """
    rest, later = rest.copy(), place > 0
    n_left = np.zeros(len(rest))
    n_left[later] = left
    order = np.argsort(place, kind="stable")
    for at in np.split(order, np.cumsum(np.bincount(place))[:-1])[1:]:
        rest[at] = rest_after(rest[at - 1], codes[at - 1], n_left[at])
    return rest[later]
