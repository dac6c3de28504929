"""A cell's text and number, which no other cell plays a part in."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth.exceptions import DataWarning, ParameterError, TableError
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.reading.table import read_texts
from coclust_synth.tables.reading.texts.cells import cell_text, cell_texts, parse_number

TEXTS = {
    "a": "a",
    "\t a b \n": "a b",
    "": None,
    " \u00a0": None,
    "01": "01",
    "nan": "nan",
    1: "1",
    -0.0: "0",
    2.5: "2.5",
    1e-7: "1e-07",
    1e15: "1000000000000000",
    2**70: str(2**70),
    Decimal("1.500"): "1.5",
    Decimal("1E+3"): "1000",
    Decimal("NaN"): None,
    float("inf"): "inf",
    datetime.date(2024, 2, 29): "2024-02-29",
    datetime.datetime(2024, 2, 29): "2024-02-29",
    datetime.datetime(2024, 2, 29, 8, 30): "2024-02-29T08:30:00",
    datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC): "2024-02-29T00:00:00+00:00",
    pd.Timestamp("2024-02-29"): "2024-02-29",
    pd.Timestamp("2024-02-29 00:00:00.000000001"): "2024-02-29T00:00:00.000000001",
    np.datetime64("2024-02-29"): "2024-02-29",
    np.float32(0.1): "0.1",
    np.int8(7): "7",
    b"\xc3\xa9": "é",
    None: None,
    pd.NA: None,
    pd.NaT: None,
}


@pytest.mark.parametrize("value, text", [*TEXTS.items(), (True, "true")], ids=repr)
def test_text_of_a_value(value, text):
    assert cell_text(value) == text
    assert cell_text(text) == text


def test_truth_values_are_no_numbers():
    assert [cell_text(v) for v in (True, np.False_, 1)] == ["true", "false", "1"]


@given(st.lists(st.sampled_from([*TEXTS, True]), min_size=1), st.data())
def test_a_cell_is_read_as_if_it_were_alone(values, data):
    """Also where values are equal that are not alike, such as 1, 1.0 and True."""
    codes, texts = cell_texts(pd.Series(values, dtype=object))
    assert len(set(texts)) == len(texts)
    cells = [None if code < 0 else texts[code] for code in codes]
    assert cells == [cell_text(value) for value in values]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1, 2]),
        pd.Series([1.0, 2.0, np.nan]),
        pd.Series([1, 2, None], dtype="Int64"),
        pd.Series([1, 2, None], dtype="Float32"),
        pd.Series(["1", "2", "unsure"]),
        pd.Series(["1", " 2", None], dtype="string"),
        pd.Series([1, 2.0, True, None], dtype=object),
        pd.Series(["1", "2", "x"], dtype="category"),
        pd.Series([1, 2, 2**70]),
    ],
    ids=lambda series: str(series.tolist()),
)
def test_a_column_of_any_type_has_the_same_first_cells(series):
    codes, texts = cell_texts(series)
    assert [texts[code] for code in codes[:2]] == ["1", "2"]
    domain = Domain.from_dict(
        {
            "a": {"categories": ["1", "2", "3"], "other": "other", "missing": ""},
            "b": {"categories": [1, 2, 3], "other": "other", "missing": ""},
            "c": {
                "low": 0,
                "high": 9,
                "bins": 10,
                "clamp": True,
                "coerce": True,
                "missing": "",
            },
        }
    )
    frame = pd.DataFrame({"a": series, "b": series, "c": series})
    assert domain.encode(frame)[:2].tolist() == [[0, 0, 1], [1, 1, 2]]


NUMBERS = {
    "0": 0,
    "007": 7,
    "+1.": 1,
    "-.5": Decimal("-.5"),
    "1e3": 1000,
    "1E-2": Decimal(".01"),
    "9" * 5000: 10**5000 - 1,
}
NO_NUMBERS = "1,5|1 000|1_000|inf|nan|0x1F|١|½|1e|e1|.|+|--1|1.2.3|1e9999|1 .|²".split(
    "|"
)


def test_the_grammar_of_numbers():
    for text, number in NUMBERS.items():
        assert parse_number(text) == number
    assert [parse_number(text) for text in NO_NUMBERS] == [None] * len(NO_NUMBERS)


def codes(values, **fields):
    return Domain.from_dict({"x": fields}).encode(pd.DataFrame({"x": values}))[:, 0]


def test_categories_are_texts_or_numbers_or_truth_values():
    texts = {"categories": ["1", "01"], "other": "o", "missing": "?"}
    found = codes(["01", " 1 ", "1.0", "?", ""], **texts)
    assert found.tolist() == [1, 0, 2, 3, 3]
    numbers = {"categories": [1, 2.5], "other": "o"}
    found = codes(["01", "1.0", 1.0, "1e0", "one", "2", 2.5], **numbers)
    assert found.tolist() == [0, 0, 0, 0, 2, 2, 1]
    truth = {"categories": [False, True], "other": "o"}
    found = codes(["True", "true", "TRUE", True, "tRUE", "1"], **truth)
    assert found.tolist() == [1, 1, 1, 1, 2, 2]


def test_every_cell_has_a_place_where_all_is_declared():
    """A clamp never becomes an error, whatever stands in a cell."""
    values = [*NUMBERS, *NO_NUMBERS, "", None, "unsure", 3.5, float("inf"), "-1e999"]
    for ends in ((0, 9), (0.0, 9.0)):
        found = codes(
            values,
            low=ends[0],
            high=ends[1],
            bins=3,
            clamp=True,
            coerce=True,
            missing="?",
        )
        assert found[: len(NUMBERS)].tolist() == [0, 2, 0, 0, 2, 0, 2]
        assert (found[len(NUMBERS) :][: len(NO_NUMBERS) + 3] == 3).all()
        assert found[-3:].tolist() == [1, 3, 0]
        with pytest.raises(TableError, match="Received rows of something else"):
            codes(
                [v for v in values if v not in ("", None)],
                low=ends[0],
                high=ends[1],
                bins=3,
                clamp=True,
                missing="?",
            )


# files


def test_a_text_file_is_read_as_it_stands(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes('\ufeffa,b\r\n1.0,"x\ny"\r\n01, "q\r\n\r\ntrue,\r\n'.encode())
    frame = read_texts(path)
    assert frame["a"].tolist() == ["1.0", "01", "true"]
    assert frame["b"].tolist() == ["x\ny", '"q', None]
    assert read_texts(path, ["b"]).columns.tolist() == ["b"]
    assert read_texts(path, []).shape == (3, 0)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("suffix", ["csv", "tsv.gz", "parquet"])
def test_few_rows_are_rows(n, suffix, tmp_path):
    frame = pd.DataFrame({"a": ["x"] * n, "b": [1] * n})
    path = tmp_path / f"t.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if "tsv" in suffix else ",")
    assert read_texts(path).to_numpy().tolist() == [["x", "1"]] * n


def test_separators_and_encodings_are_said_not_found_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a;é,b\n1;2,3\n".encode("latin-1"))
    assert read_texts(path, encoding="latin-1").columns.tolist() == ["a;é", "b"]
    frame = read_texts(path, delimiter=";", encoding="latin-1")
    assert frame.to_dict("list") == {"a": ["1"], "é,b": ["2,3"]}
    with pytest.raises(TableError, match="not UTF-8, on line 1"):
        read_texts(path)
    for wrong in ("", ";;", '"', "é", "\n"):
        with pytest.raises(ParameterError, match="one ASCII character"):
            read_texts(path, delimiter=wrong)
    for wrong in ("none", "base64", ""):
        with pytest.raises(ParameterError, match="Expected an encoding"):
            read_texts(path, encoding=wrong)


@pytest.mark.parametrize(
    "text, match",
    [
        ('a,b\n1,"x"y\n2,"z"\n', "after line 1"),
        ('a,b\n1,"x\n2,"z, 3"\n', "after line 1"),
        ("a,b\n1\n", "Line 2 must have 2 fields"),
        ("", "empty file"),
        ("a,a\n1,2\n", "more than one 'a'"),
        ("A,b\n1,2\n", "Received 'a'"),
    ],
)
def test_files_that_are_refused(text, match, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(TableError, match=match):
        read_texts(tmp_path / "t.csv", ["a"])


def test_parquet_cells_are_those_of_the_frame(tmp_path):
    frame = pd.DataFrame(
        {
            "whole": pd.array([2**60 + 1, None, 3], dtype="Int64"),
            "real": [1.0, 0.1, np.nan],
            "short": np.array([0.1, 2, 3], dtype=np.float32),
            "instant": pd.to_datetime(["2020-01-01T00", "2020-01-02T10", None]),
            "zoned": pd.to_datetime(["2020-01-01", None, "2020-01-03"]).tz_localize(
                "Europe/Paris"
            ),
            "day": [datetime.date(2020, 1, 1), None, datetime.date(2021, 1, 1)],
            "money": [Decimal("1.00"), Decimal("2.50"), None],
            "truth": [True, False, None],
            "kind": pd.Categorical(["x", None, "y"]),
            "lists": [[1], None, [2]],
            "text": [" a", "", None],
            "raw": [b"a", None, b"\xff"],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=2)
    read = read_texts(tmp_path / "t.parquet")
    assert read["whole"].tolist() == [str(2**60 + 1), None, "3"]
    assert read["instant"].tolist() == ["2020-01-01", "2020-01-02T10:00:00", None]
    for name in frame:
        numbers, texts = cell_texts(frame[name])
        cells = [None if number < 0 else texts[number] for number in numbers]
        assert read[name].tolist() == cells, name


def test_parquet_cells_that_no_date_or_text_holds(tmp_path):
    """Read, and then refused or not by the domain: not an error of their own."""
    far = np.array(["12000-01-01", "2020-01-01"], dtype="M8[s]")
    raw = pa.array([b"\xff", b"a"]).view(pa.string())
    pq.write_table(pa.table({"far": far, "raw": raw}), tmp_path / "t.parquet")
    read = read_texts(tmp_path / "t.parquet")
    assert read["far"].tolist() == ["12000-01-01", "2020-01-01"]
    assert read["raw"].tolist() == ["\\xff", "a"]
    numbers, texts = cell_texts(pd.Series(far))
    assert [texts[number] for number in numbers] == read["far"].tolist()


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_a_table_of_one_column_that_may_be_several(tmp_path, separator):
    path = tmp_path / "t.csv"
    header = f"age{separator}sex"
    path.write_text(f"{header}\n31{separator}F\n52{separator}M\n")
    with pytest.warns(
        DataWarning, match="If these are several columns, say delimiter="
    ):
        assert list(read_texts(path).columns) == [header]
    for text in (header, f"{header}\n1,2{separator}F"):
        path.write_text(text)
        with pytest.raises(TableError, match="say delimiter="):
            read_texts(path, ["age"])
    pd.DataFrame({header: [1, 2]}).to_parquet(path.with_suffix(".parquet"))
    read_texts(path.with_suffix(".parquet"))
