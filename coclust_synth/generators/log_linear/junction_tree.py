"""Junction trees: a joint distribution kept as that of small sets of variables.

The variables that are measured together are connected; the graph is triangulated, and
its cliques form a tree in which those that hold a variable hang together. A product of
factors, one a clique, is then turned into the distribution of each clique by passing
sums along the tree, once up and once down.

References
----------
S. Lauritzen, D. Spiegelhalter, "Local computations with probabilities on graphical
structures and their application to expert systems", JRSS B 50(2), 1988.
"""

import math
from itertools import combinations

import numpy as np

from coclust_synth.generators.log_linear._kernels import cells_with, eliminate


class JunctionTree:
    """A tree of cliques of some variables.

    Parameters
    ----------
    sizes : tuple of v int
        Values of each variable.
    groups : iterable of tuple of int
        Variables that a clique must hold together; each variable is in one at least.

    Attributes
    ----------
    cliques : list of tuple of int
        Increasing variables each. A clique comes after its parent.
    parents : list of int
        Of each clique; -1 for the first.
    separators : list of tuple of int
        Variables that a clique shares with its parent.
    """

    def __init__(self, sizes, groups):
        self.sizes = tuple(sizes)
        self.adjacent = adjacency(len(self.sizes), groups)
        self.log_sizes = np.log(np.array(self.sizes, dtype=np.float64))
        cliques, is_maximal = eliminate(self.adjacent, self.log_sizes)
        found = [_indices(clique) for clique in cliques[is_maximal]]
        self.cliques, self.parents, self.separators = _span(found)
        self._members = [frozenset(clique) for clique in self.cliques]
        self._cells = [math.prod(self.shape(clique)) for clique in self.cliques]
        self._labels = {}

    @property
    def n_cells(self):
        """Cells of all cliques together."""
        return sum(self._cells)

    def shape(self, variables):
        """Values of some variables."""
        return tuple(self.sizes[v] for v in variables)

    def along(self, variables, clique):
        """The shape by which an array over variables spreads along a clique."""
        return tuple(self.sizes[v] if v in variables else 1 for v in clique)

    def home(self, variables):
        """The smallest clique that holds some variables; -1 if none does."""
        asked = {*variables}
        holding = (i for i, own in enumerate(self._members) if asked <= own)
        return min(holding, key=self._cells.__getitem__, default=-1)

    def labels(self, i, variables):
        """Cell of some variables, in C order, that each cell of a clique is in."""
        if (i, variables) not in self._labels:
            clique = self.cliques[i]
            cells = np.zeros(self.shape(clique), dtype=np.int64)
            for v in variables:
                along = self.along((v,), clique)
                cells = cells * self.sizes[v] + np.arange(self.sizes[v]).reshape(along)
            self._labels[i, variables] = cells.ravel()
        return self._labels[i, variables]

    def cells_with(self, groups):
        """Cells that the tree of more groups would have, one group at a time.

        Parameters
        ----------
        groups : sequence of m tuple of int

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        width = max(map(len, groups), default=0)
        members = np.full((len(groups), width), -1)
        for row, group in zip(members, groups, strict=True):
            row[: len(group)] = group
        return cells_with(self.adjacent, self.log_sizes, members)

    def calibrate(self, factors):
        """The distribution of each clique, of the product of one factor for each.

        Parameters
        ----------
        factors : list of ndarray of float64
            Not negative, over the variables of each clique.

        Returns
        -------
        list of ndarray of float64
            Each sums to 1, and two have the same sums over what they share.
        """
        beliefs, upward = list(factors), [None] * len(factors)
        for i in range(len(beliefs) - 1, 0, -1):
            upward[i] = sum_over(beliefs[i], self._others(i))
            message = upward[i] / upward[i].max()
            parent, shared = self.parents[i], self.separators[i]
            along = self.along(shared, self.cliques[parent])
            beliefs[parent] = beliefs[parent] * message.reshape(along)
        beliefs[0] = beliefs[0] / beliefs[0].sum()
        for i in range(1, len(beliefs)):
            shared, own = self.separators[i], upward[i]
            sums = self.sums(beliefs, self.parents[i], shared)
            ratio = np.divide(sums, own, out=np.zeros_like(sums), where=own > 0)
            along = self.along(shared, self.cliques[i])
            beliefs[i] = beliefs[i] * ratio.reshape(along)
        return beliefs

    def given(self, beliefs, evidence):
        """The distribution of each clique under evidence.

        Parameters
        ----------
        beliefs : list of ndarray of float64
            Calibrated.
        evidence : sequence of (tuple of int, ndarray of float64)
            Increasing variables that a clique holds together, and a factor for each of
            their cells, in [0, 1]: 0 where they cannot be.

        Returns
        -------
        beliefs : list of ndarray of float64 or None
            Calibrated; None where nothing is left.
        share : float
            The expectation of the product of the factors: the probability of the
            evidence where they are 0 or 1.
        """
        factors = []
        for i, belief in enumerate(beliefs):
            if i:  # given the parent, so that the product of all is the distribution
                along = self.along(self.separators[i], self.cliques[i])
                shared = sum_over(belief, self._others(i)).reshape(along)
                zero = np.zeros_like(belief)
                belief = np.divide(belief, shared, out=zero, where=shared > 0)
            factors.append(belief)
        for variables, factor in evidence:
            i = self.home(variables)
            along = self.along(variables, self.cliques[i])
            factors[i] = factors[i] * factor.reshape(along)
        upward = list(factors)
        for i in range(len(upward) - 1, 0, -1):
            message = sum_over(upward[i], self._others(i))
            parent = self.parents[i]
            along = self.along(self.separators[i], self.cliques[parent])
            upward[parent] = upward[parent] * message.reshape(along)
        share = float(upward[0].sum())
        return (self.calibrate(factors) if share > 0 else None), share

    def sums(self, beliefs, i, variables):
        """Distribution of some variables of a clique, in increasing order."""
        return sum_over(
            beliefs[i], [k for k, v in enumerate(self.cliques[i]) if v not in variables]
        )

    def _others(self, i):
        """Axes of a clique that it does not share with its parent."""
        shared = self.separators[i]
        return [k for k, v in enumerate(self.cliques[i]) if v not in shared]


def adjacency(n_variables, groups):
    """Whether two variables are in a group, (v, v)."""
    adjacent = np.eye(n_variables, dtype=np.bool_)
    for group in groups:
        for a, b in combinations(group, 2):
            adjacent[a, b] = adjacent[b, a] = True
    return adjacent


def sum_over(array, axes):
    """Sum of an array over some axes."""
    return array.sum(axis=tuple(axes)) if len(axes) else array


def _span(cliques):
    """Cliques in an order in which each shares most with one before it."""
    members = np.zeros((len(cliques), 1 + max(map(max, cliques))), dtype=np.int64)
    for row, clique in zip(members, cliques, strict=True):
        row[list(clique)] = 1
    common = members @ members.T
    order, parents, separators = [0], [-1], [()]
    at, shared = np.zeros(len(cliques), dtype=np.int64), common[0].copy()
    shared[0] = -1
    while len(order) < len(cliques):
        i = int(np.argmax(shared))
        parents.append(int(at[i]))
        both = members[i] & members[order[at[i]]]
        separators.append(_indices(both))
        closer = (common[i] > shared) & (shared >= 0)
        at[closer], shared[closer] = len(order), common[i][closer]
        order.append(i)
        shared[i] = -1
    return [cliques[i] for i in order], parents, separators


def _indices(is_in):
    return tuple(np.flatnonzero(is_in).tolist())
