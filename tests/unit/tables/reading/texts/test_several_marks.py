"""Several marks of what is missing in one column."""

import pandas as pd
import pytest

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
