"""Who is found in the classes of a k-anonymous table, by three attackers.

With f the released records of a class and F the people of the population who fit it::

    prosecutor   knows that somebody is in the table     1/f of each record
    journalist   knows only the population               1/F
    marketer     links all records at once               mean of 1/F over the records

Of records with survey weights F is the sum of the weights of a class where no
population is given. Of households one member who is found is enough: see
`coclust_synth.evaluation.checking.households`.

References
----------
.. [1] F. K. Dankar and K. El Emam, "A method for evaluating marketer re-identification
   risk", PAIS 2010.
.. [2] K. El Emam, "Guide to the de-identification of personal health information", CRC
   Press, 2013, chapter 16: the three attackers, records at risk.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from coclust_synth.evaluation.comparing.scores import Figure
from coclust_synth.evaluation.comparing.setting import Figures
from coclust_synth.exceptions import TableError
from coclust_synth.tables.generalized.table import GeneralizedTable

AT_RISK = 0.2  # a record that is found with more than this chance


class AttackerRisk(NamedTuple):
    """What an attacker finds; all in [0, 1].

    Attributes
    ----------
    mean, largest : float
        Chance of a record to be found.
    at_risk : float
        Share of the records that are found with a chance above `AT_RISK`.
    """

    mean: float
    largest: float
    at_risk: float


def attacker_risk(
    classes: ArrayLike,
    population: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> AttackerRisk:
    """The risk of the records of a table.

    Parameters
    ----------
    classes : ndarray of shape (n,), int
        Class of each record, from 0 without gaps.
    population : ndarray of shape (n_classes,), optional
        People who fit each class. By default the sum of the weights, or the records.
    weights : ndarray of shape (n,), float, optional
        How many people of the population each record stands for.

    Returns
    -------
    AttackerRisk
        The prosecutor's with neither, the journalist's with one of them; the mean of
        the latter is the marketer's risk.

    Raises
    ------
    TableError
        If a class has fewer people than one.

    Examples
    --------
    >>> attacker_risk([0, 0, 1])
    AttackerRisk(mean=0.6666666666666666, largest=1.0, at_risk=1.0)
    >>> attacker_risk([0, 0, 1], population=[20, 10]).largest
    0.1
    """
    classes = np.asarray(classes)
    people = population
    if people is None:
        people = np.bincount(classes, weights)
    people = np.asarray(people, dtype=float)
    if not (people >= 1).all():
        raise TableError(
            "Expected at least one person in each class. Received "
            f"{int((people < 1).sum())} classes with fewer. Give a population that the "
            "records are of, or weights from 1 on."
        )
    risk = 1 / people[classes]
    return AttackerRisk(
        float(risk.mean()), float(risk.max()), float((risk > AT_RISK).mean())
    )


def people_of_classes(released: GeneralizedTable, people: pd.DataFrame) -> np.ndarray:
    """How many people fit the labels of each class that is not suppressed.

    Parameters
    ----------
    released : GeneralizedTable
    people : DataFrame
        With original values that are leaves.

    Returns
    -------
    ndarray of int64, shape (n_classes,)
        In the order of the classes' codes.
    """
    columns = released.columns
    leaves = np.column_stack([c.leaf_codes(people[c.name]) for c in columns])
    rows, counts = np.unique(leaves, axis=0, return_counts=True)
    _, first = np.unique(released.class_codes, return_index=True)
    found = np.empty(len(first), dtype=np.int64)
    for at, row in enumerate(first):
        fits = np.ones(len(rows), dtype=bool)
        for k, column in enumerate(columns):
            fits &= column.members[column.codes[row], rows[:, k]]
        found[at] = counts[fits].sum()
    return found


def class_figures(
    released: GeneralizedTable, people: pd.DataFrame | None = None
) -> Figures:
    """The attackers' risks of a k-anonymous table, without its suppressed rows.

    Parameters
    ----------
    released : GeneralizedTable
    people : DataFrame, optional
        Of whom the released are some; by default only the prosecutor's is told.
    """
    kept = ~released.suppressed
    if not kept.any():
        return {}
    codes, classes = np.unique(released.class_codes[kept], return_inverse=True)
    risks = {"prosecutor": attacker_risk(classes)}
    if people is not None:
        # A perturbed row may fit a class that fewer people fit than it has records.
        fitting = people_of_classes(released, people)[codes]
        fitting = np.maximum(fitting, np.bincount(classes))
        risks["journalist"] = attacker_risk(classes, fitting)
    found: Figures = {}
    for name, risk in risks.items():
        found[f"{name}_mean", ()] = Figure(risk.mean)
        found[f"{name}_largest", ()] = Figure(risk.largest)
        found[f"{name}_at_risk", ()] = Figure(risk.at_risk)
    return found
