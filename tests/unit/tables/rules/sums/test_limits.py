import numpy as np
import pandas as pd
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.tables.relations import Limited
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.limits import find_limited


def calls(rng, n=2000):
    """Minutes, and the fee of those above an allowance."""
    used = rng.gamma(2, 100, n).round()
    return used, np.maximum(0, 0.25 * used - 37.5)


def found(columns, told=(), k=20, persons=None):
    evidence = evidence_of(columns, persons)
    return find_limited(columns_of(evidence, k), told)


def test_what_is_used_above_an_allowance_is_found(rng):
    used, fee = calls(rng)
    rule = Limited("fee", ("used",), (0.25,), -37.5, at_least=0.0)
    columns = {"age": rng.integers(18, 90, len(used)), "fee": fee, "used": used}
    assert found(columns) == [rule]
    assert found(columns, [rule]) == []
    assert str(rule) == "fee = 0.25 * used - 37.5, at least 0"
    rules = [str(own) for own in rules_of(evidence_of(columns), None, 20).all]
    assert rules[0] == str(rule) and not any("never" in own for own in rules)


@pytest.mark.slow
@pytest.mark.parametrize("with_sum", [True, False])
def test_a_whole_sum_is_not_given_up_for_a_limit(rng, with_sum):
    """Where there are earnings three tenths of all is deducted, else one tenth."""
    n = 1500
    earned = np.where(rng.random(n) < 0.2, 0, rng.gamma(3, 420, n).round() + 150)
    pension = np.where(rng.random(n) < 0.4, rng.normal(980, 210, n).round(), 0)
    both = earned + pension
    taken = np.round(both * np.where(earned > 0, 0.3, 0.1), 2)
    columns = {"earned": earned, "pension": pension, "taken": taken}
    if with_sum:
        rules = rules_of(evidence_of(columns | {"both": both}), None, 20).told
        assert str(rules["both"]) == "both = earned + pension"
        assert set(rules) == {"both", "taken"}
    else:
        (rule,) = found(columns)
        assert str(rule) == "earned = taken / 0.3 - pension, at least 0"


@pytest.mark.slow
def test_caps_and_floors_and_allowances_of_ones_own(rng):
    cost = rng.lognormal(5, 1, 2000).round(2)
    allowed = rng.choice([50, 100, 300], 2000)
    used, _ = calls(rng)
    columns = {
        "cost": cost,
        "capped": np.minimum(50, 0.2 * cost).round(2),
        "both": np.clip(0.1 * cost, 5, 30).round(2),
        "allowed": allowed,
        "used": used,
        "above": np.maximum(0, used - allowed),
    }
    assert found(columns) == [
        Limited("above", ("used", "allowed"), (1.0, -1.0), 0.0, at_least=0.0),
        Limited("both", ("cost",), (0.1,), 0.0, at_least=5.0, at_most=30.0),
        Limited("capped", ("cost",), (0.2,), 0.0, at_most=50.0),
    ]


def test_who_is_not_driven_pays_nothing(rng):
    """The least fee is that of short ways, and no fee that of none."""
    km = np.where(rng.random(2000) < 0.8, rng.gamma(3, 4, 2000).round(1), np.nan)
    fee = np.maximum(85, (63.5 + 2.15 * km).round(2))
    columns = {"km": km, "fee": np.where(np.isnan(km), 0, fee)}
    rule = Limited("fee", ("km",), (2.15,), 63.5, at_least=85.0)
    assert found(columns) == [rule]
    columns["fee"][:40] = 0
    assert found(columns) == []


