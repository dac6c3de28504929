"""Nodes looked at by a search, what they tell of others, and when it has to stop."""

import time

import numpy as np

from coclust_synth.baselines.lattice._kernels import WORD, add_node, any_above
from coclust_synth.baselines.lattice.problem import LatticeProblem


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


class BudgetSpent(Exception):
    """No more nodes may be looked at."""


class LazyClasses:
    """The classes of a node, which are formed when they are asked for.

    Parameters
    ----------
    table : LatticeTable
    node : tuple of int
    below : LazyClasses, optional
        Those of a node below, to merge from; by default the nearest that are kept.
    classes : NodeClasses, optional
        By default they are not formed yet.
    """

    def __init__(self, table, node, below=None, classes=None):
        self._table, self.node, self._below = table, node, below
        self.classes = classes

    def formed(self):
        """The classes."""
        if self.classes is None and self._below is None:
            self.classes = self._table.classes(self.node)
        elif self.classes is None:
            below = self._below.formed()
            self.classes, _ = self._table.rolled_up(below, self.node)
        return self.classes


class LatticeChecks:
    """Looks at nodes while the budget lasts, and keeps the best.

    The top is looked at first, whatever the budget: it is feasible.

    Parameters
    ----------
    problem : LatticeProblem
    max_checks : int
    time_limit : float or None
        Seconds.

    Attributes
    ----------
    best : tuple of (float, int)
        The score of the best node, and the sum of its levels: what nodes are compared
        by.
    node : tuple of int
    n : int
        Nodes looked at.
    """

    def __init__(self, problem: LatticeProblem, max_checks, time_limit=None):
        self.problem = problem
        self.n, self._max = 0, max_checks
        self._end = np.inf
        heights = problem.lattice.heights
        self._failing, self._passing = NodesBelow(heights), NodesAbove(heights)
        self.best = np.inf, 0
        self.node = None
        self.evaluate(problem.lattice.top)
        if time_limit is not None:
            self._end = time.monotonic() + time_limit

    def bound(self, node):
        """What no feasible node above a node is better than, from its levels alone."""
        return float(self.problem.quality.bounds(np.array([node]))[0]), sum(node)

    def is_known_to_fail(self, node):
        """Whether a node that was evaluated tells that this one does not pass."""
        return node in self._failing

    def passes(self, node, below=None):
        """Whether a node passes, as nodes tell that were evaluated, or it itself.

        Parameters
        ----------
        node : tuple of int
        below : LazyClasses, optional
            Those of a node below, to merge from; by default the nearest that are kept.

        Returns
        -------
        classes : LazyClasses
        passes : bool
        """
        lazy = LazyClasses(self.problem.table, node, below)
        if node in self._failing:
            return lazy, False
        if node in self._passing:
            return lazy, True
        lazy.classes, passes = self.evaluate(node, below and below.formed())
        return lazy, passes

    def evaluate(self, node, source=None):
        """Form the classes of a node, and see whether it can be the best.

        Parameters
        ----------
        node : tuple of int
        source : NodeClasses, optional
            Those of a node below, to merge from; by default the nearest that are kept,
            and these are kept as well.

        Returns
        -------
        classes : NodeClasses
        passes : bool
            False if neither it nor any node below is feasible; see `Verdict`.

        Raises
        ------
        BudgetSpent
            Before the node is evaluated.
        """
        if self.n >= self._max or time.monotonic() >= self._end:
            raise BudgetSpent
        self.n += 1
        table, quality = self.problem.table, self.problem.quality
        if source is None:
            classes = table.classes(node)
        else:
            classes, _ = table.rolled_up(source, node)
        verdict = self.problem.feasibility.judge(classes)
        if verdict.is_feasible and self.bound(node) < self.best:
            found = quality.score(classes, verdict.failing), sum(node)
            if found < self.best:
                self.best, self.node = found, node
        (self._failing if verdict.fails_below else self._passing).add(node)
        return classes, not verdict.fails_below
