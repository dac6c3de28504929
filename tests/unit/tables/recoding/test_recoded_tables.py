"""Recoding by hand: what becomes of each cell, and files that say it wrongly."""

import datetime
import re

import pandas as pd
import pytest

from coclust_synth import Recoding, infer_schema, read_table
from coclust_synth.exceptions import DataWarning, SchemaError
from coclust_synth.tables import ColumnRecoding


def becomes(text, **recoding):
    return ColumnRecoding(column="x", **recoding).recode(text)


@pytest.mark.parametrize(
    ("recoding", "cells"),
    [
        ({"top": 90}, {"89": "89", "90": "90", "90.5": "90", "104": "90", "-3": "-3"}),
        ({"bottom": 18, "top": 65}, {"4": "18", "18.0": "18.0", "66": "65"}),
        ({"round": 5}, {"12": "10", "12.5": "15", "-12.5": "-15", "2": "0", "-2": "0"}),
        ({"round": 0.1}, {"1.25": "1.3", "1.3": "1.3", "1": "1"}),
        ({"round": 1000, "top": 2500}, {"2600": "2500", "2400": "2000"}),
        ({"round": 10, "bottom": 18, "top": 65}, {"17": "20", "66": "65", "22": "20"}),
        ({"prefix": 3}, {"75013": "750", "F1": "F1", "ab cd": "ab "}),
        ({"suppress": ["HIV", 9]}, {"HIV": None, "9": None, "9.0": None, "hiv": "hiv"}),
        ({"suppress": ["01"]}, {"01": None, "1": "1"}),
        ({"suppress": [999], "top": 90}, {"999": None, "95": "90"}),
        (
            {"top": datetime.date(2000, 1, 1)},
            {"1999-12-31": "1999-12-31", "2003-05-01": "2000-01-01"},
        ),
        (
            {"groups": {"health": ["nurse", "doctor"], "none": ["-"]}},
            {"nurse": "health", "-": "none", "smith": "smith"},
        ),
        ({"groups": {"a": ["x"]}, "rest": "other"}, {"x": "a", "y": "other"}),
        (
            {"groups": {"young": [{"to": 17}], "old": [{"from": 65}, 18]}},
            {"17": "young", "18": "old", "17.5": "17.5", "65.0": "old", "?": "?"},
        ),
        (
            {"groups": {"war": [{"from": datetime.date(1914, 7, 28)}]}},
            {"1914-07-27": "1914-07-27", "1918-01-01": "war", "soon": "soon"},
        ),
        (
            {
                "groups": {"old": [{"to": datetime.date(1950, 1, 1)}]},
                "suppress": [datetime.date(1930, 1, 31)],
            },
            {
                "1950-01-01 23:59:00": "old",
                "1949-05-05T10:00:00": "old",
                "1930-01-31 10:00:00": None,
                "1950-01-02T00:00:01": "1950-01-02T00:00:01",
            },
        ),
        (
            {"top": 90, "round": 0.5, "format": "comma .2f"},
            {"91,25": "90,00", "1,7": "1,50", "1,50": "1,50", "3": "3"},
        ),
        (
            {"top": 1500, "suppress": [99.5], "format": "$# thousands"},
            {"$1,499": "$1,499", "$2,000.5": "$1,500", "$99.5": None},
        ),
        (
            {"groups": {"few": [{"to": 9.5}], "half": [50]}, "format": "# % comma"},
            {"9,5 %": "few", "50 %": "half", "9,6 %": "9,6 %", "9.5": "9.5"},
        ),
        (
            {"bottom": datetime.date(1930, 1, 1), "format": "%d.%m.%Y"},
            {"31.12.1929": "01.01.1930", "1.2.1930": "1.2.1930"},
        ),
        (
            {
                "groups": {"then": [{"from": datetime.date(1930, 1, 1)}]},
                "suppress": [datetime.date(1920, 1, 1)],
                "format": "%d/%m/%Y %H:%M",
            },
            {"01/02/1930 10:30": "then", "01/01/1920 00:10": None, "x": "x"},
        ),
    ],
)
def test_cells_become(recoding, cells):
    assert {text: becomes(text, **recoding) for text in cells} == cells


@pytest.mark.parametrize(
    ("recoding", "text"),
    [
        ({"top": 9}, "many"),
        ({"round": 2}, "2020-01-01"),
        ({"top": 9, "format": "comma"}, "1.5"),
        ({"top": 9, "format": "comma"}, "1234.5"),
    ],
)
def test_what_is_no_number_is_refused_or_left(recoding, text):
    own = ColumnRecoding(column="x", **recoding)
    with pytest.raises(SchemaError, match=f"numbers.* in column 'x'.*{text}"):
        own.recode(text)
    assert own.recode(text, strict=False) == text


