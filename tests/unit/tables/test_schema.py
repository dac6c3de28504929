import datetime
import re

import pandas as pd
import pytest

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.settling import require_decided
from coclust_synth.tables.reading.table import as_table
from coclust_synth.tables.relations import relation_from_dict
from coclust_synth.tables.schema import Schema

FULL = Schema(
    (
        Column(name="age", kind="integer", dtype="int64", bounds=(17, 90), step=1),
        Column(
            name='a "b"\n\\é\x7f',
            kind="ordinal",
            dtype="category[str, ordered]",
            role="sensitive",
            missing=("?", ""),
            categories=("low", "high", "é, \t"),
        ),
        Column(name="wage", kind="real", dtype="float64", bounds=(0.0, 1e9), step=0.01),
        Column(name="ok", kind="boolean", dtype="bool", categories=(False, True)),
        Column(
            name="born",
            kind="datetime",
            dtype="datetime64[us]",
            bounds=("1950-01-01", "2000-12-31"),
            step=1,
            unit="D",
            format="%d/%m/%Y",
        ),
        Column(
            name="mixed",
            kind="categorical",
            dtype="object",
            categories=(
                1,
                "a",
                2.5,
                datetime.date(2020, 1, 1),
                pd.Timestamp("2020-01-01T10:00"),
                pd.Interval(0.5, 2.0, "left"),
            ),
        ),
        Column(name="email", treatment="drop"),
    ),
    ";",
)


def test_toml_and_dict_give_the_schema_back(tmp_path):
    assert Schema.from_toml(FULL.to_toml()) == FULL
    assert Schema.from_dict(FULL.to_dict()) == FULL
    FULL.save(tmp_path / "schema.toml")
    assert Schema.load(tmp_path / "schema.toml") == FULL


def test_toml_tells_what_may_be_edited_and_no_value_of_columns_left_out():
    column = Column(
        name="email",
        kind="categorical",
        dtype="str",
        treatment="undecided",
        reason="looks like an identifier",
        categories=("a@b.org", "c@d.org"),
    )
    text = Schema((column,)).to_toml()
    assert text.startswith("# Columns of a table")
    assert "a@b.org" not in text
    assert Schema.from_toml(text)["email"].reason == "looks like an identifier"


def test_toml_tells_of_every_kind_of_rule():
    told = re.findall("^#   ([a-z ]*[a-z])  ", Schema((), rules=()).to_toml(), re.M)
    with pytest.raises(SchemaError) as refused:
        relation_from_dict({"kind": "none"})
    kinds = str(refused.value).partition("to have a kind: ")[2].partition(".")[0]
    assert set(kinds.split(", ")) <= set(told)


def test_columns_are_selected_by_treatment():
    schema = Schema((Column(name="a"), Column(name="b", treatment="undecided")))
    assert schema.undecided == ("b",)
    assert schema.kept.names == ("a",)
    assert schema.keep("b").kept.names == ("a", "b")
    assert schema.drop("a", "b").kept.names == ()
    assert schema.with_role("sensitive", "a")["a"].role == "sensitive"


def test_what_is_dropped_is_forgotten():
    dropped = FULL.drop("age", "mixed")
    assert dropped["age"].bounds is None
    assert dropped["mixed"].categories is None


def test_an_unknown_column_is_told_with_the_nearest():
    with pytest.raises(SchemaError, match=r"Received 'wages'. Did you mean 'wage'\?"):
        FULL["wages"]
    with pytest.raises(SchemaError, match="Correct the name"):
        FULL.drop("zzzz")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "number"}, "`kind` to be one of categorical, .*Received 'number'"),
        ({"role": "key"}, "`role` to be one of identifier"),
        ({"treatment": "hide"}, "`treatment` to be one of keep, drop"),
        ({"unit": "week"}, "`unit` to be one of D, s"),
        ({"dtype": 1}, "`dtype` to be text"),
        ({"missing": "?"}, "`missing` to be a list"),
        ({"missing": (1,)}, "`missing` to be a list of texts"),
        ({"kind": "integer", "bounds": (3, 1)}, r"\[lowest, highest\]. Received"),
        ({"kind": "integer", "bounds": (3,)}, r"to be \[lowest, highest\]"),
        ({"kind": "integer", "bounds": ("1", "2")}, "to be two numbers"),
        ({"kind": "datetime", "bounds": (1, 2)}, "to be two ISO dates"),
        ({"kind": "categorical", "bounds": (1, 2)}, "left out of a column of kind cat"),
        ({"kind": "real", "categories": (1, 2)}, "left out of a column of kind real"),
        ({"categories": ("a", "b", "a")}, r"different values. Received \['a'\]"),
        ({"kind": "boolean", "categories": ("a",)}, "two values, false then true"),
        ({"kind": "real", "step": 0}, "`step` to be a number above 0"),
    ],
)
def test_wrong_fields_are_refused(fields, message):
    with pytest.raises(SchemaError, match=r"Column 'x': .*" + message):
        Column(name="x", **fields)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[column]]\nname = 'a'\nkinds = 'real'", "Received 'kinds'"),
        ("colums = 1", "Received 'colums'"),
        ("[[column]]\nkind = 'real'", "to have a name"),
        ("column = 3", r"each under \[\[column\]\]"),
        ("[[column]]\nname = 'a'\n[[column]]\nname = 'a'", "more than one 'a'"),
        ("[[column]]\nname = 'a'\ncategories = [{ day = 1 }]", "Received {'day': 1}"),
        ("[[column]]\nname = 'a'\ncategories = [{ date = 'x' }]", "{'date': 'x'}"),
        ("[[column]]\nname = 3", "that is text. Received 3"),
        ("name = ", "to be TOML"),
    ],
)
def test_wrong_toml_is_refused(text, message):
    with pytest.raises(SchemaError, match=message):
        Schema.from_toml(text)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(SchemaError, match="Received: No such file"):
        Schema.load(tmp_path / "schema.toml")


def test_a_date_needs_no_quotes_in_toml():
    text = "[[column]]\nname='a'\nkind='datetime'\nbounds=[2020-01-01, 2020-12-31]"
    assert Schema.from_toml(text)["a"].bounds == ("2020-01-01", "2020-12-31")


def test_a_column_without_treatment_is_undecided_in_toml():
    assert Schema.from_toml("[[column]]\nname='a'").undecided == ("a",)


def test_a_column_that_a_schema_calls_undecided_stays_so():
    frame = pd.DataFrame({"a": [1, 2, 3, 4] * 9, "b": ["x", "y"] * 18})
    text = "[[column]]\nname='a'\ntreatment='undecided'\n[[column]]\nname='b'"
    table = as_table(frame, Schema.from_toml(text))
    assert table.schema.undecided == ("a",)
    with pytest.raises(SchemaError, match="the schema leaves it open"):
        require_decided(table.schema)


@pytest.mark.parametrize(
    ("step", "decimals"), [(None, None), (1.0, 0), (0.01, 2), (1e-9, 9), (0.25, 2)]
)
def test_decimals_follow_the_step(step, decimals):
    assert Column(name="x", kind="real", step=step).decimals == decimals
