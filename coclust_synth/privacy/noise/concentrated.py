"""From (epsilon, delta) to the rho of zero-concentrated differential privacy, and back.

References
----------
M. Bun, T. Steinke, "Concentrated differential privacy: simplifications, extensions, and
lower bounds", TCC 2016: the definition, and that rhos add up.
C. Canonne, G. Kamath, T. Steinke, "The discrete Gaussian for differential privacy",
NeurIPS 2020, proposition 12: the conversion, tighter than epsilon = rho + 2 sqrt(rho
ln(1 / delta)).
"""

import math
from functools import cache

_N_STEPS = 200  # of a bisection: to the last bit of a float
_ROUNDING = 1e-12  # relative: more than the floats of the bound are rounded by


def delta_of(rho, epsilon):
    """Least delta that the bound proves for a rho at an epsilon.

    Parameters
    ----------
    rho : float
        Above 0.
    epsilon : float
        From 0.

    Returns
    -------
    float
        At most 1. The bound holds for whatever order alpha of the Renyi divergence, so
        that an alpha that is not quite the best one gives more, never less.

    Examples
    --------
    >>> f"{delta_of(0.01, 1.0):.3g}"
    '1.66e-13'
    """
    low, high = 1.0, (epsilon + 1.0) / (2.0 * rho) + 2.0
    for _ in range(_N_STEPS):
        alpha = (low + high) / 2.0
        if alpha <= 1.0:
            break
        slope = (2.0 * alpha - 1.0) * rho - epsilon + math.log1p(-1.0 / alpha)
        low, high = (alpha, high) if slope < 0 else (low, alpha)
    exponent = (high - 1.0) * (high * rho - epsilon) + high * math.log1p(-1.0 / high)
    return math.exp(min(exponent - math.log(high - 1.0), 0.0))


@cache
def rho_of(epsilon, delta):
    """Largest rho whose releases are (epsilon, delta)-differentially private.

    Parameters
    ----------
    epsilon : float
        Above 0.
    delta : float
        In (0, 1).

    Returns
    -------
    float

    Examples
    --------
    >>> f"{rho_of(1.0, 1e-9):.4g}"
    '0.01497'
    """
    low, high = 0.0, epsilon + 1.0
    while low < (middle := (low + high) / 2.0) < high:
        if delta_of(middle, epsilon) <= delta:
            low = middle
        else:
            high = middle
    return low * (1.0 - _ROUNDING)
