"""Area under the ROC curve of two sets of scores, exactly, with an interval."""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coclust_synth.exceptions import ParameterError

_COVERAGE = 0.95


class AUC(NamedTuple):
    """Area under a ROC curve.

    Attributes
    ----------
    value : float
        In [0, 1]; 0.5 where scores tell nothing.
    low, high : float
        95 % confidence interval, in [0, 1].
    n_positives, n_negatives : int
        Scores that it comes from.
    """

    value: float
    low: float
    high: float
    n_positives: int
    n_negatives: int


def auc(positives: np.ndarray, negatives: np.ndarray) -> float:
    """How often a positive scores above a negative, ties counted half, in [0, 1].

    Parameters
    ----------
    positives, negatives : ndarray of shape (m,), (n,), int or float
        Their scores; at least one of each, none NaN.

    Examples
    --------
    >>> auc(np.array([1, 2, 3, 4]), np.array([1, 1, 2, 2]))
    0.75
    """
    below = _twice_below(positives, np.sort(negatives))
    return int(below.sum()) / (2 * len(positives) * len(negatives))


def auc_with_interval(positives: ArrayLike, negatives: ArrayLike) -> AUC:
    """How often a positive scores above a negative, ties counted half.

    The interval is DeLong's [1]_: with V_i the share of the negatives that positive i
    scores above, and W_j the share of the positives that score above negative j, ties
    counted half, the variance of the area is var(V) / n_positives + var(W) /
    n_negatives. It takes scores as drawn independently of each other. It has no width
    where V and W do not vary, as at an area of 0 or 1: it is too narrow near those.

    Parameters
    ----------
    positives, negatives : ndarray of shape (m,), (n,), int or float
        Their scores; at least two of each, none NaN.

    Returns
    -------
    AUC

    Raises
    ------
    ParameterError
        If there are fewer than two scores of a kind, or some are NaN.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas
       under two or more correlated receiver operating characteristic curves: a
       nonparametric approach", Biometrics 44(3), 1988.

    Examples
    --------
    >>> area = auc_with_interval(np.array([1, 2, 3, 4]), np.array([1, 1, 2, 2]))
    >>> area.value, round(area.low, 3), round(area.high, 3)
    (0.75, 0.376, 1.0)
    """
    positives, negatives = np.asarray(positives), np.asarray(negatives)
    for name, scores in (("positives", positives), ("negatives", negatives)):
        if scores.ndim != 1 or len(scores) < 2 or np.isnan(scores).any():
            raise ParameterError(
                f"Expected at least two scores of {name}, none NaN. Received shape "
                f"{scores.shape}, {int(np.isnan(scores).sum())} NaN. Give a score for "
                "each row."
            )
    m, n = len(positives), len(negatives)
    # Twice the number of the others below, ties counted half: integers add exactly.
    below = _twice_below(positives, np.sort(negatives))
    above = 2 * m - _twice_below(negatives, np.sort(positives))
    value = int(below.sum()) / (2 * m * n)
    variance = np.var(below / (2 * n), ddof=1) / m + np.var(above / (2 * m), ddof=1) / n
    reach = NormalDist().inv_cdf((1 + _COVERAGE) / 2) * float(np.sqrt(variance))
    return AUC(value, max(value - reach, 0.0), min(value + reach, 1.0), m, n)


def _twice_below(scores: np.ndarray, others: np.ndarray) -> np.ndarray:
    below = np.searchsorted(others, scores, side="left")
    return below + np.searchsorted(others, scores, side="right")
