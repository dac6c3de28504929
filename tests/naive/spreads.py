"""The likeliest law with two moments, by a search of the whole simplex of shares."""

import numpy as np
from scipy.optimize import minimize


def likeliest_shares(values, sample):
    """Shares of values, of largest entropy, that have the moments of a sample.

    Parameters
    ----------
    values : ndarray of shape (m,)
        That shares are of.
    sample : ndarray of shape (n,)

    Returns
    -------
    ndarray of float64, shape (m,), or None
        None where no shares have these moments, or nearly none.
    """
    first, width = float(values[0]), float(values[-1] - values[0]) or 1.0
    points = (values.astype(np.float64) - first) / width
    wanted = [(((sample - first) / width) ** power).mean() for power in (0, 1, 2)]

    def minus_entropy(shares):
        return float(np.sum(shares * np.log(np.maximum(shares, 1e-300))))

    powers = np.array([points**power for power in (0, 1, 2)])
    moments = {"type": "eq", "fun": lambda shares: powers @ shares - wanted}
    found = minimize(
        minus_entropy,
        np.full(len(values), 1 / len(values)),
        bounds=[(0, 1)] * len(values),
        constraints=moments,
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    if not found.success or found.x.min() < 1e-3:
        return None
    return found.x
