"""Searches of a lattice of generalisations, as they were published.

- Samarati's: the lowest height of a lattice at which a node is feasible.
- Datafly: generalise what has most values until few enough rows are too rare.
- Incognito: all feasible nodes of a lattice, from those of ever more columns.
- Flash: the optimal node of a lattice, by paths cut in half.

References
----------
.. [1] P. Samarati, "Protecting respondents' identities in microdata release", IEEE
   Transactions on Knowledge and Data Engineering 13(6), 2001.
.. [2] L. Sweeney, "Guaranteeing anonymity when sharing medical data, the Datafly
   system", AMIA 1997.
.. [3] L. Sweeney, "Achieving k-anonymity privacy protection using generalization and
   suppression", International Journal on Uncertainty, Fuzziness and Knowledge-based
   Systems 10(5), 2002.
.. [4] K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Incognito: efficient full-domain
   k-anonymity", SIGMOD 2005.
.. [5] F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper and K. A. Kuhn, "Flash: efficient,
   stable and optimal k-anonymity", PASSAT 2012.
"""

import math
from itertools import combinations

import numpy as np

from coclust_synth.baselines.lattice._kernels import UNKNOWN, climb, next_open
from coclust_synth.baselines.lattice.lattice import Lattice
from coclust_synth.baselines.lattice.problem import LatticeProblem, LatticeResult

_FAILS = 1  # neither it nor any node below is feasible
_PASSES = 2  # it and all nodes above have what only grows on the way up
_BLOCK = 2**16


def samarati(problem: LatticeProblem) -> LatticeResult:
    """The best of the feasible nodes whose sum of levels is least.

    What rows and different values ask can be met at a height wherever it can below,
    which bisection finds the end of. Other models can hold for a node and not for one
    above, where rows may be suppressed or persons have several: from there the heights
    are looked at one by one. The metric only chooses among the nodes of the height
    found, hence the bound is that of the original values.

    Parameters
    ----------
    problem : LatticeProblem
        Of `lattice.MAX_NODES` nodes, at most; its top must be feasible.

    Raises
    ------
    ParameterError
        If the lattice is larger.
    """
    lattice = problem.lattice
    lattice.check_size()
    looked_at = {}

    def look(height):
        """What the nodes of a height say, each looked at once."""
        if height not in looked_at:
            looked_at[height] = {
                node: problem.check(node) for node in lattice.of_height(height)
            }
        return looked_at[height]

    low, high = 0, sum(lattice.top)
    while low < high:
        height = (low + high) // 2
        if all(check.fails_below for check in look(height).values()):
            low = height + 1
        else:
            high = height
    while not (scores := _feasible(look(low))):
        low += 1
    node = min(scores, key=scores.get)
    checks = sum(map(len, looked_at.values()))
    return LatticeResult(node, scores[node], problem.least_bound(), checks)


def _feasible(checks):
    """Scores of the feasible nodes."""
    return {n: own.score for n, own in checks.items() if math.isfinite(own.score)}


def datafly(problem: LatticeProblem) -> LatticeResult:
    """The node that Datafly ends at; it looks at no metric.

    While the rows that must be suppressed are too many, the column with most different
    values goes one level up: of equals the first, of those below their root.

    Parameters
    ----------
    problem : LatticeProblem
        Its top must be feasible.
    """
    table = problem.table
    node = problem.lattice.bottom
    checks = 1
    while not np.isfinite(score := problem.check(node).score):
        leaves = table.leaf_codes(table.classes(node))
        n_values = [
            len(np.unique(own)) if level < height else 0
            for own, level, height in zip(
                leaves.T, node, problem.lattice.heights, strict=True
            )
        ]
        j = int(np.argmax(n_values))
        node = (*node[:j], node[j] + 1, *node[j + 1 :])
        checks += 1
    return LatticeResult(node, score, problem.least_bound(), checks)


def incognito(problem: LatticeProblem) -> LatticeResult:
    """The feasible node of the lowest score, of all feasible nodes.

    What is not feasible for the levels of some columns, others being at the root, is
    not feasible with more columns (the subset property). Hence columns are taken one
    by one, two by two and so on; each time only the combinations of levels are looked
    at, from low to high, of which all smaller ones passed and no node below did
    (the roll-up property).

    Parameters
    ----------
    problem : LatticeProblem
        Of `lattice.MAX_NODES` nodes, at most, were each hierarchy a level higher; its
        top must be feasible.

    Raises
    ------
    ParameterError
        If the lattice is larger.
    """
    # A column that is left out is like one more level: as many nodes in all subsets.
    Lattice(tuple(height + 1 for height in problem.lattice.heights)).check_size()
    return _Incognito(problem).search()


class _Incognito:
    def __init__(self, problem):
        self.problem = problem
        self.lattice = problem.lattice
        self.checked = {}

    def search(self):
        columns = range(len(self.lattice.heights))
        passing = {}
        for size in range(1, len(columns) + 1):
            passing = {
                own: self._passing(own, passing) for own in combinations(columns, size)
            }
        (nodes,) = passing.values()
        flat = np.flatnonzero(nodes)
        found = np.column_stack(np.unravel_index(flat, nodes.shape))
        bounds, ranks = self.problem.quality.bounds(found), found.sum(axis=1)
        best, best_node = (np.inf, 0), None
        for place in np.lexsort((ranks, bounds)):
            if (bounds[place], ranks[place]) >= best:
                break
            node = tuple(found[place].tolist())
            score = self._check(node).score
            if (score, ranks[place]) < best:
                best, best_node = (score, int(ranks[place])), node
        return LatticeResult(best_node, best[0], best[0], len(self.checked))

    def _passing(self, columns, smaller):
        """Whether each combination of levels of some columns passes, others at roots.

        An array with an axis for each of these columns.
        """
        shape = tuple(self.lattice.shape[j] for j in columns)
        candidates = np.ones(shape, dtype=bool)
        if len(columns) > 1:
            for axis, j in enumerate(columns):
                others = tuple(own for own in columns if own != j)
                candidates &= np.expand_dims(smaller[others], axis)
        passes = np.zeros(shape, dtype=bool)
        found = np.argwhere(candidates)
        for levels in found[np.argsort(found.sum(axis=1), kind="stable")].tolist():
            if not passes[tuple(levels)]:
                node = list(self.lattice.top)
                for j, level in zip(columns, levels, strict=True):
                    node[j] = level
                if not self._check(tuple(node)).fails_below:
                    passes[tuple(slice(level, None) for level in levels)] = True
        return passes

    def _check(self, node):
        if node not in self.checked:
            self.checked[node] = self.problem.check(node)
        return self.checked[node]


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
