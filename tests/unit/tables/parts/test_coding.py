import json

import numpy as np
import pandas as pd
import pytest

from coclust_synth import DataWarning, ParameterError
from coclust_synth.exceptions import ModelFileError, SchemaError, TableError
from coclust_synth.tables.column import Column
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.schema import Schema


def people(n=140, seed=0):
    rng = np.random.default_rng(seed)
    job = pd.Categorical(rng.choice(["cook", "nurse"], n), ["smith", "nurse", "cook"])
    return pd.DataFrame(
        {
            "job": job,
            "age": pd.Series(rng.integers(18, 70, n), dtype="Int64").mask(
                rng.random(n) < 0.1
            ),
            "wage": rng.gamma(2.0, 900.0, n),
            "member": rng.random(n) < 0.4,
            "since": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 999, n), "D"),
        }
    )


def learn(frame, **options):
    schema = infer_schema(frame)
    return TableCoding.learn(frame, schema.keep(*schema.undecided), **options)


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(scope="module")
def coding(table):
    return learn(table, bins=4)


def test_parts_are_in_the_order_of_the_columns(coding, table):
    assert coding.names == tuple(table.columns)
    assert coding.n_parts_per_variable.tolist() == [2, 5, 4, 2, 4]
    labels = coding.part_labels
    assert [label.partition("=")[0] for label in labels] == [
        name for name, n in zip(table, [2, 5, 4, 2, 4], strict=True) for _ in range(n)
    ]
    assert len(set(labels)) == len(labels) == 17
    # Categories in the order of their list; unseen ones are no parts.
    assert labels[:2] == ("job=nurse", "job=cook")
    assert labels[6] == "age=missing"
    assert labels[11:13] == ("member=False", "member=True")


def test_codes_are_numbered_in_each_variable(coding, table):
    codes = coding.encode(table)
    assert codes.shape == (140, 5) and codes.dtype == np.int32
    assert (codes >= 0).all() and (codes < coding.n_parts_per_variable).all()
    np.testing.assert_array_equal(codes[:, 0], np.where(table["job"] == "cook", 1, 0))
    np.testing.assert_array_equal(codes[:, 1] == 4, table["age"].isna())
    np.testing.assert_array_equal(codes[:, 3], table["member"].astype(int))


def test_what_is_drawn_is_in_its_part(coding, table):
    codes = coding.encode(table)
    for seed in range(5):
        drawn = coding.decode(codes, np.random.default_rng(seed))
        np.testing.assert_array_equal(coding.encode(drawn), codes)
        pd.testing.assert_series_equal(drawn.dtypes, table.dtypes)
        assert list(drawn) == list(table)
        pd.testing.assert_series_equal(drawn["job"], table["job"])
        pd.testing.assert_series_equal(drawn["member"], table["member"])


def test_every_part_can_be_drawn(coding):
    n = coding.n_parts_per_variable
    codes = np.arange(n.max())[:, None] % n
    drawn = coding.decode(codes, np.random.default_rng(0))
    np.testing.assert_array_equal(coding.encode(drawn), codes)


def test_no_rows(coding, table):
    assert coding.encode(table[:0]).shape == (0, 5)
    drawn = coding.decode(np.zeros((0, 5), dtype=int), np.random.default_rng(0))
    assert len(drawn) == 0
    pd.testing.assert_series_equal(drawn.dtypes, table.dtypes)


def test_columns_in_another_order_and_more_of_them(coding, table):
    other = table[table.columns[::-1]].assign(extra=1)
    np.testing.assert_array_equal(coding.encode(other), coding.encode(table))


def test_distinct_rows(coding, table):
    rows, inverse = coding.distinct_rows(table)
    np.testing.assert_array_equal(
        rows.codes[inverse] - rows.offsets, coding.encode(table)
    )
    assert rows.n_individuals == 140 and rows.n_parts == 17


def test_missing_values_can_be_left_out(table):
    coding = learn(table, bins=4, keep_missing=False)
    assert "age=missing" not in coding.part_labels
    codes = coding.encode(table)
    np.testing.assert_array_equal(codes[:, 1] == -1, table["age"].isna())
    drawn = coding.decode(codes, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn["age"].isna(), table["age"].isna())


@pytest.mark.parametrize("binning", ["heaped", "quantile", "width"])
def test_binnings_and_bins(table, binning):
    for bins in (1, 3, 10):
        n_parts = learn(table, binning=binning, bins=bins).n_parts_per_variable
        # 140 rows make four groups of 30.
        assert n_parts[2] == (min(bins, 4) if binning == "heaped" else bins)
        assert n_parts[0] == 2


def test_cuts(table):
    coding = learn(table, cuts={"age": [30, 65], "wage": []})
    assert coding.n_parts_per_variable[1:3].tolist() == [4, 1]
    age = table["age"].dropna()
    assert coding.part_labels[2:6] == (
        f"age=[{age.min()}, 30]",
        "age=]30, 65]",
        f"age=]65, {age.max()}]",
        "age=missing",
    )


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"cuts": {"wages": [1]}}, SchemaError, "Did you mean 'wage'"),
        ({"cuts": {"job": [1]}}, SchemaError, "'job', which is categorical"),
        ({"cuts": {"age": [2, 1]}}, ParameterError, "Column 'age': .*increasing"),
        ({"cuts": {"age": [np.nan]}}, ParameterError, "Column 'age': .*finite"),
        ({"bins": 0}, ParameterError, "Column 'age': .*bins"),
        ({"binning": "deciles"}, ParameterError, "Column 'age': .*'deciles'"),
    ],
)
def test_options_out_of_range(table, options, error, message):
    with pytest.raises(error, match=message):
        learn(table, **options)


