"""Margins of any variables of a calibrated junction tree, by its separators.

Given a clique, what hangs on one side of it is independent of what hangs on another:
the margin of some targets is a sum over the cells of a clique between them, of its
belief times the distribution of each target given the separator towards it.
"""

import numpy as np
from scipy.sparse import coo_array

from coclust_synth.generators.log_linear.junction_tree import sum_over


class TreeMargins:
    """Margins of a junction tree, for many sets of variables.

    Parameters
    ----------
    tree : JunctionTree
    beliefs : list of ndarray of float64
        Of each clique, calibrated.
    """

    def __init__(self, tree, beliefs):
        self._tree, self._beliefs = tree, beliefs
        self._neighbours = [[] for _ in tree.cliques]
        for i, parent in enumerate(tree.parents):
            if parent >= 0:
                self._neighbours[i].append(parent)
                self._neighbours[parent].append(i)
        self._directions, self._given = {}, {}

    def margin(self, targets):
        """Joint distribution of some targets.

        Parameters
        ----------
        targets : sequence of tuple of int
            At most three: of these there is a clique that each other one hangs on
            another side of. Increasing variables each, that a clique holds together; no
            variable is of two targets.

        Returns
        -------
        ndarray of float64
            An axis for each target, of its cells in C order.
        """
        towards = np.array([self._towards(target) for target in targets])
        i = _between(towards)
        clique = self._tree.cliques[i]
        inside = [t for t, to in zip(targets, towards[:, i], strict=True) if to == i]
        outside = [
            (t, to) for t, to in zip(targets, towards[:, i], strict=True) if to != i
        ]
        kept = {v for target in inside for v in target}
        kept.update(v for _, to in outside for v in self._separator(to, i))
        kept = sorted(kept)
        others = [k for k, v in enumerate(clique) if v not in kept]
        operands = [sum_over(self._beliefs[i], others), kept]
        first = len(self._tree.sizes)  # numbers above are of targets
        for k, (target, to) in enumerate(outside):
            given = self._conditional(target, to, i)
            shared = self._separator(to, i)
            operands += [given.reshape(-1, *self._tree.shape(shared))]
            operands += [[first + k, *shared]]
        places = {target: [first + k] for k, (target, _) in enumerate(outside)}
        wanted = [v for target in targets for v in places.get(target, target)]
        joint = _contract(operands, wanted)
        return joint.reshape([np.prod(self._tree.shape(t)) for t in targets])

    def _towards(self, target):
        """The next clique from each towards one that holds the target, or itself."""
        if target not in self._directions:
            towards = np.full(len(self._neighbours), -1)
            reached = [
                i
                for i, clique in enumerate(self._tree.cliques)
                if set(target) <= set(clique)
            ]
            towards[reached] = reached
            for i in reached:  # which grows
                for j in self._neighbours[i]:
                    if towards[j] < 0:
                        towards[j] = i
                        reached.append(j)
            self._directions[target] = towards
        return self._directions[target]

    def _separator(self, i, j):
        """Variables that two neighbours share."""
        return self._tree.separators[max(i, j)]

    def _conditional(self, target, i, j):
        """Distribution of a target on i's side given the separator of i and j.

        Returns
        -------
        ndarray of float64, shape (cells of the target, cells of the separator)
        """
        if (target, i, j) not in self._given:
            to = self._towards(target)[i]
            source = target if to == i else self._separator(to, i)
            within = self._within(i, source, self._separator(i, j))
            self._given[target, i, j] = (
                within.toarray()
                if to == i
                else self._conditional(target, to, i) @ within
            )
        return self._given[target, i, j]

    def _within(self, i, variables, given):
        """Distribution of variables of a clique given others of it, (cells, cells).

        Of two separators that share variables, most cells are 0: they are left out.
        """
        if (i, variables, given) not in self._given:
            tree = self._tree
            cells = tree.labels(i, variables), tree.labels(i, given)
            shape = [int(np.prod(tree.shape(group))) for group in (variables, given)]
            total = np.bincount(cells[1], self._beliefs[i].ravel(), shape[1])
            belief, total = self._beliefs[i].ravel(), total[cells[1]]
            share = np.divide(belief, total, out=np.zeros_like(belief), where=total > 0)
            self._given[i, variables, given] = coo_array((share, cells), shape).tocsr()
        return self._given[i, variables, given]


def _between(towards):
    """A clique from which all targets are on different sides, or in it.

    Of those that hold most of the targets, the first.

    Parameters
    ----------
    towards : ndarray of int64, shape (targets, cliques)
        Where each target is from each clique.
    """
    own = np.arange(towards.shape[1])
    n_inside = (towards == own).sum(axis=0)
    n_sides = np.array([len(set(sides)) for sides in towards.T.tolist()])
    # Those inside share a side, the clique itself.
    is_between = n_sides - (n_inside > 0) + n_inside == len(towards)
    return int(np.argmax(np.where(is_between, n_inside, -1)))


def _contract(operands, wanted):
    """Sum of a product of arrays over the axes that are not wanted."""
    axes = sorted({v for named in operands[1::2] for v in named})
    numbers = {v: k for k, v in enumerate(axes)}
    renamed = [
        [numbers[v] for v in operand] if k % 2 else operand
        for k, operand in enumerate(operands)
    ]
    wanted = [numbers[v] for v in wanted]
    return np.einsum(*renamed, wanted, optimize=len(operands) > 2)
