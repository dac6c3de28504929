"""Rows of a private model that meet conditions: post-processing, free of budget."""

import math

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ParameterError

# Rows that are tried, at most: so many for each one asked for, and for few of them.
_TRIES_A_ROW, _MIN_TRIES = 1000, 1_000_000
_CHUNK = 100_000  # rows tried at a time
_LEAST_ROWS = 1.0  # that meet conditions, of those of the table, by the model


def draw_given(generator, conditions, n, rng):
    """Draw rows that meet conditions.

    What single columns must be is taken in advance where the model can; what that
    leaves open (a condition that parts a bin, or one between columns) by rejection. So
    rows have the model's distribution under the conditions.

    Parameters
    ----------
    generator : DomainSynthesizer
        Fitted.
    conditions : DomainConditions
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    DataFrame of n rows

    Raises
    ------
    ParameterError
        If fewer than one of the table's rows meets them by the model, or too few of the
        rows that are tried.
    """
    draw, share = generator._given(conditions.allowed())
    if share * generator.n_rows_ < _LEAST_ROWS:
        _refuse(share * generator.n_rows_, generator)
    most = max(_MIN_TRIES, _TRIES_A_ROW * n)
    found, n_found, n_tried = [], 0, 0
    while n_found < n:
        if n_tried >= most:
            _refuse(generator.n_rows_ * share * n_found / n_tried, generator)
        rate = (n_found + 1) / (n_tried + 1)
        size = min(math.ceil(1.1 * (n - n_found) / rate), _CHUNK, most - n_tried)
        codes = draw(size, rng)
        frame = generator.domain_.decode(codes, rng)
        frame = frame[conditions.met(codes, frame)]
        found.append(frame[: n - n_found])
        n_found += len(found[-1])
        n_tried += size
    return pd.concat(found or [_no_rows(generator, rng)], ignore_index=True)


def _no_rows(generator, rng):
    codes = np.zeros((0, len(generator.domain_.names)), dtype=np.int32)
    return generator.domain_.decode(codes, rng)


def _refuse(expected, generator):
    ledger = generator.ledger_
    delta = f" and delta {ledger.delta:g}" if ledger.delta else ""
    raise ParameterError(
        "Expected conditions that rows of the model meet, as far as noisy counts can "
        f"tell. Received some that about {expected:.2g} of {generator.n_rows_:,} rows "
        f"do. Ask for less: other rows of the same fit are free. Its epsilon "
        f"{ledger.epsilon:g}{delta} counts, whether rows of it are released or not."
    )
