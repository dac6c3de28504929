"""Keys that some rows have none of: which do is learnt, and drawn, as a mark."""

from collections.abc import Sequence
from dataclasses import replace

from coclust_synth.tables.column import Column
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.keys import MARK, Key


def with_marks(
    values: TableValues, schema: Schema, keys: Sequence[Key]
) -> tuple[TableValues, Schema]:
    """A table and its schema with marks for keys that rows lack, to be drawn.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete.
    keys : sequence of Key
    """
    lacked = [key for key in keys if key.is_lacked]
    if not lacked:
        return values, schema
    frame, columns = values.frame, {c.name: c for c in schema.columns}
    for key in lacked:
        name = key.column.name
        frame = key.marked(frame)
        columns[name] = Column(
            name=name, kind="categorical", dtype="object", categories=(MARK,)
        )
    others = {*columns} - {key.column.name for key in lacked}
    schema = replace(schema, columns=tuple(columns.values()))
    return TableValues(frame, (values, others)), schema
