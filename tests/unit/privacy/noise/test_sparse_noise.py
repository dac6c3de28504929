"""Exact draws against formulas in many digits: the same random bits, the same draw.

Tests hold whatever bits are drawn, or state their chance.
"""

import math
import secrets
from decimal import Decimal, localcontext

import numpy as np
import pytest
from naive import noise as naive

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.noise import sparse_noise as module
from coclust_synth.privacy.noise.sparse_noise import (
    passing_empty_cells,
    sparse_threshold,
)

SCALES = [0.5, 1.0, 3.3, 20.0, 1000.0]
NONE = np.array([], dtype=np.int64)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("threshold", [1, 2, 7, 300])
def test_rates_are_those_of_the_law(scale, threshold):
    """Right to 60 digits: P(t) / P(t + 1) = e^epsilon, and p as the sum of the law."""
    above = module._rate_above(scale)(60)
    passed = module._rate_passed_over(scale, threshold)(60)
    expected = naive.rate_passed_over(threshold, scale)
    with localcontext(prec=100):
        assert abs(above * Decimal(scale) - 1) < Decimal("1e-58")
        assert abs(passed / expected - 1) < Decimal("1e-58")
    p = -math.expm1(-float(passed))
    assert p == pytest.approx(naive.tail(threshold, scale), rel=1e-9, abs=1e-300)


@pytest.mark.noise
def test_the_rate_of_thresholds_nobody_reaches_is_still_right():
    rate = module._rate_passed_over(2**-7, 3000)(30)
    with localcontext(prec=60):
        # p is so small that -log(1 - p) is p.
        a = (-1 / Decimal("0.0078125")).exp()
        p = a**3000 / (1 + a)
        assert abs(rate / p - 1) < Decimal("1e-29")
    assert rate < Decimal("1e-160000")
    cells, values = passing_empty_cells(NONE, 2**63 - 1, scale=2**-7, threshold=3000)
    assert len(cells) == len(values) == 0


def draws_of(monkeypatch, geometric, words, more):
    """Draws whose uniforms begin with given words, and go on with `more`."""
    content = np.array(words, dtype=np.uint64).tobytes()
    monkeypatch.setattr(module.secrets, "token_bytes", lambda n: content)
    monkeypatch.setattr(module.secrets, "randbits", lambda n: more)
    return geometric.draw(len(words))


@pytest.mark.slow
@pytest.mark.parametrize("more", [0, 2**63 + 12345, 2**64 - 1])
@pytest.mark.parametrize("scale, threshold", [(0.5, 1), (20.0, 5), (3.3, 40), (9, 300)])
def test_draws_are_the_inverse_of_the_law(monkeypatch, scale, threshold, more):
    words = [
        0 if more else 3,
        1,
        2,
        2**32,
        2**52,
        2**53 + 1,
        2**63,
        2**64 - 2,
        2**64 - 1,
    ]
    words += np.frombuffer(secrets.token_bytes(400), dtype=np.uint64).tolist()
    passed = (
        module._rate_passed_over(scale, threshold),
        naive.rate_passed_over(threshold, scale),
    )
    with localcontext(prec=naive.DIGITS):
        above = module._rate_above(scale), 1 / Decimal(scale)
    for rate_of_digits, rate in (passed, above):
        geometric = module._Geometric(rate_of_digits)
        drawn = draws_of(monkeypatch, geometric, words, more)
        for word, value in zip(words, drawn, strict=True):
            # U lies between bits and bits + 1, of 256; all of `more` comes after.
            bits = word
            for _ in range(3):
                bits = bits << 64 | more
            high = naive.geometric(bits or 1, 256, rate)
            low = naive.geometric(bits + 1, 256, rate)
            assert min(low, 2**63) <= value <= min(high, 2**63)
            if bits:
                # They differ for one of the random words once in 2^180 times.
                assert low == high, "the bounds say nothing; choose other words"


@pytest.mark.noise
def test_a_threshold_that_no_digits_reach_is_passed_by_nothing():
    """P(noise >= 2^62) is below e^(-4e21): no draw is ever of it."""
    for _ in range(50):
        cells, noise = passing_empty_cells(NONE, 2**40, scale=1e-3, threshold=2**62)
        assert len(cells) == len(noise) == 0


def test_a_draw_beyond_all_cells_is_not_told_digit_by_digit(monkeypatch):
    """One draw of 4,096 asked for a million bits of U, and seemed to hang."""
    geometric = module._Geometric(module._rate_passed_over(1.5, 10**6))
    asked = []
    monkeypatch.setattr(module.secrets, "randbits", lambda n: asked.append(n) or 5)
    assert all(geometric._settle(word) == 2**63 for word in (0, 1, 2**52))
    assert len(asked) <= 3


def test_doubles_only_decide_what_is_clear(monkeypatch):
    """U where the floor jumps: the double nearest to it is on either side."""
    rate = Decimal(1) / Decimal(20)
    geometric = module._Geometric(module._rate_above(20.0))
    for k in (1, 5, 100, 700):
        with localcontext(prec=60):
            boundary = int((-rate * k).exp() * 2**64)
        drawn = draws_of(monkeypatch, geometric, [boundary - 1, boundary + 1], 2**63)
        assert drawn == [k, k - 1]


@pytest.mark.noise
@pytest.mark.parametrize("occupied", [[], [0], [9], [0, 1, 2, 5, 9], list(range(10))])
def test_empty_cells_are_numbered_around_the_occupied(occupied):
    """A threshold of 1 and much noise: over some draws all empty cells pass."""
    seen = set()
    for _ in range(200):  # each cell passes with p = .4975: never, once in 2^200
        cells, values = passing_empty_cells(
            np.array(occupied, dtype=np.int64), 10, scale=100.0, threshold=1
        )
        assert (np.diff(cells) > 0).all() and (values >= 1).all()
        seen.update(cells.tolist())
    assert seen == set(range(10)) - set(occupied)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
@pytest.mark.parametrize("n_cells", [100, 17280, 10**15])
@pytest.mark.parametrize("sensitivity", [1, 4])
def test_the_threshold_is_the_least_that_few_pass(epsilon, n_cells, sensitivity):
    few = 50.0
    t = sparse_threshold(n_cells, epsilon, few, sensitivity=sensitivity)
    scale = sensitivity / epsilon
    passing = [n_cells * naive.passing_probability(x, scale) for x in (t, t - 1)]
    assert passing[0] <= few * (1 + 1e-9)
    assert t == 1 or passing[1] > few * (1 - 1e-9)


@pytest.mark.parametrize(
    "arguments", [(0, 1, 1), (10, 0, 1), (10, 1, 0), (10.5, 1, 1), (10, 1, "few")]
)
def test_thresholds_of_nothing_are_refused(arguments):
    with pytest.raises(ParameterError, match="Expected"):
        sparse_threshold(*arguments)
