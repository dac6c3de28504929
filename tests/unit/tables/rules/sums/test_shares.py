import numpy as np
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth.tables.relations import Share
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.shares import find_shares


def bills(rng, n=3000, rates=(0.8, 0.9, 1.0)):
    """Charges, and what an insurer pays of each."""
    charge = np.round(rng.lognormal(6, 1, n), 2)
    return charge, np.round(charge * rng.choice(rates, n), 2)


def found(columns, told=(), k=20, persons=None):
    evidence = evidence_of(columns, persons)
    return find_shares(columns_of(evidence, k), told)


def test_a_few_round_shares_are_found(rng):
    charge, paid = bills(rng)
    expected = Share("paid", "charge", (0.8, 0.9, 1.0))
    assert found({"paid": paid, "charge": charge}) == [expected]


def test_rates_of_five_digits_are_found(rng):
    area = np.round(rng.lognormal(2.5, 1, 3000), 2)
    aid = np.round(area * rng.choice([208.31, 433.81], 3000, p=[0.75, 0.25]), 2)
    (share,) = found({"aid": aid, "area": area})
    assert share == Share("aid", "area", (208.31, 433.81))
    assert str(share) == "aid = 208.31 or 433.81 of area"


def test_shares_of_small_numbers_are_found(rng):
    staff = np.clip(np.round(rng.lognormal(1.5, 1.2, 3000)), 1, None)
    paid_for = np.round(staff * rng.choice([0.5, 0.75, 1], 3000), 2)
    expected = Share("paid for", "staff", (0.5, 0.75, 1.0))
    assert found({"paid for": paid_for, "staff": staff}) == [expected]


def test_shares_of_four_decimals_are_found(rng):
    price = np.round(rng.lognormal(9, 0.5, 3000), 2)
    duty = np.round(price * rng.choice([0.0225, 0.0375, 0.1], 3000), 2)
    expected = Share("duty", "price", (0.0225, 0.0375, 0.1))
    assert found({"duty": duty, "price": price}) == [expected]


@pytest.mark.slow
def test_what_is_about_as_large_is_no_share(rng):
    for digits in (0, 1, 2):
        for spread in (0.002, 0.01, 0.05):
            weight = np.round(rng.lognormal(3.5, 0.5, 2000), digits)
            again = np.round(weight * rng.normal(1, spread, 2000), digits)
            assert found({"weight": weight, "again": again}) == []


@pytest.mark.slow
def test_parts_come_before_multiples(rng):
    net, tax = bills(rng, rates=(0.055, 0.1, 0.2))
    gross = np.round(net + tax, 2)
    columns = {"gross": gross, "net": net, "tax": tax}
    (share,) = found(columns)
    assert share == Share("tax", "net", (0.055, 0.1, 0.2))
    rules = [str(rule) for rule in rules_of(evidence_of(columns), None, 20).all]
    assert "tax = 0.055, 0.1 or 0.2 of net" in rules
    assert "gross = net + tax" in rules


def test_a_column_times_0_or_1_is_a_share_and_one_share_is_a_product(rng):
    wage = np.round(rng.lognormal(6, 1, 3000), 2)
    of_men = np.where(rng.random(3000) < 0.5, wage, 0.0)
    assert found({"wage": wage, "of_men": of_men}) == [
        Share("of_men", "wage", (0.0, 1.0))
    ]
    assert found({"wage": wage, "twice": 2 * wage}) == []


@pytest.mark.parametrize("broken, n_found", [(10, 1), (40, 0)])
def test_few_rows_have_another_share(rng, broken, n_found):
    charge, paid = bills(rng)
    paid[:broken] = np.round(charge[:broken] * rng.uniform(0, 1, broken), 2)
    assert len(found({"paid": paid, "charge": charge})) == n_found


