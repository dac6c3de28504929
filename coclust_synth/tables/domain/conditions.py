"""What is asked of the rows of a domain: conditions on its cells, and on drawn values.

The grammar is that of `coclust_synth.tables.conditions`. Conditions are
declared, and read no data: what a model of noisy counts draws under them costs nothing.
"""

import math

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.column import Column
from coclust_synth.tables.conditions.comparisons import Comparison, SumComparison
from coclust_synth.tables.conditions.parsing import parse_given, parse_where
from coclust_synth.tables.domain.bins import exact
from coclust_synth.tables.domain.layouts import SECONDS_A_DAY
from coclust_synth.tables.reading.texts.cells import cell_text
from coclust_synth.tables.schema import Schema


class DomainConditions:
    """Conditions on rows of a domain.

    Parameters
    ----------
    domain : Domain
    given, where : str, optional
        Conditions on single columns, and between columns; categories are written as the
        domain has them, `other` under its name.

    Raises
    ------
    ParameterError
        If they do not read, if no value that is drawn for a column of the domain meets
        those on it, or no values of several columns those between them.
    """

    def __init__(self, domain, given=None, where=None):
        self._domain = domain
        schema = Schema(tuple(map(_column, domain.columns)))
        self._conditions = [
            *([] if given is None else parse_given(given, schema)),
            *([] if where is None else parse_where(where, schema)),
        ]
        self._names = {name for own in self._conditions for name in own.names}
        self._allowed = [self._allowed_of(column) for column in domain.columns]
        for column, allowed in zip(domain.columns, self._allowed, strict=True):
            if not allowed.any():
                asked = ", ".join(text for text in (given, where) if text is not None)
                raise ParameterError(
                    f"Column {column.name!r}: expected conditions that values of its "
                    f"domain meet. Received {asked!r}, which none of them meets. "
                    "Loosen it; for real numbers give a range, as no single one of "
                    "them can be asked for."
                )
        for own in self._conditions:
            if not self._is_possible(own):
                raise ParameterError(
                    f"Expected a condition on {' and '.join(map(repr, own.names))} "
                    "that values of the domain meet together with the other "
                    f"conditions on them. Received {where!r}, which none of them "
                    "meets. Loosen it."
                )

    def allowed(self):
        """Cells of each column that hold a value which meets what is asked of it.

        Returns
        -------
        list of ndarray of bool, shape (size,)
            For each column of the domain.
        """
        return self._allowed

    def _comparisons_of(self, column):
        return [
            condition
            for condition in self._conditions
            if isinstance(condition, Comparison) and condition.names == (column.name,)
        ]

    def _allowed_of(self, column):
        """Cells of a column with a value that meets all comparisons with it."""
        own = self._comparisons_of(column)
        if not own:
            return np.ones(column.size, dtype=bool)
        values, codes = _values(column, [condition.value for condition in own])
        met = np.ones(len(values), dtype=bool)
        for condition in own:
            met &= condition.holds({column.name: values})
        return np.bincount(codes[met], minlength=column.size) > 0

    def _is_possible(self, condition):
        """Whether allowed cells may hold values that meet a condition between them."""
        if isinstance(condition, Comparison):
            return True  # see `_allowed_of`
        cells = {
            column.name: (column, allowed)
            for column, allowed in zip(self._domain.columns, self._allowed, strict=True)
        }
        of = [cells[name] for name in condition.names]
        if isinstance(condition, SumComparison):
            ranges = [_range(*own, self._comparisons_of(own[0])) for own in of]
            return None not in ranges and condition.is_possible(
                dict(zip(condition.names, ranges, strict=True))
            )
        left, right = (set(_texts(column)[allowed]) - {None} for column, allowed in of)
        if condition.sign == "!=":
            return bool(left and right) and len(left | right) > 1
        return not left.isdisjoint(right)

    def met(self, codes, frame):
        """Which drawn rows meet them.

        Parameters
        ----------
        codes : ndarray of int, shape (n, d)
        frame : DataFrame of n rows
            What `Domain.decode` made of the codes.

        Returns
        -------
        ndarray of bool, shape (n,)
        """
        cells = {
            column.name: frame[column.name].reset_index(drop=True)
            if column.is_numeric
            else pd.Series(_texts(column)[of], dtype=object)
            for column, of in zip(self._domain.columns, codes.T, strict=True)
            if column.name in self._names
        }
        met = np.ones(len(codes), dtype=bool)
        for condition in self._conditions:
            met &= condition.holds(cells)
        return met


def _column(column):
    """A column of a domain as conditions know it."""
    kind, dtype, categories = "real", "float64", None
    if not column.is_numeric:
        kind, dtype = "categorical", "object"
        categories = tuple(text for text in _texts(column) if text is not None)
    elif column.is_time:
        kind, dtype = "datetime", "object"
    elif column.is_date:
        kind, dtype = "datetime", "datetime64[s]"
    elif column.is_integer:
        kind, dtype = "integer", "Int64"
    return Column(
        name=column.name,
        kind=kind,
        dtype=dtype,
        categories=categories,
        unit="s" if column.is_date else None,
        format=column.time_layout,
        missing=() if column.missing is None else (column.missing,),
    )


def _range(column, allowed, comparisons):
    """Least and largest number that allowed cells hold, of dates in days; or None.

    Comparisons with the column bound them where they part a bin.
    """
    cells = np.flatnonzero(allowed[: column.n_values])
    if not len(cells):  # missing only
        return None
    ends = column.binned.starts[cells[0]], column.binned.ends[cells[-1]]
    units = SECONDS_A_DAY if column.is_timed else 1
    low, high = (exact(end.item()) / units for end in ends)
    for own in comparisons:
        if own.value is not None and own.sign in ("<", "<=", "=", "=="):
            high = min(high, exact(own.value))
        if own.value is not None and own.sign in (">", ">=", "=", "=="):
            low = max(low, exact(own.value))
    return low, high


def _texts(column):
    """What each cell of categories is called, or None; ndarray of objects."""
    texts = [*map(cell_text, column.categories)]
    texts += [] if column.other is None else [column.other]
    texts += [] if column.missing is None else [None]
    return np.array(texts, dtype=object)


def _values(column, compared):
    """Values that are drawn, of which one meets comparisons if any does.

    Parameters
    ----------
    column : DomainColumn
    compared : list of int, float, Fraction or None
        What it is compared with, as `Comparison` has it.

    Returns
    -------
    values : Series of n values
        As drawn rows have them.
    codes : ndarray of int64, shape (n,)
        Cell of each.
    """
    if not column.is_numeric:
        return pd.Series(_texts(column), dtype=object), np.arange(column.size)
    compared = [number for number in compared if number is not None]
    if column.is_date:
        units = SECONDS_A_DAY if column.is_timed else 1
        compared = [math.floor(days * units) for days in compared]
    numbers, codes = column.binned.around(compared)
    series = column.series_of(numbers)
    if column.is_integer:
        series = series.astype("Int64")
    if column.missing is not None:
        series = series.reindex(range(len(series) + 1))
        codes = np.append(codes, column.size - 1)
    return series, codes
