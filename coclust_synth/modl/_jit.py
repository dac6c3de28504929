"""The one place for the options of the compiled kernels.

No ``fastmath``: equal inputs must give equal bytes, and ties are broken by index.
"""

from numba import njit


def kernel(function):
    """Compile a kernel; keep the machine code on disk where that is possible."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        # Neither the package's folder nor the user's cache folder can be written.
        return njit(nogil=True)(function)