@pytest.mark.parametrize(
    ("recoding", "said"),
    [
        ({}, "something to do"),
        ({"round": 0}, "round to be a number above 0"),
        ({"round": True}, "round to be a number above 0"),
        ({"prefix": 0}, "prefix to be"),
        ({"prefix": 2.5}, "prefix to be"),
        ({"prefix": 2, "round": 5}, "or groups, or a prefix"),
        ({"groups": {"a": ["b"]}, "top": 5}, "or groups, or a prefix"),
        ({"bottom": 9, "top": 5}, "bottom to be at most top"),
        ({"top": "9"}, "numbers or dates"),
        ({"top": datetime.date(2000, 1, 1), "round": 5}, "dates do not round"),
        ({"top": datetime.date(2000, 1, 1), "bottom": 5}, "not both"),
        ({"suppress": "HIV"}, "Put them in a list"),
        ({"groups": {"": ["b"]}}, "do not read as missing"),
        ({"groups": {" NA ": ["b"]}}, "do not read as missing"),
        ({"groups": {"missing": ["b"]}}, "do not read as missing"),
        ({"groups": {"a": ["b"]}, "rest": "?"}, "do not read as missing"),
        ({"suppress": [{"from": 1}]}, "Put them in a list"),
        ({"rest": "other"}, "rest to be a label beside groups"),
        ({"groups": {}}, "groups by their labels"),
        ({"groups": {"a": "b"}}, "a list of values or ranges"),
        ({"groups": {"a": [{"from": 9, "to": 1}]}}, "a list of values or ranges"),
        ({"groups": {"a": [{"until": 1}]}}, "a list of values or ranges"),
        ({"groups": {"a": ["x"], "b": ["y", "x"]}}, "a value in common, 'b', 'a'"),
        ({"groups": {"a": [{"to": 9}], "b": [{"from": 9}]}}, "a value in common"),
        ({"groups": {"a": [{"to": 9}], "b": [3]}}, "a value in common"),
        ({"format": "comma"}, "something to do"),
        ({"top": 5, "format": "commas"}, "a layout of numbers or dates"),
        ({"top": 5, "format": "%d.%m.%y"}, "a layout of numbers or dates"),
        ({"top": 5, "format": "%d.%m.%Y"}, "a format of what bottom and top are"),
        (
            {"top": datetime.date(2000, 1, 1), "format": "comma"},
            "a format of what bottom and top are",
        ),
    ],
)
def test_what_says_nothing_or_two_things_is_refused(recoding, said):
    with pytest.raises(SchemaError, match=said):
        ColumnRecoding(column="x", **recoding)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Write one, or leave the file out"),
        ("top = 5", r"under \[\[recode\]\]"),
        ("[recode]\ncolumn = 'a'", r"under \[\[recode\]\]"),
        ("[[recode]]\ntop = 5", "column, a name"),
        ("[[recode]]\ncolumn = 'a'\nceiling = 5", "Received 'ceiling'"),
        (2 * "[[recode]]\ncolumn = 'a'\ntop = 5\n", "Put them together"),
        ("[[recode", "to be TOML"),
    ],
)
def test_wrong_files_are_refused(text, said):
    with pytest.raises(SchemaError, match=said):
        Recoding.from_toml(text)


@pytest.mark.parametrize(
    ("what", "cells", "released", "said"),
    [
        (
            {"suppress": ["J33"], "prefix": 3},
            ["J33", "J33.2", "J33.9", "K01.1"],
            [None, "J33", "J33", "K01"],
            "'J33.2' as 'J33' and 1 more: they are released, since",
        ),
        ({"suppress": [90], "top": 90}, ["90", "95"], [None, "90"], "'95' as '90': "),
        ({"suppress": [20], "round": 10}, ["20", "18"], [None, "20"], "'18' as '20': "),
    ],
)
def test_what_is_left_out_is_a_value_of_the_table(what, cells, released, said):
    """Others that become it are released, and that is told."""
    recoding = Recoding((ColumnRecoding(column="x", **what),))
    with pytest.warns(DataWarning, match=re.escape(said)):
        found = recoding.of_cells(pd.DataFrame({"x": cells}), strict=True)
    assert found["x"].tolist() == released


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SchemaError, match="Check the path"):
        Recoding.load(tmp_path / "recode.toml")


def test_a_file_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "recode.toml"
    path.write_text('[[recode]]\ncolumn = "age"\ntop = 60\n', encoding="utf-8-sig")
    assert Recoding.load(path) == Recoding((ColumnRecoding(column="age", top=60),))


