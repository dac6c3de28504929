"""How far along greedy merges to go."""

import numpy as np


def lowest_along(merges, changes, shape):
    """The first of some merges, up to the lowest cost on their way.

    Parameters
    ----------
    merges : sequence of (axis, kept, absorbed)
    changes : sequence of float
        Change of cost of each (nats).
    shape : sequence of int
        Numbers of parts before them.

    Returns
    -------
    change : float
        Of the cost (nats, at most 0).
    targets : list of ndarray of int64, shape (J_k,)
        Number of the part that each part is in then.
    """
    along = np.cumsum(changes)
    targets = [np.arange(n_parts) for n_parts in shape]
    if len(along) == 0 or along.min() >= 0.0:
        return 0.0, targets
    lowest = int(along.argmin())
    for axis, kept, absorbed in merges[: lowest + 1]:
        target = targets[axis]
        target[target == absorbed] = kept
    return float(along[lowest]), targets
