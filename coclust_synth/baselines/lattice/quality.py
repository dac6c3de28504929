r"""How much a generalisation by hierarchies loses: quality models, all minimised.

Of a table of n rows, S of them suppressed, and column i with N_i leaves in its
hierarchy, where the cell of a row stands for w of them (all N_i if suppressed), at
level l_i of height h_i::

    loss                prod_i (1 + x_i)^(1/d) - 1,
                        x_i = (sum w - n) / (n (N_i - 1))
    loss_arithmetic     1/d sum_i x_i
    precision           1/d sum_i ((1 - S/n) l_i/h_i + S/n)
    dm                  sum over kept classes c^2 + n S
    class_size          n / (kept classes + [S > 0])
    entropy             sum_i (sum_g f_g log2 f_g - sum_v f_v log2 f_v
                               - sum over suppressed g of c_g log2(c_g / S))
    normalized_entropy  the same, each column divided by -sum_v f_v log2(f_v / n)

with f the rows of a value v, or of a generalised value g, c those of a kept class or of
a generalised value among the suppressed rows. x_i is floored to 10 decimals, as ARX
does; 0 where N_i = 1, as is a column of one value in the normalised entropy.

Each gives a bound below the scores of a node and of all nodes above. Without
suppression the first three and the entropies only grow from level to level, and
suppression adds to them. The other two are least if no class is suppressed, as
c^2 <= n c, and if there is a row for every combination of values.

References
----------
.. [1] F. Prasser and F. Kohlmayer, "Putting statistical disclosure control into
   practice: the ARX data anonymization tool", Medical Data Privacy Handbook, 2015.
.. [2] V. S. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.
.. [3] R. J. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization",
   ICDE 2005.
.. [4] A. De Waal and L. Willenborg, "Information loss through global recoding and
   local suppression", Netherlands Official Statistics 14, 1999: entropy.
"""

import math
from abc import ABC, abstractmethod

import numpy as np

from coclust_synth.baselines.lattice.table import LatticeTable, NodeClasses

_DECIMALS = 1e10


class Quality(ABC):
    """A quality model of one table, made from its `LatticeTable`."""

    @abstractmethod
    def bounds(self, nodes: np.ndarray) -> np.ndarray:
        """Bounds below the scores of nodes and all above, from their levels alone.

        Parameters
        ----------
        nodes : ndarray of int, shape (m, d)

        Returns
        -------
        ndarray of float64, shape (m,)
            Never lower for a node above.
        """

    @abstractmethod
    def bound(self, classes: NodeClasses) -> float:
        """Such a bound from a node's classes; 0 if they add nothing to the levels."""

    @abstractmethod
    def score(self, classes: NodeClasses, failing: np.ndarray) -> float:
        """Score of a node whose failing classes are suppressed.

        Parameters
        ----------
        classes : NodeClasses
        failing : ndarray of bool, shape (n_classes,)
        """


class ColumnQuality(Quality):
    """One that adds up costs of cells by column, and combines the columns."""

    def __init__(self, table: LatticeTable):
        self._table = table
        self._levels = np.cumsum([0, *table.lattice.shape[:-1]])
        self._leaves = np.cumsum([0, *(h.n_leaves for h in table.hierarchies[:-1])])
        codes = table.leaf_codes(table.rows)
        self._frequencies = [
            np.bincount(own, table.rows.sizes, hierarchy.n_leaves).astype(np.int64)
            for own, hierarchy in zip(codes.T, table.hierarchies, strict=True)
        ]
        self._totals = np.array(
            [
                self._column_total(j, level)
                for j, height in enumerate(table.lattice.heights)
                for level in range(height + 1)
            ]
        )

    @abstractmethod
    def _column_total(self, j, level):
        """Cost of all cells of a column on a level, none suppressed."""

    @abstractmethod
    def _suppression(self, node, leaves, sizes):
        """What suppression adds to the cost of each column, shape (d,).

        Parameters
        ----------
        node : ndarray of int, shape (d,)
        leaves : ndarray of int64, shape (m, d)
            A leaf of each cell of the classes that are suppressed.
        sizes : ndarray of int64, shape (m,)
        """

    @abstractmethod
    def _combine(self, totals):
        """Scores of nodes from the costs of their columns, shape (m, d)."""

    def bounds(self, nodes):
        return self._combine(self._totals[self._levels + nodes])

    def bound(self, classes):
        return 0.0

    def score(self, classes, failing):
        node = np.array(classes.node)
        totals = self._totals[self._levels + node]
        if failing.any():
            leaves = self._table.leaf_codes(classes, failing)
            totals = totals + self._suppression(node, leaves, classes.sizes[failing])
        return float(self._combine(totals[np.newaxis])[0])


