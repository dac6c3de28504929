"""The one place for the options of the compiled kernels.

No ``fastmath``: equal inputs must give equal bytes, and ties are broken by index.
"""

from numba import njit

kernel = njit(cache=True, nogil=True)