@pytest.mark.slow
def test_what_is_told_from_it_hides_nothing(rng):
    """Net, tax and gross tell the fee that they are told from, or nearly."""
    used, _ = calls(rng)
    allowed, price = rng.choice([50, 100, 300], 2000), rng.choice([9.99, 20.5], 2000)
    fee = np.maximum(0, 0.09 * (used - allowed)).round(2)
    net = (price + fee).round(2)
    tax = (0.19 * net).round(2)
    columns = {"allowed": allowed, "fee": fee, "gross": (net + tax).round(2)}
    columns |= {"net": net, "price": price, "tax": tax, "used": used}
    rules = [str(own) for own in rules_of(evidence_of(columns), None, 20).all]
    assert rules[0] == "fee = 0.09 * used - 0.09 * allowed, at least 0"
    assert "tax = 0.19 * net" in rules
    assert {"net = fee + price", "net = price + fee"} & set(rules)
    assert any(own.startswith("gross = ") for own in rules)
    assert not any(" ~ " in own for own in rules)


def test_whole_hours_and_days_of_dates_above_what_is_allowed(rng):
    usual, more = rng.integers(30, 41, 3000), rng.integers(-9, 10, 3000)
    lent = np.datetime64("2024-01-01") + rng.integers(0, 300, 3000)
    days = rng.integers(1, 60, 3000)
    columns = {
        "usual": usual,
        "worked": usual + more,
        "overtime": np.maximum(0, more),
        "due": lent + 28,
        "back": lent + days,
        "late": np.maximum(0, days - 28),
        # Of a list of two any number above the others is one.
        "is_long": (days > 28).astype(int),
    }
    assert found(columns) == [
        Limited("late", ("due", "back"), (-1.0, 1.0), 0.0, at_least=0.0),
        Limited("overtime", ("worked", "usual"), (1.0, -1.0), 0.0, at_least=0.0),
    ]


@pytest.mark.slow
def test_what_many_columns_tell_a_little_of_is_none(rng):
    """Above an allowance, the mean of so many meters that each is idle."""
    used, _ = calls(rng, 1000)
    columns = {f"meter{i}": used + rng.integers(-1, 2, 1000) for i in range(130)}
    fee = np.maximum(0, np.mean([*columns.values()], axis=0) - 150).round(2)
    assert found(columns | {"fee": fee}) == []


@pytest.mark.parametrize("n_broken, n_found", [(5, 1), (7, 0)])
def test_few_rows_differ(rng, n_broken, n_found):
    """Of those who are above, half of all, one in two hundred."""
    used, fee = calls(rng)
    fee[:n_broken] += 5
    assert len(found({"used": used, "fee": fee})) == n_found


def test_who_is_at_the_limit_must_be_beyond_it(rng):
    """Half pay nothing, whatever they use."""
    used, fee = calls(rng)
    assert found({"used": used, "fee": np.where(rng.random(2000) < 0.5, 0, fee)}) == []


def test_a_sum_that_needs_no_limit_is_none(rng):
    used = np.maximum(0, rng.normal(0, 100, 2000)).round()
    assert found({"used": used, "fee": 0.25 * used}) == []


@pytest.mark.parametrize("who, k, n_found", [(1, 100, 1), (1, 1200, 0), (40, 100, 0)])
def test_k_individuals_are_at_the_limit_and_k_are_not(rng, who, k, n_found):
    used, fee = calls(rng)
    persons = np.arange(2000) // who
    assert len(found({"used": used, "fee": fee}, k=k, persons=persons)) == n_found


@pytest.mark.slow
def test_independent_columns_have_none(rng):
    for _ in range(20):
        columns = {
            f"c{i}": np.maximum(0, rng.normal(i % 3, 1, 400)).round(2) for i in range(5)
        }
        assert found(columns) == []


@pytest.mark.slow
def test_rows_that_are_drawn_keep_it(rng):
    used, fee = calls(rng)
    table = pd.DataFrame({"used": used, "fee": fee})
    drawn = CoclusterSynthesizer(k=20, random_state=0).fit(table).sample(2000)
    np.testing.assert_array_equal(
        drawn["fee"], np.maximum(0, 0.25 * drawn["used"] - 37.5)
    )
    assert abs((drawn["fee"] == 0).mean() - (fee == 0).mean()) < 0.03
