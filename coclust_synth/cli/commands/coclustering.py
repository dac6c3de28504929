"""`cocluster`, `grid`, `report` and `view`: grids on their own, in files and pages."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.command import command
from coclust_synth.cli.tables import check_output, read
from coclust_synth.modl.data_grid.fitting import fit_data_grid
from coclust_synth.modl.grid.dendrogram import is_null_cost
from coclust_synth.reports.console import search_progress
from coclust_synth.reports.khiops.files import read_khiops_report, write_khiops_report
from coclust_synth.reports.khiops.fitted import (
    coclustering_report,
    data_grid_report,
    individual_names,
)
from coclust_synth.reports.khiops.summary import (
    coclustering_facts,
    data_grid_facts,
    print_report,
    report_facts,
)
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.files import write_files
from coclust_synth.tables.reading.settling import require_decided


@command
def cocluster(
    table: options.TableArgument,
    output: options.ReportOutput,
    columns: options.Columns,
    search: options.TimedSearch,
    printed: options.Output,
    id_: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="NAME",
            help="Column that names the individuals; row numbers by default.",
        ),
    ] = None,
    parts: options.PartsKind = "fixed",
    bins: options.Bins = 10,
):
    """Co-cluster the individuals and the parts of a table, and write the report.

    A part is a category, an interval between two quantiles of a numeric column, or
    missing; learnt parts are intervals and groups of categories, missing values left
    out. The report has the format of Khiops, for its tools. It names the individuals of
    each cluster: it is as confidential as the table. Ctrl-C ends the search, and the
    report is then of the best grid so far.

    Example: coclust-synth cocluster people.csv -o people.khcj
    """
    # With scikit-learn, which takes longer to import than `grid` to search.
    from coclust_synth.modl.estimator import MODLCoclustering

    start = time.perf_counter()
    check_output(output, printed.force, inputs=(table, *columns.files), is_table=False)
    named = [] if id_ is None else [id_]
    known = _read(table, columns, named)
    ids = None
    if named:
        ids = individual_names(known.frame[id_], len(known.frame), "--id")
    with search_progress(search.n_iterations, enabled=printed.talks) as callback:
        model = MODLCoclustering(
            parts=parts, bins=bins, **vars(search), callback=callback
        ).fit_values(known.values, known.schema)
    content = coclustering_report(
        model, known.values, ids=ids, dictionary=table.stem, database=table.name
    )
    write_khiops_report(content, output, force=printed.force)
    facts = coclustering_facts(model, **_run_facts(search.random_state, output, start))
    _tell(facts, printed)


@command
def grid(
    table: options.TableArgument,
    output: options.ReportOutput,
    columns: options.Columns,
    search: options.TimedSearch,
    printed: options.Output,
    frequency: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column with the number of observations that each row stands for; 1 "
            "by default.",
        ),
    ] = None,
):
    """Find the grid of all columns of a table, and write the report.

    Each column is a dimension. Numbers are cut into intervals, and categories (dates
    too) are put into groups, so that the cells tell as much as possible about all
    columns together. The report has the format of Khiops, for its tools. Ctrl-C ends
    the search, and the report is then of the best grid so far.

    Example: coclust-synth grid people.csv -o grid.khcj
    """
    start = time.perf_counter()
    check_output(output, printed.force, inputs=(table, *columns.files), is_table=False)
    counted = [] if frequency is None else [frequency]
    frame, found = _read(table, columns, counted)
    kept = found.kept.columns
    names = [column.name for column in kept]
    with search_progress(search.n_iterations, enabled=printed.talks) as callback:
        model = fit_data_grid(
            frame[names],
            frame[frequency] if counted else None,
            categorical_features=[
                column.name for column in kept if column.kind in LISTED_KINDS
            ],
            **vars(search),
            callback=callback,
        )
    content = data_grid_report(
        model,
        frame[[*names, *counted]],
        frequency=frequency,
        dictionary=table.stem,
        database=table.name,
    )
    write_khiops_report(content, output, force=printed.force)
    facts = data_grid_facts(model, **_run_facts(search.random_state, output, start))
    _tell(facts, printed)


def _run_facts(seed, output, start):
    return {
        "seed": seed,
        "output": str(output),
        "seconds": round(time.perf_counter() - start, 3),
    }


def _tell(facts, printed):
    printed.tell(facts)
    if printed.talks and is_null_cost(facts["cost"], facts["null_cost"]):
        print("No structure was found: the report has one cell.")


def _read(table, columns, aside):
    """A table without undecided columns; some are left out for now."""
    columns = replace(columns, drop=[*(columns.drop or ()), *aside])
    known = read(table, columns)
    require_decided(known.schema)
    return known


@command
def report(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="REPORT",
            help="Report of Khiops, or of `cocluster`: .khcj, or .khcj.gz.",
        ),
    ],
    json_: options.Json = False,
):
    """Print what a co-clustering report of Khiops says.

    It prints the figures, the dimensions, and those merges of parts that lose most of
    the information of the grid.

    Example: coclust-synth report people.khcj
    """
    content = read_khiops_report(file)
    if json_:
        print(json.dumps(report_facts(content), ensure_ascii=False))
    else:
        print_report(content)


@command
def view(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Model of `fit`, or co-clustering report (.khcj, .khcj.gz) of "
            "`cocluster`, `grid` or Khiops.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PAGE", help="HTML file to write.")
    ],
    printed: options.Output,
    names: Annotated[
        Path | None,
        typer.Option(
            metavar="JSON", help="File of cluster names that such a page saved."
        ),
    ] = None,
):
    """Make a page of a co-clustering, to look at and to explore.

    The page shows the grid at any level of its hierarchy, trees that fold and unfold,
    colours by frequency, mutual information and contrast, and what each cluster holds
    and goes with. Clusters can be named, and the names saved. PAGE is one file for any
    browser; it loads nothing and sends nothing. It reveals what FILE reveals: keep it
    as confidential.

    Example: coclust-synth view people.khcj -o people.html
    """
    # The other commands do without what these take long to import.
    from coclust_synth.reports.view.names import read_names
    from coclust_synth.reports.view.page import grid_page
    from coclust_synth.reports.view.sources import read_grid

    start = time.perf_counter()
    check_output(output, printed.force, inputs=(file, names), is_table=False)
    grid = read_grid(file)
    given = {} if names is None else read_names(names, grid)
    page = grid_page(grid, given).encode()
    write_files({output: page})
    printed.tell(
        {
            "observations": grid.n_observations,
            "clusters": dict(
                zip((own.name for own in grid.dimensions), grid.shape, strict=True)
            ),
            "merges": len(grid.merges),
            "names": sum(map(len, given.values())),
            "bytes": len(page),
            "output": str(output),
            "seconds": round(time.perf_counter() - start, 3),
        }
    )
