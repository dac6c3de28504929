"""Dates that a spreadsheet of another country laid out anew, to the 12th of a month."""

import datetime
import warnings

import pandas as pd
import pytest

from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.clock import write_date_as, write_dates_as
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.layouts import date_parser, is_date_layout
from coclust_synth.tables.reading.texts.text import format_column
from coclust_synth.tables.values.date_layouts import layouts_by_day
from coclust_synth.tables.values.dtypes import read_dates

DAYS = pd.Series(pd.date_range("2013-01-09", "2015-05-01", freq="5D"))


@pytest.mark.parametrize(
    "layout",
    [
        "%-m/%-d/%Y; to the 12th %m-%d-%Y",
        "%-m/%-d/%y from 2010; to the 12th %m-%d-%Y",
        "%-m/%-d/%Y; to the 12th %m-%d-%y from 2010",
        "%d/%m/%Y; to the 12th %-d/%-m/%Y",
        "%-m/%-d/%Y %-H:%M; to the 12th %m-%d-%Y %H:%M",
    ],
)
def test_what_is_read_is_written(layout):
    is_timed = "%M" in layout
    dates = DAYS + pd.Timedelta("9:05:00") if is_timed else DAYS
    texts = write_dates_as(layout, dates)
    with pytest.warns(DataWarning, match="to the 12th"):
        table = parse_text(pd.DataFrame({"date": texts}))
    column = table.schema["date"]
    assert (column.kind, column.format) == ("datetime", layout)
    assert table.frame["date"].tolist() == dates.tolist()
    assert format_column(table.frame["date"], column).tolist() == texts
    assert is_date_layout(layout, timed=is_timed)
    for text in texts[:9]:
        assert write_date_as(layout, date_parser(layout)(text)) == text


def test_whole_years_say_that_others_are_last_too():
    dates = pd.Series(pd.date_range("2001-01-01", "2013-12-31", freq="7D"))
    layout = "%-m/%-d/%Y; to the 12th %m-%d-%y from 2000"
    reading = read_dates(write_dates_as(layout, dates), None)
    assert reading is not None and reading.fields["format"] == layout
    shortened = "%-m/%-d/%y from 2000; to the 12th %m-%d-%y from 2000"
    assert read_dates(write_dates_as(shortened, dates), None) is None


def test_numbers_stand_in_one_order():
    # A table of hires whose original is public has 5/20/2014 and, of 7 May, 5/7/2014.
    parse = date_parser("%-m/%-d/%Y; to the 12th %m-%d-%Y")
    assert parse("05-07-2014") == datetime.date(2014, 5, 7)
    assert parse("5/20/2014") == datetime.date(2014, 5, 20)
    assert parse("20.5.2014") is None


LATE = [f"5/{day}/2014" for day in range(13, 31)]
EARLY = [f"05-{day:02}-2014" for day in range(1, 13)]


@pytest.mark.parametrize(
    "texts",
    [
        [*LATE, *EARLY, "5/7/2014"],  # by hand: the other ones may be of any order
        [*LATE, *EARLY, "05-13-2014"],
        [*LATE, *EARLY[:6]],  # too few to be sure
        [*LATE[:6], *EARLY],
        [*LATE, *EARLY, "13/5/2014"],
        [*LATE, *(text.replace("05-", "17-") for text in EARLY)],
    ],
)
def test_where_the_day_does_not_part_them_they_are_texts(texts):
    assert read_dates(texts, None) is None


def test_who_looks_at_a_table_is_told():
    layout = "%-m/%-d/%Y; to the 12th %m-%d-%Y"
    frame = pd.DataFrame({"died": write_dates_as(layout, DAYS)})
    with pytest.warns(
        DataWarning, match=r"'died' \(%-m/%-d/%Y; to the 12th %m-%d-%Y\)"
    ):
        schema = parse_text(frame).schema
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        parse_text(frame, schema)


def test_centuries_agree():
    late = [f"5/{day}/{year}" for day in range(13, 20) for year in (62, 75)]
    early = [f"05-{day:02}-{year}" for day in range(1, 9) for year in (15, 31)]
    assert not layouts_by_day([*late, *early])
