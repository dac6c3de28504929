"""delta-presence: whether somebody of a public population is in the released table.

References
----------
.. [1] M. E. Nergiz, M. Atzori and C. Clifton, "Hiding the presence of individuals from
   shared databases", SIGMOD 2007.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.models.base import Counts, PrivacyModel, check_number


@dataclass(frozen=True)
class DeltaPresence(PrivacyModel):
    """The share of a population class that is released is neither low nor high.

    Somebody of the population, known by the quasi-identifiers, is in the released table
    with this probability. Nothing is said of the sensitive values, and the population
    must be the one that an attacker knows.

    A class that is the sum of two has a share between theirs: merging keeps the model.
    Widening a released class over people of the population who were in no released
    class does not: its share falls, below `low` at worst. Where generalisation does
    that the model is not monotone.

    Parameters
    ----------
    low, high : float, 0 <= low <= high <= 1
        Least and largest share.

    Examples
    --------
    >>> DeltaPresence(0.1, 0.5).within(np.array([0.2, 0.9])).tolist()
    [True, False]
    """

    low: float
    high: float
    measure: ClassVar[str] = "share released"
    more_is_better: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_number("the lower delta", self.low, minimum=0, maximum=1)
        check_number("the upper delta", self.high, minimum=0, maximum=1)
        if self.low > self.high:
            raise ParameterError(
                "Expected a lower delta that is at most the upper one. Received "
                f"{self.low:g} and {self.high:g}. Exchange them."
            )

    def __str__(self) -> str:
        return f"({self.low:g}, {self.high:g})-presence"

    def values(
        self, counts: Counts, total_counts: ArrayLike, sizes: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Share released of each class of the population.

        Parameters
        ----------
        counts : array-like of shape (n_classes, 2), int
            Released rows of each class, and rows of the population in it, at least 1
            and at least as many.
        total_counts : array-like of shape (2,), int
            The same for the whole tables; not read.
        """
        released, population = np.asarray(counts, dtype=np.float64).T
        return released / population

    def within(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        return (self.low <= values) & (values <= self.high)

    def worst(self, values: NDArray[np.float64]) -> float:
        """The share that is farthest outside the bounds, or nearest to leaving them."""
        return float(values[np.maximum(self.low - values, values - self.high).argmax()])
