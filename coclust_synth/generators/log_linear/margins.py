"""Margins of any variables of a calibrated junction tree, by its separators.

Given a clique, what hangs on one side of it is independent of what hangs on another:
the margin of some targets is a sum over the cells of a clique between them, of its
belief times the distribution of the targets of each side given the separator towards
them; which is that of the clique behind the separator, and of its sides, in turn.
"""

from math import prod

import numpy as np
from scipy.sparse import coo_array


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
        self._directions, self._given, self._sums = {}, {}, {}

    def margin(self, targets):
        """Joint distribution of some targets.

        Parameters
        ----------
        targets : sequence of tuple of int
            Increasing variables each, that a clique holds together; no variable is of
            two targets. Time and memory are those of the cells of the targets on a
            side times those of the separator towards them; of three targets or fewer,
            no two are on a side.

        Returns
        -------
        ndarray of float64
            An axis for each target, of its cells in C order.
        """
        towards = np.array([self._towards(target) for target in targets])
        return self._joint(targets, _between(towards), ())

    def _joint(self, targets, i, given):
        """Distribution of some targets, and of variables of a clique.

        Returns
        -------
        ndarray of float64
            An axis for each target, of its cells in C order, and one for each variable.
        """
        tree = self._tree
        sides = {}  # targets by the clique that they are next to, or in
        for k, target in enumerate(targets):
            sides.setdefault(int(self._towards(target)[i]), []).append(k)
        inside = [v for k in sides.pop(i, []) for v in targets[k]]
        kept = {*inside, *given}
        kept.update(v for to in sides for v in self._separator(to, i))
        kept = sorted(kept)
        operands = [self._belief(i, tuple(kept)), kept]
        first = len(tree.sizes)  # numbers above are of targets, then of variables again
        for to, behind in sides.items():
            conditional = self._conditional(tuple(targets[k] for k in behind), to, i)
            operands += [conditional, [*(first + k for k in behind)]]
            operands[-1] += self._separator(to, i)
        again = {v: first + len(targets) + v for v in inside if v in given}
        for v, other in again.items():
            operands += [np.eye(tree.sizes[v]), [v, other]]
        places = {k: [first + k] for behind in sides.values() for k in behind}
        wanted = [v for k, t in enumerate(targets) for v in places.get(k, t)]
        wanted += [again.get(v, v) for v in given]
        joint = _contract(operands, wanted)
        cells = [prod(tree.shape(target)) for target in targets]
        return joint.reshape([*cells, *tree.shape(given)])

    def _belief(self, i, variables):
        """Distribution of some variables of a clique."""
        if (i, variables) not in self._sums:
            self._sums[i, variables] = self._tree.sums(self._beliefs, i, variables)
        return self._sums[i, variables]

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

    def _conditional(self, targets, i, j):
        """Distribution of targets on i's side given the separator of i and j.

        Returns
        -------
        ndarray of float64
            An axis for each target, of its cells in C order, and one for each variable
            of the separator.
        """
        shared = self._separator(i, j)
        if len(targets) == 1:
            given = self._conditional_cells(targets[0], i, j)
            return given.reshape(-1, *self._tree.shape(shared))
        joint = self._joint(targets, i, shared)
        total = joint.sum(axis=tuple(range(len(targets))))
        return np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)

    def _conditional_cells(self, target, i, j):
        """As `_conditional`, of one target; (its cells, cells of the separator)."""
        if (target, i, j) not in self._given:
            to = self._towards(target)[i]
            source = target if to == i else self._separator(to, i)
            within = self._within(i, source, self._separator(i, j))
            self._given[target, i, j] = (
                within.toarray()
                if to == i
                else self._conditional_cells(target, to, i) @ within
            )
        return self._given[target, i, j]

    def _within(self, i, variables, given):
        """Distribution of variables of a clique given others of it, (cells, cells).

        Of two separators that share variables, most cells are 0: they are left out.
        """
        if (i, variables, given) not in self._given:
            tree = self._tree
            cells = tree.labels(i, variables), tree.labels(i, given)
            shape = [prod(tree.shape(group)) for group in (variables, given)]
            total = np.bincount(cells[1], self._beliefs[i].ravel(), shape[1])
            belief, total = self._beliefs[i].ravel(), total[cells[1]]
            share = np.divide(belief, total, out=np.zeros_like(belief), where=total > 0)
            self._given[i, variables, given] = coo_array((share, cells), shape).tocsr()
        return self._given[i, variables, given]


def _between(towards):
    """A clique from which the targets are on most sides, or in it.

    Of three targets or fewer, each is then on another side. Of several such cliques it
    is the first of those that hold most of the targets.

    Parameters
    ----------
    towards : ndarray of int64, shape (targets, cliques)
        Where each target is from each clique.
    """
    own = np.arange(towards.shape[1])
    n_inside = (towards == own).sum(axis=0)
    n_sides = np.array([len(set(sides)) for sides in towards.T.tolist()])
    # Those inside share a side, the clique itself.
    n_apart = n_sides - (n_inside > 0) + n_inside
    return int(np.argmax(n_apart * (len(towards) + 1) + n_inside))


def _contract(operands, wanted):
    """Sum of a product of arrays over the axes that are not wanted.

    One array after the other is multiplied in, and summed over what no later one has.
    """
    axes = sorted({v for named in operands[1::2] for v in named})
    numbers = {v: k for k, v in enumerate(axes)}
    arrays = operands[::2]
    named = [[numbers[v] for v in operand] for operand in operands[1::2]]
    wanted = [numbers[v] for v in wanted]
    array, axes = arrays[0], named[0]
    for k in range(1, len(arrays)):
        later = {*wanted, *(v for others in named[k + 1 :] for v in others)}
        kept = sorted(later.intersection([*axes, *named[k]]))
        array = np.einsum(array, axes, arrays[k], named[k], kept)
        axes = kept
    if len(axes) > len(wanted):
        return np.einsum(array, axes, wanted)
    return array.transpose([axes.index(v) for v in wanted])
