"""Dates with years of two digits: which century is meant, and how they are written."""

import pandas as pd
import pytest

from coclust_synth import SchemaError
from coclust_synth.tables.clock import write_date_as, write_dates_as
from coclust_synth.tables.date_texts.two_digit_years import find_first_year
from coclust_synth.tables.domain.domain import as_domain
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.layouts import date_parser, is_date_layout
from coclust_synth.tables.reading.texts.text import format_column


@pytest.mark.parametrize(
    ("years", "first"),
    [
        ([62, 75, 99, 5], 1960),
        ([31, 45, 67], 1930),  # not 2031 to 2067
        ([12, 24], 2010),
        ([20, 49], 2020),
        ([20, 50], 1920),
        ([95, 99, 0, 4], 1990),
        ([7], 2000),
        (range(100), 1950),
        ([*range(16), *range(19, 100)], 1916),  # a round year is none of the gap
    ],
)
def test_the_years_begin_in_the_widest_gap(years, first):
    assert find_first_year([f"1/31/{year:02}" for year in years]) == first


@pytest.mark.parametrize(
    "layout",
    [
        "%-m/%-d/%y from 1930",
        "%d.%m.%y from 1930",
        "%d-%b-%y from 1930",
        "%d-%^b-%y from 1930",
        "%m/%d/%y %H:%M from 1930",
        "%-m/%-d/%y %-I:%M %p from 1930",
    ],
)
def test_what_is_read_is_written(layout):
    dates = pd.Series(pd.date_range("1931-01-09", "2021-05-01", freq="13D"))
    texts = write_dates_as(layout, dates)
    table = parse_text(pd.DataFrame({"date": texts}))
    column = table.schema["date"]
    assert (column.kind, column.format) == ("datetime", layout)
    assert table.frame["date"].dt.normalize().tolist() == dates.tolist()
    assert format_column(table.frame["date"], column).tolist() == texts
    assert is_date_layout(layout, timed="%M" in layout)
    day = date_parser(layout)(texts[40])
    assert (day.year, write_date_as(layout, day)) == (dates[40].year, texts[40])


@pytest.mark.parametrize("layout", ["%b-%y", "%^b/%y", "%B %y"])
def test_months_are_read_and_written(layout):
    layout = f"{layout} from 1930"
    dates = pd.Series(pd.date_range("1931-02-01", "2021-05-01", freq="7MS"))
    texts = write_dates_as(layout, dates)
    table = parse_text(pd.DataFrame({"month": texts}))
    column = table.schema["month"]
    assert (column.kind, column.format) == ("datetime", layout)
    assert table.frame["month"].tolist() == dates.tolist()
    assert format_column(table.frame["month"], column).tolist() == texts
    assert is_date_layout(layout, timed=False)


def test_the_number_behind_a_month_may_be_a_day():
    days = [f"{month}-{day:02}" for month in ("May", "Jun") for day in range(1, 30, 7)]
    assert find_first_year(days) is None
    assert find_first_year([*days, "Jul-99"]) == 1990
    assert find_first_year([*days, "Jul-00"]) == 2000
    assert find_first_year(["May-31", "Jun-32"]) == 2030


@pytest.mark.filterwarnings("ignore:Expected dates whose day and month")
@pytest.mark.parametrize(
    "texts",
    [
        [f"{month}-{day:02}" for month in ("May", "Jun") for day in range(1, 32)],
        [f"Level-{n}" for n in range(20, 90)],
        ["1/2/12", "3/4/12", "5/6/13", "7/8/13", "9/10/14"],  # which is the month?
        ["1/31/12", "2/28/12", "3/31/12", "4/30/12"],  # so few
        ["1/31/12", "2/28/12", "3/31/12", "4/31/12", "5/31/13"],
        ["1/31/12", "2/28/12", "3/31/12", "4/30/12", "5/31/2013"],
    ],
)
def test_others_stay_texts(texts):
    assert parse_text(pd.DataFrame({"date": texts})).schema["date"].format is None


def test_a_layout_without_its_first_year_is_none():
    for layout in ("%m/%d/%y", "%y/%m/%d from 1930", "%m/%d/%y from 19"):
        assert not is_date_layout(layout, timed=False)
    assert date_parser("%d.%m.%y from 1930")("31.12.1929") is None


def test_a_domain_may_have_them():
    layout = "%m/%d/%y from 1930"
    column = {"low": "1930-01-01", "high": "2029-12-31", "bins": 10, "format": layout}
    codes = as_domain({"born": column}).encode(pd.DataFrame({"born": ["7/1/62"]}))
    assert codes.ravel().tolist() == [3]


@pytest.mark.parametrize("sep", "-./")
def test_years_that_may_be_first_are_asked_for(sep):
    days = pd.date_range("2010-01-20", "2023-03-01", freq="17D")
    for layout in (f"%y{sep}%m{sep}%d", f"%d{sep}%m{sep}%y"):
        texts = days.strftime(layout)
        column = parse_text(pd.DataFrame({"date": texts})).schema["date"]
        is_day_first = layout.startswith("%d")
        assert column.kind == ("datetime" if is_day_first else "categorical")
    firsts = pd.date_range("2010-01-01", "2023-03-01", freq="MS")
    texts = firsts.strftime(f"%d{sep}%m{sep}%y")  # the 1st of each month, or 2001
    assert parse_text(pd.DataFrame({"date": texts})).schema["date"].format is None


def test_codes_in_three_parts_are_no_dates():
    codes = [f"01.{group}.{kind}" for group in range(11, 31) for kind in range(10, 20)]
    assert parse_text(pd.DataFrame({"product": codes})).schema["product"].format is None


def test_a_cell_that_is_none_is_refused_where_a_schema_says_the_layout():
    dates = pd.DataFrame({"born": ["1/31/62", "2/1/75"]})
    schema = parse_text(dates).schema
    with pytest.raises(SchemaError, match=r"'born'.* Received 'unknown'"):
        parse_text(dates.replace("2/1/75", "unknown"), schema)
