"""The commands under one name."""

import gc
import os
import sys
from collections import Counter
from importlib import import_module
from typing import Annotated

import typer
from typer.core import TyperCommand, TyperGroup

from coclust_synth._version import __version__

# File and help of each command: the first line of its docstring, told without it.
COMMANDS = {
    "inspect": (
        "inspect",
        "Print the schema of a table: kinds, roles, missing marks, bounds.",
    ),
    "fit": ("plain", "Learn a model of a table and save it."),
    "sample": ("plain", "Draw a synthetic table from a saved model."),
    "synth": (
        "plain",
        "Fit, cut at k and sample in one go: a table in, a synthetic table out.",
    ),
    "demo": ("plain", "Run the whole job on a table: fit, cut, sample, compare."),
    "cocluster": (
        "coclustering",
        "Co-cluster the individuals and the parts of a table, and write the report.",
    ),
    "grid": (
        "coclustering",
        "Find the grid of all columns of a table, and write the report.",
    ),
    "report": ("coclustering", "Print what a co-clustering report of Khiops says."),
    "view": (
        "coclustering",
        "Make a page of a co-clustering, to look at and to explore.",
    ),
    "anonymize": (
        "anonymize",
        "Release a table in which every row is one of k or more with equal labels.",
    ),
    "extend": (
        "extend",
        "Release rows of new people under the labels of an earlier k-anonymous table.",
    ),
    "anatomy": (
        "anatomy",
        "Release two tables that unlink a sensitive column from the others (Anatomy).",
    ),
    "perturb": (
        "perturb",
        "Release the rows of a table with other values: PRAM, swapping, noise, slices.",
    ),
    "check": (
        "check",
        "Measure a released table, whoever made it, under the privacy models.",
    ),
    "evaluate": (
        "evaluate",
        "Measure what a release is worth and what it risks, against reference tables.",
    ),
    "hierarchies": (
        "hierarchies",
        "Derive a generalisation hierarchy for each column of a table, and write them.",
    ),
    "domain": (
        "inspect",
        "Start the declaration of a table's domain, which a private release needs.",
    ),
    "dp": (
        "dp",
        "Release a differentially private synthetic table, with a statement to sign.",
    ),
}


_HABITS = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


# How the values of options begin that name columns.
_OF_COLUMNS = ("NAME", "COLUMN")


class _Plain(TyperCommand):
    """A command whose options are told apart: in the help, and where one is repeated.

    Its help has a section for each panel, in lines as plain as errors: Typer draws
    boxes, which a pipe or a narrow terminal breaks, and then errors too. Of an option
    that is said twice Typer takes the last, in silence. So is it with settings, which
    scripts overrule; of two columns somebody means both.
    """

    def parse_args(self, ctx, args):
        _, _, said = self.make_parser(ctx).parse_args(args=[*args])
        columns = [own for own in said if (own.metavar or "").startswith(_OF_COLUMNS)]
        for own, n_times in Counter(columns).items():
            if n_times > 1 and not (own.multiple or ctx.resilient_parsing):
                ctx.fail(
                    f"Expected {own.opts[0]} once. Received it {n_times} times, and "
                    "only the last one would count. Keep one."
                )
        return super().parse_args(ctx, args)

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


class _Lazy(TyperGroup):
    """Commands by name, each imported when it is called: numpy and others take long."""

    def list_commands(self, ctx):
        return [*COMMANDS]

    def get_command(self, ctx, cmd_name):
        if cmd_name not in COMMANDS:
            return None
        file, _ = COMMANDS[cmd_name]
        # What imports make stays: to look for cycles in it takes a twentieth of the
        # time of a short command, and is never done later.
        gc.disable()
        module = import_module(f"coclust_synth.cli.commands.{file}")
        gc.freeze()
        gc.enable()
        alone = typer.Typer(**_HABITS, add_completion=False)
        alone.command(cmd_name, cls=_Plain)(getattr(module, cmd_name))
        return typer.main.get_command(alone)

    def format_commands(self, ctx, formatter):
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


app = typer.Typer(cls=_Lazy, no_args_is_help=True, **_HABITS)


def _print_version(asked: bool):
    if asked:
        print(f"coclust-synth {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version.",
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


def main():
    """Entry point of the ``coclust-synth`` program."""
    # Compiled kernels bring many objects that stay; by default a search for cycles
    # among them begins with every 700.
    gc.set_threshold(50_000)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows its code instead.
        stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except BrokenPipeError:
        # The reader went away (`| head`); there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise SystemExit(1) from None
