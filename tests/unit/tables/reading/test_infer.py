import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import DataWarning, SchemaError, TableError
from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.infer import (
    CountedColumn,
    check_table,
    conform,
    conform_counted,
    infer_schema,
    parse_text,
)
from coclust_synth.tables.reading.settling import require_decided, with_told_codes
from coclust_synth.tables.reading.texts.text import format_column, parse_column
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.dtypes import TEXT_DTYPE
from coclust_synth.tables.values.series import from_values


def parse(cells, **hint):
    """One column of texts, beside one that is there to be two columns."""
    frame = pd.DataFrame({"x": cells, "other": ["a", "b"] * (len(cells) // 2)})
    schema = None
    if hint:
        schema = Schema((Column(name="x", **hint), Column(name="other")))
    typed, schema = parse_text(frame, schema)
    return typed["x"], schema["x"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "kind", "dtype", "missing", "layout"),
    [
        (["1", "-20"], "integer", "int64", (), None),
        (["1", "", "3", ""], "integer", "Int64", ("",), None),
        (["1", "?", "", "?", "2", "3"], "integer", "Int64", ("?", ""), None),
        (["1", "2", ".", "None"], "integer", "Int64", (".", "None"), None),
        (["9223372036854775807", "1"], "integer", "int64", (), None),
        (["9223372036854775808", "1"], "categorical", TEXT_DTYPE, (), None),
        (["00501", "10001"], "categorical", TEXT_DTYPE, (), None),
        (["0.5", "00501"], "categorical", TEXT_DTYPE, (), None),
        (["1.5", "2.0"], "real", "float64", (), None),
        (["1.50", "2.00"], "real", "float64", (), ".2f"),
        (["1.5", "2"], "real", "float64", (), "short"),
        (["1.50", "2"], "real", "float64", (), "short .2f"),
        (["1.55", "2"], "real", "float64", (), "short"),
        (["0.10000000149011612", "2"], "real", "float32", (), "short double"),
        (["0.10000000149011612", "2.0"], "real", "float32", (), "double"),
        (["0.10000000149011612", "0.1"], "real", "float64", (), None),
        (["1.5", "2.25", "NA", "-0.125"], "real", "float64", ("NA",), None),
        (["1e+22", "2.5e-07"], "real", "float64", (), None),
        ([".", "None"], "categorical", TEXT_DTYPE, (), None),
        (["a", "-", "NA", "None"], "categorical", TEXT_DTYPE, ("NA",), None),
        (["inf", "a"], "categorical", TEXT_DTYPE, (), None),
        (["inf", "-Infinity"], "categorical", TEXT_DTYPE, (), None),
        (["True", "False"], "boolean", "bool", (), None),
        (["true", "?", "false", "true"], "boolean", "boolean", ("?",), None),
        (["true", "False"], "categorical", TEXT_DTYPE, (), None),
        (["2020-02-29", "0001-01-01"], "datetime", "datetime64[us]", (), "%Y-%m-%d"),
        (["2020-02-30", "2020-01-01"], "categorical", TEXT_DTYPE, (), None),
        (
            ["2020-02-29 10:30", "", "1969-12-31 23:59", ""],
            "datetime",
            "datetime64[us]",
            ("",),
            "%Y-%m-%d %H:%M",
        ),
        (
            ["2020-02-29T10:30:00", "9999-12-31T23:59:59"],
            "datetime",
            "datetime64[us]",
            (),
            "%Y-%m-%dT%H:%M:%S",
        ),
        (
            ["2020-02-29T10:30:00.250Z", "2020-02-29T10:30:00.125Z"],
            "datetime",
            "datetime64[us, UTC]",
            (),
            "%Y-%m-%dT%H:%M:%S.%fZ",
        ),
        (
            ["2020-02-29 00:30:00+02:00", "2020-02-29 10:30:07+02:00"],
            "datetime",
            "datetime64[us, UTC+02:00]",
            (),
            "%Y-%m-%d %H:%M:%S+02:00",
        ),
        (
            ["2020-02-29T10:30:00.123456789", "2020-02-29T10:30:00.000000000"],
            "datetime",
            "datetime64[ns]",
            (),
            "%Y-%m-%dT%H:%M:%S.%f",
        ),
        (["31/01/2020", "01/02/2020"], "datetime", "datetime64[us]", (), "%d/%m/%Y"),
        (["01/31/2020", "01/02/2020"], "datetime", "datetime64[us]", (), "%m/%d/%Y"),
        (["31.01.2020", "01.02.2020"], "datetime", "datetime64[us]", (), "%d.%m.%Y"),
        (["01-31-2020", "01-02-2020"], "datetime", "datetime64[us]", (), "%m-%d-%Y"),
        (
            ["31.01.2020 23:59", "01.02.2020 00:00"],
            "datetime",
            "datetime64[us]",
            (),
            "%d.%m.%Y %H:%M",
        ),
        (["2020/01/02", "2020/03/04"], "datetime", "datetime64[us]", (), "%Y/%m/%d"),
        (["1/31/2020", "11/2/2020"], "datetime", "datetime64[us]", (), "%-m/%-d/%Y"),
        (["31.1.2020", "1.11.2020"], "datetime", "datetime64[us]", (), "%-d.%-m.%Y"),
        (["31/01/2020", "4/02/2016"], "datetime", "datetime64[us]", (), "%-d/%m/%Y"),
        (
            ["20140502T000000", "20150131T143000"],
            "datetime",
            "datetime64[us]",
            (),
            "%Y%m%dT%H%M%S",
        ),
        (["2020-1-31", "2020-11-2"], "datetime", "datetime64[us]", (), "%Y-%-m-%-d"),
        (
            ["1/31/2020 0:00:00", "11/2/2020 14:05:09"],
            "datetime",
            "datetime64[us]",
            (),
            "%-m/%-d/%Y %-H:%M:%S",
        ),
        (
            ["1/31/2020 09:30", "11/2/2020 14:05"],
            "datetime",
            "datetime64[us]",
            (),
            "%-m/%-d/%Y %H:%M",
        ),
        (
            ["31.01.2020 9:30", "01.11.2020 14:05"],
            "datetime",
            "datetime64[us]",
            (),
            "%d.%m.%Y %-H:%M",
        ),
        (
            ["1/31/2020 3:05 PM", "11/2/2020 12:05 AM"],
            "datetime",
            "datetime64[us]",
            (),
            "%-m/%-d/%Y %-I:%M %p",
        ),
        (
            ["01/31/2020 03:05:00 PM", "11/02/2020 12:05:09 AM"],
            "datetime",
            "datetime64[us]",
            (),
            "%m/%d/%Y %I:%M:%S %p",
        ),
        (
            ["2020-01-31 12:05pm", "2020-11-02 3:05am"],
            "datetime",
            "datetime64[us]",
            (),
            "%Y-%m-%d %-I:%M%P",
        ),
        # Of another case, without a half, and no hour of one.
        (
            ["1/31/2020 3:05 PM", "1/31/2020 3:05 am"],
            "categorical",
            TEXT_DTYPE,
            (),
            None,
        ),
        (["1/31/2020 3:05 PM", "1/31/2020 3:05"], "categorical", TEXT_DTYPE, (), None),
        (
            ["1/31/2020 3:05 PM", "1/31/2020 13:05 PM"],
            "categorical",
            TEXT_DTYPE,
            (),
            None,
        ),
        # With and without zeros before; which day it is nobody can tell; none.
        (["1/31/2020", "01/30/2020"], "categorical", TEXT_DTYPE, (), None),
        (["1/2/2020", "3/4/2020"], "categorical", TEXT_DTYPE, (), None),
        (["1/31/2020", "1/32/2020"], "categorical", TEXT_DTYPE, (), None),
        (["31.01.2020", "01/02/2020"], "categorical", TEXT_DTYPE, (), None),
        (["01-02-2020", "02-03-2020"], "categorical", TEXT_DTYPE, (), None),
        (["0,50", "-12,25"], "real", "float64", (), "comma .2f"),
        (["3", "1234,5"], "real", "float64", (), "comma short"),
        (["0,125", "12,0"], "real", "float64", (), "comma"),
        (["1,5", "2.5"], "categorical", TEXT_DTYPE, (), None),
        (["1.234,50", "2.345,00"], "real", "float64", (), "comma thousands .2f"),
        # Thousands, or decimals: nobody can tell.
        (["1,234", "12,345"], "categorical", TEXT_DTYPE, (), None),
        (["2020-01-01 10:30", "2020-01-01"], "categorical", TEXT_DTYPE, (), None),
        (
            ["2020-01-01 10:30.5", "2020-01-01 11:30.5"],
            "categorical",
            TEXT_DTYPE,
            (),
            None,
        ),
        (
            ["2020-01-01 00:10:00+02", "2021-05-06 12:13:14+02"],
            "datetime",
            "datetime64[us, UTC+02:00]",
            (),
            "%Y-%m-%d %H:%M:%S+02",
        ),
        (
            ["2002/03/03 07:00:00+00", "2004/12/31 00:00:00+00"],
            "datetime",
            "datetime64[us]",
            (),
            "%Y/%m/%d %H:%M:%S+00",
        ),
        (
            ["2020-01-01 00:10:00+01", "2021-07-06 12:13:14+02"],
            "categorical",
            TEXT_DTYPE,
            (),
            None,
        ),
        (["01/02/2020", "02/03/2020"], "categorical", TEXT_DTYPE, (), None),
        (['é, "q"', "a\nb"], "categorical", TEXT_DTYPE, (), None),
        ([" 39", " ?", " 40", " 41"], "integer", "Int64", (" ?",), None),
    ],
)
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
def test_texts_are_typed_and_written_back(cells, kind, dtype, missing, layout):
    series, column = parse(cells)
    assert (column.kind, column.dtype, column.missing, column.format) == (
        kind,
        dtype,
        missing,
        layout,
    )
    assert str(series.dtype) == dtype
    written = format_column(series, column).tolist()
    first = missing[0] if missing else ""
    assert written == [
        first if c in missing else c.strip() if kind == "integer" else c for c in cells
    ]
    # The complete schema reads the same table in the same way.
    again, same = parse_text(
        pd.DataFrame({"x": cells, "other": ["a", "b"] * (len(cells) // 2)}),
        Schema((column, Column(name="other"))),
    )
    pd.testing.assert_series_equal(again["x"], series)
    assert same["x"] == column


def test_single_precision_of_fifteen_digits_is_written_with_as_many():
    numbers = np.float32(np.arange(1, 401) / 100).astype(np.float64)
    cells = [format(number, ".15g") for number in numbers]
    series, column = parse(cells)
    assert (column.dtype, column.step, column.format) == ("float32", 0.01, ".15g")
    assert format_column(series, column).tolist() == cells


def test_a_schema_says_that_three_digits_follow_a_decimal_comma():
    hint = Column(name="x", kind="real", format="comma")
    series, column = parse_column(pd.Series(["1,234", "12,345"]), hint)
    assert series.tolist() == [1.234, 12.345]
    column = replace(column, step=0.001)
    assert format_column(series, column).tolist() == ["1,234", "12,345"]


def test_infinite_numbers_in_a_text_are_refused():
    with pytest.raises(TableError, match=r"finite numbers\. Received 1 infinite"):
        parse(["1.5", "-inf"])


def test_a_text_is_read_as_the_schema_says():
    assert parse(["1", "2"], dtype="str")[1].categories == ("1", "2")
    assert parse(["1", "2"], kind="categorical")[1].categories == (1, 2)
    assert parse(["1", "2"], kind="ordinal", categories=(2, 1))[0].tolist() == [1, 2]
    assert parse(["1", "2"], kind="real")[1].dtype == "float64"
    assert parse(["1", "2"], kind="integer", dtype="int8")[0].dtype == np.int8
    assert parse(["?", "a"], missing=())[1].categories == ("?", "a")
    assert parse(["?", "a"], categories=("?", "a"))[1].categories == ("?", "a")
    assert parse(["9", "1", "2", "1"], missing=("9",))[0].isna().sum() == 1
    series, column = parse(["yes", "no"], kind="boolean", categories=("no", "yes"))
    assert series.tolist() == ["yes", "no"]
    assert format_column(series, column).tolist() == ["yes", "no"]
    series, column = parse(["1.2.20", "31.12.20"], kind="datetime", format="%d.%m.%y")
    assert column.bounds == ("2020-02-01", "2020-12-31")


@pytest.mark.parametrize(
    ("cells", "hint", "message"),
    [
        (["1", "b"], {"kind": "integer"}, r"cells of kind integer\. Received 'b'"),
        (["1", "b"], {"kind": "real"}, r"cells of kind real\. Received 'b'"),
        (["yes", "no"], {"kind": "boolean"}, "a boolean its two `categories`"),
        (["a", "b"], {"kind": "datetime"}, "Correct `kind` or `format`"),
        (["a", "b"], {"kind": "ordinal"}, "of texts, in order"),
        (["a", "b"], {"categories": ("a",)}, "Received 'b'"),
        (["a", "b"], {"kind": "categorical", "dtype": "int64"}, "fit the dtype int64"),
        (["a", "b"], {"dtype": "category[int64]"}, "fit the dtype category"),
        (["1", "2"], {"dtype": "number"}, "Received 'number'"),
        (["1", "12"], {"kind": "integer", "bounds": (0, 9)}, r"0 to 9\. Received 12"),
    ],
)
def test_a_text_that_does_not_fit_the_schema_is_refused(cells, hint, message):
    with pytest.raises(SchemaError, match=r"Column 'x': .*" + message):
        parse(cells, **hint)


def test_a_dropped_text_is_not_looked_into():
    series, column = parse(["1", "b"], kind="integer", treatment="drop")
    assert series.tolist() == ["1", "b"]
    assert column == Column(name="x", kind="integer", treatment="drop")


@pytest.mark.parametrize(
    ("categories", "dtype"),
    [
        ((1, "a", 2.5), None),
        (tuple(pd.date_range("2020-01-01", periods=3)), "category[datetime64[us]]"),
        (tuple(pd.interval_range(0, 3)), "category[interval[int64, right]]"),
    ],
)
def test_categories_of_any_type_are_found_by_their_text(categories, dtype):
    column = Column(
        name="x",
        kind="categorical",
        dtype=dtype or "object",
        missing=(),
        categories=categories,
    )
    codes, missing = np.array([1, 0, 0, 1]), np.array([False, False, True, False])
    values = from_values(codes, missing, column)
    written = format_column(values, column).tolist()
    series, found = parse(
        written, kind="categorical", categories=categories, dtype=dtype
    )
    pd.testing.assert_series_equal(series, values)
    assert found.dtype == column.dtype


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("integer", "Int64"),
        ("real", "float64"),
        ("boolean", "boolean"),
        ("datetime", "datetime64[us]"),
        ("categorical", TEXT_DTYPE),
        ("ordinal", TEXT_DTYPE),
        (None, TEXT_DTYPE),
    ],
)
def test_columns_without_values_are_kept(kind, dtype):
    with pytest.warns(DataWarning, match="in 'x'. Leave them out"):
        series, column = parse(["?", ""], kind=kind)
    assert column.dtype == dtype
    assert format_column(series, column).tolist() == ["?", "?"]


def test_a_constant_column_is_told():
    with pytest.warns(DataWarning, match="one value, or none, in 'a', 'b'"):
        schema = infer_schema(pd.DataFrame({"a": [1, 1], "b": [np.nan, np.nan]}))
    assert schema.kept.names == ("a", "b")
    assert schema["a"].bounds == (1, 1)
    assert schema["b"].bounds is None


def test_codes_with_blanks_around_are_told_and_read():
    with pytest.warns(DataWarning, match="some with blanks in 'x'"):
        assert parse([" 0", " 1"] * 24)[1].kind == "categorical"


def test_numbers_with_blanks_around_are_told():
    cells = {"a": ["$1.00 ", "$2.50 ", ""], "b": [" 1", "2", "3"], "c": [*"345"]}
    cells |= {"d": [" x", "y ", "z"], "e": ["5", "6", " ?"]}
    cells |= {"f": ["2020-01-31 ", "2020-02-01", "2020-02-02"]}
    cells |= {"g": [" TRUE", "FALSE", "TRUE"]}
    told = "dates and yes or no .* some with blanks in 'a', 'b', 'f', 'g'. They"
    with pytest.warns(DataWarning, match=told):
        table = parse_text(pd.DataFrame(cells))
    back = format_column(table.frame["a"], table.schema["a"])
    assert back.tolist() == ["$1.00", "$2.50", ""]
    assert table.frame["d"].tolist() == [" x", "y ", "z"]


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([5, 100, 15], 5),
        ([0, 0, 7], 7),
        ([0.25, 1.5, 3.0], 0.01),
        ([1.0, 3.0], 1.0),
        ([np.pi, 1.0], None),
        ([1e300, 1.0], 1.0),
        (np.array([0.1, 0.25], dtype="float32"), 0.01),
        ([0.1 + 0.2, 0.25, 1.1 + 2.2], 0.01),
        ([1 / 3, 0.25], None),
        ([-77.1234567891, 39.25], 1e-10),
        ([100077.1234567891, 39.25], None),
        (pd.to_datetime(["2020-01-01 10:15", "2020-01-01 11:00"]), 900),
    ],
)
def test_the_step_divides_every_value(values, step):
    frame = pd.DataFrame({"x": values})
    schema = infer_schema(frame)
    assert schema["x"].step == step
    assert conform(frame, schema).schema == schema


@pytest.mark.parametrize(
    ("values", "fields", "told"),
    [
        ([17, 21, 85], {"kind": "integer", "step": 7}, "17, 85 (2 rows). Correct"),
        ([0.3, 0.35], {"kind": "real", "step": 0.1}, "step 0.1. Received 0.35 (1 "),
        ([1.0, 1.3], {"kind": "real", "step": 0.25}, "Received 1.3 (1 rows)"),
        (
            pd.to_datetime(["1970-01-08", "1970-01-10"]),
            {"kind": "datetime", "unit": "D", "step": 7},
            "step 7 (in D, from 1970-01-01 on). Received 1970-01-10 (1 rows)",
        ),
    ],
)
def test_values_off_the_step_of_the_schema_are_refused(values, fields, told):
    frame, schema = pd.DataFrame({"x": values}), Schema((Column(name="x", **fields),))
    with pytest.raises(SchemaError, match=re.escape(told)):
        conform(frame, schema)
    cells = CountedColumn(frame["x"], np.full(len(frame), 5))
    with pytest.raises(SchemaError, match=r"\((5|10) rows\)"):
        conform_counted({"x": cells}, schema)


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([0.1 + 0.2, 0.7, -1.1, 1.1 + 2.2], 0.1),
        ([0.25, 1.5, 0.1 + 0.15], 0.25),
        ([3, 40, 99], 1.0),
        (np.array([0.1, 0.7], dtype="float32"), 0.1),
        ([1e300, 1.0], 0.1),
    ],
)
def test_values_on_the_step_of_the_schema_may_lose_digits(values, step):
    frame = pd.DataFrame({"x": values}, dtype=getattr(values, "dtype", float))
    schema = Schema((Column(name="x", kind="real", step=step),))
    assert conform(frame, schema).schema["x"].step == step


