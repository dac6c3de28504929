import gzip
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.shared import SHARED

from coclust_synth.exceptions import (
    OutputError,
    ParameterError,
    SchemaError,
    TableError,
)
from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.reading.table import TEXT_SUFFIXES, as_table, read_table
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.series import from_values
from coclust_synth.tables.writing import write_table

FRAME = pd.DataFrame(
    {
        "text": pd.Series(["b", None, 'q "x"', "é; 你,|\t\n"], dtype="object"),
        "string": pd.Series(["b", None, "a", "?"], dtype="string[python]"),
        "category": pd.Categorical(["x", None, "y", "x"], ["z", "y", "x"]),
        "ordered": pd.Categorical(["lo", "hi", "lo", "lo"], ["lo", "hi"], ordered=True),
        "bool": [True, False, True, True],
        "boolean": pd.Series([True, None, False, None], dtype="boolean"),
        "int8": np.array([1, -128, 127, 0], dtype="int8"),
        "Int64": pd.Series([1, None, 2**62, 0], dtype="Int64"),
        "float32": np.array([0.1, np.nan, 3.75, 1e9], dtype="float32"),
        "cents": [0.25, 1.5, np.nan, -3.0],
        "real": [np.pi, 1e-300, np.nan, 2.0],
        "zoned": pd.to_datetime(
            ["2020-02-29 23:30:00.125", None, "2020-07-01", "1969-12-31"],
            format="ISO8601",
        )
        .as_unit("us")
        .tz_localize("Europe/Paris"),
        "day": pd.to_datetime(["2020-02-29", None, "1900-01-01", "2020-03-01"]),
        "zip": ["00501", "10001", "00501", "99999"],
    }
)

CELLS = """\
name,age,wage,born,member,zip,seen
"Smith, J",39,10.50,31/01/1980,yes,00501,2020-02-29T10:30:00Z
"He said ""hi""
twice",?,7.25,01/02/1981,no,10001,2020-02-29T10:30:07Z
été,50,?,?,?,?,?
?,-3,0.00,13/12/1990,no,00501,1969-12-31T23:59:59Z
"""


def write(path, text):
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def text_of(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def through_values(frame, schema):
    return pd.DataFrame(
        {c.name: from_values(*to_values(frame[c.name], c), c) for c in schema.columns}
    )


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [*TEXT_SUFFIXES, ".parquet"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_every_type_comes_back(tmp_path, suffix, delimiter):
    schema = Schema(infer_schema(FRAME).columns, delimiter)
    frame = through_values(FRAME, schema)
    pd.testing.assert_frame_equal(frame, FRAME)
    path = tmp_path / f"table{suffix}"
    write_table(frame, path, schema)
    # With its schema, a text file holds all that the table held.
    again, found = read_table(path, schema)
    assert [(c.kind, c.dtype) for c in found.columns] == [
        (c.kind, c.dtype) for c in schema.columns
    ]
    pd.testing.assert_frame_equal(through_values(again, found), FRAME)
    if suffix != ".parquet":
        pd.testing.assert_frame_equal(again, FRAME)
        assert found.delimiter == ("\t" if suffix.startswith(".tsv") else delimiter)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".txt"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_text_file_is_written_as_it_was_read(tmp_path, suffix, delimiter):
    cells = CELLS.replace("Smith, J", f"Smith{delimiter} J")
    text = "\n".join(
        line if line.startswith('"') and "hi" in line else line.replace(",", delimiter)
        for line in cells.split("\n")
    )
    path = write(tmp_path / f"in{suffix}", text)
    frame, schema = read_table(path)
    assert [column.kind for column in schema.columns] == [
        "categorical",
        "integer",
        "real",
        "datetime",
        "categorical",
        "categorical",
        "datetime",
    ]
    assert schema.delimiter == delimiter
    out = tmp_path / f"out{suffix}"
    write_table(through_values(frame, schema), out, schema)
    assert text_of(out) == text
    bytes_before = out.read_bytes()
    write_table(frame, out, schema, force=True)
    assert out.read_bytes() == bytes_before


def test_a_table_may_have_one_column(tmp_path):
    frame, schema = read_table(write(tmp_path / "a.csv", 'x\n1\n""\n\n4\n'))
    assert frame["x"].tolist() == [1, pd.NA, pd.NA, 4]
    write_table(frame, tmp_path / "b.csv", schema)
    assert read_table(tmp_path / "b.csv")[0].equals(frame)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffa,b\n1,x\n2,y\n",
        "a,b\r\n1,x\r\n2,y\r\n",
        "a,b\n1,x\n\n2,y\n\n",
        "\n\na,b\n1,x\n2,y",
        '"a","b"\n"1","x"\n"2","y"\n',
    ],
)
def test_text_files_vary(tmp_path, text):
    frame, _ = read_table(write(tmp_path / "a.csv", text))
    pd.testing.assert_frame_equal(frame, pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_says_the_encoding(tmp_path, encoding):
    text = "größe;b\n1,5;x\n2,25;é\n".encode(encoding)
    frame, schema = read_table(write(tmp_path / "a.csv", text))
    assert frame.to_dict("list") == {"größe": [1.5, 2.25], "b": ["x", "é"]}
    write_table(frame, tmp_path / "b.csv", schema)
    again = (tmp_path / "b.csv").read_text()
    assert again == "größe;b\n1,5;x\n2,25;é\n"


def test_decimals_have_one_type_whatever_the_rows(tmp_path):
    cents = [Decimal("0.50"), Decimal("12345.25")]
    frame = pd.DataFrame({"cents": cents})
    schema = infer_schema(frame)
    for n in (1, 2):
        write_table(frame[:n], tmp_path / f"{n}.parquet", schema)
    types = [pq.read_schema(tmp_path / f"{n}.parquet").field(0).type for n in (1, 2)]
    assert types == [pa.decimal128(38, 2)] * 2


def test_a_separator_inside_fields_does_not_mislead(tmp_path):
    text = "a;b\n1,5;x, y, z\n2,5;y, z, t\n"
    assert read_table(write(tmp_path / "a.csv", text))[1].names == ("a", "b")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "Received an empty file"),
        ("a.csv", "\ufeff \n", "Received an empty file"),
        ("a.csv", "a,b\n", "Received no row"),
        ("a.csv", "a,b\n1,2\n", r"two rows in '.*a.csv'. Received one row"),
        ("a.csv", "a,b,a\n1,2,3\n1,2,3\n", "Received more than one 'a'"),
        ("a.csv", "a,b\n1,2\n\n1,2,3\n", r"Line 4 must have 2 fields.*Received 3\."),
        ("a.csv", 'a,b\n"1\n",2\n1\n', r"Line 4 must have 2 fields.*Received 1\."),
        ("a.csv", 'a,b\n1,2\n1,"2\n3,4\n', "not closed, after line 2"),
        ("a.csv", "a,b\n1,é\n".encode("latin1"), "not UTF-8, on line 2. Convert"),
        ("a.csv", "a,b\n1,2\n".encode("utf-16")[:-1], "not UTF-16, on line 2."),
        ("a.csv", b"PK\x03\x04\x14\x00rest\n", "a spreadsheet .*Save a sheet as CSV"),
        ("a.csv", b"\xd0\xcf\x11\xe0\n\n", "an old spreadsheet. Save a sheet as CSV"),
        ("a.csv", b"PAR1\x15\x04\n", "a Parquet file. Name it .parquet"),
        ("a.csv", b"\x1f\x8b\x08\x00\n", "compressed by gzip. Add .gz to its name"),
        ("a.parquet", "a,b\n1,2\n", "Expected a Parquet file"),
    ],
)
def test_files_that_are_no_table_are_refused(tmp_path, name, content, message):
    with pytest.raises(TableError, match=message):
        read_table(write(tmp_path / name, content))


