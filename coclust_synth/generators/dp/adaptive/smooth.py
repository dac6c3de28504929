"""Noisy counts of values in order, as smooth as they seem to be.

Neighbouring values often have about as many rows, and then the noisy counts of both
tell of each. How near they are is learnt from the noisy counts: nothing is spent.
"""

import numpy as np
from scipy.linalg import cho_solve_banded, cholesky_banded

# Steps from one count to the next may go with this power of the two: in tails that
# fall off, small counts are nearer to each other than large ones.
_POWERS = 0.0, 0.5, 1.0
_N_FITS = 2  # of a power, each with steps by the counts of the one before
_LEAST = 0.2  # of the noise: what a step goes with at least
_TINY = -20.0  # logarithm of a step's share of others: doubles solve for no smaller one
# Variances of steps that are tried, in those of the noise.
_STEPS = np.geomspace(1e-3, 1e4, 24)
_FEW = 4  # values: of fewer there is nothing to learn from
# Counts so many standard deviations of the noise off jump: by chance one in a thousand.
_JUMP = 5.0


def smooth_column(noisy, column, variance):
    """Noisy counts of the cells of a column, those of values in order smoothed.

    Parameters
    ----------
    noisy : ndarray of shape (size,)
    column : DomainColumn
    variance : float
        Of the noise of a count.

    Returns
    -------
    ndarray of float64, shape (size,)
    """
    counts = np.array(noisy, dtype=np.float64)
    if column.is_numeric and column.n_values >= _FEW:
        in_order = slice(column.n_values)
        counts[in_order] = smooth_counts(counts[in_order], variance)
    return counts


def smooth_counts(noisy, variance):
    """Expected counts of values in order.

    Parameters
    ----------
    noisy : ndarray of float64, shape (m,)
        Of two values or more.
    variance : float
        Of the noise of a count.

    Returns
    -------
    ndarray of float64, shape (m,)
        With the same sum. They can be negative.

    Notes
    -----
    A priori the step from a count to the next is normal and its variance is in
    proportion to a power of the two; noise is taken for normal too. The factor and the
    power are those under which the noisy counts are most likely. Where counts jump, the
    factor is large and they stay what they are. Where few do, as at round numbers or at
    an end to which others are held, these stay and the rest is smoothed without them.
    """
    expected = _most_likely(noisy, variance)
    is_near = np.abs(noisy - expected) <= _JUMP * np.sqrt(variance)
    if is_near.all() or is_near.sum() < _FEW:
        return expected
    expected = noisy.copy()
    expected[is_near] = smooth_counts(noisy[is_near], variance)
    return expected


def _most_likely(noisy, variance):
    """Expected counts by one law of all steps."""
    flat = _fit_steps(noisy, variance, np.ones(len(noisy) - 1))
    fits = [flat]
    for power in _POWERS[1:]:
        fit = flat
        for _ in range(_N_FITS):
            counts = np.maximum(fit[1], _LEAST * np.sqrt(variance))
            logs = 2 * power * np.log((counts[1:] + counts[:-1]) / 2)
            of_steps = np.exp(np.maximum(logs - logs.mean(), _TINY))
            fit = _fit_steps(noisy, variance, of_steps)
        fits.append(fit)
    return max(fits, key=lambda fit: fit[0])[1]


def _fit_steps(noisy, variance, weights):
    """The most likely fit with variances of steps in proportion to weights."""
    fits = (fit_walk(noisy, variance, step * variance * weights) for step in _STEPS)
    return max(fits, key=lambda fit: fit[0])


def fit_walk(noisy, variance, of_steps):
    """Expected values of a random walk that is seen with noise.

    Parameters
    ----------
    noisy : ndarray of float64, shape (m,)
    variance : float
        Of the noise.
    of_steps : ndarray of float64, shape (m - 1,)
        Variance of each step. The walk starts anywhere.

    Returns
    -------
    log_likelihood : float
        Of what is seen, but for a constant.
    expected : ndarray of float64, shape (m,)
    """
    precision = np.zeros((2, len(noisy)))
    precision[1] = 1.0 / variance
    precision[1, 1:] += 1.0 / of_steps
    precision[1, :-1] += 1.0 / of_steps
    precision[0, 1:] = -1.0 / of_steps
    factor = cholesky_banded(precision)
    expected = cho_solve_banded((factor, False), noisy / variance)
    misfit = noisy @ (noisy - expected) / variance
    log_det = 2 * np.log(factor[1]).sum() + np.log(of_steps).sum()
    return -0.5 * (log_det + misfit), expected
