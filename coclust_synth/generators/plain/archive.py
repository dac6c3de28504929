"""Model files: one zip of a JSON header and arrays; never pickle.

The same content gives the same bytes. Arrays are ``.npy`` members, read with
``allow_pickle=False``.
"""

import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np

from coclust_synth._version import __version__
from coclust_synth.exceptions import CoclustSynthError, ModelFileError
from coclust_synth.tables.files import check_writable, max_size, too_large, write_files
from coclust_synth.tables.literals import parse_json

_HEADER = "model.json"
_DATE = (1980, 1, 1, 0, 0, 0)


def write_archive(path, name, version, content, arrays, *, force=False):
    """Write a model file, whole or not at all.

    Parameters
    ----------
    path : path
    name : str
        What kind of model it is.
    version : int
        Version of that kind's format.
    content : dict
        JSON compatible.
    arrays : dict of str to ndarray
        Of numbers.
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    OutputError
        If the file exists, or cannot be written.
    """
    check_writable(path, force)
    header = {
        "format": name,
        "format_version": version,
        "written_by": f"coclust_synth {__version__}",
        **content,
    }
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, indent=1)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        _write_member(file, _HEADER, text.encode("utf-8"))
        for key in sorted(arrays):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, arrays[key], allow_pickle=False)
            _write_member(file, f"{key}.npy", buffer.getvalue())
    write_files({path: archive.getvalue()})


def _write_member(file, name, data):
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    file.writestr(info, data)


def read_archive(path, name, version, members):
    """Read a model file.

    Parameters
    ----------
    path : path
    name : str
        What kind of model it should be.
    version : int
        Of that kind's format.
    members : iterable of str
        Names of the arrays that it can have. Whatever else is in the file is not read.

    Returns
    -------
    content : dict
    arrays : dict of str to ndarray
        Those of `members` that are there.

    Raises
    ------
    ModelFileError
        If there is no such file, it is truncated, of another kind or version, or holds
        more than `max_size`.
    """
    path = Path(path)
    where = f"Expected a {name} in {str(path)!r}."
    if not os.path.isfile(path):
        raise ModelFileError(f"{where} Received no such file. Check the path.")
    try:
        with zipfile.ZipFile(path) as file:
            arrays = {f"{key}.npy": key for key in members}
            there = [m for m in file.namelist() if m in arrays or m == _HEADER]
            _check_size(sum(file.getinfo(m).file_size for m in there), where)
            header = parse_json(_read_member(file, _HEADER))
            _check_header(header, name, version, where)
            return header, {
                arrays[m]: np.lib.format.read_array(
                    io.BytesIO(_read_member(file, m)), allow_pickle=False
                )
                for m in there
                if m != _HEADER
            }
    except CoclustSynthError:
        raise
    except Exception:  # whatever a damaged file makes zipfile, json or numpy raise
        raise ModelFileError(
            f"{where} Received a file that is truncated, or of another program. "
            "Save the model again."
        ) from None


def _check_size(size, where):
    if size > max_size():
        raise ModelFileError(
            f"{where} Received {too_large().strerror}. Check the path."
        )


def _read_member(file, name):
    """A member, and not more of it than the size that it announces."""
    info = file.getinfo(name)
    if info.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        raise zipfile.BadZipFile(name)  # others are decompressed before they are cut
    with file.open(info) as member:
        return member.read(info.file_size)


def _check_header(header, name, version, where):
    if not isinstance(header, dict) or header.get("format") != name:
        raise ModelFileError(
            f"{where} Received a file of another kind. Check the path."
        )
    if header.get("format_version") != version:
        raise ModelFileError(
            f"{where} Received format version {header.get('format_version')}, written "
            f"by {header.get('written_by')}; this is coclust_synth {__version__}, "
            f"which reads version {version}. Install the coclust_synth that wrote it, "
            "or fit again."
        )
