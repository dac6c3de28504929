"""Options about privacy that several commands share, and how they are read."""

from typing import Annotated

import typer

from coclust_synth.cli.command import Sets
from coclust_synth.privacy.models.options import (
    parse_alpha,
    parse_l_diversity,
    parse_t_closeness,
)


def _texts(flag, metavar, help_, *annotations):
    option = typer.Option(flag, metavar=metavar, help=help_, show_default=False)
    return Annotated[(list[str] | None, option, *annotations)]


QuasiIdentifiers = _texts(
    "--qi", "NAME,...", "Columns that somebody may know of a person (repeatable)."
)
Sensitive = _texts(
    "--sensitive", "NAME,...", "Columns that nobody should learn (repeatable)."
)
LDiversity = _texts(
    "--l-diversity",
    "MODEL",
    "distinct:3, entropy:2.5 or recursive:4,3 (c, then l); job=distinct:3 for one "
    "sensitive column only (repeatable).",
    Sets("models"),
)
TCloseness = _texts(
    "--t-closeness",
    "MODEL",
    "0.2 or 0.2:equal, 0.2:ordered for numbers and dates; job=0.2 for one "
    "sensitive column only (repeatable).",
    Sets("models"),
)
Alpha = _texts(
    "--alpha",
    "SHARE",
    "Largest share of a class that may have one sensitive value; job=0.5 for one "
    "sensitive column only (repeatable).",
    Sets("models"),
)
DeltaPresence = Annotated[
    str | None,
    typer.Option(
        metavar="LO,HI",
        help="Least and largest share of a class of --population that is released.",
        show_default=False,
    ),
    Sets("population"),
]
PersonId = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Column that names the person of each row: what is counted is persons "
        "then. It is never released. Without, each row is a person.",
        show_default=False,
    ),
]


def parse_models(l_diversity, t_closeness, alpha):
    """Models that the options ask for, with the column of each or None."""
    return [
        *map(parse_l_diversity, l_diversity or ()),
        *map(parse_t_closeness, t_closeness or ()),
        *map(parse_alpha, alpha or ()),
    ]


def split_names(texts, columns):
    """Names between commas; a name that holds a comma can be given on its own."""
    names = []
    for text in texts or ():
        known = text in columns
        names += [text] if known else [name.strip() for name in text.split(",")]
    return names
