"""`domain`: a file that declares all possible values of a table, to be filled in."""

from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.errors import clear_errors
from coclust_synth.cli.outputs import check_output
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.domain import FROM_DATA, Domain, blank_domain
from coclust_synth.tables.io import read_table
from coclust_synth.tables.outputs import write_files


def domain(
    new: Annotated[
        Path,
        typer.Option(
            "--new", metavar="OUT", help="TOML file to start.", show_default=False
        ),
    ],
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Columns to declare, between commas.",
            show_default=False,
        ),
    ] = None,
    domain_from_data: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE",
            help="Fill it in from the rows of this table, for tests: whatever is "
            "released over it is labelled as not differentially private.",
            show_default=False,
        ),
    ] = None,
    bins: options.Bins = 10,
    force: options.Force = False,
):
    """Start the declaration of a table's domain, which a private release needs.

    The file lists the columns; fill in the categories, or the bounds and the number
    of bins, from the questionnaire or the code book. What is read from the rows
    instead is not protected: it tells that somebody has that value.
    """
    with clear_errors():
        names = [name.strip() for name in (columns or "").split(",") if name.strip()]
        if not names and domain_from_data is None:
            raise ParameterError(
                "Expected the names of the columns to declare. Received none. Give for "
                "instance --columns age,sex."
            )
        check_output(new, force, inputs=(domain_from_data,), is_table=False)
        if domain_from_data is None:
            text = blank_domain(dict.fromkeys(names))
            told = f"Fill in {len(set(names))} columns in {new}."
        else:
            frame, schema = read_table(domain_from_data)
            taken = Domain.from_frame(frame, schema, bins=bins)
            taken = taken.select(names) if names else taken
            text = taken.to_toml()
            told = f"Read {len(taken.names)} columns: {FROM_DATA}."
        write_files({new: text.encode("utf-8")})
        print(told)
