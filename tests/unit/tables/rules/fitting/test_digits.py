"""To how many digits coefficients are told, and what is exact then."""

import numpy as np
import pytest

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.fitting.digits import settle, sums_with_own_digits
from coclust_synth.tables.rules.fitting.rounding import misses

CENTS = SteppedRuler(0.01, whole=False)


def test_a_product_of_broken_powers_is_exact_to_the_last_digit_only(rng):
    """Two prices of day and night are near to one, where nights are a third or none."""
    used, price = rng.integers(20, 400, 4000) * 1.0, rng.normal(0.22, 0.02, 4000)
    night = np.where(rng.random(4000) < 0.4, np.floor(0.35 * used), 0)
    numbers = {"used": used, "day": used - night, "price": price.round(4)}
    numbers["cost"] = np.round((used - 0.3 * night) * numbers["price"], 2)
    powers = 0.7421, 0.2579, 1.0
    near = Fit("cost", ("used", "day", "price"), powers, 1.0, logarithms=True)
    missed, _ = misses(near, numbers, CENTS)
    assert missed.mean() < 0.005
    assert settle(near, numbers, CENTS).about


def test_multiples_of_219_are_told_to_the_unit_and_what_is_rounded_to_a_hundred_is_not(
    rng,
):
    children = rng.choice([0, 1, 2, 3, 4], 4000, p=[0.5, 0.2, 0.18, 0.08, 0.04]) * 1.0
    numbers = {"children": children, "benefit": 219 * children}
    near = Fit("benefit", ("children",), (219.0,), 0.0, logarithms=False)
    settled = settle(near, numbers, SteppedRuler(219))
    assert settled.terms == {"children": 219} and not settled.about
    net = rng.integers(1000, 9000, 4000) * 1.0
    numbers = {"net": net, "gross": np.round(1.19 * net, -2)}
    near = Fit("gross", ("net",), (1.19,), 0.0, logarithms=False)
    settled = settle(near, numbers, SteppedRuler(100))
    assert settled.terms == {"net": 1.19} and not settled.about


def test_a_surface_of_body_is_a_product_of_broken_powers(rng):
    height, weight = (
        rng.integers(140, 200, 4000) * 1.0,
        rng.normal(75, 9, 4000).round(1),
    )
    numbers = {"height": height, "weight": weight}
    numbers["surface"] = (0.007184 * weight**0.425 * height**0.725).round(2)
    fit = Fit("surface", ("weight", "height"), (0.425, 0.725), 0.00718, logarithms=True)
    settled = settle(fit, numbers, CENTS)
    assert not settled.about and settled.constant == pytest.approx(0.007184, rel=1e-3)


def test_many_shares_are_told_to_their_digits(rng):
    """Tenths and thirds, of which each doubles the ways to tell all of them."""
    shares = 0.2, 1 / 3, 0.1, 1 / 6, 0.15, 0.05, 0.4, 1 / 12
    numbers = {
        f"part {i}": rng.integers(0, 600, 3000) * 1.0 for i in range(len(shares))
    }
    total = sum(c * x for c, x in zip(shares, numbers.values(), strict=True))
    near = Fit("total", tuple(numbers), tuple(round(c, 4) for c in shares), 0.0)
    numbers["total"] = np.round(total, 2)
    first = next(sums_with_own_digits(near, numbers, CENTS))
    np.testing.assert_allclose(first.coefficients, shares, rtol=1e-9)
