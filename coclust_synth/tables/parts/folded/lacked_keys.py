"""Keys that some rows have none of: which do is learnt, and drawn, as a mark."""

from collections.abc import Sequence
from dataclasses import replace

from coclust_synth.tables.column import Column
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
