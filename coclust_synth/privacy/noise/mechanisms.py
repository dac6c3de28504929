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
    measurement, scale = _laplace_measurement(sensitivity, epsilon)
    # In blocks, since OpenDP gives lists: noise of one scale, so what a neighbour
    # changes in all blocks together is what counts.
    noisy = np.empty(len(values), dtype=np.int64)
    for start in range(0, len(values), _BLOCK):
        noisy[start : start + _BLOCK] = measurement(values[start : start + _BLOCK])
    return noisy, scale


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
    measurement, scale = _noisy_max_measurement(sensitivity, epsilon)
    return int(measurement(scores)), scale


@functools.lru_cache
def _laplace_measurement(sensitivity, epsilon):
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    make = functools.partial(dp.m.make_laplace, *space)
    return _calibrate(make, sensitivity, sensitivity / epsilon, epsilon)


@functools.lru_cache
def _noisy_max_measurement(sensitivity, epsilon):
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    make = functools.partial(dp.m.make_noisy_max, *space, dp.max_divergence())
    return _calibrate(make, sensitivity, 2 * sensitivity / epsilon, epsilon)


def _calibrate(make, sensitivity, wanted, epsilon):
    """The measurement of about the wanted scale whose loss OpenDP holds to epsilon."""
    scale, excess = wanted, 2.0**-52
    measurement = make(scale)
    while measurement.map(sensitivity) > epsilon:
        scale, excess = wanted * (1 + excess), 2 * excess
        measurement = make(scale)
    return measurement, scale
