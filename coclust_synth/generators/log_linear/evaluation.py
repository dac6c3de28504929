"""A log-linear model, evaluated again and again, by steps that are planned once.

All tables lie behind each other in one array; the steps say which is added to, summed
from or multiplied by which.
"""

from math import prod

import numpy as np

from coclust_synth.generators.log_linear._fit_kernels import (
    ADD,
    COUNT,
    FILL,
    GATHER,
    LIFT,
    MULTIPLY,
    NORM,
    PASS,
    RATIO,
    SUM,
    run_steps,
)
from coclust_synth.generators.log_linear.sums import Sums

# Below the highest of a clique: cells that noise puts far apart in two cliques keep a
# share in both, so that there is always a cell that both have.
_LEAST_LOG = -80.0


class Evaluation:
    """Beliefs of a tree, and margins of measurements, by the logs of their factors.

    Parameters
    ----------
    tree : JunctionTree
    groups : list of tuple of int
        Increasing variables of each measurement.
    labels : list of ndarray of int64
        Of the cells of these variables, in C order.
    n_labels : list of int
    supports : sequence of (tuple of int, ndarray of bool)
        Cells of some variables, of which those that are false never occur.
    """

    def __init__(self, tree, groups, labels, n_labels, supports):
        self._tree, self._n_values = tree, sum(n_labels)
        # What never occurs is measured too: the logs of its factors are known.
        supports = [(group, of.ravel()) for group, of in supports if not of.all()]
        known = [np.where(of, 0.0, -np.inf) for _, of in supports]
        self._known = np.concatenate([np.zeros(0), *known])
        groups = [*groups, *(group for group, _ in supports)]
        labels = [*labels, *(np.arange(len(of)) for of in known)]
        n_labels = [*n_labels, *map(len, known)]
        self._labels = np.concatenate(labels).astype(np.int32)
        n_cells = np.array([len(of) for of in labels])
        # Of each: the first of its values, the first of its labels, and how many.
        firsts = [np.cumsum(of) - of for of in (n_labels, n_cells)]
        self._size = 0
        self._write(groups, np.column_stack([*firsts, n_cells]).tolist())
        self._tables = np.zeros(self._size)

    def margins(self, logs):
        """Evaluate the model.

        Parameters
        ----------
        logs : ndarray of float64
            Of the factor of each label of each measurement, one behind the other.

        Returns
        -------
        ndarray of float64
            The share of each of these labels.
        """
        values = np.concatenate([logs, self._known])
        self._tables[:] = 0.0
        self._run(self._of_logs, values)
        factors = self._tables[: self._n_cells]
        np.exp(factors, out=factors)
        values[:] = 0.0
        self._run(self._of_beliefs, values)
        return values[: self._n_values]

    def beliefs(self):
        """The distribution of each clique, as it was evaluated last."""
        shapes = [self._tree.shape(clique) for clique in self._tree.cliques]
        cells = np.split(self._tables[: self._n_cells], self._places[1:])
        return [
            of.reshape(shape).copy() for of, shape in zip(cells, shapes, strict=True)
        ]

    def _run(self, steps, values):
        run_steps(steps, self._tables, values, self._labels, _LEAST_LOG)

    def _allocate(self, n_cells):
        self._size += n_cells
        return self._size - n_cells

    def _write(self, groups, places):
        """Write down the steps, those of logs and those of beliefs."""
        tree, n = self._tree, range(len(self._tree.cliques))
        self._places = [self._allocate(prod(tree.shape(own))) for own in tree.cliques]
        self._n_cells = self._size
        homes = [tree.home(group) for group in groups]
        measured, shared = [set() for _ in n], [set() for _ in n]
        for group, home in zip(groups, homes, strict=True):
            measured[home].add(group)
        for i in n:
            if tree.separators[i]:
                shared[tree.parents[i]].add(tree.separators[i])
        own = [self._sums(i, measured[i] | shared[i]) for i in n]
        tables = [own[home].places[of] for of, home in zip(groups, homes, strict=True)]
        of_labels = list(zip(tables, places, strict=True))
        of_logs = [(GATHER, of[0], table, *of[1:], 0) for table, of in of_labels]
        for i in n:
            of_logs += own[i].up(ADD, measured[i])
            of_logs += own[i].on(LIFT, {tree.cliques[i]})
        steps = self._calibration(own, shared)
        steps += [(COUNT, table, *of, 0) for table, of in of_labels]
        self._of_logs, self._of_beliefs = np.array(of_logs), np.array(steps)

    def _calibration(self, own, shared):
        """From the factors of the cliques to their beliefs, and sums of these.

        Parameters
        ----------
        own : list of Sums
            Of each clique.
        shared : list of set of tuple of int
            What each clique shares with those that it is the parent of.
        """
        parents, separators = self._tree.parents, self._tree.separators
        n = range(len(own))
        # Of what is behind a clique: from it to what it shares with its parent.
        of_parent = [self._sums(i, {separators[i]} - {()}) for i in n]
        steps = []
        for i in n:
            steps += own[i].on(FILL, shared[i] | own[i].between(shared[i]))
        for i in reversed(n):
            steps += own[i].up(MULTIPLY, shared[i])
            steps += of_parent[i].down(SUM)
            if separators[i]:
                steps += own[parents[i]].on(PASS, {separators[i]}, of_parent[i])
        for i in n:
            if separators[i]:
                between = of_parent[i].between({separators[i]})
                steps += of_parent[i].on(RATIO, {separators[i]}, own[parents[i]])
                steps += of_parent[i].on(FILL, between)
                steps += of_parent[i].up(MULTIPLY, {separators[i]})
            else:
                steps += own[i].on(NORM, {self._tree.cliques[i]})
            steps += own[i].down(SUM)
        return steps

    def _sums(self, i, wanted):
        sizes = {v: self._tree.sizes[v] for v in self._tree.cliques[i]}
        return Sums(sizes, wanted, self._allocate, self._places[i])
