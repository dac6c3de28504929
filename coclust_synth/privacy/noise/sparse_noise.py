"""Noise on the empty cells of a huge histogram, drawn only where it shows.

The discrete Laplace law has P(x >= t) = a^t / (1 + a) for t >= 1, with
a = exp(-1 / scale). Of many empty cells with independent noise, those that reach t are
a Bernoulli process along the cells, and what they hold above t is geometric with
ratio a. Both are geometric draws: how many cells are passed over, and how far above t.
Drawing them costs what is kept, whatever the number of cells, and has the law of the
histogram that was noised in full and then cut (Cormode, Procopiuc, Srivastava, Tran,
"Differentially private publication of sparse data", ICDT 2012, arXiv 1103.0825, who
draw the number of cells that pass and their places instead: the same law).

A geometric draw is floor(E / rate) with E = -log U, U uniform. U is made of bits of the
operating system's generator, as many as it takes: the floor is computed from below and
above, in correctly rounded decimal arithmetic (module `decimal`, whose exp and ln are),
and where both disagree more bits and more digits are drawn. So the law is exact, with
no approximation and no smallest probability. Doubles only decide the draws that lie
far from a boundary, by error bounds many times what they can be wrong by.
"""

import decimal
import functools
import math
import secrets
from fractions import Fraction

import numpy as np

from coclust_synth.validation import check_integer, check_number

_WORD = 64  # bits of U drawn at a time
_BLOCK = 4096
# log of a double is right within 2^-50 of itself, and so are the operations around it;
# U stands in a double within 2^-52 of itself.
_RELATIVE, _ABSOLUTE = 2.0**-47, 2.0**-47
_LEAST_RATE = 1e-300  # below, whatever is drawn is 2^63 or more


def sparse_threshold(n_cells, epsilon, expected_rows, *, sensitivity=1):
    """Least threshold that few empty cells reach by noise alone.

    It looks at no data, so it costs nothing.

    Parameters
    ----------
    n_cells : int
        Cells of the domain.
    epsilon : float
        Budget of the noisy histogram.
    expected_rows : float
        Empty cells that may pass on average, if all cells are empty.
    sensitivity : int, default=1
        L1 sensitivity of the histogram: `PrivacyLedger.sensitivity` gives it.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    ParameterError
    """
    check_integer("n_cells", n_cells, minimum=1)
    check_number("epsilon", epsilon, above=0)
    check_number("expected_rows", expected_rows, above=0)
    check_integer("the sensitivity", sensitivity, minimum=1)
    scale = sensitivity / epsilon
    log_odds = math.log(n_cells) - math.log(expected_rows)
    return max(1, math.ceil(scale * (log_odds - math.log1p(math.exp(-1 / scale)))))


def passing_empty_cells(occupied, n_cells, *, scale, threshold):
    """Empty cells whose noise reaches a threshold, and the noise there.

    Parameters
    ----------
    occupied : ndarray of int64, shape (m,)
        Cells that are not empty, increasing.
    n_cells : int
        Below 2^63; cells are numbered from 0.
    scale : float
        Of the discrete Laplace law.
    threshold : int
        At least 1.

    Returns
    -------
    cells : ndarray of int64, shape (p,)
        Increasing.
    noise : ndarray of int64, shape (p,)
        All at least `threshold`.
    """
    n_empty = n_cells - len(occupied)
    skip = _Geometric(_rate_passed_over(scale, threshold))
    ranks, last = [], -1
    while last < n_empty:
        # No more at once than are likely to fit.
        likely = min(_BLOCK, int((n_empty - last) * -math.expm1(-skip.rate)) + 16)
        for gap in skip.draw(likely):
            last += gap + 1
            if last >= n_empty:
                break
            ranks.append(last)
    ranks = np.array(ranks, dtype=np.int64)
    # The r-th empty cell comes after the occupied ones with at most r empty before.
    empty_before = occupied - np.arange(len(occupied))
    cells = ranks + np.searchsorted(empty_before, ranks, side="right")
    above = _Geometric(_rate_above(scale)).draw(len(cells))
    limit = np.iinfo(np.int64).max
    noise = [min(threshold + excess, limit) for excess in above]
    return cells, np.array(noise, dtype=np.int64)


