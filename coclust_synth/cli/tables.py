"""What commands ask of files: writable outputs, a table to read; `inspect`."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.errors import clear_errors
from coclust_synth.exceptions import OutputError, ParameterError
from coclust_synth.reports.schema import print_pooled, print_schema
from coclust_synth.tables.files.folders import check_folder
from coclust_synth.tables.files.outputs import check_writable
from coclust_synth.tables.parts.rare import DEFAULT_RARE
from coclust_synth.tables.parts.released import release_values
from coclust_synth.tables.people.people import set_aside
from coclust_synth.tables.reading.table import Table, read_table, table_suffix
from coclust_synth.tables.schema import Schema
from coclust_synth.validation import check_integer

# What commands write beside a table, under its name.
LABELS, MANIFEST, STATEMENT = ".labels.json", ".manifest.json", ".statement.md"


def beside(output, ending):
    """Name of a file that tells of a table, beside it."""
    return output.with_name(output.name[: -len(table_suffix(output))] + ending)


def check_output(output, force, rows=None, *, inputs, is_table=True, replaces=()):
    """Refuse, before any work, an output that cannot be or would replace an input.

    Parameters
    ----------
    output : Path
    force : bool
        Whether it may exist.
    rows : int, optional
        Rows that it is to have.
    inputs : iterable of Path or None
        What the command reads: files, and folders of them.
    is_table : bool, default=True
        Whether the name of the output must be that of a table.
    replaces : iterable of str, default=()
        Which of the files that tell of a table the command writes too; others must not
        be there: they would seem to tell of this one.
    """
    if rows is not None:
        check_integer("the number of rows", rows, minimum=1)
    if is_table:
        table_suffix(output)
    # A folder that is read stands for the files in it.
    is_there = os.path.exists(output)
    for source in filter(None, inputs if is_there else ()):
        if _are_same(output, source) or _are_same(output.parent, source):
            raise OutputError(
                f"Expected an output beside its source. Received {str(output)!r} for "
                "both. Choose another name."
            )
    check_writable(output, force)
    if is_table:
        _check_alone(output, replaces)


def _check_alone(output, replaces):
    for ending in {LABELS, MANIFEST, STATEMENT}.difference(replaces):
        told = beside(output, ending)
        if os.path.exists(told):
            raise OutputError(
                f"Expected no file beside {str(output)!r} that tells of another "
                f"table. Received {str(told)!r}, of a release of another kind. Choose "
                "another name, or move that release away."
            )


def check_output_folder(output, force, is_ours, *, inputs):
    """Refuse, before any work, a folder that cannot be or would replace an input.

    Parameters
    ----------
    output : Path
    force : bool
        Whether it may hold files.
    is_ours : callable
        Tells of the name of a file whether it may be replaced.
    inputs : iterable of Path or None
        Files that the command reads.
    """
    check_folder(output, force, is_ours)
    for source in filter(None, inputs):
        if _are_same(output, source.parent):
            raise OutputError(
                f"Expected an output beside its source. Received {str(output)!r}, "
                f"the folder of {str(source)!r}. Choose another folder."
            )


def _are_same(one, other):
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False  # one of them is not there


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
    """The table, with what the command line says of its columns."""
    if person_id is not None:
        frame, found = read(table, schema_file, drop, keep)
        return Table(frame, set_aside(found, person_id, kept=keep))
    drop, keep = drop or (), keep or ()
    both = sorted(set(drop) & set(keep))
    if both:
        raise ParameterError(
            f"Expected columns to be dropped or kept. Received both for "
            f"{', '.join(map(repr, both))}. Say one of them."
        )
    if schema_file is None:
        return read_table(table).drop(*drop).keep(*keep)
    return read_table(table, Schema.load(schema_file).drop(*drop).keep(*keep))
