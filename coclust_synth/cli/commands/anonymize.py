"""`anonymize`: k-anonymous tables."""

import json
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from coclust_synth.baselines.lattice.quality import QUALITY
from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.anonymizers import METHODS, check_options
from coclust_synth.cli.errors import clear_errors
from coclust_synth.cli.tables import LABELS, check_output, read
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.modl.search.two_sides import DEFAULT_ITERATIONS
from coclust_synth.privacy.classes import code_values
from coclust_synth.privacy.models.closeness import TCloseness
from coclust_synth.privacy.models.options import parse_delta_presence, parse_t_closeness
from coclust_synth.reports.anonymized import anonymized_facts
from coclust_synth.reports.console import print_facts, search_progress
from coclust_synth.tables.generalized.sidecar import sidecar_path
from coclust_synth.tables.hierarchy_formats import read_hierarchies
from coclust_synth.tables.people.people import People
from coclust_synth.validation import check_integer, check_share

_HIERARCHICAL = ":hierarchical"
MethodName = StrEnum("MethodName", {name: name for name in METHODS})
Metric = StrEnum("Metric", {name: name for name in QUALITY})

# What the options of one kind of method are arguments of.
_ARGUMENTS = {
    "truthful": "truthful",
    "intervals": "intervals",
    "l_diversity": "models",
    "t_closeness": "models",
    "alpha": "models",
    "delta_presence": "population",
    "population": "population",
    "suppression": "max_suppressed",
    "metric": "metric",
    "relaxed": "relaxed",
    "split": "split",
    "target": "target",
    "centroids": "release",
    "scale": "scale",
    "improve": "improve",
    "hierarchies": "hierarchies",
    "model": "model",
    "bins": "bins",
    "iterations": "n_iterations",
    "time_limit": "time_limit",
    "jobs": "n_jobs",
    "seed": "random_state",
}


