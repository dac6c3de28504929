"""Compiled kernels of the private estimate: arrays in, arrays out, input checked.

=========  ==========================================================  ======
symbol     meaning                                                     shape
=========  ==========================================================  ======
noisy      count of a cell plus discrete Laplace noise                 (n,)
expected   prior mean of the count                                     (n,)
shape      of the gamma law that spreads the Poisson mean              ()
epsilon    1 / scale of the noise                                      ()
=========  ==========================================================  ======
"""

import numpy as np

from coclust_synth._jit import kernel

_NEGLIGIBLE = 1e-12  # of the sum so far: where a tail is cut


@kernel
def posterior_moments(noisy, expected, shape, epsilon):
    """Mean and variance of each count given its noisy value; see `dense.estimate`.

    The law has one mode, since both factors are log-concave but for the prior at
    shape < 1, which falls: terms are summed outwards from it.
    """
    n = len(noisy)
    mean = np.empty(n)
    variance = np.empty(n)
    fall = np.exp(-epsilon)
    for i in range(n):
        y = noisy[i]
        q = expected[i] / (expected[i] + shape)
        x0 = _mode(y, q, shape, fall)
        total, first, second = 1.0, 0.0, 0.0
        term, x = 1.0, x0
        while term > _NEGLIGIBLE * total:
            noise = 1.0 / fall if x < y else fall
            term *= (x + shape) / (x + 1.0) * q * noise
            x += 1
            total += term
            first += term * (x - x0)
            second += term * (x - x0) ** 2
        term, x = 1.0, x0
        while x > 0 and term > _NEGLIGIBLE * total:
            x -= 1
            noise = 1.0 / fall if x < y else fall
            term /= (x + shape) / (x + 1.0) * q * noise
            total += term
            first += term * (x - x0)
            second += term * (x - x0) ** 2
        mean[i] = x0 + first / total
        variance[i] = max(second / total - (first / total) ** 2, 0.0)
    return mean, variance


@kernel
def _mode(y, q, shape, fall):
    """Where the terms stop to rise: from q / fall below y, from q * fall above."""
    rising = _peak(q / fall, shape)
    falling = _peak(q * fall, shape)
    return int(max(0.0, np.floor(min(max(float(y), falling), rising))))


@kernel
def _peak(ratio, shape):
    """Real x at which (x + shape) / (x + 1) * ratio = 1; infinite if there is none."""
    if ratio >= 1.0:
        return np.inf
    return (shape * ratio - 1.0) / (1.0 - ratio)
