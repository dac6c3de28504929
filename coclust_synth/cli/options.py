"""Options that several commands share, each defined once."""

from pathlib import Path
from typing import Annotated, Literal

import typer

TableArgument = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="CSV (also .gz, .tsv) or Parquet file.",
        show_default=False,
    ),
]
TableOutput = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="Table to write: .csv, .tsv, .parquet, or .gz of the first two.",
        show_default=False,
    ),
]
ModelOutput = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="MODEL", help="Model to write.", show_default=False
    ),
]
ReportOutput = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="REPORT",
        help="Report to write, as Khiops does: .khcj, or .khcj.gz.",
        show_default=False,
    ),
]
K = Annotated[
    int | None,
    typer.Option(
        "--k",
        help="Individuals in each cluster, at least; by default the finest grid that "
        "the model holds.",
        show_default=False,
    ),
]
FitK = Annotated[
    int | None,
    typer.Option(
        "--k",
        help="Individuals in each cluster, at least; by default 100, or a twentieth "
        "of a smaller table, but 10 at least. 1 keeps the best grid as it is.",
        show_default=False,
    ),
]
Rare = Annotated[
    int | None,
    typer.Option(
        "--rare",
        help="Categories that fewer individuals hold are released as a group; 10 by "
        "default, at most k.",
        show_default=False,
    ),
]
RareHierarchies = Annotated[
    Path | None,
    typer.Option(
        "--hierarchies",
        metavar="DIR",
        help="Hierarchies (ARX .csv or our .json): rare values of these columns are "
        "released as their nodes.",
        show_default=False,
    ),
]
Rows = Annotated[
    int | None,
    typer.Option(
        "--rows",
        "-n",
        help="Synthetic rows; as many as the table had by default.",
        show_default=False,
    ),
]
SchemaFile = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="Schema in TOML, as `inspect -o` writes it.",
        show_default=False,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="Leave this column out (repeatable).", show_default=False
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Use this column although it looks like an identifier, names or free "
        "text (repeatable).",
        show_default=False,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        help="Between the fields of text files; a comma by default, in .tsv a tab. It "
        "is not found out from the rows.",
        show_default=False,
    ),
]
Encoding = Annotated[str, typer.Option(help="Of a text TABLE.")]
Bins = Annotated[
    int, typer.Option(min=1, help="Intervals asked for in each numeric column.")
]
PartsKind = Annotated[
    Literal["fixed", "learnt"],
    typer.Option(
        "--parts",
        help="Intervals of --bins and single categories, or intervals and groups of "
        "categories that the search finds with the clusters.",
    ),
]
Marginals = Annotated[
    Literal["grid", "cluster"],
    typer.Option(
        help="Draw parts from the grid's cells, or from the frequencies inside each "
        "cluster (closer to the table, tells more of it)."
    ),
]
Iterations = Annotated[
    int, typer.Option(min=1, help="Budget of the search; the same gives the same file.")
]
Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="SECONDS",
        help="Stop the search and what comes after it at this time, on top of "
        "--iterations, but not before the first iteration ends; what it cuts short is "
        "told, and may not be repeatable.",
        show_default=False,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        metavar="N",
        help="Threads of the search, -1 for one a core; the same file for any number.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no summary.")]
