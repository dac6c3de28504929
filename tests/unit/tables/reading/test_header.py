"""Names of columns that are the first row of a file: they would be released."""

import warnings

import pandas as pd
import pytest

from coclust_synth import TableError, read_table
from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.reading.table import as_table

ROWS = pd.DataFrame(
    {
        "age": [31, 52, 40, 77] * 10,
        "sex": ["F", "M"] * 20,
        "came": ["2022-07-13", "2022-08-01"] * 20,
        "paid": [10.25, 3.5, 99.0, 12.25] * 10,
    }
)
REFUSED = r"names of columns in the first line, .* Received '31', 'F', '2022"


def test_a_file_without_names_is_refused(tmp_path):
    ROWS.to_csv(tmp_path / "t.csv", index=False, header=False)
    with pytest.raises(TableError, match=REFUSED):
        read_table(tmp_path / "t.csv")


def test_so_is_one_of_persons_who_have_names(tmp_path):
    persons = ROWS.drop(columns="paid")
    persons.insert(0, "name", [f"A{i} Smith" for i in range(40)])
    persons.insert(1, "street", [f"{i} High Street" for i in range(40)])
    persons.to_csv(tmp_path / "t.csv", index=False, header=False)
    with pytest.raises(TableError, match="names of columns in the first line"):
        read_table(tmp_path / "t.csv")


def test_years_beside_texts_that_differ_are_no_row():
    years = {year: [1980.5, 2030.5] * 5 for year in ("1990", "2000", "2015")}
    table = pd.DataFrame({"country": [f"Land {i}" for i in range(10)]} | years)
    assert as_table(table).schema.names[0] == "country"


def test_so_is_a_frame_that_was_read_from_one():
    named = ROWS.set_axis(["31", "F", "2022-07-13", "105.5"], axis=1)
    with pytest.raises(TableError, match=REFUSED):  # a largest one is beyond the others
        as_table(named)


def test_so_is_one_whose_first_row_has_a_category_of_its_own():
    with pytest.raises(TableError, match="names of columns in the first line"):
        as_table(ROWS.set_axis(["31", "X", "2022-07-13", "12.25"], axis=1))


@pytest.mark.parametrize(
    "names",
    [
        ["age", "sex", "came", "paid"],
        ["31", "F", "2022-07-13", "paid"],
        ["900", "F", "2022-07-13", "900.25"],  # far from both numbers
    ],
)
def test_names_are_no_row_where_a_number_has_none_or_many_are_far(names):
    assert as_table(ROWS.set_axis(names, axis=1)).schema.names == tuple(names)


@pytest.mark.parametrize(
    "names",
    [
        ("2010", "2011", "2012"),
        ("1971", "1981", "1991", "2002"),
        ("2020", "2019", "2018", "2017"),
        ("0.5", "1", "2", "4", "8"),  # hours after a dose
    ],
)
def test_names_that_count_are_no_row(names):
    numbers = {name: [0.25, 2030.5] * 5 for name in names}
    assert as_table(pd.DataFrame(numbers)).schema.names == names


def test_decimals_that_do_not_rise_are_a_row():
    numbers = {name: [0.25, 9.5] * 5 for name in ("5.1", "3.5", "1.4", "0.2")}
    with pytest.raises(TableError, match="names of columns in the first line"):
        as_table(pd.DataFrame(numbers))


def test_a_column_without_a_name_is_no_row():
    frame = pd.DataFrame({"": ["2020-01-01", "2020-01-02"] * 5, "x": [5, 6] * 5})
    assert as_table(frame).schema.names == ("", "x")


def test_years_beside_categories_are_no_row():
    years = {str(year): [1980.5, 2030.5] * 5 for year in (1990, 1995, 2005)}
    table = pd.DataFrame({"region": ["a", "b"] * 5} | years)
    assert as_table(table).schema.names[0] == "region"


# Down a column and along a row.
RISING = [[7 * i + 10 * i**j + i % 3 for j in range(1, 5)] for i in range(2, 40)]


@pytest.mark.parametrize("n", [1, 2, 4])
def test_numbers_that_rise_as_their_rows_do_are_told(n):
    first, *rows = RISING
    table = pd.DataFrame(rows, columns=map(str, first)).iloc[:, :n]
    with pytest.warns(DataWarning, match=r"first row of a file .* names: '36'"):
        assert len(as_table(table).schema.names) == n


def test_the_number_before_those_of_the_rows_is_one_of_them():
    rows = {"1": range(2, 32), "31": [20, 40] * 15, "162": [150, 190] * 15}
    with pytest.raises(TableError, match="names of columns in the first line"):
        as_table(pd.DataFrame(rows))


