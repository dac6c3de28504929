"""Output files, written whole or not at all, and readable by nobody else meanwhile.

A process that is killed can leave temporary files, named ``.coclust_synth-*.tmp``,
beside its output. What it was writing is readable by its owner only. They are never
removed by a later run, which cannot tell them from those of one that still writes.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from coclust_synth.exceptions import OutputError

_OWNER_ONLY = 0o600


def check_writable(path: str | os.PathLike, force: bool = False) -> None:
    """Make sure, before any work, that a file can be written.

    Parameters
    ----------
    path : path
        The file to be written.
    force : bool, default=False
        Whether it may exist already.

    Raises
    ------
    OutputError
        If the file exists and `force` is false, or cannot be written.
    """
    path = Path(path)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = None
    except (OSError, ValueError) as error:
        raise OutputError(not_written(error, path)) from None
    if mode is not None and not stat.S_ISREG(mode):
        received = "directory" if stat.S_ISDIR(mode) else "device or pipe"
        raise OutputError(
            f"Expected the name of a file to write. Received the {received} "
            f"{str(path)!r}. Give the name of a file."
        )
    if mode is not None and not force:
        raise OutputError(
            f"Expected a new file. Received {str(path)!r}, which exists. Give --force "
            "to replace it (force=True in Python)."
        )
    if not path.parent.is_dir():
        raise OutputError(
            f"Expected a directory {str(path.parent)!r} to write into. "
            "Received one that does not exist. Create it first."
        )
    # Rights alone do not tell: the file system may be read-only, or the user root.
    probe = temporary_beside(path)
    try:
        os.close(_open_new(probe))
        probe.unlink()
    except OSError as error:
        raise OutputError(not_written(error, path)) from None


def write_files(files: Mapping[str | os.PathLike, bytes]) -> None:
    """Write files of one release, all of them or none.

    The first is the one that the others tell of, such as a table before its labels.
    It takes its name last, and what it replaces goes first: whenever the process is
    killed, no table lies beside the labels of another. The others, and a single file,
    are replaced at once: there is one or the other at any moment.

    Parameters
    ----------
    files : mapping of path to bytes
        What to write into each; files that exist are replaced, and keep their mode.

    Raises
    ------
    OutputError
        If one cannot be written. All are as they were before.
    """
    contents = {Path(path): content for path, content in files.items()}
    first, *others = contents
    new = {path: temporary_beside(path) for path in contents}
    old = {path: temporary_beside(path) for path in (contents if others else ())}
    try:
        modes = {path: _mode_of(path) for path in contents}
        # What undoes a step is told before it, in case it is stopped half-way.
        with contextlib.ExitStack() as undo:
            for path, content in contents.items():
                undo.callback(new[path].unlink, missing_ok=True)
                write_new(new[path], content)
            for path in others:
                if path.exists():
                    undo.callback(old[path].unlink, missing_ok=True)
                    write_new(old[path], path.read_bytes())
            if others:
                undo.callback(_rename_if_there, old[first], first)
                _rename_if_there(first, old[first])
                _sync_folders([first])
            for path in others:
                undo.callback(_put_back, old[path], path, modes[path])
                _replace(new[path], path, modes[path])
            _sync_folders(others)
            if others:
                undo.callback(first.unlink, missing_ok=True)
            _replace(new[first], first, modes[first])
            _sync_folders([first])
            undo.pop_all()
    except OSError as error:
        raise OutputError(not_written(error, *contents)) from error
    for path in old.values():
        path.unlink(missing_ok=True)


def temporary_beside(path: Path) -> Path:
    """A name that no file has, in the folder of `path`."""
    return path.with_name(f".coclust_synth-{secrets.token_hex(8)}.tmp")


def not_written(error: Exception, *paths: Path) -> str:
    """Message for files or a folder that cannot be written."""
    return (
        f"Expected to be able to write {', '.join(repr(str(p)) for p in paths)}. "
        f"Received: {getattr(error, 'strerror', None) or error}. Choose another place."
    )


def default_mode(mode: int) -> int:
    """What the process's umask leaves of the mode of a new file or folder."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mode & ~mask


def write_new(path: Path, content: bytes) -> None:
    """Write a file that is not there yet, down to the disk, for its owner only."""
    with open(_open_new(path), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder outlive a crash of the machine, where that is had."""
    # Not every file system or platform can; none of them tells in another way.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _open_new(path: Path) -> int:
    """A file that is nobody's yet, and that only its owner can read from then on."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)


def _replace(temporary: Path, path: Path, mode: int) -> None:
    os.replace(temporary, path)
    # Not before: what is temporary is never open to others.
    os.chmod(path, mode)


def _rename_if_there(path: Path, name: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.replace(path, name)


def _put_back(old: Path, path: Path, mode: int) -> None:
    if old.exists():
        _replace(old, path, mode)
    else:
        path.unlink(missing_ok=True)


def _mode_of(path: Path) -> int:
    """Mode of the file that is to be replaced, or that of a new one."""
    try:
        return stat.S_IMODE(path.stat().st_mode) & 0o777
    except FileNotFoundError:
        return default_mode(0o666)


def _sync_folders(paths) -> None:
    for folder in {path.parent for path in paths}:
        sync_folder(folder)
