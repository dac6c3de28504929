import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import TableError
from coclust_synth.modl.data_grid.observations import (
    CategoricalValues,
    Groups,
    Intervals,
    NumericValues,
    count_records,
)


def table():
    return pd.DataFrame(
        {
            "size": [2.5, 1.0, 2.5, None, 1.0, 1.0],
            "kind": ["b", "a", "b", None, "c", "a"],
        }
    )


def test_records_are_distinct_rows_in_order():
    records, (size, kind) = count_records(table(), [True, False])
    assert size.numbers.tolist() == [-np.inf, 1.0, 2.5]
    assert kind.categories == (None, "a", "b", "c")
    assert records.codes.tolist() == [[0, 0], [1, 1], [1, 3], [2, 2]]
    assert records.counts.tolist() == [1, 2, 1, 2]
    assert [label.tolist() for label in records.labels] == [[0, 1, 2], [0, 1, 2, 3]]
    assert records.numeric == (True, False)


def test_frequencies_count_and_zeros_are_unknown():
    records, (size, kind) = count_records(table(), [True, False], [1, 2, 3, 0, 0, 4])
    assert size.numbers.tolist() == [1.0, 2.5]
    assert kind.categories == ("a", "b")
    assert records.codes.tolist() == [[0, 0], [1, 1]]
    assert records.counts.tolist() == [6, 4]


@pytest.mark.parametrize("kind", ["int64", "float64", "Int64", "object", "uint8"])
def test_whole_frequencies_of_any_dtype(kind):
    frequencies = pd.Series([1, 2, 3, 0, 0, 4]).astype(kind)
    records, _ = count_records(table(), [True, False], frequencies)
    assert records.counts.tolist() == [6, 4]


@pytest.mark.parametrize(
    "wrong, message",
    [
        (-1, "whole numbers, 0 or more. Received -1"),
        (1.5, "Received 1.5. Round or clip"),
        (np.nan, "Received nan"),
        (np.inf, "Received inf"),
        ("many", "Received 'many'"),
    ],
)
def test_frequencies_that_are_none(wrong, message):
    frequencies = np.array([1, 2, wrong, 0, 0, 4], dtype=object)
    if not isinstance(wrong, str):
        frequencies = frequencies.astype(float)
    with pytest.raises(TableError, match=message):
        count_records(table(), [True, False], frequencies)


@pytest.mark.parametrize("frequencies", [[1, 2], [[1]] * 6, 3])
def test_one_frequency_a_row(frequencies):
    with pytest.raises(TableError, match="one frequency for each of 6 rows"):
        count_records(table(), [True, False], frequencies)


@pytest.mark.parametrize("frequencies", [[0] * 6, [1, 0, 0, 0, 0, 0]])
def test_fewer_than_two_observations(frequencies):
    with pytest.raises(TableError, match="at least two observations"):
        count_records(table(), [True, False], frequencies)


def test_infinite_numbers_and_texts_are_refused():
    with pytest.raises(TableError, match="'x': expected finite numbers"):
        count_records(pd.DataFrame({"x": [1.0, np.inf]}), [True])
    with pytest.raises(TableError, match=r"'x': expected numbers\. Received others"):
        count_records(pd.DataFrame({"x": ["1", "two"]}), [True])


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_lies_below_all_numbers(missing):
    series = pd.Series([3, missing, 1, 2], dtype="Int64")
    values, codes = NumericValues.learn(series)
    assert codes.tolist() == [3, 0, 1, 2]
    intervals = values.partition(np.array([0, 1, 1, 2]))
    assert intervals.cuts.tolist() == [-np.inf, 2.5]
    assert intervals.index(series).tolist() == [2, 0, 1, 1]


def test_cuts_lie_between_numbers_however_close_or_large():
    numbers = np.array([-1e308, 1e308, np.nextafter(1e308, 2e308)])
    values, codes = NumericValues.learn(pd.Series(numbers))
    intervals = values.partition(np.arange(3))
    assert np.isfinite(intervals.cuts).all()
    assert intervals.index(pd.Series(numbers)).tolist() == codes.tolist() == [0, 1, 2]


def test_numbers_on_a_cut_belong_below():
    intervals = Intervals(np.array([1.5, 4.0]))
    series = pd.Series([-9.0, 1.5, 1.6, 4.0, 99.0, None])
    assert intervals.index(series).tolist() == [0, 0, 1, 1, 2, 0]


def test_groups_of_categories():
    values, _ = CategoricalValues.learn(table()["kind"])
    groups = values.partition(np.array([1, 0, 1, 1])).groups
    assert groups == (("a",), (None, "b", "c"))


def test_unknown_categories_go_to_the_group_of_most_categories():
    groups = Groups((("a",), ("b", None), ("c", "d")))
    series = pd.Series(["a", "z", None, "d", "b"])
    assert groups.index(series).tolist() == [0, 1, 1, 2, 1]
    without = Groups((("a",), ("b", "c")))
    assert without.index(pd.Series([None, "a"], dtype=object)).tolist() == [1, 0]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([True, False, True]),
        pd.Series(["x", "y", "x"], dtype="category"),
        pd.Series([2, "two", 2], dtype=object),
        pd.Series(pd.to_datetime(["2020-01-02", "2021-01-01", "2020-01-02"])),
    ],
)
def test_categories_of_many_types(series):
    values, codes = CategoricalValues.learn(series)
    assert len(values.categories) == 2
    assert [values.categories[code] for code in codes] == list(series)
    assert values.partition(np.arange(2)).index(series).tolist() == codes.tolist()