TOML = """
[[recode]]
column = "age"
suppress = [99]
top = 60
round = 10

[[recode]]
column = "job"
groups = { health = ["nurse", "doctor"] }
rest = "other"

[[recode]]
column = "born"
bottom = 1950-01-01
"""


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "age": [31, 67, 99, 25, 58],
            "job": ["nurse", "smith", None, "doctor", "cook"],
            "born": pd.to_datetime(
                ["1949-03-01", "1971-02-03", None, "1960-01-01", "1950-01-02"]
            ),
            "pay": [1.5, 2.5, 3.5, 4.5, 5.5],
        }
    )


EXPECTED = {
    "age": [30, 60, None, 30, 60],
    "job": ["health", "other", None, "health", "other"],
    "born": ["1950-01-01", "1971-02-03", None, "1960-01-01", "1950-01-02"],
}


@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
def test_a_table_is_recoded_as_what_it_is(table, tmp_path, form):
    source = table
    if form != "frame":
        source = tmp_path / f"people.{form}"
        getattr(table, f"to_{form}")(source, index=False)
    recoded = Recoding.from_toml(TOML).of_table(source)
    frame, schema = recoded.complete()
    assert schema["age"].kind == "integer" and schema["age"].bounds == (30, 60)
    assert schema["born"].kind == "datetime"
    assert [None if pd.isna(a) else int(a) for a in frame["age"]] == EXPECTED["age"]
    assert [None if pd.isna(j) else j for j in frame["job"]] == EXPECTED["job"]
    days = frame["born"].dt.strftime("%Y-%m-%d")
    assert [None if pd.isna(d) else d for d in days] == EXPECTED["born"]
    assert frame["pay"].tolist() == table["pay"].tolist()


@pytest.mark.parametrize("dtype", ["int8", "uint16", "Int32", "float32", "object"])
def test_numbers_keep_their_type(dtype):
    frame = pd.DataFrame({"age": pd.Series([31, 67, 12], dtype=dtype)})
    recoding = Recoding((ColumnRecoding(column="age", top=60),))
    found = recoding.of_table(frame).frame["age"]
    assert found.dtype == dtype and found.tolist() == [31, 60, 12]
    assert frame["age"].tolist() == [31, 67, 12]


def test_a_format_is_of_texts():
    recoding = Recoding.from_toml(
        "[[recode]]\ncolumn = 'pay'\ntop = 1000\nformat = 'comma thousands'\n"
        "[[recode]]\ncolumn = 'born'\nbottom = 1930-01-01\nformat = '%d.%m.%Y'\n"
    )
    days = pd.to_datetime(["1920-05-01", "1950-05-01"])
    typed = pd.DataFrame({"pay": [1.234, 2345.5], "born": days})
    found = recoding.of_table(typed).frame
    assert found["pay"].tolist() == [1.234, 1000]
    assert found["born"].dt.year.tolist() == [1930, 1950]
    texts = typed.assign(pay=["1.234", "2,5"], born=["01.05.1920", "01.05.1950"])
    found = recoding.of_table(texts).frame
    assert found["pay"].tolist() == ["1.000", "2,5"]
    assert found["born"].tolist() == ["01.01.1930", "01.05.1950"]
    assert recoding.laid_out_numbers == ("pay",)
    assert Recoding.from_toml("[[recode]]\ncolumn = 'a'\ntop = 5").to_dict() == [
        {"column": "a", "top": 5}
    ]


def test_texts_and_categories_stay_so():
    recoding = Recoding((ColumnRecoding(column="age", round=10),))
    texts = pd.DataFrame({"age": ["31", "67", None]}, dtype=object)
    assert recoding.of_table(texts).frame["age"].tolist() == ["30", "70", None]
    listed = pd.DataFrame({"age": pd.Categorical([31, 30, 67])})
    assert recoding.of_table(listed).frame["age"].tolist() == [30, 30, 70]


def test_dates_that_are_objects_stay_so():
    days = [datetime.date(1949, 3, 1), datetime.date(1971, 2, 3), None]
    recoding = Recoding((ColumnRecoding(column="d", bottom=datetime.date(1950, 1, 1)),))
    found = recoding.of_table(pd.DataFrame({"d": days})).frame["d"].tolist()
    assert found[:2] == [datetime.date(1950, 1, 1), days[1]] and found[2] is None


