"""Columns that may tell others, in the rows that have one of these."""

from collections import OrderedDict

import numpy as np

from coclust_synth.tables.rules.fitting.rounding import MAX_UNUSABLE

# Of more columns, those that go least with the target are no part of what tells it.
_MAX_COLUMNS = 200
# Sets of rows that are remembered: those of columns that no row lacks, most of all.
_MAX_REMEMBERED = 3


class Tellers:
    """The columns that may tell others, as they are in some of the rows.

    Many columns are known in the same rows, which are looked at once for all of them.

    Parameters
    ----------
    sample : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    """

    def __init__(self, sample):
        self._sample, self._remembered = sample, OrderedDict()

    def of(self, known, banned, *, logarithms):
        """Columns that a fit may use, in the rows that have the target.

        Parameters
        ----------
        known : ndarray of bool, shape (n,)
            Rows that have it.
        banned : collection of str
            Columns that it may not use.
        logarithms : bool
            Whether their logarithms are meant.

        Returns
        -------
        dict of str to ndarray of float64, shape (m,)
            The few missing values are the median.
        """
        columns = self._of_rows(known, logarithms).columns
        return {name: x for name, x in columns.items() if name not in banned}

    def going_with(self, y, known, banned, *, logarithms):
        """The `_MAX_COLUMNS` of these that go with the target most, in their order.

        Parameters
        ----------
        y : ndarray of float64, shape (m,)
            What is told, in the rows that have it.
        known, banned, logarithms
            See `of`.
        """
        columns = self.of(known, banned, logarithms=logarithms)
        if len(columns) <= _MAX_COLUMNS:
            return columns
        told = self._of_rows(known, logarithms).told(y)
        # Of a sum to the last digit the order hangs on that of adding.
        told = np.array([round(told[name], 9) for name in columns])
        weakest = np.argsort(-told, kind="stable")[_MAX_COLUMNS:]
        names = [*columns]
        return {name: columns[name] for name in np.delete(names, weakest)}

    def _of_rows(self, known, logarithms):
        key = known.tobytes(), logarithms
        if key not in self._remembered:
            if len(self._remembered) == _MAX_REMEMBERED:
                self._remembered.popitem(last=False)
            own = {
                name: as_teller(x[known], logarithms)
                for name, x in self._sample.items()
            }
            own = {name: x for name, x in own.items() if x is not None}
            self._remembered[key] = _InRows(own)
        self._remembered.move_to_end(key)
        return self._remembered[key]


class _InRows:
    """Columns by name, in some rows, and how each goes with others."""

    def __init__(self, columns):
        self.columns, self._x = columns, None

    def told(self, y):
        """How much each column goes with y, from 0 to 1 or a little more, by name."""
        if self._x is None:
            # One after the other, as each fits into the cache.
            self._x = np.empty((len(self.columns), len(y)))
            for own, x in zip(self._x, self.columns.values(), strict=True):
                own[:] = x - x.mean()
                own /= np.maximum(own.std(), 1e-300)
        y = (y - y.mean()) / np.maximum(y.std(), 1e-300)
        return dict(zip(self.columns, np.abs(self._x @ y) / len(y), strict=True))


def as_teller(x, logarithms):
    """A column as a fit may use it, None where it may not: few lack it, and it varies.

    Parameters
    ----------
    x : ndarray of float64, shape (m,)
        nan where missing.
    logarithms : bool

    Returns
    -------
    ndarray of float64, shape (m,), or None
    """
    good = x > 0 if logarithms else ~np.isnan(x)
    n_good = np.count_nonzero(good)
    if n_good / len(x) < 1 - MAX_UNUSABLE:
        return None
    told = x if n_good == len(x) else x[good]
    if told.min() == told.max():
        return None
    if n_good < len(x):
        x = np.where(good, x, np.median(told))
    return np.log(x) if logarithms else x
