"""Flash: the optimal node of a generalisation lattice, by paths cut in half.

References
----------
.. [1] F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper and K. A. Kuhn, "Flash: efficient,
   stable and optimal k-anonymity", PASSAT 2012.
"""

import numpy as np

from coclust_synth.baselines.lattice.nodes._kernels import UNKNOWN, climb, next_open
from coclust_synth.baselines.lattice.nodes.problem import LatticeProblem, LatticeResult

_FAILS = 1  # neither it nor any node below is feasible
_PASSES = 2  # it and all nodes above have what only grows on the way up
_BLOCK = 2**16


def flash(problem: LatticeProblem) -> LatticeResult:
    """The feasible node of the lowest score; it is proven that there is none lower.

    From each node that nothing is known of, by rising sum of levels, a path of such
    nodes leads up; it is searched by bisection for the first node that passes. What
    fails tells of all nodes below, what passes of all nodes above (predictive tagging).
    Nodes whose bound is no better than the best score are left out. Then those that
    pass are checked, by rising bound, while the bound is better: their score is not
    known where rows are suppressed.

    Parameters
    ----------
    problem : LatticeProblem
        Of `lattice.MAX_NODES` nodes, at most; its top must be feasible.

    Raises
    ------
    ParameterError
        If the lattice is too large to have an entry for each node.
    """
    return _Flash(problem).search()


class _Flash:
    def __init__(self, problem):
        lattice = self.lattice = problem.lattice
        lattice.check_size()
        self.problem = problem
        n = lattice.n_nodes
        self.shape = np.array(lattice.shape)
        self.strides = np.cumprod([1, *self.shape[:0:-1]])[::-1].copy()
        self.tags = np.full(n, UNKNOWN, dtype=np.int8)
        self.checked = np.zeros(n, dtype=bool)
        self.lower = np.empty(n)
        self.rank = np.empty(n, dtype=np.int64)
        for start in range(0, n, _BLOCK):
            nodes = lattice.nodes(start, min(n, start + _BLOCK))
            block = slice(start, start + len(nodes))
            self.lower[block] = problem.quality.bounds(nodes)
            self.rank[block] = nodes.sum(axis=1)
        self.guide = self.lower.copy()
        self.best = np.array([np.inf, np.inf])
        self.best_node = None
        self.checks = 0

    def search(self):
        order = np.lexsort((self.guide, self.rank))
        place = 0
        known = self.tags, self.lower, self.rank, self.best
        while (place := next_open(order, place, *known)) < len(order):
            self._bisect(
                climb(order[place], self.strides, self.shape, self.tags, self.guide)
            )
        left = np.flatnonzero((self.tags == _PASSES) & ~self.checked)
        for node in left[np.lexsort((self.rank[left], self.lower[left]))]:
            if (self.lower[node], self.rank[node]) < tuple(self.best):
                self._check(node)
        score = float(self.best[0])
        return LatticeResult(self.best_node, score, score, self.checks)

    def _bisect(self, path):
        """Check the middle of a path, then that of the half where passing begins."""
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if self._check(path[middle]):
                high = middle - 1
            else:
                low = middle + 1

    def _check(self, flat):
        """Check a node and tag those that it tells of; whether it passes."""
        node = tuple(((flat // self.strides) % self.shape).tolist())
        check = self.problem.check(node)
        self.checks += 1
        self.checked[flat] = True
        above = self.lattice.above(node)
        tags = self.tags.reshape(self.lattice.shape)
        if check.fails_below:
            tags[self.lattice.below(node)] = _FAILS
        else:
            tags[above] = _PASSES
        if check.bound > self.lower[flat]:
            lower = self.lower.reshape(self.lattice.shape)
            np.maximum(lower[above], check.bound, out=lower[above])
        if (check.score, self.rank[flat]) < tuple(self.best):
            self.best[:] = check.score, self.rank[flat]
            self.best_node = node
        return not check.fails_below
