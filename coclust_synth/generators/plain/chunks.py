"""Synthetic rows by the hundred million: file after file, each from a seed of its own.

The files are the same for any number of workers, and whichever of them are there
already. Rows of one file are drawn together, as `CoclusterSynthesizer.sample` does, and
those of different files independently.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.rows import ModelRows
from coclust_synth.scale.partial_folder import PartialFolder, run_on_spark, write_part
from coclust_synth.tables.parts.folded.folding import with_spelt
from coclust_synth.tables.writing import coded_bytes, with_codes
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
            "Expected a model from which each file can be drawn on its own. Received "
            "one of persons, who are numbered across all files. Draw a single file."
        )
    if model.keys:
        raise ParameterError(
            "Expected columns that can be drawn for each file on its own. Received "
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


def broken_of(folder: PartialFolder, files: Sequence[Path]) -> list[int | None] | None:
    """How many rows of all files break each rule, as they were counted when drawn.

    Parameters
    ----------
    folder : PartialFolder
    files : sequence of Path
        All that are drawn.

    Returns
    -------
    list of int or None
        None of a fit that is about right; None for all where a file was not counted.
    """
    counts = [folder.private(_counts_name(path)) for path in files]
    if not counts or not all(path.exists() for path in counts):
        return None
    of_files = [json.loads(path.read_bytes()) for path in counts]
    if of_files[0] is None:
        return None
    return [
        None if None in of_rule else sum(of_rule)
        for of_rule in zip(*of_files, strict=True)
    ]


def _counts_name(path):
    return f"{path.stem}.broken.json"


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
        frame = ModelRows(model, marginals).draw(n, rng)
        broken = None
        if model.structure is not None:
            broken = model.structure.count_broken(frame, model.coding.pools)
        told = json.dumps(broken).encode()
        write_part(saved.with_name(_counts_name(path)), lambda: told)
        return coded_bytes(with_spelt(frame, model.spelt), schema)

    write_part(path, content)