def test_threads_of_arrow_have_no_object_of_python_to_free(tmp_path, monkeypatch):
    """One that frees it while the interpreter ends makes an exit code of 134."""
    given, reader = [], pa.BufferReader
    monkeypatch.setattr(
        pa, "BufferReader", lambda own: given.append(own) or reader(own)
    )
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    read_table(tmp_path / "t.csv")
    assert [type(own) for own in given] == [pa.Buffer]


def test_truncated_files_are_refused(tmp_path):
    write_table(FRAME, tmp_path / "a.csv.gz", infer_schema(FRAME))
    write_table(FRAME, tmp_path / "a.parquet", infer_schema(FRAME))
    for path in (tmp_path / "a.csv.gz", tmp_path / "a.parquet"):
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(TableError, match="truncated"):
            read_table(path)
    (tmp_path / "b.csv.gz").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(TableError, match="not compressed by gzip"):
        read_table(tmp_path / "b.csv.gz")


@pytest.mark.parametrize("members", [1, 3])
def test_compressed_files_are_not_read_beyond_a_limit(tmp_path, monkeypatch, members):
    text = b"a,b\n" + b"1,2\n3,4\n" * 2**17
    cut = len(text) // members
    parts = [text[i * cut : (i + 1) * cut] for i in range(members)]
    path = tmp_path / "a.csv.gz"
    path.write_bytes(b"".join(map(gzip.compress, parts)))
    monkeypatch.setenv("COCLUST_SYNTH_MAX_GIB", "0.0011")
    assert len(read_table(path)[0]) >= 2**18 - 1
    monkeypatch.setenv("COCLUST_SYNTH_MAX_GIB", "0.0009")
    with pytest.raises(TableError, match=r"more than 0\.0009 GiB once decompressed"):
        read_table(path)
    for wrong in ("", "0", "-1", "nan", "inf", "two"):
        monkeypatch.setenv("COCLUST_SYNTH_MAX_GIB", wrong)
        with pytest.raises(ParameterError, match="COCLUST_SYNTH_MAX_GIB"):
            read_table(path)


def test_files_that_are_not_there_are_told(tmp_path):
    with pytest.raises(TableError, match="no such file"):
        read_table(tmp_path / "a.csv")
    (tmp_path / "b.csv").mkdir()
    with pytest.raises(TableError, match="a directory"):
        read_table(tmp_path / "b.csv")
    with pytest.raises(ParameterError, match=r"\.csv, .*Received '.*a\.xlsx'"):
        read_table(tmp_path / "a.xlsx")


