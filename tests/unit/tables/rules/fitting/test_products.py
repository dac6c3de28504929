import numpy as np
import pytest
from naive import products as naive

from coclust_synth.tables.rules.sums.bills import strongest_products


@pytest.mark.parametrize("seed", range(4))
def test_as_every_product_tried_by_least_squares(seed):
    rng = np.random.default_rng(seed)
    x = rng.lognormal(0, 0.7, (120, 5))
    x[:, 4] += [0, 1, 1, 3][seed] * x[:, 0] * x[:, 1] + (seed > 1) * x[:, 2] * x[:, 3]
    found = strongest_products(x, range(5))
    for target in range(5):
        (left, one), (least, two) = naive.strongest_products(x, target)
        single, both = found[target]
        assert single.pairs == one
        assert single.left == pytest.approx(left, abs=1e-8)
        assert both.left >= least - 1e-8
        assert naive.left_by(x, target, both.pairs) == pytest.approx(both.left)
        assert {*both.pairs} == {*two} or both.left > least


def test_products_are_found_beside_columns(rng):
    x = rng.normal(5, 2, (400, 8))
    x[:, 7] = 3 * x[:, 0] * x[:, 1] - x[:, 2] * x[:, 1] + 4 * x[:, 3] + 7
    one, two = strongest_products(x, [7])[7]
    assert set(two.pairs) == {(0, 1), (1, 2)}
    assert two.left < 1e-9 < one.left


def test_a_column_that_is_a_sum_is_left_out():
    x = np.random.default_rng(0).normal(size=(100, 4))
    x[:, 3] = x[:, 0] + x[:, 1]
    assert set(strongest_products(x, range(4))) == {2}