# Errors name the column


def test_undecided_columns_are_refused():
    table = pd.DataFrame({"id": range(1000, 1050), "a": [1, 2] * 25})
    with pytest.raises(SchemaError, match=r"'id' .*identifier.*--drop 'id'"):
        TableCoding.learn(table, infer_schema(table))


def test_a_schema_that_keeps_nothing(table):
    schema = infer_schema(table)
    with pytest.raises(SchemaError, match="at least one column to model"):
        TableCoding.learn(table, schema.drop(*schema.names))


def test_a_column_that_is_not_there(coding, table):
    with pytest.raises(SchemaError, match=r"a column 'wage'\. Received a table"):
        coding.encode(table.drop(columns="wage"))


def test_a_category_that_no_part_was_made_of(coding, table):
    other = table.assign(
        job=pd.Categorical(["smith"] * 140, table["job"].cat.categories)
    )
    with pytest.raises(SchemaError, match=r"Column 'job': .*'smith' \(140 rows"):
        coding.encode(other)


@pytest.mark.parametrize(
    "name, values",
    [("job", ["baker"] * 140), ("age", ["x"] * 140), ("wage", [np.inf] * 140)],
)
def test_values_that_do_not_fit(coding, table, name, values):
    with pytest.raises((SchemaError, TableError), match=f"Column '{name}'"):
        coding.encode(table.assign(**{name: values}))


def test_values_beyond_the_bounds_go_to_the_end_intervals(coding, table):
    wage = coding.names.index("wage")
    low, high = (
        coding.encode(table.assign(wage=[value] * 140))[:, wage]
        for value in (-1e6, 1e6)
    )
    assert (low == 0).all()
    codes = coding.encode(table)[:, wage]
    present = codes[table["wage"].notna().to_numpy()]
    assert (high == present.max()).all()


def test_a_column_without_values_takes_none():
    schema = Schema((Column(name="a", kind="integer", dtype="Int64", missing=()),))
    coding = TableCoding.learn(
        pd.DataFrame({"a": pd.Series([None, None], dtype="Int64")}), schema
    )
    assert coding.part_labels == ("a=missing",)
    with pytest.raises(SchemaError, match=r"Column 'a': .*Build the parts again"):
        coding.encode(pd.DataFrame({"a": pd.Series([1], dtype="Int64")}))


# Saved as JSON


@pytest.mark.parametrize("options", [{}, {"keep_missing": False}, {"binning": "width"}])
def test_a_coding_comes_back_from_json(table, options):
    coding = learn(table, **options)
    text = json.dumps(coding.to_dict(), allow_nan=False)
    again = TableCoding.from_dict(json.loads(text))
    assert again.schema == coding.schema and again.part_labels == coding.part_labels
    assert json.dumps(again.to_dict(), allow_nan=False) == text
    codes = coding.encode(table)
    np.testing.assert_array_equal(again.encode(table), codes)
    one, two = (c.decode(codes, np.random.default_rng(1)) for c in (coding, again))
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"schema": {}},
        {"schema": {"column": [{"name": "a"}]}, "parts": [{}]},
        {"schema": {"column": [{}]}, "parts": []},
        {"schema": {"colums": []}, "parts": []},
        {"schema": {"column": []}, "parts": 3},
        {"schema": None, "parts": []},
        None,
    ],
)
def test_what_is_no_coding(content):
    with pytest.raises(ModelFileError, match="Save the model again"):
        TableCoding.from_dict(content)


def test_a_coding_of_fewer_columns_than_parts(coding):
    content = coding.to_dict()
    content["schema"]["column"].pop()
    with pytest.raises(ModelFileError):
        TableCoding.from_dict(content)


# Tables of new individuals


def test_without_strictness_known_values_have_their_codes(coding, table):
    np.testing.assert_array_equal(
        coding.encode(table, strict=False), coding.encode(table)
    )


def test_values_of_no_part_are_left_out(coding, table):
    new = table.head(4).assign(
        job=["nurse", "smith", "pilot", None],
        wage=[1e9, -5.0, None, 140.0],
        member=[True, None, False, "maybe"],
    )
    with pytest.warns(DataWarning) as warned:
        codes = coding.encode(new, strict=False)
    # Smiths are in the list of categories, but the table had none.
    assert codes[:, 0].tolist() == [0, -1, -1, -1]
    assert codes[[0, 1], 2].tolist() == [3, 0] and codes[2, 2] == -1
    assert codes[:, 3].tolist() == [1, -1, 0, -1]
    messages = [str(warning.message) for warning in warned]
    assert len(messages) == 2
    assert "'job'" in messages[0] and "'smith', 'pilot' (2 rows)" in messages[0]
    assert "'member'" in messages[1] and "'maybe' (1 rows)" in messages[1]


def test_missing_values_are_their_part_where_there_is_one(coding, table):
    new = table.head(2).assign(age=[None, 30])
    assert coding.encode(new, strict=False)[0, 1] == 4


def test_a_column_that_was_empty_has_no_part_for_values():
    with pytest.warns(DataWarning, match="or none, in .a."):
        coding = learn(pd.DataFrame({"a": [np.nan] * 3, "b": [1.0, 2.0, 3.0]}))
    new = pd.DataFrame({"a": [5.0, np.nan], "b": [1.0, 2.0]})
    assert coding.encode(new, strict=False)[:, 0].tolist() == [-1, 0]


def test_another_kind_is_an_error_all_the_same(coding, table):
    for column in ("age", "wage", "since"):
        with pytest.raises(SchemaError, match=f"'{column}'"):
            coding.encode(table.assign(**{column: "old"}), strict=False)
