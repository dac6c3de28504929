"""`inspect`: the schema of a table."""

import json
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.command import command
from coclust_synth.cli.tables import check_output, read
from coclust_synth.reports.console import print_pooled, print_schema
from coclust_synth.tables.parts.rare import DEFAULT_RARE
from coclust_synth.tables.parts.released import release_values


@command
def inspect(
    table: options.TableArgument,
    columns: options.Columns,
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

    Example: coclust-synth inspect people.csv -o schema.toml
    """
    if output is not None:
        check_output(output, force, inputs=(table, columns.schema), is_table=False)
    frame, found = read(table, columns)
    if output is not None:
        found.save(output, force=force)
    if json_:
        print(json.dumps(found.without_values().to_dict(), ensure_ascii=False))
    else:
        print_schema(found.without_values(), source=str(table))
        released = release_values(frame, found.kept, min(rare, len(frame)))
        print_pooled([pooled._asdict() for pooled in released.pooled])
