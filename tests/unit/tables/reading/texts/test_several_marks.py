"""Several marks of what is missing in one column."""

import pandas as pd
import pytest

from coclust_synth import DataWarning, Schema
from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.text import format_column


def read(cells):
    table = parse_text(pd.DataFrame({"x": cells, "y": ["a", "b"] * (len(cells) // 2)}))
    return table.frame["x"], table.schema["x"]


@pytest.mark.parametrize("mark", ["NULL", "?", "N/A", "nan"])
def test_of_texts_another_mark_than_an_empty_cell_is_a_value(mark):
    cells = ["size", "quality"] * 30 + [""] * 40 + [mark] * 60
    series, column = read(cells)
    assert column.missing == ("",)
    assert column.categories == tuple(sorted((mark, "quality", "size")))
    assert format_column(series, column).tolist() == cells


def test_without_an_empty_cell_the_commonest_mark_is_missing():
    series, column = read(["a"] * 30 + ["b"] * 30 + ["?"] * 40 + ["NULL"] * 20)
    assert column.missing == ("?",)
    assert column.categories == ("NULL", "a", "b")
    assert series.isna().sum() == 40


def test_few_of_another_mark_are_slips():
    series, column = read(["a"] * 30 + ["b"] * 31 + [""] * 40 + ["NULL"] * 19)
    assert column.missing == ("", "NULL")
    assert series.isna().sum() == 59


def test_among_numbers_all_marks_are_missing():
    series, column = read(["1", "7"] * 30 + [""] * 40 + ["NULL"] * 60)
    assert column.missing == ("NULL", "")
    assert series.isna().sum() == 100


def test_a_few_empty_cells_are_slips_too():
    _, column = read(["a"] * 30 + ["b"] * 29 + [""] * 1 + ["NA"] * 40)
    assert column.missing == ("NA", "")


@pytest.mark.parametrize("step", [1, -1])
def test_of_marks_as_frequent_the_order_of_rows_says_nothing(step):
    cells = (["a"] * 30 + ["b"] * 30 + ["NULL"] * 30 + ["NA"] * 30)[::step]
    _, column = read(cells)
    assert column.missing == ("NA",)
    assert column.categories == ("NULL", "a", "b")


def test_of_nothing_but_marks_all_are_missing():
    with pytest.warns(DataWarning, match="one value, or none, in 'x'"):
        series, column = read([""] * 50 + ["NULL"] * 50)
    assert series.isna().all() and column.missing == ("", "NULL")
    table = pd.DataFrame({"x": [""] * 50 + ["NULL"] * 50, "y": ["a", "b"] * 50})
    hint = Schema((Column(name="x", kind="integer"), Column(name="y")))
    with pytest.warns(DataWarning, match="one value, or none, in 'x'"):
        assert parse_text(table, hint).frame["x"].isna().all()
