"""Domains: cells there and back, files there and back, and errors that tell nothing."""

import json
import re
from datetime import date, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shared import needed

from coclust_synth.exceptions import ParameterError, SchemaError, TableError
from coclust_synth.tables.column import Column
from coclust_synth.tables.domain.domain import Domain, blank_domain
from coclust_synth.tables.schema import Schema

ROOT = Path(__file__).parents[4]
ADULT = ROOT / "configs" / "adult_domain.toml"
PROTOCOL = ROOT.parent / "shared" / "reference" / "dp_protocol.json"

MIXED = {
    "age": {"low": 17, "high": 90, "bins": 10},
    "sex": ["Female", "Male"],
    "job": {"categories": ["cook", "clerk"], "other": "another", "missing": "?"},
    "share": {"low": 0.0, "high": 1.5, "bins": 7, "clamp": True, "missing": ""},
    "member": [False, True],
    "children": {"low": 0, "high": 3, "bins": 4, "missing": "NA"},
}


def one(**fields):
    return Domain.from_dict({"x": fields})


def codes_of(domain, values):
    return domain.encode(pd.DataFrame({"x": values}))[:, 0].tolist()


@st.composite
def amounts(draw):
    """Numbers from small to large, some of them multiples of a unit."""
    low, unit = draw(st.sampled_from([(1, None), (0.5, None), (100, 5), (2.0, 0.01)]))
    high = low * draw(st.integers(20, 10**6))
    zero = {"zero": draw(st.booleans())}
    units = {} if unit is None else {"unit": unit}
    cut = draw(st.sampled_from(["log", "step", "edges"]))
    if cut == "edges":
        return {"edges": [low, low * 10, high], **zero, **units}
    if cut == "step":
        return {"low": low, "high": high, "step": high / 7.3, **zero, **units}
    bins = draw(st.integers(1, 40))
    return {"low": low, "high": high, "bins": bins, "scale": "log", **zero, **units}


@st.composite
def dates(draw):
    """Days, or seconds, cut by the calendar or evenly."""
    if draw(st.booleans()):
        low = draw(st.datetimes(datetime(1890, 1, 1), datetime(2100, 1, 1)))
        low = low.replace(microsecond=0)
    else:
        low = draw(st.dates(date(1890, 1, 1), date(2100, 1, 1)))
    high = low + timedelta(days=draw(st.integers(1, 900)))
    step = st.sampled_from(["day", "week", "month", "year", 1, 45])
    cut = draw(st.one_of(step.map(lambda s: {"step": s}), st.just({"bins": 2})))
    write = draw(st.sampled_from([lambda d: d, lambda d: d.isoformat()]))
    return {"low": write(low), "high": write(high), **cut}


@st.composite
def declared(draw):
    """A domain of several kinds of columns, and some rows of its cells."""
    columns = {}
    for j in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["texts", "whole", "real", "amounts", "dates"]))
        marks = {"missing": "?"} if draw(st.booleans()) else {}
        if kind == "texts":
            n = draw(st.integers(1, 5))
            other = {"other": "else"} if draw(st.booleans()) else {}
            columns[f"c{j}"] = {"categories": list("abcde"[:n]), **other, **marks}
            continue
        if kind == "amounts":
            columns[f"c{j}"] = draw(amounts()) | marks
            continue
        if kind == "dates":
            columns[f"c{j}"] = draw(dates()) | marks
            continue
        low = draw(st.integers(-1000, 1000))
        width = draw(st.integers(1, 200))
        bins = draw(st.integers(1, width + 1))
        cast = int if kind == "whole" else float
        bounds = {"low": cast(low), "high": cast(low + width), "bins": bins}
        columns[f"c{j}"] = bounds | marks
    domain = Domain.from_dict(columns)
    cells = st.tuples(*(st.integers(0, size - 1) for size in domain.sizes))
    return domain, np.array(draw(st.lists(cells, min_size=1, max_size=20)))


@pytest.mark.slow
@given(declared(), st.integers(0, 2**32))
def test_cells_come_back_from_the_values_drawn_in_them(case, seed):
    domain, codes = case
    frame = domain.decode(codes, seed)
    assert (domain.encode(frame) == codes).all()
    cells = domain.to_cells(codes)
    assert ((cells >= 0) & (cells < domain.n_cells)).all()
    assert (domain.from_cells(cells) == codes).all()


@given(declared())
def test_files_say_everything(case):
    domain, _ = case
    assert Domain.from_toml(domain.to_toml()) == domain
    assert Domain.from_dict(json.loads(json.dumps(domain.to_dict()))) == domain


def test_all_cells_of_a_small_domain_are_numbered_once():
    domain = Domain.from_dict({"a": ["x", "y"], "b": {"low": 0, "high": 4, "bins": 3}})
    every = np.array([[i, j] for i in range(2) for j in range(3)])
    assert domain.to_cells(every).tolist() == list(range(6)) and domain.n_cells == 6


