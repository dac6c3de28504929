r"""Noisy counts that can be made finer later, which together cost what the finer do.

The finer counts are drawn first and kept back. The draft is the finer counts in some
cells and, in the others, these with more noise. Who sees both sees no more than in the
finer ones. Who sees the draft alone sees discrete Laplace noise of its own scale: with
a = exp(-1 / scale) of the draft and b < a of the finer counts, the laws L_a and L_b are
those of

.. math:: L_a = w L_b + (1 - w) L_b * L_a, \quad w = \frac{(1-a)^2 b}{(1-b)^2 a}

as their generating functions say, (1-a)^2 / ((1-az)(1-a/z)) for L_a: that of L_a over
that of L_b is w and 1 - w times that of L_a. It is drawn with a chance just below w,
which costs no more: the law is then a mixture of L_a and of L_b * L_a, each of which
costs what L_a does.

References
----------
F. Koufogiannis, S. Han, G. Pappas, "Gradual release of sensitive data under
differential privacy", Journal of Privacy and Confidentiality 7(2), 2016: of Laplace's
law.
"""

import math
import secrets
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BELOW = 1 - 1e-9  # of w: its doubles are right to 13 digits
_WORD = 64  # bits


@dataclass(frozen=True, eq=False)
class Draft:
    """Noisy counts, and the finer ones that are not paid for.

    Not to be kept: it holds what the budget does not allow yet.

    Attributes
    ----------
    counts : ndarray of int64
        Noisy.
    finer : ndarray of int64
        For the ledger alone: see `PrivacyLedger.finer_counts`.
    entry, finer_entry : LedgerEntry
        Of the draft, and of what finer counts cost more.
    """

    counts: NDArray[np.int64]
    finer: NDArray[np.int64]
    entry: Any
    finer_entry: Any


def share_of_finer(scale: float, finer_scale: float) -> float:
    """Share w of the cells of a draft that are those of the finer counts.

    Parameters
    ----------
    scale, finer_scale : float
        Of discrete Laplace noise; the second is less.
    """
    a, b = 1 / scale, 1 / finer_scale
    odds = math.expm1(-a) / math.expm1(-b)
    return odds**2 * math.exp(a - b)


def choose_finer(n: int, share: float) -> NDArray[np.bool_]:
    """Which of n cells are finer, each with just below a chance, by the system's bits.

    Parameters
    ----------
    n : int
    share : float
        Below 1.
    """
    words = np.frombuffer(secrets.token_bytes(n * _WORD // 8), dtype=np.uint64)
    return words < np.uint64(int(share * _BELOW * 2**_WORD))
