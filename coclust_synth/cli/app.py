"""The commands under one name."""

import os
import sys
from typing import Annotated

import typer
from typer.core import TyperCommand

from coclust_synth._version import __version__
from coclust_synth.cli.commands import (
    anatomy,
    anonymize,
    check,
    coclustering,
    domain,
    dp,
    evaluate,
    hierarchies,
    inspect,
    plain,
)


class _InPanels(TyperCommand):
    """A command whose help has a section for each panel, in lines as plain as errors.

    Typer draws panels with boxes, which a pipe or a narrow terminal breaks, and then
    errors too.
    """

    def format_options(self, ctx, formatter):
        panels = {"Arguments": [], "Options": []}
        for own in self.get_params(ctx):
            record = own.get_help_record(ctx)
            if record is not None:
                kind = f"{own.param_type_name.capitalize()}s"
                panel = getattr(own, "rich_help_panel", None) or kind
                panels.setdefault(panel, []).append(record)
        for panel, records in panels.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)


app = typer.Typer(
    no_args_is_help=True,
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


for _command in (
    inspect.inspect,
    plain.fit,
    plain.sample,
    plain.synth,
    plain.demo,
    coclustering.cocluster,
    coclustering.grid,
    coclustering.report,
    anonymize.anonymize,
    anatomy.anatomy,
    check.check,
    evaluate.evaluate,
    hierarchies.hierarchies,
    domain.domain,
    dp.dp,
):
    app.command(cls=_InPanels)(_command)


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
