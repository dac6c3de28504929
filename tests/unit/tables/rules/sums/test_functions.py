from types import SimpleNamespace

import numpy as np
import pytest

from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.relations import FUNCTIONS, Fit, Function
from coclust_synth.tables.rules.sums.functions import _rise_or_fall, find_functions
from coclust_synth.tables.rules.sums.search import Columns

REAL = ContinuousRuler()


def found(numbers, told=(), **rulers):
    rulers = dict.fromkeys(numbers, REAL) | rulers
    return find_functions(Columns(SimpleNamespace(numbers=numbers), rulers), told)


def single(x):
    """As files of single precision have it."""
    return x.astype(np.float32).astype(np.float64)


def test_a_logarithm_and_a_square_of_single_precision(rng):
    wage = single(rng.lognormal(2, 1, 3000))
    age = rng.integers(16, 70, 3000) * 1.0
    numbers = {"lwage": single(np.log(wage)), "age": age, "wage": wage}
    numbers |= {"agesq": age**2, "other": rng.lognormal(2, 1, 3000)}
    whole = dict.fromkeys(["age", "agesq"], SteppedRuler(1))
    assert found(numbers, **whole) == [
        Function("agesq", "square", "age"),
        Function("lwage", "log", "wage"),
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_functions_are_found(rng, name):
    x = np.round(rng.uniform(0.5, 9, 800), 2)
    numbers = {"x": x, "y": FUNCTIONS[name](x)}
    (fit,) = found(numbers, x=SteppedRuler(0.01, whole=False))
    np.testing.assert_allclose(fit.predict(numbers), numbers["y"], rtol=1e-6)
    assert (fit.target, fit.of) == ("y", "x")


def test_a_factor_and_a_constant_have_the_fewest_digits_that_fit(rng):
    x = rng.uniform(1, 40, 2000)
    numbers = {"x": x, "y": x**2 / 100, "thousands": np.log(x / 1000)}
    assert set(found(numbers)) == {
        Function("y", "square", "x", factor=0.01),
        Function("thousands", "log", "x", constant=-6.90776),
    }


def test_where_there_is_no_logarithm_nothing_is_told(rng):
    cost = np.where(rng.random(2000) < 0.3, 0.0, rng.lognormal(3, 1, 2000))
    logarithm = np.log(cost, out=np.full(2000, np.nan), where=cost > 0)
    (fit,) = found({"log": logarithm, "cost": cost})
    assert fit == Function("log", "log", "cost")
    assert np.isnan(fit.predict({"cost": np.array([0.0, -1.0])})).all()
    # With most rows at 0, they say little.
    cost[: 2000 * 3 // 4] = logarithm[: 2000 * 3 // 4] = 0.0
    assert found({"log": logarithm, "cost": cost}) == []


def test_rounded_ones_hold_up_to_their_step_and_few_rows_may_differ(rng):
    x = rng.integers(1, 5000, 2000) * 1.0
    numbers = {"x": x, "root": np.round(np.sqrt(x), 1)}
    rulers = {"x": SteppedRuler(1), "root": SteppedRuler(0.1, whole=False)}
    numbers["root"][:9] += 5
    assert found(numbers, **rulers) == [Function("root", "square root", "x")]
    numbers["root"][9:11] += 5
    assert found(numbers, **rulers) == []


def test_what_a_line_tells_is_no_function(rng):
    """Everything is straight from near."""
    year = rng.integers(1984, 1996, 2000) * 1.0
    numbers = {"year": year, "since": year - 1900, "none": np.full(2000, np.nan)}
    assert found(numbers, **dict.fromkeys(numbers, SteppedRuler(1))) == []


def test_mostly_one_value_is_no_function(rng):
    x, y = rng.integers(0, 1000, (2, 30_000)) * 1.0
    numbers = {"x": x, "y": np.where(rng.random(30_000) < 0.996, 0.0, y)}
    assert found(numbers, **dict.fromkeys("xy", SteppedRuler(1))) == []


def test_no_column_is_told_twice_or_from_itself(rng):
    x = np.round(rng.uniform(1, 9, 1000), 3)
    numbers = {"x": x, "y": np.log(x), "z": np.sqrt(x)}
    told = Fit("x", ("y",), (1.0,), 0.0, logarithms=False)
    assert found(numbers, [told]) == [Function("z", "square root", "x")]
    step = SteppedRuler(0.001, whole=False)
    assert [(fit.target, fit.of) for fit in found(numbers, x=step)] == [
        ("y", "x"),
        ("z", "x"),
    ]
    assert [(fit.target, fit.of) for fit in found(numbers)] == [("x", "z"), ("y", "x")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_is_lost_to_rows_that_differ_and_rounding(rng, name):
    x = np.round(rng.uniform(0.5, 5, 4000), 3)
    y = np.round(FUNCTIONS[name](x), 2)
    y[rng.choice(4000, 18, replace=False)] += rng.choice([-9, 9], 18)
    x[rng.random(4000) < 0.002] = np.nan
    numbers = {"x": x, "y": y, "other": rng.normal(0, 1, 4000)}
    rulers = {"x": SteppedRuler(0.001, whole=False), "y": SteppedRuler(0.01, False)}
    may_be = _rise_or_fall(numbers, rulers | {"other": REAL})
    assert may_be["y", "x"] and found(numbers, **rulers)
    assert not may_be["y", "other"] and not may_be["other", "x"]
