import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.tables.reading.table import read_as_is

TEXT = """\
age,job,zip,weight,born,id
"[17, 26]","{Private, Local-gov}",00501,70.5,2000-01-31,1
*,?,02134,,2001-12-01,2
"[27, 40]",,00501,81,2000-01-31,3
"""


def test_labels_stay_and_numbers_are_numbers(tmp_path):
    (tmp_path / "t.csv").write_text(TEXT)
    frame = read_as_is(tmp_path / "t.csv")
    assert frame["age"].tolist() == ["[17, 26]", "*", "[27, 40]"]
    assert frame["job"].tolist() == ["{Private, Local-gov}", "?", ""]
    assert frame["zip"].tolist() == ["00501", "02134", "00501"]
    assert frame["weight"].fillna(-1).tolist() == [70.5, -1, 81]
    assert frame["born"].dtype.kind == "M"
    assert frame["id"].dtype == np.int64


def test_no_column_is_looked_down_on(tmp_path):
    # Identifiers, one value only, nothing at all: nothing is refused or warned of.
    frame = pd.DataFrame({"id": range(100), "flat": "*", "none": ""})
    frame.to_csv(tmp_path / "t.csv", index=False)
    read = read_as_is(tmp_path / "t.csv")
    assert read["id"].tolist() == list(range(100))
    assert set(read["flat"]) == {"*"} and set(read["none"]) == {""}


def test_parquet_comes_as_it_is(tmp_path):
    frame = pd.DataFrame(
        {"age": ["[17, 26]", None], "job": pd.Categorical(["a", "b"], ["b", "a"])}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(read_as_is(tmp_path / "t.parquet"), frame)


@pytest.mark.parametrize(
    "name, text, match",
    [
        ("t.csv", "a,b\n", "no row"),
        ("t.csv", "", "empty file"),
        ("t.csv", "a,a\n1,2\n3,4\n", "'a'"),
        ("t.parquet", "no parquet", "Parquet file"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, name, text, match):
    (tmp_path / name).write_text(text)
    with pytest.raises(TableError, match=match):
        read_as_is(tmp_path / name)


def test_a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(TableError, match="no such file"):
        read_as_is(tmp_path / "t.csv")
    with pytest.raises(ParameterError, match="to end with"):
        read_as_is(tmp_path / "t.xlsx")