def test_categories_are_sorted_or_those_of_the_dtype():
    sizes = pd.Categorical(["M", "S"], ["S", "M", "L"], ordered=True)
    frame = pd.DataFrame({"size": sizes, "city": ["b", "a"], "ok": [True, True]})
    with pytest.warns(DataWarning):
        schema = infer_schema(frame)
    assert schema["size"].kind == "ordinal"
    assert schema["size"].categories == ("S", "M", "L")
    assert schema["city"].categories == ("a", "b")
    assert schema["ok"].categories == (False, True)


def many(n_rows=100):
    rows = np.arange(n_rows)
    return pd.DataFrame(
        {
            "email": [f"u{i}@x.org" for i in rows],
            "number": 1000 + 7 * rows,
            "note": [
                f"patient {i // 2} came on foot and left early again" for i in rows
            ],
            "wage": 1000.5 + rows,
            "seen": pd.date_range("2020-01-01", periods=n_rows),
            "weight": rows % (n_rows * 9 // 10),
            "city": ["a", "b"] * (n_rows // 2),
        }
    )


def test_identifiers_and_free_text_are_undecided():
    frame = many()
    frame.loc[::2, "note"] += "."
    schema = infer_schema(frame)
    assert schema.undecided == ("email", "number", "note")
    assert schema["email"].role == schema["number"].role == "identifier"
    assert schema["note"].role == "other"
    message = (
        r"'email' \(looks like an identifier, by its name: 100 different in 100 "
        r"values\); .*"
        r"'note' \(looks like free text of 4. characters: 100 different in 100 "
        r"values\).*--drop 'email' or --keep 'email' or in `synth` --key 'email' .to.*"
        r"treatment = \"drop\".*"
        r"schema\.drop\('email'\).* To leave out all of them: "
        r"--drop 'email,n[a-z,]*'\.$"
    )
    with pytest.raises(SchemaError, match=message):
        require_decided(schema)
    with pytest.raises(SchemaError, match="--drop 'note' or --keep 'note'; in a"):
        require_decided(schema.drop("email", "number"))
    require_decided(schema.drop("email", "number").keep("note"))


def test_a_small_table_has_no_identifier():
    assert infer_schema(many(20)).undecided == ()
    assert infer_schema(many(22)).undecided == ("email", "number")


def test_a_schema_by_hand_is_filled_from_the_table():
    toml = "[[column]]\nname = 'city'\n[[column]]\nname = 'email'\n" + "".join(
        f"[[column]]\nname = '{name}'\ntreatment = 'keep'\n"
        for name in ("number", "note", "wage", "seen", "weight")
    )
    frame, schema = conform(many(), Schema.from_toml(toml))
    assert schema.names == tuple(frame.columns)
    assert schema["city"].categories == ("a", "b")
    assert schema["wage"].bounds == (1000.5, 1099.5)
    assert schema.undecided == ("email",)
    assert conform(frame, schema)[1] == schema


def test_what_the_schema_says_is_followed():
    frame = pd.DataFrame({"age": [20, 30], "ward": [1, 2], "id": ["a", "b"]})
    schema = Schema(
        (
            Column(name="age", bounds=(0, 99), kind="integer", step=1),
            Column(name="ward", kind="categorical"),
            Column(name="id", treatment="drop"),
        )
    )
    _, schema = conform(frame, schema)
    assert schema["age"].bounds == (0, 99)
    assert (schema["ward"].categories, schema["ward"].dtype) == ((1, 2), "int64")
    assert schema["id"].categories is None


@pytest.mark.parametrize(
    ("values", "layout", "message"),
    [
        ([1.5, 2.5], "thousands comma", "a layout of numbers.*Received 'thousands com"),
        ([1, 2], "03d", "a layout of numbers, such as 'comma .2f'"),
        (pd.to_datetime(["2020-12-31", "2021-01-01"]), "DD.MM.YYYY", "of dates, such"),
        (pd.to_datetime(["2020-12-31", "2021-01-01"]), "%Q", "of dates.*Received '%Q'"),
    ],
)
def test_layouts_that_write_no_value_are_refused(values, layout, message):
    said = Schema((Column(name="x", format=layout),))
    with pytest.raises(SchemaError, match=message):
        conform(pd.DataFrame({"x": values}), said)


@pytest.mark.parametrize(
    "layout", ["short", "comma short .2f", "#% short double", ".2f+"]
)
def test_layouts_that_write_numbers_are_kept(layout):
    said = Schema((Column(name="x", format=layout),))
    _, found = conform(pd.DataFrame({"x": [1.5, 2.5]}), said)
    assert found["x"].format == layout


def test_columns_must_be_those_of_the_schema():
    frame = pd.DataFrame({"age": [20, 30], "sex": ["f", "m"]})
    schema = infer_schema(frame)
    with pytest.raises(SchemaError, match=r"Received 'ages'. Did you mean 'age'\?"):
        conform(frame, Schema((Column(name="ages"), Column(name="sex"))))
    with pytest.raises(SchemaError, match=r"also has 'wage'\. Add"):
        conform(frame.assign(wage=[1, 2]), schema)
    with pytest.raises(SchemaError, match="of texts, in order"):
        conform(frame, Schema((Column(name="age"), Column(name="sex", kind="ordinal"))))
    with pytest.raises(SchemaError, match=r"expected values of kind datetime"):
        conform(
            frame, Schema((Column(name="age"), Column(name="sex", kind="datetime")))
        )
    with pytest.raises(SchemaError, match="expected the two `categories` of a boolean"):
        conform(frame, Schema((Column(name="age"), Column(name="sex", kind="boolean"))))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame(index=[0, 1]), "Received no column"),
        (pd.DataFrame({"a": []}), "Received no row"),
        (pd.DataFrame({"a": [1]}), "Received one row"),
        (pd.DataFrame([[1, 2]] * 2, columns=["a", "a"]), "Received more than one 'a'"),
        (pd.DataFrame([[1, 2]] * 2, columns=["a", "a\0before"]), "the character NUL"),
        (pd.DataFrame([[1, 2]] * 2), "that are texts. Received 0"),
    ],
)
def test_tables_that_cannot_be_modelled_are_refused(frame, message):
    with pytest.raises(TableError, match=message):
        check_table(frame)