def test_whole_numbers_go_to_the_bins_of_the_protocol():
    domain = one(low=17, high=90, bins=10)
    ages = np.arange(17, 91)
    expected = np.minimum(9, np.floor((ages - 17) / 73 * 10)).astype(int)
    assert codes_of(domain, ages) == expected.tolist()
    assert domain["x"].labels[:2] == ("[17, 24]", "[25, 31]")


@given(st.integers(-50, 50), st.integers(1, 300), st.data())
def test_bins_of_whole_numbers_all_hold_some(low, width, data):
    bins = data.draw(st.integers(1, width + 1))
    domain = one(low=low, high=low + width, bins=bins)
    values = np.arange(low, low + width + 1)
    codes = codes_of(domain, values)
    assert set(codes) == set(range(bins))
    assert codes == [min(bins - 1, (v - low) * bins // width) for v in values.tolist()]


def test_values_that_fall_in_special_cells():
    frame = pd.DataFrame(
        {
            "age": [17, 90, 24, 25],
            "sex": ["Male", "Female", "Male", "Male"],
            "job": ["clerk", "pilot", None, "?"],
            "share": [-3.0, 1e300, np.nan, 0.0],
            "member": [True, False, False, True],
            "children": pd.array([3, 0, None, 1], dtype="Int64"),
        }
    )
    domain = Domain.from_dict(MIXED)
    assert domain.sizes == (10, 2, 4, 8, 2, 5)
    assert domain.encode(frame).T.tolist() == [
        [0, 9, 0, 1],
        [1, 0, 1, 1],
        [1, 2, 3, 3],
        [0, 6, 7, 0],
        [1, 0, 0, 1],
        [3, 0, 4, 1],
    ]


def test_types_of_what_is_drawn():
    domain = Domain.from_dict(MIXED)
    codes = np.array([[0, 0, 0, 0, 0, 0], [9, 1, 3, 7, 1, 4]])
    frame = domain.decode(codes, 0)
    assert frame["age"].dtype == "int64" and frame["children"].dtype == "Int64"
    assert frame["share"].dtype == "float64" and frame["member"].dtype == bool
    assert frame.loc[1, ["job", "share", "children"]].isna().all()
    whole = domain.select(["age", "sex"]).decode(codes[:, :2], 0)
    assert list(whole.columns) == ["age", "sex"]


@pytest.mark.parametrize(
    "fields, values",
    [
        ({"categories": ["a", "b"]}, ["a", "SECRET", "SECRET2"]),
        ({"low": 0, "high": 10, "bins": 2}, [3, 987654, -987654]),
        ({"low": 0, "high": 10, "bins": 2}, [3.5, 4.0]),
        ({"low": 0.0, "high": 1.0, "bins": 2}, [0.5, 98765.4]),
        ({"low": 0.0, "high": 1.0, "bins": 2, "clamp": False}, [0.5, np.inf]),
        ({"categories": ["a"]}, ["a", None]),
        ({"low": 0, "high": 10, "bins": 2}, ["SECRET", "98765"]),
    ],
)
def test_errors_name_the_column_and_no_value_nor_how_many(fields, values):
    with pytest.raises(TableError, match=r"Column 'x': expected .*Received") as error:
        codes_of(one(**fields), values)
    message = str(error.value)
    assert "SECRET" not in message and "98765" not in message
    assert "3.5" not in message
    assert not re.search(r"Received \d|\d rows", message)
    assert error.value.__cause__ is None and error.value.__context__ is None


def test_tables_that_are_none():
    domain = Domain.from_dict({"a": ["x"], "b": ["y"]})
    with pytest.raises(TableError, match="without 'b'"):
        domain.encode(pd.DataFrame({"a": ["x"]}))
    with pytest.raises(TableError, match="more than one 'a'"):
        domain.encode(pd.DataFrame([["x", "x", "y"]], columns=["a", "a", "b"]))
    with pytest.raises(TableError, match="list"):
        domain.encode([["x", "y"]])


def test_a_table_without_rows_has_no_cells():
    empty = pd.DataFrame({name: [] for name in MIXED})
    assert Domain.from_dict(MIXED).encode(empty).shape == (0, 6)


@pytest.mark.parametrize(
    "fields, match",
    [
        ({}, "`categories` to be given"),
        ({"categories": []}, "at least one"),
        ({"categories": ["a", "a"]}, "different"),
        ({"categories": ["a", "?"], "missing": "?"}, "none of them"),
        ({"categories": ["a"], "low": 1}, "left out beside"),
        ({"categories": ["a"], "clamp": True}, "left out beside"),
        ({"low": 0, "high": 10}, "`bins` to be given, or instead `step`"),
        ({"low": 0, "high": 10, "bins": 12}, r"at most 11, .* `high = 10.0`, others"),
        ({"low": 0, "high": 10, "bins": 0}, "from 1 on"),
        ({"low": 3, "high": 3, "bins": 1}, "above `low`"),
        ({"low": "0", "high": 10, "bins": 1}, "a number"),
        ({"low": 0.0, "high": float("inf"), "bins": 1}, "a number"),
        ({"low": 0, "high": 10, "bins": 2, "other": "x"}, "`clamp`"),
        ({"low": 0, "high": 10, "bins": 2, "clamp": 1}, "true or false"),
        ({"low": 0, "high": 2**63, "bins": 2}, "62 bits"),
        ({"categories": ["a"], "missing": True}, "text"),
        ({"categories": ["a"], "mising": "?"}, "'mising'"),
    ],
)
def test_declarations_that_contradict_themselves(fields, match):
    with pytest.raises(SchemaError, match=match):
        one(**fields)


@pytest.mark.parametrize(
    "text, match",
    [
        ("[[column]\n", "to be TOML"),
        ("from_data = true\n", "lists its columns"),
        ("[columns.age]\nlow = 1\n", r"under \[\[column\]\]. Received \[columns\]"),
        ('[[column]]\ncategories = ["a"]\n', "have a name"),
        ('[[column]]\nname = "a"\n', "to be given"),
        ('extra = 1\n[[column]]\nname = "a"\ncategories = [1]\n', "'extra'"),
        ('from_data = 1\n[[column]]\nname = "a"\ncategories = [1]\n', "true or false"),
        ("column = []\n", "at least one column"),
        (2 * '[[column]]\nname = "a"\ncategories = [1]\n', "more than one 'a'"),
    ],
)
def test_files_that_declare_nothing(text, match):
    with pytest.raises(SchemaError, match=match):
        Domain.from_toml(text)


def test_blank_files_must_be_filled_in():
    text = blank_domain(["age", 'a "quoted" name'])
    assert "\nlow" not in text
    with pytest.raises(SchemaError, match="'age': expected `categories` to be given"):
        Domain.from_toml(text)
    filled = text.replace("# categories = []", 'categories = ["a"]')
    assert Domain.from_toml(filled).names == ("age", 'a "quoted" name')


def test_saved_domains_are_read_again(tmp_path):
    domain = Domain.from_dict(MIXED)
    domain.save(tmp_path / "domain.toml")
    assert Domain.load(tmp_path / "domain.toml") == domain
    with pytest.raises(SchemaError, match="Received: "):
        Domain.load(tmp_path / "none.toml")


def test_a_domain_taken_from_data_says_so():
    frame = pd.DataFrame(
        {"a": [1, 5, 9, 2], "b": ["x", None, "y", "x"], "c": [3, 3, 3, 4]}
    )
    domain = Domain.from_frame(frame, bins=4)
    assert domain.from_data and domain.select(["a"]).from_data
    assert domain.sizes == (4, 3, 2)
    assert (domain.encode(frame) >= 0).all()
    text = domain.to_toml()
    assert "Not differentially private: domain taken from the data" in text
    assert Domain.from_toml(text) == domain
    assert not Domain.from_dict(MIXED).from_data


def test_a_schema_gives_its_bounds_and_marks():
    schema = Schema(
        (
            Column(name="age", kind="integer", bounds=(0, 120), missing=("NA", "?")),
            Column(name="sex", kind="categorical", categories=("F", "M")),
            Column(name="note", treatment="drop"),
        )
    )
    domain = Domain.from_schema(schema, bins=12, from_data=False)
    assert domain.names == ("age", "sex") and not domain.from_data
    assert domain["age"].missing == "NA" and domain["age"].bins == 12


def test_too_many_cells_cannot_be_numbered():
    domain = Domain.from_dict(
        {f"c{j}": {"low": 0, "high": 999, "bins": 1000} for j in range(7)}
    )
    assert domain.n_cells == 10**21
    with pytest.raises(ParameterError, match="fewer than 2"):
        domain.to_cells(np.zeros((1, 7), dtype=np.int32))


def test_the_domain_of_adult_is_that_of_its_documentation():
    domain = Domain.load(ADULT)
    assert len(domain.columns) == 15 and not domain.from_data
    protocol = json.loads(needed(PROTOCOL).read_text())
    for name, categories in protocol["categories"].items():
        column = domain[name]
        marks = [] if column.missing is None else [column.missing]
        assert [*column.categories, *marks] == categories
    age = domain["age"]
    assert (age.low, age.high, age.bins) == tuple(
        protocol["age"][key] for key in ("low", "high", "bins")
    )
    five = domain.select(protocol["query_attributes"])
    assert five.n_cells == 17280
