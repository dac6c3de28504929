"""`perturb`: the rows of a table with other values."""

import time
from dataclasses import dataclass, replace
from inspect import signature
from typing import Annotated, Literal

import numpy as np
import typer

from coclust_synth.baselines.perturbation.numbers import (
    Microaggregation,
    NoiseAddition,
    RankSwapping,
)
from coclust_synth.baselines.perturbation.pram import PostRandomization
from coclust_synth.baselines.perturbation.slicing import Slicing
from coclust_synth.cli import options
from coclust_synth.cli.command import chosen_options, command
from coclust_synth.cli.evaluated import Reported, Written
from coclust_synth.cli.names import split_names
from coclust_synth.cli.tables import (
    MANIFEST,
    TRANSITIONS,
    beside,
    check_output,
    check_release,
    more_rows,
    read,
    told_recoding,
)
from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.classes import code_values
from coclust_synth.reports.manifest import (
    Method,
    manifest_bytes,
    release_manifest,
    settings_of,
    table_source,
)
from coclust_synth.reports.perturbed import (
    not_protected,
    perturbed_facts,
    perturbed_statement,
    print_perturbed,
    transitions_bytes,
    transitions_of,
)
from coclust_synth.tables.files import write_files
from coclust_synth.tables.reading.settling import require_decided, settle
from coclust_synth.tables.rules.undoing import undoing, undone_told, warn_of_undoing
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.writing import table_bytes

# The estimator behind each option that names columns, and its other arguments.
_METHODS = {
    "pram": (PostRandomization, {"retained", "transition"}),
    "swap": (RankSwapping, {"within"}),
    "noise": (NoiseAddition, {"share", "correlated", "keep_variance"}),
    "means": (Microaggregation, {"k"}),
    "slice": (Slicing, {"bucket"}),
}
_STAGES = ("kinds of the columns, where no schema says them", "all released values")


def _names(flag, help_):
    help_ = f'{help_} "a, b" is one name.'
    option = typer.Option(flag, metavar="NAME,...", help=help_)
    return Annotated[list[str] | None, option]


@dataclass(frozen=True, kw_only=True)
class Perturbed:
    """Which columns are changed, and how."""

    pram: _names(
        "--pram", "Columns whose values are drawn anew by a transition matrix."
    ) = None
    retained: Annotated[
        float,
        typer.Option(help="PRAM: probability that a value is kept rather than drawn."),
    ] = 0.8
    transition: Annotated[
        Literal["invariant", "uniform"],
        typer.Option(
            help="PRAM: what values are drawn from: the shares of all values, which "
            "then stay the same on average, or the other values, all equally likely."
        ),
    ] = "invariant"
    swap: _names(
        "--swap", "Numbers, dates and ordinal columns that are swapped by rank."
    ) = None
    within: Annotated[
        float, typer.Option(help="Swapping: farthest rank, as a share of the rows.")
    ] = 0.05
    noise: _names("--noise", "Columns of numbers that noise is added to.") = None
    share: Annotated[
        float,
        typer.Option(
            help="Noise: standard deviation, as a share of that of the column."
        ),
    ] = 0.1
    correlated: Annotated[
        bool,
        typer.Option(
            "--correlated",
            help="Noise: use noise with the correlations of the columns.",
        ),
    ] = False
    keep_variance: Annotated[
        bool,
        typer.Option(
            "--keep-variance",
            help="Noise: shrink numbers towards their mean, so that variances stay "
            "the same.",
        ),
    ] = False
    means: _names(
        "--means", "Columns of numbers that become means of groups of near ones."
    ) = None
    k: Annotated[int, typer.Option("--k", help="Means: rows in each group.")] = 3
    slice: _names(
        "--slice",
        "Columns that stay together and are shuffled against the others, in buckets of "
        "near rows (repeatable: each time another group).",
    ) = None
    bucket: Annotated[
        int, typer.Option(help="Slicing: rows in each bucket, at least.")
    ] = 5
    random_state: Annotated[
        int | None,
        typer.Option(
            "--seed",
            min=0,
            help="The same seed gives the same file. Keep it secret: whoever knows it "
            "can undo most of what was done. By default the system draws it.",
        ),
    ] = None

    def methods(self, names, chosen):
        """The estimators that are asked for, by the names of their options.

        Parameters
        ----------
        names : sequence of str
            Of the columns of the table.
        chosen : mapping of str to str
            See `chosen_options`.
        """
        of = {how: split_names(getattr(self, how), names) for how in _METHODS}
        if not any(of.values()):
            raise ParameterError(
                "Expected at least one column to change, by --pram, --swap, --noise, "
                "--means or --slice. Received none. Name them."
            )
        every = [name for own in of.values() for name in own]
        twice = sorted({name for name in every if every.count(name) > 1})
        if twice:
            raise ParameterError(
                "Expected every column to be changed in one way. Received "
                f"{', '.join(map(repr, twice))} more than once. Choose one."
            )
        for how, (_, arguments) in _METHODS.items():
            for argument in arguments & chosen.keys():
                if not of[how]:
                    raise ParameterError(
                        f"Expected --{how} beside {chosen[argument]}, which belongs "
                        f"to it. Received {chosen[argument]} alone. Name the columns "
                        f"by --{how}, or leave {chosen[argument]} out."
                    )
        seeds = np.random.SeedSequence(self.random_state).spawn(len(_METHODS))
        found = {}
        for (how, (kind, arguments)), seed in zip(_METHODS.items(), seeds, strict=True):
            if of[how]:
                own = {name: getattr(self, name) for name in arguments}
                if "random_state" in signature(kind).parameters:
                    own["random_state"] = seed
                named = of[how] if how != "slice" else self._groups(names)
                found[how] = kind(named, **own)
        return found

    def _groups(self, names):
        """The groups of columns that are sliced: one each time it was said."""
        return [split_names([text], names) for text in self.slice]


