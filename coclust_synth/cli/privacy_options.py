"""Options about privacy that several commands share, and how they are read."""

from typing import Annotated

import typer

from coclust_synth.cli.command import Sets
from coclust_synth.cli.names import LISTED, split_names
from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.classes import code_values
from coclust_synth.privacy.models.closeness import TCloseness as Closeness
from coclust_synth.privacy.models.options import (
    L_DIVERSITY_FORMS,
    parse_alpha,
    parse_delta_presence,
    parse_l_diversity,
    parse_t_closeness,
)
from coclust_synth.privacy.models.presence import KMap, Sampled

_HIERARCHICAL = ":hierarchical"


def _texts(flag, metavar, help_, *annotations):
    option = typer.Option(flag, metavar=metavar, help=help_)
    return Annotated[(list[str] | None, option, *annotations)]


QuasiIdentifiers = _texts(
    "--qi", "NAME,...", f"Columns that somebody may know of a person {LISTED}."
)
Sensitive = _texts(
    "--sensitive", "NAME,...", f"Columns that nobody should learn {LISTED}."
)
LDiversity = _texts(
    "--l-diversity",
    "MODEL",
    f"{L_DIVERSITY_FORMS}; job=distinct:3 for one sensitive column only (repeatable).",
    Sets("models"),
)
TCloseness = _texts(
    "--t-closeness",
    "MODEL",
    "0.2 or 0.2:equal; 0.2:ordered for numbers, dates and ordered values; "
    "0.2:hierarchical along a hierarchy; job=0.2 for one sensitive column only "
    "(repeatable).",
    Sets("models"),
)
Alpha = _texts(
    "--alpha",
    "SHARE",
    "Largest share of a class that may have the same sensitive value; job=0.5 for one "
    "sensitive column only (repeatable).",
    Sets("models"),
)
DeltaPresence = Annotated[
    str | None,
    typer.Option(
        metavar="LO,HI",
        help="Least and largest share of a class of --population that is released.",
    ),
    Sets("population"),
]
PeopleOfClass = Annotated[
    int | None,
    typer.Option(
        "--k-map",
        metavar="K",
        help="Least number of people who fit each class, in the --population or as "
        "estimated by --sampling-fraction.",
    ),
    Sets("population"),
]
SamplingFraction = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Share of the population that is in the table, instead of --population. "
        "A class passes if the estimated probability that it fails is at most 5 %.",
    ),
    Sets("population"),
]
PersonId = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Column that names the person of each row: persons are then counted. Its "
        "values are never released. Without it, each row is a person.",
    ),
]


def parse_models(l_diversity, t_closeness, alpha):
    """Models that the options ask for, with the column of each or None.

    Returns
    -------
    models : list of (str or None, PrivacyModel)
    along : list of (str or None, float)
        The t of each that is asked along a hierarchy: see `models_along`.
    """
    texts = t_closeness or ()
    plain = [text for text in texts if not text.endswith(_HIERARCHICAL)]
    along = [
        parse_t_closeness(text.removesuffix(_HIERARCHICAL))
        for text in texts
        if text.endswith(_HIERARCHICAL)
    ]
    models = [
        *map(parse_l_diversity, l_diversity or ()),
        *map(parse_t_closeness, plain),
        *map(parse_alpha, alpha or ()),
    ]
    return models, [(column, model.t) for column, model in along]


def population_models(delta_presence, k_map, fraction):
    """Models of a population that the options ask for, each with a column of None."""
    models = []
    if delta_presence is not None:
        models.append(parse_delta_presence(delta_presence))
    if k_map is not None:
        models.append(KMap(k_map))
    if fraction is not None:
        if not models:
            raise ParameterError(
                "Expected --k-map or --delta-presence beside --sampling-fraction. "
                "Received it alone. Say which of them the population has to satisfy."
            )
        models = [Sampled(model, fraction) for model in models]
    return [(None, model) for model in models]


def columns_along(along, sensitive):
    """The columns of which `models_along` asks a hierarchy, each once."""
    return list(dict.fromkeys(name for name, _ in _each(along, sensitive)))


def models_along(along, sensitive, hierarchies, frame):
    """The models of t-closeness that are asked along hierarchies.

    Parameters
    ----------
    along : list of (str or None, float)
        What `parse_models` found; None stands for each sensitive column.
    sensitive : sequence of str
    hierarchies : mapping of column name to GeneralizationHierarchy
        Of these columns.
    frame : DataFrame

    Returns
    -------
    list of (str, TCloseness)
    """
    found = []
    for name, t in _each(along, sensitive):
        nodes = hierarchies[name].nodes_of(code_values(frame[name]).values)
        found.append((name, Closeness(t, "hierarchical", nodes)))
    return found


def _each(along, sensitive):
    for column, t in along:
        if column is None and not sensitive:
            raise ParameterError(
                f"Expected a sensitive column for {t:g}{_HIERARCHICAL}. Received none. "
                "Name the columns that nobody should learn."
            )
        if column is not None and column not in sensitive:
            raise ParameterError(
                f"Expected {t:g}{_HIERARCHICAL} on one of the sensitive columns "
                f"{', '.join(map(repr, sensitive)) or '(none)'}. Received {column!r}. "
                "Name it as sensitive too."
            )
        yield from ((name, t) for name in (sensitive if column is None else [column]))


def parse_importance(text, columns):
    """Importance by column, ``name=number``, or columns from the most important on."""
    if text is None:
        return None
    parts = split_names([text], columns)
    if not any("=" in part for part in {*parts} - {*columns}):
        return parts
    found = {}
    for part in _assigned(text):
        said, _, number = part.rpartition("=")
        names = split_names([said], columns)
        try:
            found[names[0]] = float(number)
        except ValueError:
            names = []
        if len(names) != 1 or not names[0]:
            raise ParameterError(
                "Expected an importance NAME=NUMBER of each column, or their names. "
                f"Received {part.strip()!r}. Write, for example, age=2,sex=1."
            )
    return found


def _assigned(text):
    """Texts ``name=number`` between commas, of which names can have some."""
    parts = [""]
    for piece in text.split(","):
        if "=" in parts[-1]:
            parts.append(piece)
        else:
            parts[-1] += f",{piece}" if parts[-1] else piece
    return parts


def parse_sets(texts, columns):
    """Sets of columns, each by its names or, for all of a size, by a number."""
    if texts is None:
        return None
    return [
        int(text) if text.isdecimal() and text not in columns else one
        for text in texts
        for one in [split_names([text], columns)]
    ]
