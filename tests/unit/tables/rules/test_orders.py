import numpy as np
import pytest

from coclust_synth.tables.rules.orders import find_orders


def pairs(orders):
    return {(order.low, order.high) for order in orders}


def test_dates_in_order_are_found():
    rng = np.random.default_rng(0)
    born = rng.integers(0, 20_000, 2000).astype(float)
    admitted = born + rng.integers(0, 5000, 2000)
    left = admitted + rng.integers(0, 30, 2000)
    admitted[::9] = np.nan
    found = find_orders({"left": left, "born": born, "admitted": admitted}, 20)
    assert {("born", "admitted"), ("admitted", "left")} <= pairs(found)
    assert all(order.broken == 0 for order in found)


def test_what_follows_from_two_others_is_left_out():
    rng = np.random.default_rng(0)
    a = rng.normal(0, 1, 2000)
    b = a + rng.exponential(1, 2000)
    c = b + rng.exponential(1, 2000)
    assert pairs(find_orders({"a": a, "b": b, "c": c}, 20)) == {("a", "b"), ("b", "c")}


def test_a_few_rows_may_break_it_but_no_more():
    rng = np.random.default_rng(0)
    a = rng.normal(0, 1, 10_000)
    b = a + rng.exponential(1, 10_000)
    b[:20] = a[:20] - 1
    (order,) = find_orders({"a": a, "b": b}, 20)
    assert order.broken == 0.002
    b[:200] = a[:200] - 1
    assert find_orders({"a": a, "b": b}, 20) == []


def test_ranges_that_do_not_meet_are_no_rule():
    rng = np.random.default_rng(0)
    year, age = rng.integers(1950, 2000, 2000) * 1.0, rng.integers(0, 90, 2000) * 1.0
    assert find_orders({"year": year, "age": age}, 20) == []


def test_few_rows_are_no_rule():
    rng = np.random.default_rng(0)
    a = rng.normal(0, 1, 300)
    b = a + rng.exponential(1, 300)
    a[19:] = np.nan
    assert find_orders({"a": a, "b": b}, 20) == []


@pytest.mark.parametrize("seed", range(20))
def test_independent_columns_have_none(seed):
    rng = np.random.default_rng(seed)
    numbers = {f"x{j}": rng.normal(j / 4, 1, 1000) for j in range(6)}
    numbers |= {f"n{j}": rng.poisson(j + 1, 1000) * 1.0 for j in range(3)}
    assert find_orders(numbers, 20) == []