# Dates in texts, and codes


LAYOUTS = ["%Y-%m-%d", "%d/%m/%Y", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["str", "object", "string[python]", "nan"])
def test_dates_in_texts_are_read_as_from_a_file(layout, dtype):
    days = pd.date_range("2020-01-28 12:00", periods=60, freq="37h", unit="s")
    texts = pd.Series(days.strftime(layout), dtype=object)
    texts[3] = np.nan if dtype == "nan" else None
    texts = texts.astype("object" if dtype == "nan" else dtype)
    frame = pd.DataFrame({"x": texts, "other": range(60)})
    column = infer_schema(frame)["x"]
    cells = frame.fillna("").astype(str)
    _, of_file = parse_text(cells)
    for field in ("kind", "format", "bounds", "step", "unit", "treatment"):
        assert getattr(column, field) == getattr(of_file["x"], field)
    values, missing = to_values(texts, column)
    pd.testing.assert_series_equal(
        from_values(values, missing, column), texts, check_names=False
    )
    again, schema = conform(frame, infer_schema(frame))
    pd.testing.assert_frame_equal(again, frame)
    assert schema["x"] == column
    # What a file's schema says, a frame of its texts is read by too.
    assert (to_values(texts, of_file["x"])[0] == values).all()


@pytest.mark.parametrize(
    "texts",
    [["2020-01-31", "unknown"], ["01/02/2020", "02/01/2020"], ["2020-01-31", 5]],
)
def test_texts_that_are_not_all_dates_stay_texts(texts):
    column = infer_schema(pd.DataFrame({"x": texts}, dtype=object))["x"]
    assert column.kind == "categorical"


