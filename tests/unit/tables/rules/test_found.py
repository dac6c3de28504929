import json

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import infer_schema
from coclust_synth.exceptions import DataWarning, SchemaError
from coclust_synth.tables.relations import Age, Fit, Nested, Never, Order
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.kept import Rule


def table(n=1000):
    rng = np.random.default_rng(0)
    ward = rng.choice(["heart", "birth", "eyes"], n, p=[0.5, 0.3, 0.2])
    sex = np.where((ward == "birth") | (rng.random(n) < 0.5), "F", "M")
    doctor = np.char.add(ward, rng.integers(0, 4, n).astype(str))
    came = rng.integers(0, 2000, n)
    stay = rng.integers(0, 20, n)
    frame = pd.DataFrame({"ward": ward, "sex": sex, "doctor": doctor, "stay": stay})
    frame["came"] = pd.to_datetime(came, unit="D")
    frame["left"] = pd.to_datetime(came + stay, unit="D")
    frame["price"] = np.round(rng.uniform(20, 90, n), 2)
    frame["bill"] = np.round(frame["price"] * (1 + stay) * rng.uniform(0.97, 1.03, n))
    frame["bill"] += 0.5
    return frame


FOUND = {"came <= left", "doctor -> ward", "ward, sex: never birth with M"}


@pytest.fixture(scope="module")
def evidence():
    return evidence_of(table())


@pytest.fixture(scope="module")
def found(evidence):
    return rules_of(evidence, None, 20)


@pytest.mark.slow
def test_rules_are_found_and_measured(found):
    told = {str(rule): rule for rule in found.all}
    assert set(told) >= FOUND
    # One sum, whichever date it is told for.
    (total,) = (text for text in told if text.endswith(" stay"))
    for text in (total, "came <= left", "doctor -> ward"):
        rule = told[text]
        assert (rule.rows, rule.individuals, rule.broken) == (1000, 1000, 0)
    births = (table()["ward"] == "birth").sum()
    males = (table()["sex"] == "M").sum()
    rule = told["ward, sex: never birth with M"]
    assert (rule.rows, rule.individuals) == (births + males, min(births, males))


@pytest.mark.slow
def test_those_of_a_schema_are_as_those_that_are_found(evidence, found):
    again = rules_of(evidence, found.relations, 20)
    assert again.all == found.all
    for one, two in zip(again.combinations, found.combinations, strict=True):
        np.testing.assert_array_equal(one.allowed, two.allowed)
    assert rules_of(evidence, (), 20).all == ()


@pytest.mark.slow
def test_values_of_some_columns_are_left_out(found):
    told = set(map(str, found.without_values(["sex"]).all))
    assert "ward, sex: combinations that never occur" in told
    assert "ward, sex: never birth with M" not in told
    assert "doctor -> ward" in told
    assert found.without_values([]).all == found.all


@pytest.mark.slow
def test_rules_of_a_schema_are_not_searched_for(evidence):
    rules = rules_of(evidence, (Order("came", "left"),), 20)
    assert list(map(str, rules.all)) == ["came <= left"]
    assert not rules.combinations and not rules.fits


@pytest.mark.slow
def test_persons_are_counted(found):
    rows = evidence_of(table(), persons=np.arange(1000) % 100)
    rules = {str(rule): rule for rule in rules_of(rows, found.relations, 20).all}
    assert (rules["came <= left"].rows, rules["came <= left"].individuals) == (
        1000,
        100,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "relation, match",
    [
        (Order("left", "came"), r"at most 1\.0%.*'left <= came', which 9\d\d of 1000"),
        (Nested("ward", "doctor"), "'ward -> doctor', which"),
        (Never("ward", "sex", (("eyes", "M"),)), "never eyes with M', which"),
        (Fit("bill", ("stay",), (50.0,), 0.0, False), "or say about = true"),
        (
            Fit("stay", ("price",), (0.1,), 0.0, False, True),
            "at most 50% of the spread",
        ),
        (Age("stay", "came", "left"), "years from came to left', which"),
    ],
)
def test_what_too_many_rows_break_is_refused(evidence, relation, match):
    with pytest.raises(SchemaError, match=match):
        rules_of(evidence, (relation,), 20)


