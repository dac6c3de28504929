"""`anonymize`: k-anonymous tables."""

import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

import typer

from coclust_synth.baselines.mdav.anonymizer import is_of_centres
from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.anonymize_folder import anonymize_folder
from coclust_synth.cli.anonymizers import METHODS, TAKES, MethodOptions
from coclust_synth.cli.command import check_options, chosen_options, command
from coclust_synth.cli.evaluated import ReportedAlongK, Written
from coclust_synth.cli.names import split_names
from coclust_synth.cli.people import read_people
from coclust_synth.cli.tables import (
    LABELS,
    MANIFEST,
    beside,
    check_output,
    check_release,
    more_rows,
    told_recoding,
)
from coclust_synth.evaluation.trade_offs import class_trade_off
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.derived.hierarchies import derive_hierarchies
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.reports.anonymized import anonymized_facts, release_warnings
from coclust_synth.reports.console import search_progress, step_progress
from coclust_synth.reports.html.coclustering import coclustering_section
from coclust_synth.reports.html.labels import labels_section
from coclust_synth.reports.html.sections import trade_off_section
from coclust_synth.reports.k_anonymity import (
    k_anonymity_statement,
    not_protected,
    released_facts,
)
from coclust_synth.reports.manifest import (
    Method,
    manifest_bytes,
    release_manifest,
    settings_of,
    table_source,
)
from coclust_synth.tables.files import write_files
from coclust_synth.tables.generalized.sidecar import sidecar_path
from coclust_synth.tables.hierarchy_formats import read_hierarchies
from coclust_synth.tables.people.people import People
from coclust_synth.tables.people.roles import check_sensitive_values
from coclust_synth.tables.rules.undoing import undoing, undone_told, warn_of_undoing
from coclust_synth.tables.schema import Schema
from coclust_synth.validation import check_integer, check_share

