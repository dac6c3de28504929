"""Folders of outputs, written whole or not at all."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coclust_synth.exceptions import OutputError
from coclust_synth.tables.files.outputs import (
    check_writable,
    default_mode,
    not_written,
    sync_folder,
    temporary_beside,
)

_OWNER_ONLY = 0o700


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
    if os.path.exists(path) and not path.is_dir():
        raise OutputError(
            f"Expected the name of a folder to write. Received the file {str(path)!r}. "
            "Give another name."
        )
    try:
        there = sorted(path.iterdir())
    except FileNotFoundError:
        there = []
    except OSError as error:
        raise OutputError(not_written(error, path)) from None
    if there and not force:
        raise OutputError(
            f"Expected a new or empty folder. Received {str(path)!r}, which holds "
            f"{len(there)} files. Give --force to replace it (force=True in Python)."
        )
    other = [entry for entry in there if entry.is_dir() or not is_ours(entry.name)]
    if other:
        raise OutputError(
            f"Expected a folder of the files to be replaced. Received {str(path)!r}, "
            f"which also holds {other[0].name!r}; that would be lost. Choose another "
            "folder."
        )
    check_writable(temporary_beside(path.absolute()))


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
    temporary, old = temporary_beside(path), temporary_beside(path)
    try:
        temporary.mkdir(mode=_OWNER_ONLY)
        yield temporary
        sync_folder(temporary)
        mode = path.stat().st_mode if path.exists() else default_mode(0o777)
        if path.exists():
            path.rename(old)
        temporary.rename(path)
        path.chmod(stat.S_IMODE(mode))
        sync_folder(path.parent)
    except BaseException as error:
        if old.exists() and not path.exists():
            old.rename(path)
        if isinstance(error, OSError) and not isinstance(error, OutputError):
            raise OutputError(not_written(error, path)) from error
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
