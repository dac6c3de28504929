"""`synth` of a table that an engine counts: a folder of Parquet files."""

import os
from pathlib import Path

from coclust_synth._version import __version__
from coclust_synth.cli.tables import MANIFEST, check_counted, declared_columns
from coclust_synth.exceptions import CoclustSynthError, OutputError
from coclust_synth.generators.kanon.counted import LABELS
from coclust_synth.generators.plain.chunks import (
    CHUNK_ROWS,
    MODEL,
    broken_of,
    check_no_keys,
    sample_to,
)
from coclust_synth.generators.plain.fitting import check_rare
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.reports.console import step_progress
from coclust_synth.reports.manifest import manifest_bytes
from coclust_synth.reports.plain_release import model_source, plain_manifest, source_of
from coclust_synth.scale.engines import shown_table
from coclust_synth.scale.partial_folder import PartialFolder
from coclust_synth.tables.files import check_folder
from coclust_synth.tables.reading.table import TABLE_SUFFIXES
from coclust_synth.tables.schema import Schema
from coclust_synth.validation import check_integer

# Engines leave out files whose names begin so.
FOLDER_MANIFEST = "_" + MANIFEST.removeprefix(".")


def check_alone(columns, asked, *, audit=False, report=False):
    """Refuse what needs all rows in memory.

    Raises
    ------
    ParameterError
    """
    refused = {
        "--audit": audit,
        "--report": report,
        "--recode": columns.recode is not None,
        "--encoding": columns.encoding is not None,
        "--key": bool(columns.key),
        "--person-id": asked.person_id is not None,
        "--hierarchies": asked.hierarchies is not None,
        "--parts learnt": asked.parts == "learnt",
    }
    check_counted([option for option, is_asked in refused.items() if is_asked])


def synth_folder(table, output, asked, columns, printed, engine, rows):
    """Fit counts of a table and draw a folder.

    Returns the model, the search, the facts, and how many rows break each rule.
    """
    if rows is not None:
        check_integer("the number of rows", rows, minimum=1)
    check_folder_output(table, output, printed.force)
    source = engine.source(table)
    n = source.n_rows if rows is None else rows
    plan = {
        "version": __version__,
        "table": _fingerprint(table),
        "n_rows": source.n_rows,
        "settings": _settings(asked),
        "columns": _asked_of_columns(columns),
        "rows": [n, CHUNK_ROWS],
    }
    folder = PartialFolder(output, plan)
    n_before = _n_files(folder)
    saved, found = folder.private(MODEL), None
    if saved.exists():
        model = PlainModel.load(saved)
    else:
        try:
            schema = declared_columns(source, columns)
            found = asked.fitted(source, schema=schema, shown=printed.talks)
            model = found.model_
            check_no_keys(model)
        except CoclustSynthError:
            folder.discard()  # the same command would be refused again
            raise
        model.save(saved)
    _draw(
        folder,
        model,
        n,
        printed,
        seed=asked.random_state,
        marginals=asked.marginals,
        n_jobs=asked.n_jobs,
        on_spark=engine.engine == "spark",
    )
    told = _settings(asked) | {
        "k": model.min_individuals,
        "rare": check_rare(asked.rare, model.min_individuals, model.schema),
        "engine": source.engine,
    }
    broken = _finish(folder, model, n, ("synth", told), source_of(model, table))
    facts = {
        "k": model.min_individuals,
        "seed": asked.random_state,
        "files_of_earlier_run": n_before,
        "table_rows": source.n_rows,
        "rows": n,
        "output": str(output),
    }
    if found is not None:
        pooled = [pooled._asdict() for pooled in found.pooled_]
        cut_short = ", ".join(found.cut_short_) or None
        facts |= {"rare": found.rare_, "pooled": pooled, "cut_short": cut_short}
    return model, None if found is None else found.coclustering_, facts, broken


def fit_counted(table, asked, columns, printed, engine):
    """A synthesizer fitted to counts of a table that an engine makes."""
    source = engine.source(table)
    schema = declared_columns(source, columns)
    return asked.fitted(source, schema=schema, shown=printed.talks)


