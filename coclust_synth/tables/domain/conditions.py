"""What is asked of the rows of a domain: conditions on its cells, and on drawn values.

The grammar is that of `coclust_synth.tables.rules.conditions`. Conditions are declared,
and read no data: what a model of noisy counts draws under them costs nothing.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from coclust_synth.tables.reading.cells import cell_text
from coclust_synth.tables.rules.conditions import (
    Comparison,
    parse_given,
    parse_where,
)
from coclust_synth.tables.schema import Column, Schema


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
        If they do not read.
    """

    def __init__(self, domain, given=None, where=None):
        self._domain = domain
        schema = Schema(tuple(map(_column, domain.columns)))
        self._conditions = [
            *([] if given is None else parse_given(given, schema)),
            *([] if where is None else parse_where(where, schema)),
        ]
        self._names = {name for own in self._conditions for name in own.names}

    def allowed(self):
        """Cells of each column that hold a value which may meet them.

        Returns
        -------
        list of ndarray of bool, shape (size,)
            For each column of the domain.
        """
        found = [np.ones(size, dtype=bool) for size in self._domain.sizes]
        for condition in self._conditions:
            if isinstance(condition, Comparison):
                j = self._domain.names.index(condition.column.name)
                found[j] &= _may_meet(self._domain.columns[j], condition)
        return found

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
        missing=() if column.missing is None else (column.missing,),
    )


def _texts(column):
    """What each cell of categories is called, or None; ndarray of objects."""
    texts = [*map(cell_text, column.categories)]
    texts += [] if column.other is None else [column.other]
    texts += [] if column.missing is None else [None]
    return np.array(texts, dtype=object)


def _may_meet(column, condition):
    """Cells that hold a value which meets a comparison."""
    if not column.is_numeric:
        texts = pd.Series(_texts(column), dtype=object)
        return condition.holds({column.name: texts})

    def holds(sign, numbers):
        return replace(condition, sign=sign).holds({column.name: numbers})

    starts = _series(column, column.binned.starts)
    ends = _series(column, column.binned.ends)
    if condition.value is not None and condition.sign in ("=", "=="):
        return holds("<=", starts) & holds(">=", ends)
    return holds(condition.sign, starts) | holds(condition.sign, ends)


def _series(column, numbers):
    """A number of each bin, as drawn rows have it, and missing where that is a cell."""
    if column.is_date:
        numbers = column.instants(numbers).astype("M8[s]")
    series = pd.Series(numbers)
    if column.is_integer and not column.is_date:
        series = series.astype("Int64")
    return series.reindex(range(column.size))
