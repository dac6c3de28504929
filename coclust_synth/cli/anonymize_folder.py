"""`anonymize` of a table that an engine counts: a folder of Parquet files."""

from coclust_synth.cli.names import split_names
from coclust_synth.cli.plain_folder import FOLDER_MANIFEST, check_folder_output
from coclust_synth.cli.tables import check_counted, declared_columns
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.kanon.counted import LABELS, write_release
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.reports.console import search_progress
from coclust_synth.reports.k_anonymity import counted_statement, not_protected
from coclust_synth.reports.manifest import (
    Method,
    manifest_bytes,
    release_manifest,
    settings_of,
    table_source,
)
from coclust_synth.tables.files import atomic_folder

_STAGES = (
    "kinds and domains of the columns, unless a schema states them",
    "the classes and the labels of the quasi-identifiers",
    "sensitive and other columns, which are released as they are",
)
# Arguments that need no row in memory.
_TAKEN = {
    *("table", "output", "k", "qi", "sensitive", "others", "method"),
    *("truthful", "objective", "bins", "schema", "drop", "keep", "used"),
    *("n_iterations", "time_limit", "n_jobs", "random_state"),
    *("as_json", "force", "quiet", "engine", "memory", "temp"),
}


def anonymize_folder(table, output, given, printed, engine, chosen):
    """Release a table that is counted where it is; returns the facts.

    Parameters
    ----------
    table, output : Path
    given : tuple
        The groups of options: `Asked`, `MethodOptions` and `Columns`.
    printed, engine : Output, Engine
    chosen : mapping of str to str
        See `chosen_options`.
    """
    asked, own, columns = given
    _check_chosen(asked.method, chosen)
    check_folder_output(table, output, printed.force)
    source = engine.source(table)
    schema = declared_columns(source, columns)
    with search_progress(own.n_iterations, enabled=printed.talks) as callback:
        anonymizer = HybridKAnonymizer(
            asked.k,
            quasi_identifiers=split_names(asked.qi, schema.names) or None,
            sensitive=split_names(asked.sensitive, schema.names) or None,
            others=asked.others,
            truthful=own.truthful,
            objective=own.objective,
            bins=own.bins,
            n_iterations=own.n_iterations,
            time_limit=own.time_limit,
            n_jobs=own.n_jobs,
            random_state=own.random_state,
            callback=callback,
        )
        with atomic_folder(output) as folder:
            release = write_release(anonymizer, source, folder, schema)
            told = table_source(table, release.n_rows)
            _write_manifest(folder, anonymizer, release, source.engine, told)
    return {
        "rows": release.n_rows,
        "quasi_identifiers": ", ".join(release.roles.quasi_identifiers),
        "sensitive": ", ".join(release.roles.sensitive) or None,
        "kept": ", ".join(release.roles.others) or None,
        "dropped": ", ".join(release.roles.dropped) or None,
        "k": {"asked": asked.k, "reached": release.smallest},
        "classes": release.n_classes,
        "perturbed_rows": release.n_perturbed,
        "distinct_rows": release.n_records,
        "cut_short": ", ".join(release.cut_short) or None,
        "method": str(asked.method),
        "seed": own.random_state,
        "output": str(output),
        "labels": str(output / LABELS),
    }


def _check_chosen(method, chosen):
    """Refuse a method, and options, that need all rows in memory."""
    if method != "hybrid":
        raise ParameterError(
            "Expected the method hybrid for a table that an engine counts, as it "
            f"forms classes from counts. Received {str(method)!r}, which needs the "
            "rows in memory. Leave out --method, or give a single file without "
            "--engine."
        )
    check_counted([option for name, option in chosen.items() if name not in _TAKEN])


def _write_manifest(folder, anonymizer, release, engine, source):
    files = sorted(folder.glob("part-*.parquet"))
    names = (*release.roles.sensitive, *release.roles.others)
    manifest = release_manifest(
        {file.name: file for file in [*files, folder / LABELS]},
        Method(
            "anonymize --method hybrid",
            "rows in classes that read the same in their quasi-identifiers",
            settings_of(anonymizer) | {"engine": engine},
        ),
        release.roles.applied(release.schema),
        guarantee=counted_statement(release, anonymizer.k),
        not_protected=not_protected(0),
        source=source,
        treatments=dict.fromkeys(release.roles.quasi_identifiers, "label"),
        stages=_STAGES,
        release={
            "rows": release.n_rows,
            "columns": [*names, *release.roles.quasi_identifiers],
            "classes": release.n_classes,
            "k": release.smallest,
        },
    )
    (folder / FOLDER_MANIFEST).write_bytes(manifest_bytes(manifest))
