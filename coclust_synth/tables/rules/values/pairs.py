"""Two columns, and how many rows and individuals have each bin of both."""

from typing import Any, NamedTuple

import numpy as np


class Pair(NamedTuple):
    """Two columns, and the rows that have each bin of both.

    Attributes
    ----------
    first, second : int
    together : ndarray of int64, shape (bins of first, bins of second)
    evidence : Evidence
    """

    first: int
    second: int
    together: np.ndarray
    evidence: Any

    @classmethod
    def of(cls, first, second, evidence):
        """Count the rows of each combination, but for those of moved values."""
        bins, n_bins = evidence.bins, evidence.n_bins
        both = bins[:, first].astype(np.int64) * n_bins[second] + bins[:, second]
        both = both[~evidence.is_moved(first, second)]
        together = np.bincount(both, minlength=n_bins[first] * n_bins[second])
        shape = n_bins[first], n_bins[second]
        return cls(first, second, together.reshape(shape), evidence)

    @property
    def parts(self):
        """Parts of both columns."""
        parts = self.evidence.coding.parts
        return parts[self.first], parts[self.second]

    @property
    def turned(self):
        """The same, the second first."""
        return Pair(self.second, self.first, self.together.T, self.evidence)

    def single(self, column):
        """Which bins of a column stand for one value."""
        pooled = self.evidence.pooled.get(column, ())
        return np.array([b not in pooled for b in range(self.evidence.n_bins[column])])

    def known(self, column):
        """Which bins of a column stand for one value, and not for a missing one."""
        known = self.single(column)
        if column in self.evidence.missing:
            known[self.evidence.missing[column]] = False
        return known

    def individuals(self, column):
        """Individuals of each bin of a column."""
        n_bins = self.evidence.n_bins[column]
        return self.evidence.count(self.evidence.bins[:, column], n_bins)

    def groups(self, column):
        """Bins that stand for one value, and those of any value beside a missing one.

        ndarray of int64, shape (bins, groups): 1 where a bin is of a group.
        """
        groups = np.eye(self.evidence.n_bins[column], dtype=np.int64)
        groups = groups[:, self.single(column)]
        if column not in self.evidence.missing:
            return groups
        present = np.ones(len(groups), dtype=np.int64)
        present[self.evidence.missing[column]] = 0
        return np.column_stack([groups, present])

    def individuals_of_groups(self, column):
        """Individuals of each of the groups of a column."""
        of_bins, groups = self.individuals(column), self.groups(column)
        known = of_bins[groups.argmax(axis=0)] * (groups.sum(axis=0) == 1)
        for g in np.flatnonzero(groups.sum(axis=0) > 1):
            is_own = groups[self.evidence.bins[:, column], g] > 0
            known[g] = self.evidence.n_of(is_own)
        return known

    @property
    def individuals_together(self):
        """Individuals of each combination, of the rows of `together`."""
        evidence = self.evidence
        if evidence.persons is None:
            return self.together
        n_second = self.together.shape[1]
        first, second = (evidence.bins[:, j] for j in (self.first, self.second))
        both = first.astype(np.int64) * n_second + second
        both[evidence.is_moved(self.first, self.second)] = -1
        return evidence.count(both, self.together.size).reshape(self.together.shape)

    @property
    def expected(self):
        """Individuals of each combination, were the columns independent."""
        rows = [self.together.sum(axis=axis) for axis in (1, 0)]
        return np.outer(*rows) / max(self.together.sum(), 1) * self.of_persons

    @property
    def of_persons(self):
        """Individuals over rows: several rows of a person are no more evidence."""
        return self.evidence.n_individuals / max(len(self.evidence.bins), 1)
