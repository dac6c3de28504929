"""Which class each new row goes to, so that every class gets none or at least k.

Rows begin in the narrowest class that their values fit. The class of the fewest
individuals below k is closed, its rows go on to the next class that is open, and so on
until every open class has k. Rows that find none are held back; a closed class that k
of them fit is opened again.
"""

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Candidates(NamedTuple):
    """The classes that each row fits, the first it would go to first.

    Attributes
    ----------
    starts : ndarray of int64, shape (n_records + 1,)
        Where those of each distinct row begin and end in `classes`.
    classes : ndarray of int64
    record_of_row : ndarray of int64, shape (n,)
    """

    starts: NDArray[np.int64]
    classes: NDArray[np.int64]
    record_of_row: NDArray[np.int64]

    def of(self, row: int) -> list[int]:
        """Those of a row, as plain numbers."""
        record = self.record_of_row[row]
        return self.classes[self.starts[record] : self.starts[record + 1]].tolist()


def place_rows(
    candidates: Candidates,
    k: int,
    persons: NDArray[np.int64] | None = None,
    failing: Callable[[list[list[int]]], Sequence[bool]] | None = None,
) -> NDArray[np.int64]:
    """Give each row a class, none of which has fewer than k individuals.

    Parameters
    ----------
    candidates : Candidates
    k : int
    persons : ndarray of int, shape (n,), optional
        Number of the person of each row; by default each row is one.
    failing : callable, optional
        Tells of lists of rows which may be no class, whatever their number.

    Returns
    -------
    ndarray of int64, shape (n,)
        -1 for a row that is held back. No k of these fit one class together, but where
        that class would fail.

    Examples
    --------
    >>> fits = Candidates(np.array([0, 2, 3]), np.array([4, 7, 7]), np.array([0, 0, 1]))
    >>> place_rows(fits, 2).tolist(), place_rows(fits, 3).tolist()
    ([4, 4, -1], [7, 7, 7])
    """
    state = _Places(candidates, k, persons, failing or _none_fails)
    for row in range(len(candidates.record_of_row)):
        state.move(row)
    state.close_small()
    state.close_failing()
    state.reopen()
    found = np.full(len(candidates.record_of_row), -1, dtype=np.int64)
    for own, rows in state.rows.items():
        found[rows] = own
    return found


def _none_fails(many):
    return [False] * len(many)


class _Places:
    """The rows of each open class, and those that are held back."""

    def __init__(self, candidates, k, persons, failing):
        self.candidates, self.k = candidates, k
        self.persons, self.failing = persons, failing
        self.rows: dict[int, list[int]] = {}
        self.held: list[int] = []
        self.closed: set[int] = set()

    def size(self, rows):
        """Individuals of some rows."""
        return len(rows if self.persons is None else {*self.persons[rows].tolist()})

    def move(self, row):
        """Put a row in its first open class; the number of that, or None."""
        for own in self.candidates.of(row):
            if own not in self.closed:
                self.rows.setdefault(own, []).append(row)
                return own
        self.held.append(row)
        return None

    def close(self, own):
        """Send the rows of a class on; the classes that they go to."""
        self.closed.add(own)
        return {self.move(row) for row in self.rows.pop(own)} - {None}

    def close_small(self):
        """Close classes of fewer than k, the smallest first, until none is."""
        heap = [(self.size(rows), own) for own, rows in self.rows.items()]
        heapify(heap)
        while heap:
            size, own = heappop(heap)
            # An entry that is not the latest of its class is passed over.
            if own not in self.rows or self.size(self.rows[own]) != size:
                continue
            if size >= self.k:
                return
            for other in self.close(own):
                heappush(heap, (self.size(self.rows[other]), other))

    def close_failing(self):
        """Close classes that may be none, the smallest first."""
        while self.rows:
            numbers = [*self.rows]
            fails = self.failing([self.rows[own] for own in numbers])
            found = [own for own, bad in zip(numbers, fails, strict=True) if bad]
            if not found:
                return
            self.close(min(found, key=lambda own: (self.size(self.rows[own]), own)))
            self.close_small()

    def reopen(self):
        """Open the closed class that most of those held back fit, while k do."""
        fitting: dict[int, list[int]] = {}
        for row in self.held:
            for own in self.candidates.of(row):
                fitting.setdefault(own, []).append(row)
        while fitting:
            own = max(fitting, key=lambda own: (self.size(fitting[own]), -own))
            rows = fitting.pop(own)
            if self.size(rows) < self.k:
                return
            if self.failing([rows])[0]:
                continue
            self.rows[own] = rows
            self.closed.discard(own)
            gone = {*rows}
            fitting = {
                other: left
                for other, those in fitting.items()
                if (left := [row for row in those if row not in gone])
            }
