r"""t-closeness: the distribution of a sensitive column in a class is that of the table.

With p the shares of the m values in a class, q those in the table, the earth mover's
distance between them is, by ground distance of two values i and j::

    equal         1                        1/2 sum_i |p_i - q_i|
    ordered       |i - j| / (m - 1)        1/(m-1) sum_i |sum_{j<=i} (p_j - q_j)|
    hierarchical  level(i, j) / H          1/H sum_{h<H} 1/2 sum_N |p_N - q_N|

where level(i, j) is the level of the lowest node of a hierarchy of height H above both,
and N runs over the nodes of level h. The last is Li et al.'s cost of moving mass up to
a common node and down again: each edge of the tree is crossed by |p_N - q_N| and is
1/2H long. All three are in [0, 1], and convex in p: merging classes never raises the
largest. Where persons can have several rows, p and q are shares of the different pairs
of a person and a value, in the class and in the table: a person counts once for each
value that they hold, and classes that share persons can be farther from the table
together than each is. All persons of a class can hold one value then, beside others,
however small t is; l-diversity and `AlphaK` forbid it.

References
----------
.. [1] N. Li, T. Li and S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity
   and l-diversity", ICDE 2007, section 4.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.models.base import (
    Counts,
    PrivacyModel,
    as_counts,
    entry_rows,
    sum_rows,
)
from coclust_synth.validation import check_choice, check_number

DISTANCES = ("equal", "ordered", "hierarchical")

# A distance that is t exactly may come out above: sums round.
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class TCloseness(PrivacyModel):
    """Sensitive values distributed in every class nearly as in the whole table.

    It does not protect from a difference of less than t between a class and the table,
    nor from what the distribution in the whole table says about everybody.

    Parameters
    ----------
    t : float in [0, 1]
        Largest distance, up to 1e-9.
    distance : {"equal", "ordered", "hierarchical"}, default="equal"
        Distance of two values; for "ordered" the columns of the counts must be in
        order.
    nodes : array-like of shape (H + 1, n_values), int, optional
        For "hierarchical": the node of each value at each level, from level 0, where
        each value has a node of its own, to the root. It is kept as a tuple of tuples.

    Examples
    --------
    >>> TCloseness(0.2).values([[3, 1], [4, 0]], [7, 1]).round(2).tolist()
    [0.12, 0.12]
    """

    t: float
    distance: str = "equal"
    nodes: tuple[tuple[int, ...], ...] | None = None
    more_is_better: ClassVar[bool] = False
    counts_once: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_number("t", self.t, minimum=0, maximum=1)
        check_choice("distance", self.distance, DISTANCES)
        if (self.distance == "hierarchical") != (self.nodes is not None):
            raise ParameterError(
                "Expected the nodes of a hierarchy for the hierarchical distance, and "
                f"for no other. Received distance {self.distance!r} "
                f"{'without' if self.nodes is None else 'with'} nodes. Give both, or "
                "another distance."
            )
        if self.nodes is not None:
            nodes = _check_nodes(np.asarray(self.nodes))
            object.__setattr__(self, "nodes", tuple(map(tuple, nodes.tolist())))

    def __str__(self) -> str:
        return f"{self.t:g}-closeness ({self.distance})"

    @property
    def measure(self) -> str:  # type: ignore[override]
        """What is measured."""
        return f"t ({self.distance})"

    @property
    def needs_order(self) -> bool:  # type: ignore[override]
        """Whether the values of the column have to be in an order."""
        return self.distance == "ordered"

    def values(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.float64]:
        """Distance from the table of each class, in [0, 1]."""
        matrix, total = as_counts(counts), np.asarray(total_counts)
        if self.distance == "equal":
            distances = _equal(matrix, total)
        elif self.distance == "ordered":
            distances = _ordered(matrix, total)
        else:
            distances = _hierarchical(matrix, total, np.array(self.nodes))
        return np.clip(distances, 0, 1)

    def within(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        return values <= self.t + _TOLERANCE


def _equal(matrix: sparse.csr_array, total: np.ndarray) -> np.ndarray:
    # p - q sums to 0, so that half the sum of |p - q| is the sum of what is above 0:
    # only values that the class holds.
    shares = matrix.data / matrix.sum(axis=1)[entry_rows(matrix)]
    excess = shares - (total / total.sum())[matrix.indices]
    return sum_rows(matrix, np.maximum(excess, 0))


def _ordered(matrix: sparse.csr_array, total: np.ndarray) -> np.ndarray:
    """Sum of |P - Q| over all values, P and Q the cumulated shares.

    Between two values that a class holds, P is a constant c. Q increases: it is below c
    up to a value `cross`, found by bisection, and above after; sums of Q are
    differences of `area`.
    """
    n_values = len(total)
    if n_values == 1:
        return np.zeros(matrix.shape[0])
    below = np.cumsum(total) / total.sum()
    area = np.concatenate([[0.0], np.cumsum(below)])

    start, last = matrix.indptr[:-1], matrix.indptr[1:] - 1
    cumulated = np.cumsum(matrix.data)
    before = cumulated[start] - matrix.data[start]
    rows = entry_rows(matrix)
    c = (cumulated - before[rows]) / matrix.sum(axis=1)[rows]
    lo = matrix.indices.astype(np.int64)
    hi = np.append(lo[1:], n_values)
    hi[last] = n_values
    cross = np.clip(np.searchsorted(below, c), lo, hi)
    under = c * (cross - lo) - (area[cross] - area[lo])
    over = area[hi] - area[cross] - c * (hi - cross)
    return (area[lo[start]] + sum_rows(matrix, under + over)) / (n_values - 1)


def _hierarchical(
    matrix: sparse.csr_array, total: np.ndarray, nodes: np.ndarray
) -> np.ndarray:
    if nodes.shape[1] != len(total):
        raise ParameterError(
            f"Expected a node for each of the {len(total)} sensitive values. Received "
            f"{nodes.shape[1]}. Give the hierarchy of this column."
        )
    distances = np.zeros(matrix.shape[0])
    rows = entry_rows(matrix)
    for level in nodes[:-1]:
        _, node_of = np.unique(level, return_inverse=True)
        shape = (matrix.shape[0], node_of.max() + 1)
        entries = (matrix.data, (rows, node_of[matrix.indices]))
        merged = sparse.coo_array(entries, shape=shape).tocsr()
        distances += _equal(merged, np.bincount(node_of, weights=total))
    return distances / (len(nodes) - 1)


def _check_nodes(nodes: np.ndarray) -> np.ndarray:
    """Refuse what is no hierarchy: values apart, then coarser levels, then one root."""
    expected = (
        "Expected the nodes of a hierarchy: integers of shape (levels, values), each "
        "value alone at level 0, all in one node at the last."
    )
    if nodes.ndim != 2 or nodes.dtype.kind not in "iu" or 0 in nodes.shape:
        raise ParameterError(
            f"{expected} Received {nodes.dtype} of shape {nodes.shape}. "
            "Give one row a level."
        )
    sizes = [len(np.unique(level)) for level in nodes]
    if len(nodes) < 2 or sizes[0] < nodes.shape[1] or sizes[-1] > 1:
        raise ParameterError(
            f"{expected} Received {nodes.shape[1]} values in {sizes} nodes. "
            "Add the level of the values, or the root."
        )
    for h, (fine, coarse) in enumerate(pairwise(nodes)):
        if len(np.unique(np.stack([fine, coarse]), axis=1).T) > sizes[h]:
            raise ParameterError(
                f"{expected} Received a node of level {h} that is split at level "
                f"{h + 1}. Give levels that only merge nodes."
            )
    return nodes
