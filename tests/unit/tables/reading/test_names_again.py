"""Rows that have the names of the columns again, as in files put together."""

import warnings

import pytest

from coclust_synth import read_table
from coclust_synth.exceptions import DataWarning

ROWS = [f"{20 + i % 50},{'FM'[i % 2]},2024-01-{1 + i % 28:02d}" for i in range(100)]
NAMES = "age,sex,came"


def read_and_told(path, lines):
    path.write_text("\n".join(lines) + "\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        table = read_table(path)
    return table, [str(each.message) for each in caught]


@pytest.mark.parametrize(
    ("again", "told"),
    [
        ([NAMES], "again in 1 row. It is left out"),
        ([NAMES, NAMES], "again in 2 rows. They are left out"),
    ],
)
def test_they_are_left_out_and_told(tmp_path, again, told):
    table, messages = read_and_told(
        tmp_path / "t.csv", [NAMES, *ROWS[:40], *again, *ROWS[40:]]
    )
    assert len(table.frame) == 100
    assert [c.kind for c in table.schema.columns] == [
        "integer",
        "categorical",
        "datetime",
    ]
    assert len(messages) == 1
    assert told in messages[0]


def test_a_row_whose_cells_others_have_is_kept(tmp_path):
    lines = ["age,sex,came", *ROWS[:40], "age,sex,came", *ROWS[40:], "31,sex,unknown"]
    table, messages = read_and_told(tmp_path / "t.csv", lines)
    assert len(table.frame) == 102
    assert not any("again" in message for message in messages)


def test_so_is_a_value_of_the_only_column(tmp_path):
    table, messages = read_and_told(tmp_path / "t.csv", ["yes", *["no", "yes"] * 50])
    assert len(table.frame) == 100
    assert not any("again" in message for message in messages)
