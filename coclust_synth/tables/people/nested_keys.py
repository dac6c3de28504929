"""Keys of what persons have several of, each of some rows: claims, stays, accidents.

Such a column is drawn as a number that counts them in each person, in the order in
which they come (1, 1, 2, 3, 3), and made anew, as other keys are: none that is made is
one of the table's. What is the same in all rows of each claim stays so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.column import Column
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.keys import Key


@dataclass(frozen=True)
class NestedKey:
    """A column whose every value is of one person.

    Attributes
    ----------
    key : Key
    constants : tuple of str
        Columns that are the same in all rows of one value, and not of a person, other
        nested keys among them.

    Examples
    --------
    >>> frame = pd.DataFrame({"claim": [71, 71, 90], "paid": [5, 7, 2]})
    >>> column = Column(name="claim", kind="integer", dtype="int64")
    >>> own = NestedKey(Key.of_persons(frame["claim"], column, 0))
    >>> numbered = own.numbered(frame, np.array([0, 0, 0]))
    >>> numbered["claim"].tolist()
    [1, 1, 2]
    >>> own.named(numbered, np.array([0, 0, 0]))["claim"].tolist()
    [11, 11, 12]
    """

    key: Key
    constants: tuple[str, ...] = ()

    @property
    def column(self) -> str:
        """Its name."""
        return self.key.column.name

    @classmethod
    def learn(
        cls,
        frame: pd.DataFrame,
        schema: Schema,
        column: Column,
        persons: Persons,
        min_individuals: int,
    ) -> Self:
        """How keys like those of a column are made.

        Parameters
        ----------
        frame : DataFrame of n rows
        schema : Schema
            Complete.
        column : Column
            Of the schema.
        persons : Persons
            Of the rows.
        min_individuals : int
            Persons of several rows with one key, at least, to tell what stays in them.

        Raises
        ------
        SchemaError
            If keys are missing somewhere, or of several persons, or neither texts nor
            whole numbers.
        """
        series, name = frame[column.name], column.name
        codes, _ = pd.factorize(series)
        n_missing = int((codes < 0).sum())
        n_shared = int((_owners(codes, persons.codes) > 1).sum()) if len(codes) else 0
        if n_missing or n_shared:
            raise SchemaError(
                f"Expected a key, {name!r}, that differs in every row, or between the "
                f"rows of different persons. Received none in {n_missing:,} of the "
                f"rows, and {n_shared:,} of the keys in rows of several persons. Drop "
                "it, or keep it as values."
            )
        before = schema.columns[: schema.names.index(name)]
        position = sum(c.treatment in ("keep", "key") for c in before)
        is_first = ~series.duplicated().to_numpy()
        whose = persons.codes[is_first]
        key = Key.learn(series[is_first], column, position, whose)
        several = np.bincount(codes)[codes] > 1
        n_told = persons.count(np.where(several, 0, -1)).sum()
        constants: tuple[str, ...] = ()
        if n_told >= max(min_individuals, 1):
            released = [
                c.name for c in schema.columns if c.treatment in ("keep", "key")
            ]
            constants = tuple(
                other
                for other in released
                if other != name
                and _stays(frame[other], codes)
                and not _stays(frame[other], persons.codes)
            )
        return cls(key, constants)

    def numbered(self, frame: pd.DataFrame, person: NDArray[np.int64]) -> pd.DataFrame:
        """Rows with a number for each key, from 1 in each person.

        Parameters
        ----------
        frame : DataFrame of n rows
        person : ndarray of int64, shape (n,)
            Whose each row is.
        """
        codes, _ = pd.factorize(frame[self.column])
        owner = person[np.unique(codes, return_index=True)[1]]
        numbers = pd.Series(owner).groupby(owner).cumcount().to_numpy(np.int64) + 1
        return frame.assign(**{self.column: numbers[codes]})

    def held(self, frame: pd.DataFrame, person: NDArray[np.int64]) -> pd.DataFrame:
        """Numbered rows, in which what stays is that of the first row of each key."""
        codes, _ = self._codes(frame, person)
        first = np.unique(codes, return_index=True)[1][codes]
        stays = {name: frame[name].iloc[first].array for name in self.constants}
        return frame.assign(**stays)

    def named(self, frame: pd.DataFrame, person: NDArray[np.int64]) -> pd.DataFrame:
        """Rows as they are released: the inverse of `numbered`, with new keys."""
        codes, n = self._codes(frame, person)
        keys = self.key.make(n).iloc[codes].array
        return frame.assign(**{self.column: keys})

    def _codes(self, frame, person):
        """Number of the key of each row among all, in their order, and how many."""
        numbers = frame[self.column].to_numpy(dtype=np.int64)
        pairs = pd.MultiIndex.from_arrays([person, numbers])
        codes, keys = pd.factorize(pairs)
        return codes, len(keys)

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return {"key": self.key.to_dict(), "constants": list(self.constants)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return cls(Key.from_dict(data["key"]), tuple(map(str, data["constants"])))


def find_nested_keys(
    frame: pd.DataFrame, schema: Schema, persons: Persons | None, min_individuals: int
) -> tuple[NestedKey, ...]:
    """Of the keys of a table, those that several rows of a person share.

    Parameters
    ----------
    frame : DataFrame of n rows
    schema : Schema
        Complete; of treatment "key" are its keys.
    persons : Persons, optional
        Of the rows; by default each is an individual, and no key is nested.
    min_individuals : int
        As of `NestedKey.learn`.

    Raises
    ------
    SchemaError
        As `NestedKey.learn`.
    """
    if persons is None:
        return ()
    columns = [
        column
        for column in schema.columns
        if column.treatment == "key" and frame[column.name].dropna().duplicated().any()
    ]
    # Rows of a claim are held together before the claims of a stay.
    columns.sort(key=lambda column: -frame[column.name].nunique())
    return tuple(
        NestedKey.learn(frame, schema, column, persons, min_individuals)
        for column in columns
    )


def with_numbers(
    values: TableValues, schema: Schema, nested: Sequence[NestedKey], persons: Persons
) -> tuple[TableValues, Schema]:
    """A table and its schema with numbers for nested keys, which are to be drawn.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete.
    nested : sequence of NestedKey
    persons : Persons
        Of the rows.
    """
    if not nested:
        return values, schema
    frame, columns = values.frame, {c.name: c for c in schema.columns}
    for own in nested:
        frame = own.numbered(frame, persons.codes)
        # Nobody's number: there are as many rows.
        ends = 1, len(frame)
        columns[own.column] = Column(
            name=own.column, kind="integer", dtype="int64", step=1, bounds=ends
        )
    others = {*columns} - {own.column for own in nested}
    schema = replace(schema, columns=tuple(columns.values()))
    return TableValues(frame, (values, others)), schema


def _owners(codes, person):
    """Persons of each code that is not below 0."""
    pairs = np.unique(np.column_stack([codes, person])[codes >= 0], axis=0)
    return np.bincount(pairs[:, 0])


def _stays(series, codes):
    """Whether a column is the same in all rows of each code."""
    values, _ = pd.factorize(series)
    first = np.unique(codes, return_index=True)[1]
    return bool((values == values[first[codes]]).all())
