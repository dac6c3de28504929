"""What a release is measured against, and figures with their intervals.

A figure is made of counts or values, and told under the name of its measure and the
columns that it is about.
"""

import math
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows, Coding
from coclust_synth.evaluation.telling_apart.auc import AUC

_Z = NormalDist().inv_cdf(0.975)


class Figure(NamedTuple):
    """A figure, with the ends of its 95 % interval; nan where there is none."""

    value: float
    low: float = math.nan
    high: float = math.nan
    note: str = ""


# Name of a measure, and the columns that the figure is about; () for the whole table.
Key: TypeAlias = tuple[str, tuple[str, ...]]
Figures: TypeAlias = dict[Key, Figure]


class Setting(NamedTuple):
    """The rows that a release was made from, and rows that it was made without.

    Attributes
    ----------
    coding : Coding
    real : CodedRows
    holdout : CodedRows or None
    seed : int
        Of all that is drawn: the same for all releases that are measured.
    known : ndarray of int
        Positions of the columns that somebody may know of a person; all by default.
    intervals : bool
        Whether intervals are told that take longer than their figures.
    """

    coding: Coding
    real: CodedRows
    holdout: CodedRows | None
    seed: int
    known: NDArray[np.int64] | slice = slice(None)
    intervals: bool = False

    def rng(self, stream: int) -> np.random.Generator:
        """Random numbers of one measure, the same whatever others are taken."""
        return np.random.default_rng([self.seed, stream])


def of_auc(area: AUC, note: str = "") -> Figure:
    """An area under a ROC curve as a figure."""
    return Figure(area.value, area.low, area.high, note)


def of_share(hits: float, n: int, note: str = "") -> Figure:
    """A share of n rows, with Wilson's interval.

    Parameters
    ----------
    hits : float
        In [0, n]; a sum of chances where some are not certain.
    n : int
        nan for 0.

    References
    ----------
    E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 22, 1927.

    Examples
    --------
    >>> share = of_share(5, 10)
    >>> share.value, round(share.low, 3), round(share.high, 3)
    (0.5, 0.237, 0.763)
    """
    if not n:
        return Figure(math.nan, note=note or "no rows to ask about")
    p = hits / n
    centre = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z / (1 + _Z**2 / n) * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
    low, high = max(centre - reach, 0.0), min(centre + reach, 1.0)
    return Figure(p, min(low, p), max(high, p), note)


def of_mean(values: ArrayLike, note: str = "") -> Figure:
    """A mean over rows, with the interval of the normal approximation.

    Parameters
    ----------
    values : array-like of float, shape (n,)

    Examples
    --------
    >>> mean = of_mean([0.0, 1.0] * 50)
    >>> mean.value, round(mean.low, 2), round(mean.high, 2)
    (0.5, 0.4, 0.6)
    """
    own = np.asarray(values, dtype=float)
    mean = float(own.mean())
    if len(own) < 2:
        return Figure(mean, note=note)
    reach = _Z * float(own.std(ddof=1)) / math.sqrt(len(own))
    return Figure(mean, mean - reach, mean + reach, note)


def of_median(values: ArrayLike, note: str = "") -> Figure:
    """A median, between the two order statistics that enclose it in 95 % of samples.

    Their ranks are those of the normal law near the binomial one: as many values are
    below the median as there are heads in n throws of a coin.

    Parameters
    ----------
    values : array-like of float, shape (n,)

    Examples
    --------
    >>> of_median(range(1, 101))
    Figure(value=50.5, low=40.0, high=61.0, note='')
    >>> of_median([1, 2, 3, 4]).low  # too few
    nan
    """
    own = np.sort(np.asarray(values, dtype=float))
    median, n = float(np.median(own)), len(own)
    below = math.floor((n - _Z * math.sqrt(n)) / 2)
    if below < 1:
        return Figure(median, note=note)
    return Figure(median, float(own[below - 1]), float(own[n - below]), note)


def risk_beyond(attack: Figure, control: Figure) -> Figure:
    """What an attack succeeds more often on rows learnt from than on others.

    The share of those that it would have failed on but for the release::

        risk = (attack - control) / (1 - control)

    Parameters
    ----------
    attack, control : Figure
        Share of successes among rows learnt from, and among rows that were not.

    Returns
    -------
    Figure
        At most 1; 0 where the release tells as much of others, below it by chance. The
        interval adds the errors of both in squares.

    References
    ----------
    M. Giomi, F. Boenisch, C. Wehmeyer and B. Tasnádi, "A unified framework for
    quantifying privacy risk in synthetic data", PoPETs 2023(2), equation (3).

    Examples
    --------
    >>> risk_beyond(Figure(0.75, 0.7, 0.8), Figure(0.5, 0.4, 0.6)).value
    0.5
    """
    left = 1 - control.value
    if not left > 0:
        return Figure(math.nan, note="others are told as surely")
    value = (attack.value - control.value) / left
    of_attack = (attack.high - attack.low) / (2 * left)
    of_control = (1 - attack.value) * (control.high - control.low) / (2 * left**2)
    reach = math.hypot(of_attack, of_control)
    note = f"{attack.value:.4f} of rows learnt from, {control.value:.4f} of others"
    return Figure(value, value - reach, min(value + reach, 1.0), note)
