"""The commands under one name."""

import os
import sys
from typing import Annotated

import typer

from coclust_synth._version import __version__
from coclust_synth.cli import tables
from coclust_synth.cli.commands import (
    anatomy,
    anonymize,
    check,
    coclustering,
    domain,
    dp,
    hierarchies,
    plain,
)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool):
    if asked:
        print(f"coclust-synth {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print it."
        ),
    ] = False,
):
    """Release a stand-in for a table about people.

    A table is cut into parts, individuals and parts are co-clustered (MODL), and each
    cluster of at least k individuals is drawn again from its own parameters.

    \b
    A first run:   coclust-synth demo
    Your table:    coclust-synth inspect people.csv
                   coclust-synth synth people.csv -o synthetic.csv --k 100
    """


app.command()(tables.inspect)
app.command()(plain.fit)
app.command()(plain.sample)
app.command()(plain.synth)
app.command()(plain.demo)
app.command()(coclustering.cocluster)
app.command()(coclustering.grid)
app.command()(coclustering.report)
app.command()(anonymize.anonymize)
app.command()(anatomy.anatomy)
app.command()(check.check)
app.command()(hierarchies.hierarchies)
app.command()(domain.domain)
app.command()(dp.dp)


def main():
    """Entry point of the ``coclust-synth`` program."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows its code instead.
        stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except BrokenPipeError:
        # The reader went away (`| head`); there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise SystemExit(1) from None
