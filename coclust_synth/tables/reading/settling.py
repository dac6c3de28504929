"""What is decided of columns that are in doubt, or that are not what they look like.

By roles, by how they are drawn, by what others tell: the rest is asked of the user.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.one_column import complete_column
from coclust_synth.tables.reading.texts.codes import tells_codes
from coclust_synth.tables.reading.texts.identifiers import (
    OF_SEVERAL_ROWS,
    can_be_key,
    doubt_about,
    is_called_code,
)
from coclust_synth.tables.reading.texts.patterns import PATTERN
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import Table


def settle(table: Table, role: str, *names: str) -> Table:
    """Keep undecided columns that are named as those of a role, where that settles it.

    Parameters
    ----------
    table : Table
    role : {"quasi-identifier", "sensitive"}
    *names : str
        Columns of the table. Those that nobody doubts, or that even so look like
        numbers or names of persons or free text (see `doubt_about`), stay as they are.

    Returns
    -------
    Table
    """
    settled = [
        name
        for name in names
        if table.schema[name].treatment == "undecided"
        and _is_settled(table, name, role)
    ]
    return table.keep(*settled)


def _is_settled(table: Table, name: str, role: str) -> bool:
    column = replace(table.schema[name], role=role)
    values, missing = table.values.read(column)
    return doubt_about(values[~missing], column) is None


def settle_patterns(table: Table) -> Table:
    """Keep undecided columns of measures in patterns, for draws of their numbers.

    Parameters
    ----------
    table : Table
        Those that even so look like identifiers, names, places or free text (see
        `doubt_about`) stay undecided.

    Returns
    -------
    Table
    """
    settled = [
        column.name
        for column in table.schema.columns
        if (column.treatment, column.format) == ("undecided", PATTERN)
        and _is_drawn_well(table, column)
    ]
    return table.keep(*settled) if settled else table


def _is_drawn_well(table: Table, column: Column) -> bool:
    """Whether nobody doubts a column in patterns whose numbers are drawn."""
    values, missing = table.values.read(column)
    return doubt_about(values[~missing], column, is_drawn=True) is None


def as_categorical(table: Table, *names: str) -> Table:
    """Take columns of numbers for codes, see `Schema.as_categorical`, and list these.

    Parameters
    ----------
    table : Table
    *names : str
        Columns of the table.

    Returns
    -------
    Table

    Raises
    ------
    SchemaError
        If there is no such column, or it has no numbers.
    """
    schema = table.schema.as_categorical(*names)
    columns = [
        complete_column(table.frame[own.name], own, table.values)
        if own.name in names
        else own
        for own in schema.columns
    ]
    return table.with_schema(replace(schema, columns=tuple(columns)))


def with_told_codes(table: Table, said: Iterable[str] = ()) -> Table:
    """Take for codes the numbers that are called so and that texts tell.

    By texts that are kept and have no role: names of persons tell what stays with one.

    Parameters
    ----------
    table : Table
    said : iterable of str
        Columns of which it is said what they are: they stay as they are.

    Returns
    -------
    Table
    """
    columns = table.schema.columns
    called = [own for own in columns if own.name not in said and _may_be_codes(own)]
    if not called:
        return table
    texts = [
        table.values.codes(column)
        for column in columns
        if column.kind == "categorical"
        and (column.treatment, column.role) == ("keep", "other")
        and isinstance(next(iter(column.categories or ()), None), str)
    ]
    codes = [column.name for column in called if _are_told(table, column, texts)]
    return as_categorical(table, *codes) if codes else table


def _may_be_codes(column: Column) -> bool:
    """Whether a column has plain whole numbers, and the name of one of codes."""
    return (
        column.kind in ("integer", "real")
        and column.treatment != "drop"
        and column.format is None
        and (column.step or 0) >= 1
        and is_called_code(column.name)
    )


def _are_told(table: Table, column: Column, texts: list[np.ndarray]) -> bool:
    numbers, missing = table.values.read(column)
    found = np.unique(numbers[~missing], return_inverse=True)[1]
    return len(found) > 0 and any(tells_codes(own[~missing], found) for own in texts)


def require_decided(schema: Schema) -> None:
    """Refuse a schema with columns that the user must keep or drop.

    Raises
    ------
    SchemaError
        Naming each such column, why, and how to decide.
    """
    columns = [c for c in schema.columns if c.treatment == "undecided"]
    if not columns:
        return
    reasons = "; ".join(f"{c.name!r} ({c.reason or 'not settled'})" for c in columns)
    first = columns[0].name
    ways = [f"--drop {first!r}", f"--keep {first!r}"]
    calls = [f"schema.drop({first!r})", f"schema.keep({first!r})"]
    identifiers = [c for c in columns if c.role == "identifier"]
    several = next((c.name for c in identifiers if OF_SEVERAL_ROWS in c.reason), None)
    each = next((c.name for c in columns if can_be_key(c)), None)
    if several is not None:
        ways += [
            f"--person-id {several!r} (if it tells which rows are one person's or "
            "household's)",
            f"in `synth` beside --person-id --key {several!r} (if it tells which rows "
            "of one person belong together, as those of a stay)",
        ]
        calls += [f"person_id={several!r}", f"schema.as_key({several!r})"]
    if each is not None:
        ways.append(f"in `synth` --key {each!r} (to make it anew)")
        calls += [f"schema.as_key({each!r})"] if several is None else []
    all_of_them = ",".join(column.name for column in columns)
    at_once = f" To leave out all of them: --drop {all_of_them!r}." * (len(columns) > 1)
    raise SchemaError(
        f"Expected a decision about every column. Received undecided: {reasons}. On "
        f"the command line say {' or '.join(ways)}; in a schema file treatment = "
        f'"drop" or "keep"; in Python {" or ".join(calls)}.{at_once}'
    )