def anonymize(
    context: typer.Context,
    table: options.TableArgument,
    output: options.TableOutput,
    k: Annotated[
        int, typer.Option("--k", help="Rows in each class, at least; from 2.")
    ],
    qi: privacy_options.QuasiIdentifiers = None,
    sensitive: privacy_options.Sensitive = None,
    person_id: privacy_options.PersonId = None,
    method: Annotated[
        MethodName,
        typer.Option(
            help="hybrid: classes formed for the released table. coc, coc_hg: the "
            "clusters of one level, as sets of parts or nodes of hierarchies. flash, "
            "incognito, samarati, datafly: one level of each hierarchy for all rows. "
            "mondrian: boxes. mdav: microaggregation. micro: the commonest part of "
            "each cluster."
        ),
    ] = MethodName.hybrid,
    truthful: Annotated[
        bool,
        typer.Option(
            "--truthful",
            help="Every label stands for all values of its class: a generalisation. "
            "Otherwise rare values of a class are not in its labels.",
        ),
    ] = False,
    intervals: Annotated[
        bool,
        typer.Option(
            "--intervals",
            help="Labels of numbers, dates and ordinal values are intervals, not sets.",
        ),
    ] = False,
    l_diversity: privacy_options.LDiversity = None,
    t_closeness: Annotated[
        list[str] | None,
        typer.Option(
            "--t-closeness",
            metavar="MODEL",
            help="0.2 or 0.2:equal, 0.2:ordered for numbers and dates, "
            "0.2:hierarchical with --hierarchies; job=0.2 for one sensitive column "
            "only (repeatable).",
            show_default=False,
        ),
    ] = None,
    alpha: privacy_options.Alpha = None,
    delta_presence: privacy_options.DeltaPresence = None,
    population: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="People of whom those of TABLE are some, with its columns.",
            show_default=False,
        ),
    ] = None,
    suppression: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Rows that may be suppressed: by flash and its like for k too, and "
            "they can be fewer than k then; otherwise rather than merged when a model "
            "fails.",
        ),
    ] = 0.0,
    metric: Annotated[
        Metric, typer.Option(help="What flash and its like minimise.")
    ] = Metric.loss,
    relaxed: Annotated[
        bool,
        typer.Option(
            "--relaxed",
            help="Mondrian may put equal values on both sides of a cut.",
        ),
    ] = False,
    split: Annotated[
        Literal["median", "infogain", "lsd"],
        typer.Option(
            help="Where Mondrian cuts: at medians, or for a model of --target, a "
            "class (infogain) or a number (lsd)."
        ),
    ] = "median",
    target: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Column that --split is for.", show_default=False
        ),
    ] = None,
    centroids: Annotated[
        bool,
        typer.Option(
            "--centroids",
            help="MDAV releases means, medians and modes; otherwise the sets of "
            "values of each class.",
        ),
    ] = False,
    scale: Annotated[
        Literal["deviation", "range", "none"],
        typer.Option(help="What MDAV divides numbers by."),
    ] = "deviation",
    improve: Annotated[
        bool,
        typer.Option(
            "--improve",
            help="A local search after MDAV; slower. Of 30 iterations unless "
            "--iterations says otherwise.",
        ),
    ] = False,
    sensitive_values: Annotated[
        Literal["keep", "shuffle", "class", "table"],
        typer.Option(
            help="Sensitive values stay with their rows, are shuffled inside the "
            "class, or drawn from the values of the class or of the table: the last "
            "three without a seed, which would undo them."
        ),
    ] = "keep",
    others: Annotated[
        Literal["drop", "keep"],
        typer.Option(help="Columns that are neither, and no identifiers."),
    ] = "drop",
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Hierarchies (ARX .csv or our .json): labels of these columns are "
            "their nodes. Those that flash and its like lack are derived.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="Model that `fit` saved, instead of a search.",
            show_default=False,
        ),
    ] = None,
    schema: options.SchemaFile = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    bins: options.Bins = 10,
    iterations: options.Iterations = DEFAULT_ITERATIONS,
    time_limit: options.Time = None,
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    json_: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
):
    """Release a table in which every row is one of k or more with equal labels.

    Rows are gathered in classes of at least k; each quasi-identifier of a class gets
    one label, a set of values. What the labels stand for is written beside OUT, in
    NAME.labels.json, with all values that the real rows have in these columns. Rows
    come in the order of their labels. Without --qi every column that is neither
    sensitive nor an identifier is a quasi-identifier.

    It keeps somebody who knows a person's quasi-identifiers from telling the person's
    row from k - 1 others; what all of them share it does not hide. Where a person can
    have several rows, say --person-id, or the others may be the person's own. The
    summary printed
    is about the real rows: keep it with the table. Ctrl-C ends the search, and the
    release is made from the best grid so far; a second one ends the command.
    """
    with clear_errors():
        start = time.perf_counter()
        chosen = _given(context)
        check_options(str(method), chosen)
        check_integer("k", k, minimum=2)
        check_share("the suppression", suppression)
        inputs = (table, population, model, schema, hierarchies)
        check_output(output, force, inputs=inputs, replaces=[LABELS])
        check_output(sidecar_path(output), force, inputs=inputs, is_table=False)
        presence = []
        if delta_presence is not None:
            presence = [(None, parse_delta_presence(delta_presence))]
        plain, by_hierarchy = _split_hierarchical(t_closeness or ())
        models = privacy_options.parse_models(l_diversity, plain, alpha) + presence
        given = read(table, schema, drop, keep, person_id)
        frame, found = given
        asked = privacy_options.split_names(qi, found.names) or None
        hidden = privacy_options.split_names(sensitive, found.names) or None
        people = People.of(
            given,
            k=k,
            quasi_identifiers=asked,
            sensitive=hidden,
            others=others,
            person_id=person_id,
        )
        roles = people.roles
        known = {}
        if hierarchies is not None:
            known = read_hierarchies(hierarchies, frame, found)
        for name, t in by_hierarchy:
            names = [name] if name else roles.sensitive
            models += _hierarchical(names, t, known, frame)
        with search_progress(iterations, enabled=not (quiet or json_)) as callback:
            arguments = {
                "k": k,
                "quasi_identifiers": asked,
                "sensitive": hidden,
                "truthful": truthful,
                "intervals": intervals,
                "models": models,
                "population": population,
                "max_suppressed": suppression,
                "metric": str(metric),
                "relaxed": relaxed,
                "split": split,
                "target": target,
                "release": "centroids" if centroids else "sets",
                "scale": scale,
                "improve": improve,
                "sensitive_values": sensitive_values,
                "others": others,
                "person_id": person_id,
                "hierarchies": {
                    name: own
                    for name, own in known.items()
                    if name in roles.quasi_identifiers
                },
                "model": None if model is None else PlainModel.load(model),
                "bins": bins,
                "time_limit": time_limit,
                "n_jobs": jobs,
                "random_state": seed,
                "callback": callback,
            }
            if "n_iterations" in chosen:  # each search has its own default
                arguments["n_iterations"] = iterations
            anonymizer = METHODS[method].make(arguments, people)
            anonymizer.fit(people.table)
        anonymizer.release_.save(output, found, force=force)
        facts = anonymized_facts(
            anonymizer,
            method=str(method),
            seed=seed,
            seconds=round(time.perf_counter() - start, 3),
            output=str(output),
            labels=str(sidecar_path(output)),
        )
        if json_:
            print(json.dumps(facts, ensure_ascii=False))
        elif not quiet:
            print_facts(facts)


def _given(context):
    """Arguments that the command line chooses, and the options that it does so by."""
    flags = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    return {
        argument: flags[name]
        for name, argument in _ARGUMENTS.items()
        if context.get_parameter_source(name).name == "COMMANDLINE"
    }


def _split_hierarchical(texts):
    """The options without the hierarchical ones, and those as (column or None, t)."""
    plain = [text for text in texts if not text.endswith(_HIERARCHICAL)]
    asked = [text for text in texts if text.endswith(_HIERARCHICAL)]
    parsed = [parse_t_closeness(text[: -len(_HIERARCHICAL)]) for text in asked]
    return plain, [(name, model.t) for name, model in parsed]


def _hierarchical(names, t, hierarchies, frame):
    """A hierarchical t-closeness for each of some columns."""
    if not names:
        raise ParameterError(
            f"Expected a sensitive column for {t}{_HIERARCHICAL}. Received none. Name "
            "the columns that nobody should learn."
        )
    for name in names:
        if name not in hierarchies:
            raise ParameterError(
                f"Expected a hierarchy of {name!r} for the hierarchical distance. "
                "Received none. Put its file in a folder and name it by --hierarchies."
            )
        nodes = hierarchies[name].nodes_of(code_values(frame[name]).values)
        yield name, TCloseness(t, "hierarchical", nodes)
