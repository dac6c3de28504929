import datetime
import re

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.column import Column
from coclust_synth.tables.relations import (
    DATE_PARTS,
    DATE_UNITS,
    Age,
    Bill,
    Cases,
    Count,
    DateOf,
    DatePart,
    DayOf,
    Dependence,
    Fit,
    Function,
    Mean,
    MonthsAfter,
    Nested,
    Never,
    Order,
    Rate,
    Share,
    SumOfKnown,
    completed_years,
    relation_from_dict,
)
from coclust_synth.tables.schema import Schema

FIT = Fit("code", ("c",), (1.0,), 0.0, False)
CASE = {"values": ["x"], "kind": "sum", "terms": {"b": 1}}
KINDS = {
    "a": "real",
    "b": "integer",
    "c": "real",
    "born": "datetime",
    "seen on": "datetime",
    "age": "integer",
    "stay": "integer",
    "month": "integer",
    "left": "datetime",
    "due": "datetime",
    "began": "datetime",
    "best": "integer",
    "late": "integer",
    "slept": "real",
    "fee": "real",
    "gap": "real",
    "ill": "integer",
    "total": "real",
    "zz": "real",
    **dict.fromkeys("ymdhsfgxzn", "integer"),
    "code": "categorical",
    'la"bel': "categorical",
}
RELATIONS = (
    Order("a", "b"),
    Order("born", "seen on"),
    Fit("c", ("a", "b"), (1.0, -0.25), 3.5, False, about=True),
    Fit("a", ("b",), (2.0,), 1.0, True),
    Bill("f", (("a", "b"),), (1.0,)),
    Bill("g", (("a", "b"), ("b", "c")), (1.0, 1.5), ("a", "s"), (-1.0, 0.2), 9.5),
    Cases(
        "fee",
        "code",
        (
            (("x",), Fit("fee", ("a",), (2.0,), 1.0, False)),
            (("y", "z"), Fit("fee", ("b", "c"), (0.5, 1.0), 0.0)),
        ),
    ),
    Function("h", "log", "b", 0.5, -1.5),
    SumOfKnown("total", ("a", "b"), (1.0, -0.5), 2.0, ("b",)),
    Mean("zz", ("a", "c", "y")),
    Count("ill", (("code", "x"), ('la"bel', True))),
    Share("s", "c", (0.0, 0.85, 1.0)),
    Rate("n", "a"),
    Rate("x", "b", together=True),
    DatePart("month", "weekday from Sunday", "seen on"),
    Age("age", "born", "seen on"),
    Age("stay", "born", "seen on", "months"),
    MonthsAfter("due", "seen on", "last", 2, "b", 12, -1),
    DayOf("began", "due", "late"),
    DateOf(
        "left", tuple(zip(DATE_UNITS, ("y", "m", "d", "h"), strict=False)), -0.25, True
    ),
    Nested("code", 'la"bel'),
    Dependence(("code", 'la"bel'), "b"),
    Never("code", 'la"bel', (("x", None), ("y", "1"))),
    Never("a", "code"),
)


def schema(*rules, kinds=KINDS):
    columns = [Column(name=name, kind=kind) for name, kind in kinds.items()]
    return Schema(tuple(columns), rules=rules)


def numbers(**columns):
    return {name: np.array(values, dtype=float) for name, values in columns.items()}


def days(*dates):
    return np.array(dates, "datetime64[D]").astype(float)


@pytest.mark.parametrize("rules", [RELATIONS, RELATIONS[:1], ()])
def test_a_schema_holds_them_in_toml_and_json(rules):
    one = schema(*rules)
    assert Schema.from_toml(one.to_toml()) == one
    assert Schema.from_dict(one.to_dict()) == one
    assert Schema.from_toml(one.to_toml()).to_toml() == one.to_toml()


