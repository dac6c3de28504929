"""Folders of outputs, written whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coclust_synth.exceptions import OutputError
from coclust_synth.tables.io import check_writable


def check_folder(path: str | os.PathLike, force: bool, is_ours) -> None:
    """Make sure, before any work, that a folder can be written.

    Parameters
    ----------
    path : path
        The folder to be written.
    force : bool
        Whether it may hold files already. It is replaced as a whole.
    is_ours : callable
        Tells of the name of a file whether it may be replaced. A folder that holds
        anything else never is.

    Raises
    ------
    OutputError
        If the folder holds files and `force` is false, holds others, or cannot be
        written.
    """
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise OutputError(
            f"Expected the name of a folder to write. Received the file {str(path)!r}. "
            "Give another name."
        )
    there = sorted(path.iterdir()) if path.exists() else []
    if there and not force:
        raise OutputError(
            f"Expected a new or empty folder. {str(path)!r} holds {len(there)} files; "
            "give --force to replace it (force=True in Python)."
        )
    other = [entry for entry in there if entry.is_dir() or not is_ours(entry.name)]
    if other:
        raise OutputError(
            f"Expected a folder of the files to be replaced. {str(path)!r} also holds "
            f"{other[0].name!r}, which would be lost. Choose another folder."
        )
    check_writable(_beside(path), table=False)


@contextmanager
def atomic_folder(path: str | os.PathLike) -> Iterator[Path]:
    """Write a folder whole or not at all.

    Parameters
    ----------
    path : path
        The folder to be written; it is replaced if it exists.

    Yields
    ------
    Path
        A temporary folder beside it, to be filled instead. It takes the name `path` at
        the end, and is removed if anything fails.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    path = Path(path).absolute()
    temporary, old = _beside(path), _beside(path)
    try:
        temporary.mkdir()
        yield temporary
        if path.exists():
            path.rename(old)
        temporary.rename(path)
    except OSError as error:
        if old.exists() and not path.exists():
            old.rename(path)
        if isinstance(error, OutputError):
            raise
        raise OutputError(
            f"Expected to be able to write the folder {str(path)!r}. Received: "
            f"{error.strerror or error}. Choose another place."
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _beside(path):
    path = path.absolute()
    return path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}.tmp")