class ArithmeticLoss(ColumnQuality):
    """Mean of the columns' losses: leaves that a cell stands for."""

    def __init__(self, table):
        self._n_leaves = np.array([h.n_leaves for h in table.hierarchies])
        widths, self._widths = [], []
        start = 0
        for hierarchy in table.hierarchies:
            self._widths.append([])
            for level in range(hierarchy.height + 1):
                node = hierarchy.node_of(level)
                widths.append(np.bincount(node)[node])
                self._widths[-1].append(start)
                start += hierarchy.n_leaves
        self._width = np.concatenate(widths)
        self._worst = table.n_rows * np.maximum(self._n_leaves - 1, 1)
        self._n_rows = table.n_rows
        super().__init__(table)
        worst = np.repeat(self._worst, table.lattice.shape)
        self._level_losses = self._losses(self._totals, worst)

    def _column_total(self, j, level):
        start = self._widths[j][level]
        own = self._width[start : start + self._n_leaves[j]]
        return int(self._frequencies[j] @ own)

    def _suppression(self, node, leaves, sizes):
        starts = [own[level] for own, level in zip(self._widths, node, strict=True)]
        return sizes @ (self._n_leaves - self._width[starts + leaves])

    def bounds(self, nodes):
        return self._mean(self._level_losses[self._levels + nodes])

    def _combine(self, totals):
        return self._mean(self._losses(totals, self._worst))

    def _losses(self, totals, worst):
        """Losses in units of the tenth decimal: whole numbers."""
        return np.floor((totals - self._n_rows) / worst * _DECIMALS)

    def _mean(self, losses):
        """Scores of nodes from the losses of their columns, shape (m, d)."""
        return losses.sum(axis=1) / (_DECIMALS * losses.shape[1])


class GeometricLoss(ArithmeticLoss):
    """Geometric mean of the columns' losses, as ARX aggregates them."""

    def _mean(self, losses):
        # In order of size, so that equal losses of other columns give equal scores.
        factors = 1 + np.sort(losses, axis=1) / _DECIMALS
        return factors.prod(axis=1) ** (1 / losses.shape[1]) - 1


class Precision(ColumnQuality):
    """Mean of the levels of cells, as shares of the heights."""

    def __init__(self, table):
        heights = np.maximum(table.lattice.heights, 1)
        self._unit = math.lcm(*heights.tolist())
        self._steps = self._unit // heights
        self._worst = table.n_rows * len(heights) * self._unit
        super().__init__(table)

    def _column_total(self, j, level):
        return self._table.n_rows * level * int(self._steps[j])

    def _suppression(self, node, leaves, sizes):
        return sizes.sum() * (self._unit - node * self._steps)

    def _combine(self, totals):
        return totals.sum(axis=1) / self._worst


class Entropy(ColumnQuality):
    """Bits that it takes to tell the original values from the generalised ones."""

    def _column_total(self, j, level):
        node = self._table.hierarchies[j].node_of(level)
        return _weighted_log(np.bincount(node, self._frequencies[j])) - _weighted_log(
            self._frequencies[j]
        )

    def _suppression(self, node, leaves, sizes):
        flat = (self._leaves + leaves).ravel()
        d = len(node)
        rows = np.bincount(flat, np.repeat(sizes, d), self._leaves[-1] + 1)
        n_suppressed = int(sizes.sum())
        bits = -rows * np.log2(np.where(rows > 0, rows, n_suppressed) / n_suppressed)
        column = np.searchsorted(self._leaves, np.arange(len(rows)), side="right") - 1
        return np.bincount(column, bits, d)

    def _combine(self, totals):
        return np.array([math.fsum(own) for own in totals])


class NormalizedEntropy(Entropy):
    """The same, as shares of each column's own entropy."""

    def __init__(self, table):
        super().__init__(table)
        all_bits = self._totals[self._levels + np.array(table.lattice.heights)]
        self._own_bits = np.where(all_bits > 0, all_bits, 1.0)

    def _combine(self, totals):
        return super()._combine(totals / self._own_bits)


class ClassQuality(Quality):
    """One that looks at the sizes of classes only."""

    def __init__(self, table: LatticeTable):
        self._n_rows = table.n_rows
        self._levels = np.cumsum([0, *table.lattice.shape[:-1]])
        n_nodes = [len(labels) for h in table.hierarchies for labels in h.labels]
        self._n_nodes = np.array(n_nodes, dtype=np.float64)

    def _least_size(self, nodes):
        """Average size of a class if there is a row for every combination of values."""
        return self._n_rows / self._n_nodes[self._levels + nodes].prod(axis=1)


class Discernability(ClassQuality):
    """Rows that each row cannot be told from: all, if it is suppressed."""

    def bounds(self, nodes):
        return self._n_rows * self._least_size(nodes)

    def bound(self, classes):
        return float(classes.sizes @ classes.sizes)

    def score(self, classes, failing):
        kept = classes.sizes[~failing]
        n_suppressed = self._n_rows - int(kept.sum())
        return float(kept @ kept + self._n_rows * n_suppressed)


class ClassSize(ClassQuality):
    """Average size of a class, all suppressed rows being one."""

    def bounds(self, nodes):
        return self._least_size(nodes)

    def bound(self, classes):
        return self._n_rows / len(classes.sizes)

    def score(self, classes, failing):
        n_failing = int(failing.sum())
        return self._n_rows / (len(failing) - n_failing + (n_failing > 0))


QUALITY = {
    "loss": GeometricLoss,
    "loss_arithmetic": ArithmeticLoss,
    "precision": Precision,
    "dm": Discernability,
    "class_size": ClassSize,
    "entropy": Entropy,
    "normalized_entropy": NormalizedEntropy,
}


def _weighted_log(counts):
    """Sum of f log2 f, rounded once: equal counts in another order give the same."""
    present = counts[counts > 0]
    return math.fsum(present * np.log2(present))
