"""Noise of OpenDP, calibrated; only `PrivacyLedger` calls it.

OpenDP (https://opendp.org) samples both laws exactly, in rational arithmetic on the
bits of the operating system's generator: there is no seed, and no floating-point
noise whose low digits would tell the number underneath (Mironov, 2012).
"""

import functools

import numpy as np

_BLOCK = 2**18


@functools.cache
def _opendp():
    # Imported at the first noisy number: it takes a second.
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp


def discrete_laplace(values, *, sensitivity, epsilon):
    """Add to each whole number a draw of the discrete Laplace law.

    P(x) = (1 - a) / (1 + a) a^|x| with a = exp(-epsilon / sensitivity), for every
    integer x: the difference of two geometric draws (Ghosh, Roughgarden, Sundararajan,
    2009; equation 2.4 of Benkhelif, 2018, has the fraction upside down).

    Parameters
    ----------
    values : ndarray of int64, shape (n,)
    sensitivity : int
        Most that `values` may differ between neighbours, in L1.
    epsilon : float

    Returns
    -------
    noisy : ndarray of int64, shape (n,)
        Held at the ends of 64 bits.
    scale : float
        `sensitivity` / `epsilon`, or a float above where the division rounds down.
    """
    measurement, scale = _measurement(
        "laplace", sensitivity, sensitivity / epsilon, epsilon
    )
    return _in_blocks(measurement, values), scale


def discrete_gaussian(values, *, sensitivity, rho):
    """Add to each whole number a draw of the discrete Gaussian law.

    P(x) is proportional to exp(-x^2 / (2 scale^2)) for every integer x (Canonne,
    Kamath, Steinke, "The discrete Gaussian for differential privacy", NeurIPS 2020).

    Parameters
    ----------
    values : ndarray of int64, shape (n,)
    sensitivity : int
        Most that `values` may differ between neighbours, in L2.
    rho : float
        Of zero-concentrated differential privacy.

    Returns
    -------
    noisy : ndarray of int64, shape (n,)
        Held at the ends of 64 bits.
    scale : float
        `sensitivity` / sqrt(2 `rho`), or a float above where that is rounded down.
    """
    measurement, scale = _measurement(
        "gaussian", float(sensitivity), sensitivity / (2 * rho) ** 0.5, rho
    )
    return _in_blocks(measurement, values), scale


def gumbel_max(scores, *, sensitivity, rho):
    """Index of about the highest score, by the exponential mechanism.

    OpenDP's noisy max with Gumbel noise, of an epsilon of sqrt(8 `rho`): rho-zCDP, as
    its privacy loss stays in a range of epsilon (Cesar, Rogers, ALT 2021).

    Parameters
    ----------
    scores : ndarray of int64, shape (n,)
    sensitivity : int
        Most that any one score may differ between neighbours.
    rho : float

    Returns
    -------
    index : int
    scale : float
        `sensitivity` / sqrt(2 `rho`): of the noise on each score.
    """
    measurement, scale = _measurement(
        "gumbel max", sensitivity, sensitivity / (2 * rho) ** 0.5, rho
    )
    return int(measurement(scores)), scale


def noisy_max(scores, *, sensitivity, epsilon):
    """Index of about the highest score, by the exponential mechanism's successor.

    OpenDP's noisy max with exponential noise, which chooses as permute-and-flip does
    (McKenna, Sheldon, "Permute-and-Flip", NeurIPS 2020): epsilon-DP as the exponential
    mechanism of the same scores is, and never worse in expectation.

    Parameters
    ----------
    scores : ndarray of int64, shape (n,)
    sensitivity : int
        Most that any one score may differ between neighbours.
    epsilon : float

    Returns
    -------
    index : int
    scale : float
        2 `sensitivity` / `epsilon`: of the noise on each score.
    """
    measurement, scale = _measurement(
        "noisy max", sensitivity, 2 * sensitivity / epsilon, epsilon
    )
    return int(measurement(scores)), scale


@functools.lru_cache
def _measurement(law, sensitivity, wanted, loss):
    """One of about the wanted scale whose loss OpenDP holds to a bound, and its scale.

    Parameters
    ----------
    law : {"laplace", "noisy max", "gaussian", "gumbel max"}
    sensitivity : int or float
    wanted : float
    loss : float
        Epsilon of the first two, rho of the others.
    """
    dp = _opendp()
    numbers = dp.vector_domain(dp.atom_domain(T="i64"))
    farthest = dp.linf_distance(T="i64")
    maker, *space = {
        "laplace": (dp.m.make_laplace, dp.l1_distance(T="i64")),
        "noisy max": (dp.m.make_noisy_max, farthest, dp.max_divergence()),
        "gaussian": (dp.m.make_gaussian, dp.l2_distance(T="f64")),
        "gumbel max": (
            dp.m.make_noisy_max,
            farthest,
            dp.zero_concentrated_divergence(),
        ),
    }[law]
    make = functools.partial(maker, numbers, *space)
    scale, excess = wanted, 2.0**-52
    measurement = make(scale)
    while measurement.map(sensitivity) > loss:
        scale, excess = wanted * (1 + excess), 2 * excess
        measurement = make(scale)
    return measurement, scale


def _in_blocks(measurement, values):
    """Noise in blocks, since OpenDP gives lists.

    It is of one scale, so what a neighbour changes in all blocks together is what
    counts.
    """
    noisy = np.empty(len(values), dtype=np.int64)
    for start in range(0, len(values), _BLOCK):
        noisy[start : start + _BLOCK] = measurement(values[start : start + _BLOCK])
    return noisy
