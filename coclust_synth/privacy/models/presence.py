"""Models of the people of a population who fit the classes of a release.

They are for a table of some people of a population, of whom an attacker does not know
who is in it. What counts is how many people of the population fit the labels of a class
(k-map), or how many of these are released (delta-presence).

Without a table of the population, `Sampled` asks a model of what can be said of it: if
each person of it is released with chance p, independently, and any number of people is
thought as likely as any other on a log scale, a class of f released rows has F people,
where F - f has a negative binomial law of f and p. This is the estimate of mu-Argus and
sdcMicro. It is not sound for samples by strata or clusters, and what the population
really is it does not say.

References
----------
.. [1] M. E. Nergiz, M. Atzori and C. Clifton, "Hiding the presence of individuals from
   shared databases", SIGMOD 2007: delta-presence.
.. [2] L. Sweeney, "k-anonymity: a model for protecting privacy", International Journal
   on Uncertainty, Fuzziness and Knowledge-based Systems 10, 2002: k-map.
.. [3] L. Franconi and S. Polettini, "Individual risk estimation in mu-Argus: a review",
   PSD 2004.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.models.base import Counts, PrivacyModel
from coclust_synth.validation import check_integer, check_number


class PopulationModel(PrivacyModel):
    """Base of the models that are asked of released rows and people of each class."""

    @abstractmethod
    def allowed(
        self, released: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Least and largest number of people for which classes hold.

        Parameters
        ----------
        released : ndarray of int64, shape (n_classes,)
            Released rows of each, at least 1.
        """


@dataclass(frozen=True)
class DeltaPresence(PopulationModel):
    """The share of a population class that is released is neither low nor high.

    The share is the probability that somebody of the population, whose
    quasi-identifiers are known, is in the released table. Nothing is said about
    sensitive values. The population must be the one that an attacker knows.

    If two classes are merged, the share lies between theirs, so that the model still
    holds. If a class is widened to people of the population who were in no released
    class, the share falls, perhaps below `low`. The model is not monotone if
    generalisation does this.

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

    def values(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.float64]:
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

    def allowed(self, released):
        released = np.asarray(released, dtype=np.float64)
        # Tiny, in case a quotient of whole numbers is one only but for rounding.
        with np.errstate(divide="ignore"):
            least, most = released / self.high - 1e-9, released / self.low + 1e-9
        return np.ceil(least), np.floor(most)


@dataclass(frozen=True)
class KMap(PopulationModel):
    """Every released class has k people of the population or more (k-map).

    Somebody of the population, known by the quasi-identifiers, is one of k who fit the
    class. The class may have fewer released rows: whoever knows that a person is in the
    table knows more, and k-map says nothing then. Nor does it of sensitive values.

    Parameters
    ----------
    k : int
        People, from 1.

    Examples
    --------
    >>> KMap(5).holds([[1, 9], [3, 4]], None).tolist()
    [True, False]
    """

    k: int
    measure: ClassVar[str] = "people"
    more_is_better: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_integer("the k of k-map", self.k, minimum=1)

    def __str__(self) -> str:
        return f"{self.k}-map"

    def values(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.float64]:
        """People of each class; infinite where nobody is released.

        Parameters
        ----------
        counts, total_counts
            As of `DeltaPresence`.
        """
        released, people = np.asarray(counts, dtype=np.float64).T
        return np.where(released > 0, people, np.inf)

    def within(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        return values >= self.k

    def allowed(self, released):
        shape = np.shape(released)
        return np.full(shape, float(self.k)), np.full(shape, np.inf)


@dataclass(frozen=True)
class Sampled(PopulationModel):
    """A model of a population of which only the released share is known.

    A class holds if the chance that its people break the model is small, by the law at
    the head of this module. It is an estimate and no guarantee.

    Parameters
    ----------
    model : DeltaPresence or KMap
    fraction : float
        Share of the population that is in the table, in (0, 1).
    risk : float, default=0.05
        Largest chance allowed for a class.

    Examples
    --------
    >>> model = Sampled(KMap(20), 0.1)
    >>> model.values([[1, 1], [5, 5]], None).round(3).tolist()
    [0.865, 0.035]
    """

    model: PopulationModel
    fraction: float
    risk: float = 0.05
    measure: ClassVar[str] = "chance to fail"
    more_is_better: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_number("the sampling fraction", self.fraction, above=0, maximum=1)
        check_number("the risk", self.risk, minimum=0, maximum=1)
        if self.fraction == 1 or not isinstance(self.model, DeltaPresence | KMap):
            raise ParameterError(
                "Expected DeltaPresence or KMap, and a sampling fraction below 1. "
                f"Received {self.model} and {self.fraction}. Give the population where "
                "all of it is released."
            )

    def __str__(self) -> str:
        return f"{self.model}, estimated at a sampling fraction of {self.fraction:g}"

    def values(self, counts: Counts, total_counts: ArrayLike) -> NDArray[np.float64]:
        """Chance of each class that its people break the model.

        Parameters
        ----------
        counts : array-like of shape (n_classes, 2), int
            Released rows of each class, at least 1; the second column is not read.
        total_counts
            Not read.
        """
        released = np.asarray(counts)[:, 0]
        least, most = self.model.allowed(released)
        return (
            self._chance_below(released, least)
            + 1
            - self._chance_below(released, most + 1)
        )

    def within(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        return values <= self.risk

    def allowed(self, released):
        return self.model.allowed(released)

    def _chance_below(self, released, people):
        """Chance of fewer people than these: of at most people - 1 - released more."""
        beyond = np.where(np.isinf(people), 0.0, people - released)
        chance = betainc(released, np.maximum(beyond, 1e-300), self.fraction)
        return np.where(np.isinf(people), 1.0, np.where(beyond > 0, chance, 0.0))