@pytest.mark.parametrize(
    "names", [["1900", "2000", "2010", "2021"], ["2002", "2006", "2012"], [*"1234"]]
)
def test_totals_by_year_or_place_are_no_rows(names):
    rows = [[c * 50 for c in row[: len(names)]] for row in RISING]
    table = pd.DataFrame(rows, columns=names)
    assert as_table(table - 150).schema.names == tuple(names)


@pytest.mark.parametrize("row", [[None, 1961, 2002], [1950, 9999, 1990]])
def test_years_below_years_are_rows(row):
    """A missing one, or one that stands for it, makes none of them totals."""
    rows = [[1800 + i, 1830 + i, 1870 + i] for i in range(200)]
    table = pd.DataFrame([*rows, row], columns=["1902", "1931", "1975"])
    with pytest.raises(TableError, match="names of columns in the first line"):
        as_table(table)


@pytest.mark.parametrize("absent", [0, 9999])
def test_a_number_for_no_year_makes_no_totals_of_years(absent):
    """Born, married and died: most are still alive, and many never married."""
    own = [[1900 + i, 1925 + i, 1990 + i] for i in range(100)]
    rows = [row[: 1 + i % 3] + [absent] * (2 - i % 3) for i, row in enumerate(own)]
    table = pd.DataFrame(rows, columns=["1912", "1931", "1995"])
    with pytest.raises(TableError, match="names of columns in the first line"):
        as_table(table)


def test_numbers_that_could_be_years_in_no_order_are_a_row():
    """As those of the calories of some days."""
    rows = [[1200 + 31 * (7 * i + j) % 2000 for j in range(4)] for i in range(200)]
    table = pd.DataFrame(rows, columns=["1850", "2010", "1930", "1890"])
    with pytest.raises(TableError, match="names of columns in the first line"):
        as_table(table)


def test_a_column_that_pandas_named_is_told_of_no_name():
    assert as_table(pd.DataFrame({"0": [0, 3, 1, 2] * 9})).schema.names == ("0",)


# --- a second line of names -------------------------------------------------------

MEASURED = pd.DataFrame(
    {
        "age": [str(18 + i % 60) for i in range(90)],
        "sex": ["F", "M"] * 45,
        "height": [f"{150 + i / 2}" for i in range(90)],
    }
)
UNITS = pd.DataFrame({"age": ["years"], "sex": [""], "height": ["cm"]})


def read_lines(tmp_path, *parts):
    pd.concat(parts).to_csv(tmp_path / "t.csv", index=False)
    return read_table(tmp_path / "t.csv").schema


@pytest.mark.parametrize("n", [1, 2])
def test_a_second_line_of_names_is_refused(tmp_path, n):
    with pytest.raises(TableError, match=r"second line of names, .*: 'years', 'cm'"):
        read_lines(tmp_path, *[UNITS] * n, MEASURED)


@pytest.mark.slow
def test_words_of_a_row_are_no_second_line(tmp_path):
    rows = MEASURED.copy()
    for words in (
        {"age": ["unknown"], "sex": ["F"], "height": ["155.5"]},  # a number beside it
        {"age": ["unknown"], "sex": ["F"], "height": [""]},  # in one column only
    ):
        first = pd.DataFrame(words)
        assert read_lines(tmp_path, first, rows)["age"].kind == "categorical"
    later = pd.concat([rows.head(3), UNITS, rows])  # not the first row
    assert read_lines(tmp_path, later)["age"].kind == "categorical"


def test_a_row_that_has_a_value_of_others_is_no_second_line(tmp_path):
    first = pd.DataFrame({"age": ["not asked"], "sex": ["F"], "height": ["refused"]})
    assert read_lines(tmp_path, first, MEASURED)["age"].kind == "categorical"


ANSWERS = pd.DataFrame({name: ["yes", "no", None] * 20 for name in "abcd"})


@pytest.mark.parametrize(
    ("first", "is_told"),
    [
        ({"a": "Response", "b": "Response", "c": "Response"}, True),
        ({"a": "Response", "b": "Response", "c": "Response", "d": "a club"}, True),
        ({"a": "Response", "b": "Response"}, False),  # so few
        ({"a": "no", "b": "no", "c": "no", "d": "no"}, False),
    ],
)
def test_a_first_row_of_one_text_is_told(tmp_path, first, is_told):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        read_lines(tmp_path, pd.DataFrame([first]), ANSWERS)
    told = [
        str(each.message)
        for each in caught
        if "which no other row has" in str(each.message)
    ]
    assert len(told) == is_told
    assert all("'Response' in 3 columns" in message for message in told)
