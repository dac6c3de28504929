"""What a check of a released table found; see `privacy_check` beside it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coclust_synth.evaluation.checking.households import HouseholdRisk
from coclust_synth.privacy.models.base import PrivacyModel
from coclust_synth.tables.showing import Shown


class ClassAtRisk(NamedTuple):
    """A class that fails what was asked: its labels, its rows, and what it fails.

    `persons` is how many these rows are of, where a column names them.
    """

    labels: tuple
    size: int
    reasons: tuple[str, ...]
    persons: int | None = None


@dataclass(frozen=True)
class SensitiveCheck:
    """What the classes of a table tell of one sensitive column.

    Where a column names persons, each counts for the commonest value that they hold in
    a class; in distances, for each value.

    Attributes
    ----------
    name : str
    n_values : int
        Different values in the table, missing being one.
    distinct_l : int
        Fewest different values in a class.
    entropy_l : float
        Exponential of the least entropy of a class.
    recursive_c : dict of int to float
        For each l, the c that recursive (c, l)-diversity must be above; infinite where
        a class has fewer than l values.
    t_equal : float
        Largest distance of a class from the table, in [0, 1].
    t_ordered : float or None
        The same by the ordered distance; None for a column without an order.
    largest_share : float
        Largest share that a value has of a class.
    a_know : float
        Mean distance from the table over the rows, or the persons of all classes, in
        [0, 1].
    """

    name: str
    n_values: int
    distinct_l: int
    entropy_l: float
    recursive_c: dict[int, float]
    t_equal: float
    t_ordered: float | None
    largest_share: float
    a_know: float


@dataclass(frozen=True)
class ModelCheck:
    """Whether a table satisfies one model that was asked for.

    Attributes
    ----------
    column : str or None
        Sensitive column; None where the model is not about one.
    model : PrivacyModel
    worst : float
        Measure of the worst class.
    reachable : float
        Measure of the whole table as one class: the best that merging can reach.
    n_failing : int
        Classes that fail it.
    """

    column: str | None
    model: PrivacyModel
    worst: float
    reachable: float
    n_failing: int

    @property
    def holds(self) -> bool:
        """Whether every class satisfies the model."""
        return self.n_failing == 0


@dataclass(frozen=True, eq=False, repr=False)
class PrivacyCheck(Shown):
    """What `check_release` found.

    Attributes
    ----------
    quasi_identifiers : tuple of str
    n_rows : int
        Rows of the table, suppressed ones included.
    n_suppressed : int
        Suppressed rows; all that follows is about the others, but `c_avg` and
        `discernibility`.
    completeness : float
        Share of the original rows that are left; of the table's if none was given.
    sizes : ndarray of shape (n_classes,), int64
        Rows of each class.
    c_avg : float or None
        Mean size of a class over the k that was asked for, see `average_class_size`;
        None without one.
    discernibility : int
        DM.
    sensitive : tuple of SensitiveCheck
    presence : (float, float) or None
        Least and largest share of a population class that is released; None without a
        population.
    models : tuple of ModelCheck
        What was asked for.
    at_risk : tuple of ClassAtRisk
        Classes that fail a model, the smallest first.
    persons : ndarray of shape (n_classes,), int64, or None
        Different persons of each class; None where each row is a person.
    n_persons : int or None
        Different persons of the table without the suppressed rows.
    households : HouseholdRisk or None
    """

    quasi_identifiers: tuple[str, ...]
    n_rows: int
    n_suppressed: int
    completeness: float
    sizes: NDArray[np.int64]
    c_avg: float | None
    discernibility: int
    sensitive: tuple[SensitiveCheck, ...]
    presence: tuple[float, float] | None
    models: tuple[ModelCheck, ...]
    at_risk: tuple[ClassAtRisk, ...]
    persons: NDArray[np.int64] | None = None
    n_persons: int | None = None
    households: HouseholdRisk | None = None

    @property
    def smallest_class(self) -> int:
        """Rows of the class that has fewest."""
        return int(self.sizes.min())

    @property
    def smallest_class_persons(self) -> int | None:
        """Persons of the class that has fewest; None where each row is a person."""
        return None if self.persons is None else int(self.persons.min())

    @property
    def k(self) -> int:
        """Individuals of the smallest class: persons where they are named, or rows."""
        return int(self._individuals.min())

    @property
    def unique_share(self) -> float:
        """Share of the rows that are in a class of one individual."""
        alone = self.sizes[self._individuals == 1]
        return float(alone.sum() / self.sizes.sum())

    @property
    def _individuals(self) -> NDArray[np.int64]:
        return self.sizes if self.persons is None else self.persons

    @property
    def holds(self) -> bool:
        """Whether every model that was asked for holds."""
        return all(check.holds for check in self.models)

    def _told(self):
        held = sum(check.holds for check in self.models)
        return {
            "quasi-identifiers": ", ".join(map(str, self.quasi_identifiers)),
            "rows": self.n_rows,
            "suppressed rows": self.n_suppressed or None,
            "persons": self.n_persons,
            "classes": len(self.sizes),
            "k": self.k,
            **{
                f"l of {own.name}": f"{own.distinct_l}, t {own.t_equal:.4g}"
                for own in self.sensitive
            },
            "models": f"{held} of {len(self.models)} hold" if self.models else None,
        }
