"""`cocluster`, `grid` and `report`: co-clustering on its own, in files of Khiops."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.errors import clear_errors
from coclust_synth.cli.tables import check_output, read
from coclust_synth.modl.data_grid.estimator import MODLDataGrid
from coclust_synth.modl.data_grid.search import DEFAULT_ITERATIONS as GRID_ITERATIONS
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.modl.search.two_sides import DEFAULT_ITERATIONS
from coclust_synth.reports.console import print_facts, search_progress
from coclust_synth.reports.khiops.coclustering import (
    coclustering_report,
    individual_names,
)
from coclust_synth.reports.khiops.data_grid import data_grid_report
from coclust_synth.reports.khiops.files import read_khiops_report, write_khiops_report
from coclust_synth.reports.khiops.summary import print_report, report_facts
from coclust_synth.reports.summary import coclustering_facts, data_grid_facts
from coclust_synth.tables.reading.infer import require_decided
from coclust_synth.tables.schema import LISTED_KINDS


def cocluster(
    table: options.TableArgument,
    output: options.ReportOutput,
    id_: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="NAME",
            help="Column that names the individuals; row numbers by default.",
            show_default=False,
        ),
    ] = None,
    schema: options.SchemaFile = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    parts: options.PartsKind = "fixed",
    bins: options.Bins = 10,
    iterations: options.Iterations = DEFAULT_ITERATIONS,
    time_limit: options.Time = None,
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    json_: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
):
    """Co-cluster the individuals and the parts of a table, and write the report.

    A part is a category, an interval between two quantiles of a numeric column, or
    missing; learnt parts are intervals and groups of categories, missing values left
    out. The report is one of Khiops, for its tools. It names the individuals of
    each cluster: it is as confidential as the table. Ctrl-C ends the search, and the
    report is that of the best grid so far.
    """
    with clear_errors():
        start = time.perf_counter()
        check_output(output, force, inputs=(table, schema), is_table=False)
        named = [] if id_ is None else [id_]
        frame, found = read(table, schema, [*(drop or ()), *named], keep)
        require_decided(found)
        ids = individual_names(frame[id_], len(frame)) if named else None
        frame = frame[list(found.kept.names)]
        with search_progress(iterations, enabled=not (quiet or json_)) as callback:
            model = MODLCoclustering(
                parts=parts,
                bins=bins,
                n_iterations=iterations,
                time_limit=time_limit,
                n_jobs=jobs,
                random_state=seed,
                callback=callback,
            ).fit(frame, schema=found)
        content = coclustering_report(
            model, frame, ids=ids, dictionary=table.stem, database=table.name
        )
        write_khiops_report(content, output, force=force)
        facts = coclustering_facts(model, **_run_facts(seed, output, start))
        _print_facts(facts, json_=json_, quiet=quiet)


def grid(
    table: options.TableArgument,
    output: options.ReportOutput,
    frequency: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column with the observations that each row stands for; 1 by default.",
            show_default=False,
        ),
    ] = None,
    schema: options.SchemaFile = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    iterations: options.Iterations = GRID_ITERATIONS,
    time_limit: options.Time = None,
    seed: options.Seed = 0,
    json_: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
):
    """Find the grid of all columns of a table, and write the report.

    Each column is a dimension: numbers are cut into intervals and categories (dates
    too) put into groups, so that the cells tell most of all columns together. The
    report is one of Khiops, for its tools. Ctrl-C ends the search, and the report is
    that of the best grid so far.
    """
    with clear_errors():
        start = time.perf_counter()
        check_output(output, force, inputs=(table, schema), is_table=False)
        counted = [] if frequency is None else [frequency]
        frame, found = read(table, schema, [*(drop or ()), *counted], keep)
        require_decided(found)
        columns = found.kept.columns
        names = [column.name for column in columns]
        with search_progress(iterations, enabled=not (quiet or json_)) as callback:
            model = MODLDataGrid(
                categorical_features=[
                    column.name for column in columns if column.kind in LISTED_KINDS
                ],
                n_iterations=iterations,
                time_limit=time_limit,
                random_state=seed,
                callback=callback,
            ).fit(frame[names], frequencies=frame[frequency] if counted else None)
        content = data_grid_report(
            model,
            frame[[*names, *counted]],
            frequency=frequency,
            dictionary=table.stem,
            database=table.name,
        )
        write_khiops_report(content, output, force=force)
        facts = data_grid_facts(model, **_run_facts(seed, output, start))
        _print_facts(facts, json_=json_, quiet=quiet)


def _run_facts(seed, output, start):
    return {
        "seed": seed,
        "output": str(output),
        "seconds": round(time.perf_counter() - start, 3),
    }


def _print_facts(facts, *, json_, quiet):
    if json_:
        print(json.dumps(facts, ensure_ascii=False))
    elif not quiet:
        print_facts(facts)
        if facts["cost"] >= facts["null_cost"]:
            print("No structure was found: the report has one cell.")


def report(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="REPORT",
            help="Report of Khiops, or of `cocluster`: .khcj, or .khcj.gz.",
            show_default=False,
        ),
    ],
    json_: options.Json = False,
):
    """Print what a co-clustering report of Khiops says.

    Its figures, its dimensions, and the merges of their parts that lose most of what
    the grid tells.
    """
    with clear_errors():
        content = read_khiops_report(file)
        if json_:
            print(json.dumps(report_facts(content), ensure_ascii=False))
        else:
            print_report(content)
