"""A table as rules read it: parts of each cell, and columns as comparable numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd

from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.midnight import first_of_day
from coclust_synth.tables.parts.of_persons import learn_of_persons
from coclust_synth.tables.parts.rare.released import ReleasedTable
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rules.compared.bins import band_starts, code_bins
from coclust_synth.tables.rules.compared.numbers import NumberScale
from coclust_synth.tables.table import TableValues


@dataclass(frozen=True, eq=False)
class Evidence:
    """The rows of a table, coded.

    Attributes
    ----------
    coding : TableCoding
        Atoms and categories of each of the d columns.
    codes : ndarray of int32, shape (n, d)
    of_codes : tuple of ndarray of int32
        The bin of each code, for each column; see `code_bins`.
    values : dict of str to ndarray, shape (n,)
        Of each column of numbers or dates.
    numbers : dict of str to ndarray of float64, shape (n,)
        The same, dates in days; nan where missing.
    persons : Persons or None
        Of the rows; None where each row is an individual.
    moved : mapping of int to ndarray of bool, shape (n,)
        Of columns of categories, the rows whose own value is rare, and that have a
        common one in its place, no group: it says nothing of what is beside it.
    """

    coding: TableCoding
    codes: np.ndarray
    of_codes: tuple[np.ndarray, ...]
    values: dict[str, np.ndarray]
    numbers: dict[str, np.ndarray]
    persons: Persons | None = None
    moved: Mapping[int, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, released: ReleasedTable, persons: Persons | None = None) -> Self:
        """Code a table in atoms, which are made for it.

        Parameters
        ----------
        released : ReleasedTable of n rows
            Atoms and categories are made of its values. Rules hold for the numbers
            before: a sum of released ones, of which some stand for others, would be
            another.
        persons : Persons, optional
        """
        released = released.with_own_ends()
        coding = TableCoding.learn(
            released.values,
            released.schema,
            binning="atoms",
            persons=persons,
            pools=released.pools,
        )
        codes = coding.encode(released.values)
        columns = zip(
            codes.T, coding.parts, band_starts(codes, coding.parts), strict=True
        )
        of_codes = tuple(code_bins(*column) for column in columns)
        values, numbers = _numbers(released.original, coding)
        moved = _moved(released, coding)
        return cls(coding, codes, of_codes, values, numbers, persons, moved)

    @classmethod
    def of_drawn(
        cls, frame: pd.DataFrame, coding: TableCoding, of_codes: tuple[np.ndarray, ...]
    ) -> Self:
        """Rows that were drawn, in the atoms and bins that they were drawn from."""
        table = TableValues(frame)
        values, numbers = _numbers(table, coding)
        return cls(coding, coding.encode(table), of_codes, values, numbers)

    @cached_property
    def scales(self):
        """Between values and numbers, of the columns that rules compare."""
        return number_scales(self.coding)

    @cached_property
    def dates(self):
        """Names of the columns of dates; those of times without a date are not."""
        columns = self.coding.schema.columns
        return {c.name for c in columns if c.kind == "datetime" and not c.is_time}

    def first_code(self, name):
        """The code with which the order of a column begins, see `first_of_day`."""
        if name not in self.values:
            return 0
        parts = self.coding.parts[self.coding.names.index(name)]
        known = ~np.isnan(self.numbers[name])
        who = np.arange(len(known)) if self.persons is None else self.persons.codes
        own = self.values[name][known], who[known]
        return first_of_day(parts.means, *own, parts.ruler)

    def are_alike(self, one, other):
        """Whether two columns are both of dates, of times, or of numbers.

        Of dates both are as they are counted, or both are of a time zone, which are
        counted in UTC.
        """
        schema = self.coding.schema
        alike = schema[one].compared_as == schema[other].compared_as
        return alike and (one in self.zoned) == (other in self.zoned)

    @cached_property
    def zoned(self):
        """Names of the columns of dates with a time zone other than UTC."""
        columns = ((n, self.coding.schema[n].dtype or "") for n in self.dates)
        return {name for name, dtype in columns if "," in dtype and "UTC]" not in dtype}

    @cached_property
    def bins(self):
        """Bin of each cell, ndarray of int32, shape (n, d)."""
        of_columns = enumerate(self.of_codes)
        return np.column_stack([of[self.codes[:, j]] for j, of in of_columns])

    @cached_property
    def n_bins(self):
        """Bins of each column, list of int."""
        return [int(of.max(initial=0)) + 1 for of in self.of_codes]

    @cached_property
    def pooled(self):
        """Bins that stand for several values, a set for each column that has some."""
        return pooled_codes(self.coding)

    def is_moved(self, *columns):
        """Rows of which a cell of these columns has another's value; see `moved`."""
        moved = np.zeros(len(self.codes), dtype=bool)
        for j in columns:
            moved |= self.moved.get(j, False)
        return moved

    @cached_property
    def missing(self):
        """Bin of missing values, of each column that has some."""
        of_columns = zip(self.coding.parts, self.of_codes, strict=True)
        return {
            j: int(of_codes[-1])
            for j, (parts, of_codes) in enumerate(of_columns)
            if parts.with_missing
        }

    @property
    def who(self):
        """Code of the person of each row; None where each row is an individual."""
        return None if self.persons is None else self.persons.codes

    @property
    def n_individuals(self):
        """Rows, or persons."""
        return len(self.codes) if self.persons is None else self.persons.n

    def numbers_of(self, relation):
        """Numbers, and the categories that a relation reads, see `numbers_for`."""
        return numbers_for(relation, self.numbers, self.codes, self.coding)

    def count(self, labels, n_labels):
        """Individuals of each label, ndarray of int64; rows of -1 have none."""
        if self.persons is None:
            return np.bincount(labels[labels >= 0], minlength=n_labels)
        counts = self.persons.count(labels)
        return np.pad(counts, (0, n_labels - len(counts)))

    def learn_atoms(self, values, missing, ruler):
        """Atoms of a number that is told of each row, of 20 individuals each.

        Parameters
        ----------
        values : ndarray, shape (n,)
            Any where missing.
        missing : ndarray of bool, shape (n,)
        ruler : Ruler

        Returns
        -------
        AtomParts
        """

        def learn(values, missing, holders=None):
            counts = count_values(values, missing)
            how = {"holders": holders}
            return learn_atoms(counts, None, ruler, bool(missing.any()), **how)

        if self.persons is None:
            return learn(values, missing)
        return learn_of_persons(learn, values, missing, self.persons)

    def n_of(self, rows):
        """Individuals of some rows, given as an ndarray of bool, shape (n,)."""
        return int(self.count(np.where(rows, 0, -1), 1)[0])


