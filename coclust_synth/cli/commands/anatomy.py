"""`anatomy`: quasi-identifiers and sensitive values in two tables."""

import time
from typing import Annotated, Literal

import typer

from coclust_synth.baselines.anatomy import GROUP, AnatomyReleaser
from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.command import command
from coclust_synth.cli.names import split_names
from coclust_synth.cli.people import read_people
from coclust_synth.cli.tables import (
    MANIFEST,
    beside,
    check_output,
    check_release,
    told_recoding,
)
from coclust_synth.exceptions import no_data_warnings
from coclust_synth.reports.manifest import (
    Method,
    manifest_bytes,
    release_manifest,
    settings_of,
    table_source,
)
from coclust_synth.tables.files import write_files
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.reading.table import table_suffix
from coclust_synth.tables.writing import table_bytes
from coclust_synth.validation import check_integer

_STATEMENT = (
    "Distinct l-diversity of each group with l = {0}, and no k-anonymity: the table "
    "shows who is in it, with {0} or more sensitive values to choose from. Nothing "
    "else is promised."
)
_OF_SEVERAL_ROWS = (
    "Several rows that are known to be one person's are in as many groups: a value "
    "that all of these have in common is revealed."
)


@command
def anatomy(
    table: options.TableArgument,
    output: options.TableOutput,
    columns: options.Columns,
    printed: options.Output,
    l: Annotated[  # noqa: E741
        int,
        typer.Option("--l", help="Rows in each group, of different values; 2 or more."),
    ],
    qi: privacy_options.QuasiIdentifiers = None,
    sensitive: privacy_options.Sensitive = None,
    person_id: privacy_options.PersonId = None,
    others: Annotated[
        Literal["drop", "keep"],
        typer.Option(
            help="What to do with columns that are neither of these, and no "
            "identifiers."
        ),
    ] = "drop",
):
    """Release two tables that unlink a sensitive column from the others (Anatomy).

    Rows are put into groups of l or more, all with different sensitive values. OUT has
    the quasi-identifiers unchanged and the group of each row; NAME.sensitive, beside
    it, has the values of each group. The release is l-diverse but not k-anonymous: it
    shows who is in the table. Groups are drawn with the system's random bits: two runs
    differ.

    Example: coclust-synth anatomy people.csv -o linked.csv --l 3 --sensitive disease
    """
    start = time.perf_counter()
    check_integer("l", l, minimum=2)
    suffix = table_suffix(output)
    second = output.with_name(
        f"{output.name[: -len(suffix)]}.sensitive{output.name[-len(suffix) :]}"
    )
    inputs = (table, *columns.files)
    check_release(output, printed.force, inputs=inputs)
    check_output(second, printed.force, inputs=inputs)
    people, _ = read_people(table, columns, person_id, ("drop", "undecided"))
    frame, found = people
    releaser = AnatomyReleaser(
        l,
        sensitive=split_names(sensitive, found.names) or None,
        quasi_identifiers=split_names(qi, found.names) or None,
        others=others,
        person_id=person_id,
    )
    released = dict(zip((output, second), releaser.fit_transform(people), strict=True))
    with no_data_warnings():  # counts are all 1
        files = {
            path: table_bytes(own, path, infer_schema(own))
            for path, own in released.items()
        }
    names = {path.name: content for path, content in files.items()}
    persons = None if person_id is None else frame[person_id].nunique()
    what = "quasi-identifiers as they are, and sensitive values by group"
    manifest = release_manifest(
        names,
        Method("anatomy", what, settings_of(releaser)),
        releaser.roles_.applied(found),
        guarantee=_STATEMENT.format(l),
        not_protected=[_OF_SEVERAL_ROWS] * (persons is not None),
        source=table_source(table, len(frame), persons),
        stages=("the groups of rows, and all values that are released",),
        recoding=told_recoding(columns.recode),
        release={
            "rows": len(frame),
            "columns": {p.name: list(own.columns) for p, own in released.items()},
        },
    )
    write_files(files | {beside(output, MANIFEST): manifest_bytes(manifest)})
    facts = {
        "rows": len(frame),
        "quasi_identifiers": ", ".join(releaser.roles_.quasi_identifiers),
        "sensitive": ", ".join(releaser.roles_.sensitive),
        "dropped": ", ".join(releaser.roles_.dropped) or None,
        "persons": persons,
        "groups": int(released[second][GROUP].max()) + 1,
        "seconds": round(time.perf_counter() - start, 3),
        "output": str(output),
        "sensitive_table": str(second),
    }
    printed.tell(facts)
