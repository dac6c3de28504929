"""Whose rows those of a table are, where a person can have several."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.tables.dtypes import not_supported
from coclust_synth.tables.schema import Schema, unknown_column

_ROLES = {"quasi-identifier": "a quasi-identifier", "sensitive": "sensitive"}


@dataclass(frozen=True, eq=False)
class Persons:
    """The person of each row of a table.

    Attributes
    ----------
    column : str
        The column that names them.
    codes : ndarray of int64, shape (n,)
        Number of the person of each row, from 0 without gaps.
    """

    column: str
    codes: np.ndarray

    @classmethod
    def of(cls, frame: pd.DataFrame, column: str, what: str = "person") -> "Persons":
        """Read the persons of a table.

        Parameters
        ----------
        frame : DataFrame of n rows
        column : str
            Column that names the person of each row: equal values, the same person.
        what : str, default="person"
            What is named, for the message: households are read so too.

        Raises
        ------
        TableError
            If there is no such column, or a row names nobody.
        """
        if column not in frame.columns:
            raise TableError(unknown_column(column, tuple(frame.columns)))
        try:
            codes = pd.factorize(frame[column])[0]
        except TypeError:
            text = not_supported(frame[column], "lists or other containers")
            raise TableError(text) from None
        nobody = int((codes < 0).sum())
        if nobody:
            raise TableError(
                f"Expected every row to name its {what} in {column!r}. Received "
                f"{nobody} rows that do not. Fill them in, or remove those rows."
            )
        return cls(column, codes.astype(np.int64))

    @property
    def n(self) -> int:
        """Number of persons."""
        return int(self.codes.max()) + 1

    def count(self, labels: np.ndarray) -> np.ndarray:
        """Different persons among the rows of each label.

        Parameters
        ----------
        labels : ndarray of int, shape (n,)
            From 0; rows of -1 are of none.

        Returns
        -------
        ndarray of int64, shape (largest label + 1,)

        Examples
        --------
        >>> persons = Persons("who", np.array([0, 0, 1, 2]))
        >>> persons.count(np.array([0, 0, 0, 1])).tolist()
        [2, 1]
        """
        kept = labels >= 0
        pairs = np.unique(labels[kept].astype(np.int64) * self.n + self.codes[kept])
        return np.bincount(pairs // self.n)

    def first_of_each(self, codes: np.ndarray) -> np.ndarray:
        """The first row of each person that has each code.

        Parameters
        ----------
        codes : ndarray of int, shape (n,)
            From -1.

        Returns
        -------
        ndarray of int64
            Increasing positions.

        Examples
        --------
        >>> persons = Persons("who", np.array([0, 0, 1, 0]))
        >>> persons.first_of_each(np.array([4, 4, 4, 5])).tolist()
        [0, 2, 3]
        """
        pairs = self.codes * (int(codes.max()) + 2) + codes + 1
        return np.sort(np.unique(pairs, return_index=True)[1])


def count_holders(
    codes: np.ndarray, n_codes: int, persons: Persons | None = None
) -> np.ndarray:
    """Count the individuals who hold each value.

    Parameters
    ----------
    codes : ndarray of shape (n,), int
        Value of each row, from 0 to `n_codes` - 1.
    n_codes : int
    persons : Persons, optional
        Of the rows; by default each row is an individual.

    Returns
    -------
    ndarray of shape (n_codes,), int64

    Examples
    --------
    >>> persons = Persons("who", np.array([0, 0, 0, 1]))
    >>> count_holders(np.array([0, 0, 1, 0]), 3, persons).tolist()
    [2, 1, 0]
    """
    if persons is None:
        return np.bincount(codes, minlength=n_codes)
    counts = persons.count(codes)
    return np.pad(counts, (0, n_codes - len(counts)))


def set_aside(schema: Schema, person_id: str, **named) -> Schema:
    """The schema in which the column of the persons is dropped.

    Parameters
    ----------
    schema : Schema
    person_id : str
    **named : sequence of str or None
        Names given as the columns of a role, such as ``sensitive``.

    Raises
    ------
    ParameterError
        If the column has another role, by these names or the schema.
    SchemaError
        If the schema has no such column.
    """
    schema_of_rest = schema.drop(person_id)
    roles = [role for role, names in named.items() if person_id in (names or ())]
    column = schema[person_id]
    if column.treatment != "drop" and column.role in _ROLES:
        roles.append(_ROLES[column.role])
    if roles:
        raise ParameterError(
            f"Expected a column of the persons, {person_id!r}, that is nothing else. "
            f"Received it as {roles[0].replace('_', ' ')} too. It is never released: "
            "leave it out there, or name another column of the persons."
        )
    return schema_of_rest
