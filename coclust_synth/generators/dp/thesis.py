r"""DPCocGen as first published: two queries of the data, and rows spread evenly.

Phase 1 is a noisy histogram of the domain, negative counts to 0; its co-clustering cuts
each column into parts. Phase 2 is the noisy counts of the coarse cells, negative ones
to 0. Where there are very many cells, their noise is drawn only where it
reaches a threshold that is chosen without the data (see
`PrivacyLedger.noisy_sparse_counts`): the memory is that of the rows and of the cells
that pass.

The parts can be chosen on the data instead, by merges. Each column starts with a part
for each value. Step by step, two parts of one column (of numbers: neighbours) become
one. Which two, of all columns, the exponential mechanism chooses: those that put fewest
rows wrong. It ends where the coarse cells have, by a noisy number of rows, three times
the rows of the noise to come, on average.

Notes
-----
*Score of a merge.* Rows of a part are later spread evenly over its values. Of a part of
values v, m in number, and another column of values u, this puts about

.. math:: \lfloor \sum_{v, u} |m x_{vu} - \sum_w x_{wu}| / 2m \rfloor

rows wrong, with x_vu the rows of both values. The score of a merge is minus the largest
of these, over the other columns, for the part that it would make.

*Its sensitivity.* Neighbouring tables differ by a row. Where the row's value is not in
the part, nothing changes. Where it is, it changes one x_vu by 1, and no other: its own
term of the sum by m - 1, and each of the m - 1 other terms of the same u by 1, in all
by 2 (m - 1) at most, which is less than 2 m. Before it is rounded down, what is put
wrong then changes by less than 1, so by 1 at most after; so does the largest of several
such numbers. All of it is in whole numbers. The ledger multiplies by 2 for a replaced
row and by the rows of a person.

*Budget.* A fiftieth for the number of rows, the rest in equal shares for as many merges
as there could be: one less than its values in each column. What merges that are not
made leave goes to the counts of the coarse cells.

References
----------
T. Benkhelif, "Publication de donnees personnelles respectueuse de la vie privee", PhD
thesis, Universite de Nantes, 2018, chapter 5: a choice of the co-clustering inside the
budget is left to later work.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import prod

import numpy as np

from coclust_synth.generators.dp.dense.partition import partition_cells
from coclust_synth.generators.draws import allot
from coclust_synth.privacy.noise.sparse_noise import sparse_threshold

MAX_DENSE = 2**20
_EMPTY_CELLS = 20_000  # that pass the threshold of a sparse histogram, about
#: Values of all columns together, at most: pairs of them are looked at one by one.
MAX_VALUES = 500
#: Of the cost of the parts, for the noisy number of rows.
SHARE_OF_ROWS = 0.02
# Times the noise of its count: rows of a coarse cell, on average. On five columns of
# UCI Adult, three times as many rows are worse at epsilon .1 and 1, a third at .1.
_ROWS_OF_CELL = 3.0


@dataclass(frozen=True, eq=False)
class CoarseCells:
    """Noisy counts of the coarse cells of a partition.

    Attributes
    ----------
    parts : list of d ndarray of int64, shape (sizes[k],)
        Part of each value of each column.
    cells : ndarray of int64, shape (m,)
        Numbers of the coarse cells that hold rows, in C order.
    counts : ndarray of int64, shape (m,)
        All positive.
    """

    parts: list
    cells: np.ndarray
    counts: np.ndarray

    @property
    def n_rows(self):
        """Noisy number of rows."""
        return int(self.counts.sum())

    def draw(self, n, rng):
        """Codes of n rows, (n, d), in random order: values evenly likely in a part."""
        codes = np.empty((n, len(self.parts)), dtype=np.int64)
        if not len(self.cells):
            for axis, part in enumerate(self.parts):
                codes[:, axis] = rng.integers(0, len(part), n)
            return codes
        cells = np.repeat(self.cells, allot(self.counts.astype(float), n, rng))
        shape = [int(part.max()) + 1 for part in self.parts]
        coarse = np.unravel_index(rng.permutation(cells), shape)
        for axis, (part, of_row) in enumerate(zip(self.parts, coarse, strict=True)):
            order = np.argsort(part, kind="stable")
            sizes = np.bincount(part)
            starts = np.cumsum(sizes) - sizes
            codes[:, axis] = order[starts[of_row] + rng.integers(0, sizes[of_row])]
        return codes


def learn_parts(codes, domain, numeric, ledger, cost):
    """Parts of each column, by a co-clustering of noisy counts of all cells.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d)
    domain : Domain
        Of fewer than 2^53 cells.
    numeric : sequence of d bool
        Whether the parts of a column are intervals, or groups.
    ledger : PrivacyLedger
    cost : float
        Of the counts.

    Returns
    -------
    list of d ndarray of int64, shape (sizes[k],)
        Part of each value of each column, from 0.
    """
    sizes = domain.sizes
    cells, counts = _noisy_cells(
        np.ravel_multi_index(codes.T, sizes),
        prod(sizes),
        ledger,
        cost,
        f"cells of {', '.join(domain.names)}",
    )
    return partition_cells(sizes, cells, counts, numeric)


def count_coarse_cells(codes, domain, parts, ledger):
    """Noisy counts of the coarse cells, for all that remains of the ledger.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d)
    domain : Domain
    parts : list of d ndarray of int64, shape (sizes[k],)
        Of fewer than 2^53 coarse cells.
    ledger : PrivacyLedger

    Returns
    -------
    CoarseCells
    """
    coarse = [part[codes[:, axis]] for axis, part in enumerate(parts)]
    shape = tuple(int(part.max()) + 1 for part in parts)
    cells, counts = _noisy_cells(
        np.ravel_multi_index(coarse, shape),
        prod(shape),
        ledger,
        ledger.remaining,
        f"coarse cells of {', '.join(domain.names)}",
    )
    return CoarseCells(parts, cells, counts)


def _noisy_cells(cells, n_cells, ledger, epsilon, what):
    """Cells of a histogram whose noisy counts are positive, and these counts."""
    if n_cells <= MAX_DENSE:
        counts = np.bincount(cells, minlength=n_cells)
        noisy = ledger.noisy_counts(counts, cost=epsilon, what=what)
        present = np.flatnonzero(noisy > 0)
        return present, noisy[present]
    sensitivity = ledger.sensitivity(1)
    threshold = sparse_threshold(
        n_cells, epsilon, _EMPTY_CELLS, sensitivity=sensitivity
    )
    return ledger.noisy_sparse_counts(
        *np.unique(cells, return_counts=True),
        n_cells,
        cost=epsilon,
        what=what,
        threshold=threshold,
    )


def count_merges(sizes):
    """Merges that could be made."""
    return sum(sizes) - len(sizes)


def choose_parts(codes, domain, numeric, ledger, cost):
    """Parts of each column, by merges that the exponential mechanism chooses.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d)
    domain : Domain
        Of `MAX_VALUES` values at most, of all columns together.
    numeric : sequence of d bool
        Whether only neighbouring parts of a column are merged.
    ledger : PrivacyLedger
    cost : float
        To be spent at most: what remains is for the coarse cells.

    Returns
    -------
    list of d ndarray of int64, shape (sizes[k],)
        Part of each value of each column, from 0.
    """
    sizes = domain.sizes
    columns = [
        _Column(_rows_with_others(codes, sizes, j), is_numeric)
        for j, is_numeric in enumerate(numeric)
    ]
    n_rows = ledger.noisy_counts([len(codes)], cost=SHARE_OF_ROWS * cost, what="rows")
    noise = ledger.count_noise(ledger.total - cost)
    max_cells = int(n_rows[0]) / (_ROWS_OF_CELL * noise)
    max_cells = min(max(max_cells, 1.0), MAX_DENSE)
    per_merge = (1.0 - SHARE_OF_ROWS) * cost / max(count_merges(sizes), 1)
    n_merged = 0
    while prod(len(column.parts) for column in columns) > max_cells:
        possible = [(column, pair) for column in columns for pair in column.wrong]
        n_merged += 1
        chosen = ledger.exponential(
            [-column.wrong[pair] for column, pair in possible],
            cost=per_merge,
            sensitivity=1,
            what=f"choice of merge {n_merged}",
        )
        column, pair = possible[chosen]
        column.merge(*pair)
    return [column.labels() for column in columns]


def _rows_with_others(codes, sizes, j):
    """Rows of each value of a column with each value of each other column.

    Returns
    -------
    list of ndarray of int64, shape (sizes[j], sizes[k])
        For each other column k; of one column without others, a table of its rows.
    """
    tables = [
        np.bincount(codes[:, j] * sizes[k] + codes[:, k], minlength=sizes[j] * sizes[k])
        for k in range(len(sizes))
        if k != j
    ]
    tables = tables or [np.bincount(codes[:, j], minlength=sizes[j])]
    return [table.reshape(sizes[j], -1) for table in tables]


class _Column:
    """The parts of a column, and the rows that each possible merge would put wrong.

    Attributes
    ----------
    parts : dict of int to list of int
        Values of each part, by its first value; of numbers in increasing order.
    wrong : dict of (int, int) to int
        For each two parts that could be merged.
    """

    def __init__(self, tables, is_numeric):
        self._tables, self._is_numeric = tables, is_numeric
        self.parts = {value: [value] for value in range(len(tables[0]))}
        self.wrong = {}
        self._look_at(combinations(self.parts, 2))

    def merge(self, first, second):
        """Make one part of two."""
        self.parts[first] += self.parts.pop(second)
        changed = {first, second}
        for pair in [pair for pair in self.wrong if changed & {*pair}]:
            del self.wrong[pair]
        others = (part for part in self.parts if part != first)
        self._look_at((min(first, part), max(first, part)) for part in others)

    def labels(self):
        """Part of each value, numbered from 0."""
        labels = np.empty(len(self._tables[0]), dtype=np.int64)
        for number, values in enumerate(self.parts.values()):
            labels[values] = number
        return labels

    def _look_at(self, pairs):
        """What pairs of parts would put wrong; of numbers, those of neighbours."""
        following = dict(pairwise(self.parts))
        for first, second in pairs:
            if not self._is_numeric or following.get(first) == second:
                values = self.parts[first] + self.parts[second]
                self.wrong[first, second] = max(
                    _rows_put_wrong(table[values]) for table in self._tables
                )


def _rows_put_wrong(rows):
    """Rows in another cell than their own, once spread evenly over the values, (m, u).

    In whole numbers, rounded down: see the notes of this module.
    """
    m = len(rows)
    return int(np.abs(m * rows - rows.sum(axis=0)).sum()) // (2 * m)
