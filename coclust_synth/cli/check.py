"""`check`: what the privacy models say of a released table."""

import json
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.errors import clear_errors
from coclust_synth.cli.outputs import check_output
from coclust_synth.evaluation.privacy_check import check_release
from coclust_synth.privacy.models import (
    parse_alpha,
    parse_delta_presence,
    parse_l_diversity,
    parse_t_closeness,
)
from coclust_synth.reports.privacy_check import print_privacy_check, privacy_check_facts
from coclust_synth.tables.io import atomic_write, read_as_is

_FAILS = 1  # exit code where a model that was asked for does not hold


def _texts(flag, metavar, help_):
    option = typer.Option(flag, metavar=metavar, help=help_, show_default=False)
    return Annotated[list[str] | None, option]


def check(
    released: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASED",
            help="CSV (also .gz, .tsv) or Parquet file.",
            show_default=False,
        ),
    ],
    qi: _texts(
        "--qi",
        "NAME,...",
        "Columns that somebody may know of a person (repeatable).",
    ) = None,
    sensitive: _texts(
        "--sensitive", "NAME,...", "Columns that nobody should learn (repeatable)."
    ) = None,
    k: Annotated[
        int | None,
        typer.Option("--k", help="Rows in each class, at least.", show_default=False),
    ] = None,
    l_diversity: _texts(
        "--l-diversity",
        "MODEL",
        "distinct:3, entropy:2.5 or recursive:4,3 (c, then l); job=distinct:3 for one "
        "sensitive column only (repeatable).",
    ) = None,
    t_closeness: _texts(
        "--t-closeness",
        "MODEL",
        "0.2 or 0.2:equal, 0.2:ordered for numbers and dates; job=0.2 for one "
        "sensitive column only (repeatable).",
    ) = None,
    alpha: _texts(
        "--alpha",
        "SHARE",
        "Largest share of a class that may have one sensitive value; job=0.5 for one "
        "sensitive column only (repeatable).",
    ) = None,
    delta_presence: Annotated[
        str | None,
        typer.Option(
            metavar="LO,HI",
            help="Least and largest share of a class of --population that is released.",
            show_default=False,
        ),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="People of whom the released are some, under the same labels.",
            show_default=False,
        ),
    ] = None,
    suppressed: Annotated[
        str | None,
        typer.Option(
            metavar="MARK",
            help="Rows with this mark, such as *, in every quasi-identifier are "
            "suppressed: in no class.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the JSON object to this file too.",
            show_default=False,
        ),
    ] = None,
    json_: options.Json = False,
    force: options.Force = False,
):
    """Measure a released table, whoever made it, under the privacy models.

    Rows that are equal in all quasi-identifiers are a class. Prints the sizes of the
    classes, and for each sensitive column how diverse it is in them (l) and how close
    to the whole table (t). It is about this table and these quasi-identifiers only.

    Exit code 0 if every model that is asked for holds, or none is; 1 if one does not;
    2 for an error.
    """
    with clear_errors():
        if output is not None:
            check_output(output, force, None, source=released, is_table=False)
        models = [
            *map(parse_l_diversity, l_diversity or ()),
            *map(parse_t_closeness, t_closeness or ()),
            *map(parse_alpha, alpha or ()),
        ]
        presence = None
        if delta_presence is not None:
            presence = parse_delta_presence(delta_presence)
        frame = read_as_is(released)
        found = check_release(
            frame,
            _names(qi, frame),
            _names(sensitive, frame),
            k=k,
            models=models,
            presence=presence,
            population=None if population is None else read_as_is(population),
            suppressed=suppressed,
        )
        facts = privacy_check_facts(found)
        text = json.dumps(facts, ensure_ascii=False, allow_nan=False)
        if output is not None:
            with atomic_write(output) as temporary:
                temporary.write_text(text + "\n", encoding="utf-8")
        if json_:
            print(text)
        else:
            print_privacy_check(found, source=str(released))
        if not found.holds:
            raise typer.Exit(_FAILS)


def _names(texts, frame):
    """Names between commas; a name that holds a comma can be given on its own."""
    names = []
    for text in texts or ():
        known = text in frame.columns
        names += [text] if known else [name.strip() for name in text.split(",")]
    return names
