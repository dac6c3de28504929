"""To how many digits coefficients are told, and what is exact then."""

import numpy as np
import pytest

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.sums.digits import settle
from coclust_synth.tables.rules.sums.rounding import misses

CENTS = SteppedRuler(0.01, whole=False)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


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
