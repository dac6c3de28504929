r"""How much of what a column tells of the others is left on each level of a hierarchy.

What a column tells is the mutual information of its nodes with the parts of each other
column, summed over these; over N rows, and less what so many nodes and parts would have
by chance (Miller and Madow's correction [1]_)::

    I = sum n_ij / N log(n_ij N / (n_i n_j)) - (nodes - 1) (parts - 1) / (2 N)

The share of a level is its information over the largest of any level, and 0 if that is
none. Two hierarchies of a column are compared by the area under their information over
the logarithm of the number of nodes: what is left on the way from values to the root.

References
----------
.. [1] G. A. Miller, "Note on the bias of information estimates", in Information Theory
   in Psychology, 1955.
"""

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy


def level_information(
    hierarchy: GeneralizationHierarchy,
    leaf_codes: NDArray[np.integer],
    others: NDArray[np.integer],
) -> NDArray[np.float64]:
    """What the nodes of each level tell of other columns.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    leaf_codes : ndarray of int, shape (n,)
        Leaf of each row.
    others : ndarray of int, shape (n, d)
        Part of each row in each other column, from -1.

    Returns
    -------
    ndarray of float64, shape (height + 1,)
        In nats, not below 0.

    Examples
    --------
    >>> lines = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")]
    >>> pet = GeneralizationHierarchy.from_lines("pet", lines)
    >>> codes = np.repeat([0, 1, 2], 200)
    >>> level_information(pet, codes, (codes == 2)[:, np.newaxis]).round(2).tolist()
    [0.64, 0.64, 0.0]
    """
    levels = [hierarchy.node_of(level) for level in range(hierarchy.height + 1)]
    found = np.zeros(len(levels))
    for parts in others.T:
        own = np.unique(parts, return_inverse=True)[1]
        shape = (hierarchy.n_leaves, int(own.max()) + 1)
        counts = np.zeros(shape)
        np.add.at(counts, (leaf_codes, own), 1)
        for level, nodes in enumerate(levels):
            of_nodes = np.zeros((int(nodes.max()) + 1, shape[1]))
            np.add.at(of_nodes, nodes, counts)
            found[level] += _information(of_nodes[of_nodes.any(axis=1)])
    # No level knows less than a coarser one: what is left of chance is not told.
    return np.maximum.accumulate(np.maximum(found, 0)[::-1])[::-1]


def area_under(
    hierarchy: GeneralizationHierarchy, information: NDArray[np.float64]
) -> float:
    """Information over the logarithm of the number of nodes, from the root on.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
        Of two leaves or more.
    information : ndarray of float64, shape (height + 1,)
    """
    sizes = np.log([len(labels) for labels in hierarchy.labels])[::-1]
    return float(np.trapezoid(information[::-1], sizes / sizes[-1]))


def _information(counts):
    n = counts.sum()
    rows, columns = counts.sum(axis=1, keepdims=True), counts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = counts / n * np.log(counts * n / (rows * columns))
    found = np.nansum(terms)
    bias = (len(counts) - 1) * (len(columns) - 1) / (2 * n)
    return float(found - bias)
