"""`evaluate`: what a release is worth, and what it tells of the real rows."""

import time
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.command import command
from coclust_synth.cli.evaluated import (
    CSV,
    JSON,
    PAGE,
    check_evaluated,
    write_evaluated,
)
from coclust_synth.cli.tables import LABELS, MANIFEST, beside, read
from coclust_synth.evaluation.evaluating import evaluate as measure
from coclust_synth.reports.console import step_progress
from coclust_synth.reports.evaluation_files import evaluation_json, print_evaluation
from coclust_synth.reports.html.labels import labels_section
from coclust_synth.reports.html.story import story
from coclust_synth.reports.manifest import read_manifest
from coclust_synth.tables.generalized.table import GeneralizedTable


@command
def evaluate(
    real: Annotated[
        Path,
        typer.Argument(
            metavar="REAL",
            help="CSV (also .gz, .tsv) or Parquet file that the release was made from.",
            show_default=False,
        ),
    ],
    released: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASED",
            help="The release, with columns of REAL, all or some.",
            show_default=False,
        ),
    ],
    columns: options.Columns,
    printed: options.Output,
    holdout: options.Holdout = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What the labels of a k-anonymous RELEASED stand for; by default "
            "NAME.labels.json beside it, where there is one.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help=f"Folder to write: {PAGE}, {JSON} and {CSV}.",
            show_default=False,
        ),
    ] = None,
    seed: options.Seed = 0,
):
    """Measure what a release is worth and what it risks, beside honest references.

    Each figure is told beside those of fresh real rows, of a bootstrap copy of the real
    rows, and of independent columns. DIR gets report.html, one page to look at, and the
    figures as JSON and CSV. Columns that look like identifiers or free text are not
    compared, unless by --keep. All figures are computed on the real rows: keep them
    with the table.

    Example: coclust-synth evaluate train.csv synthetic.csv --holdout test.csv -o report
    """
    start = time.perf_counter()
    inputs = (real, released, holdout, labels, columns.schema)
    if output is not None:
        check_evaluated(output, printed.force, inputs=inputs)
    manifest = read_manifest(beside(released, MANIFEST))
    people = read(real, columns)
    if labels is None and beside(released, LABELS).is_file():
        labels = beside(released, LABELS)
    table = released
    if labels is not None:
        table = GeneralizedTable.load(released, labels=labels)
    with step_progress(enabled=printed.talks) as callback:
        found = measure(people, table, holdout, random_state=seed, callback=callback)
    if output is not None:
        sections = [] if labels is None else [labels_section(table)]
        write_evaluated(output, found, released, manifest, sections)
    if printed.as_json:
        told = story(released.name, found.facts, manifest)
        print(evaluation_json(found, told).decode(), end="")
    elif printed.talks:
        print_evaluation(found)
        seconds = round(time.perf_counter() - start, 3)
        where = {} if output is None else {"output": str(output)}
        printed.tell(where | {"seconds": seconds})
