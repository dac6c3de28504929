"""A real table, its release and a holdout, with the same columns of the same kinds.

What a column is, is settled on the real table alone: the others are read in its light.
Numbers of all tables are compared as numbers, dates as dates, and everything else by
the text of its value, blanks around it apart: a declared domain has none. A value that
the real table lacks stays what it is.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError, no_data_warnings
from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.reading.infer import conform
from coclust_synth.tables.reading.table import Source, TableLike, as_table, open_table
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.dtypes import describe
from coclust_synth.tables.values.numbers import are_wide
from coclust_synth.tables.values.series import from_values


@dataclass(frozen=True, eq=False)
class AlikeTables:
    """Tables that are compared.

    Attributes
    ----------
    schema : Schema
        Complete, of the columns compared, in the order of the real table.
    frames : dict of str to DataFrame
        ``real``, ``released`` and, where there is one, ``holdout`` and ``population``.
    left_out : dict of str to str
        Columns of the real table that are not compared, and why.
    """

    schema: Schema
    frames: dict[str, pd.DataFrame]
    left_out: dict[str, str]

    @property
    def real(self) -> pd.DataFrame:
        """The rows that the release was made from."""
        return self.frames["real"]

    @property
    def released(self) -> pd.DataFrame:
        """The rows that are released."""
        return self.frames["released"]

    @classmethod
    def of(
        cls,
        real: TableLike,
        released: TableLike,
        holdout: TableLike | None = None,
        *,
        population: TableLike | None = None,
        compares: Callable[[str], bool] | None = None,
    ) -> "AlikeTables":
        """Read tables in the light of the real one.

        Parameters
        ----------
        real : DataFrame, path or Table
            Columns that look like identifiers or free text are left out unless its
            schema keeps them.
        released : DataFrame, path or Table
            With columns of the real table, all or some.
        holdout : DataFrame, path or Table, optional
            With the columns that are compared, and others perhaps.
        population : DataFrame, path or Table, optional
            The same, of people of whom the released are some.
        compares : callable, optional
            Tells of the name of a released column whether it is compared; by default
            all are.

        Raises
        ------
        SchemaError
            If a released column is none of the real table, none can be compared, a
            table lacks one, or its values are of another kind.
        TableError, ParameterError
            If a table cannot be read, or has fewer than two rows.
        """
        with no_data_warnings():  # one of one value is compared like others
            table = as_table(real)
            sources = {"released": open_table(released)}
            for name, given in (("holdout", holdout), ("population", population)):
                if given is not None:
                    sources[name] = open_table(given).without_empty_rows()
            there = tuple(sources["released"].frame.columns)
            compared, left_out = _compared(table.schema, there, compares)
            read = {"real": table.frame}
            for name, source in sources.items():
                read[name] = _read_alike(source, compared, name)
            return cls._in_common(compared, read, left_out)

    @classmethod
    def _in_common(cls, columns, read, left_out):
        series: dict[str, dict] = {table: {} for table in read}
        found = []
        for column in columns:
            own = {table: frame[column.name] for table, frame in read.items()}
            common, same = made_alike(own, column)
            found.append(common)
            for table in read:
                series[table][column.name] = same[table]
        frames = {table: pd.DataFrame(of) for table, of in series.items()}
        frames["real"], schema = conform(frames["real"], Schema(tuple(found)))
        return cls(schema, frames, left_out)


def made_alike(
    own: Mapping[str, pd.Series], column: Column
) -> tuple[Column, dict[str, pd.Series]]:
    """A column of several tables, with the same values in all of them.

    Parameters
    ----------
    own : mapping of str to Series
        The column in each table, typed as the real one.
    column : Column
        Complete, of the real table.

    Returns
    -------
    column : Column
        What is compared, to be completed.
    same : dict of str to Series
    """
    if column.kind in LISTED_KINDS:
        return _by_text(own, column)
    if column.kind == "datetime":
        return _as_dates(own, column)
    return _as_numbers(own, column)


def _compared(schema, released, compares):
    """Columns to compare, and those that are not, with the reason."""
    aside = [name for name in released if compares is not None and not compares(name)]
    unknown = [n for n in released if n not in schema.names and n not in aside]
    if unknown:
        raise SchemaError(
            "Expected a release whose columns are those of the real table, all or "
            f"some: {', '.join(map(repr, schema.names))}. Received also "
            f"{', '.join(map(repr, unknown))}. Give the table that it was made from, "
            "or remove these columns."
        )
    columns, left_out = [], {}
    for column in schema.columns:
        if column.name not in released:
            left_out[column.name] = "not released"
        elif column.name in aside:
            left_out[column.name] = "names the person of each row"
        elif column.treatment == "keep":
            columns.append(column)
        else:
            left_out[column.name] = column.reason or "left out by the schema"
    if not columns:
        raise SchemaError(
            "Expected at least one column to compare. Received "
            f"{'; '.join(f'{name!r}: {why}' for name, why in left_out.items())}. Keep "
            "one, or give the table that the release was made from."
        )
    return columns, left_out


def _read_alike(source: Source, columns: Sequence[Column], table: str) -> pd.DataFrame:
    """A table of which only the cells are known, typed as the real one."""
    there = source.frame.columns
    lacking = [column.name for column in columns if column.name not in there]
    if lacking:
        raise SchemaError(
            f"Expected a {table} table with all columns that are compared. Received "
            f"one without {', '.join(map(repr, lacking))}. Give rows of the same "
            "columns."
        )
    wide = {c.name for c in columns if _is_wide(c)}
    if wide:
        with suppress(SchemaError):  # of decimals: all are read as reals then
            return source.complete(_schema_to_read(columns, there, wide)).frame
    try:
        return source.complete(_schema_to_read(columns, there)).frame
    except SchemaError as error:
        hint = ""
        if table == "released":
            hint = (
                " If it is a k-anonymous release, its labels are explained in its "
                "NAME.labels.json: put this beside it, or name it by --labels."
            )
        raise type(error)(f"In the {table} table: {error}{hint}") from None


def _whole(series, number):
    """Integers as they are, or those that are nearest to reals."""
    if describe(series)[0] == "integer":
        return from_values(*to_values(series, number), number)
    reals, missing = to_values(series, replace(number, kind="real", dtype="float64"))
    held = np.clip(np.rint(reals), -(2.0**63), np.nextafter(2.0**63, 0))
    return from_values(held.astype(np.int64), missing, number)


def _schema_to_read(columns, there, whole=()):
    known = {
        column.name: Column(
            name=column.name,
            kind="integer" if column.name in whole else _kind_to_read(column),
            missing=column.missing or None,
            format=column.format,
        )
        for column in columns
    }
    others = (Column(name=n, treatment="drop") for n in there if n not in known)
    return Schema((*known.values(), *others))


def _is_wide(column):
    """Whether reals do not tell all numbers of a column apart."""
    return column.kind == "integer" and are_wide(np.array(column.bounds or ()))


def _kind_to_read(column):
    if column.kind == "datetime":
        return "datetime"
    return "categorical" if column.kind in LISTED_KINDS else "real"


def _by_text(own, column):
    """Values by their texts; those of a boolean in small letters, 3000.0 as 3000."""

    def text(value):
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        return str(value).casefold() if column.kind == "boolean" else str(value)

    categories = tuple(dict.fromkeys(map(text, column.categories)))
    real = {said.strip(): said for said in reversed(categories)}
    real |= {said: said for said in categories}
    same = {}
    for table, series in own.items():
        codes, uniques = pd.factorize(series.astype(object))
        said = [real.get(t, real.get(t.strip(), t)) for t in map(text, uniques)]
        texts = np.array([*said, None], dtype=object)
        same[table] = pd.Series(texts[codes], dtype=object)
    kind = "ordinal" if column.kind == "ordinal" else "categorical"
    common = Column(name=column.name, kind=kind, dtype="object", categories=categories)
    return common, same


def _as_dates(own, column):
    """Dates in the unit of the real table, later parts of a time being cut off."""
    same = {}
    for table, series in own.items():
        hint = replace(column.open, dtype=None, treatment="keep")
        (known,) = conform(series.to_frame(), Schema((hint,)))[1].columns
        values, missing = to_values(series, known)
        instants = values.astype(f"M8[{known.unit}]")
        # No finer than the real ones: what is cut off is not compared.
        instants = instants.astype(f"M8[{column.unit}]").astype("M8[us]")
        instants[missing] = np.datetime64("NaT", "us")
        same[table] = pd.Series(instants)
    return Column(name=column.name, kind="datetime"), same


def _as_numbers(own, column):
    """Numbers, whole ones if those of all tables are."""
    if _is_wide(column):
        number = Column(name=column.name, kind="integer", dtype="Int64")
        return number, {table: _whole(series, number) for table, series in own.items()}
    same, whole = {}, column.kind == "integer"
    number = Column(name=column.name, kind="real", dtype="float64")
    for table, series in own.items():
        values, missing = to_values(series, number)
        whole &= bool((values == np.floor(values)).all())
        values[missing] = np.nan
        same[table] = pd.Series(values)
    return replace(number, kind="integer" if whole else "real"), same