def test_rules_are_found_unless_a_schema_says_which():
    text = '[[column]]\nname = "a"\n[[column]]\nname = "b"\n'
    rule = '[[rules]]\nkind = "order"\ncolumns = ["a", "b"]\n'
    assert Schema.from_toml(text).rules is None
    assert Schema.from_toml("find_rules = true\n" + text).rules is None
    assert Schema.from_toml("find_rules = false\n" + text).rules == ()
    assert Schema.from_toml(text + rule).rules == (Order("a", "b"),)
    with pytest.raises(SchemaError, match="find_rules = true and 1 of them"):
        Schema.from_toml("find_rules = true\n" + text + rule)


def test_rules_are_written_as_one_would_by_hand():
    text = schema(*RELATIONS).to_toml()
    assert "find_rules = false\n" in text
    assert '[[rules]]\nkind = "order"\ncolumns = ["a", "b"]\n' in text
    terms = "terms = { a = 1, b = -0.25 }\nconstant = 3.5\nabout = true\n"
    assert f'kind = "sum"\ntarget = "c"\n{terms}' in text
    assert 'values = [["x", { missing = true }], ["y", "1"]]' in text


def test_what_inspect_tells_beside_a_rule_is_not_read():
    told = {"rule": "a <= b", "rows": 9, "individuals": 9, "broken": 0}
    assert relation_from_dict(Order("a", "b").to_dict() | told) == Order("a", "b")


@pytest.mark.parametrize(
    "content",
    [
        None,
        {},
        {"kind": "Order"},
        {"kind": ["order"]},
        {"kind": "order", "columns": ["a"]},
        {"kind": "order", "columns": ["a", "a"]},
        {"kind": "order", "columns": ["a", 2]},
        {"kind": "order", "columns": ["a", "b"], "strict": True},
        {"kind": "sum", "target": "a", "terms": {}},
        {"kind": "sum", "target": "a", "terms": ["b"]},
        {"kind": "sum", "target": "a", "terms": {"a": 1}},
        {"kind": "sum", "target": "a", "terms": {"b": 0}},
        {"kind": "sum", "target": "a", "terms": {"b": "1"}},
        {"kind": "sum", "target": "a", "terms": {"b": float("nan")}},
        {"kind": "sum", "target": "a", "terms": {"b": 1}, "factor": 2},
        {"kind": "sum", "target": "a", "terms": {"b": 1}, "about": 1},
        {"kind": "product", "target": "a", "terms": {"b": 1}, "factor": 0},
        {"kind": "bill", "target": "a", "products": []},
        {"kind": "bill", "target": "a", "products": ["b", "c"]},
        {"kind": "bill", "target": "a", "products": [["b", "a"]]},
        {"kind": "bill", "target": "a", "products": [["b", "b"]]},
        {"kind": "bill", "target": "a", "products": [["b", "c"], ["c", "b"]]},
        {"kind": "bill", "target": "a", "products": [["b", "c"]], "factors": [1, 2]},
        {"kind": "bill", "target": "a", "products": [["b", "c"]], "factors": [0]},
        {"kind": "bill", "target": "a", "products": [["b", "c"]], "terms": {"a": 1}},
        {"kind": "bill", "target": "a", "products": [["b", "c"]], "terms": {"d": 0}},
        {"kind": "bill", "target": ["a"], "products": [["b", "c"]]},
        {"kind": "cases", "target": "a", "by": "code", "cases": []},
        {"kind": "cases", "target": "a", "by": "code", "cases": [{"values": ["x"]}]},
        {"kind": "cases", "target": "a", "by": "code", "cases": [CASE, CASE]},
        {"kind": "cases", "target": "a", "by": "b", "cases": [CASE]},
        {
            "kind": "cases",
            "target": "a",
            "by": "code",
            "cases": [CASE | {"values": [["x"]]}],
        },
        {
            "kind": "cases",
            "target": "a",
            "by": "code",
            "cases": [CASE | {"about": True}],
        },
        {"kind": "function", "target": "a", "function": "sine", "of": "b"},
        {"kind": "function", "target": "a", "function": "log", "of": "a"},
        {"kind": "function", "target": "a", "function": "log", "of": "b", "factor": 0},
        {"kind": "share", "target": "a", "of": "b", "shares": [0.5]},
        {"kind": "share", "target": "a", "of": "b", "shares": [0.5, 0.5, 1]},
        {"kind": "share", "target": "a", "of": "a", "shares": [0.5, 1]},
        {"kind": "date part", "target": "a", "part": "second", "date": "born"},
        {"kind": "age", "target": "a", "birth": "born"},
        {"kind": "age", "target": "a", "birth": "born", "on": "2024-13-01"},
        {"kind": "age", "target": "a", "birth": "born", "at": "b", "on": "2024-01-01"},
        {"kind": "nested", "code": "a", "label": "a"},
        {"kind": "date", "target": "a", "parts": {"year": "y", "month": "m"}},
        {"kind": "date", "target": "a", "parts": {u: "y" for u in DATE_UNITS[:4]}},
        {
            "kind": "date",
            "target": "a",
            "parts": dict(zip(DATE_UNITS, "ymdhb", strict=False)),
            "shift": "1",
        },
        {"kind": "dependence", "columns": [], "target": "a"},
        {"kind": "dependence", "columns": ["a", "b"], "target": "b"},
        {"kind": "dependence", "columns": "ab", "target": "c"},
        {"kind": "never", "columns": ["a", "b"], "values": []},
        {"kind": "never", "columns": ["a", "b"], "values": [["x"]]},
    ],
)
def test_what_is_no_rule_is_refused(content):
    with pytest.raises(SchemaError, match=r"^Expected .* Received .* remove it"):
        relation_from_dict(content)


