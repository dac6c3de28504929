"""Rows of keys: how many, that all are those of the person, and the last one."""

import numpy as np

from coclust_synth.generators.plain.persons.kept.person_totals import Total
from coclust_synth.tables.laws.laws import MIN_ROWS

#: Names of the number of rows of a key, where these are drawn one by one, of those of
#: all keys of a person, ...
KEY_ROWS, ALL_ROWS = "\0rows of a key", "\0rows of all keys"
#: ... and of how many each key that is to come has of these, on average.
EACH = "\0rows of each key"
#: It is told in so many parts of a row.
PARTS = 10
#: Of a person.
ROWS_OF_KEYS = Total(ALL_ROWS, KEY_ROWS)


class LastOfKeys:
    """The last rows of some keys, of which the first ones are drawn.

    Attributes
    ----------
    coding : TableCoding
    codes : ndarray of int32, shape (n, d)
    numbers : dict of str to ndarray of float64, shape (n,)

    Parameters
    ----------
    row : Drawing
        The first rows.
    """

    def __init__(self, row):
        self.coding, self.codes = row.coding, row.codes[:, : len(row.coding.parts)]
        self.codes, self.numbers = self.codes.copy(), dict(row.numbers)

    def go_on(self, row, place):
        """Further rows of some of the keys.

        Parameters
        ----------
        row : Drawing
        place : ndarray of int64, shape (m,)
            Of each row among the keys.
        """
        for name in {*row.held} & {*self.coding.names}:
            j, own = (of.coding.names.index(name) for of in (self, row))
            self.codes[place, j] = row.codes[:, own]
            if name in row.numbers:
                self.numbers[name] = self.numbers[name].copy()
                self.numbers[name][place] = row.numbers[name]


def numbers_told(n_rows):
    """Numbers of rows of which nobody has more than twice what 20 persons reach.

    Parameters
    ----------
    n_rows : ndarray of int64, shape (n,)
        Of each person.

    Returns
    -------
    ndarray of int64, shape (n,)

    Examples
    --------
    >>> numbers_told(np.append(np.full(30, 10), 600))[-1].item()
    20
    """
    return np.minimum(n_rows, 2 * np.sort(n_rows)[-MIN_ROWS:][0])


def rows_each(rows, n_keys):
    """How many rows each of some keys has on average, in tenths.

    Parameters
    ----------
    rows, n_keys : ndarray, shape (n,)

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    return np.rint(PARTS * rows / n_keys).astype(np.int64)


def key_rows_between(n_keys, least, most, most_keys=None):
    """From how many to how many rows keys have, and keys and rows persons, by column.

    The last key gets all that are left. What is drawn before the others says nothing.

    Parameters
    ----------
    n_keys : str
        Number that says how many keys are to come, this one among them.
    least, most : float
        Rows that one key can have.
    most_keys : float, optional
        Keys that a person can have, where it is the first one.

    Returns
    -------
    dict of str to callable
        As a `Drawing` takes it.
    """
    rest = ROWS_OF_KEYS.rest if most_keys is None else ALL_ROWS

    def of_key(numbers):
        if not {n_keys, rest} <= numbers.keys():
            return least, most
        others, rows = numbers[n_keys] - 1, numbers[rest]
        ends = rows - others * most, rows - others * least
        return tuple(np.maximum(own, least) for own in ends)

    def of_keys(numbers):
        rows = numbers.get(ALL_ROWS)
        if rows is None:
            return 1, most_keys
        return np.ceil(rows / most), np.maximum(rows // least, 1)

    def of_all(numbers):
        fewest, keys = numbers.get(n_keys, 1), numbers.get(n_keys, most_keys)
        return fewest * least, keys * most

    if most_keys is None:
        return {KEY_ROWS: of_key}
    return {KEY_ROWS: of_key, n_keys: of_keys, ALL_ROWS: of_all}
