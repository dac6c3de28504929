"""Incognito: all feasible nodes of a lattice, from those of ever more columns.

References
----------
.. [1] K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Incognito: efficient full-domain
   k-anonymity", SIGMOD 2005.
"""

from itertools import combinations

import numpy as np

from coclust_synth.baselines.lattice.nodes.lattice import Lattice
from coclust_synth.baselines.lattice.nodes.problem import LatticeProblem, LatticeResult


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
