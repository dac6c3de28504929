"""`fit`, `sample`, `synth` and `demo`: plain synthetic tables."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.command import command
from coclust_synth.cli.evaluated import ReportedAlongK, Written
from coclust_synth.cli.names import split_names
from coclust_synth.cli.people import read_people
from coclust_synth.cli.plain_folder import (
    check_alone,
    fit_counted,
    is_folder,
    sample_folder,
    synth_folder,
)
from coclust_synth.cli.tables import (
    MANIFEST,
    beside,
    check_output,
    check_release,
    more_rows,
    read,
    told_recoding,
)
from coclust_synth.evaluation.distances.margins import (
    mean_margin_distances,
    table_margin_distances,
)
from coclust_synth.evaluation.findings import carried_by_one
from coclust_synth.evaluation.telling_apart.audit import audit_synthesizer, check_audit
from coclust_synth.evaluation.trade_offs import plain_trade_offs
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.plain.synthesizer import (
    CoclusterSynthesizer,
    clusters_for_another_k,
)
from coclust_synth.modl.grid.dendrogram import is_null_cost
from coclust_synth.reports.console import (
    print_audit,
    print_kept,
    print_pooled,
    print_totals,
    search_progress,
    step_progress,
)
from coclust_synth.reports.html.coclustering import coclustering_section
from coclust_synth.reports.html.sections import trade_off_section
from coclust_synth.reports.manifest import manifest_bytes, settings_of
from coclust_synth.reports.plain_release import (
    model_source,
    plain_manifest,
    pooled_warnings,
    run_summary,
    source_of,
)
from coclust_synth.reports.rows_a_person import persons_of
from coclust_synth.tables.files import write_files
from coclust_synth.tables.hierarchy_formats import read_hierarchies
from coclust_synth.tables.parts.folded.folding import schema_with_spelt, with_labels
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.bundled import bundled_table
from coclust_synth.tables.reading.settling import settle_patterns
from coclust_synth.tables.showing import counted
from coclust_synth.tables.values.keys import schema_with_keys
from coclust_synth.tables.writing import table_bytes

_DEMO_ITERATIONS = 40

_OTHER_K = (
    "What other k would have kept and revealed, from the same co-clustering: its "
    "dendrogram is cut at each k, and what is drawn from the clusters is learnt anew."
)
_SEARCHED_FOR_K = (
    "What other k would have kept and revealed: for each k clusters are searched "
    "again, and what is drawn from them is learnt anew."
)


DrawJobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        metavar="N",
        help="Processes that draw the files of a folder, -1 for one per core; any "
        "number gives the same files.",
        rich_help_panel=options.SEARCH,
    ),
]


@dataclass(frozen=True, kw_only=True)
class Columns(options.Columns):
    """What is known of columns, and those that are made anew."""

    key: options.Key = None

    def with_keys(self, people):
        """A table some of whose columns are keys.

        Raises
        ------
        ParameterError
            If one is left out.
        """
        schema = people.schema
        keys = split_names(self.key, schema.names)
        dropped = [own for own in keys if own in {*self.dropped(schema)}]
        if dropped:
            raise ParameterError(
                "Expected keys that are not left out by --drop or --columns. "
                f"Received {', '.join(map(repr, dropped))}. Choose one of the two."
            )
        return people.as_key(*keys)


@dataclass(frozen=True, kw_only=True)
class Fit(options.TimedSearch):
    """Arguments of `CoclusterSynthesizer`."""

    k: options.FitK = None
    person_id: privacy_options.PersonId = None
    rare: options.Rare = None
    hierarchies: options.RareHierarchies = None
    parts: options.PartsKind = "fixed"
    bins: options.Bins = 10
    within: options.Within = "trees"
    marginals: options.Marginals = "grid"
    cut: options.Cut = "uneven"

    def fitted(self, people, recode=None, schema=None, *, shown, doubts=()):
        """A synthesizer fitted to a table, under a progress bar if it is shown.

        `recode` is the file by which the table was recoded, if any; `schema` tells of
        the columns of a source; `doubts` are told of all that is drawn.
        """
        arguments = vars(self)
        if self.hierarchies is not None:
            arguments = arguments | {
                "hierarchies": read_hierarchies(
                    self.hierarchies, people.frame, people.schema.kept
                )
            }
        with search_progress(self.n_iterations, enabled=shown) as callback:
            found = CoclusterSynthesizer(**arguments, callback=callback)
            found.fit(people, schema)
        told = {"recoding": tuple(told_recoding(recode)), "doubts": doubts}
        found.model_ = replace(found.model_, **told)
        return found


@command
def fit(
    table: options.AnyTable,
    output: options.ModelOutput,
    asked: Fit,
    columns: Columns,
    printed: options.Output,
    engine: options.Engine,
):
    """Learn a model of a table and save it.

    The model holds a grid in which every cluster has at least k individuals, and its
    coarser levels: nothing finer. A folder of Parquet files, or a table of a database,
    is counted in place.

    Example: coclust-synth fit people.csv -o people.model --k 100
    """
    start = time.perf_counter()
    inputs = (table, *columns.files, asked.hierarchies)
    check_output(output, printed.force, inputs=inputs, is_table=False)
    if engine.counts(table):
        check_alone(columns, asked)
        synthesizer = fit_counted(table, asked, columns, printed, engine)
    else:
        people, doubts = read_people(table, columns, asked.person_id)
        people = columns.with_keys(people)
        synthesizer = asked.fitted(
            people, columns.recode, shown=printed.talks, doubts=doubts
        )
    synthesizer.save(output, force=printed.force)
    facts = _fit_facts(synthesizer) | {"output": str(output)}
    _report(synthesizer.model_, start, printed, synthesizer.coclustering_, facts)


@command
def sample(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Model that `fit` saved.")
    ],
    output: options.TableOutput,
    printed: options.Output,
    rows: options.Rows = None,
    k: options.K = None,
    given: options.Given = None,
    where: options.Where = None,
    n_per: options.RowsPer = None,
    seed: options.Seed = 0,
    n_jobs: DrawJobs = -1,
):
    """Draw a synthetic table from a saved model.

    --k draws from a coarser grid; the model holds nothing finer than it was saved with.
    A model of persons (--person-id) holds nothing coarser either, and --k is refused.
    Conditions that fewer than k individuals meet, according to the model, are refused.
    Persons with several rows are drawn whole, if all their rows meet --given and
    --where; --n-per then takes a column that is the same in all rows of a person. OUT
    without an extension is a folder of Parquet files, with any number of rows;
    repeating the command continues one that was stopped.

    Example: coclust-synth sample people.model -o more.csv --given sex=F --rows 1000
    """
    start = time.perf_counter()
    if is_folder(output):
        _check_no_conditions({"--given": given, "--where": where, "--n-per": n_per})
        asked = rows, k, seed, n_jobs
        fitted, facts, broken = sample_folder(model, output, *asked, printed)
        _report(fitted, start, printed, None, facts, broken)
        return
    check_release(output, printed.force, rows, inputs=(model,))
    synthesizer = CoclusterSynthesizer.load(model, random_state=seed)
    source = model_source(model, synthesizer.model_)
    if k is not None:
        synthesizer.model_ = synthesizer.model_.coarsened(k)
    given, where = map(options.conditions_of, (given, where))
    asked = {"given": given, "where": where, "n_per": n_per}
    drawn = synthesizer.sample(rows, **asked)
    asked = {name: text for name, text in asked.items() if text is not None}
    fitted = synthesizer.model_
    told = {"k": fitted.min_individuals, **asked, "random_state": seed}
    broken = fitted.count_broken(drawn)
    persons = {} if asked else persons_of(fitted, drawn)
    _write(drawn, broken, fitted, output, ("sample", told), source, persons)
    facts = {"k": k, **asked, "seed": seed, "rows": len(drawn), "output": str(output)}
    facts |= {"rows_a_person": persons.get("rows_a_person")}
    _report(fitted, start, printed, None, facts, broken)


@command
def synth(
    table: options.AnyTable,
    output: options.TableOutput,
    asked: Fit,
    columns: Columns,
    printed: options.Output,
    reported: ReportedAlongK,
    engine: options.Engine,
    rows: options.Rows = None,
    audit: options.Audit = False,
):
    """Fit, cut at k and sample in one go: a table in, a synthetic table out.

    NAME.manifest.json is written beside OUT: how it was made, and what it promises. A
    folder of Parquet files, or a table of a database, is counted in place: OUT is then
    a folder of Parquet files, and repeating the command continues one that was stopped.
    The results of --audit and --report are computed from the table: keep them with the
    table.

    Example: coclust-synth synth people.csv -o synthetic.csv --k 100
    """
    start = time.perf_counter()
    if engine.counts(table):
        check_alone(columns, asked, audit=audit, report=reported.is_asked)
        model, search, facts, broken = synth_folder(
            table, output, asked, columns, printed, engine, rows
        )
        _report(model, start, printed, search, facts, broken)
        return
    inputs = (table, *columns.files, asked.hierarchies, reported.holdout)
    check_release(output, printed.force, rows, inputs=inputs)
    reported.check(printed.force, inputs=inputs, output=output)
    people, doubts = read_people(table, columns, asked.person_id)
    people = columns.with_keys(people)
    if asked.within == "trees":
        people = settle_patterns(people)
    if audit:
        check_audit(people, asked.person_id, asked.random_state)
    holdout = more_rows(reported.holdout, columns)
    reported.check_holdout(people, holdout)
    synthesizer = asked.fitted(
        people, columns.recode, shown=printed.talks, doubts=doubts
    )
    audited = audit_synthesizer(synthesizer, people).facts() if audit else None
    drawn = synthesizer.sample(rows)
    how = "synth", _told(synthesizer)
    broken = synthesizer.model_.count_broken(drawn)
    model = synthesizer.model_
    source = source_of(model, table)
    drawn_persons = persons_of(model, drawn)
    manifest = _write(drawn, broken, model, output, how, source, drawn_persons)
    if reported.is_asked:
        told = pooled_warnings(synthesizer.pooled_, model.n_rows) + doubts
        reported.write(
            (people, drawn, holdout),
            Written(output, manifest, told),
            seed=asked.random_state,
            shown=printed.talks,
            sections=_sections(synthesizer, people, holdout, reported, printed.talks),
        )
    facts = _fit_facts(synthesizer) | {"rows": len(drawn), "output": str(output)}
    persons = None
    if asked.person_id is not None:
        persons = Persons.of(people.frame, asked.person_id).codes
    real = people.frame, drawn, persons
    facts |= {"totals_of_one": carried_by_one(people.schema.kept.columns, *real)}
    facts |= {"rows_a_person": drawn_persons.get("rows_a_person")}
    facts |= {"audit": audited} if audit else {}
    search = synthesizer.coclustering_
    _report(synthesizer.model_, start, printed, search, facts, broken)


@command
def demo(
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="TABLE", help="CSV or Parquet file; the bundled table by default."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Keep the synthetic table in this file.",
        ),
    ] = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    iterations: options.Iterations = _DEMO_ITERATIONS,
    seed: options.Seed = 0,
    *,
    printed: options.Output,
):
    """Run the whole job on a table: fit, cut, sample, compare.

    Without TABLE it runs on the table that comes with the package, itself a synthetic
    stand-in for UCI Adult. The comparison with your own table is a disclosure of its
    own: keep it with the table.

    Example: coclust-synth demo
    """
    start = time.perf_counter()
    if output is not None:
        check_release(output, printed.force, inputs=(table,))
    source = bundled_table() if table is None else table
    people = settle_patterns(read(source, options.KnownColumns(drop=drop, keep=keep)))
    if printed.talks:
        what = "the bundled synthetic Adult" if table is None else str(table)
        n, d = people.frame.shape
        print(f"Table: {what}, {counted(n, 'row')} x {counted(d, 'column')}")
    asked = Fit(n_iterations=iterations, random_state=seed)
    synthesizer = asked.fitted(people, shown=printed.talks)
    coding = synthesizer.model_.coding
    drawn = synthesizer.sample()
    broken = synthesizer.model_.count_broken(drawn)
    if output is not None:
        how = "demo", _told(synthesizer)
        name = "the bundled table" if table is None else table
        model = synthesizer.model_
        _write(drawn, broken, model, output, how, source_of(model, name))
    spelt = synthesizer.model_.spelt
    compared = (with_labels(frame, spelt) for frame in (people.frame, drawn))
    orders = range(1, min(3, len(coding.names)) + 1)
    means = mean_margin_distances(
        table_margin_distances(*compared, coding, orders=orders)
    )
    facts = _fit_facts(synthesizer) | {
        "rows": len(drawn),
        "bundled": table is None,
        "mean_total_variation": {
            f"{order}-way": means[order]["total_variation"] for order in means
        },
        "output": None if output is None else str(output),
    }
    search = synthesizer.coclustering_
    _report(synthesizer.model_, start, printed, search, facts, broken)
    if printed.talks:
        print(drawn.head().to_string())


def _check_no_conditions(conditions):
    """Refuse what rows of all files would have to meet together."""
    received = [option for option, text in conditions.items() if text is not None]
    if received:
        raise ParameterError(
            "Expected no conditions on rows where OUT is a folder, which is drawn "
            f"file by file. Received {', '.join(received)}. Leave it out, or name a "
            "single file, such as OUT.parquet."
        )


def _told(synthesizer):
    """The settings of a fit, with what was taken where nothing was asked for."""
    own = {"k": synthesizer.k_, "rare": synthesizer.rare_}
    return settings_of(synthesizer) | own


def _write(drawn, broken, model, output, how, source, persons=None):
    """Write a table as the one it was learnt from, and its manifest, which is given."""
    schema = schema_with_spelt(drawn, model.schema, model.spelt)
    schema = schema_with_keys(drawn, schema, model.all_keys)
    content = table_bytes(drawn, output, schema)
    manifest = plain_manifest(
        {output.name: content},
        how,
        model,
        schema,
        len(drawn),
        broken=broken,
        persons=persons,
        source=source,
    )
    write_files({output: content, beside(output, MANIFEST): manifest_bytes(manifest)})
    return manifest


def _sections(synthesizer, people, holdout, reported, shown):
    """What the page of a release tells of other k, and of the clusters."""
    if reported.trade_off:
        with step_progress(enabled=shown) as callback:
            curves = plain_trade_offs(
                synthesizer,
                people,
                holdout,
                random_state=synthesizer.random_state,
                callback=callback,
            )
        is_searched = clusters_for_another_k(synthesizer) is None
        yield trade_off_section(curves, _SEARCHED_FOR_K if is_searched else _OTHER_K)
    yield coclustering_section(synthesizer)


def _fit_facts(synthesizer):
    """The k of a fit, whether anybody asked for it, what was pooled or cut short."""
    return {
        "k": synthesizer.k_,
        "default_k": synthesizer.k is None,
        "rare": synthesizer.rare_,
        "pooled": [pooled._asdict() for pooled in synthesizer.pooled_],
        "cut_short": ", ".join(synthesizer.cut_short_) or None,
        "seed": synthesizer.random_state,
    }


def _report(model, start, printed, coclustering, facts, broken=None):
    """Print what was done, and what a summary for people says besides."""
    seconds = round(time.perf_counter() - start, 3)
    summary = run_summary(model, coclustering, broken, **facts, seconds=seconds)
    pooled, rules, audit, totals, rows = (
        summary.pop(name, ()) if printed.talks else ()
        for name in ("pooled", "rules", "audit", "totals_of_one", "rows_a_person")
    )
    printed.tell(summary)
    print_pooled(pooled, model.schema)
    print_totals(totals)
    if rows:
        print(rows)
    print_kept(rules)
    if audit:
        print_audit(audit)
    if printed.talks and is_null_cost(summary["cost"], summary["null_cost"]):
        how = "each column is drawn on its own"
        if model.structure is not None:
            how = "trees are grown on all individuals"
        print(f"No clusters were found: {how}.")
