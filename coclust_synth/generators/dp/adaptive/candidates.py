"""Which margins could be measured, and how they are counted and laid out."""

from itertools import combinations, product
from math import comb, prod
from typing import NamedTuple

import numpy as np

from coclust_synth.generators.dp.adaptive.columns import split_column
from coclust_synth.generators.log_linear.fit import Measurement
from coclust_synth.tables.domain.rows import DomainRows

# Of columns of few values four and five are measured together too: so five of two
# values. Of four tables of 16 such columns pairs are a fifth to two fifths nearer than
# by triples, triples a quarter to a half; six together give no more. With sets of up to
# 81 cells two tables of columns of more values are no nearer, single columns farther.
_MOST_COLUMNS, _MAX_CELLS = 5, 32
#: Cells of two columns measured together, at most.
MAX_PAIR = 2_500
_MAX_SETS = 20_000  # of so many columns: tables of many have too many to look through


class Candidate(NamedTuple):
    """Some columns together, each by its values or by its parts.

    Attributes
    ----------
    columns : tuple of int
        Increasing.
    by_value : tuple of bool
        Of each column.
    """

    columns: tuple
    by_value: tuple


class Layout:
    """The variables of split columns: the part of each, then the rank of each.

    Parameters
    ----------
    columns : list of d SplitColumn

    Attributes
    ----------
    sizes : tuple of int
        Values of each variable. A rank has a variable where a part has several values.
    """

    def __init__(self, columns):
        self.columns = columns
        self.sizes = tuple(column.n_parts for column in columns)
        self._rank_of = {}
        for j, column in enumerate(columns):
            if column.n_ranks > 1:
                self._rank_of[j] = len(self.sizes)
                self.sizes += (column.n_ranks,)

    def target(self, j, by_value):
        """Variables of a column, by its values or its parts."""
        if by_value and j in self._rank_of:
            return (j, self._rank_of[j])
        return (j,)

    def targets(self, candidate):
        """Variables of each column of a candidate."""
        return [self.target(*of) for of in _each(candidate)]

    def variables(self, candidate):
        """All of them, increasing."""
        return tuple(sorted(v for t in self.targets(candidate) for v in t))

    def shape(self, candidate):
        """Cells along each column of a candidate."""
        return tuple(
            self.columns[j].n_values if by_value else self.columns[j].n_parts
            for j, by_value in _each(candidate)
        )

    def supports(self):
        """Parts and ranks that have a value, for each column with ranks."""
        return [
            ((j, rank), self.columns[j].values >= 0)
            for j, rank in self._rank_of.items()
        ]

    def labels(self, candidate):
        """Cell of a candidate, for each cell of its variables in C order."""
        variables = self.variables(candidate)
        labels = np.zeros([self.sizes[v] for v in variables], dtype=np.int64)
        for j, by_value, n in zip(*candidate, self.shape(candidate), strict=True):
            own = self.target(j, by_value)
            spread = [self.sizes[v] if v in own else 1 for v in variables]
            labels = labels * n + self._along(j, by_value).reshape(spread)
        return labels.ravel()

    def measurement(self, candidate, counts, variance):
        """A candidate with its noisy counts."""
        return Measurement(
            self.variables(candidate), self.labels(candidate), counts, variance
        )

    def gathered(self, codes):
        """Gathered value of each column, of the codes of the variables; (n, d)."""
        found = [
            column.values[codes[:, j], codes[:, self._rank_of[j]]]
            if j in self._rank_of
            else column.values[codes[:, j], 0]
            for j, column in enumerate(self.columns)
        ]
        return np.column_stack(found)

    def expected(self, candidate, margins):
        """Distribution of the cells of a candidate, by the margins of a model."""
        targets = self.targets(candidate)
        joint = margins.margin(targets)
        if max(map(len, targets)) == 1:  # each cell of the targets is one of its own
            return joint.ravel()
        labels = np.zeros(joint.shape, dtype=np.int64)
        shape = self.shape(candidate)
        for axis, (j, by_value) in enumerate(_each(candidate)):
            spread = [-1 if k == axis else 1 for k in range(joint.ndim)]
            labels = labels * shape[axis] + self._along(j, by_value).reshape(spread)
        return np.bincount(labels.ravel(), joint.ravel(), prod(shape))

    def _along(self, j, by_value):
        """Cell of a column, for each cell of its target; 0 where there is none."""
        if len(self.target(j, by_value)) == 1:
            return np.arange(self.sizes[j])
        return np.maximum(self.columns[j].values, 0).ravel()


def list_candidates(layout, max_pair, max_triple):
    """Pairs, each column by values or by parts, triples, one by values at most, and
    fours and fives of few cells, by parts.

    Columns of one value, or one part, are in none: the margin without them is the same.

    Parameters
    ----------
    layout : Layout
    max_pair, max_triple : int
        Cells, at most.

    Returns
    -------
    list of Candidate
    """
    d = len(layout.columns)
    has_ranks = [column.n_ranks > 1 for column in layout.columns]
    found = []
    for order in range(2, _MOST_COLUMNS + 1):
        limit = {2: max_pair, 3: max_triple}.get(order, _MAX_CELLS)
        most_by_value = {2: 2, 3: 1}.get(order, 0)
        if order > 3 and comb(d, order) > _MAX_SETS:
            break
        for by_value in product((False, True), repeat=order):
            if sum(by_value) > most_by_value:
                continue
            for columns in combinations(range(d), order):
                candidate = Candidate(columns, by_value)
                is_new = all(has_ranks[j] for j, own in _each(candidate) if own)
                shape = layout.shape(candidate)
                if is_new and min(shape) > 1 and prod(shape) <= limit:
                    found.append(candidate)
    return found


def count_cells(candidate, by_value, by_part, shape, rows=None):
    """Rows of each cell of a candidate: of the data.

    Parameters
    ----------
    candidate : Candidate
    by_value, by_part : ndarray of int64, shape (n, d)
        Gathered value, and part, of each column in each row.
    shape : tuple of int
        Cells along each column of the candidate.
    rows : DomainRows, optional
        That say how many each row stands for; by default one.

    Returns
    -------
    ndarray of int64, shape (cells,)
    """
    cells = np.zeros(len(by_value), dtype=np.int64)
    for j, is_fine, n in zip(*candidate, shape, strict=True):
        cells = cells * n + (by_value if is_fine else by_part)[:, j]
    rows = DomainRows(by_value) if rows is None else rows
    return rows.count(cells, prod(shape))


def _each(candidate):
    """Each column, and whether it is taken by its values."""
    return zip(candidate.columns, candidate.by_value, strict=True)


def split_columns(counts, numeric, least, max_triple):
    """Columns in parts, by the counts of each, whether it is numeric, and the rows of
    which values have fewer that are gathered."""
    n_parts = int(max_triple ** (1 / 3) + 1e-9)
    of_columns = zip(counts, numeric, least, strict=True)
    return Layout([split_column(*of_column, n_parts) for of_column in of_columns])


def weighed_candidates(layout, workload, max_triple):
    """Margins among which the rounds choose, and the weight of each.

    Parameters
    ----------
    layout : Layout
    workload : Workload
    max_triple : float
        Cells of three columns, at most.

    Returns
    -------
    candidates : list of Candidate
    weights : dict of Candidate to int
        Above 0.
    """
    found = {
        candidate: workload.weight(candidate.columns)
        for candidate in list_candidates(layout, MAX_PAIR, max_triple)
    }
    weights = {candidate: weight for candidate, weight in found.items() if weight}
    return list(weights), weights
