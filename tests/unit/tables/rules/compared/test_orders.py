from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of
from support.structures import drawn_from, learnt

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit, Order
from coclust_synth.tables.rules.compared.orders import (
    MAX_ABOVE,
    find_orders,
    log_chance,
    log_chance_of_ties,
)
from coclust_synth.tables.rules.found import rules_of


def found(numbers, min_individuals=20, persons=None, most=MAX_BROKEN):
    """The orders of a table of numbers, nan where missing."""
    orders = find_orders(evidence_of(numbers, persons), min_individuals, most)
    return {(order.low, order.high) for order in orders}


def test_dates_in_order_are_found(rng):
    born = rng.integers(0, 20_000, 2000).astype(float)
    admitted = born + rng.integers(0, 5000, 2000)
    left = admitted + rng.integers(0, 30, 2000)
    admitted[::9] = np.nan
    orders = found({"left": left, "born": born, "admitted": admitted})
    assert {("born", "admitted"), ("admitted", "left")} <= orders


def test_what_follows_from_two_others_is_left_out(rng):
    a = rng.normal(0, 1, 2000)
    b = a + rng.exponential(1, 2000)
    c = b + rng.exponential(1, 2000)
    assert found({"a": a, "b": b, "c": c}) == {("a", "b"), ("b", "c")}


@pytest.mark.slow
def test_a_few_rows_may_break_it_but_no_more(rng):
    a = rng.normal(0, 1, 10_000)
    b = a + rng.exponential(1, 10_000)
    b[:20] = a[:20] - 1
    assert found({"a": a, "b": b}) == {("a", "b")}
    b[:90] = a[:90] - 1
    assert not found({"a": a, "b": b})
    assert found({"a": a, "b": b}, most=MAX_ABOVE) == {("a", "b")}
    b[:200] = a[:200] - 1
    assert not found({"a": a, "b": b}, most=MAX_ABOVE)


@pytest.mark.slow
def test_an_order_that_few_rows_break_is_not_broken_by_many_that_are_drawn(rng):
    """Of costs .9 % are above what was charged: of those that trees drew 2 %."""
    charged = np.round(rng.lognormal(9, 1.2, 4000))
    cost = np.round(charged * rng.beta(3, 1.5, 4000))
    cost[:36] = np.round(charged[:36] * 1.2)
    table = pd.DataFrame({"charged": charged, "cost": cost}).astype(int)
    assert (table["cost"] > table["charged"]).mean() == 0.009
    drawn = drawn_from(learnt(table))
    assert (drawn["cost"] > drawn["charged"]).mean() <= 0.009


@pytest.mark.slow
def test_columns_that_others_tell_break_an_order_as_often_as_they_do(rng):
    """What is told but for .8 % of the rows is drawn so; a rule took what is above."""
    a, more = rng.uniform(5, 40, 3000).round(1), rng.uniform(0, 5, 3000).round(1)
    b = (a + more).round(1)
    b[:24] = (a[:24] - 1).round(1)
    table = {"a": a, "more": more, "b": b}
    assert ("a", "b") in found(table, most=MAX_ABOVE)
    rules = [rule.relation for rule in rules_of(evidence_of(table), None, 20).all]
    assert {"b"} == {rule.target for rule in rules if isinstance(rule, Fit)}
    assert Order("a", "b") not in rules