def test_the_schema_is_followed(tmp_path):
    path = write(tmp_path / "a.csv", "ward;age\n1;20\n2;30\n")
    hint = Schema((Column(name="ward", kind="categorical"), Column(name="age")))
    frame, schema = read_table(path, hint)
    assert schema["ward"].categories == (1, 2)
    assert schema.delimiter == ";"
    with pytest.raises(SchemaError, match="also has 'age'"):
        read_table(path, Schema((Column(name="ward"),)))
    write_table(frame, tmp_path / "a.parquet", schema)
    assert read_table(tmp_path / "a.parquet", schema)[1] == schema


def test_parquet_of_other_tools_keeps_its_integers(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    table = pa.table(
        {"a": pa.array([1, None, 2**62], pa.int64()), "b": pa.array([1, 2, 3])}
    )
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    frame, schema = read_table(tmp_path / "a.parquet")
    assert frame["a"].tolist() == [1, pd.NA, 2**62]
    assert (schema["a"].dtype, schema["b"].dtype) == ("Int64", "int64")


@pytest.mark.slow
def test_parquet_files_are_the_same_wherever_they_lie(tmp_path):
    directory = tmp_path / "year=2024"
    directory.mkdir()
    schema = infer_schema(FRAME)
    for path in (directory / "a.parquet", tmp_path / "b.parquet"):
        write_table(FRAME, path, schema)
        assert read_table(path)[1].names == schema.names
    assert path.read_bytes() == (directory / "a.parquet").read_bytes()


def test_a_parquet_index_is_left_out(tmp_path):
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index([7, 8], name="key"))
    frame.to_parquet(tmp_path / "a.parquet")
    read, schema = read_table(tmp_path / "a.parquet")
    assert schema.names == ("a",)
    assert read.index.tolist() == [0, 1]


def test_parquet_says_what_it_cannot_hold(tmp_path):
    frame = pd.DataFrame({"a": pd.Series([1, "a"], dtype=object)})
    with pytest.raises(TableError, match="Write a CSV file"):
        write_table(frame, tmp_path / "a.parquet", infer_schema(frame))
    assert list(tmp_path.iterdir()) == []


def test_reals_are_rounded_to_their_step(tmp_path):
    schema = infer_schema(pd.DataFrame({"a": [0.25, 9.0]}))
    frame = pd.DataFrame({"a": [1.23456, 0.3, 8.999]})
    write_table(frame, tmp_path / "a.csv", schema)
    assert (tmp_path / "a.csv").read_text() == "a\n1.23\n0.3\n9.0\n"


def test_a_write_that_fails_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("before")
    schema = infer_schema(pd.DataFrame({"a": [1, 2]}))
    with pytest.raises(SchemaError, match="'a': expected values from 1 to 2"):
        write_table(pd.DataFrame({"a": [1, 3]}), path, schema, force=True)
    assert [p.read_text() for p in tmp_path.iterdir()] == ["before"]
    with pytest.raises(OutputError, match="exists"):
        write_table(pd.DataFrame({"a": [1, 2]}), path, schema)
    with pytest.raises(ParameterError, match="to end with one of"):
        write_table(pd.DataFrame({"a": [1, 2]}), tmp_path / "a.json", schema)


@pytest.mark.slow
def test_adult_comes_back_byte_for_byte(tmp_path):
    source = SHARED / "data" / "adult.csv.gz"
    if not source.exists():
        pytest.skip(f"needs {source}")
    frame, schema = read_table(source)
    assert len(frame) == 48_842
    assert schema.undecided == ()
    assert schema["fnlwgt"].kind == "integer"
    assert schema["workclass"].missing == ("?",)
    assert schema["workclass"].categories is not None
    write_table(through_values(frame, schema), tmp_path / "adult.csv", schema)
    assert text_of(tmp_path / "adult.csv") == text_of(source)


def test_a_table_that_was_read_is_not_looked_at_again(tmp_path):
    read = read_table(write(tmp_path / "a.csv", "x,y\n1,a\n2,b\n"))
    assert as_table(read) is read
    left = read.drop("y")
    assert left.frame is read.frame and left.schema.kept.names == ("x",)
    assert left.keep("y").schema.kept.names == ("x", "y")
    with pytest.raises(SchemaError, match=r"no schema beside .* both\. Leave"):
        as_table(read, read.schema)


def test_a_spreadsheet_by_its_name_is_to_be_saved_as_csv(tmp_path):
    with pytest.raises(ParameterError, match="save the sheet of a spreadsheet as CSV"):
        read_table(write(tmp_path / "a.xlsx", b"PK\x03\x04"))


def test_a_column_may_be_named_as_a_parquet_file_begins(tmp_path):
    frame, _ = read_table(write(tmp_path / "a.csv", "PAR1,PAR2\n1,2\n3,4\n"))
    assert list(frame.columns) == ["PAR1", "PAR2"]
