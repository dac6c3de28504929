"""`fit`, `sample`, `synth` and `demo`: plain synthetic tables."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.errors import clear_errors
from coclust_synth.cli.tables import check_output, read
from coclust_synth.evaluation.margins import (
    mean_margin_distances,
    table_margin_distances,
)
from coclust_synth.generators.plain.synthesizer import CoclusterSynthesizer
from coclust_synth.modl.search.two_sides import DEFAULT_ITERATIONS
from coclust_synth.reports.console import print_facts, search_progress
from coclust_synth.reports.schema import print_pooled
from coclust_synth.reports.summary import run_summary
from coclust_synth.tables.hierarchy_formats import read_hierarchies
from coclust_synth.tables.reading.bundled import bundled_table
from coclust_synth.tables.writing import write_table

_DEMO_ITERATIONS = 40


def fit(
    table: options.TableArgument,
    output: options.ModelOutput,
    k: options.FitK = None,
    person_id: privacy_options.PersonId = None,
    rare: options.Rare = None,
    hierarchies: options.RareHierarchies = None,
    schema: options.SchemaFile = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    parts: options.PartsKind = "fixed",
    bins: options.Bins = 10,
    marginals: options.Marginals = "grid",
    iterations: options.Iterations = DEFAULT_ITERATIONS,
    time_limit: options.Time = None,
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    json_: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
):
    """Learn a model of a table and save it.

    The model holds the grid whose every cluster has at least k individuals, and its
    coarser levels: nothing finer.
    """
    with clear_errors():
        start = time.perf_counter()
        check_output(output, force, inputs=(table, schema, hierarchies), is_table=False)
        people = read(table, schema, drop, keep, person_id)
        synthesizer = _fitted(
            people,
            show_progress=not (quiet or json_),
            k=k,
            person_id=person_id,
            rare=rare,
            hierarchies=_hierarchies(hierarchies, people),
            marginals=marginals,
            parts=parts,
            bins=bins,
            n_iterations=iterations,
            time_limit=time_limit,
            n_jobs=jobs,
            random_state=seed,
        )
        synthesizer.save(output, force=force)
        _report(
            synthesizer.model_,
            start,
            json_,
            quiet,
            coclustering=synthesizer.coclustering_,
            **_fit_facts(synthesizer),
            seed=seed,
            output=str(output),
        )


def sample(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL", help="Model that `fit` saved.", show_default=False
        ),
    ],
    output: options.TableOutput,
    rows: options.Rows = None,
    k: options.K = None,
    seed: options.Seed = 0,
    json_: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
):
    """Draw a synthetic table from a saved model.

    --k draws from a coarser grid; the model holds nothing finer than it was saved with.
    """
    with clear_errors():
        start = time.perf_counter()
        check_output(output, force, rows, inputs=(model,))
        synthesizer = CoclusterSynthesizer.load(model, random_state=seed)
        if k is not None:
            synthesizer.model_ = synthesizer.model_.coarsened(k)
        drawn = synthesizer.sample(rows)
        write_table(drawn, output, synthesizer.model_.coding.schema, force=force)
        _report(
            synthesizer.model_,
            start,
            json_,
            quiet,
            k=k,
            seed=seed,
            rows=len(drawn),
            output=str(output),
        )


def synth(
    table: options.TableArgument,
    output: options.TableOutput,
    k: options.FitK = None,
    person_id: privacy_options.PersonId = None,
    rare: options.Rare = None,
    hierarchies: options.RareHierarchies = None,
    rows: options.Rows = None,
    schema: options.SchemaFile = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    parts: options.PartsKind = "fixed",
    bins: options.Bins = 10,
    marginals: options.Marginals = "grid",
    iterations: options.Iterations = DEFAULT_ITERATIONS,
    time_limit: options.Time = None,
    jobs: options.Jobs = -1,
    seed: options.Seed = 0,
    json_: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
):
    """Fit, cut at k and sample in one go: a table in, a synthetic table out."""
    with clear_errors():
        start = time.perf_counter()
        check_output(output, force, rows, inputs=(table, schema, hierarchies))
        people = read(table, schema, drop, keep, person_id)
        synthesizer = _fitted(
            people,
            show_progress=not (quiet or json_),
            k=k,
            person_id=person_id,
            rare=rare,
            hierarchies=_hierarchies(hierarchies, people),
            marginals=marginals,
            parts=parts,
            bins=bins,
            n_iterations=iterations,
            time_limit=time_limit,
            n_jobs=jobs,
            random_state=seed,
        )
        drawn = synthesizer.sample(rows)
        write_table(drawn, output, synthesizer.model_.coding.schema, force=force)
        _report(
            synthesizer.model_,
            start,
            json_,
            quiet,
            coclustering=synthesizer.coclustering_,
            **_fit_facts(synthesizer),
            seed=seed,
            rows=len(drawn),
            output=str(output),
        )


def demo(
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="TABLE",
            help="CSV or Parquet file; the bundled table by default.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Keep the synthetic table in this file.",
            show_default=False,
        ),
    ] = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    iterations: options.Iterations = _DEMO_ITERATIONS,
    seed: options.Seed = 0,
    json_: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
):
    """Show the whole job on a table: fit, cut, sample, compare.

    Without TABLE it runs on the table that comes with the package, itself synthetic:
    a stand-in for UCI Adult. The comparison with the table you give is a disclosure of
    its own: keep it with the table.
    """
    with clear_errors():
        start = time.perf_counter()
        if output is not None:
            check_output(output, force, inputs=(table,))
        source = bundled_table() if table is None else table
        people = read(source, None, drop, keep)
        frame = people.frame
        talks = not (quiet or json_)
        if talks:
            what = "the bundled synthetic Adult" if table is None else str(table)
            print(f"Table: {what}, {len(frame):,} rows x {frame.shape[1]} columns")
        synthesizer = _fitted(
            people,
            show_progress=talks,
            n_iterations=iterations,
            random_state=seed,
        )
        drawn = synthesizer.sample()
        if output is not None:
            write_table(drawn, output, synthesizer.model_.coding.schema, force=force)
        coding = synthesizer.model_.coding
        orders = range(1, min(3, len(coding.names)) + 1)
        means = mean_margin_distances(
            table_margin_distances(frame, drawn, coding, orders=orders)
        )
        _report(
            synthesizer.model_,
            start,
            json_,
            quiet,
            coclustering=synthesizer.coclustering_,
            **_fit_facts(synthesizer),
            seed=seed,
            rows=len(drawn),
            bundled=table is None,
            mean_total_variation={
                f"{order}-way": means[order]["total_variation"] for order in means
            },
            output=None if output is None else str(output),
        )
        if talks:
            print(drawn.head().to_string())


def _hierarchies(folder, people):
    """Those of a folder for the columns of a table, if one is given."""
    if folder is None:
        return None
    return read_hierarchies(folder, people.frame, people.schema.kept)


def _fitted(people, *, show_progress, **options):
    """A synthesizer with these options, fitted under a progress bar."""
    n_iterations = options["n_iterations"]
    with search_progress(n_iterations, enabled=show_progress) as callback:
        synthesizer = CoclusterSynthesizer(**options, callback=callback)
        return synthesizer.fit(people)


def _fit_facts(synthesizer):
    """The k of a fit, whether anybody asked for it, what was pooled or cut short."""
    return {
        "k": synthesizer.k_,
        "default_k": synthesizer.k is None,
        "rare": synthesizer.rare_,
        "pooled": [pooled._asdict() for pooled in synthesizer.pooled_],
        "cut_short": ", ".join(synthesizer.cut_short_) or None,
    }


def _report(model, start, as_json, quiet, *, coclustering=None, **more):
    """Print what was done: one JSON object, or a few lines."""
    seconds = round(time.perf_counter() - start, 3)
    summary = run_summary(model, coclustering, **more, seconds=seconds)
    if as_json:
        print(json.dumps(summary, ensure_ascii=False))
    elif not quiet:
        pooled = summary.pop("pooled", ())
        print_facts(summary)
        print_pooled(pooled)
        if summary["cost"] >= summary["null_cost"]:
            print("No structure was found: each column is drawn on its own.")
