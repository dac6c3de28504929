"""`evaluate`: what a release is worth, and what it tells of the real rows."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.command import command
from coclust_synth.cli.evaluated import (
    CSV,
    JSON,
    PAGE,
    Written,
    check_evaluated,
    write_evaluated,
)
from coclust_synth.cli.names import split_names
from coclust_synth.cli.tables import LABELS, MANIFEST, beside, more_rows, read
from coclust_synth.evaluation.evaluating import evaluate as measure
from coclust_synth.evaluation.measures import ROWS
from coclust_synth.evaluation.risk.scenario import Scenario
from coclust_synth.exceptions import ModelFileError, ParameterError
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.reports.anonymized import kept_column_warnings
from coclust_synth.reports.console import step_progress
from coclust_synth.reports.html.coclustering import coclustering_section
from coclust_synth.reports.html.evaluation_files import (
    evaluation_json,
    print_evaluation,
)
from coclust_synth.reports.html.headline import story
from coclust_synth.reports.html.labels import labels_section
from coclust_synth.reports.html.sections import budget_section, model_section
from coclust_synth.reports.manifest import (
    digests_of,
    file_digest,
    is_of_persons,
    is_private,
    read_manifest,
)
from coclust_synth.reports.private_statement import private_warnings
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchy_formats import read_hierarchies

_ROWS_OF_PERSONS = (
    "A person can have several rows, and the release does not say which rows belong "
    "together. Figures of classes and of their risk therefore count rows. A class "
    "has as many persons or fewer, and the chance to find a person is as high or "
    "higher, often several times. `anonymize --report` counts persons."
)


@dataclass(frozen=True, kw_only=True)
class Known:
    """What somebody may know of a person, and whose the released rows are."""

    qi: privacy_options.QuasiIdentifiers = None
    person_id: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column of RELEASED that names the person of each row, if it still "
            "has it: classes are then counted by persons.",
        ),
    ] = None
    household_id: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column of RELEASED that names the household of each row, for the "
            "risk of households.",
        ),
    ] = None
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column of RELEASED with survey weights: how many people of the "
            "population each row stands for.",
        ),
    ] = None
    population: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The population of which the released people are a part, with "
            "original values of the quasi-identifiers.",
        ),
    ] = None
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of hierarchies (our .toml or .json, ARX .csv) of a "
            "k-anonymous RELEASED; PREC counts their levels.",
        ),
    ] = None

    @property
    def files(self):
        """What is read."""
        return self.population, self.hierarchies

    def scenario(self, names, columns, manifest):
        """The scenario, of a table of these columns, and what is said of them."""
        qi = split_names(self.qi, names)
        return Scenario(
            quasi_identifiers=qi or None,
            person_id=self.person_id,
            household_id=self.household_id,
            weights=self.weights,
            population=more_rows(self.population, columns),
            rows_of_persons=self.person_id is None and is_of_persons(manifest),
        )


@dataclass(frozen=True, kw_only=True)
class Made:
    """What the release was made with."""

    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Labels file of a k-anonymous RELEASED; by default NAME.labels.json "
            "beside it, if there is one.",
        ),
    ] = None
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Model of `fit` that RELEASED was drawn from: the page shows its "
            "grid, its rules, and which values go together.",
        ),
    ] = None

    @property
    def files(self):
        """What is read."""
        return self.labels, self.model

    def table(self, released):
        """The release, with its labels if it has any."""
        labels = self.labels
        if labels is None and beside(released, LABELS).is_file():
            labels = beside(released, LABELS)
        if labels is None:
            return released
        return GeneralizedTable.load(released, labels=labels)

    def read_model(self, real, folder):
        """The model, if any, which the page of the folder shows."""
        if self.model is None:
            return None
        if folder is None:
            raise ParameterError(
                "Expected --output with --model: a folder for the page that shows "
                "the model. Received no --output. Name a folder by --output, or "
                "leave out --model."
            )
        model = PlainModel.load(self.model)
        strange = [name for name in model.schema.names if name not in real.schema.names]
        if strange:
            raise ModelFileError(
                f"Expected a model of columns that REAL has in {str(self.model)!r}. "
                f"Received one that also has {', '.join(map(repr, strange))}. Give as "
                "REAL the table that the model was learnt from."
            )
        return model


@command
def evaluate(
    real: Annotated[
        Path,
        typer.Argument(
            metavar="REAL",
            help="CSV (also .gz, .tsv) or Parquet file that the release was made from.",
        ),
    ],
    released: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASED", help="The release, with all or some columns of REAL."
        ),
    ],
    columns: options.Columns,
    asked: Known,
    made: Made,
    printed: options.Output,
    holdout: options.Holdout = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help=f"Folder to write: {PAGE}, {JSON} and {CSV}.",
        ),
    ] = None,
    seed: options.Seed = 0,
):
    """Measure what a release is worth and what it risks, against reference tables.

    Each figure stands beside those of fresh real rows, of a bootstrap copy of the real
    rows, and of independent columns. DIR gets report.html, one page to look at, and the
    figures as JSON and CSV. Columns that look like identifiers or free text are not
    compared, unless you say --keep. The attacker is assumed to know the generalised
    columns of a k-anonymous release, and the columns of --qi of others. All figures are
    computed on the real rows: keep them with the table.

    Example: coclust-synth evaluate train.csv synthetic.csv --holdout test.csv -o report
    """
    start = time.perf_counter()
    inputs = (real, released, holdout, *columns.files, *asked.files, *made.files)
    if output is not None:
        check_evaluated(output, printed.force, inputs=inputs)
    manifest, strange = _manifest_of(released)
    people = read(real, columns)
    table, model = made.table(released), made.read_model(people, output)
    nodes = None
    if asked.hierarchies is not None:
        nodes = read_hierarchies(asked.hierarchies, *people)
    changed, warnings = _perturbed(manifest, people.schema)
    warnings = (*strange, *warnings)
    scenario = asked.scenario(people.frame.columns, columns, manifest)
    k, of_centres = _asked_k(manifest, table), _is_of_centres(manifest)
    with step_progress(enabled=printed.talks) as callback:
        found = measure(
            people,
            table,
            more_rows(holdout, columns),
            scenario=scenario,
            k=k,
            of_centres=of_centres,
            hierarchies=nodes,
            perturbed=changed,
            random_state=seed,
            callback=callback,
        )
    if found.facts.quasi_identifiers and found.facts.counted == ROWS:
        warnings += (_ROWS_OF_PERSONS,)
    warnings += _of_release(table, manifest)
    if output is not None:
        sections = _sections(table, nodes, manifest, model, (k, of_centres))
        write_evaluated(output, found, Written(released, manifest, warnings), sections)
    if printed.as_json:
        told = story(released.name, found.facts, manifest, warnings)
        print(evaluation_json(found, told).decode(), end="")
    elif printed.talks:
        print_evaluation(found)
        for warning in warnings:
            print(f"Warning: {warning}")
        seconds = round(time.perf_counter() - start, 3)
        where = {} if output is None else {"output": str(output)}
        printed.tell(where | {"seconds": seconds})


def _manifest_of(released):
    """The manifest of a release, and what is to be said if it is another file's."""
    told = beside(released, MANIFEST)
    manifest = read_manifest(told)
    is_strange = manifest is not None and released.is_file()
    if not is_strange or file_digest(released) in digests_of(manifest):
        return manifest, ()
    return None, (
        f"{told.name!r} describes another file than this one, or this one before it "
        "was changed: what it promises is not repeated here. Put the released file "
        "back, or move the manifest away.",
    )