def _moved(released, coding):
    """See `Evidence.moved`; groups, and nodes of hierarchies, are no values."""
    moved = {}
    for pool in released.pools:
        if released.schema[pool.name].kind == "categorical":
            tables = released.original, released.values
            own, new = (of.frame[pool.name].astype(object) for of in tables)
            values = {*own.unique()} - pool.groups
            rows = (own != new) & new.notna() & new.isin(values)
            if rows.any():
                moved[coding.names.index(pool.name)] = rows.to_numpy()
    return moved


def _numbers(table, coding):
    """Values and comparable numbers of the columns that have an order, by name."""
    values, numbers = {}, {}
    for name, scale in number_scales(coding).items():
        column = replace(coding.schema[name], bounds=None)
        values[name], missing = table.read(column)
        numbers[name] = scale.to_numbers(values[name], missing)
    return values, numbers


def number_scales(coding):
    """Scale of each column of numbers or dates, by name."""
    return {
        column.name: NumberScale(column, parts.ruler)
        for column, parts in zip(coding.schema.columns, coding.parts, strict=True)
        if column.kind not in LISTED_KINDS
    }


def numbers_for(relation, numbers, codes, coding):
    """Numbers by column, and as texts the categories that a relation reads.

    Parameters
    ----------
    relation : Relation or None
    numbers : mapping of str to ndarray of float64, shape (n,)
    codes : ndarray of int32, shape (n, at least d)
        Of the d columns; those of the categories are read.
    coding : TableCoding

    Returns
    -------
    mapping of str to ndarray, shape (n,)
        Categories are texts in objects, None where missing.
    """
    asked = () if relation is None else relation.listed
    texts = {}
    for name in asked:
        if name not in numbers:
            j = coding.names.index(name)
            parts = coding.parts[j]
            labels = np.empty(parts.n_parts, dtype=object)
            labels[: len(parts.seen)] = [parts.categories[code] for code in parts.seen]
            texts[name] = labels[codes[:, j]]
    return dict(numbers) | texts if texts else numbers


def pooled_codes(coding):
    """Codes that stand for several values, of each column that has some."""
    pooled = {}
    for pool in coding.pools:
        parts = coding.parts[coding.names.index(pool.name)]
        pooled[coding.names.index(pool.name)] = {
            code
            for code, seen in enumerate(parts.seen)
            if parts.categories[seen] in pool.groups
        }
    return pooled
