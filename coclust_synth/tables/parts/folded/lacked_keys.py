"""Keys that some rows have none of: which do is learnt, and drawn, as a mark."""

import warnings
from collections.abc import Sequence
from dataclasses import replace

from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.column import Column
from coclust_synth.tables.parts.rare.released import Pooled
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.key_patterns import MIN_AROUND
from coclust_synth.tables.values.keys import MARK, Key


def with_marks(
    values: TableValues, schema: Schema, keys: Sequence[Key], rare: int
) -> tuple[TableValues, Schema]:
    """A table and its schema with marks for keys that rows lack, to be drawn.

    No row gets a key that fewer than 20 people have, of which nothing is told, or
    fewer than are asked for.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete.
    keys : sequence of Key
    rare : int
        Categories that fewer individuals hold are released as a group.
    """
    lacked = [key for key in keys if key.is_lacked]
    if not lacked:
        return values, schema
    frame, columns = values.frame, {c.name: c for c in schema.columns}
    for key in lacked:
        name = key.column.name
        frame = key.marked(frame)
        columns[name] = Column(
            name=name,
            kind="categorical",
            dtype="object",
            categories=(MARK,),
            rare=max(rare, MIN_AROUND),
        )
    others = {*columns} - {key.column.name for key in lacked}
    schema = replace(schema, columns=tuple(columns.values()))
    return TableValues(frame, (values, others)), schema


def told_of(pooled: Sequence[Pooled], keys: Sequence[Key]) -> tuple[Pooled, ...]:
    """What is said of rare values, of all columns but keys.

    Parameters
    ----------
    pooled : sequence of Pooled
        Of the columns that are drawn, marks among them.
    keys : sequence of Key

    Warns
    -----
    DataWarning
        Of keys that too few have: no row gets one.
    """
    names = {key.column.name for key in keys if key.is_lacked}
    for own in pooled:
        if own.column in names:
            warnings.warn(
                f"Expected a key, {own.column!r}, that {MIN_AROUND} people or more "
                "have, or as many as `rare` asks for. Received one that fewer have, "
                f"in {own.rows} of the rows. Nothing of it is released, and no row "
                "gets one.",
                DataWarning,
                stacklevel=3,  # who called `fit`
            )
    return tuple(own for own in pooled if own.column not in names)
