"""How many people are alone with what is known of them.

With F the people of a population who have a profile, f those of a sample::

    P(PU)      = people with F = 1 / people
    P(PU | SU) = people of the sample with f = 1 and F = 1 / those with f = 1

The second is the chance that who is alone in a sample is alone at large. Here the
population is all real rows, learnt from and held out; a sample is the rows learnt from,
or the released ones, whose uniques may then be nobody's: F = 0.

References
----------
.. [1] T. Benkhelif, thesis, 2018, equations (2.14), read with F, and (2.15), of a unit
   drawn from the sample.
"""

import numpy as np
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows
from coclust_synth.evaluation.comparing.scores import Figure, of_share
from coclust_synth.evaluation.comparing.setting import Figures, Setting
from coclust_synth.evaluation.risk.copies import profile_codes


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
