"""Which levels of a derived hierarchy are kept, where there are too many to use."""

from collections.abc import Sequence

import numpy as np


def kept_levels(
    n_nodes: Sequence[int], costs: Sequence[float], max_levels: int
) -> list[int]:
    """Levels that tell most, spread from single values to the root.

    Between the values and the root, numbers of nodes are parted into as many ranges of
    one ratio as levels are wanted. Of each range that level is kept whose merging costs
    most, which is where a dendrogram is cut; places that are left go to the costliest
    of the others.

    Parameters
    ----------
    n_nodes : sequence of int
        Nodes of each level, decreasing; the last is the root.
    costs : sequence of float
        Cost of the grid where each level begins, increasing (nats).
    max_levels : int
        From 2: the values and the root.

    Returns
    -------
    list of int
        Increasing; the first and the last level are among them.

    Examples
    --------
    >>> kept_levels([9, 8, 7, 4, 3, 1], [0, 0, 1, 2, 9, 11], 4)
    [0, 3, 4, 5]
    """
    last = len(n_nodes) - 1
    if last < max_levels:
        return list(range(last + 1))
    n_wanted = max_levels - 2
    losses = np.diff(costs)
    inner = sorted(range(1, last), key=lambda level: (-losses[level], level))
    shares = np.log(n_nodes) / np.log(n_nodes[0])
    ranges: set = set()
    kept: list[int] = []
    for level in inner:
        of = min(int(shares[level] * n_wanted), n_wanted - 1)
        if of not in ranges and len(kept) < n_wanted:
            ranges.add(of)
            kept.append(level)
    kept += [level for level in inner if level not in kept][: n_wanted - len(kept)]
    return sorted([0, *kept, last])