# --- exact draws --------------------------------------------------------------


def _rate_above(scale):
    """Rate of what stands above a threshold: P(x >= t + k | x >= t) = a^k."""
    numerator, denominator = Fraction(scale).as_integer_ratio()

    @functools.cache
    def of_digits(digits):
        with _digits(digits):
            return decimal.Decimal(denominator) / decimal.Decimal(numerator)

    return of_digits


def _rate_passed_over(scale, threshold):
    """Rate of the cells passed over: P(none of k reaches t) = (1 - p)^k."""
    rate_above = _rate_above(scale)

    @functools.cache
    def of_digits(digits):
        # Room for what threshold / scale multiplies the error of the exponent by.
        room = 10 + max(0, math.ceil(math.log10(threshold / scale)))
        rate = rate_above(digits + room)
        with _digits(digits + room):
            p = (-rate * threshold).exp() / (1 + (-rate).exp())
            # -log(1 - p) = p + p^2 / 2 + ...: nothing cancels, and p < 1/2.
            total, power, k = decimal.Decimal(0), p, 1
            while power > p.scaleb(-digits - 3):
                total += power / k
                power *= p
                k += 1
            return total

    return of_digits


def _digits(digits):
    return decimal.localcontext(
        decimal.Context(
            prec=digits,
            rounding=decimal.ROUND_HALF_EVEN,
            Emin=decimal.MIN_EMIN,
            Emax=decimal.MAX_EMAX,
        )
    )


class _Geometric:
    """Exact draws of floor(E / rate), E exponential: P(X >= k) = exp(-rate k).

    Parameters
    ----------
    rate_of_digits : callable
        The rate, right to about as many digits as it is given.
    """

    def __init__(self, rate_of_digits):
        self._rate_of_digits = rate_of_digits
        self.rate = max(float(rate_of_digits(40)), _LEAST_RATE)

    def draw(self, n):
        """n draws, as a list of int; those from 2^63 on as 2^63."""
        words = np.frombuffer(secrets.token_bytes(n * _WORD // 8), dtype=np.uint64)
        quotients = -np.log((words + 0.5) / 2.0**_WORD) / self.rate
        errors = _RELATIVE * quotients + _ABSOLUTE / self.rate
        low, high = np.floor(quotients - errors), np.floor(quotients + errors)
        low, high = np.minimum(low, 2.0**63), np.minimum(high, 2.0**63)
        # The least words hold too few bits of U for the bounds above.
        clear = (low == high) & (words > 2**52)
        return [
            int(value) if is_clear else self._settle(int(word))
            for value, is_clear, word in zip(low, clear, words, strict=True)
        ]

    def _settle(self, word):
        """The draw whose U begins with the bits of `word`, up to 2^63."""
        if self.rate <= _LEAST_RATE:
            return 2**63
        n_bits = _WORD
        while True:
            if word > 0:
                # U is from word to word + 1, in units of 2^-n_bits.
                high = self._floor(word, n_bits, decimal.ROUND_CEILING)
                low = self._floor(word + 1, n_bits, decimal.ROUND_FLOOR)
                if low == high:
                    return low
            word = word << _WORD | secrets.randbits(_WORD)
            n_bits += _WORD

    def _floor(self, numerator, n_bits, rounding):
        """floor(-log(numerator / 2^n_bits) / rate), with an error to one side only.

        2^63 where it is more: all digits of a huge number would take as many bits of U.
        """
        digits = n_bits // 2 + 20
        with _digits(digits) as context:
            # ln(2^n / numerator) as one ratio: differences of logs would lose digits.
            ratio = decimal.Decimal(1 << n_bits) / decimal.Decimal(numerator)
            quotient = ratio.ln() / self._rate_of_digits(digits)
            # The ratio, its log and the rate are right within 10^(2 - digits) of
            # themselves: so is the log within as much of 1, where it is small.
            slack = (quotient + 1 / self._rate_of_digits(digits)).scaleb(8 - digits)
            context.rounding = rounding
            quotient += slack if rounding == decimal.ROUND_CEILING else -slack
            return max(0, math.floor(min(quotient, decimal.Decimal(2**63))))