def test_missing_marks_are_no_values(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,job\n31,?\n?,a\nNA,b\n67,a\n")
    text = '[[recode]]\ncolumn = "age"\ntop = 60\n[[recode]]\ncolumn = "job"\n'
    recoded = Recoding.from_toml(text + 'groups = { A = ["a"] }\nrest = "B"')
    frame, _ = recoded.of_table(path).complete()
    assert frame["age"].isna().tolist() == [False, True, True, False]
    assert frame["job"].fillna("-").tolist() == ["-", "A", "B", "A"]
    named = Recoding.from_toml('[[recode]]\ncolumn = "job"\ngroups = { no = ["?"] }')
    assert named.of_table(path).frame["job"].tolist() == ["no", "a", "b", "a"]


def test_each_cell_is_recoded_on_its_own(rng):
    """What becomes of a cell does not change with the other rows."""
    cells = [*map(str, rng.integers(0, 120, 40)), "unsure", "", None]
    frame = pd.DataFrame({"age": cells, "job": "nurse", "born": "1940-05-05"})
    recoding = Recoding.from_toml(TOML)
    together = recoding.of_cells(frame)["age"].tolist()
    alone = [recoding.of_cells(frame[i : i + 1])["age"].item() for i in range(43)]
    assert together == alone
    assert together[-3:] == ["unsure", None, None]


def test_unknown_columns_are_named(table):
    recoding = Recoding((ColumnRecoding(column="ages", top=60),))
    with pytest.raises(SchemaError, match="Did you mean 'age'"):
        recoding.of_table(table)
    with pytest.raises(SchemaError, match="Did you mean 'age'"):
        recoding.of_cells(table.astype(str))


def test_estimators_take_what_was_recoded(table, tmp_path):
    table.to_csv(tmp_path / "people.csv", index=False)
    recoded = Recoding.from_toml(TOML).of_table(tmp_path / "people.csv")
    assert infer_schema(recoded.complete().frame)["job"].categories == (
        "health",
        "other",
    )
    assert read_table(tmp_path / "people.csv").schema["age"].bounds == (25, 99)


def test_a_manifest_can_tell_it():
    told = Recoding.from_toml(TOML).to_dict()
    assert told == [
        {"column": "age", "suppress": [99], "top": 60, "round": 10},
        {"column": "job", "groups": {"health": ["nurse", "doctor"]}, "rest": "other"},
        {"column": "born", "bottom": "1950-01-01"},
    ]


def test_texts_that_no_range_holds_are_told():
    """They stay as they are, unless they are named or the rest becomes something."""
    ages = pd.DataFrame({"age": ["17", "50+", "30", "?", "unknown", "50+"]})
    young = {"young": [{"to": 29}], "middle": ["50+", {"from": 30, "to": 59}]}
    told = r"Expected numbers .*'age'.* Received 'unknown', which no range holds"
    with pytest.warns(DataWarning, match=told):
        found = Recoding((ColumnRecoding(column="age", groups=young),)).of_table(ages)
    groups = ["young", "middle", "middle", "?", "unknown", "middle"]
    assert found.frame["age"].tolist() == groups
    # None is told where all are read, named, or of the rest.
    for own in (
        {"groups": young | {"none": ["unknown"]}},
        {"groups": young, "rest": "other"},
    ):
        Recoding((ColumnRecoding(column="age", **own),)).of_table(ages)


@pytest.mark.parametrize(
    "own",
    [
        {"suppress": ["Clerk"]},
        {"suppress": ["clerk "]},
        {"groups": {"office": ["CLERK", "nurse"]}},
    ],
)
def test_values_that_are_spelt_otherwise_than_their_cells_are_told(own):
    """They were released as they stand, and nothing was said."""
    jobs = pd.DataFrame({"job": ["clerk", "nurse", "clerk"]})
    with pytest.warns(DataWarning, match="Expected values of column 'job'.*'clerk'"):
        Recoding((ColumnRecoding(column="job", **own),)).of_table(jobs)
    # Not where the cell is named, too, or none is alike.
    listed = {"suppress": ["Clerk", "clerk", "smith"]}
    Recoding((ColumnRecoding(column="job", **listed),)).of_table(jobs)


def test_a_number_to_leave_out_that_no_cell_is_is_told_where_cells_do_not_read():
    costs = pd.DataFrame({"cost": ["$1,200.00", "$3.50", "$999.00"]})
    own = {"column": "cost", "suppress": [999]}
    told = "Expected 999 in column 'cost', to be left out. Received no such cell"
    with pytest.warns(DataWarning, match=told):
        Recoding((ColumnRecoding(**own),)).of_table(costs)
    # None is told where it is read, nor where all others are.
    laid_out = own | {"format": "$# thousands .2f"}
    found = Recoding((ColumnRecoding(**laid_out),)).of_table(costs).frame["cost"]
    assert found.tolist()[:2] == ["$1,200.00", "$3.50"] and pd.isna(found[2])
    Recoding((ColumnRecoding(**own),)).of_table(
        pd.DataFrame({"cost": ["1", "unknown"]})
    )
