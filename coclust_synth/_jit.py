"""The one place for the options of the compiled kernels, and for where they are kept.

No ``fastmath``: equal inputs must give equal bytes, and ties are broken by index.

Machine code is kept in the user's cache folder, not beside the sources: compiled files
that pip did not install stay behind when the package goes, and the folder they are in
shadows an editable installation. One folder holds the code of one state of all kernels
together, since a kernel's code contains that of the kernels it calls in other files;
all environments share it, and a new one need not compile what another has.
"""

import hashlib
import os
from functools import cache
from pathlib import Path

import numba
import platformdirs
from numba.core.caching import UserProvidedCacheLocator

_PACKAGE = Path(__file__).parent


class KernelLocator(UserProvidedCacheLocator):
    """Where the code of a kernel is kept: by its place in the package.

    Numba names folders by the path of the sources, and its earlier versions ask when
    these were written, so that each environment would compile its own.
    """

    def get_source_stamp(self):
        """What the code was compiled from."""
        return _digest_of(self._py_file)

    @classmethod
    def get_suitable_cache_subpath(cls, py_file):
        """Name of the folder for the kernels of a file."""
        place = os.path.relpath(os.path.dirname(py_file), _PACKAGE)
        return place.replace(os.sep, ".")


def kernel(function, *, forceinline=False):
    """Compile a kernel; keep the machine code on disk where that is possible."""
    config = numba.config
    asked = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
    folder = _cache_folder(asked[0] or platformdirs.user_cache_dir("coclust_synth"))
    if not folder:
        return numba.njit(nogil=True, forceinline=forceinline)(function)
    # Numba decides where the code goes while it decorates, and has no argument for it.
    config.CACHE_DIR = folder
    config.CACHE_LOCATOR_CLASSES = f"{__name__}.{KernelLocator.__name__}"
    try:
        return numba.njit(cache=True, nogil=True, forceinline=forceinline)(function)
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = asked


def inlined_kernel(function):
    """A kernel that is compiled into those that call it.

    For the steps of an innermost loop, where a call is as dear as what it does.
    """
    return kernel(function, forceinline=True)


@cache
def _digest_of(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@cache
def _cache_folder(parent):
    """Folder for the code of these kernels, or an empty text if none can be written.

    Of these sources and this compiler: environments that differ in one of them would
    overwrite each other's code.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(_PACKAGE.rglob("*kernels.py")):
        digest.update(source.read_bytes())
    folder = Path(parent, digest.hexdigest()[:16])
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    return str(folder) if os.access(folder, os.W_OK) else ""
