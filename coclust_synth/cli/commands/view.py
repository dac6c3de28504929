"""`view`: a co-clustering as one page to explore."""

import time
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.command import command
from coclust_synth.cli.tables import check_output
from coclust_synth.reports.view.names import read_names
from coclust_synth.reports.view.page import grid_page
from coclust_synth.reports.view.sources import read_grid
from coclust_synth.tables.files.outputs import write_files


@command
def view(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Model of `fit`, or co-clustering report (.khcj, .khcj.gz) of "
            "`cocluster`, `grid` or Khiops.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="PAGE",
            help="HTML file to write.",
            show_default=False,
        ),
    ],
    printed: options.Output,
    names: Annotated[
        Path | None,
        typer.Option(
            metavar="JSON",
            help="Names of clusters that such a page saved.",
            show_default=False,
        ),
    ] = None,
):
    """Make one page of a co-clustering, to look at and to explore.

    The grid at any level of its hierarchy, its trees to fold and unfold, colours by
    frequency, mutual information and contrast, what each cluster holds and goes with,
    names to give and to save. PAGE is one file for any browser; it loads nothing and
    sends nothing. It tells what FILE tells: keep it as confidential.

    Example: coclust-synth view people.khcj -o people.html
    """
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
