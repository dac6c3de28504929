"""Synthetic rows by the hundred million: file after file, each from a seed of its own.

The files are the same for any number of workers, and whichever of them are there
already. Rows of one file are drawn together, as `CoclusterSynthesizer.sample` does, and
those of different files independently.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.rows import ModelRows
from coclust_synth.scale.partial_folder import PartialFolder, write_part
from coclust_synth.scale.spark_jobs import run_on_spark
from coclust_synth.tables.coded_parquet import coded_bytes, with_codes
from coclust_synth.tables.parts.spelt import with_spelt
from coclust_synth.validation import check_integer

#: Rows of a file: half a gigabyte of memory while they are drawn.
CHUNK_ROWS = 500_000
#: Private file of a folder that is drawn from it.
MODEL = "model.coclust"


def chunk_name(i: int) -> str:
    """Name of a file by its number.

    Examples
    --------
    >>> chunk_name(3)
    'part-00003.parquet'
    """
    return f"part-{i:05d}.parquet"


def check_no_keys(model: PlainModel) -> None:
    """Refuse columns that are to differ in all rows of all files, and persons.

    Raises
    ------
    ParameterError
    """
    if model.person_key is not None:
        raise ParameterError(
            "Expected a model of rows of which each file can be drawn on its own. "
            "Received one of persons, whose names are numbered through the table. "
            "Draw a single file."
        )
    if model.keys:
        raise ParameterError(
            "Expected columns of which each file can be drawn on its own. Received "
            f"keys, {', '.join(repr(key.column.name) for key in model.keys)}, that "
            "must differ in all files. Drop them, and number the rows afterwards."
        )


def sample_to(
    model: PlainModel,
    folder: PartialFolder,
    n: int,
    *,
    seed: int,
    marginals: str = "grid",
    n_jobs: int | None = None,
    on_spark: bool = False,
    callback: Callable[[str, int, int], object] | None = None,
) -> None:
    """Draw rows into the files of a folder that are not there yet.

    Parameters
    ----------
    model : PlainModel
        Of rows that are individuals, without keys.
    folder : PartialFolder
        Has the model as the private file `MODEL`.
    n : int
        Rows in all, from 1.
    seed : int
    marginals : {"grid", "cluster"}, default="grid"
    n_jobs : int, optional
        Processes, as joblib counts them.
    on_spark : bool, default=False
        Whether the workers of the running Spark draw the files instead. They must see
        the folder under the same path.
    callback : callable, optional
        Called with a title, how many files are done, and how many there will be.

    Raises
    ------
    ParameterError
        If `n` is below 1, or the model has keys.
    """
    check_integer("n", n, minimum=1)
    check_no_keys(model)
    saved = folder.private(MODEL)
    sizes = [CHUNK_ROWS] * (n // CHUNK_ROWS) + (
        [n % CHUNK_ROWS] if n % CHUNK_ROWS else []
    )
    paths = [folder.table / chunk_name(i) for i in range(len(sizes))]
    left = [i for i, path in enumerate(paths) if not path.exists()]
    jobs = [(saved, marginals, sizes[i], (seed, i), paths[i]) for i in left]
    n_done = len(sizes) - len(left)
    if on_spark:
        written = run_on_spark(_write_chunk, jobs)
    else:
        workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        written = workers(delayed(_write_chunk)(*job) for job in jobs)
    for done, _ in enumerate(written, n_done + 1):
        if callback is not None:
            callback("files", done, len(sizes))


@lru_cache(maxsize=1)  # a process draws many files of one model
def _loaded(path, *_of_file):
    """The schema of a model, and the model, whose texts are drawn as codes."""
    model = PlainModel.load(path)
    coded = replace(model, coding=_with_codes(model.coding))
    if model.structure is not None:
        own = replace(model.structure, coding=_with_codes(model.structure.coding))
        coded = replace(coded, structure=own)
    return model.schema, coded


def _with_codes(coding):
    return replace(coding, schema=with_codes(coding.schema))


def _write_chunk(saved: Path, marginals: str, n: int, seed, path: Path) -> None:
    """One file, in whatever process."""
    own = saved.stat()
    schema, model = _loaded(saved, own.st_ino, own.st_mtime_ns, own.st_size)

    def content():
        rng = np.random.default_rng(seed)
        frame = with_spelt(ModelRows(model, marginals).draw(n, rng), model.spelt)
        return coded_bytes(frame, schema)

    write_part(path, content)
