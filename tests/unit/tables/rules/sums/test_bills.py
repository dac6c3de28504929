"""Sums with products in them, from the table to the rows that are drawn."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.tables.relations import Bill, Fit
from coclust_synth.tables.rules.fitting.tellers import as_teller
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.bills import Bills
from coclust_synth.tables.schema import Schema


def stays(rng, n=2000):
    """Nights at a rate, and extras that half of the guests have."""
    nights, rate = rng.integers(1, 15, n), rng.lognormal(4.5, 0.4, n).round(2)
    extras = np.where(rng.random(n) < 0.5, 0, rng.exponential(40, n)).round(2)
    columns = {"nights": nights, "extras": extras, "guests": rng.integers(1, 5, n)}
    return columns | {"rate": rate, "total": (nights * rate + extras).round(2)}


def bills_of(columns, k=20, persons=None):
    rules = rules_of(evidence_of(columns, persons), None, k).all
    return [rule.relation for rule in rules if isinstance(rule.relation, Bill)]


STAY = Bill("total", (("nights", "rate"),), (1.0,), ("extras",), (1.0,))


@pytest.mark.slow
def test_a_total_is_told_from_its_parts_and_not_one_of_them(rng):
    columns = stays(rng)
    rules = rules_of(evidence_of(columns), None, 20)
    assert rules.all[0].relation == STAY
    assert rules.all[0].broken == 0 and rules.all[0].rows == 2000
    assert [*rules.fits] == ["total"]
    assert str(STAY) == "total = nights * rate + extras"


@pytest.mark.slow
def test_two_products(rng):
    day, night = (rng.gamma(3, 80, 2000).round(1) for _ in range(2))
    tariff = rng.integers(0, 6, 2000)
    prices = np.array([[0.21, 0.235, 0.25, 0.19, 0.28], [0.12, 0.13, 0.15, 0.11, 0.16]])
    of_day, of_night = prices[:, tariff % 5]
    columns = {"kwh_day": day, "price_day": of_day, "kwh_night": night}
    columns |= {"price_night": of_night}
    columns["bill"] = (day * of_day + night * of_night).round(2)
    pairs = ("kwh_day", "price_day"), ("kwh_night", "price_night")
    assert bills_of(columns) == [Bill("bill", pairs, (1.0, 1.0))]


@pytest.mark.slow
def test_a_factor_of_two_products_and_one_that_few_rows_have(rng):
    hours, wage = rng.integers(20, 41, 3000), rng.normal(25, 4, 3000).round(2)
    overtime = np.where(rng.random(3000) < 0.9, 0, rng.integers(1, 20, 3000))
    columns = {"hours": hours, "wage": wage, "overtime": overtime}
    columns["pay"] = (hours * wage + 1.5 * overtime * wage).round(2)
    pairs = ("hours", "wage"), ("wage", "overtime")
    assert bills_of(columns) == [Bill("pay", pairs, (1.0, 1.5))]


@pytest.mark.slow
def test_what_is_taken_off_and_what_all_pay(rng):
    columns = stays(rng)
    columns["due"] = (columns.pop("total") - 2 * columns["extras"] + 2.5).round(2)
    (bill,) = bills_of(columns)
    assert str(bill) == "due = nights * rate - extras + 2.5"


def pensions(rng, n=3000):
    """Points and what is taken off tell a pension; widows have one without points."""
    points, off = rng.uniform(3, 60, n).round(4), rng.choice([0, 3.6, 7.2], n)
    is_widow = rng.random(n) < 0.2
    pension = np.where(is_widow, rng.gamma(6, 110, n), points * (34.19 - off / 5))
    columns = {"points": np.where(is_widow, np.nan, points), "off": off}
    return columns | {"pension": pension.round(2)}


@pytest.mark.slow
def test_rows_that_lack_a_factor_do_not_hide_a_bill(rng):
    (bill,) = bills_of(pensions(rng, 1000))
    assert str(bill) == "pension = 34.19 * points - 0.2 * points * off"


@pytest.mark.slow
def test_rows_that_lack_a_factor_are_drawn_as_they_are(rng):
    frame = pd.DataFrame(pensions(rng))
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(frame)
    drawn = synthesizer.sample(1000)
    told = drawn.points * (34.19 - drawn.off / 5)
    assert ((told - drawn.pension).abs() < 0.0051)[drawn.points.notna()].all()
    own, like = (of.pension[of.points.isna()].mean() for of in (drawn, frame))
    assert abs(own - like) < 0.1 * like


def test_factors_of_either_sign(rng):
    a, b = rng.normal(0, 3, (2, 1000)).round(1)
    columns = {"a": a, "b": b, "y": (a * b).round(2)}
    assert bills_of(columns) == [Bill("y", (("a", "b"),), (1.0,))]


@pytest.mark.slow
def test_a_few_rows_may_be_wrong_and_cells_missing(rng):
    columns = pd.DataFrame(stays(rng))
    columns.loc[::500, "total"] += 1000
    columns.loc[1::3, ["nights", "rate", "extras", "total"]] = np.nan
    (rule,) = (
        r for r in rules_of(evidence_of(columns), None, 20).all if r.relation == STAY
    )
    assert rule.rows == columns["total"].notna().sum()
    assert 1 <= rule.broken <= 4
    columns.loc[::50, "total"] += 1000
    assert bills_of(columns) == []


@pytest.mark.slow
def test_a_few_cells_may_be_missing(rng):
    columns = pd.DataFrame(stays(rng))
    for name in ("nights", "rate", "extras", "guests"):
        columns.loc[rng.choice(2000, 4, replace=False), name] = np.nan
    assert bills_of(columns) == [STAY]
    columns.loc[::50, "rate"] = np.nan  # where the total is its own
    assert bills_of(columns) == [STAY]
    columns.loc[:1100, "rate"] = np.nan  # too many
    assert bills_of(columns) == []


@pytest.mark.slow
def test_what_is_no_product_or_no_sum_is_no_bill(rng):
    columns = stays(rng)
    noise = rng.normal(0, 1, 2000).round(2)
    assert bills_of(columns | {"total": (columns["total"] + noise).round(2)}) == []
    columns["stay"] = (columns["nights"] * columns["rate"]).round(2)
    rules = rules_of(evidence_of(columns), None, 20)
    assert bills_of(columns) == []
    told = rules.fits["total"]
    assert isinstance(told, Fit) and set(told.parents) == {"stay", "extras"}


@pytest.mark.slow
def test_a_surcharge_that_stands_in_a_column_is_no_share(rng):
    price = rng.lognormal(4, 1, 2000).round(2)
    percent = rng.choice([0, 2.5, 5, 10, 15, 20], 2000)
    columns = {"price": price, "percent": percent}
    columns["due"] = (price + price * percent / 100).round(2)
    rules = [str(rule) for rule in rules_of(evidence_of(columns), None, 20).all]
    assert rules[0] == "due = 0.01 * price * percent + price"
    del columns["percent"]
    rules = [str(rule) for rule in rules_of(evidence_of(columns), None, 20).all]
    assert rules[0] == "due = 1, 1.025, 1.05, 1.1, 1.15 or 1.2 of price"


@pytest.mark.slow
def test_of_lists_of_values_the_one_that_repeats_least_is_told(rng):
    """Four amounts taken off five prices are sixteen shares of these."""
    price = rng.choice([1.69, 1.79, 1.99, 2.09, 2.29], 1500)
    off = rng.choice([0, 0.1, 0.24, 0.4], 1500)
    columns = {"price": price, "share": np.round(off / price, 6), "off": off}
    told = [str(rule) for rule in rules_of(evidence_of(columns), None, 20).all]
    assert told[0] == "share = off * price^-1"
    assert bills_of(columns) == []
    # Of what is paid back, which is below 0, a product has no logarithms.
    back = np.where(rng.random(1500) < 0.2, -1, 1)
    columns |= {"price": back * price, "off": back * off}
    assert bills_of(columns) == [Bill("off", (("price", "share"),), (1.0,))]
    # Three shares of five prices are eleven amounts.
    columns = {"price": price, "share": rng.choice([0, 0.1, 0.25], 1500)}
    columns["off"] = np.round(price * columns["share"], 2)
    assert bills_of(columns) == [Bill("off", (("price", "share"),), (1.0,))]


@pytest.mark.slow
def test_a_total_is_told_before_a_part_that_is_a_share_of_it(rng):
    columns = stays(rng)
    share = rng.choice([0.1, 0.2, 0.25], 2000)
    total = (columns["nights"] * columns["rate"] / (1 - share)).round(2)
    columns["extras"] = (total - (columns["nights"] * columns["rate"])).round(2)
    columns["total"] = (columns["nights"] * columns["rate"] + columns["extras"]).round(
        2
    )
    rules = rules_of(evidence_of(columns), None, 20)
    assert rules.fits["total"] == STAY
    assert [*rules.fits] == ["total"]


@pytest.mark.slow
def test_each_product_is_of_k_individuals(rng):
    hours, wage = rng.integers(20, 41, 9000), rng.normal(25, 4, 9000).round(2)
    overtime = np.where(rng.random(9000) < 0.975, 0, rng.integers(1, 20, 9000))
    columns = {"hours": hours, "wage": wage, "overtime": overtime}
    columns["pay"] = (hours * wage + 1.5 * overtime * wage).round(2)
    assert len(bills_of(columns, k=20)) == 1
    assert bills_of(columns, k=300) == []
    persons = np.where(overtime > 0, 0, np.arange(9000))
    assert bills_of(columns, persons=persons) == []


@pytest.mark.slow
def test_few_values_few_rows_and_dates_are_left_out(rng):
    columns = stays(rng)
    assert bills_of({name: own[:150] for name, own in columns.items()}) == []
    a, b = rng.integers(0, 5, (2, 2000))
    assert bills_of({"a": a, "b": b, "y": (a * b / 3).round(2)}) == []
    table = {"a": a, "b": b, "c": rng.integers(0, 4, 2000)}
    table["y"] = a * b + table["c"]
    assert [str(bill) for bill in bills_of(table)] == ["y = a * b + c"]


@pytest.mark.slow
def test_of_many_columns_those_of_more_values_are_tried(rng):
    few = {f"few {j}": rng.integers(0, 4, 400) for j in range(66)}
    assert bills_of(few | stays(rng, 400)) == [STAY]


@pytest.mark.slow
@pytest.mark.parametrize("given", [None, (STAY,)])
def test_it_holds_in_what_is_drawn(rng, given):
    table = pd.DataFrame(stays(rng))
    schema = infer_schema(table).keep(*table)
    if given:
        schema = Schema.from_toml(schema.with_rules(*given).to_toml())
    fitted = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    fitted.fit(table, schema)
    drawn = fitted.sample(3000, random_state=1)
    told = drawn["nights"] * drawn["rate"] + drawn["extras"]
    assert (told - drawn["total"]).abs().max() < 0.006
    assert drawn["total"].max() <= 1.05 * table["total"].max()
    assert drawn["total"].mean() == pytest.approx(table["total"].mean(), rel=0.05)
    assert set(fitted.model_.count_broken(drawn)) == {0}


def test_a_bill_that_rows_break_is_refused(rng):
    columns = stays(rng)
    columns["total"] = columns["total"] + 1
    with pytest.raises(
        Exception, match=r"'total = nights \* rate \+ extras', which 2000"
    ):
        rules_of(evidence_of(columns), (STAY,), 20)


@pytest.mark.slow
def test_products_are_sought_in_the_columns_that_take_most_values(rng):
    columns = {f"c{j}": rng.integers(0, 5 + j // 2, 900) for j in range(150)}
    for j in range(0, 150, 3):
        columns[f"c{j}"] = np.where(rng.random(900) < 0.003, np.nan, columns[f"c{j}"])
    search = Bills(columns_of(evidence_of(columns), 20))
    known = rng.random(900) < 0.4
    without = {"c149", "c120"}
    names = [*search._of_most_values(known, without)]
    own = {n: as_teller(x[known] * 1.0, False) for n, x in columns.items()}
    own = {n: x for n, x in own.items() if x is not None}
    assert len(own) < 150
    n_values = {n: len(np.unique(x)) for n, x in own.items() if n not in without}
    expected = sorted(n_values, key=lambda name: -n_values[name])[:64]
    assert names == sorted(expected, key=[*columns].index)
