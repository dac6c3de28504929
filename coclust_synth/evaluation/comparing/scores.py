"""What a release is measured against, and figures with their intervals.

A figure is made of counts or values, and told under the name of its measure and the
columns that it is about.

Of any figure of rows the delete-a-group jackknife gives an interval. Rows are dealt out
to G groups, and the figure is taken without each of them in turn. With d_g that without
group g, its variance is (G - 1)/G sum (d_g - mean)^2, with G - 1 degrees of freedom
[1]_. It is that of the figure if as many rows were drawn once more, and on the safe
side.

References
----------
.. [1] P. S. Kott, "The delete-a-group jackknife", Journal of Official Statistics 17(4),
   2001.
"""

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows, Coding
from coclust_synth.evaluation.telling_apart.auc import AUC

_Z = NormalDist().inv_cdf(0.975)
#: Groups of rows of which each in turn is left out.
N_GROUPS = 10
_STUDENT = 2.262  # the ends of Student's law of N_GROUPS - 1 degrees of freedom, 95 %


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


def of_auc(area: AUC) -> Figure:
    """An area under a ROC curve as a figure."""
    return Figure(area.value, area.low, area.high)


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


def of_mean(values: ArrayLike) -> Figure:
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
        return Figure(mean)
    reach = _Z * float(own.std(ddof=1)) / math.sqrt(len(own))
    return Figure(mean, mean - reach, mean + reach)


def mean_of(n: int, what: str, drawn: int | None = None) -> str:
    """In words, what a mean is of: some things, of which some may have been drawn.

    Examples
    --------
    >>> mean_of(3, "column"), mean_of(1, "column"), mean_of(9000, "set", 2000)
    ('mean of 3 columns', 'of the only column', 'mean of 2,000 of 9,000 sets')
    """
    if n == 1:
        return f"of the only {what}"
    among = "" if drawn in (None, n) else f"{drawn:,} of "
    return f"mean of {among}{n:,} {what}s"


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


def group_of(n: int) -> NDArray[np.int64]:
    """Group of each of n rows, dealt out in turn."""
    return np.arange(n) % N_GROUPS


def reach(left_out: ArrayLike) -> NDArray[np.float64]:
    """Half the width of the intervals of some figures.

    Parameters
    ----------
    left_out : array-like of shape (N_GROUPS, ...)
        The figures without each group.

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> reach([[3.0, k] for k in range(10)]).round(2).tolist()
    [0.0, 19.49]
    """
    left_out = np.asarray(left_out, dtype=np.float64)
    spread = np.square(left_out - left_out.mean(axis=0)).sum(axis=0)
    return _STUDENT * np.sqrt((N_GROUPS - 1) / N_GROUPS * spread)


def with_interval(
    figure: Figure,
    n: int,
    without: Callable[[NDArray[np.bool_]], float],
    *,
    most: float = np.inf,
) -> Figure:
    """A figure of n rows with its interval, in [0, most]; without one if n is small.

    Parameters
    ----------
    figure : Figure
    n : int
        Rows, or whatever it is of.
    without : callable
        The figure of some of them, told by a bool each.
    most : float
    """
    if n < 2 * N_GROUPS or not np.isfinite(figure.value):
        return figure
    groups = group_of(n)
    left_out = [[without(groups != g)] for g in range(N_GROUPS)]
    return around(figure, float(reach(left_out)[0]), most)


def around(figure: Figure, half: float, most: float = np.inf) -> Figure:
    """A figure with an interval of half a width around it, within [0, most]."""
    if not np.isfinite(half):
        return figure
    low, high = figure.value - half, figure.value + half
    return figure._replace(low=max(low, 0.0), high=min(high, most))