_STAGES = (
    "kinds and domains of the columns, unless a schema states them",
    "the classes and the labels of the quasi-identifiers",
    "sensitive and other columns, which are released as the manifest's columns and "
    "parameters say",
)
_OTHER_K = (
    "What other k would have cost, by the same method with the same models, and from "
    "the same clusters if the method has any. A k without a figure could not be "
    "reached."
)
MethodName = StrEnum("MethodName", {name: name for name in METHODS})


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of a release, whatever the method."""

    k: Annotated[
        int, typer.Option("--k", help="Rows in each class, at least; 2 or more.")
    ]
    qi: privacy_options.QuasiIdentifiers = None
    sensitive: privacy_options.Sensitive = None
    person_id: privacy_options.PersonId = None
    method: Annotated[
        MethodName,
        typer.Option(
            help="hybrid: classes formed for the released table. coc, coc_hg: the "
            "clusters of one level, as sets of parts or nodes of hierarchies. flash, "
            "incognito, samarati, datafly: one level of each hierarchy for all rows. "
            "tds, bug: nodes of several levels that best predict --target. mondrian: "
            "boxes. mdav: microaggregation. suppress: suppression of few single "
            "cells. micro: the commonest part of each cluster."
        ),
    ] = MethodName.hybrid
    sensitive_values: Annotated[
        Literal["keep", "shuffle", "class", "table", "means"],
        typer.Option(
            help="keep: sensitive values stay with their rows. shuffle: they are "
            "shuffled inside the class. class, table: they are drawn from the values "
            "of the class or of the table. These three use no seed, which would undo "
            "them. means: numbers become means of groups of k near ones "
            "(microaggregation); other values stay."
        ),
    ] = "keep"
    others: Annotated[
        Literal["drop", "keep"],
        typer.Option(
            help="What to do with columns that are neither of these, and no "
            "identifiers."
        ),
    ] = "drop"

    def people(self, table):
        """The people of a table, and the arguments of any method."""
        names = table.schema.names
        arguments = {
            "k": self.k,
            "quasi_identifiers": split_names(self.qi, names) or None,
            "sensitive": split_names(self.sensitive, names) or None,
            "others": self.others,
            "person_id": self.person_id,
        }
        people = People.of(table, **arguments)
        if self.sensitive_values != "keep" and not people.roles.sensitive:
            raise ParameterError(
                "Expected sensitive columns with --sensitive-values "
                f"{self.sensitive_values}. Received none. Name them by --sensitive, "
                "or leave --sensitive-values out."
            )
        return people, arguments | {"sensitive_values": self.sensitive_values}

    def undone(self, people):
        """Columns that are labelled or shuffled, and which columns kept tell them."""
        if not people.roles.others:
            return {}
        how = check_sensitive_values(
            self.sensitive_values, people.roles.sensitive, people.schema
        )
        changed = {*people.roles.quasi_identifiers}
        changed |= {name for name, word in how.items() if word != "keep"}
        beside = changed | {*people.roles.others}
        columns = tuple(c for c in people.schema.columns if c.name in beside)
        return undoing(people.table, Schema(columns), changed)


@command
def anonymize(
    context: typer.Context,
    table: options.AnyTable,
    output: options.TableOutput,
    asked: Asked,
    own: MethodOptions,
    columns: options.Columns,
    printed: options.Output,
    reported: ReportedAlongK,
    engine: options.Engine,
):
    """Release a table in which every row is one of k or more with equal labels.

    Rows are grouped into classes of at least k. Each quasi-identifier of a class gets
    one label, a set of values. By default the label may leave out rare values, so that
    some rows are perturbed: released under a label without their value. With --truthful
    it covers all values. Beside OUT, NAME.labels.json says what the labels stand for,
    with all values that the real rows have in these columns (and with --centroids those
    released instead). NAME.manifest.json says how the release was made and what it
    promises. Rows are sorted by their labels. Without --qi every column that is neither
    sensitive nor an identifier is a quasi-identifier.

    Somebody who knows a person's quasi-identifiers cannot distinguish the person's row
    from k - 1 others. What all of these rows share is not hidden. If a person can have
    several rows, say --person-id: otherwise the other rows may be the person's own. The
    printed summary is about the real rows: keep it with the table. Ctrl-C ends the
    search, and the release is made from the best grid so far; a second Ctrl-C ends the
    command.

    A folder of Parquet files, or a table of a database, is counted in place, by the
    method hybrid. OUT is then a folder of Parquet files, which are counted again before
    it gets its name.

    To suppress single cells, after recoding by hand:
    coclust-synth anonymize people.csv -o o.csv --k 5 --method suppress --recode r.toml

    Example: coclust-synth anonymize people.csv -o released.csv --k 10 --qi age,sex
    """
    start = time.perf_counter()
    chosen = chosen_options(context, anonymize)
    check_options(asked.method, chosen, TAKES)
    check_integer("k", asked.k, minimum=2)
    if engine.counts(table):
        facts = anonymize_folder(
            table, output, (asked, own, columns), printed, engine, chosen
        )
        printed.tell(facts | {"seconds": round(time.perf_counter() - start, 3)})
        return
    check_share("the suppression", own.max_suppressed)
    inputs = (table, own.population, own.model, *columns.files, own.hierarchies)
    inputs += (reported.holdout,)
    check_release(output, printed.force, inputs=inputs, replaces=[LABELS])
    labels = sidecar_path(output)
    check_output(labels, printed.force, inputs=inputs, is_table=False)
    reported.check(printed.force, inputs=inputs, output=output)
    models, along = _parsed_models(own)
    unused = ("drop", "undecided")
    known, told = read_people(table, columns, asked.person_id, unused)
    people, arguments = asked.people(known)
    known = people.table
    undone = asked.undone(people)
    warn_of_undoing(undone)
    holdout = more_rows(reported.holdout, columns)
    reported.check_holdout(known, holdout)
    nodes = {}
    if own.hierarchies is not None:
        nodes = read_hierarchies(own.hierarchies, *known)
    models += _models_along(along, own, people, nodes)
    with search_progress(own.n_iterations, enabled=printed.talks) as callback:
        arguments |= vars(own) | {
            "metric": str(own.metric),
            "importance": privacy_options.parse_importance(
                own.importance, known.schema.names
            ),
            "key_sets": privacy_options.parse_sets(own.key_sets, known.schema.names),
            "release": "centroids" if own.release else "sets",
            "models": models,
            "population": more_rows(own.population, columns),
            "hierarchies": {
                name: tree
                for name, tree in nodes.items()
                if name in people.roles.quasi_identifiers
            },
            "model": None if own.model is None else PlainModel.load(own.model),
            "callback": callback,
        }
        if "n_iterations" not in chosen:  # each search has its own default
            del arguments["n_iterations"]
        anonymizer = METHODS[asked.method].make(arguments, people)
        anonymizer.fit(known)
    how = str(asked.method), columns.recode, table
    told += undone_told(undone)
    manifest = _write(anonymizer, known.schema, output, *how, told)
    if reported.is_asked:
        written = Written(output, manifest, (*told, *release_warnings(anonymizer)))
        shown = own.random_state, printed.talks
        _report(reported, anonymizer, (known, holdout), written, *shown)
    facts = anonymized_facts(
        anonymizer,
        known,
        method=str(asked.method),
        seed=own.random_state,
        seconds=round(time.perf_counter() - start, 3),
        output=str(output),
        labels=str(labels),
    )
    printed.tell(facts)


def _write(anonymizer, schema, output, method, recode, table, told):
    """Write the table, its labels and its manifest, which is given."""
    n_rows, persons = anonymizer.release_.n_rows, anonymizer.report_.n_persons
    files = anonymizer.release_.to_files(output, schema)
    manifest = release_manifest(
        {path.name: content for path, content in files.items()},
        Method(
            f"anonymize --method {method}",
            "rows in classes that read the same in their quasi-identifiers",
            settings_of(anonymizer),
        ),
        anonymizer.roles_.applied(schema),
        guarantee=k_anonymity_statement(anonymizer),
        not_protected=(
            *told,
            *not_protected(
                anonymizer.report_.n_suppressed,
                of_persons=persons is not None,
                of_centres=is_of_centres(anonymizer),
            ),
        ),
        source=table_source(table, n_rows, persons),
        treatments=_treatments(anonymizer, schema),
        stages=_STAGES,
        recoding=told_recoding(recode),
        release=released_facts(anonymizer),
    )
    write_files(files | {beside(output, MANIFEST): manifest_bytes(manifest)})
    return manifest


def _treatments(anonymizer, schema):
    """What was done to the columns that are released, but those kept as they are."""
    roles = anonymizer.roles_
    labels = dict.fromkeys(roles.quasi_identifiers, "label")
    how = anonymizer.sensitive_values
    return labels | check_sensitive_values(how, roles.sensitive, schema)


def _report(reported, anonymizer, tables, written, seed, shown):
    """Evaluate the release beside the real rows and the holdout, or None.

    Its persons are told, as it has no column that names them.
    """
    from coclust_synth.evaluation.risk.scenario import Scenario

    known, holdout = tables
    persons = anonymizer.report_.persons
    reported.write(
        (known, anonymizer.release_, holdout),
        written,
        seed=seed,
        shown=shown,
        sections=_sections(anonymizer, known, reported, shown),
        hierarchies=_hierarchies_of(anonymizer),
        scenario=Scenario(person_id=anonymizer.person_id, persons=persons),
        k=anonymizer.k,
        of_centres=is_of_centres(anonymizer),
    )


def _hierarchies_of(anonymizer):
    """Those whose nodes are labels, given or derived; None if there is none."""
    nodes = getattr(anonymizer, "hierarchies_", None)
    return (
        getattr(anonymizer, "hierarchies", None) if nodes is None else nodes
    ) or None


def _sections(anonymizer, known, reported, shown):
    """What the page of a release tells of other k, its labels, and its clusters."""
    if reported.trade_off:
        with step_progress(enabled=shown) as callback:
            curve = class_trade_off(anonymizer, known, callback=callback)
        yield trade_off_section([curve], _OTHER_K)
    nodes, report = _hierarchies_of(anonymizer), anonymizer.report_
    yield labels_section(
        anonymizer.release_,
        anonymizer.k,
        nodes,
        report,
        of_centres=is_of_centres(anonymizer),
    )
    if hasattr(anonymizer, "coclustering_"):
        yield coclustering_section(anonymizer)


def _parsed_models(own):
    """Models that the options ask for, and what is asked along hierarchies."""
    models, along = privacy_options.parse_models(
        own.l_diversity, own.t_closeness, own.alpha
    )
    models += privacy_options.population_models(
        own.delta_presence, own.k_map, own.sampling_fraction
    )
    return models, along


def _models_along(along, own, people, nodes):
    """The models along the hierarchies of sensitive columns.

    Columns that none is given for have one derived: from what goes together with their
    values and the quasi-identifiers.
    """
    sensitive = people.roles.sensitive
    asked = privacy_options.columns_along(along, sensitive)
    lacking = [name for name in asked if name not in nodes]
    if lacking:
        nodes = nodes | derive_hierarchies(
            people.table,
            columns=(*people.roles.quasi_identifiers, *lacking),
            n_iterations=own.n_iterations,
            n_jobs=own.n_jobs,
            random_state=own.random_state,
        )
    return privacy_options.models_along(along, sensitive, nodes, people.frame)
