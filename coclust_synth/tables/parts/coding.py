"""The coding of a whole table: rows into part codes, and part codes into rows."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.exceptions import (
    CoclustSynthError,
    DataWarning,
    ModelFileError,
    SchemaError,
)
from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.parts.of_persons import learn_of_persons
from coclust_synth.tables.parts.parts import Parts, build_parts, parts_from_dict
from coclust_synth.tables.parts.rare.pools import CodedColumn, Pool, coded_numbers
from coclust_synth.tables.parts.runs_of_persons import learn_runs_of_persons
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.settling import require_decided
from coclust_synth.tables.rows import DistinctRows, collapse, count_values
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.showing import Shown
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.columns import examples, to_values
from coclust_synth.tables.values.series import from_values


@dataclass(frozen=True, eq=False, repr=False)
class TableCoding(Shown):
    """The parts of every variable of a table.

    Attributes
    ----------
    schema : Schema
        Complete description of the columns that are modelled, in order.
    parts : tuple of Parts
        The parts of each column.
    pools : tuple of Pool
        What the values of some columns are taken for that are in no part. A column
        that another is nested in comes before it.
    """

    schema: Schema
    parts: tuple[Parts, ...]
    pools: tuple[Pool, ...] = ()

    @classmethod
    def learn(
        cls,
        table: pd.DataFrame | TableValues,
        schema: Schema,
        *,
        binning: str = "heaped",
        bins: int = 10,
        cuts: Mapping[str, Sequence[float]] | None = None,
        keep_missing: bool = True,
        persons: Persons | None = None,
        pools: Sequence[Pool] = (),
        rows: NDArray[np.int64] | None = None,
    ) -> Self:
        """Make the parts of every column that the schema keeps.

        Parameters
        ----------
        table : DataFrame or TableValues
            As `read_table` or `conform` gives it.
        schema : Schema
            Complete, without undecided columns.
        binning : {"heaped", "quantile", "width"}, default="heaped"
        bins : int, default=10
            Number of intervals asked for in each numeric column.
        cuts : mapping of column name to sequence of float, optional
            Cut points to use instead, for some numeric columns.
        keep_missing : bool, default=True
            Whether missing values are a part of their column.
        persons : Persons, optional
            Of the rows: parts are made from what each person holds, each value once. By
            default from all rows.
        pools : sequence of Pool
            Those of `release_values`, which the table has been through.
        rows : ndarray of int64, shape (n,), optional
            Rows of another table that each of these stands for; by default one.

        Returns
        -------
        TableCoding

        Raises
        ------
        SchemaError
            If a column is undecided, none is kept, or values do not fit.
        """
        require_decided(schema)
        schema = schema.kept
        if not schema.columns:
            raise SchemaError(
                "Expected at least one column to model. Received a schema that keeps "
                'none. Set treatment = "keep" for some of them.'
            )
        cuts = dict(cuts or {})
        for name in cuts:
            if schema[name].kind in LISTED_KINDS:
                raise SchemaError(
                    f"Expected cuts for numeric columns. Received some for {name!r}, "
                    f"which is {schema[name].kind}. Leave them out."
                )
        options = {"binning": binning, "bins": bins, "keep_missing": keep_missing}
        own = persons, rows
        values = TableValues.of(table)
        parts = tuple(
            _learn_parts(values, column, cuts.get(column.name), options, own)
            for column in schema.columns
        )
        return cls(schema, parts, tuple(pools))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.schema.names

    @property
    def n_parts_per_variable(self) -> NDArray[np.int64]:
        """Number of parts of each column, ndarray of int64."""
        return np.array([parts.n_parts for parts in self.parts], dtype=np.int64)

    @property
    def part_labels(self) -> tuple[str, ...]:
        """A text for each part of the table, ``name=part``, in the global order."""
        return tuple(
            f"{name}={label}"
            for name, parts in zip(self.names, self.parts, strict=True)
            for label in parts.labels
        )

    def encode(
        self, table: pd.DataFrame | TableValues, *, strict: bool = True
    ) -> NDArray[np.int32]:
        """Part of each cell, numbered within its variable.

        Parameters
        ----------
        table : DataFrame or TableValues, of n rows
            Holds at least the columns of the schema.
        strict : bool, default=True
            Whether a value that belongs to no part is an error; otherwise, as in a
            table of new individuals, it is left out. In a column that has a pool it is
            taken for a rare one.

        Returns
        -------
        ndarray of int32, shape (n, d)
            -1 for a missing value when missing is no part, and for what is left out.

        Raises
        ------
        SchemaError
            If a column is not there, is of another kind, or holds, if `strict`, a value
            that belongs to no part.

        Warns
        -----
        DataWarning
            If categories are left out.
        """
        table = TableValues.of(table)
        codes = np.empty((len(table), len(self.parts)), dtype=np.int32)
        for name in self.names:
            if name not in table.frame.columns:
                raise SchemaError(
                    f"Expected a column {name!r}. Received a table of "
                    f"{', '.join(map(repr, table.frame.columns))}. Give a table of the "
                    "same columns."
                )
        pooled = self._pooled_codes(table)
        for k, (column, parts) in enumerate(
            zip(self.schema.columns, self.parts, strict=True)
        ):
            # Values beyond the bounds, as of rows kept aside, go to the end intervals.
            unbounded = replace(column, bounds=None)
            with _naming(column):
                if column.name in pooled:
                    codes[:, k] = _encode_listed(parts, pooled[column.name])
                elif strict:
                    codes[:, k] = parts.encode(*table.read(unbounded))
                elif column.kind in LISTED_KINDS:
                    codes[:, k] = _encode_known(parts, table, column)
                else:
                    codes[:, k] = _encode_numbers(parts, table, unbounded)
        return codes

    def _pooled_codes(self, table):
        """Category of each row in the columns that have a pool; -1 for missing."""
        columns = {column.name: column for column in self.schema.columns}
        parts = dict(zip(self.names, self.parts, strict=True))
        codes = {}
        for pool in self.pools:
            column, above = columns[pool.name], None
            if pool.parent is not None:
                parent = columns[pool.parent]
                if parent.kind not in LISTED_KINDS:
                    above = coded_numbers(table, parent, pool.targets)
                else:
                    if parent.name not in codes:
                        codes[parent.name] = np.maximum(table.codes(parent), -1)
                    above = CodedColumn(parent, codes[parent.name])
            with _naming(column):
                cells = table.codes(column)
                known = _is_in_part(cells, parts[pool.name])
                codes[pool.name] = pool.encode(cells, known, column, above)
        return {pool.name: codes[pool.name] for pool in self.pools}

    def distinct_rows(
        self, table: pd.DataFrame | TableValues
    ) -> tuple[DistinctRows, NDArray[np.int64]]:
        """Distinct coded rows of a table, as `collapse` gives them.

        Returns
        -------
        rows : DistinctRows
        inverse : ndarray of int64, shape (n,)
            Position in `rows` of each row of the table.
        """
        return collapse(self.encode(table), self.n_parts_per_variable)

    def decode(
        self, codes: NDArray[np.integer], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Draw a value inside the part of each cell.

        Parameters
        ----------
        codes : ndarray of int, shape (n, d)
        rng : numpy.random.Generator

        Returns
        -------
        DataFrame
            With the columns and types of the schema.
        """
        columns = [
            from_values(*parts.draw(codes[:, k], rng), column)
            for k, (column, parts) in enumerate(
                zip(self.schema.columns, self.parts, strict=True)
            )
        ]
        return pd.concat(columns, axis=1) if columns else pd.DataFrame()

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return {
            "schema": self.schema.to_dict(),
            "parts": [parts.to_dict() for parts in self.parts],
            "pools": [pool.to_dict() for pool in self.pools],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`.

        Raises
        ------
        ModelFileError
            If this is no description of a coding.
        """
        try:
            schema = Schema.from_dict(content["schema"])
            parts = tuple(parts_from_dict(data) for data in content["parts"])
            if len(parts) != len(schema.columns):
                raise KeyError(f"{len(parts)} parts of {len(schema.columns)} columns")
            # Models saved before rare values were pooled have none.
            pools = tuple(map(Pool.from_dict, content.get("pools", ())))
            for pool in pools:
                pool.check(schema)
        except (
            KeyError,
            TypeError,
            AttributeError,
            OverflowError,
            SchemaError,
        ) as error:
            raise ModelFileError(
                "Expected the description of a table's parts. Received one that does "
                f"not read ({error}). Save the model again."
            ) from error
        return cls(schema, parts, pools)

    def _told(self):
        return {
            "columns": len(self.schema.columns),
            "parts": sum(self.n_parts_per_variable),
            "pools": len(self.pools) or None,
        }


class _naming:
    """Put the name of a column in front of the errors about it."""

    def __init__(self, column: Column):
        self.name = column.name

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if isinstance(error, CoclustSynthError) and repr(self.name) not in str(error):
            raise type(error)(f"Column {self.name!r}: {error}") from None
        return False


def _encode_listed(parts, cells):
    """Part of each category, given by its code; -1 is missing."""
    return parts.encode(np.maximum(cells, 0), cells < 0)


def _encode_known(parts, table, column):
    """Part of each category; -1 of those in none, of which it warns."""
    cells, codes = table.codes(column), np.full(len(table), -1)
    known = _is_in_part(cells, parts)
    codes[known] = _encode_listed(parts, cells[known])
    unseen = table.frame[column.name][~known & (cells != -1)]
    if len(unseen):
        warnings.warn(
            f"Column {column.name!r}: expected one of {len(parts.seen)} categories. "
            f"Received {examples(unseen.unique())} ({len(unseen)} rows), which are "
            "left out. Check the spelling, or fit on a table that has them.",
            DataWarning,
            stacklevel=4,
        )
    return codes


def _encode_numbers(parts, table, column):
    """Part of each number or date; -1 where there is none for it."""
    series, codes = table.frame[column.name], np.full(len(table), -1)
    missing = series.isna().to_numpy(dtype=bool)
    known = parts.with_missing & missing | (len(parts.laws) > 0) & ~missing
    codes[known] = parts.encode(*to_values(series[known], column))
    return codes


def _is_in_part(cells, parts):
    """Where a category, given by its code, is a part, or missing if that is."""
    return np.isin(cells, parts.seen) | parts.with_missing & (cells == -1)


def _learn_parts(table, column, cuts, options, own):
    (persons, rows), (values, missing) = own, table.read(column)

    def learn(values, missing, rows=None, cuts=cuts, holders=None):
        counts = count_values(values, missing, rows)
        how = options | {"apart": persons is None, "holders": holders}
        return build_parts(counts, column, cuts=cuts, **how)

    binning, is_listed = options["binning"], column.kind in LISTED_KINDS
    with _naming(column):
        if persons is None:
            return learn(values, missing, rows)
        if is_listed:
            once = persons.first_of_values(values, missing)
            return learn(values[once], missing[once])
        if binning == "atoms":
            return learn_of_persons(learn, values, missing, persons)
        how = {"heaped": binning == "heaped", "is_cut": cuts is not None}
        return learn_runs_of_persons(learn, values, missing, persons, **how)