@pytest.mark.parametrize(
    "rule, match",
    [
        (Order("a", "bb"), "'b'"),
        (Order("a", "code"), "'code', which is categorical"),
        (Order("a", "born"), "'born', which is datetime"),
        (Fit("a", ("code",), (1.0,), 0.0, False), "'code', which is categorical"),
        (Fit("a", ("born",), (1.0,), 1.0, True), "'born', which is datetime"),
        (Cases("a", "born", ((("x",), FIT),)), "'born', which is datetime"),
        (Cases("code", "b", (((1,), FIT),)), "'code', which is categorical"),
        (MonthsAfter("due", "born", by="seen on"), "'seen on', which is datetime"),
        (DayOf("due", "born", "seen on"), "'seen on', which is datetime"),
        (DayOf("due", "b", "a"), "'b', which is integer"),
        (Bill("a", (("b", "born"),), (1.0,)), "'born', which is datetime"),
        (Function("a", "log", "born"), "'born', which is datetime"),
        (Share("a", "code", (0.5, 1.0)), "'code', which is categorical"),
        (DatePart("code", "year", "born"), "'code', which is categorical"),
        (DatePart("a", "year", "b"), "'b', which is integer"),
        (DatePart("born", "time", "due"), "'born', which is datetime"),
        (Age("age", "a", "born"), "'a', which is real"),
        (
            DateOf("age", tuple(zip(DATE_UNITS[:4], "ymdh", strict=False))),
            "'age', which is integer",
        ),
        (
            DateOf(
                "left", tuple(zip(DATE_UNITS, ["y", "m", "d", "code"], strict=False))
            ),
            "'code', which is c",
        ),
        (Never("a", "code", ((1, "x"),)), "'a', which is real"),
    ],
)
def test_columns_must_be_there_and_suit_the_rule(rule, match):
    with pytest.raises(SchemaError, match=f"^In the rule .*{match}"):
        schema(rule)


def test_values_must_be_categories():
    columns = (
        Column(name="phone", kind="categorical", categories=("No", "Yes")),
        Column(name="lines", kind="categorical", categories=(1, 2)),
    )
    Schema(columns, rules=(Never("phone", "lines", (("No", 2), (None, 1))),))
    with pytest.raises(SchemaError, match=r"of 'lines'\. Received '2'"):
        Schema(columns, rules=(Never("phone", "lines", (("No", "2"),)),))


