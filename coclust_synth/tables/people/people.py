"""A table about people that is to be released: rows, whose they are, and columns."""

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from coclust_synth.exceptions import (
    DataWarning,
    ParameterError,
    SchemaError,
    TableError,
)
from coclust_synth.tables.column import Column
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.people.roles import Roles, settle_named
from coclust_synth.tables.reading.table import TableLike, as_table, open_table
from coclust_synth.tables.reading.texts.cells import cell_texts
from coclust_synth.tables.schema import Schema, unknown_column
from coclust_synth.tables.showing import Shown
from coclust_synth.tables.table import Table, TableValues
from coclust_synth.tables.values.dtypes import not_supported

# Of people who have a value in a column that nobody else has: most can be found by it.
_MOST = 0.5
_ROLES = {"quasi-identifier": "a quasi-identifier", "sensitive": "sensitive"}


@dataclass(frozen=True, eq=False, repr=False)
class Persons(Shown):
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
            Column that names the person of each row: values of equal texts but
            for the blanks around them are the same person (1, "1" and " 1").
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
            codes, names = pd.factorize(frame[column])
        except TypeError:
            text = not_supported(frame[column], "lists or other containers")
            raise TableError(text) from None
        # The last place is that of -1.
        codes = np.append(cell_texts(pd.Series(names))[0], -1)[codes]
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

    def first_of_values(self, values: np.ndarray, missing: np.ndarray) -> np.ndarray:
        """The first row of each person that has each value, or none.

        Parameters
        ----------
        values : ndarray, shape (n,)
            Any where missing.
        missing : ndarray of bool, shape (n,)

        Returns
        -------
        ndarray of int64
            Increasing positions.

        Examples
        --------
        >>> persons = Persons("who", np.array([0, 0, 1, 0]))
        >>> missing = np.array([False, False, False, True])
        >>> persons.first_of_values(np.array([2.5, 2.5, 2.5, 2.5]), missing).tolist()
        [0, 2, 3]
        """
        codes = np.unique(values, return_inverse=True)[1]
        return self.first_of_each(np.where(missing, -1, codes))

    def spread(self, values: np.ndarray, least: int = MIN_ROWS) -> np.ndarray:
        """Rows that count where values are gathered in runs of so many persons.

        Of each value that so many hold the first row of each. Of the others rows of
        which any so many in a row, by their values, are of as many persons: so a run
        that is closed as soon as it holds so many of these tells of no fewer, as who
        has many rows is not counted again before others are.

        Parameters
        ----------
        values : ndarray, shape (n,)
        least : int, default=20

        Returns
        -------
        ndarray of int64
            Increasing positions.

        Examples
        --------
        >>> persons = Persons("who", np.array([0, 0, 0, 1, 1, 2]))
        >>> persons.spread(np.array([1, 2, 3, 4, 5, 6]), 2).tolist()
        [0, 3, 5]
        """
        once = self.first_of_values(values, np.zeros(len(values), dtype=bool))
        _, own, holders = np.unique(
            values[once], return_inverse=True, return_counts=True
        )
        is_run = holders[own] < least
        taken = once[~is_run].tolist()
        n_taken, last_taken = 0, np.full(self.n, -least)
        runs = once[is_run]
        for row in runs[np.argsort(values[runs], kind="stable")].tolist():
            person = self.codes[row]
            if n_taken - last_taken[person] >= least:
                last_taken[person] = n_taken
                n_taken += 1
                taken.append(row)
        return np.sort(np.array(taken, dtype=np.int64))

    def _told(self):
        return {"column": self.column, "rows": len(self.codes), "persons": self.n}


