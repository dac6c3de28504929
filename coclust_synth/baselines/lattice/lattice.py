"""The lattice of a table's generalisations: a level of each column's hierarchy."""

import math
from dataclasses import dataclass

import numpy as np

from coclust_synth.exceptions import ParameterError

MAX_NODES = 2**20  # of a search that has an entry for each node


@dataclass(frozen=True)
class Lattice:
    """All nodes, from original values to the root of every hierarchy.

    A node is a tuple of levels, 0 for original values. It precedes every node whose
    levels are all as high or higher: classes of rows only merge on the way up.

    Parameters
    ----------
    heights : tuple of int
        Highest level of each column.

    Examples
    --------
    >>> lattice = Lattice((1, 2))
    >>> lattice.n_nodes, lattice.top
    (6, (1, 2))
    """

    heights: tuple[int, ...]

    @property
    def shape(self):
        """Levels of each column."""
        return tuple(height + 1 for height in self.heights)

    @property
    def n_nodes(self):
        """Number of nodes, a Python int: it can be huge."""
        return math.prod(self.shape)

    @property
    def bottom(self):
        """The node of original values."""
        return (0,) * len(self.heights)

    @property
    def top(self):
        """The node of all roots."""
        return self.heights

    def check_size(self):
        """Refuse a lattice too large to have an entry for each node.

        Raises
        ------
        ParameterError
            If it has more than `MAX_NODES`.
        """
        if self.n_nodes > MAX_NODES:
            raise ParameterError(
                f"Expected a lattice of at most {MAX_NODES:,} nodes. Received "
                f"{self.n_nodes:,}, the product of the levels of the hierarchies. "
                "Search it by branch and bound, name fewer quasi-identifiers, or take "
                "levels out of hierarchies."
            )

    def of_height(self, height):
        """The nodes whose levels add up to a height.

        Yields
        ------
        tuple of int
        """
        *below, last = self.heights
        if not below:
            if 0 <= height <= last:
                yield (height,)
            return
        for level in range(min(height, last) + 1):
            for node in Lattice(tuple(below)).of_height(height - level):
                yield (*node, level)

    def above(self, node):
        """Index of the node and all that it precedes, in an array of `shape`."""
        return tuple(slice(level, None) for level in node)

    def below(self, node):
        """Index of the node and all that precede it, in an array of `shape`."""
        return tuple(slice(None, level + 1) for level in node)

    def nodes(self, start=0, stop=None):
        """Nodes in the order of a flattened array of `shape`.

        Parameters
        ----------
        start, stop : int
            The first, and the one after the last; by default all.

        Returns
        -------
        ndarray of int64, shape (stop - start, d)
        """
        flat = np.arange(start, self.n_nodes if stop is None else stop)
        return np.column_stack(np.unravel_index(flat, self.shape))
