"""Names of columns that are the first row of a file: they would be released."""

import pandas as pd
import pytest

from coclust_synth import TableError, read_table
from coclust_synth.tables.reading.table import as_table

ROWS = pd.DataFrame(
    {
        "age": [31, 52, 40, 77] * 10,
        "sex": ["F", "M"] * 20,
        "came": ["2022-07-13", "2022-08-01"] * 20,
        "paid": [10.25, 3.5, 99.0, 12.25] * 10,
    }
)
REFUSED = r"names of columns that are no cells of a row, .* Received '31', 'F', '2022"


def test_a_file_without_names_is_refused(tmp_path):
    ROWS.to_csv(tmp_path / "t.csv", index=False, header=False)
    with pytest.raises(TableError, match=REFUSED):
        read_table(tmp_path / "t.csv")


def test_so_is_a_frame_that_was_read_from_one():
    named = ROWS.set_axis(["31", "F", "2022-07-13", "105.5"], axis=1)
    with pytest.raises(TableError, match=REFUSED):  # a largest one is beyond the others
        as_table(named)


@pytest.mark.parametrize(
    "names",
    [
        ["age", "sex", "came", "paid"],
        ["31", "sex", "2022-07-13", "12.25"],
        ["31", "F", "2022-07-13", "paid"],
        ["900", "F", "2022-07-13", "900.25"],  # far from both numbers
    ],
)
def test_names_are_no_row_where_one_is_no_cell(names):
    assert as_table(ROWS.set_axis(names, axis=1)).schema.names == tuple(names)


def test_names_that_count_are_no_row():
    years = {str(year): [2000.5, 2030.5] * 5 for year in range(2010, 2015)}
    assert as_table(pd.DataFrame(years)).schema.names == tuple(years)
