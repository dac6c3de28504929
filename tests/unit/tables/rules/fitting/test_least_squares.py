import numpy as np
import pytest

from coclust_synth.tables.rules.fitting import least_squares as module
from coclust_synth.tables.rules.fitting.least_squares import MANY, least_squares


def columns(n_more=36):
    """Columns that go together, far from 0."""
    rng = np.random.default_rng(0)
    behind, own = rng.normal(size=(400, 5)), rng.normal(size=(400, MANY + n_more))
    return 1000 + behind @ rng.normal(size=(5, MANY + n_more)) + own


def test_coefficients_of_many_columns_are_right_to_the_last_digits():
    x = columns()
    coefficients = np.arange(x.shape[1]) - 20.0
    found = least_squares(x, x @ coefficients)
    np.testing.assert_allclose(found, coefficients, atol=1e-9)


def test_many_columns_take_no_singular_values(monkeypatch):
    monkeypatch.setattr(module.np.linalg, "lstsq", None)
    x = columns()
    assert len(least_squares(x, x[:, 0])) == x.shape[1]


@pytest.mark.parametrize("kind", ["sum", "nothing", "few rows"])
def test_columns_that_are_sums_of_others_have_the_smallest_coefficients(kind):
    x = columns()
    if kind == "sum":
        x[:, 3] = x[:, 0] + x[:, 1]
    elif kind == "nothing":
        x[:, 3] = 0
    else:
        x = x[: MANY + 10]
    y = x @ np.ones(x.shape[1])
    smallest = np.linalg.lstsq(x, y, rcond=None)[0]
    np.testing.assert_array_equal(least_squares(x, y), smallest)


def test_few_columns_are_as_singular_values_have_them():
    x = columns(n_more=0)
    smallest = np.linalg.lstsq(x, x[:, 0], rcond=None)[0]
    np.testing.assert_array_equal(least_squares(x, x[:, 0]), smallest)
