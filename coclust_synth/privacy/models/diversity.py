r"""k-anonymity and the models that bound what a class says of a sensitive value.

With n_E the rows of a class E and r_1 >= r_2 >= ... >= r_m > 0 the rows that hold each
of its m sensitive values::

    k-anonymity              n_E >= k
    distinct l-diversity     m >= l
    entropy l-diversity      exp(-sum r_i/n_E ln(r_i/n_E)) >= l
    recursive (c, l)         r_1 < c (r_l + r_{l+1} + ... + r_m)
    (alpha, k)-anonymity     r_1 / n_E <= alpha, beside k-anonymity

Merging classes that satisfy one of them gives a class that does. What they do not
protect: a value that is rare in the table may be frequent in a class that is as
diverse as it should be, and close values (two cancers) count as different ones.

Where persons can have several rows, each of the n_E persons of a class counts for one
value of those that the person holds in it: r_1 persons hold the commonest value, r_2 of
the others hold the commonest of what the others hold, and so on, and of values that as
many hold the first in their order counts first. No value can be held by more persons
than r_1, so that a value has as large a share of the persons as the model allows where
each has one row, and no larger: one that all persons of a class hold leaves it with
r_1 = n_E and no r_2, which no model here accepts (l above 1, alpha below 1). It is the
greedy cover of the persons by values, whose entropy is the least that any choice of a
value for each person can have, or at most log2(e) = 1.44 bits more [4]_; r_2 and what
follows can be other numbers for other choices. Where each person has one row it is what
it was. Two classes that share nobody have together at most the sum of their r_1, and
the sum of their n_E: no larger share, and two values if each has two. Classes that
share persons, and other models, can fail together where each holds, but for k: whoever
merges looks again, up to the table as one class.

References
----------
.. [1] L. Sweeney, "k-anonymity: a model for protecting privacy", International Journal
   of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002.
.. [2] A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam,
   "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007: distinct,
   entropy and recursive diversity, and their monotonicity.
.. [3] R. C.-W. Wong, J. Li, A. W.-C. Fu and K. Wang, "(alpha, k)-anonymity", KDD 2006.
.. [4] J. Cardinal, S. Fiorini and G. Joret, "Tight results on minimum entropy set
   cover", Algorithmica 51(1), 2008.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coclust_synth.privacy.models.base import (
    Counts,
    PrivacyModel,
    as_counts,
    entry_rows,
    sum_rows,
)
from coclust_synth.validation import check_integer, check_number

# exp and ln round: an entropy that is ln l exactly may come out below.
_ENTROPY_TOLERANCE = 1e-9


@dataclass(frozen=True)
class KAnonymity(PrivacyModel):
    """At least k rows in every class: a person is one of k or more.

    Says nothing of what the rows of a class have in common.

    Parameters
    ----------
    k : int, at least 1
    """

    k: int
    measure: ClassVar[str] = "rows"
    more_is_better: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_integer("k", self.k, minimum=1)

    def __str__(self) -> str:
        return f"{self.k}-anonymity"

    def values(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.float64]:
        """Individuals of each class."""
        return as_counts(counts).sum(axis=1).astype(np.float64)

    def within(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        return values >= self.k


@dataclass(frozen=True)
class KPersons(KAnonymity):
    """At least k persons in every class, where each can have several rows.

    Its counts are of persons: a column of their number in each class.

    Parameters
    ----------
    k : int, at least 1
    """

    measure: ClassVar[str] = "persons"


@dataclass(frozen=True)
class DistinctLDiversity(PrivacyModel):
    """At least l different sensitive values in every class.

    One of them can be that of nearly all rows. If persons have several rows, l is the
    number of values that are needed, the commonest first, until each person has one of
    them.

    Parameters
    ----------
    l : int, at least 1

    Examples
    --------
    >>> DistinctLDiversity(2).values([[3, 1], [4, 0]], [7, 1]).round(2).tolist()
    [2.0, 1.0]
    """

    l: int  # noqa: E741
    measure: ClassVar[str] = "distinct l"
    more_is_better: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_integer("l", self.l, minimum=1)

    def __str__(self) -> str:
        return f"distinct {self.l}-diversity"

    def values(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.float64]:
        """Different values in each class."""
        return np.diff(as_counts(counts).indptr).astype(np.float64)

    def within(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        return values >= self.l


@dataclass(frozen=True)
class EntropyLDiversity(PrivacyModel):
    """Sensitive values in every class as uncertain as l equally frequent ones.

    Parameters
    ----------
    l : float, at least 1
        Compared with the exponential of the entropy, which need not be a whole number,
        up to 1e-9 of it.

    Examples
    --------
    >>> EntropyLDiversity(2).values([[3, 1], [4, 0]], [7, 1]).round(2).tolist()
    [1.75, 1.0]
    """

    l: float  # noqa: E741
    measure: ClassVar[str] = "entropy l"
    more_is_better: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("l", self.l, minimum=1)

    def __str__(self) -> str:
        return f"entropy {self.l:g}-diversity"

    def values(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.float64]:
        """Exponential of the entropy of each class, from 1 to its different values."""
        matrix = as_counts(counts)
        shares = matrix.data / matrix.sum(axis=1)[entry_rows(matrix)]
        return np.exp(sum_rows(matrix, -shares * np.log(shares)))

    def within(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        return values >= self.l * (1 - _ENTROPY_TOLERANCE)


@dataclass(frozen=True)
class RecursiveLDiversity(PrivacyModel):
    """The most frequent value of every class not much more frequent than the rare ones.

    Parameters
    ----------
    c : float, above 0
    l : int, at least 1
        r_1 must be less than c times the sum of r_l, r_{l+1}, ...: somebody who rules
        out l - 2 values still cannot be nearly sure.

    Examples
    --------
    >>> RecursiveLDiversity(2, 2).values([[3, 1], [4, 0]], [7, 1]).round(2).tolist()
    [3.0, inf]
    """

    c: float
    l: int  # noqa: E741
    measure: ClassVar[str] = "c"
    more_is_better: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_number("c", self.c, above=0)
        check_integer("l", self.l, minimum=1)

    def __str__(self) -> str:
        return f"recursive ({self.c:g}, {self.l})-diversity"

    def values(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.float64]:
        """The c that each class is just short of: it satisfies every larger one.

        Infinite for a class of fewer than l different values.
        """
        matrix = as_counts(counts)
        rows = entry_rows(matrix)
        by_count = np.lexsort((-matrix.data, rows))
        data = matrix.data[by_count]
        rank = np.arange(len(data)) - matrix.indptr[rows]  # 0 for r_1
        tail = sum_rows(matrix, np.where(rank >= self.l - 1, data, 0))
        top = data[matrix.indptr[:-1]]
        return np.divide(top, tail, out=np.full(len(top), np.inf), where=tail > 0)

    def within(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        return values < self.c


@dataclass(frozen=True)
class AlphaK(PrivacyModel):
    """No sensitive value held by more than a share alpha of a class.

    The k of (alpha, k)-anonymity is a model of its own, `KAnonymity`.

    Parameters
    ----------
    alpha : float, above 0, at most 1

    Examples
    --------
    >>> AlphaK(0.5).values([[3, 1], [4, 0]], [7, 1]).round(2).tolist()
    [0.75, 1.0]
    """

    alpha: float
    measure: ClassVar[str] = "largest share"
    more_is_better: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha, above=0, maximum=1)

    def __str__(self) -> str:
        return f"largest share {self.alpha:g}"

    def values(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.float64]:
        """Share of the individuals of each class who hold its most frequent value."""
        matrix = as_counts(counts)
        top = np.maximum.reduceat(matrix.data, matrix.indptr[:-1])
        return top / matrix.sum(axis=1)

    def within(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        return values <= self.alpha
