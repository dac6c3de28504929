"""Leaves of a column, and hierarchies of files that get its types."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import GeneralizationHierarchy, SchemaError, infer_schema
from coclust_synth.tables.hierarchies.columns import ColumnLeaves, match_column
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.values.columns import to_values


def column_of(series, **fields):
    frame = pd.DataFrame({"x": series})
    column = infer_schema(frame)["x"]
    return frame["x"], type(column)(**({**vars(column)} | fields))


def matched(lines, series, **fields):
    hierarchy = GeneralizationHierarchy.from_lines("from file", lines)
    return match_column(hierarchy, *column_of(series, **fields))


def test_leaves_are_the_values_in_order_and_missing_last():
    series, column = column_of(pd.Series([30, 4, None, 30], dtype="Int64"))
    found = ColumnLeaves.of(*to_values(series, column), column)
    assert found.leaves == (4, 30, None)
    assert [type(leaf) for leaf in found.leaves[:2]] == [int, int]
    assert found.texts == ["4", "30", ""]
    assert found.counts.tolist() == [1, 2, 1]
    assert found.missing.tolist() == [False, False, True]


def test_texts_are_those_of_the_file():
    cells = pd.DataFrame(
        {"x": ["2.50", "?", "10.00"], "d": ["01/02/2024", "?", "31/12/2024"]}
    )
    table = parse_text(cells)
    number, day = table.schema.columns
    found = ColumnLeaves.of(*table.values.read(number), number)
    assert (found.leaves, found.texts) == ((2.5, 10.0, None), ["2.50", "10.00", "?"])
    days = ColumnLeaves.of(*table.values.read(day), day)
    assert days.texts == ["01/02/2024", "31/12/2024", "?"]
    assert days.leaves[0] == pd.Timestamp(2024, 2, 1)


def test_a_hierarchy_of_texts_gets_the_types_of_the_column():
    lines = [("30", "high", "*"), ("?", "?", "*"), ("4", "low", "*"), ("7", "low", "*")]
    ages = matched(lines, pd.Series([30, None, 4], dtype="Int64"), missing=("?",))
    assert ages.name == "x" and ages.ordered
    assert ages.leaves == (4, 7, 30, None)
    assert ages.labels[1] == ("low", "high", "?")
    assert ages.generalize([30, 4, pd.NA], 1).tolist() == ["high", "low", "?"]


def test_lines_for_values_that_no_row_holds_stay():
    lines = [("b", "*"), ("z", "*"), ("a", "*")]
    found = matched(lines, ["a", "b"])
    assert found.leaves == ("b", "z", "a") and not found.ordered


def test_ordinal_leaves_are_in_the_order_of_the_categories():
    sizes = pd.Categorical(["M", "S"], categories=["S", "M", "L"], ordered=True)
    found = matched([("L", "*"), ("M", "*"), ("S", "*")], sizes)
    assert found.leaves == ("S", "M", "L") and found.ordered
    with pytest.raises(SchemaError, match=r"kind ordinal. Received 'XL'"):
        matched([("XL", "*"), ("M", "*"), ("S", "*")], sizes)


def test_values_without_a_line_are_named():
    with pytest.raises(SchemaError, match=r"'x'.*Received none for '2' \(1 value\)"):
        matched([("1", "*")], [1, 2, 1])
    # ARX compares texts too.
    with pytest.raises(SchemaError, match=r"Received none for '1', '2'"):
        matched([("1.0", "*"), ("2.0", "*")], [1, 2])
    with pytest.raises(SchemaError, match="Received none for ''"):
        matched([("a", "*"), ("b", "*")], ["a", "b", None])


def test_leaves_that_are_no_values_of_the_column():
    with pytest.raises(SchemaError, match="'x': expected cells of kind integer"):
        matched([("1", "*"), ("2", "*"), ("many", "*")], [1, 2])


def test_booleans_and_dates():
    found = matched([("True", "*"), ("False", "*")], np.array([True, False]))
    assert found.leaves == (True, False)
    days = pd.Series(pd.to_datetime(["2024-02-29", "2023-01-01"]))
    found = matched(
        [("2024-02-29", "*"), ("2025-01-01", "*"), ("2023-01-01", "*")], days
    )
    assert found.leaves == tuple(map(pd.Timestamp, ["2023", "2024-02-29", "2025"]))
