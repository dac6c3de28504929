"""Parts of a column that is described in a line."""

from dataclasses import fields

from coclust_synth.tables.column import Column
from coclust_synth.tables.parts.parts import build_parts

_OF_COLUMNS = {field.name for field in fields(Column)}


def parts_of_counts(counts, kind, **options):
    """Parts of a column of a kind: options are those of the column, or of its parts."""
    own = {name: options.pop(name) for name in _OF_COLUMNS & set(options)}
    return build_parts(counts, Column(name="x", kind=kind, **own), **options)