def test_a_later_text_that_is_no_date_is_refused():
    schema = infer_schema(pd.DataFrame({"x": ["2020-01-31", "2020-02-01"]}))
    message = "dates written as %Y-%m-%d. Received .*'May'"
    with pytest.raises(SchemaError, match=message):
        conform(pd.DataFrame({"x": ["2020-01-31", "May"]}), schema)


@pytest.mark.parametrize(
    ("cells", "categories", "dtype"),
    [
        (["0", "1"], (0, 1), "int64"),
        (["2", "1"], (1, 2), "int64"),
        (["0", "1", "?"], (0, 1), "Int64"),
        (["1.0", "2.0"], (1.0, 2.0), "float64"),
        (["1.00", "0.00", ""], (0.0, 1.0), "float64"),
    ],
)
def test_two_codes_are_categories_and_keep_their_type(cells, categories, dtype):
    cells = cells * 24
    series, column = parse(cells)
    assert (column.kind, column.categories) == ("categorical", categories)
    assert column.dtype == dtype == str(series.dtype)
    assert format_column(series, column).tolist() == [cell.strip() for cell in cells]
    again, same = parse(
        cells,
        kind=column.kind,
        missing=column.missing,
        categories=categories,
        dtype=dtype,
        format=column.format,
    )
    pd.testing.assert_series_equal(again, series)
    assert same == column
    # The same as a frame.
    assert infer_schema(series.to_frame())["x"].categories == categories
    values, missing = to_values(series, column)
    pd.testing.assert_series_equal(from_values(values, missing, column), series)


