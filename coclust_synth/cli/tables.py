"""`inspect`: what a table holds, before anything is learnt from it."""

import json
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.errors import clear_errors
from coclust_synth.cli.outputs import check_output
from coclust_synth.exceptions import ParameterError
from coclust_synth.reports.schema import print_pooled, print_schema
from coclust_synth.tables.parts.rare import DEFAULT_RARE
from coclust_synth.tables.parts.released import release_values
from coclust_synth.tables.people.persons import set_aside
from coclust_synth.tables.reading.io import read_table
from coclust_synth.tables.schema import Schema


def inspect(
    table: options.TableArgument,
    schema: options.SchemaFile = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    rare: Annotated[
        int, typer.Option("--rare", min=1, help="That of `fit` and `synth`.")
    ] = DEFAULT_RARE,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Save the schema as TOML, to be edited and given back by --schema.",
            show_default=False,
        ),
    ] = None,
    json_: options.Json = False,
    force: options.Force = False,
):
    """Print the schema of a table: kinds, roles, missing marks, bounds.

    Columns that look like identifiers, names or free text are named, with the sign;
    other commands refuse them until you --drop or --keep them, or name one by
    --person-id. Those with values that fewer individuals than --rare hold, which `fit`
    and `synth` release as others, are named too.
    """
    with clear_errors():
        if output is not None:
            check_output(output, force, inputs=(table, schema), is_table=False)
        frame, found = read(table, schema, drop, keep)
        if output is not None:
            found.save(output, force=force)
        if json_:
            print(json.dumps(found.without_values().to_dict(), ensure_ascii=False))
        else:
            print_schema(found.without_values(), source=str(table))
            released = release_values(frame, found.kept, min(rare, len(frame)))
            print_pooled([pooled._asdict() for pooled in released.pooled])


def read(table, schema_file, drop, keep, person_id=None):
    """A table and its schema, with what the command line says of the columns."""
    if person_id is not None:
        frame, found = read(table, schema_file, drop, keep)
        return frame, set_aside(found, person_id, kept=keep)
    drop, keep = drop or (), keep or ()
    both = sorted(set(drop) & set(keep))
    if both:
        raise ParameterError(
            f"Expected columns to be dropped or kept. Received both for "
            f"{', '.join(map(repr, both))}. Say one of them."
        )
    if schema_file is None:
        frame, found = read_table(table)
        return frame, found.drop(*drop).keep(*keep)
    return read_table(table, Schema.load(schema_file).drop(*drop).keep(*keep))
