"""Rows and profiles that a release shares with the real table.

A row that is alone in the real rows, training and holdout together, and stands in the
release too, was copied or hit by chance. How often chance hits, the holdout tells: its
rows are asked the same question, and no release was made from them.

The thesis's protection ratio asks what of the release can be attributed to the one
individual that an attacker misses, who knows all others. It can be read in three ways,
each with its name here: the distinct released profiles that no real row has; the
released rows whose profile no real row has; and the released rows that are left when
each real row takes away one of its profile.

How many people are alone with what is known of them is told with F the people of a
population who have a profile, f those of a sample::

    P(PU)      = people with F = 1 / people
    P(PU | SU) = people of the sample with f = 1 and F = 1 / those with f = 1

The second is the chance that who is alone in a sample is alone at large. Here the
population is all real rows, learnt from and held out; a sample is the rows learnt from,
or the released ones, whose uniques may then be nobody's: F = 0.

References
----------
.. [1] T. Benkhelif, thesis, 2018, section 3.5.1.4: the protection ratio, 66.4 %;
   equations (2.14), read with F, and (2.15), of a unit drawn from the sample.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows
from coclust_synth.evaluation.comparing.scores import (
    Figure,
    Figures,
    Setting,
    of_share,
    risk_beyond,
)
from coclust_synth.evaluation.telling_apart.membership import membership_auc
from coclust_synth.exceptions import TableError


def profile_codes(*tables: NDArray[np.integer]) -> list[NDArray[np.int64]]:
    """Equal rows of several tables get the same number, others another.

    Parameters
    ----------
    *tables : ndarray of shape (n, d), int

    Examples
    --------
    >>> [codes.tolist() for codes in profile_codes(np.array([[0, 1], [2, 2]]),
    ...                                            np.array([[2, 2]]))]
    [[0, 1], [1]]
    """
    rows = np.ascontiguousarray(np.concatenate(tables))
    key = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        codes, distinct = pd.factorize(column)
        key = pd.factorize(key * len(distinct) + codes)[0]
    ends = np.cumsum([len(table) for table in tables])[:-1]
    return np.split(key, ends)


def uniques_reproduced(
    training: NDArray, holdout: NDArray, released: NDArray
) -> tuple[Figure, Figure]:
    """Shares of the unique real rows that a release holds.

    Parameters
    ----------
    training, holdout, released : ndarray of shape (n, d), int
        Exact codes; the holdout may have no row.

    Returns
    -------
    of_training, of_holdout : Figure
        Of the rows of each that are alone in both together. Without copying they are
        equal but for chance.

    Examples
    --------
    >>> training, holdout = np.array([[1], [2], [2], [3]]), np.array([[3], [4]])
    >>> [f.value for f in uniques_reproduced(training, holdout, np.array([[1], [2]]))]
    [1.0, 0.0]
    """
    of_training, of_holdout, of_released = profile_codes(training, holdout, released)
    counts = np.bincount(np.concatenate([of_training, of_holdout]))
    found = []
    for own in (of_training, of_holdout):
        alone = own[counts[own] == 1]
        hits = np.isin(alone, of_released).sum()
        found.append(of_share(int(hits), len(alone)))
    return found[0], found[1]


def protection_ratios(real: NDArray, released: NDArray) -> dict[str, float]:
    """The thesis's protection ratio, in three readings.

    Parameters
    ----------
    real, released : ndarray of shape (n, d), int
        Codes of parts.

    Returns
    -------
    dict
        ``profiles``, ``rows`` and ``matching``, all in [0, 1]: see the head of this
        module. Higher: more of the release is attributed to nobody known.

    Examples
    --------
    >>> real, released = np.array([[0], [0], [1]]), np.array([[0], [1], [1], [2]])
    >>> found = protection_ratios(real, released)
    >>> round(found["profiles"], 3), found["rows"], found["matching"]
    (0.333, 0.25, 0.5)
    """
    of_real, of_released = profile_codes(real, released)
    n = int(max(of_real.max(), of_released.max())) + 1
    counts = [np.bincount(own, minlength=n) for own in (of_real, of_released)]
    absent, there = counts[0] == 0, counts[1] > 0
    return {
        "profiles": float((absent & there).sum() / there.sum()),
        "rows": float(counts[1][absent].sum() / len(released)),
        "matching": float(1 - np.minimum(*counts).sum() / len(released)),
    }


def copy_figures(setting: Setting, rows: CodedRows) -> Figures:
    """Uniques reproduced, the attack on them, and the protection ratios."""
    real, holdout = setting.real, setting.holdout
    others = real.exact[:0] if holdout is None else holdout.exact
    attack, control = uniques_reproduced(real.exact, others, rows.exact)
    found: Figures = {("uniques_reproduced", ()): attack}
    ratios = protection_ratios(real.parts, rows.parts)
    (profiles,) = profile_codes(rows.parts)
    n_profiles = int(profiles.max()) + 1
    for name, value in ratios.items():
        # Shares of profiles, or of rows: each is of nobody known, or is not.
        n = n_profiles if name == "profiles" else rows.n
        found[f"protection_{name}", ()] = of_share(value * n, n)
    if holdout is not None:
        found["uniques_beyond_chance", ()] = risk_beyond(attack, control)
        found["membership_uniques", ()] = _membership(setting, rows)
    return found


def _membership(setting, rows):
    parts = (own.parts for own in (setting.real, setting.holdout, rows))
    try:
        area = membership_auc(*parts)
    except TableError:
        return Figure(np.nan, note="too few rows are unique in parts")
    return Figure(area.value, area.low, area.high)


def population_uniques(population: NDArray[np.integer]) -> Figure:
    """Share of a population who are alone with their profile, P(PU).

    Parameters
    ----------
    population : ndarray of shape (n, d), int

    Examples
    --------
    >>> population_uniques(np.array([[0], [0], [1], [2]])).value
    0.5
    """
    (codes,) = profile_codes(population)
    return of_share(int((np.bincount(codes) == 1).sum()), len(codes))


def uniques_at_large(
    sample: NDArray[np.integer], population: NDArray[np.integer]
) -> Figure:
    """Share of the uniques of a sample who are alone at large, P(PU | SU).

    Parameters
    ----------
    sample : ndarray of shape (n, d), int
    population : ndarray of shape (m, d), int
        That the sample is of, or that it is compared with.

    Returns
    -------
    Figure
        nan where nobody of the sample is unique.

    Examples
    --------
    >>> population = np.array([[0], [0], [1], [2]])
    >>> uniques_at_large(np.array([[0], [1]]), population).value
    0.5
    """
    of_sample, of_population = profile_codes(sample, population)
    n = int(max(of_sample.max(), of_population.max())) + 1
    f, big = (np.bincount(own, minlength=n) for own in (of_sample, of_population))
    alone = f == 1
    return of_share(int((alone & (big == 1)).sum()), int(alone.sum()))


def uniqueness_figures(setting: Setting, rows: CodedRows) -> Figures:
    """Of the columns known of a person: who is alone, and in a release at large."""
    population = setting.real.exact
    if setting.holdout is not None:
        population = np.concatenate([population, setting.holdout.exact])
    known, sample = population[:, setting.known], rows.exact[:, setting.known]
    return {
        ("population_uniques", ()): population_uniques(known),
        ("uniques_at_large", ()): uniques_at_large(sample, known),
    }
