"""The terms of a sum that tells a column."""

import numpy as np
import pytest

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.rules.fitting.scales import Scale

CENTS = SteppedRuler(0.01, whole=False)


@pytest.fixture
def numbers():
    """Votes of two, what polls gave them, and fees that few rows have."""
    rng = np.random.default_rng(0)
    lead, third = rng.normal(0, 8, 3000), rng.exponential(2, 3000)
    numbers = {"one": 50 + lead / 2 - third, "two": 50 - lead / 2}
    for name in ("one", "two"):
        numbers[f"{name} polled"] = numbers[name] + rng.normal(-3, 3, 3000)
    numbers = {name: np.round(x, 2) for name, x in numbers.items()}
    numbers["lead"] = np.round(numbers["one"] - numbers["two"], 2)
    polled = numbers["one polled"] - numbers["two polled"]
    numbers["lead polled"] = np.round(polled, 2)
    numbers["fee"] = np.where(rng.random(3000) < 0.03, 15.0, 0.0)
    return numbers


def terms(numbers, names, coefficients):
    scale = Scale.of("lead", CENTS, numbers, {"lead"}, logarithms=False)
    names, kept = scale._without_nothing(names, np.array(coefficients, dtype=float))
    return dict(zip(names, kept.tolist(), strict=True))


def test_what_adds_up_to_nothing_is_taken_off(numbers):
    names = ["one", "one polled", "two", "lead polled", "two polled"]
    kept = terms(numbers, names, [1, -1, -1, 1, 1])
    assert kept == {"one": 1, "two": -1}


def test_what_few_rows_have_is_something(numbers):
    numbers["fee polled"] = -numbers["fee"] * (np.arange(3000) % 7 > 0)
    names = ["one", "two", "fee", "fee polled"]
    assert [*terms(numbers, names, [1, -1, 1, 1])] == names


def test_two_fees_of_few_rows_are_not_nothing(numbers):
    for place, name in enumerate(("early", "late")):
        numbers[name] = np.where(np.arange(3000) % 2999 == place, 5.0, 0.0)
    names = ["one", "two", "early", "late"]
    assert [*terms(numbers, names, [1, -1, 1, 1])] == names


def test_of_many_columns_those_that_go_with_a_total_are_looked_at(rng):
    numbers = {f"item {i}": rng.integers(0, 100, 600) * 1.0 for i in range(260)}
    numbers["total"] = numbers["item 3"] + numbers["item 70"] + numbers["item 259"]
    scale = Scale.of("total", CENTS, numbers, {"total"}, logarithms=False)
    assert len(scale.parents) == 200
    assert [*scale.parents] == [name for name in numbers if name in scale.parents]
    assert set(scale.all_at_once(()).fit.parents) == {"item 3", "item 70", "item 259"}