@pytest.mark.slow
def test_a_share_of_few_people_is_not_told(rng):
    charge, paid = bills(rng, 6000)
    paid[:15] = np.round(charge[:15] * 0.5, 2)
    assert found({"paid": paid, "charge": charge})[0].shares == (0.8, 0.9, 1.0)
    paid[:25] = np.round(charge[:25] * 0.5, 2)
    assert found({"paid": paid, "charge": charge})[0].shares == (0.5, 0.8, 0.9, 1.0)
    persons = np.maximum(np.arange(6000) - 10, 0)  # the first ten rows are one's
    found_of_persons = found({"paid": paid, "charge": charge}, persons=persons)
    assert found_of_persons[0].shares == (0.8, 0.9, 1.0)


@pytest.mark.slow
def test_a_share_that_stands_in_a_column_is_a_product_with_it(rng):
    """The column is drawn for itself, and then tells the share of each row."""
    pay = np.round(rng.lognormal(8, 0.4, 3000))
    percent = rng.choice([0, 2.5, 5, 10, 15, 20], 3000)
    columns = {
        "pay": pay,
        "percent": percent,
        "bonus": np.round(pay * percent / 100, 2),
    }
    (product,) = found(columns)
    assert product.target == "bonus" and set(product.parents) == {"pay", "percent"}
    assert product.logarithms and not product.about and product.constant == 0.01
    (share,) = found({"pay": pay, "bonus": columns["bonus"]})
    assert share == Share("bonus", "pay", (0.0, 0.025, 0.05, 0.1, 0.15, 0.2))
    columns["total"] = pay + columns["bonus"]
    rules = [str(rule) for rule in rules_of(evidence_of(columns), None, 20).all]
    assert {"total = pay + bonus", str(product)} <= set(rules)
    assert not any("of pay" in rule for rule in rules)


@pytest.mark.slow
def test_what_is_told_tells_in_a_sum_what_has_shares_too(rng):
    """What is left to pay of a due is the rest; a tax with a duty has one rate."""
    price = rng.integers(50, 900, 3000) * 100.0
    due = np.round(price * rng.choice([0.5, 0.8], 3000), 2)
    paid = np.round(due * rng.choice([0, 0.5, 1], 3000, p=[0.2, 0.3, 0.5]), 2)
    duty = np.round(due * rng.choice([0, 0.08, 0.12], 3000), 2)
    tax = np.round(0.19 * (due + duty), 2)
    columns = {"price": price, "due": due, "paid": paid, "left": due - paid}
    columns |= {"duty": duty, "tax": tax}
    rules = rules_of(evidence_of(columns), None, 20).told
    assert str(rules["tax"]) == "tax = 0.19 * due + 0.19 * duty"
    assert isinstance(rules["duty"], Share) and isinstance(rules["due"], Share)
    of_rest = [name for name in ("paid", "left") if isinstance(rules[name], Share)]
    assert len(of_rest) == 1
    (rest,) = {"paid", "left"} - {*of_rest}
    assert rules[rest].terms == {"due": 1, of_rest[0]: -1}


@pytest.mark.slow
def test_of_a_whole_and_two_parts_one_has_shares(rng):
    charge, paid = bills(rng)
    columns = {"charge": charge, "paid": paid, "own": np.round(charge - paid, 2)}
    rules = rules_of(evidence_of(columns), None, 20).told
    assert sum(isinstance(rule, Share) for rule in rules.values()) == 1
    assert len(rules) == 2


def test_small_whole_numbers_are_no_shares(rng):
    """Of two and one anything is a share."""
    columns = {"rooms": rng.poisson(20, 4000), "beds": rng.poisson(22, 4000)}
    assert found(columns) == []


def test_the_nearest_share_tells_a_value():
    share = Share("paid", "charge", (0.8, 1.0))
    own, whole = np.array([8.0, 9.5, 0.0, np.nan]), np.array([10.0, 10.0, 0.0, 5.0])
    np.testing.assert_array_equal(share.factor(own, whole), [0.8, 1.0, 0.8, 0.8])
