"""Who is found in the classes of a release, by three attackers.

A class is the released rows of equal quasi-identifiers. With f the individuals of a
class and F the people of the population who fit it::

    prosecutor   knows that somebody is in the table    1/f of each individual
    journalist   knows only the population              1/F
    marketer     links all rows at once                 mean of 1/F over individuals

Individuals are rows, or persons where a column names them: of a person's rows the one
that is easiest to find counts. Without a population F is not known. Of rows with survey
weights it is estimated: with p = f / sum of the weights, F - f has a negative binomial
law of f and p, and the expectation of 1/F is [3]_ ::

    E(1/F) = p/f 2F1(1, 1; f + 1; 1 - p)         between f/sum and 1/f

which is more than one over the sum of the weights, most of all where f = 1. With
neither, the table is taken for all there is: the marketer finds what the prosecutor
does. A household is found if one of its members is, see
`coclust_synth.evaluation.checking.households`.

References
----------
.. [1] F. K. Dankar and K. El Emam, "A method for evaluating marketer re-identification
   risk", PAIS 2010.
.. [2] K. El Emam, "Guide to the de-identification of personal health information", CRC
   Press, 2013, chapter 16: the three attackers, records at risk.
.. [3] L. Franconi and S. Polettini, "Individual risk estimation in mu-Argus: a review",
   PSD 2004; sdcMicro and mu-Argus estimate it so.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import hyp2f1

from coclust_synth.evaluation.checking.households import household_chances
from coclust_synth.evaluation.comparing.scores import Figure, Figures, with_interval
from coclust_synth.exceptions import TableError
from coclust_synth.tables.people.people import Persons

COUNTED = "of this table: no interval"  # what is said of an extreme
AT_RISK = 0.2  # an individual who is found with more than this chance


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

    @classmethod
    def of(cls, chances: NDArray[np.float64]) -> "AttackerRisk":
        """From the chance of each record."""
        return cls(
            float(chances.mean()), float(chances.max()), float(_share_at_risk(chances))
        )


class Whose(NamedTuple):
    """Whose rows a release has; what is not known is None.

    Attributes
    ----------
    persons, households : Persons or None
    weights : ndarray of shape (n,), float, or None
        Survey weights: how many people of the population each row stands for.
    """

    persons: Persons | None = None
    households: Persons | None = None
    weights: NDArray[np.float64] | None = None

    def take(self, rows: NDArray[np.bool_]) -> "Whose":
        """The same of some rows."""
        persons, households = (
            None if own is None else Persons(own.column, _from_0(own.codes[rows]))
            for own in (self.persons, self.households)
        )
        weights = None if self.weights is None else self.weights[rows]
        return Whose(persons, households, weights)


def record_risks(classes: ArrayLike, weights: ArrayLike) -> NDArray[np.float64]:
    """The chance of each record of a table to be found, by survey weights.

    Parameters
    ----------
    classes : ndarray of shape (n,), int
        Class of each record, from 0 without gaps.
    weights : ndarray of shape (n,), float
        How many people of the population each record stands for.

    Returns
    -------
    ndarray of shape (n,)
        In ]0, 1]: the journalist's.

    Raises
    ------
    TableError
        If a weight is below 1.

    Examples
    --------
    >>> record_risks([0, 0, 1], [10, 10, 10]).round(4).tolist()
    [0.0827, 0.0827, 0.2558]
    """
    classes = np.asarray(classes)
    f = np.bincount(classes)
    check_weights(np.asarray(weights, dtype=float))
    p = f / np.bincount(classes, weights)
    return (p / f * _gauss_function(f, 1 - p))[classes]


def _gauss_function(f, z):
    """2F1(1, 1; f + 1; z) for z in [0, 1[, by its series where f is large.

    Term n of the series is below 1 / C(n + f, n): of f above 30 a hundred are enough.
    There SciPy's function overflows.
    """
    found, term = np.ones(len(f)), np.ones(len(f))
    for n in range(100):
        term = term * (n + 1) / (f + n + 1) * z
        found += term
    few = f <= 30
    found[few] = hyp2f1(1, 1, f[few] + 1, z[few])
    return found


def check_weights(weights: NDArray[np.float64]) -> None:
    """Refuse weights by which a record stands for less than itself."""
    wrong = weights[~(np.isfinite(weights) & (weights >= 1))]
    if len(wrong):
        raise TableError(
            "Expected survey weights from 1 on, the people that a record stands for. "
            f"Received {len(wrong)} that are not, among them {wrong[0]}. Give weights "
            "that sum to the population, not to the sample."
        )


class Key(NamedTuple):
    """One quasi-identifier, of the classes of a release and of a population.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,), int
        Code of the label of each class, or of its value.
    people : ndarray of shape (m,), int
        Code of the leaf of each person, -1 for none, or of the value.
    members : ndarray of shape (n_labels, n_leaves), bool, or None
        Which leaves a label stands for; None where codes are those of values.
    """

    classes: NDArray[np.int64]
    people: NDArray[np.int64]
    members: NDArray[np.bool_] | None = None


def people_of_classes(keys: Sequence[Key]) -> NDArray[np.int64]:
    """How many people fit each class.

    Parameters
    ----------
    keys : sequence of Key

    Returns
    -------
    ndarray of int64, shape (n_classes,)

    Examples
    --------
    >>> either = np.array([[True, True, False]])
    >>> key = Key(np.array([0]), np.array([0, 1, 2, -1]), either)
    >>> people_of_classes([key]).tolist()
    [2]
    """
    profiles = np.column_stack([key.people for key in keys])
    rows, counts = np.unique(profiles, axis=0, return_counts=True)
    found = np.empty(len(keys[0].classes), dtype=np.int64)
    for at in range(len(found)):
        fits = np.ones(len(rows), dtype=bool)
        for key, own in zip(keys, rows.T, strict=True):
            code = key.classes[at]
            if key.members is None:
                fits &= own == code
            else:
                fits &= (own >= 0) & key.members[code, own]
        found[at] = counts[fits].sum()
    return found


def class_figures(
    classes: NDArray[np.int64],
    whose: Whose | None = None,
    population: NDArray[np.int64] | None = None,
) -> Figures:
    """The attackers' risks, of rows, persons and households, and the smallest class.

    Parameters
    ----------
    classes : ndarray of shape (n,), int
        Class of each row that is not suppressed, from 0 without gaps.
    whose : Whose, optional
        By default each row is a person.
    population : ndarray of shape (n_classes,), int, optional
        People who fit each class. A class of more individuals than people, such as of
        perturbed rows, counts as many people as individuals.
    """
    persons, households, weights = whose or Whose()
    rows = classes if persons is None else persons.first_of_each(classes)
    once = classes if persons is None else classes[rows]  # each individual of a class
    f = np.bincount(once)
    found: Figures = {("smallest_class", ()): Figure(float(f.min()), note=COUNTED)}
    risks = {"prosecutor": (1 / f)[classes]}
    if population is not None:
        risks["journalist"] = (1 / np.maximum(population, f))[classes]
    elif weights is not None:
        own = weights if persons is None else weights[rows]
        by_class = np.empty(len(f))
        by_class[once] = record_risks(once, own)
        risks["journalist"] = by_class[classes]
    for who, of_rows in risks.items():
        chances, own = _of_individuals(of_rows, classes, persons)
        risk = AttackerRisk.of(chances)
        # Of all at once: the marketer's, who knows as much as the last of them.
        note = "" if who == "journalist" else "the release taken for the population"
        mean = _of_classes(Figure(risk.mean, note=note), np.mean, chances, own)
        found["marketer", ()] = mean
        if who == "prosecutor":
            found["prosecutor_mean", ()] = mean._replace(note="")
        found[f"{who}_largest", ()] = Figure(risk.largest, note=COUNTED)
        found[f"{who}_at_risk", ()] = _of_classes(
            Figure(risk.at_risk), _share_at_risk, chances, own
        )
        if households is not None:
            found |= _household_figures(who, of_rows, classes, whose)
    return found


def _household_figures(who, of_rows, classes, whose):
    """The risks of households, each in the class of the row most easily found."""
    chances = household_chances(of_rows, whose.households, whose.persons)
    _, own = _of_individuals(of_rows, classes, whose.households)
    risk = AttackerRisk.of(chances)
    return {
        (f"{who}_household_mean", ()): _of_classes(
            Figure(risk.mean), np.mean, chances, own
        ),
        (f"{who}_household_largest", ()): Figure(risk.largest, note=COUNTED),
        (f"{who}_household_at_risk", ()): _of_classes(
            Figure(risk.at_risk), _share_at_risk, chances, own
        ),
    }


def _of_classes(figure, measure, chances, classes):
    """A figure of individuals with its interval, over classes: they stay whole."""
    return with_interval(
        figure,
        int(classes.max()) + 1,
        lambda kept: float(measure(chances[kept[classes]])),
        most=1.0,
    )


def _share_at_risk(chances):
    return (chances > AT_RISK).mean()


def _of_individuals(of_rows, classes, persons):
    """The chance of each individual, and the class of the row that gives it."""
    if persons is None:
        return of_rows, classes
    order = np.lexsort((of_rows, persons.codes))
    last = np.append(np.flatnonzero(np.diff(persons.codes[order])), len(order) - 1)
    return of_rows[order[last]], classes[order[last]]


def _from_0(codes):
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