def _perturbed(manifest, schema):
    """Columns that were changed in rows of this order, and what else is to be said."""
    of_release = {} if manifest is None else manifest.get("release", {})
    if not (changed := of_release.get("changed")):
        return (), ()
    if not of_release["in_order"]:
        return (), (
            "The rows of the release are not in the order of the table, so what "
            "became of each row is not measured. `perturb --report` measures it, and "
            "so does this command for a release made with `perturb --keep-order`.",
        )
    compared = schema.kept.names
    return [name for name in changed if name in compared], ()


def _of_release(released, manifest):
    """What else is to be said of a release by what its manifest tells of it."""
    if manifest is None:
        return ()
    if is_private(manifest):
        return private_warnings(manifest)
    if not isinstance(released, GeneralizedTable):
        return ()
    others = [c["name"] for c in manifest.get("columns", ()) if c["role"] == "other"]
    return kept_column_warnings(released.others.filter(others))


def _asked_k(manifest, released):
    """The k that was asked of a k-anonymous release, where its manifest tells."""
    if manifest is None or not isinstance(released, GeneralizedTable):
        return None
    k = _parameter(manifest, "k")
    return k if isinstance(k, int) else None


def _parameter(manifest, name):
    """A parameter of the method that a release was made by; None where it is not."""
    return manifest.get("method", {}).get("parameters", {}).get(name)


def _is_of_centres(manifest):
    """Whether a manifest says that cells are centres of classes."""
    return manifest is not None and _parameter(manifest, "release") == "centroids"


def _sections(released, hierarchies, manifest, model, how):
    """What the page tells of labels, of a budget that was spent, and of a model.

    How the labels were made: the k that was asked for, and whether they are centres.
    """
    k, of_centres = how
    if isinstance(released, GeneralizedTable):
        yield labels_section(released, k, hierarchies, of_centres=of_centres)
    if manifest is not None and is_private(manifest):
        yield budget_section(manifest)
    if model is not None:
        yield coclustering_section(model)
        yield model_section(model)
