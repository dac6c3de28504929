"""The one place for the options of the compiled kernels, and for where they are kept.

No ``fastmath``: equal inputs must give equal bytes, and ties are broken by index.

Machine code is kept in the user's cache folder, not beside the sources: compiled files
that pip did not install stay behind when the package goes, and the folder they are in
shadows an editable installation. One folder holds the code of one state of all kernels
together, since a kernel's code contains that of the kernels it calls in other files.
"""

import hashlib
import os
from functools import cache
from pathlib import Path

import numba
import platformdirs

_PACKAGE = Path(__file__).parent


def kernel(function, *, forceinline=False):
    """Compile a kernel; keep the machine code on disk where that is possible."""
    asked = numba.config.CACHE_DIR
    folder = asked or _cache_folder()
    if not folder:
        return numba.njit(nogil=True, forceinline=forceinline)(function)
    # Numba decides where the code goes while it decorates, and has no argument for it.
    numba.config.CACHE_DIR = folder
    try:
        return numba.njit(cache=True, nogil=True, forceinline=forceinline)(function)
    finally:
        numba.config.CACHE_DIR = asked


def inlined_kernel(function):
    """A kernel that is compiled into those that call it.

    For the steps of an innermost loop, where a call is as dear as what it does.
    """
    return kernel(function, forceinline=True)


@cache
def _cache_folder():
    """Folder for the code of these kernels, or an empty text if none can be written."""
    digest = hashlib.sha256()
    for source in sorted(_PACKAGE.rglob("*kernels.py")):
        digest.update(source.read_bytes())
    folder = Path(platformdirs.user_cache_dir("coclust_synth"), digest.hexdigest()[:16])
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    return str(folder) if os.access(folder, os.W_OK) else ""