@pytest.mark.parametrize(
    "by, value, received",
    [
        ("phone", "Yes", None),
        ("phone", "ZZ", "categories of 'phone'. Received 'ZZ'"),
        ("b", 1, None),
        ("b", "A", "numbers of 'b'. Received 'A'"),
        ("b", True, "numbers of 'b'. Received True"),
        ("b", float("inf"), "numbers of 'b'. Received inf"),
    ],
)
def test_values_that_say_which_case_a_row_is_are_of_their_column(by, value, received):
    columns = (
        Column(name="phone", kind="categorical", categories=("No", "Yes")),
        *(Column(name=name, kind="real") for name in "abc"),
    )
    rule = Cases("c", by, (((value,), Fit("c", ("a",), (1.0,), 0.0, False)),))
    if received is None:
        assert Schema(columns, rules=(rule,)).rules == (rule,)
        return
    with pytest.raises(SchemaError, match=re.escape(received)):
        Schema(columns, rules=(rule,))


def test_no_column_is_told_twice_or_from_itself():
    one, two = (Fit("a", (p,), (1.0,), 0.0, False) for p in "bc")
    with pytest.raises(SchemaError, match=r"column 'a'\. Received 'a = b' and"):
        schema(one, two)
    circle = [Fit(t, (p,), (1.0,), 0.0, False) for t, p in ("ab", "bc", "ca")]
    with pytest.raises(SchemaError, match=r"from itself.*'a'"):
        schema(*circle)


def test_no_rule_is_repeated():
    with pytest.raises(SchemaError, match=r"once\. Received 'a <= b' more than once"):
        schema(Order("a", "b"), Nested("code", 'la"bel'), Order("a", "b"))


@pytest.mark.parametrize(
    "content",
    [
        {"kind": "order", "columns": "ab"},
        {"kind": "never", "columns": "ab"},
        {"kind": "never", "columns": ["a", "b"], "values": ["xy"]},
    ],
)
def test_a_text_is_no_list_of_letters(content):
    with pytest.raises(SchemaError, match="Expected a rule of kind"):
        relation_from_dict(content)


def test_a_column_that_is_left_out_takes_its_rules_along():
    one = schema(Order("a", "b"), Nested("code", 'la"bel')).drop("b")
    assert one.kept.rules == (Nested("code", 'la"bel'),)
    assert Schema.from_toml(one.to_toml()).rules == one.kept.rules


def test_days_of_moments():
    days = Age("stay", "arrived", "left", "days")
    assert str(days) == "stay = days from arrived to left"
    assert relation_from_dict(days.to_dict()) == days
    # A day is counted as it begins.
    numbers = {"arrived": np.array([10.9, 10.1, np.nan]), "left": np.full(3, 12.0)}
    np.testing.assert_array_equal(days.predict(numbers), [2, 2, np.nan])


def test_texts():
    assert list(map(str, RELATIONS)) == [
        "a <= b",
        "born <= seen on",
        "c ~ a - 0.25 * b + 3.5",
        "a = b^2",
        "f = a * b",
        "g = a * b + 1.5 * b * c + 0.2 * s - a + 9.5",
        "fee = 2 * a + 1 for code x; fee = 0.5 * b + c for code y, z",
        "h = 0.5 * log of b - 1.5",
        "total = a - 0.5 * b + 2, b 0 where missing",
        "zz = mean of a, c, y",
        'ill = how many of code x, la"bel True',
        "s = 0, 0.85 or 1 of c",
        "n ~ a rate of a",
        "x ~ a rate of b and it",
        "month = weekday from Sunday of seen on",
        "age = years from born to seen on",
        "stay = months from born to seen on",
        "due = last of the month of seen on + b years + 2 months - 1 day",
        "day of began = due + late",
        "left ~ date of y, m, d, h - 6 h",
        'code -> la"bel',
        'code, la"bel -> b',
        'code, la"bel: never x with missing, y with 1',
        "a, code: combinations that never occur",
    ]
    assert str(Fit("a", ("b", "c"), (1.0, 1.0), 1.02, True, True)) == "a ~ 1.02 * b * c"


