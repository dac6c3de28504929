"""Rows that hold nothing, as spreadsheets leave them."""

import warnings

import pandas as pd
import pytest

from coclust_synth import MondrianAnonymizer, read_table
from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.exceptions import DataWarning, SchemaError
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.reading.table import as_table, read_as_is, read_texts

ROWS = [f"{20 + i % 50},{'FM'[i % 2]},{'abc'[i % 3]}" for i in range(100)]
NAMES = "age,sex,town"


def told_of(call, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        found = call(*args)
    return found, [str(each.message) for each in caught]


def written(path, lines):
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("empty", "told"),
    [
        ([",,"], "1 row of empty cells alone, as spreadsheets leave them. It is"),
        (
            [",,", '"", ,\t'],
            "2 rows of empty cells alone, as spreadsheets leave them. They are",
        ),
    ],
)
def test_they_are_left_out_and_told(tmp_path, empty, told):
    path = written(tmp_path / "t.csv", [NAMES, *ROWS[:40], *empty, *ROWS[40:]])
    table, messages = told_of(read_table, path)
    assert table.frame["age"].tolist() == [20 + i % 50 for i in range(100)]
    assert len(messages) == 1
    assert told in messages[0]


@pytest.mark.parametrize(
    "lines",
    [
        [NAMES, *ROWS, "NA,NA,NA"],
        # Every column is empty in another row: somebody may have answered nothing.
        [NAMES, *ROWS, ",,", ",F,a", "20,,a", "20,F,"],
        ["age", *[row[:2] for row in ROWS], '""'],
    ],
)
def test_rows_that_may_be_somebodys_are_kept(tmp_path, lines):
    table, messages = told_of(read_table, written(tmp_path / "t.csv", lines))
    assert len(table.frame) == len(lines) - 1
    assert not any("empty cells" in message for message in messages)


def test_frames_are_left_as_they_are():
    frame = pd.DataFrame({"age": ["20", "", "30"] * 20, "sex": ["F", "", "M"] * 20})
    table, messages = told_of(as_table, frame)
    assert len(table.frame) == 60
    assert not any("empty cells" in message for message in messages)


def test_other_ways_of_reading_keep_them(tmp_path):
    path = written(tmp_path / "t.csv", [NAMES, *ROWS, ",,"])
    assert len(read_texts(path)) == 101
    assert len(read_as_is(path)) == 101


def test_a_released_table_keeps_them(tmp_path):
    released = written(tmp_path / "released.csv", [NAMES, *ROWS, ",,"])
    real = written(tmp_path / "real.csv", [NAMES, *ROWS, "NA,NA,NA"])
    tables = AlikeTables.of(real, released, holdout=released)
    n_rows = {name: len(frame) for name, frame in tables.frames.items()}
    assert n_rows == {"real": 101, "released": 101, "holdout": 100}


@pytest.mark.slow
def test_none_of_a_generalised_table_is_left_out(tmp_path):
    path = tmp_path / "labelled.csv"
    frame, _ = read_table(written(tmp_path / "t.csv", [NAMES, *ROWS]))
    MondrianAnonymizer(k=5).fit_transform(frame).save(path)
    path.write_text(path.read_text() + ",,\n")
    with pytest.raises(SchemaError):
        GeneralizedTable.load(path)