def is_folder(output):
    """Whether the name of an output is that of a folder: it has no ending."""
    return not output.suffix


def sample_folder(saved, output, rows, k, seed, n_jobs, printed):
    """Draw a folder from a saved model.

    Returns the model, the facts, and how many rows break each rule.

    Parameters
    ----------
    saved, output : Path
    rows, k : int or None
        As many as the table had, and that of the model, by default.
    seed, n_jobs : int
    printed : Output
    """
    if rows is not None:
        check_integer("the number of rows", rows, minimum=1)
    check_folder_output(saved, output, printed.force)
    model = PlainModel.load(saved)
    source = model_source(saved, model)
    model = model if k is None else model.coarsened(k)
    check_no_keys(model)
    n = model.n_rows if rows is None else rows
    plan = {
        "version": __version__,
        "model": _fingerprint(saved),
        "settings": [k, seed],
        "rows": [n, CHUNK_ROWS],
    }
    folder = PartialFolder(output, plan)
    n_before = _n_files(folder)
    model.save(folder.private(MODEL), force=True)
    _draw(folder, model, n, printed, seed=seed, n_jobs=n_jobs)
    told = {"k": model.min_individuals, "random_state": seed}
    broken = _finish(folder, model, n, ("sample", told), source)
    facts = {"k": k, "seed": seed, "files_of_earlier_run": n_before, "rows": n}
    return model, facts | {"output": str(output)}, broken


def check_folder_output(table, output, force):
    """Refuse a folder that cannot be written, or that the table is in.

    Raises
    ------
    OutputError
    """
    if output.name.lower().endswith(TABLE_SUFFIXES):
        raise OutputError(
            "Expected a folder as output, as an engine counts the table. Received "
            f"{str(output)!r}. Give a name without an ending."
        )
    check_folder(output, force, _is_ours)
    source = Path(str(table).rpartition("::")[0] or table)
    if source.exists() and output.resolve() in (
        source.resolve(),
        *source.resolve().parents,
    ):
        raise OutputError(
            f"Expected an output apart from its source. Received {str(output)!r}, "
            f"which is or holds {str(table)!r}. Choose another folder."
        )


def _is_ours(name):
    """Whether a file of a folder is one that a release writes."""
    return name in (FOLDER_MANIFEST, LABELS) or (name[:5], name[-8:]) == (
        "part-",
        ".parquet",
    )


def _fingerprint(table):
    """What tells whether a table is still the same: its files, without opening them."""
    path = Path(str(table).rpartition("::")[0] or table)
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    found = [(file, file.stat()) for file in files if file.exists()]
    own = [[os.fspath(f.absolute()), s.st_size, s.st_mtime_ns] for f, s in found]
    return [shown_table(table), own]


def _asked_of_columns(columns):
    schema = columns.schema
    text = None if schema is None else Schema.load(schema).to_toml()
    said = columns.drop, columns.keep, columns.used, columns.categorical
    return [text, *(sorted(names or ()) for names in said)]


def _settings(asked):
    """The arguments of a fit that decide what it finds."""
    return {name: own for name, own in vars(asked).items() if name != "n_jobs"}


def _n_files(folder):
    """Files that an earlier run has left, None for none."""
    return len(list(folder.table.iterdir())) or None


def _draw(folder, model, n, printed, **options):
    with step_progress(enabled=printed.talks) as callback:
        sample_to(model, folder, n, callback=callback, **options)


def _finish(folder, model, n, how, source):
    """Write what goes with the folder, in it, and give it its name.

    Returns how many of its rows break each rule, None where that was not counted.
    """
    files = sorted(folder.table.glob("part-*.parquet"))
    broken = broken_of(folder, files)
    manifest = plain_manifest(
        {file.name: file for file in files},
        how,
        model,
        model.schema,
        n,
        broken=broken,
        source=source,
    )
    folder.write(FOLDER_MANIFEST, lambda: manifest_bytes(manifest))
    folder.finish()
    return broken