def test_a_bill_adds_products_and_columns():
    bill = Bill("g", (("a", "b"), ("b", "c")), (1.0, 1.5), ("a",), (-1.0,), 9.5)
    told = bill.predict(numbers(a=[2, 0, np.nan], b=[3, 4, 1], c=[2, 1, 1]))
    np.testing.assert_allclose(told, [6 + 9 - 2 + 9.5, 6 + 9.5, np.nan])
    assert bill.parents == ("a", "b", "c")
    content = bill.to_dict()
    assert content["products"] == [["a", "b"], ["b", "c"]]
    assert content["factors"] == [1, 1.5] and content["terms"] == {"a": -1}
    assert "factors" not in Bill("g", (("a", "b"),), (1.0,)).to_dict()


def test_what_is_missing_counts_as_nothing():
    rule = SumOfKnown("x", ("a", "b"), (1.0, 2.0), 0.5, ("b",))
    told = rule.predict(numbers(a=[2, 2, np.nan], b=[1, np.nan, 1]))
    np.testing.assert_allclose(told, [4.5, 2.5, np.nan])


def test_a_count_says_nothing_where_a_column_is_missing():
    rule = Count("ill", (("cough", "yes"), ("fever", True)))
    cough = np.array(["yes", "no", "yes", None], dtype=object)
    fever = np.array(["True", "True", "False", "True"], dtype=object)
    told = rule.predict({"cough": cough, "fever": fever})
    np.testing.assert_allclose(told, [2, 1, 1, np.nan])
    assert str(rule) == "ill = how many of cough yes, fever True"
    many = Count("ill", tuple((name, 1) for name in "abcdefg"))
    assert str(many) == "ill = how many of a 1, b 1, c 1, d 1, e 1 and 2 more"


@pytest.mark.parametrize(
    "of", [{"cough": "yes"}, {}, ["cough"], {"ill": 1, "cough": 1}, {"cough": []}]
)
def test_a_count_is_of_two_other_columns(of):
    content = {"kind": "count", "target": "ill", "of": of}
    with pytest.raises(SchemaError, match="symptoms"):
        relation_from_dict(content)


def test_a_count_is_a_number_of_categories():
    rule = Count("ill", (("cough", "yes"), ("fever", "yes")))
    assert rule.wrong_kind({"ill": "category"}) == "ill"
    assert rule.wrong_kind({"ill": "number", "fever": "number"}) == "fever"
    assert rule.wrong_kind({"ill": "number", "cough": "category"}) is None


def test_a_product_is_told_in_logarithms():
    fit = Fit("a", ("b", "c"), (1.0, 2.0), 0.5, True)
    told = fit.predict(numbers(b=[2, 0, np.nan], c=[3, 1, 1]))
    np.testing.assert_allclose(np.exp(told), [9, 0, np.nan])


@pytest.mark.parametrize(
    "part, expected",
    [
        ("year", [1969, 1970, 2024]),
        ("quarter", [4, 1, 1]),
        ("month", [12, 1, 2]),
        ("day", [31, 1, 29]),
        ("weekday", [2, 3, 3]),
        ("weekday from 1", [3, 4, 4]),
        ("weekday from Sunday", [3, 4, 4]),
        ("weekday from Sunday, 1", [4, 5, 5]),
        ("half of the year", [2, 1, 1]),
        ("day of the year", [365, 1, 60]),
        ("ISO week", [1, 1, 9]),
        ("week from Sunday", [52, 0, 8]),
        ("week from Monday", [52, 0, 9]),
    ],
)
def test_parts_of_dates(part, expected):
    date = np.append(days("1969-12-31", "1970-01-01", "2024-02-29"), np.nan)
    told = DatePart("x", part, "d").predict({"d": date + 0.7})
    np.testing.assert_array_equal(told, [*expected, np.nan])


