"""Rows in the codes of a domain: one by one, or the distinct ones and how many.

And as a declared domain reads them, with the values that are written there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from coclust_synth.exceptions import no_data_warnings
from coclust_synth.tables.column import Column
from coclust_synth.tables.domain.column import DomainColumn
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.layouts import texts_of_times
from coclust_synth.tables.reading.table import as_table
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import Table


@dataclass(frozen=True, eq=False)
class DomainRows:
    """The rows of a table, as exact counts are made of them.

    Attributes
    ----------
    codes : ndarray of int64, shape (m, d)
        As `Domain.encode` gives them.
    rows : ndarray of int64, shape (m,), or None
        Rows of the table that each stands for; None where each stands for itself.
    """

    codes: np.ndarray
    rows: np.ndarray | None = None

    @classmethod
    def of(cls, codes: "np.ndarray | DomainRows") -> "DomainRows":
        """Rows one by one; what is some already comes back as it is."""
        if isinstance(codes, DomainRows):
            return codes
        return cls(codes.astype(np.int64))

    def __len__(self) -> int:
        """Rows of the table."""
        return len(self.codes) if self.rows is None else int(self.rows.sum())

    def count(self, labels: np.ndarray, n_labels: int) -> np.ndarray:
        """Rows of each label, the same integers whichever way rows are held.

        Parameters
        ----------
        labels : ndarray of int, shape (m,)
            From 0.
        n_labels : int

        Returns
        -------
        ndarray of int64, shape (n_labels,)

        Examples
        --------
        >>> codes = np.array([[0], [1], [1]])
        >>> DomainRows(codes).count(codes[:, 0], 2).tolist()
        [1, 2]
        >>> DomainRows(codes[:2], np.array([1, 2])).count(codes[:2, 0], 2).tolist()
        [1, 2]
        """
        # Sums of whole numbers below 2^53 are exact in floats.
        return np.bincount(labels, self.rows, n_labels).astype(np.int64)

    def select(self, columns: Sequence[int]) -> "DomainRows":
        """The same rows, of some columns."""
        return replace(self, codes=self.codes[:, columns])


def declared_table(domain: Domain, frame: pd.DataFrame) -> Table:
    """A table whose columns are what a domain declares, whatever other rows hold.

    Categories and marks of missing values are those of the domain; numbers and dates
    are as they are written, not only their bins. For comparing rows with a release of
    the domain: exact values of the rows, with nothing added to protect anyone.

    Parameters
    ----------
    domain : Domain
    frame : DataFrame
        As `Domain.encode` reads it: of texts, best of all.

    Returns
    -------
    Table
        With the columns of the domain.

    Raises
    ------
    TableError
        As `Domain.encode`.

    Examples
    --------
    >>> domain = Domain.from_dict({"age": {"low": 0, "high": 99, "bins": 2}})
    >>> frame = pd.DataFrame({"age": ["17", "80"], "name": ["A", "B"]})
    >>> declared_table(domain, frame).frame["age"].tolist()
    [17.0, 80.0]
    """
    codes = domain.encode(frame)
    series, columns = {}, []
    for column, own in zip(domain.columns, codes.T, strict=True):
        known = np.ones(len(own), dtype=bool)
        if column.missing is not None:
            known = own < column.size - 1
        if column.is_numeric:
            values = _written(column, frame[column.name])
            series[column.name] = values.where(known)
        else:
            series[column.name] = column.decode(own, np.random.default_rng(0))
        columns.append(
            Column(
                name=column.name,
                kind=_kind(column),
                treatment="keep",
                format=column.time_layout,
            )
        )
    with no_data_warnings():  # a column may hold one value only
        return as_table(pd.DataFrame(series), Schema(tuple(columns)))


def _kind(column: DomainColumn) -> str:
    if not column.is_numeric:
        return "categorical"
    if column.is_date:
        return "datetime"
    return "integer" if column.is_integer else "real"


def _written(column: DomainColumn, cells: pd.Series) -> pd.Series:
    """Numbers or dates as they are written; missing where there is none."""
    codes, texts = column.texts_of(cells)
    parsed = [*map(column.parser(), texts), None]
    if column.is_time:  # as released ones are
        known = [None if own is None else _time(own, column) for own in parsed]
        values = np.array(known, dtype=object)
    elif column.is_date:
        known = [None if date is None else np.datetime64(date, "us") for date in parsed]
        values = np.array(known, dtype="M8[us]")
    else:
        values = np.array([np.nan if own is None else float(own) for own in parsed])
    return pd.Series(values[codes])


def _time(time, column):
    return texts_of_times([time], column.format)[0]