def count_holders(
    codes: np.ndarray,
    n_codes: int,
    persons: Persons | None = None,
    rows: np.ndarray | None = None,
) -> np.ndarray:
    """Count the individuals who hold each value.

    Parameters
    ----------
    codes : ndarray of shape (n,), int
        Value of each row, from 0 to `n_codes` - 1.
    n_codes : int
    persons : Persons, optional
        Of the rows; by default each row is an individual.
    rows : ndarray of int64, shape (n,), optional
        Individuals whom each row stands for; by default one.

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
        return np.bincount(codes, rows, n_codes).astype(np.int64)
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
            f"Expected the column of the persons, {person_id!r}, to be nothing else. "
            f"Received it as {roles[0].replace('_', ' ')} too. It is never released: "
            "leave it out there, or name another column of the persons."
        )
    return schema_of_rest


@dataclass(frozen=True, eq=False)
class People:
    """A table about people: whose its rows are, and the roles of its columns.

    Attributes
    ----------
    table : Table
        Its frame and schema are those of the people too.
    roles : Roles
    asked : Schema
        Of the quasi-identifiers alone, all kept.
    persons : Persons or None
        Whose rows they are; None where each row is a person.
    """

    table: Table
    roles: Roles
    asked: Schema
    persons: Persons | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """The rows."""
        return self.table.frame

    @property
    def values(self) -> TableValues:
        """The rows, as arrays."""
        return self.table.values

    @property
    def schema(self) -> Schema:
        """Of all columns."""
        return self.table.schema

    @classmethod
    def of(
        cls,
        table: Table | pd.DataFrame | str | os.PathLike,
        schema: Schema | None = None,
        *,
        k: int,
        quasi_identifiers: Sequence[str] | None,
        sensitive: Sequence[str] | None,
        others: str,
        person_id: str | None = None,
    ) -> "People":
        """Read a table that is to be released in classes of k persons.

        Parameters
        ----------
        table : DataFrame, path or Table
            Of at least k persons; see `as_table`.
        schema : Schema, optional
            What is known of the columns; by default inferred.
        k : int
        quasi_identifiers, sensitive, others
            As of `Roles.of`.
        person_id : str, optional
            Column that names the person of each row; it is dropped. By default each
            row is a person.

        Raises
        ------
        ParameterError
            If k is more than there are persons, the column of the persons has another
            role, or as `Roles.of` does.
        TableError, SchemaError
            If the table does not read, does not fit the schema, or a row names nobody.

        Warns
        -----
        DataWarning
            If a column that is kept beside quasi-identifiers and sensitive ones tells
            most people apart.
        """
        table = as_table(table, schema).as_dates()
        frame, schema = table
        persons = None
        if person_id is not None:
            persons = Persons.of(frame, person_id)
            schema = set_aside(
                schema,
                person_id,
                quasi_identifiers=quasi_identifiers,
                sensitive=sensitive,
            )
        check_k(k, len(frame), persons)
        known = settle_named(table.with_schema(schema), quasi_identifiers, sensitive)
        roles = Roles.of(known.schema, quasi_identifiers, sensitive, others)
        _warn_of_telling(frame[list(roles.others)], persons)
        return cls(known, roles, roles.quasi_schema(known.schema), persons)


def _warn_of_telling(others, persons):
    """Warn of columns in which most people have a value that nobody else has."""
    whose = np.arange(len(others)) if persons is None else persons.codes
    most = telling_columns(others, whose)
    if most:
        told = ", ".join(f"{name!r} ({share:.0%})" for name, share in most.items())
        warnings.warn(
            "Expected columns that are neither quasi-identifiers nor sensitive not "
            "to tell people apart, as they are released unchanged. Received some in "
            f"which so many people have a value of their own: {told}. Whoever knows "
            "such a value finds the row, however large k is. Drop them, or make them "
            "quasi-identifiers.",
            DataWarning,
            stacklevel=4,
        )


def telling_columns(others: pd.DataFrame, whose: np.ndarray) -> dict[str, float]:
    """Columns in which most people have a value that nobody else has.

    Parameters
    ----------
    others : DataFrame
        Columns that are released as they are.
    whose : ndarray of int
        The person of each row, from 0.

    Returns
    -------
    dict of str to float
        Column to the share of the people who have such a value.

    Examples
    --------
    >>> table = pd.DataFrame({"pay": [310, 320, 330, 340], "sex": list("fmfm")})
    >>> telling_columns(table, np.arange(4))
    {'pay': 1.0}
    """
    shares = {}
    for name in others:
        pairs = pd.DataFrame({"value": pd.factorize(others[name])[0], "who": whose})
        pairs = pairs[pairs["value"] >= 0].drop_duplicates()
        own = pairs[~pairs["value"].duplicated(keep=False)]
        shares[name] = own["who"].nunique() / len(np.unique(whose))
    return {name: share for name, share in shares.items() if share >= _MOST}


def read_population(population: TableLike, asked: Schema) -> pd.DataFrame:
    """Read the people among whom those of a table are, once.

    Parameters
    ----------
    population : DataFrame, path or Table
        With the columns of `asked`, among others.
    asked : Schema
        Of the quasi-identifiers, as they are in the table: those of the population are
        read as what they are there, as texts and numbers have no value in common.

    Returns
    -------
    DataFrame

    Raises
    ------
    ParameterError, TableError
        If the population does not read.
    SchemaError
        If it lacks a quasi-identifier, or values do not fit.
    """
    source = open_table(population).without_empty_rows()
    frame, found = source.complete()
    lacking = [name for name in asked.names if name not in found.names]
    if lacking:
        raise SchemaError(
            "Expected a population with the quasi-identifiers "
            f"{', '.join(map(repr, asked.names))}. Received one without "
            f"{', '.join(map(repr, lacking))}. Give the same columns."
        )
    alike = tuple(
        column
        if column.name not in asked.names or _comparable(column, asked[column.name])
        else asked[column.name].open
        for column in found.columns
    )
    return frame if alike == found.columns else source.complete(Schema(alike)).frame


def _comparable(one: Column, other: Column) -> bool:
    numbers = ("integer", "real")
    return one.kind == other.kind or (one.kind in numbers and other.kind in numbers)


def check_k(k: int, n_rows: int, persons: Persons | None) -> None:
    """Refuse a k of more individuals than a table has.

    Parameters
    ----------
    k : int
    n_rows : int
    persons : Persons or None
        None: each row is a person.

    Raises
    ------
    ParameterError
    """
    n, unit = (n_rows, "rows") if persons is None else (persons.n, "persons")
    if k > n:
        raise ParameterError(
            f"Expected k up to the number of {unit}, {n}. Received {k}. Choose a "
            "smaller k."
        )
