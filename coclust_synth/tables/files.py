"""Output files and folders of them, written whole or not at all; inputs up to a size.

What is written is readable by nobody else meanwhile.

A process that is killed can leave temporary files, named ``.coclust_synth-*.tmp``,
beside its output. What it was writing is readable by its owner only. They are never
removed by a later run, which cannot tell them from those of one that still writes.

Compressed inputs can hold a thousand times what they weigh. At most 2 GiB are read of
what was compressed; the environment variable ``COCLUST_SYNTH_MAX_GIB`` sets another
limit.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from coclust_synth.exceptions import (
    CoclustSynthError,
    OutputError,
    ParameterError,
    SchemaError,
)

_OWNER_ONLY, _OWNERS_FOLDER = 0o600, 0o700


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


def read_declared(
    path: str | os.PathLike,
    what: str,
    error: type[CoclustSynthError] = SchemaError,
    *,
    newline: str | None = None,
) -> str:
    """The text of such a file, in UTF-8, with a byte order mark or without.

    Parameters
    ----------
    path : path
    what : str
        What is declared, with its article: ``"a schema"``.
    error : type, default=SchemaError
        Raised where the file cannot be read, or is no text in UTF-8.
    newline : str, optional
        That of `open`: ``""`` leaves carriage returns, which a quoted field may hold.
    """
    try:
        with open(path, encoding="utf-8-sig", newline=newline) as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as failure:
        raise error(
            f"Expected {what} in the file {str(path)!r}. Received: "
            f"{getattr(failure, 'strerror', None) or failure}. Check the path."
        ) from None


VARIABLE = "COCLUST_SYNTH_MAX_GIB"

_DEFAULT_GIB = 2
_BLOCK = 2**20


def max_size() -> int:
    """Bytes that a compressed file may hold.

    Raises
    ------
    ParameterError
        If the environment variable is not a positive number.
    """
    text = os.environ.get(VARIABLE, str(_DEFAULT_GIB))
    try:
        size = int(float(text) * 2**30)
    except (ValueError, OverflowError):
        size = 0
    if size < 1:
        raise ParameterError(
            f"Expected {VARIABLE} to be a number of gibibytes above 0. Received "
            f"{text!r}. Give for instance 8, or leave it unset."
        )
    return size


def read_gzip(path: str | os.PathLike) -> bytes:
    """The content of a file that gzip compressed.

    Raises
    ------
    OSError, EOFError, zlib.error
        If it cannot be read, is no such file, or holds more than `max_size`; it is
        then not read on.
    """
    left, blocks = max_size(), []
    with gzip.open(path) as file:
        while block := file.read(_BLOCK):
            left -= len(block)
            if left < 0:
                raise too_large()
            blocks.append(block)
    return b"".join(blocks)


def too_large() -> OSError:
    """The error of a file that holds more than `max_size`."""
    return OSError(
        errno.EFBIG,
        f"more than {max_size() / 2**30:.3g} GiB once decompressed, a limit that the "
        f"environment variable {VARIABLE} raises",
    )


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
        temporary.mkdir(mode=_OWNERS_FOLDER)
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
        if isinstance(error, OutputError):
            error.args = (str(error).replace(str(temporary), str(path)),)
        elif isinstance(error, OSError):
            raise OutputError(not_written(error, path)) from error
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
