"""`domain`: a file that declares all possible values of a table, to be filled in."""

from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options
from coclust_synth.cli.command import command
from coclust_synth.cli.tables import check_output, recoding_of
from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.domain.domain import blank_domain
from coclust_synth.tables.domain.draft import draft_domain
from coclust_synth.tables.domain.text import FROM_DATA
from coclust_synth.tables.files.outputs import write_files
from coclust_synth.tables.reading.table import read_texts
from coclust_synth.tables.schema import unknown_column


@command
def domain(
    new: Annotated[
        Path,
        typer.Option(
            "--new", metavar="OUT", help="TOML file to start.", show_default=False
        ),
    ],
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Columns to declare, between commas; no other is looked at.",
            show_default=False,
        ),
    ] = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    domain_from_data: Annotated[
        Path | None,
        typer.Option(
            metavar="TABLE",
            help="Fill it in from the rows of this table, for tests: whatever is "
            "released over it is labelled as not differentially private.",
            show_default=False,
        ),
    ] = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    recode: options.Recode = None,
    bins: options.Bins = 10,
    force: options.Force = False,
):
    """Start the declaration of a table's domain, which a private release needs.

    The file lists the columns; fill in the categories, or the bounds and the bins of
    numbers and dates, from the questionnaire or the code book. What is read from the
    rows instead is not protected: it tells that somebody has that value. A column that
    cannot be read so is written as a comment, with the reason.

    Example: coclust-synth domain --new domain.toml --columns age,sex,job
    """
    asked = [name.strip() for name in (columns or "").split(",") if name.strip()]
    dropped = options.split_names(drop, asked)
    asked = [name for name in dict.fromkeys(asked) if name not in dropped]
    if not asked and domain_from_data is None:
        raise ParameterError(
            "Expected the names of the columns to declare. Received none. Give for "
            "instance --columns age,sex."
        )
    check_output(new, force, inputs=(domain_from_data, recode), is_table=False)
    if domain_from_data is None:
        text, told = blank_domain(asked), f"Fill in {len(asked)} columns in {new}."
    else:

        def read(names):
            form = {"delimiter": delimiter, "encoding": encoding}
            cells = read_texts(domain_from_data, names, **form)
            return cells if recode is None else recoding_of(recode).of_cells(cells)

        texts = _select(read, asked, drop)
        kept = options.split_names(keep, texts.columns)
        draft = draft_domain(texts, bins=bins, keep=kept)
        text, told = draft.to_toml(), _told(draft)
    write_files({new: text.encode("utf-8")})
    print(told)


def _select(read, asked, drop):
    """The texts of the columns asked for, by default of all but those dropped."""
    texts = read(asked or None)
    dropped = options.split_names(drop, texts.columns)
    for name in asked or dropped:
        if name not in texts.columns:
            known = read(None).columns if asked else texts.columns
            raise SchemaError(unknown_column(name, tuple(known)))
    return texts[asked] if asked else texts.drop(columns=dropped)


def _told(draft):
    n_columns = len(draft.columns) - len(draft.left_out)
    told = f"Read {n_columns} columns: {FROM_DATA}."
    if draft.left_out:
        names = ", ".join(draft.left_out)
        told += f" Left as comments, each with the reason: {names}."
    return told
