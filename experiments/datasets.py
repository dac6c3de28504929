"""The tables that configs name."""

import gzip
import hashlib
from pathlib import Path

import numpy as np

from coclust_synth import read_table
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.tables.reading.bundled import bundled_table

_KEYS = {"name", "path", "sha256", "columns", "rows"}


def load_dataset(settings, directory):
    """Read the table that a config names.

    Parameters
    ----------
    settings : dict
        ``name``, under which rows know it; ``path``, relative to `directory` or to the
        current one, or ``"bundled"`` for the table of the package; and optionally
        ``sha256`` of the file, uncompressed; ``columns``, the only ones to keep, in
        that order; ``rows``, how many of the first ones to keep.
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
    unknown = sorted(set(settings) - _KEYS)
    if unknown or not {"name", "path"} <= set(settings):
        raise ParameterError(
            "Expected name and path of the dataset, and sha256, columns, rows if need "
            f"be. Received {', '.join(settings) or 'nothing'}. Correct the config."
        )
    path = _find(settings["path"], directory)
    if "sha256" in settings:
        _check_sum(path, settings["sha256"])
    frame, _ = read_table(path)
    columns = settings.get("columns", list(frame.columns))
    absent = [name for name in columns if name not in frame.columns]
    if absent:
        raise TableError(
            f"Expected columns {', '.join(columns)} in {path.name!r}. Received a table "
            f"without {', '.join(absent)}. Correct the config."
        )
    return frame[columns].head(settings.get("rows", len(frame)))


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
    found = find_file(path, directory)
    if found is not None:
        return found
    raise TableError(
        f"Expected the dataset in the file {path!r}, from the folder of the config or "
        "the current one. Received no such file. Fetch it, or correct the path."
    )


def _check_sum(path, expected):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise TableError(
            f"Expected sha256 {expected} of the content of {path.name!r}. Received "
            f"{found}. Fetch the file again, or correct the config."
        )
