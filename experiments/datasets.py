"""The tables that configs name."""

import gzip
import hashlib
import json
import os
import warnings
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coclust_synth import read_table
from coclust_synth.exceptions import DataWarning, ParameterError, TableError
from coclust_synth.tables.reading.bundled import bundled_table
from experiments.adult import find_adult

_KEYS = {"name", "path", "sha256", "columns", "rows"}


class Source(NamedTuple):
    """A table, and how it is split: what a worker process reads it again from.

    Attributes
    ----------
    dataset : dict
        Settings of `load_dataset`.
    directory : str
        Where the config is.
    split : dict, optional
        ``train`` and ``seed`` of `split_rows`; by default all rows are learnt from.
    """

    dataset: dict
    directory: str
    split: dict | None = None

    def tables(self):
        """The training part and the holdout, which is None if nothing is split."""
        return _tables(json.dumps(self))

    def content(self):
        """What determines the rows, wherever the file is."""
        _, sha256 = checked_file(self.dataset, self.directory)
        return {**self.dataset, "path": "", "sha256": sha256, "split": self.split}


@lru_cache(maxsize=4)
def _tables(text):
    dataset, directory, split = json.loads(text)
    table = load_dataset(dataset, directory)
    return (table, None) if split is None else split_rows(table, **split)


def load_dataset(settings, directory):
    """Read the table that a config names.

    Parameters
    ----------
    settings : dict
        ``name``, under which rows know it; ``path``, relative to `directory` or to the
        current one, ``"bundled"`` for the table of the package, or ``"adult"`` for UCI
        Adult, see `experiments.adult`; and optionally ``sha256`` of the file,
        uncompressed; ``columns``, the only ones to keep, in that order; ``rows``, how
        many of the first ones to keep.
    directory : Path
        Where the config is.

    Returns
    -------
    DataFrame

    Raises
    ------
    ParameterError
        If the settings are not these.
    TableError
        If the file is not there, not the one expected, or not a table.
    """
    path, _ = checked_file(settings, directory)
    frame = _read(path, os.stat(path).st_mtime_ns)
    columns = settings.get("columns", list(frame.columns))
    absent = [name for name in columns if name not in frame.columns]
    if absent:
        raise TableError(
            f"Expected columns {', '.join(columns)} in {path.name!r}. Received a table "
            f"without {', '.join(absent)}. Correct the config."
        )
    return frame[columns].head(settings.get("rows", len(frame)))


@cache
def _read(path, _changed):
    """A file as a table, read once for its columns, rows and splits of all configs."""
    with without_warnings():
        return read_table(path)[0]


@contextmanager
def without_warnings():
    """What the package says of a table is known of those of experiments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


def checked_file(settings, directory):
    """The file of a dataset and the sha256 of its content, uncompressed.

    Parameters, errors
        As of `load_dataset`.

    Returns
    -------
    path : Path
    sha256 : str
    """
    unknown = sorted(set(settings) - _KEYS)
    if unknown or not {"name", "path"} <= set(settings):
        raise ParameterError(
            "Expected name and path of the dataset, and sha256, columns, rows if need "
            f"be. Received {', '.join(settings) or 'nothing'}. Correct the config."
        )
    path = _find(settings["path"], directory)
    found = _sum_of(path, os.stat(path).st_mtime_ns)
    expected = settings.get("sha256", found)
    if found != expected:
        raise TableError(
            f"Expected sha256 {expected} of the content of {path.name!r}. Received "
            f"{found}. Fetch the file again, or correct the config."
        )
    return path, found


def split_rows(frame, *, train, seed):
    """The training part, a share of the rows, and the holdout: in random order.

    Parameters
    ----------
    frame : DataFrame
    train : float
        Share of the training part, in (0, 1).
    seed : int

    Returns
    -------
    train, holdout : DataFrame
    """
    if not 0.0 < train < 1.0:
        raise ParameterError(
            f"Expected a share for training in (0, 1). Received {train}. "
            "Correct the config."
        )
    order = np.random.default_rng(seed).permutation(len(frame))
    parts = np.split(order, [int(train * len(frame))])
    return tuple(frame.iloc[part].reset_index(drop=True) for part in parts)


def find_file(path, directory):
    """A file that a config names, from its folder or the current one, or None."""
    places = [Path(directory) / path, Path(path)]
    return next((place for place in places if place.is_file()), None)


def _find(path, directory):
    if path == "bundled":
        return bundled_table()
    if path == "adult":
        return find_adult()
    found = find_file(path, directory)
    if found is not None:
        return found
    raise TableError(
        f"Expected the dataset in the file {path!r}, from the folder of the config or "
        "the current one. Received no such file. Fetch it, or correct the path."
    )


@lru_cache
def _sum_of(path, _changed):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
