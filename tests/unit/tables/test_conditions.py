"""Conditions as people write them: what they read as, and which rows meet them."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import ParameterError, infer_schema
from coclust_synth.tables.column import Column
from coclust_synth.tables.conditions.parsing import (
    names_in,
    parse_given,
    parse_number_each,
    parse_where,
)
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.schema import Schema


@pytest.fixture(scope="module")
def table():
    days = pd.to_datetime(["2020-01-01", "2020-02-01", "2020-03-01", None])
    return pd.DataFrame(
        {
            "sex": ["F", "M", None, "F"],
            "born in": ["Nantes", "a=b, c", "Paris", "Nantes"],
            "lives": ["Nantes", "Paris", "Paris", None],
            "hours-per-week": [40, 38, 10, 0],
            "hours": [4, 38, 11, 7],
            "net": [0.1, 2.5, 3.0, np.nan],
            "tax": [0.2, 0.5, 0.0, 1.0],
            "gross": [0.3, 3.0, 4.0, 2.0],
            "came": days,
            "left": pd.to_datetime(["2020-01-05", "2020-03-02", "2020-03-01", None]),
            "is new": [True, False, True, False],
            "size": pd.Categorical(
                ["S", "M", "L", "S"], ["S", "M", "L", "XL"], ordered=True
            ),
        }
    )


@pytest.fixture(scope="module")
def schema(table):
    schema = infer_schema(table)
    return schema.keep(*schema.undecided)


def met(conditions, table):
    found = np.ones(len(table), dtype=bool)
    for condition in conditions:
        found &= condition.holds(table)
    return found.astype(int).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it's=x", [1, 0, 0]),
        ("it's='a=b',\"it's\"!=x", [0, 1, 0]),
        ("it's=d'or, it's!=x", [0, 0, 1]),
    ],
)
def test_a_quote_behind_a_letter_opens_none(text, expected):
    table = pd.DataFrame({"it's": ["x", "a=b", "d'or"]})
    schema = infer_schema(table)
    for read in (parse_given, parse_where):
        assert met(read(text, schema), table) == expected
    assert parse_number_each("it's=4", schema) == (schema["it's"], 4)


def test_a_quote_that_ends_nowhere_is_refused(schema):
    with pytest.raises(ParameterError, match="or a quote between quotes"):
        parse_given("'sex=F", schema)


def test_a_category_with_a_comma_is_told_to_need_quotes():
    table = pd.DataFrame({"income": ["$50,000 - $99,999", "$100,000 and more", "none"]})
    schema = infer_schema(table)
    with pytest.raises(ParameterError, match=r'between quotes, such as "\$50,000 - '):
        parse_given("income=$50,000 - $99,999", schema)
    assert met(parse_given('income="$50,000 - $99,999"', schema), table) == [1, 0, 0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sex=F", [1, 0, 0, 1]),
        ("sex!=F", [0, 1, 0, 0]),
        ("sex=", [0, 0, 1, 0]),
        ("sex!=", [1, 1, 0, 1]),
        ("born in = 'a=b, c'", [0, 1, 0, 0]),
        ("'born in' == Nantes, hours > 4", [0, 0, 0, 1]),
        ("hours-per-week>=38", [1, 1, 0, 0]),
        ("hours<7.5,hours>-1", [1, 0, 0, 1]),
        ("net = 2.5", [0, 1, 0, 0]),
        ("net != 2.5", [1, 0, 1, 0]),
        ("net=", [0, 0, 0, 1]),
        ("came >= 2020-02-01", [0, 1, 1, 0]),
        ("came < 2020-01-01T12:00:00", [1, 0, 0, 0]),
        ("is new = True", [1, 0, 1, 0]),
        ("size <= M", [1, 1, 0, 1]),
    ],
)
def test_values_are_compared(table, schema, text, expected):
    assert met(parse_given(text, schema), table) == expected
    assert met(parse_where(text, schema), table) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gross = net + tax", [1, 1, 0, 0]),
        ("gross <= net + tax", [1, 1, 0, 0]),
        ("gross != net + tax", [0, 0, 1, 0]),
        ("net + tax < gross", [0, 0, 1, 0]),
        ("hours-per-week > hours", [1, 0, 0, 0]),
        ("hours-per-week - 2 * hours > 2", [1, 0, 0, 0]),
        ("-1*hours >= -7", [1, 0, 0, 1]),
        ("hours * tax * 2 <= 1.6", [1, 0, 1, 0]),
        ("left >= came", [1, 1, 1, 0]),
        ("left - came >= 4", [1, 1, 0, 0]),
        ("left <= came + 4, hours > 4", [0, 0, 1, 0]),
        ("came + 30 <= 2020-02-01", [1, 0, 0, 0]),
        ("came - 2020-01-01 >= 60 - 0 * hours", [0, 0, 1, 0]),
        ("2020-02-01 <= came + 1", [0, 1, 1, 0]),
        ("came + 30 <= '2020-02-01'", [1, 0, 0, 0]),
        ("came + 0.75 > 2020-02-01 18:00", [0, 0, 1, 0]),
        ("hours + 2020-02-01 > 0 * net", [1, 1, 1, 0]),
        ("2020-02-01 <= came", [0, 1, 1, 0]),
        ("7 > hours", [1, 0, 0, 0]),
        ("lives = born in", [1, 0, 1, 0]),
        ("lives != 'born in'", [0, 1, 0, 0]),
    ],
)
def test_columns_are_compared(table, schema, text, expected):
    assert met(parse_where(text, schema), table) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x > 9007199254740992", [0, 1]),
        ("x = 9007199254740993.0", [0, 1]),
        ("x != 9.007199254740993e15", [1, 0]),
        ("x < 1e300", [1, 1]),
        ("x <= y", [1, 0]),
        ("2 * x <= y + 9007199254740992", [1, 0]),
        ("x * x > y * y", [0, 1]),
        ("late > early", [0, 1]),
        ("late = early + 0", [1, 0]),
        ("early >= 2024-05-01T00:00:00.000000001", [1, 1]),
        ("early > 2024-05-01T00:00:00.000000001", [0, 0]),
        ("late - early > 0 * x", [0, 1]),
    ],
)
def test_whole_numbers_and_instants_are_compared_exactly(text, expected):
    instant = pd.Timestamp("2024-05-01").as_unit("ns") + pd.Timedelta(1, "ns")
    table = pd.DataFrame(
        {
            "x": [2**53, 2**53 + 1],
            "y": [2**53, 2**53],
            "early": [instant, instant],
            "late": [instant, instant + pd.Timedelta(1, "ns")],
        }
    )
    columns = [Column(name=name, kind="integer") for name in "xy"]
    columns += [
        Column(name=name, kind="datetime", unit="ns") for name in ("early", "late")
    ]
    assert met(parse_where(text, Schema(tuple(columns))), table) == expected


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "Expected given"),
        (" , ", "Expected given"),
        ("sex", "one of <="),
        ("sexe=F", "Did you mean 'sex'"),
        ("sex=X", "'F', 'M'. Received 'X'"),
        ("sex>F", "without an order"),
        ("sex>no such", "without an order"),
        ("net>", "for a missing value"),
        ("hours=many", "expected a number"),
        ("hours=inf", "expected a number"),
        ("came>=yesterday", "a date such as"),
        ("net=tax", "expected a number"),
    ],
)
def test_what_does_not_read_as_given_is_refused(schema, text, match):
    with pytest.raises(ParameterError, match=match):
        parse_given(text, schema)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("net = tax +", "read at 'its end'"),
        ("net = + tax", r"read at '\+'"),
        ("net = tax * * 2", "read at"),
        ("net = tax 2", "read at '2'"),
        ("net = taxes * 2", "expected a number"),
        ("net = tax * exit()", "read at"),
        ("net + sex > 2", "read at 'sex'"),
        ("1 < 2", "no column"),
        ("net = 1e400 * tax", "read at '1e400'"),
        ("came + 30 <= 2020-13-01", "a date such as .*Received '2020-13-01'"),
        ("came + 30 <= 'soon'", "a date such as .*Received 'soon'"),
        ("sex < born in", "without an order|read at"),
        ("__import__('os') = net", "expected a number"),
    ],
)
def test_what_is_no_relation_is_refused(schema, text, match):
    with pytest.raises(ParameterError, match=match):
        parse_where(text, schema)


def test_rows_of_each_value(schema):
    column, n = parse_number_each("born in = 20", schema)
    assert (column.name, n) == ("born in", 20)
    for text in ("sex", "sex>3", "sex=0", "sex=x", "sexe=3", "net=4", 5):
        with pytest.raises(ParameterError, match=r"Expected.*Received"):
            parse_number_each(text, schema)
    numbers = Schema((Column(name="ward", kind="integer"),))
    assert parse_number_each("ward=7", numbers) == (numbers["ward"], 7)
    with pytest.raises(ParameterError, match=r"such as region=100\. Received 'sex'"):
        parse_number_each("sex", schema)


def test_names_in_conditions():
    text = "claim > 3, age + 'their id' <= claims, sex = id, x = 2020"
    assert names_in(text, {"claim", "their id", "2020"}) == {"claim", "their id"}
    assert names_in("sex='claim", {"claims"}) == set()


def test_parts_that_may_hold_a_value(rng):
    table = pd.DataFrame(
        {
            "code": rng.choice(list("abcd"), 500),
            "x": rng.integers(0, 100, 500).astype(float),
            "day": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 900, 500), "D"),
        }
    )
    table.loc[::9, "x"] = np.nan
    schema = infer_schema(table).keep(*table)
    coding = TableCoding.learn(table, schema)
    codes = coding.encode(table)
    for text in (
        *("code=b", "code!=b", "code=", "x=", "x!=", "x>=50", "x<50", "x=50", "x!=50"),
        *("x>1000", "x<=-3", "day>2021-06-01", "day<=2021-06-01", "day!=2021-06-01"),
    ):
        (condition,) = parse_given(text, coding.schema)
        j = coding.names.index(condition.column.name)
        allowed = condition.may_hold(coding.parts[j])
        assert allowed[codes[condition.holds(table), j]].all()
        if "day" not in text and "x" not in text:
            held = np.unique(codes[condition.holds(table), j])
            assert np.flatnonzero(allowed).tolist() == held.tolist()
    few = parse_given("x>=95", coding.schema)[0].may_hold(coding.parts[1])
    assert 1 <= few.sum() <= 2


def test_blanks_at_the_ends_of_a_name_may_be_left_out(table, schema):
    blank = {"hours": "hours ", "net": " net", "gross": "gross  ", "sex": "sex "}
    spaced = table.rename(columns=blank)
    known = infer_schema(spaced)
    known = known.keep(*known.undecided)
    assert met(parse_given("hours=4, sex=F", known), spaced) == [1, 0, 0, 0]
    for text in ("hours>=7", "net+tax=gross", "hours <= hours-per-week", "'sex'=F"):
        found = met(parse_where(text, known), spaced)
        assert found == met(parse_where(text, schema), table) != [1] * 4
    assert parse_number_each("sex=5", known)[0].name == "sex "


def test_blanks_at_the_ends_of_a_category_may_be_left_out():
    table = pd.DataFrame({"event": ["100 m ", "100 m ", "200 m", None, "? "]})
    events = tuple(sorted(set(table["event"].dropna())))
    fields = {"kind": "categorical", "missing": ("?",), "dtype": "str"}
    known = Schema((Column(name="event", categories=events, **fields),))
    assert met(parse_given("event=100 m", known), table) == [1, 1, 0, 0, 0]
    assert parse_given("event=?", known)[0].value is None
    assert parse_given("event=", known)[0].value is None


def test_a_name_that_two_columns_have_but_for_blanks_is_none(table):
    spaced = table[["hours", "net"]].set_axis(["a ", " a"], axis=1)
    with pytest.raises(ParameterError, match="Received 'a'"):
        parse_given("a=4", infer_schema(spaced))
    spaced.columns = ["a ", "a"]
    assert parse_given("a=2.5", infer_schema(spaced))[0].column.name == "a"
