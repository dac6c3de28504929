"""`hierarchies`: generalisation hierarchies derived from a table."""

import os
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from coclust_synth.cli import options
from coclust_synth.cli.command import command
from coclust_synth.cli.names import LISTED, split_names
from coclust_synth.cli.tables import check_output_folder, read
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.derived.hierarchies import (
    DEFAULT_LEVELS,
    derive_hierarchies,
)
from coclust_synth.reports.console import search_progress
from coclust_synth.reports.hierarchy_tree import (
    PICTURES,
    print_hierarchy,
    write_picture,
)
from coclust_synth.tables.files import atomic_folder
from coclust_synth.tables.hierarchy_formats import (
    has_ranges,
    name_in_file,
    write_hierarchy,
)
from coclust_synth.tables.reading.table import table_suffix

# Between the table and the column in a file's name, and its ending.
_FORMATS = {
    "arx": ("_hierarchy_", ".csv"),
    "amnesia": ("_amnesia_", ".txt"),
    "amnesia-json": ("_amnesia_", ".json"),
    "anjana": ("_anjana_", ".csv"),
    "json": ("_hierarchy_", ".json"),
    "toml": ("_hierarchy_", ".toml"),
}
Format = StrEnum("Format", {name: name for name in _FORMATS})
Picture = StrEnum("Picture", {name: name for name in PICTURES})
_LONGEST = "_hierarchy_"
_MAX_NAME = 255  # bytes of a file's name, on nearly every file system
_OURS = re.compile(
    r".+_(hierarchy|amnesia|anjana)_.+\.(csv|txt|json|toml|" + "|".join(PICTURES) + ")",
    re.DOTALL,
)


@dataclass(frozen=True, kw_only=True)
class Derivation(options.Search):
    """Arguments of `derive_hierarchies`."""

    bins: options.Bins = 10
    max_levels: Annotated[
        int,
        typer.Option(
            "--levels",
            min=2,
            help="Levels of a hierarchy at most, including the values and the root.",
        ),
    ] = DEFAULT_LEVELS
    built_in: Annotated[
        Literal["auto", "never", "always"],
        typer.Option(
            help="When to use calendars of dates, prefixes of codes and rounding "
            "ladders of numbers: auto (if they tell as much of the other columns as "
            "what is derived), never, or always if there is one."
        ),
    ] = "auto"


@command
def hierarchies(
    table: options.TableArgument,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder to write, one file for each column and format.",
        ),
    ],
    known: options.KnownColumns,
    derivation: Derivation,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,...",
            help=f"Columns to use {LISTED}; all that are kept by default.",
        ),
    ] = None,
    formats: Annotated[
        list[Format] | None,
        typer.Option(
            "--format",
            help="Format of the files; toml and json are our own (repeatable); arx by "
            "default.",
        ),
    ] = None,
    picture: Annotated[
        Picture | None, typer.Option(help="Also draw each hierarchy.")
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace DIR if it holds such files.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    quiet: options.Quiet = False,
):
    """Derive a generalisation hierarchy for each column of a table, and write them.

    Individuals and parts are co-clustered, and the clusters of parts are merged down to
    one: the values of a column that meet in a cluster become a group. Numbers, dates
    and ordinal values only join neighbours; a number that many share is a node of its
    own. A calendar, the prefixes of codes or a rounding ladder is used instead if it
    tells as much about the other columns. Files can be edited, best in TOML, and read
    by --hierarchies of other commands: rename a group, move a value, remove a level (a
    column of ARX's files). The files list every value of each column: they are as
    confidential as the table. Ctrl-C ends the search, and the hierarchies are then
    those of the best grid so far.

    Example: coclust-synth hierarchies people.csv -o hierarchies --format toml
    """
    check_output_folder(output, force, _OURS.fullmatch, inputs=(table, *known.files))
    kept = [*(known.keep or ()), *(columns or ())]
    people = read(table, replace(known, keep=kept))
    names = split_names(columns, people.schema.names) or None
    stem = table.name[: -len(table_suffix(table))]
    _check_names(names or people.schema.kept.names, stem)
    with search_progress(derivation.n_iterations, enabled=not quiet) as callback:
        derived = derive_hierarchies(
            people, columns=names, **vars(derivation), callback=callback
        )
    with atomic_folder(output) as folder:
        for column, hierarchy in derived.items():
            name = name_in_file(column)
            for chosen in formats or ["arx"]:
                between, ending = _FORMATS[chosen]
                path = folder / f"{stem}{between}{name}{ending}"
                ranges = chosen == "amnesia" and has_ranges(hierarchy)
                how = "amnesia-ranges" if ranges else str(chosen)
                write_hierarchy(hierarchy, path, how)
            if picture is not None:
                path = folder / f"{stem}_hierarchy_{name}.{picture}"
                write_picture(hierarchy, path)
    if not quiet:
        for hierarchy in derived.values():
            print_hierarchy(hierarchy)
        print(f"{len(derived)} hierarchies in {output}")


def _check_names(names, stem):
    """Refuse, before any work, a column that cannot be part of a file's name."""
    for name in names:
        longest = os.fsencode(f"{stem}{_LONGEST}{name_in_file(name)}.json")
        if len(longest) > _MAX_NAME:
            raise ParameterError(
                "Expected columns whose names fit in the name of a file, of "
                f"{_MAX_NAME} bytes at most. Received {name!r}. Rename the column, or "
                "choose others by --columns."
            )