def test_columns_of_persons_that_are_equal_in_all_rows_have_none():
    same = np.random.default_rng(0).integers(0, 90, 600) * 1.0
    assert not found({"a": same, "b": same}, persons=np.arange(600) // 2)


def test_ranges_that_do_not_meet_are_no_rule(rng):
    year, age = rng.integers(1950, 2000, 2000) * 1.0, rng.integers(0, 90, 2000) * 1.0
    assert not found({"year": year, "age": age})


def test_few_rows_are_no_rule(rng):
    a = rng.normal(0, 1, 300)
    b = a + rng.exponential(1, 300)
    a[19:] = np.nan
    assert not found({"a": a, "b": b})
    a[20] = b[20] - 1
    assert found({"a": a, "b": b}) == {("a", "b")}


def test_a_small_table_of_dates_is_enough(rng):
    """Seven rows would break it by chance, none does: told by an exact test."""
    days = {
        "born": rng.integers(-16_000, 19_500, 770),
        "admitted": rng.integers(18_300, 20_000, 770),
    }
    days["admitted"] = np.maximum(days["admitted"], days["born"])
    dates = {name: pd.to_datetime(of, unit="D") for name, of in days.items()}
    frame = pd.DataFrame(dates).assign(stay=rng.integers(0, 30, 770))
    assert found(frame) == {("born", "admitted")}
    # The rows of thirty persons are no more than thirty rows.
    assert not found(frame, persons=np.arange(770) % 30)


def test_dates_are_not_compared_with_numbers(rng):
    day = rng.integers(0, 100, 1000)
    later = {"day": pd.to_datetime(day, unit="D"), "n": day + rng.integers(0, 9, 1000)}
    assert not found(later)


@pytest.mark.parametrize("seed", range(10))
def test_the_chance_is_that_of_all_permutations(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, (2, 6)) + np.array([[0.0], [3.0]])
    broken = [int((x > y[list(order)]).sum()) for order in permutations(range(6))]
    for v in range(3):
        exact = np.mean(np.array(broken) <= v)
        bound = np.exp(log_chance(x, y, v))
        assert exact <= bound + 1e-12
        if v == 0:
            assert bound == pytest.approx(exact)


@pytest.mark.parametrize("seed", range(10))
def test_the_chance_of_ties_is_bounded_over_all_permutations(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 9, (2, 6)) * 1.0
    x[:2] = y[:2]
    equal = [int((x == y[list(order)]).sum()) for order in permutations(range(6))]
    bound = np.exp(log_chance_of_ties(x, y))
    assert np.mean(np.array(equal) >= (x == y).sum()) <= bound + 1e-12


def test_dates_that_are_equal_and_never_beyond_are_in_order(rng):
    """Three would break it by chance: those admitted on their birth tell."""
    frame, person = of_persons(200, rng, in_order=True)
    assert found(frame, persons=person) == {("born", "came")}
    late = frame["born"] == frame["came"]
    assert late.sum() == 7
    person = pd.factorize(person[~late])[0]
    assert not found(frame[~late].reset_index(drop=True), persons=person)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_independent_columns_have_none(seed):
    rng = np.random.default_rng(seed)
    numbers = {f"x{j}": rng.normal(j / 4, 1, 1000) for j in range(6)}
    numbers |= {f"n{j}": rng.poisson(j + 1, 1000) * 1.0 for j in range(3)}
    assert not found(numbers)


def of_persons(n, rng, *, in_order):
    """Births and later days of n persons, two each, and whose they are."""
    person = np.repeat(np.arange(n), 2)
    born = rng.integers(-16_000, 19_500, n)[person]
    came = rng.integers(18_300, 20_000, 2 * n)
    came = np.maximum(came, born) if in_order else came
    days = {"born": born, "came": came}
    frame = pd.DataFrame({k: pd.to_datetime(of, unit="D") for k, of in days.items()})
    return frame, person


@pytest.mark.slow
def test_what_stays_is_compared_with_the_lowest_of_each_person(rng):
    frame, person = of_persons(500, rng, in_order=True)
    assert found(frame, persons=person) == {("born", "came")}
    mirrored = {
        name: -frame[of].astype(np.int64) for name, of in (("a", "came"), ("b", "born"))
    }
    assert found(pd.DataFrame(mirrored), persons=person) == {("a", "b")}
    assert found(frame, min_individuals=501, persons=person) == set()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_independent_columns_of_persons_have_none(seed):
    rng = np.random.default_rng(seed)
    frame, person = of_persons(500, rng, in_order=False)
    numbers = {f"x{j}": rng.normal(j / 4, 1, 500)[person] for j in range(4)}
    numbers |= {f"y{j}": rng.normal(j / 4, 1, 1000) for j in range(4)}
    assert not found(frame.assign(**numbers), persons=person)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1, -1])
def test_a_tail_beyond_the_other_column_is_in_no_order(sign, rng):
    # A concentration and its group, from 1 to 10, of which the last has a tail.
    group = np.repeat(np.arange(1.0, 11.0), 600)
    kappa = group * rng.uniform(0.2, 1, 6000)
    few = np.arange(6000) >= 5980
    kappa[few] += rng.exponential(5, 20) + 10
    pair = ("kappa", "group") if sign == 1 else ("group", "kappa")
    assert not found({"kappa": sign * kappa, "group": sign * group})
    assert found({"kappa": sign * kappa[~few], "group": sign * group[~few]}) == {pair}