@pytest.mark.slow
def test_what_does_not_hold_is_refused_before_the_next_is_measured(evidence):
    with pytest.raises(SchemaError, match="left <= came"):
        rules_of(evidence, (Order("left", "came"), Order("came", "not there")), 20)


def test_what_describes_few_is_left_out():
    frame = table()
    frame["late"] = np.where(np.arange(1000) < 30, frame["price"] * 2, np.nan)
    rule = Order("price", "late")
    evidence = evidence_of(frame)
    assert rules_of(evidence, (rule,), 30).all[0].rows == 30
    with pytest.warns(
        DataWarning, match=r"describe 31 .*'price <= late', which describes fewer"
    ):
        assert rules_of(evidence, (rule,), 31).all == ()
    births, wards = Never("ward", "sex"), Nested("doctor", "ward")
    with pytest.warns(DataWarning, match="'price <= late', which describes fewer"):
        kept = rules_of(evidence, (births, rule, wards), 31)
    assert [rule.relation.columns for rule in kept.all] == [
        births.columns,
        wards.columns,
    ]
    assert [each.fixes for each in kept.combinations] == [False, True]


@pytest.mark.slow
def test_a_product_that_holds_nearly_can_be_stated(evidence):
    nearly = Fit("bill", ("price",), (1.0,), 10.0, True, about=True)
    with pytest.raises(SchemaError, match="of the spread"):
        rules_of(evidence, (nearly,), 20)
    frame = table()
    frame["total"] = np.round(frame["price"] * 3 * (1 + frame.index % 5 / 100), 2)
    stated = Fit("total", ("price",), (1.0,), 3.06, True, about=True)
    (rule,) = rules_of(evidence_of(frame), (stated,), 20).all
    assert rule.broken is None


def test_values_that_are_released_as_others_may_meet_any():
    frame = table()
    frame.loc[:3, "ward"] = "teeth"
    schema = infer_schema(frame).keep(*frame)
    evidence = evidence_of(frame, schema=schema)
    pairs = (("birth", "M"), ("teeth", "M"))
    (rule,) = rules_of(evidence, (Never("ward", "sex", pairs[:1]),), 20).all
    assert rule.broken == 0
    assert not rules_of(evidence, (Never("ward", "sex", pairs[1:]),), 20).all


@pytest.mark.slow
def test_a_missing_value_is_one_that_can_be_named():
    frame = table()
    frame.loc[frame["ward"] == "eyes", "sex"] = np.nan
    rules = rules_of(evidence_of(frame), None, 20)
    values = next(r for r in rules.relations if r.columns == ("ward", "sex")).values
    assert {("birth", None), ("heart", None), ("eyes", "F")} <= set(values)
    stated = rules_of(evidence_of(frame), rules.relations, 20)
    assert stated.all == rules.all


@pytest.mark.slow
def test_a_rule_comes_back_from_json_without_those_who_break_it(found):
    for rule in found.all:
        data = json.loads(json.dumps(rule.to_dict()))
        assert "broken" not in data
        assert data["rule"] == str(rule)
        again = Rule.from_dict(data)
        assert again == Rule(rule.relation, rule.rows, rule.individuals)


def test_rows_without_a_label_say_nothing_of_a_code():
    frame = table()[["ward", "doctor"]]
    frame.loc[:599, "ward"] = None
    (rule,) = rules_of(evidence_of(frame), None, 20).all
    assert (str(rule), rule.rows, rule.individuals) == ("doctor -> ward", 400, 400)


@pytest.mark.slow
def test_an_order_is_said_of_one_of_two_columns_that_are_the_same(rng):
    first = rng.integers(0, 300, 1000)
    then = first + rng.integers(1, 90, 1000)
    after = then + rng.integers(0, 90, 1000)
    columns = {"first": first, "then": then, "again": then, "after": after}
    orders = rules_of(evidence_of(columns), None, 20).orders
    assert [str(order) for order in orders] == ["first <= then", "then <= after"]
