r"""The risk of each record of a table: how likely a link to it is right.

A *class* is the rows of equal quasi-identifiers, f the individuals of a class in the
table and F those of the population, from which an attacker takes one at random. The
risk of a record is E(1/F | f)::

    population given   1/F, where F is not less than f
    survey weights     Benedetti and Franconi's, of F estimated by the weights; see
                       `coclust_synth.evaluation.risk.classes`
    sampling fraction  a log-linear model of the classes; see
                       `coclust_synth.evaluation.risk.log_linear`
    nothing            1/f: the table is all there is, or somebody knows who is in it

With SU the individuals who are alone in the table (f = 1), and PU those who are alone
in the population (F = 1), of w_i people for which i stands::

    P(PU | SU) = mean over SU of P(F = 1 | f = 1)
    P(PU)      = sum over SU of w_i P(F = 1 | f = 1) / sum of w_i, or counted

A household is found if one of its members is: 1 - product of (1 - risk). What is
expected to be found is the sum of the risks. All figures are about real rows and of
these quasi-identifiers; the list of the worst names rows, and is never for release.

References
----------
.. [1] R. Benedetti and L. Franconi, "Statistical and technological solutions for
   controlled data dissemination", NTTS 1998.
.. [2] A. Hundepool et al., "Statistical Disclosure Control", Wiley, 2012, section 3.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.evaluation.checking.households import household_chances
from coclust_synth.evaluation.risk.classes import AT_RISK, check_weights, record_risks
from coclust_synth.evaluation.risk.log_linear import (
    chance_to_be_found,
    expected_in_sample,
    expected_outside,
)
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.privacy.classes import code_values, equivalence_classes
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.schema import unknown_column
from coclust_synth.tables.showing import Shown


class HouseholdsFound(NamedTuple):
    """Risk of the households: how many there are, mean, largest, and sum."""

    n: int
    mean: float
    largest: float
    expected: float


@dataclass(frozen=True, repr=False)
class RecordRisk(Shown):
    """The risks of the records of a table, confidential as the table is.

    Attributes
    ----------
    estimated_by : str
        What F is known by.
    rows : ndarray of int64, shape (n,)
        Number of each row that is in a class, from 1, in the order of the table.
    f : ndarray of int64, shape (n,)
        Individuals of its class in the table.
    people : ndarray of shape (n,)
        People of its class in the population, known or expected.
    risk : ndarray of shape (n,)
        In ]0, 1].
    n_individuals : int
    mean, largest, at_risk : float
        Of the risks of individuals; `at_risk` the share above .2.
    expected : float
        Individuals whom links are expected to find.
    uniques : int
        Individuals who are alone in the table, SU.
    uniques_at_large, population_uniques : float or None
        P(PU | SU), None if nobody is alone, and P(PU). None where nothing is known of
        the population.
    k_map : float
        Fewest people of a class in the population, known or expected.
    households : HouseholdsFound or None
    """

    estimated_by: str
    rows: NDArray[np.int64]
    f: NDArray[np.int64]
    people: NDArray[np.float64]
    risk: NDArray[np.float64]
    n_individuals: int
    mean: float
    largest: float
    at_risk: float
    expected: float
    uniques: int
    uniques_at_large: float | None
    population_uniques: float | None
    k_map: float
    households: HouseholdsFound | None = None

    def worst(self, n: int | None = None) -> pd.DataFrame:
        """The rows of the largest risks, equal ones in the order of the table.

        Parameters
        ----------
        n : int, optional
            How many; by default all.

        Returns
        -------
        DataFrame
            Of columns ``row``, ``f``, ``people``, ``risk``. Confidential.
        """
        order = np.argsort(-self.risk, kind="stable")[:n]
        of = {"row": self.rows, "f": self.f, "people": self.people, "risk": self.risk}
        return pd.DataFrame({name: values[order] for name, values in of.items()})

    def _told(self):
        return {
            "individuals": self.n_individuals,
            "by": self.estimated_by,
            "mean risk": self.mean,
            "largest": self.largest,
            "expected to be found": self.expected,
        }


class _Known(NamedTuple):
    """What is known of the classes: risks, people, and who is alone at large."""

    by: str
    risk: NDArray[np.float64]
    people: NDArray[np.float64]
    alone: NDArray[np.float64] | None
    weights: NDArray[np.float64]
    population_uniques: float | None = None


def record_risk(
    frame: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    *,
    weights: str | None = None,
    sampling_fraction: float | None = None,
    population: pd.DataFrame | None = None,
    person_id: str | None = None,
    household_id: str | None = None,
    suppressed: NDArray[np.bool_] | None = None,
) -> RecordRisk:
    """The risk of each record of a table.

    Parameters
    ----------
    frame : DataFrame of n rows
        Its index is not read.
    quasi_identifiers : sequence of str
        Columns that an attacker knows of a person.
    weights : str, optional
        Column of survey weights, from 1 on.
    sampling_fraction : float, optional
        Share of the population that the table is a sample of, in ]0, 1].
    population : DataFrame, optional
        People of whom those of the table are, with the same labels. One of these three
        can be given; with none the table is all there is.
    person_id, household_id : str, optional
        Columns that name the person, or the household, of each row.
    suppressed : ndarray of bool, shape (n,), optional
        Rows that are in no class.

    Returns
    -------
    RecordRisk

    Raises
    ------
    ParameterError
        If a column is unknown, several of the three are given, or the fraction is none.
    TableError
        If a row names nobody, or weights are below 1.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [30, 30, 31], "w": [10, 10, 10]})
    >>> record_risk(frame, ["age"]).risk.tolist()
    [0.5, 0.5, 1.0]
    >>> found = record_risk(frame, ["age"], weights="w")
    >>> found.risk.round(4).tolist(), found.uniques_at_large
    ([0.0827, 0.0827, 0.2558], 0.1)
    """
    _check(frame, quasi_identifiers, weights, sampling_fraction, population)
    kept = np.ones(len(frame), dtype=bool) if suppressed is None else ~suppressed
    rows = np.flatnonzero(kept)
    frame = frame.iloc[rows]
    persons, households = (
        None if name is None else Persons.of(frame, name, what)
        for name, what in ((person_id, "person"), (household_id, "household"))
    )
    classes = equivalence_classes(frame, quasi_identifiers)
    # A person counts once in a class.
    once = np.arange(len(frame))
    if persons is not None:
        once = persons.first_of_each(classes.codes)
    of = classes.codes[once]
    people = frame.iloc[once]
    f = np.bincount(of)
    if population is not None:
        known = _of_population(people, quasi_identifiers, population, of, f)
    elif weights is not None:
        known = _of_weights(people[weights].to_numpy(dtype=float), of, f)
    elif sampling_fraction is not None:
        known = _of_fraction(people, quasi_identifiers, sampling_fraction, of, f)
    else:
        known = _Known(
            "the table alone", 1 / f, f.astype(float), None, np.ones(len(of))
        )
    risk = known.risk[classes.codes]
    own = risk
    if persons is not None:
        own = np.zeros(persons.n)
        np.maximum.at(own, persons.codes, risk)
    single = (f == 1)[of]
    at_large = population_uniques = None
    if known.alone is not None:
        chance = known.alone[of][single]
        at_large = float(chance.mean()) if single.any() else None
        population_uniques = known.population_uniques
        if population_uniques is None:
            stand_for = known.weights[single] * chance
            population_uniques = float(stand_for.sum() / known.weights.sum())
    found = None
    if households is not None:
        chances = household_chances(risk, households, persons)
        found = HouseholdsFound(
            households.n,
            float(chances.mean()),
            float(chances.max()),
            float(chances.sum()),
        )
    return RecordRisk(
        known.by,
        rows + 1,
        f[classes.codes],
        known.people[classes.codes],
        risk,
        len(own),
        float(own.mean()),
        float(own.max()),
        float((own > AT_RISK).mean()),
        float(own.sum()),
        int(single.sum()),
        at_large,
        population_uniques,
        float(known.people.min()),
        found,
    )


def _of_population(people, names, population, of, f):
    """By the people themselves: those of the same labels."""
    both = pd.concat([people[list(names)], population[list(names)]], ignore_index=True)
    codes = equivalence_classes(both, names).codes
    counts = np.bincount(codes[len(people) :], minlength=int(codes.max()) + 1)
    found = np.empty(len(f), dtype=np.int64)
    found[of] = counts[codes[: len(people)]]
    big = np.maximum(found, f)
    alone = (big == 1).astype(float)
    uniques = float((counts == 1).sum() / len(population))
    by, ones = "the population", np.ones(len(of))
    return _Known(by, 1 / big, big.astype(float), alone, ones, uniques)


def _of_weights(weights, of, f):
    """By survey weights, after Benedetti and Franconi."""
    check_weights(weights)
    risk = np.empty(len(f))
    risk[of] = record_risks(of, weights)
    people = np.bincount(of, weights)
    return _Known("survey weights", risk, people, f / people, weights)


def _of_fraction(people, names, fraction, of, f):
    """By a log-linear model of the classes."""
    codes = np.column_stack([code_values(people[name]).codes for name in names])
    first = np.empty(len(f), dtype=np.int64)
    first[of[::-1]] = np.arange(len(of))[::-1]
    outside = expected_outside(expected_in_sample(codes, first), fraction)
    return _Known(
        "a log-linear model",
        chance_to_be_found(f, outside),
        f + outside,
        np.exp(-outside),
        np.full(len(of), 1 / fraction),
    )


def _check(frame, names, weights, fraction, population):
    """Refuse what is not there, and two ways to know the population."""
    told = {"weights": weights, "a sampling fraction": fraction}
    given = [name for name, value in told.items() if value is not None]
    given += [] if population is None else ["a population"]
    if len(given) > 1:
        raise ParameterError(
            "Expected one way to know the population. Received "
            f"{' and '.join(given)}. Leave all but one out."
        )
    for name in (*names, *([] if weights is None else [weights])):
        if name not in frame.columns:
            raise ParameterError(unknown_column(name, tuple(frame.columns)))
    if not names:
        raise ParameterError(
            "Expected quasi-identifiers, the columns that an attacker knows. Received "
            "none. Name them."
        )
    is_number = isinstance(fraction, int | float) and not isinstance(fraction, bool)
    if fraction is not None and not (is_number and 0 < fraction <= 1):
        raise ParameterError(
            "Expected a sampling fraction above 0, up to 1. Received "
            f"{fraction!r}. Give the share of the population that is in the table."
        )
    if weights is not None and frame[weights].dtype.kind not in "iuf":
        raise TableError(
            f"Expected survey weights in {weights!r}, numbers from 1 on. Received "
            f"values of type {frame[weights].dtype}. Name another column."
        )
    if population is not None:
        for name in names:
            if name not in population.columns:
                where = "the population"
                raise ParameterError(
                    unknown_column(name, tuple(population.columns), where)
                )
