"""Texts that give way to labels before a table is learnt from, and come back in rows.

They spell the numbers of other columns (`spelt`), hold numbers in patterns
(`patterned`), list items (`listed`) or are dates of which some are months or years
(`partial_dates`). What is learnt is the label, with the numbers or items beside it.
Dates of which one stands for none beside missing ones (`open_ends`) are learnt with
what these are.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.parts.folded.listed import Listed, find_listed
from coclust_synth.tables.parts.folded.open_ends import OpenEnds, find_open_ends
from coclust_synth.tables.parts.folded.partial_dates import (
    PartialDates,
    find_partial_dates,
)
from coclust_synth.tables.parts.folded.patterned import Patterned, find_patterned
from coclust_synth.tables.parts.folded.spelt import Spelt, completed, find_spelt
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.relations import Nested, Never, Relation
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues

Folding: TypeAlias = Spelt | Patterned | Listed | PartialDates | OpenEnds


def find_foldings(
    values: TableValues,
    schema: Schema,
    rare: int,
    k: int,
    *,
    persons: Persons | None = None,
    but: Collection[str] = (),
) -> tuple[Folding, ...]:
    """The columns that are learnt from by labels, or by what is made of them.

    Parameters are those of `find_spelt` and `find_patterned`.
    """
    found: tuple[Folding, ...] = ()
    for find in (find_partial_dates, find_patterned, find_listed, find_spelt):
        taken = {*but, *(own.column for own in found)}
        found = (*find(values, schema, rare, k, persons=persons, but=taken), *found)
    return *found, *find_open_ends(values, schema, rare, persons)


def folding_of(data: dict) -> Folding:
    """Inverse of `to_dict`."""
    if "no_date" in data:
        return OpenEnds.from_dict(data)
    if "dates" in data:
        return PartialDates.from_dict(data)
    if "items" in data:
        return Listed.from_dict(data)
    kind = Patterned if "patterns" in data else Spelt
    return kind.from_dict(data)


def described(own: Folding) -> dict:
    """The JSON compatible form without texts of the table."""
    if isinstance(own, OpenEnds):
        return {"column": own.column, "no_date": own.dates.no_date}
    if isinstance(own, Listed):
        return {"column": own.column, "n_items": len(own.items)}
    return {k: v for k, v in own.to_dict().items() if k not in ("common", "shares")}


def fold(
    values: TableValues, schema: Schema, spelt: Sequence[Folding]
) -> tuple[TableValues, Schema]:
    """A table and its schema with labels for what spells a number.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete.
    spelt : sequence of Folding

    Returns
    -------
    values, schema
    """
    if not spelt:
        return values, schema
    frame = with_labels(values.frame, spelt)
    columns = {c.name: c for c in schema.columns}
    for own in spelt:
        for made in own.made_columns:
            is_whole = isinstance(own, OpenEnds)
            columns[made.name] = made if is_whole else completed(frame[made.name], made)
        if own.labels:
            columns[own.column] = folded_column(columns[own.column], own, frame)
    others = {*columns} - {name for own in spelt for name in (own.column, *own.numbers)}
    schema = replace(schema, columns=tuple(columns.values()))
    return TableValues(frame, (values, others)), schema


def folded_column(column: Column, own: Folding, frame: pd.DataFrame) -> Column:
    """The column of a table that a folding is of, in folded rows.

    Parameters
    ----------
    column : Column
        Complete.
    own : Folding
    frame : DataFrame
        Folded rows of the table.
    """
    left = set(frame[own.column].dropna()).difference(own.labels)
    listed = (*(text for text in column.categories if text in left), *own.labels)
    return replace(column, categories=listed)


def with_labels(frame: pd.DataFrame, spelt: Sequence[Folding]) -> pd.DataFrame:
    """Rows of a table, or drawn ones, with labels for numbers: undoes `with_spelt`."""
    for own in spelt:
        frame = own.folded(frame)
    return frame


def with_spelt(frame: pd.DataFrame, spelt: Sequence[Folding]) -> pd.DataFrame:
    """Rows that were drawn, with numbers for labels."""
    for own in spelt:
        frame = own.spelt_out(frame)
    return frame


def unmoved(spelt: Sequence[Folding], rules: Iterable[Relation]) -> tuple[Folding, ...]:
    """The same, whose drawn numbers stay what they are where a rule needs them.

    It is one of numbers of the texts and of another column, but for combinations that
    never occur.

    Parameters
    ----------
    spelt : sequence of Folding
    rules : iterable of Relation
    """
    needed = [{*rule.columns} for rule in rules if not isinstance(rule, Never)]

    def is_needed(own):
        numbers = {*own.numbers}
        return any(numbers & columns and columns - numbers for columns in needed)

    return tuple(
        replace(own, common=(), shares=())
        if isinstance(own, Patterned) and is_needed(own)
        else own
        for own in spelt
    )


def released_schema(schema: Schema, spelt: Sequence[Folding]) -> Schema:
    """The schema of drawn rows as they are released, but for texts that are spelt out.

    Columns that are made are left out.
    """
    made = made_by(spelt)
    return replace(
        schema, columns=tuple(c for c in schema.columns if c.name not in made)
    )


def made_by(spelt: Sequence[Folding]) -> set[str]:
    """Names of the columns that are made, and left out again."""
    return {made.name for own in spelt for made in own.made_columns}


def untold_by(spelt: Sequence[Folding]) -> set[str]:
    """Names of those of which nothing is told: which dates are missing."""
    return made_by([own for own in spelt if isinstance(own, OpenEnds)])


def in_words(said: Iterable[str], spelt: Sequence[Folding]) -> tuple[str, ...]:
    """Texts about rows, of columns that the table has."""
    texts, ends = dict.fromkeys(said), [o for o in spelt if isinstance(o, OpenEnds)]
    # A name may end with another one.
    for own in sorted(ends, key=lambda own: -len(own.column)):
        texts = dict.fromkeys(filter(None, map(own.in_words, texts)))
    return (*texts,)


def is_of_labels(rule: Relation, spelt: Sequence[Folding]) -> bool:
    """Whether a rule found beside labels need not hold of the texts themselves.

    It is about a text and its number, which go together anyway, or about a column that
    is made, or another column tells the label.
    """
    if made_by(spelt).intersection(rule.columns):
        return True
    told = rule.label if isinstance(rule, Nested) else rule.told
    return any(
        told == own.column or {own.column, *own.numbers} <= {*rule.columns}
        for own in spelt
    )


def schema_with_spelt(
    frame: pd.DataFrame, schema: Schema, spelt: Sequence[Folding]
) -> Schema:
    """The schema of rows as `with_spelt` gives them.

    Parameters
    ----------
    frame : DataFrame
    schema : Schema
        Of the same rows with labels.
    spelt : sequence of Folding
    """
    columns = {c.name: c for c in schema.columns if c.name not in made_by(spelt)}
    for own in (own for own in spelt if own.labels):
        texts = tuple(frame[own.column].dropna().unique())
        columns[own.column] = replace(columns[own.column], categories=texts)
    return replace(schema, columns=tuple(columns.values()))
