"""Model files: one zip of a JSON header and arrays; never pickle.

The same content gives the same bytes. Arrays are ``.npy`` members, read with
``allow_pickle=False``.
"""

import io
import json
import zipfile
from pathlib import Path

import numpy as np

from coclust_synth._version import __version__
from coclust_synth.exceptions import ModelFileError
from coclust_synth.tables.outputs import check_writable, write_files

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


def read_archive(path, name, version):
    """Read a model file.

    Returns
    -------
    content : dict
    arrays : dict of str to ndarray

    Raises
    ------
    ModelFileError
        If there is no such file, or it is truncated, of another kind, or newer than
        `version`.
    """
    path = Path(path)
    where = f"Expected a {name} in {str(path)!r}."
    if not path.is_file():
        raise ModelFileError(f"{where} Received no such file. Check the path.")
    try:
        with zipfile.ZipFile(path) as file:
            header = json.loads(file.read(_HEADER))
            arrays = {
                member.removesuffix(".npy"): np.lib.format.read_array(
                    io.BytesIO(file.read(member)), allow_pickle=False
                )
                for member in file.namelist()
                if member.endswith(".npy")
            }
    except Exception:  # whatever a damaged file makes zipfile, json or numpy raise
        raise ModelFileError(
            f"{where} Received a file that is truncated, or of another program. "
            "Save the model again."
        ) from None
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
    return header, arrays
