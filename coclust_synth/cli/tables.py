"""`inspect`: what a table holds, before anything is learnt from it."""

import json
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.errors import clear_errors
from coclust_synth.reports.schema import print_schema
from coclust_synth.tables.io import atomic_write, check_writable, read_table
from coclust_synth.tables.schema import Schema


def inspect(
    table: options.TableArgument,
    schema: options.SchemaFile = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
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

    Columns that look like identifiers or free text are named; `fit` and `synth` refuse
    them until you --drop or --keep them.
    """
    with clear_errors():
        if output is not None:
            check_writable(output, force, table=False)
        _, found = read(table, schema, drop, keep)
        if output is not None:
            with atomic_write(output) as temporary:
                found.save(temporary)
        if json_:
            print(json.dumps(found.to_dict(), ensure_ascii=False))
        else:
            print_schema(found, source=str(table))


def read(table, schema_file, drop, keep):
    """A table and its schema, with what the command line says of the columns."""
    schema = None if schema_file is None else Schema.load(schema_file)
    frame, schema = read_table(table, schema)
    return frame, schema.drop(*drop or ()).keep(*keep or ())