@command
def perturb(
    context: typer.Context,
    table: options.TableArgument,
    output: options.TableOutput,
    asked: Perturbed,
    columns: options.Columns,
    reported: Reported,
    printed: options.Output,
    keep_order: Annotated[
        bool,
        typer.Option(
            "--keep-order",
            help="Keep rows in the order of TABLE, for `evaluate` and for joining "
            "files by row. Whoever knows the place of a row in TABLE then finds it.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
):
    """Release the rows of a table with other values: PRAM, swapping, noise, slices.

    Each method has an option that names its columns; other columns stay as they are,
    and identifiers are left out. Rows are sorted by their values, unless you say
    --keep-order. Beside OUT, NAME.transitions.json has the matrices of PRAM, which are
    needed to estimate from the table, and NAME.manifest.json says how it was made,
    without the seed.

    This is neither k-anonymity nor differential privacy: it hides which values are
    true, not whose row is whose. The summary measures on the real rows how much is
    hidden: how many rows are found by the true values, how near the numbers are, how
    likely a value of PRAM is the true one; and what is lost. Keep it with the table. A
    warning names columns that unchanged columns give away, by a sum, a product, a
    function or a code.

    Example: coclust-synth perturb people.csv -o out.csv --pram job --swap age
    """
    start = time.perf_counter()
    transitions = beside(output, TRANSITIONS)
    inputs = (table, *columns.files, reported.holdout)
    matrices = [TRANSITIONS] if asked.pram else []
    check_release(output, printed.force, inputs=inputs, replaces=matrices)
    if asked.pram:
        check_output(transitions, printed.force, inputs=inputs, is_table=False)
    reported.check(printed.force, inputs=inputs, output=output)
    known = read(table, columns)
    holdout = more_rows(reported.holdout, columns)
    reported.check_holdout(known, holdout)
    applied = asked.methods(known.schema.names, chosen_options(context, perturb))
    changed = [name for own in applied.values() for name in own.columns]
    known = settle(known, "sensitive", *changed)
    require_decided(known.schema)
    schema = _released_schema(known.schema, applied)
    undone = undoing(known, schema, changed)
    warn_of_undoing(undone)
    frame = _changed(known, applied)
    released = frame[list(schema.names)]
    rows = released if keep_order else _sorted(released)
    contents = {output: table_bytes(rows, output, schema)}
    if asked.pram:
        contents[transitions] = transitions_bytes(transitions_of(applied))
    manifest = release_manifest(
        {path.name: content for path, content in contents.items()},
        _method(applied),
        known.schema,
        **_limits(applied, keep_order, undone),
        source=table_source(table, len(released)),
        treatments=_treatments(known.schema, schema, applied),
        recoding=told_recoding(columns.recode),
        release={
            "rows": len(released),
            "columns": list(schema.names),
            "changed": changed,
            "in_order": keep_order,
        },
    )
    write_files(contents | {beside(output, MANIFEST): manifest_bytes(manifest)})
    if reported.is_asked:
        reported.write(
            (known, released, holdout),
            Written(output, manifest, undone_told(undone)),
            seed=0,
            shown=printed.talks,
            perturbed=changed,
        )
    facts = perturbed_facts(
        known.frame,
        frame,
        schema.columns,
        applied,
        undone_by=undone,
        seconds=round(time.perf_counter() - start, 3),
        output=str(output),
    )
    if printed.talks:
        print_perturbed(facts)
    else:
        printed.tell(facts)


def _changed(known, applied):
    """The rows with other values, in their order."""
    frame = known.frame
    for own in applied.values():
        own.fit(known)
        frame = frame.assign(**{name: own.released_[name] for name in own.columns})
    return frame


def _sorted(frame):
    """Rows in the order of their values, which tells nothing of that of the table."""
    codes = [code_values(frame[name]).codes for name in frame.columns[::-1]]
    return frame.iloc[np.lexsort(codes)]


def _limits(applied, keep_order, undone):
    """What a manifest says of what a release promises, and does not."""
    return {
        "guarantee": perturbed_statement(applied),
        "not_protected": (*undone_told(undone), *not_protected(in_order=keep_order)),
        "stages": _STAGES,
    }


def _treatments(schema, released, applied):
    """The method that changed a column; of those that are left out, that they are."""
    left_out = dict.fromkeys(set(schema.names) - {*released.names}, "drop")
    return left_out | {n: how for how, own in applied.items() for n in own.columns}


def _method(applied):
    """How it was made, for the manifest: without the seed, which would undo it."""
    settings = {
        how: {n: v for n, v in settings_of(own).items() if n != "random_state"}
        for how, own in applied.items()
    }
    return Method(
        "perturb", "rows of the real table, with other values in some columns", settings
    )


def _released_schema(schema, applied):
    """The columns that are released: those that are kept, and no identifiers."""
    kept = tuple(c for c in schema.kept.columns if c.role != "identifier")
    names = [column.name for column in kept]
    for own in applied.values():
        for name in own.columns:
            if name in schema.names and name not in names:
                raise ParameterError(
                    f"Expected columns that are released. Received {name!r}, which is "
                    "dropped or an identifier. Leave it out, or --keep it."
                )
    noisy = applied["noise"].columns if "noise" in applied else ()
    # Noise can leave the range of a column.
    return Schema(
        tuple(replace(c, bounds=None) if c.name in noisy else c for c in kept),
        schema.delimiter,
    )
