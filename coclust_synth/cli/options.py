"""Options that several commands share, each declared once; some in groups."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from coclust_synth.cli.names import LISTED, split_names
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.modl.search.loop import DEFAULT_ITERATIONS
from coclust_synth.reports.console import print_facts
from coclust_synth.scale.engines import is_base, is_engine_table, open_source


def conditions_of(texts):
    """All conditions of an option that can be repeated as one text, None of none."""
    return ",".join(texts) if texts else None


def _names(told, *flags):
    """The option of some columns of the table, by their names between commas."""
    return typer.Option(
        *flags, metavar="NAME,...", help=f"{told} {LISTED}.", rich_help_panel=COLUMNS
    )


# Panels of the help.
COLUMNS, SEARCH, OUTPUT, ENGINE = "Columns", "Search", "Output", "Large tables"

_TABLE = typer.Argument(metavar="TABLE", help="CSV (also .gz, .tsv) or Parquet file.")
_OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="OUT",
    help="Table to write: .csv, .tsv, .parquet, or .gz of the first two.",
)
_ANY_TABLE = typer.Argument(
    metavar="TABLE",
    help="CSV (also .gz, .tsv) or Parquet file; or, counted in place, a folder of "
    "Parquet files, FILE.duckdb::TABLE, or postgres://HOST/BASE::TABLE.",
)
TableArgument = Annotated[Path, _TABLE]
# For commands that count a table where it is, too.
AnyTable = Annotated[Path, _ANY_TABLE]
AnyTableOrNone = Annotated[Path | None, _ANY_TABLE]
TableOutput = Annotated[Path, _OUTPUT]
OutputOrNone = Annotated[Path | None, _OUTPUT]
ModelOutput = Annotated[
    Path, typer.Option("--output", "-o", metavar="MODEL", help="Model to write.")
]
ReportOutput = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="REPORT",
        help="Report to write, in the format of Khiops: .khcj, or .khcj.gz.",
    ),
]
K = Annotated[
    int | None,
    typer.Option(
        "--k",
        help="Individuals in each cluster, at least; by default the finest grid that "
        "the model holds. Not for models of persons: fit again instead.",
    ),
]
FitK = Annotated[
    int | None,
    typer.Option(
        "--k",
        help="Individuals in each cluster and leaf, at least; by default 100, or a "
        "twentieth of a smaller table, but 10 at least. 1 keeps the best grid as it "
        "is.",
    ),
]
Rare = Annotated[
    int | None,
    typer.Option(
        "--rare",
        help="Categories that fewer individuals hold are released as commoner ones, "
        "or as a group; 10 by default, at most k.",
    ),
]
RareHierarchies = Annotated[
    Path | None,
    typer.Option(
        "--hierarchies",
        metavar="DIR",
        help="Folder of hierarchies (our .toml or .json, ARX .csv). Rare values of "
        "these columns are released as nodes of them.",
    ),
]
Rows = Annotated[
    int | None,
    typer.Option(
        "--rows", "-n", help="Synthetic rows; by default as many as the table had."
    ),
]
Audit = Annotated[
    bool,
    typer.Option(
        "--audit",
        help="Fit again on 80 % of the individuals, and report how well an attack "
        "distinguishes them from the others, for all and for isolated ones. It takes "
        "about as long again.",
    ),
]
Holdout = Annotated[
    Path | None,
    typer.Option(
        "--holdout",
        metavar="FILE",
        help="Random rows of the same table that are kept out of the release. Risks "
        "cannot be measured without them.",
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="DIR",
        help="Evaluate the release against TABLE, and --holdout if given, as "
        "`evaluate` does, and write the page and figures to this folder.",
    ),
]
TradeOff = Annotated[
    bool,
    typer.Option(
        "--trade-off",
        help="With --report: also show what other k would have given, from releases "
        "that are made for this and not kept.",
    ),
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        "--given",
        metavar="CONDITIONS",
        help="Draw rows that meet conditions on single columns, such as "
        "'sex=F,age>=60' (repeatable).",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="CONDITIONS",
        help="Draw rows that meet conditions between columns, such as 'total = net + "
        "tax, left <= came + 30' (repeatable).",
    ),
]
RowsPer = Annotated[
    str | None,
    typer.Option(
        "--n-per",
        metavar="COLUMN=N",
        help="Draw N rows for each value of a column of categories, or of few whole "
        "numbers, instead of --rows.",
    ),
]
SchemaFile = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="Schema in TOML, as `inspect -o` writes it.",
        rich_help_panel=COLUMNS,
    ),
]
Recode = Annotated[
    Path | None,
    typer.Option(
        "--recode",
        metavar="FILE",
        help="Recoding in TOML: top and bottom codes, rounding, groups, prefixes, "
        "values to leave out. It is applied first; the schema is that of the recoded "
        "table.",
        rich_help_panel=COLUMNS,
    ),
]

Drop = Annotated[list[str] | None, _names("Leave these columns out")]
Keep = Annotated[
    list[str] | None,
    _names("Use these columns although they look like identifiers, names or free text"),
]
Categorical = Annotated[
    list[str] | None,
    _names(
        "The numbers of these columns are codes: treat them as categories, none "
        "of which is near another"
    ),
]
Used = Annotated[list[str] | None, _names("Leave all other columns out", "--columns")]
Key = Annotated[
    list[str] | None,
    _names(
        "Make new keys for these columns, in the pattern of the table's keys but "
        "none of them. They differ in every row, or with --person-id in the rows of "
        "different persons, as claims and stays do"
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        help="Separator of the fields of text files; a comma by default, in .tsv a "
        "tab. It is not inferred from the rows.",
        rich_help_panel=COLUMNS,
    ),
]
Encoding = Annotated[
    str, typer.Option(help="Encoding of a text TABLE.", rich_help_panel=COLUMNS)
]
FileEncoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding of text files of real rows, such as latin-1 or cp1252; by "
        "default UTF-8, or UTF-16 with its mark. Output is always UTF-8.",
        rich_help_panel=COLUMNS,
    ),
]
Bins = Annotated[
    int, typer.Option(min=1, help="Intervals to cut each numeric column into.")
]
PartsKind = Annotated[
    Literal["fixed", "learnt"],
    typer.Option(
        "--parts",
        help="fixed: intervals of --bins and single categories. learnt: intervals and "
        "groups of categories that the search finds together with the clusters.",
    ),
]
Within = Annotated[
    Literal["independent", "trees"],
    typer.Option(
        help="independent: inside a cluster draw each column on its own. trees: draw "
        "it from a tree on the columns before it, keeping sums, orders and nested "
        "codes (closer to the table, reveals more of it)."
    ),
]
Marginals = Annotated[
    Literal["grid", "cluster"],
    typer.Option(
        help="grid: draw parts from the cells of the grid. cluster: from the "
        "frequencies inside each cluster (closer to the table, reveals more of it)."
    ),
]
Cut = Annotated[
    Literal["uneven", "even"],
    typer.Option(
        help="For columns drawn on their own. uneven: merge only the clusters of "
        "fewer than k individuals. even: take a level of the dendrogram, as in the "
        "thesis."
    ),
]
Iterations = Annotated[
    int,
    typer.Option(
        "--iterations",
        min=1,
        help="Budget of the search; the same budget gives the same file.",
        rich_help_panel=SEARCH,
    ),
]
Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="SECONDS",
        help="Time limit for the search and what follows it, in addition to "
        "--iterations, but not before the first iteration ends. What it cuts short is "
        "reported, and may not be repeatable.",
        rich_help_panel=SEARCH,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        metavar="N",
        help="Threads of the search, -1 for one per core; any number gives the same "
        "file.",
        rich_help_panel=SEARCH,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", min=0, help="Seed of all random choices.", rich_help_panel=SEARCH
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON object on standard output.",
        rich_help_panel=OUTPUT,
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Replace OUT if it exists.", rich_help_panel=OUTPUT),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", help="Print no progress and no summary.", rich_help_panel=OUTPUT
    ),
]


EngineName = Annotated[
    Literal["duckdb", "spark", "memory"] | None,
    typer.Option(
        "--engine",
        help="Engine that counts a table of any size: a folder of Parquet files, "
        "FILE.duckdb::TABLE, or an ibis address with ::TABLE. OUT is then a folder of "
        "Parquet files. By default duckdb if TABLE is one of these.",
        rich_help_panel=ENGINE,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="Memory limit of DuckDB, such as 4GB; the rest goes to files.",
        rich_help_panel=ENGINE,
    ),
]
Temp = Annotated[
    Path | None,
    typer.Option(
        "--temp",
        metavar="DIR",
        help="Folder for the engine's temporary files, which hold real rows; for "
        "Spark a folder that all its machines can read.",
        rich_help_panel=ENGINE,
    ),
]


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Who counts a table that does not fit into memory."""

    engine: EngineName = None
    memory: Memory = None
    temp: Temp = None

    def counts(self, table):
        """Whether a table is to be counted, and not read.

        Raises
        ------
        TableError
            If it has the name of a folder, and is not there, or that of a base alone.
        ParameterError
            If it is to be read, and an engine's memory or folder is said.
        """
        if table.suffix == ".duckdb":
            raise TableError(
                "Expected one of the tables of a DuckDB file. Received "
                f"{str(table)!r}. Name it: {table}::TABLE."
            )
        is_file_or_there = is_base(table) or table.suffix or os.path.exists(table)
        if not is_file_or_there:
            raise TableError(
                "Expected a table file, or a folder of Parquet files. Received "
                f"{str(table)!r}, which is not there. Check the path."
            )
        if self.engine is not None or is_engine_table(table):
            return True
        own = {"--memory": self.memory, "--temp": self.temp}
        said = [option for option, value in own.items() if value is not None]
        if said:
            raise ParameterError(
                "Expected options for a table that is read into memory. Received "
                f"{', '.join(said)}, which is for engines that count a table where it "
                "is stored. Leave it out, or give Parquet files and say --engine "
                "duckdb."
            )
        return False

    def source(self, table):
        """The table, to be asked for counts."""
        return open_source(
            table, self.engine or "duckdb", memory=self.memory, temp=self.temp
        )


