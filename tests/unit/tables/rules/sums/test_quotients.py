"""Columns that are a sum of others over a column."""

import numpy as np
import pytest
from support.evidence import evidence_of

from coclust_synth.tables.relations import Bill, Quotient
from coclust_synth.tables.rules.found import rules_of


@pytest.fixture
def growth(rng):
    then = np.round(rng.lognormal(6, 1, 1000))
    now = np.round(then * rng.normal(1.04, 0.15, 1000).clip(0.3))
    growth = np.round(100 * (now - then) / then, 1)
    return {"then": then, "now": now, "growth": growth}


def told(columns, k=20, persons=None):
    return rules_of(evidence_of(columns, persons), None, k).fits


def test_a_growth_is_found(growth):
    expected = Quotient("growth", ("now",), (100.0,), "then", -100.0)
    assert told(growth) == {"growth": expected}


def test_a_margin_that_is_always_above_0_is_found(rng):
    """And none of the others from it, for which its steps are too large."""
    price = np.round(rng.lognormal(3, 0.5, 1000), 1)
    cost = np.round(price * rng.uniform(0.2, 0.8, 1000), 1)
    columns = {"price": price, "cost": cost}
    columns["margin"] = np.round(100 * (price - cost) / price, 1)
    margin = Quotient("margin", ("cost",), (-100.0,), "price", 100.0)
    assert told(columns) == {"margin": margin}
    assert str(margin) == "margin = 100 - 100 * cost / price"


def test_a_difference_that_stands_beside_it_tells_it(growth):
    growth["more"] = growth["now"] - growth["then"]
    rules = told(growth)
    assert rules["growth"] == Quotient("growth", ("more",), (100.0,), "then")
    assert len(rules) == 2


def test_a_balance_is_a_share_of_one_of_few_limits(rng):
    balance = np.round(rng.normal(300, 400, 1000), 2)
    limit = rng.choice([500.0, 1000, 2000, 5000], 1000)
    columns = {"balance": balance, "limit": limit}
    columns["used"] = np.round(balance / limit, 3)
    rules = told(columns)
    assert rules == {"used": Quotient("used", ("balance",), (1.0,), "limit")}


def test_an_amount_that_is_paid_back_is_a_product(rng):
    """How many were sold is no quotient: amounts are told to the last digit."""
    sold = rng.integers(-30, 90, 1000) * 1.0
    price = np.round(rng.lognormal(3, 0.5, 1000), 2)
    columns = {"sold": sold, "price": price, "amount": np.round(sold * price, 2)}
    assert told(columns) == {"amount": Bill("amount", (("sold", "price"),), (1.0,))}


@pytest.mark.parametrize("broken, n_found", [(4, 1), (20, 0)])
def test_few_rows_differ(growth, broken, n_found):
    growth["growth"][:broken] += 7
    assert len(told(growth)) == n_found


def test_rows_without_a_divisor_have_none(growth):
    growth["then"][:90] = 0
    growth["growth"][:90] = np.nan
    assert [*told(growth)] == ["growth"]
    growth["growth"][:90] = 5
    assert told(growth) == {}


@pytest.mark.slow
def test_columns_of_chance_have_none(rng):
    for _ in range(30):
        columns = {f"n{j}": rng.normal(0, 9, 400).round(j % 3) for j in range(6)}
        columns |= {f"c{j}": rng.integers(1, 5 + 30 * j, 400) for j in range(3)}
        assert not any(isinstance(r, Quotient) for r in told(columns).values())
