"""What households risk: whoever recognises one member learns about all of them.

With f the persons of a class, somebody who looks for one of them is right with
probability r = 1/f: the risk of a person, the largest of the classes that their rows
are in. A household is found if one of its members is::

    1 - product over its members of (1 - r)

as if members were looked for independently. The table is taken for all that an attacker
has to choose from: whoever is not sure that somebody is in it has smaller risks.

References
----------
.. [1] A. Hundepool, J. Domingo-Ferrer, L. Franconi, S. Giessing, E. Schulte Nordholt,
   K. Spicer and P.-P. de Wolf, "Statistical Disclosure Control", Wiley, 2012, section
   3.3: individual and household risk.
.. [2] M. Templ, A. Kowarik and B. Meindl, "Statistical disclosure control for
   micro-data using the R package sdcMicro", Journal of Statistical Software 67(4),
   2015: the product (`measure_risk` with `hid`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.showing import Shown


@dataclass(frozen=True, repr=False)
class HouseholdRisk(Shown):
    """How near the households of a table are to being found.

    Attributes
    ----------
    column : str
    n_households : int
    smallest_class : int
        Households in the class that has fewest.
    share_below : float or None
        Share of the rows in classes of fewer than k households; None without a k.
    mean, largest : float
        Of the risks of the households, in [0, 1].
    expected : float
        Sum of the risks: households that would be found.
    """

    column: str
    n_households: int
    smallest_class: int
    share_below: float | None
    mean: float
    largest: float
    expected: float

    def _told(self):
        return {
            "households": self.n_households,
            "smallest class": self.smallest_class,
            "mean risk": self.mean,
            "largest risk": self.largest,
        }


def household_risk(
    classes: NDArray[np.int64],
    households: Persons,
    persons: Persons | None,
    k: int | None = None,
) -> HouseholdRisk:
    """The risk of the households of a table.

    Parameters
    ----------
    classes : ndarray of int64, shape (n,)
        Class of each row, from 0 without gaps.
    households : Persons
        The household of each row.
    persons : Persons or None
        None: each row is a person.
    k : int, optional
        For `share_below`.

    Examples
    --------
    >>> households = Persons("home", np.array([0, 0, 1]))
    >>> household_risk(np.array([0, 1, 1]), households, None).largest
    1.0
    """
    in_class = households.count(classes)
    sizes = np.bincount(classes) if persons is None else persons.count(classes)
    found = household_chances(1 / sizes[classes], households, persons)
    return HouseholdRisk(
        column=households.column,
        n_households=households.n,
        smallest_class=int(in_class.min()),
        share_below=None if k is None else float((in_class[classes] < k).mean()),
        mean=float(found.mean()),
        largest=float(found.max()),
        expected=float(found.sum()),
    )


def household_chances(
    chances: NDArray[np.float64], households: Persons, persons: Persons | None
) -> NDArray[np.float64]:
    """Chance that a member of each household is found.

    Parameters
    ----------
    chances : ndarray of shape (n,)
        To find each row, in [0, 1]; of several rows of a person the largest counts.
    households, persons
        As of `household_risk`.

    Returns
    -------
    ndarray of shape (n_households,)

    Examples
    --------
    >>> homes = Persons("home", np.array([0, 0, 1]))
    >>> household_chances(np.array([0.5, 0.5, 0.5]), homes, None).tolist()
    [0.75, 0.5]
    """
    members = np.arange(len(chances)) if persons is None else persons.codes
    n_members = int(members.max()) + 1
    pairs, member = np.unique(
        households.codes * n_members + members, return_inverse=True
    )
    risk = np.zeros(len(pairs))
    np.maximum.at(risk, member, chances)
    with np.errstate(divide="ignore"):
        log_safe = np.bincount(pairs // n_members, np.log1p(-risk))
    return -np.expm1(log_safe)