@pytest.mark.parametrize(
    "cells", [["36", "60"] * 20, ["0", "1", "2"] * 10, ["0", "1"] * 10, ["1"] * 30]
)
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
def test_other_numbers_are_no_codes(cells):
    assert parse(cells)[1].kind == "integer"


def test_numbers_of_single_precision_are_written_as_they_were():
    cells = pd.Series(["439.07501220703125", "0.10000000149011612", "579", ""])
    series, column = parse_column(cells, Column(name="x"))
    step = infer_schema(pd.DataFrame({"x": series}))["x"].step
    assert step == 0.001
    for own in (column, replace(column, step=step)):
        assert format_column(series, own).tolist() == cells.tolist()


def suburbs(n=4000):
    """Names, a postcode and a height of each, and a code that no name tells."""
    rng = np.random.default_rng(0)
    suburb = np.minimum(rng.geometric(0.03, n), 120)
    codes = 3000 + rng.permutation(np.arange(121) * 3 // 2)
    names = np.char.add("suburb ", suburb.astype(str))
    table = {"name": names, "postcode": codes[suburb], "height": 7 * codes[suburb]}
    return pd.DataFrame(table | {"site_code": rng.integers(1, 9, n)})


@pytest.mark.parametrize("dtype", ["int64", "Int64", "float64", "str"])
def test_numbers_called_codes_that_texts_tell_are_categories(dtype):
    table = suburbs().astype(dict.fromkeys(("postcode", "height", "site_code"), dtype))
    read = parse_text(table).schema if dtype == "str" else infer_schema(table)
    assert read["postcode"].kind == "categorical"
    assert set(read["postcode"].categories) == set(suburbs()["postcode"])
    assert read["postcode"].bounds is None
    assert {read[n].kind for n in ("height", "site_code")} <= {"integer", "real"}
    if dtype != "str":
        assert conform(table, None).schema["postcode"].kind == "categorical"


def test_a_few_slips_do_not_make_amounts_of_codes():
    table = suburbs()
    table.loc[:9, "postcode"] = 3001
    assert infer_schema(table)["postcode"].kind == "categorical"
    table.loc[:199, "postcode"] = 3001
    assert infer_schema(table)["postcode"].kind == "integer"


def test_a_remark_that_few_have_tells_no_code():
    table = suburbs()
    often = table["postcode"].value_counts().index[:3]
    table["remark"] = None
    for place, code in enumerate(often):
        rows = table.index[table["postcode"] == code][:12]
        table.loc[rows, "remark"] = f"remark {place}"
    table = table.drop(columns="name")
    assert infer_schema(table)["postcode"].kind == "integer"


def test_who_somebody_is_tells_no_code(rng):
    """What is the same in all rows of a person is not told by their name."""
    person = np.repeat(np.arange(60), 25)
    table = pd.DataFrame(
        {
            "who": np.char.add("P", np.char.zfill(person.astype(str), 5)),
            "zip": rng.integers(10_000, 99_999, 60)[person],
            "x": rng.integers(0, 9, len(person)),
        }
    )
    schema = infer_schema(table)
    assert schema["who"].treatment == "undecided"
    assert schema["zip"].kind == "integer"


def test_a_text_that_is_kept_after_all_tells_codes():
    table = conform(suburbs(), None)
    schema = infer_schema(suburbs().drop(columns="name"))
    names = replace(table.schema["name"], treatment="undecided", role="identifier")
    unsure = table.with_schema(Schema((names, *schema.columns)))
    assert unsure.schema["postcode"].kind == "integer"
    assert with_told_codes(unsure).schema["postcode"].kind == "integer"
    kept = with_told_codes(unsure.keep("name"))
    assert kept.schema["postcode"] == table.schema["postcode"]
    said = with_told_codes(unsure.keep("name"), ["postcode"])
    assert said.schema["postcode"].kind == "integer"


def test_what_is_said_of_numbers_that_texts_tell_is_followed():
    others = (Column(name=n) for n in ("name", "height", "site_code"))
    schema = Schema((*others, Column(name="postcode", kind="integer")))
    assert conform(suburbs(), schema).schema["postcode"].kind == "integer"
    dropped = replace(schema["postcode"], kind=None, treatment="drop")
    dropped = Schema((*schema.columns[:-1], dropped))
    assert conform(suburbs(), dropped).schema["postcode"].kind is None
    alone = suburbs().drop(columns="name")
    assert infer_schema(alone)["postcode"].kind == "integer"


def test_two_numbers_that_a_text_tells_say_which_of_two():
    sex = np.array([*"ab"] * 30)
    table = pd.DataFrame({"sex_code": np.where(sex == "a", 4, 5), "sex": sex})
    assert infer_schema(table)["sex_code"].kind == "integer"


def test_categories_that_no_row_has_are_left_out_unless_a_schema_lists_them():
    jobs = pd.Categorical(["cook", "smith", "bishop"] * 2)
    frame = pd.DataFrame({"job": jobs, "age": [31, 52, 80] * 2})
    frame = frame[frame["job"] != "bishop"]
    found, schema = conform(frame, None)
    assert schema["job"].categories == ("cook", "smith")
    assert found["job"].dtype.categories.tolist() == ["cook", "smith"]
    listed = Column(name="job", categories=("cook", "smith", "bishop"))
    assert conform(frame, Schema((listed, Column(name="age")))).schema[
        "job"
    ] == replace(schema["job"], categories=listed.categories)


def test_notes_of_a_frame_are_left_out():
    frame = pd.DataFrame({"age": [31, 52]})
    frame.attrs["note"] = "of the clinic"
    assert conform(frame, None).frame.attrs == {} and frame.attrs["note"]


def test_a_column_that_is_empty_this_time_is_what_its_schema_says():
    paid = pd.DataFrame({"paid": ["", *(f"${i},000" for i in range(1, 40))]})
    schema = parse_text(paid).schema
    with pytest.warns(DataWarning, match="'paid'"):
        found = parse_text(paid.assign(paid=""), schema).schema["paid"]
    assert (found.kind, found.format) == ("integer", "$# thousands")
