"""Compiled kernel of drawn values: rows of an atom change what they may not have."""

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.generators.plain.trees._tree_kernels import (
    GOLDEN,
    MAX_EXCHANGES,
)


@kernel
def exchanged(number, atom, order, lowest, highest):
    """The row whose number each row gets, (n,) int64: its own, or one of its atom.

    A row whose number is not within its limits changes with one of its atom where both
    may have the other's. `order` has the rows of each atom side by side; those of an
    atom below 0 keep theirs.
    """
    n = len(number)
    like = np.arange(n)
    start = 0
    while start < n:
        size = 1
        while start + size < n and atom[order[start + size]] == atom[order[start]]:
            size += 1
        for place in range(size if atom[order[start]] >= 0 else 0):
            i = order[start + place]
            own = number[like[i]]
            if lowest[i] <= own <= highest[i]:
                continue
            for t in range(1, min(size, MAX_EXCHANGES) + 1):
                j = order[start + (place + int(t * GOLDEN * size)) % size]
                other = number[like[j]]
                if lowest[i] <= other <= highest[i] and lowest[j] <= own <= highest[j]:
                    like[i], like[j] = like[j], like[i]
                    break
        start += size
    return like
