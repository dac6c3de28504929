"""What checks of some nodes tell of others: all nodes below, or above, one of them."""

import numpy as np

from coclust_synth.baselines.lattice.nodes._kernels import WORD, add_node, any_above


class NodesBelow:
    """All nodes below one of those that were added, or one of these.

    Parameters
    ----------
    heights : tuple of int
        Highest level of each column.

    Examples
    --------
    >>> failing = NodesBelow((2, 2))
    >>> failing.add((1, 2))
    >>> (0, 2) in failing, (2, 0) in failing
    (True, False)
    """

    def __init__(self, heights):
        self._places = np.cumsum([0, *(height + 1 for height in heights[:-1])])
        self._bits = np.zeros((sum(heights) + len(heights), 1), dtype=np.uint64)
        self._n = 0

    def add(self, node):
        """Add a node, and with it all nodes below."""
        if self._n == WORD * self._bits.shape[1]:
            self._bits = np.hstack([self._bits, np.zeros_like(self._bits)])
        add_node(self._bits, self._places, np.array(node), self._n)
        self._n += 1

    def __contains__(self, node):
        n_words = -(-self._n // WORD)
        return any_above(self._bits, self._places + node, n_words)


class NodesAbove:
    """All nodes above one of those that were added, or one of these.

    Parameters
    ----------
    heights : tuple of int
    """

    def __init__(self, heights):
        self._heights = np.array(heights)
        self._mirrored = NodesBelow(heights)

    def add(self, node):
        """Add a node, and with it all nodes above."""
        self._mirrored.add(self._heights - node)

    def __contains__(self, node):
        return self._heights - node in self._mirrored