@pytest.mark.parametrize(
    "part, expected",
    [
        ("hour", [23, 8, 0]),
        ("time", [86_399 / 86_400, 29_100 / 86_400, 0]),
        ("time in minutes", [1439 / 1440, 485 / 1440, 0]),
    ],
)
def test_parts_of_times(part, expected):
    at = ["1969-12-31 23:59:59", "2024-02-29 08:05", "2024-02-29", "NaT"]
    at = np.array(at, "M8[s]")
    at = np.where(np.isnat(at), np.nan, at.astype(np.int64) / 86_400)
    told = DatePart("x", part, "d").predict({"d": at})
    np.testing.assert_allclose(told, [*expected, np.nan], atol=1e-11)


@pytest.mark.slow
def test_weeks_are_those_of_the_calendar():
    dates = pd.date_range("1967-12-20", "2032-01-10")
    days = dates.to_numpy().astype("M8[D]").astype(np.int64)
    weeks = dates.isocalendar().week.to_numpy()
    np.testing.assert_array_equal(DATE_PARTS["ISO week"](days), weeks)
    for name, layout in (("Sunday", "%U"), ("Monday", "%W"), ("day", "%j")):
        part = "day of the year" if name == "day" else f"week from {name}"
        expected = dates.strftime(layout).astype(int)
        np.testing.assert_array_equal(DATE_PARTS[part](days), expected)


def test_ages_are_completed_years():
    born = days("2000-02-29", "1960-05-02", "1960-05-01")
    seen = days("2023-02-28", "2024-05-01", "2024-05-01")
    told = Age("age", "born", "seen").predict({"born": born, "seen": seen})
    assert told.tolist() == [22, 63, 64]
    on = Age("age", "born", datetime.date(2024, 3, 1)).predict({"born": born})
    assert on.tolist() == [24, 63, 63]


def test_ages_agree_with_the_calendar(rng):
    birth = rng.integers(-20_000, 15_000, 300)
    at = birth + rng.integers(0, 9000, 300)
    start = datetime.date(1970, 1, 1)
    for b, a, years in zip(birth, at, completed_years(birth, at), strict=True):
        b, a = (start + datetime.timedelta(days=int(of)) for of in (b, a))
        assert years == a.year - b.year - ((a.month, a.day) < (b.month, b.day))


def test_the_date_of_its_parts():
    parts = dict(zip(DATE_UNITS, ["y", "m", "d", "h", "n", "s"], strict=True))
    date = DateOf("t", tuple(parts.items()), 0.5)
    told = date.predict(
        numbers(
            y=[2024, 2023, 1969, np.nan],
            m=[2, 2, 12, 1],
            d=[29, 29, 31, 1],
            h=[0, 12, 23, 0],
            n=[30, 0, 0, 0],
            s=[0, 1, 0, 0],
        )
    )
    expected = ["2024-02-29T12:30:00", "2023-03-02T00:00:01", "1970-01-01T11:00:00"]
    seconds = np.array(expected, "datetime64[s]").astype(float)
    np.testing.assert_allclose(told[:3] * 86_400, seconds, atol=1e-3)
    assert np.isnan(told[3])


def test_a_sum_is_told_of_another_of_its_columns():
    whole = Fit("total", ("net", "off", "fee"), (1.0, -1.0, 0.5), 3.0, about=True)
    numbers = {name: np.array([8.0, 2.5]) for name in ("net", "off", "fee")}
    numbers["total"] = whole.predict(numbers)
    for name in ("net", "off"):
        solved = whole.solved_for(name)
        assert solved.target == name and solved.about
        assert solved.solved_for("total").terms == whole.terms
        np.testing.assert_allclose(solved.predict(numbers), numbers[name])
