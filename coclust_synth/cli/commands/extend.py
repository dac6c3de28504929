"""`extend`: new rows under the labels of an earlier k-anonymous release."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from coclust_synth.cli import options, privacy_options
from coclust_synth.cli.command import command
from coclust_synth.cli.names import split_names
from coclust_synth.cli.tables import (
    LABELS,
    MANIFEST,
    beside,
    check_output,
    check_release,
    recoded,
    told_recoding,
)
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.kanon.new_rows import release_new_rows
from coclust_synth.reports.k_anonymity import (
    batch_facts,
    batch_not_protected,
    batch_statement,
)
from coclust_synth.reports.manifest import (
    Method,
    digests_of,
    file_digest,
    manifest_bytes,
    read_manifest,
    release_manifest,
    table_source,
)
from coclust_synth.tables.files import write_files
from coclust_synth.tables.generalized.sidecar import sidecar_path
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.people.roles import check_sensitive_values
from coclust_synth.tables.schema import Schema
from coclust_synth.validation import check_integer

_STAGES = (
    "kinds of the columns, where no schema says them",
    "which rows fit the labels of the earlier release",
    "sensitive and other columns, which are released as the earlier ones were",
)


@dataclass(frozen=True, kw_only=True)
class AskedOfBatch:
    """What is asked of the classes of new rows; by default what the manifest says."""

    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            help="New rows in each class, at least; 2 or more. By default the k that "
            "the earlier release was asked for.",
        ),
    ] = None
    sensitive: privacy_options.Sensitive = None
    person_id: privacy_options.PersonId = None
    l_diversity: privacy_options.LDiversity = None
    t_closeness: privacy_options.TCloseness = None
    alpha: privacy_options.Alpha = None

    def arguments(self, earlier, manifest):
        """The arguments of `release_new_rows`, with what the manifest says."""
        told = manifest["method"]["parameters"]
        k = told.get("k") if self.k is None else self.k
        if k is None:
            raise ParameterError(
                "Expected k, or a manifest of the earlier release that states it. "
                "Received neither. Give for instance --k 10."
            )
        check_integer("k", k, minimum=2)
        models, along = privacy_options.parse_models(
            self.l_diversity, self.t_closeness, self.alpha
        )
        if along:
            raise ParameterError(
                "Expected models without a hierarchy of the sensitive values, as new "
                "rows can have values that it lacks. Received a hierarchical "
                "t-closeness. Ask for the equal distance, which is at least as "
                "strict."
            )
        if told.get("models") and not models:
            asked = ", ".join(text for _, text in told["models"])
            raise ParameterError(
                f"Expected the models of the earlier release, {asked}, for the new "
                "rows too. Received none. Give them again, such as --l-diversity "
                "distinct:2."
            )
        hidden = {*(told.get("sensitive") or ())}
        of_roles = (own for own in manifest["columns"] if own["role"] == "sensitive")
        hidden |= {own["name"] for own in of_roles}
        names = tuple(earlier.others.columns)
        if self.sensitive is not None:
            hidden = split_names(self.sensitive, names)
        else:
            hidden = [name for name in names if name in hidden]
        return {
            "k": k,
            "sensitive": hidden,
            "sensitive_values": told.get("sensitive_values", "keep"),
            "models": models,
            "person_id": self.person_id or told.get("person_id"),
        }


@command
def extend(
    earlier: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASED",
            help="Table that `anonymize` wrote, with its labels and manifest beside "
            "it.",
        ),
    ],
    table: Annotated[
        Path,
        typer.Argument(
            metavar="NEW",
            help="Rows of new people, with the columns of RELEASED: CSV (also .gz, "
            ".tsv) or Parquet.",
        ),
    ],
    output: options.TableOutput,
    asked: AskedOfBatch,
    printed: options.Output,
    schema: options.SchemaFile = None,
    recode: options.Recode = None,
):
    """Release rows of new people under the labels of an earlier k-anonymous table.

    Each new row goes to a class of RELEASED whose labels cover its values. OUT has only
    the new rows. A class that gets new rows gets those of k new individuals or more, so
    that somebody who distinguishes old rows from new ones still has k to choose from in
    either. Rows that fit no class, or only one that fewer than k fit, are held back:
    they are counted, and are in no file. This assumes that nobody is in both tables:
    `check RELEASED OUT` measures what two releases give away together.

    Example: coclust-synth extend released.csv arrivals.csv -o arrivals_released.csv
    """
    start = time.perf_counter()
    labels, told = sidecar_path(output), beside(earlier, MANIFEST)
    inputs = (earlier, table, schema, recode, sidecar_path(earlier), told)
    check_release(output, printed.force, inputs=inputs, replaces=[LABELS])
    check_output(labels, printed.force, inputs=inputs, is_table=False)
    manifest = _manifest_of(earlier, told)
    released = GeneralizedTable.load(earlier)
    arguments = asked.arguments(released, manifest)
    known = None if schema is None else Schema.load(schema)
    recoding = _recoding_as_before(manifest, recode)
    table_ = recoded(table, recode, asked.person_id)
    batch = release_new_rows(released, table_, known, **arguments)
    files = batch.release.to_files(output, batch.schema)
    arguments["models"] = [[name, str(model)] for name, model in arguments["models"]]
    content = release_manifest(
        {path.name: own for path, own in files.items()},
        Method(
            "extend",
            "new rows in the classes of an earlier release",
            {
                "earlier": file_digest(earlier),
                "quasi_identifiers": list(released.names),
                **arguments,
            },
        ),
        batch.schema,
        guarantee=batch_statement(batch, arguments),
        not_protected=batch_not_protected(arguments["person_id"] is not None),
        source=table_source(table),
        treatments=dict.fromkeys(released.names, "label")
        | check_sensitive_values(
            arguments["sensitive_values"], arguments["sensitive"], batch.schema
        ),
        stages=_STAGES,
        recoding=recoding,
        release={
            "rows": batch.release.n_rows,
            "columns": list(batch.release.order),
            "classes": len(batch.release.class_sizes),
            "k": batch.smallest,
            "suppressed_rows": 0,
        },
    )
    write_files(files | {beside(output, MANIFEST): manifest_bytes(content)})
    facts = batch_facts(
        batch,
        arguments["k"],
        seconds=round(time.perf_counter() - start, 3),
        output=str(output),
        labels=str(labels),
    )
    printed.tell(facts)


def _manifest_of(earlier, told):
    """The manifest of the earlier release, whose files are as they were released."""
    files = earlier, sidecar_path(earlier)
    if not all(file.is_file() for file in files):
        return None  # which is told when they are read
    manifest = read_manifest(told)
    if manifest is None:
        raise ParameterError(
            f"Expected the manifest of the earlier release, {str(told)!r}. Received "
            "none. Put it beside the table, or make that release anew."
        )
    # By their hashes: they may have been given other names since.
    released = digests_of(manifest)
    for file in files:
        if file_digest(file) not in released:
            raise ParameterError(
                f"Expected the file that {str(told)!r} describes. Received "
                f"{str(file)!r}, which has changed since it was released. Put the "
                "released one back, or make that release anew."
            )
    return manifest


def _recoding_as_before(manifest, recode):
    """What the manifest tells of the recoding, which must be the earlier one's."""
    recoding = list(told_recoding(recode))
    before = manifest.get("recoding", [])
    if before != recoding:
        columns = ", ".join(repr(own["column"]) for own in before) or "no column"
        raise ParameterError(
            f"Expected the recoding of the earlier release, of {columns}. Received "
            f"{'none' if recode is None else repr(str(recode))}. Give the same file "
            "by --recode, or leave --recode out if there was none."
        )
    return recoding