@dataclass(frozen=True, kw_only=True)
class KnownColumns:
    """What is known of the columns of a table."""

    schema: SchemaFile = None
    recode: Recode = None
    drop: Drop = None
    keep: Keep = None
    categorical: Categorical = None
    encoding: FileEncoding = None

    @property
    def files(self):
        """Files that are read, which no output replaces."""
        return self.schema, self.recode

    def chosen(self, schema):
        """The schema of a table after what is said of its columns.

        Raises
        ------
        ParameterError
            If a column is both dropped and kept.
        SchemaError
            If there is no such column, or it has no numbers that may be codes.
        """
        drop, keep = self.dropped(schema), split_names(self.keep, schema.names)
        both = sorted(set(drop) & set(keep))
        if both:
            raise ParameterError(
                "Expected columns to be either dropped or kept. Received both for "
                f"{', '.join(map(repr, both))}. Choose one."
            )
        codes = split_names(self.categorical, schema.names)
        return schema.as_categorical(*codes).drop(*drop).keep(*keep)

    def dropped(self, schema):
        """Names of the columns that are left out."""
        return split_names(self.drop, schema.names)


@dataclass(frozen=True, kw_only=True)
class Columns(KnownColumns):
    """The same, and which columns are used."""

    used: Used = None

    def dropped(self, schema):
        """Names of the columns that are left out."""
        named = super().dropped(schema)
        if self.used is None:
            return named
        used = {schema[own].name for own in split_names(self.used, schema.names)}
        return [*named, *(own for own in schema.names if own not in used)]


@dataclass(frozen=True, kw_only=True)
class Search:
    """Arguments of the search of a co-clustering."""

    n_iterations: Iterations = DEFAULT_ITERATIONS
    n_jobs: Jobs = -1
    random_state: Seed = 0


@dataclass(frozen=True, kw_only=True)
class TimedSearch(Search):
    """The same, and a limit of time."""

    time_limit: Time = None


@dataclass(frozen=True, kw_only=True)
class Output:
    """What a command prints, and whether it replaces files."""

    as_json: Json = False
    force: Force = False
    quiet: Quiet = False

    @property
    def talks(self):
        """Whether people read along."""
        return not (self.as_json or self.quiet)

    def tell(self, facts):
        """Print what was done: one JSON object, a few lines, or nothing."""
        if self.as_json:
            print(json.dumps(facts, ensure_ascii=False))
        elif self.talks:
            print_facts(facts)
