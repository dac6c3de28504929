"""Who has the values of a column, where persons may have several of them.

Of many values of somebody many rows are multiples of ten, or end in .37, and no twenty
persons have any of it. So what is told of all values together is asked of persons as
well, of whom each counts as one however many values they have.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Holders:
    """Values, and the person who has each.

    Attributes
    ----------
    values : ndarray, shape (n,)
    person : ndarray of int64, shape (n,)
    """

    values: NDArray[Any]
    person: NDArray[np.int64]

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """What each value is of those of its person, (n,) float64."""
        _, whose, n_each = np.unique(
            self.person, return_inverse=True, return_counts=True
        )
        return 1 / n_each[whose]

    def n_of(self, has: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> int:
        """Persons who have a value of which something is true.

        Examples
        --------
        >>> Holders(np.array([1, 2, 4]), np.array([5, 5, 5])).n_of(lambda x: x > 1)
        1
        """
        return len(np.unique(self.person[has(self.values)]))

    def but(self, left_out: NDArray[Any]) -> "Holders":
        """Those of other values than some."""
        kept = ~np.isin(self.values, left_out)
        return Holders(self.values[kept], self.person[kept])
