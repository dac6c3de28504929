"""Rows in the codes of a domain: one by one, or the distinct ones and how many."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, eq=False)
class DomainRows:
    """The rows of a table, as exact counts are made of them.

    Attributes
    ----------
    codes : ndarray of int64, shape (m, d)
        As `Domain.encode` gives them.
    rows : ndarray of int64, shape (m,), or None
        Rows of the table that each stands for; None where each stands for itself.
    """

    codes: np.ndarray
    rows: np.ndarray | None = None

    @classmethod
    def of(cls, codes: "np.ndarray | DomainRows") -> "DomainRows":
        """Rows one by one; what is some already comes back as it is."""
        if isinstance(codes, DomainRows):
            return codes
        return cls(codes.astype(np.int64))

    def __len__(self) -> int:
        """Rows of the table."""
        return len(self.codes) if self.rows is None else int(self.rows.sum())

    def count(self, labels: np.ndarray, n_labels: int) -> np.ndarray:
        """Rows of each label, the same integers whichever way rows are held.

        Parameters
        ----------
        labels : ndarray of int, shape (m,)
            From 0.
        n_labels : int

        Returns
        -------
        ndarray of int64, shape (n_labels,)

        Examples
        --------
        >>> codes = np.array([[0], [1], [1]])
        >>> DomainRows(codes).count(codes[:, 0], 2).tolist()
        [1, 2]
        >>> DomainRows(codes[:2], np.array([1, 2])).count(codes[:2, 0], 2).tolist()
        [1, 2]
        """
        # Sums of whole numbers below 2^53 are exact in floats.
        return np.bincount(labels, self.rows, n_labels).astype(np.int64)

    def select(self, columns: Sequence[int]) -> "DomainRows":
        """The same rows, of some columns."""
        return replace(self, codes=self.codes[:, columns])
