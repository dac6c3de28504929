"""Times without a date: in texts, in tables, and where dates are otherwise."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth import CoclusterSynthesizer, Column, Schema, infer_schema
from coclust_synth.exceptions import ParameterError, SchemaError, TableError
from coclust_synth.tables.clock import (
    LAYOUTS,
    has_halves,
    has_hours,
    has_seconds,
    read_times,
    write_date_as,
    write_dates_as,
    write_times,
)
from coclust_synth.tables.conditions.parsing import parse_given
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.draft import draft_domain
from coclust_synth.tables.hierarchies.built_in import built_in_hierarchy
from coclust_synth.tables.hierarchies.columns import code_leaves, match_column
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.layouts import date_parser, is_date_layout
from coclust_synth.tables.reading.texts.text import format_column
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.series import from_values


@given(
    st.lists(st.integers(0, 10**7), min_size=1, max_size=20), st.sampled_from(LAYOUTS)
)
def test_what_is_written_is_read(seconds, layout):
    if not has_seconds(layout):
        seconds = [60 * (second // 60) for second in seconds]
    if has_halves(layout):
        seconds = [second % 86_400 for second in seconds]
    texts = write_times(np.array(seconds), layout)
    for asked in (layout, None):
        read, found = read_times(texts, asked)
        assert read.tolist() == seconds
        assert write_times(read, found) == texts


@pytest.mark.parametrize(
    ("texts", "layout"),
    [
        (["08:30", "17:05"], "hh:mm"),
        (["8:30", "17:05"], "h:mm"),
        (["10:30", "17:05"], "hh:mm"),
        (["00:00:01"], "hh:mm:ss"),
        (["0:00:01", "125:10:00"], "h:mm:ss"),
        (["8:30 PM", "12:05 AM"], "h:mm AM"),
        (["08:30 PM", "11:05 AM"], "hh:mm AM"),
        (["8:30:00pm", "12:05:59am"], "h:mm:ssam"),
        (["8:30 p.m.", "11:05 a.m."], "h:mm a.m."),
        (["08h30", "19h25"], "hh'h'mm"),
        (["8h30", "125h25"], "h'h'mm"),
    ],
)
def test_the_layout_is_found(texts, layout):
    assert read_times(texts, None)[1] == layout


@pytest.mark.parametrize(
    "texts",
    [
        ["08:60"],
        ["08:30", "8:30"],  # of two layouts: neither writes both back
        ["08:30", "08:30:00"],
        ["08h30", "08:30"],
        ["08h30", "19h"],
        ["08h60"],
        ["-1:30"],
        ["8:30 PM", "17:00"],
        ["13:30 PM"],
        ["0:30 AM"],
        ["8:30 PM", "8:30 am"],
        ["8:30 P"],
        ["1:23.4"],
        ["8"],
        [""],
    ],
)
def test_others_are_no_times(texts):
    assert read_times(texts, None) is None


def test_a_layout_that_is_given_reads_hours_of_one_digit():
    assert read_times(["8:30"], "hh:mm")[0].tolist() == [30_600]
    assert read_times(["8:30"], "hh:mm:ss") is None
    assert read_times(["8h30"], "hh'h'mm")[0].tolist() == [30_600]
    assert read_times(["8:30"], "hh'h'mm") is read_times(["8h30"], "hh:mm") is None


def test_a_column_of_a_file():
    cells = pd.DataFrame({"came": ["09:15", "", "17:00"], "x": ["1", "2", "4"]})
    table = parse_text(cells)
    column = table.schema["came"]
    assert (column.kind, column.format) == ("datetime", "hh:mm")
    assert column.is_time and column.compared_as == "time"
    assert (column.bounds, column.step) == (("09:15:00", "17:00:00"), 900)
    assert table.frame["came"].tolist()[::2] == ["09:15", "17:00"]
    assert format_column(table.frame["came"], column).tolist() == ["09:15", "", "17:00"]
    schema = Schema.from_toml(table.schema.to_toml())
    assert schema["came"] == column


def test_bounds_are_in_order_beyond_a_hundred_hours():
    cells = pd.DataFrame({"on": ["9:00", "99:30", "125:00"], "x": ["1", "2", "4"]})
    column = parse_text(cells).schema["on"]
    assert column.bounds == ("09:00:00", "125:00:00")
    with pytest.raises(SchemaError, match=r"to 125:00:00\. Received '126:00:00'"):
        to_values(pd.Series(["126:00"]), column)


@pytest.mark.parametrize("bounds", [("08:00", "10:00"), ("1970-01-01", "1970-01-02")])
def test_bounds_that_are_no_times_are_refused(bounds):
    column = Column(
        name="x", kind="datetime", dtype="str", format="hh:mm", unit="s", bounds=bounds
    )
    with pytest.raises(SchemaError, match="`bounds` that are times, such as 08:30:00"):
        to_values(pd.Series(["08:00"]), column)


def test_bounds_against_each_other_are_refused():
    with pytest.raises(SchemaError, match=r"\[lowest, highest\]"):
        Column(name="x", kind="datetime", bounds=("17:00:00", "9:00:00"))


def test_objects_of_times_come_back():
    times = [datetime.time(9, 15), None, datetime.time(17, 0, 5)]
    frame = pd.DataFrame({"came": times, "x": [1, 2, 4]})
    column = infer_schema(frame)["came"]
    assert (column.kind, column.dtype, column.unit) == ("datetime", "object[time]", "s")
    assert column.is_time
    values, missing = to_values(frame["came"], column)
    assert values.tolist() == [33_300, 0, 61_205]
    assert from_values(values, missing, column).tolist() == times
    assert format_column(frame["came"], column).tolist() == ["09:15:00", "", "17:00:05"]


@pytest.mark.parametrize(
    "time", [datetime.time(9, 15, 0, 5), datetime.time(9, tzinfo=datetime.UTC)]
)
def test_objects_of_other_times_are_refused(time):
    frame = pd.DataFrame({"came": [time, datetime.time(8)]})
    with pytest.raises(TableError, match="times in whole seconds, without a time zone"):
        infer_schema(frame)


def calls(n=800):
    """Calls with their day, time, moment, length and end, some of it told twice."""
    rng = np.random.default_rng(0)
    day = np.datetime64("2023-01-01") + rng.integers(0, 300, n)
    minute, length = rng.integers(300, 1380, n), 30 + rng.integers(0, 9000, n)
    start = day.astype("M8[s]") + minute * np.timedelta64(60, "s")
    return pd.DataFrame(
        {
            "day": day,
            "time": write_times(60 * minute, "hh:mm"),
            "start": start,
            "length": write_times(length, "h:mm:ss"),
            "end": start + length.astype("m8[s]"),
            "seconds": length,
            "fee": rng.integers(0, 50, n),
        }
    )


@pytest.mark.slow
def test_times_add_up_with_dates_and_numbers():
    synthesizer = CoclusterSynthesizer(n_iterations=1, random_state=0).fit(calls())
    rules = {str(rule) for rule in synthesizer.rules_}
    assert {
        "day = date of start",
        "time = time of start",
        "end = start + seconds / 86400",
        "seconds = 86400 * length",
    } <= rules
    # A time is no date: always before one, and of no age.
    assert not any(rule.startswith(("time <=", "length <=")) for rule in rules)
    rows = synthesizer.sample(300)
    moment = pd.to_datetime(rows["start"])
    assert (rows["day"] == moment.dt.normalize()).all()
    assert (rows["time"] == moment.dt.strftime("%H:%M")).all()
    seconds = read_times(rows["length"].tolist(), "h:mm:ss")[0]
    assert (rows["seconds"] == seconds).all()
    assert (rows["end"] - rows["start"]).dt.total_seconds().tolist() == seconds.tolist()


def test_hours_of_a_day_are_a_hierarchy():
    times = "00:10 00:20 02:00 07:45 07:50 13:05 13:50 16:00 23:58 23:59".split()
    frame = pd.DataFrame({"came": times})
    columns, leaves, _ = code_leaves(frame, infer_schema(frame))
    levels = built_in_hierarchy(columns[0], leaves[0]).labels
    assert levels[1][1:4] == ("[00:15, 00:30[", "[02:00, 02:15[", "[07:45, 08:00[")
    assert levels[-2] == (
        "[00:00, 06:00[", "[06:00, 12:00[", "[12:00, 18:00[", "[18:00, 24:00["
    )  # fmt: skip


def test_leaves_of_a_file_are_put_in_the_order_of_time():
    column = parse_text(
        pd.DataFrame({"came": ["9:00", "10:00"], "x": ["1", "2"]})
    ).schema["came"]
    lines = [("10:00", "late", "*"), ("12:00", "late", "*"), ("9:00", "early", "*")]
    hierarchy = GeneralizationHierarchy.from_lines("came", lines, ordered=False)
    found = match_column(hierarchy, pd.Series(["9:00", "10:00"]), column)
    assert found.leaves == ("9:00", "10:00", "12:00")


def test_conditions_compare_times_with_times():
    schema = infer_schema(calls())
    (condition,) = parse_given("time>=15:00", schema)
    frame = calls()
    holds = condition.holds({"time": frame["time"]})
    assert (holds == (frame["time"] >= "15:00")).all()
    with pytest.raises(ParameterError, match="a time such as 08:30"):
        parse_given("time>=2023-01-01", schema)
    with pytest.raises(ParameterError, match="a date such as 2020-12-31"):
        parse_given("start>=15:00", schema)


def test_times_are_declared_between_whole_hours():
    texts = calls()[["time", "fee"]].astype(str)
    found = draft_domain(texts).columns["time"]
    assert found.format == "hh:mm"
    assert [end.seconds % 3600 for end in found.ends] == [0, 59 * 60]
    frame = calls()[["time"]]
    assert Domain.from_frame(frame, infer_schema(frame))["time"] == found


@pytest.mark.parametrize(
    "layout",
    [
        "%d-%b-%Y",
        "%d%^b%Y",
        "%-d %B %Y",
        "%B %-d, %Y",
        "%B %e, %Y",
        "%a %b %e %H:%M:%S %Y",
        "%b %d, %Y",
        "%b-%Y",
        "%^b %Y",
        "%d/%b/%Y %H:%M",
        "%A, %B %-d, %Y",
        "%A, %B %e, %Y",
        "%a %d %b %Y",
        "%b %d, %Y, %-I:%M %p",
        "%a, %d %b %Y %H:%M:%S GMT",
        "%a %b %d %H:%M:%S %Y",
        "%a %b %d %H:%M:%S +0000 %Y",
    ],
)
def test_months_may_have_names(layout):
    dates = pd.Series(pd.date_range("1959-01-09 09:30", "2021-05-01", freq="13D"))
    texts = [*dict.fromkeys(write_dates_as(layout, dates))]
    assert "1959" in texts[0]
    assert texts[0].upper().find("JAN") >= 0
    table = parse_text(pd.DataFrame({"date": texts}))
    column = table.schema["date"]
    assert (column.kind, column.format) == ("datetime", layout)
    assert format_column(table.frame["date"], column).tolist() == texts
    assert is_date_layout(layout, timed=has_hours(layout))
    day = date_parser(layout)(texts[40])
    assert write_date_as(layout, day) == texts[40]


@pytest.mark.parametrize(
    "texts",
    [
        ["31-Dec-2020", "01-jan-2021"],
        ["31-Dec-2020", "01-JAN-2021"],
        ["31-Dec-2020", "1 Jan 2021"],
        ["31-Dec-2020", "31-Nov-2020"],
        ["Dec-2020", "Dez-2020"],
        ["December 2020", "Jan 2021"],
        ["1 Plan 2020", "2 Plan 2021"],
        ["Fri 1 Jan 2021", "Mon 2 Jan 2021"],  # was a Saturday
        ["Fri 1 Jan 2021", "2 Jan 2021"],
        ["Fri Jan 01 10:00:00 2021", "Mon Jan 02 10:00:00 2021"],
        ["Thu, 31 Dec 2020 10:00:00 GMT", "Fri, 01 Jan 2021 10:00:00 UTC"],
    ],
)
def test_other_words_stay_texts(texts):
    assert parse_text(pd.DataFrame({"date": texts})).schema["date"].format is None


@pytest.mark.parametrize(
    "layout",
    [
        "%-m/%-d/%Y, %-I:%M:%S %p",
        "%d/%m/%Y, %H:%M",
        "%-d.%-m.%Y, %-H:%M",
        "%d/%m/%y, %H:%M from 2010",
    ],
)
def test_a_comma_may_stand_before_a_time(layout):
    dates = pd.Series(pd.date_range("2014-05-02", periods=60, freq="1000min"))
    texts = write_dates_as(layout, dates)
    column = parse_text(pd.DataFrame({"date": texts})).schema["date"]
    assert (column.kind, column.format) == ("datetime", layout)
    assert is_date_layout(layout, timed=True)
    assert write_date_as(layout, date_parser(layout)(texts[40])) == texts[40]


@pytest.mark.parametrize("layout", ["%Y%m%dT%H%M%S", "%Y%m%dT%H%M%SZ"])
@pytest.mark.parametrize("step", ["1D", "1000min"])
def test_dates_of_iso_8601_in_short(layout, step):
    dates = pd.Series(pd.date_range("2014-05-02", periods=60, freq=step))
    texts = dates.dt.strftime(layout).tolist()
    table = parse_text(pd.DataFrame({"date": texts}))
    column = table.schema["date"]
    assert (column.kind, column.format) == ("datetime", layout)
    assert format_column(table.frame["date"], column).tolist() == texts
    assert is_date_layout(layout, timed=True)
    assert write_date_as(layout, date_parser(layout)(texts[40])) == texts[40]


@pytest.mark.parametrize(
    "layout, text",
    [
        ("%-m/%-d/%Y %-H:%M", "3/14/2025 0:00"),
        ("%d.%m.%Y %-I:%M %p", "14.03.2025 12:00 AM"),
        ("%Y-%m-%d %H:%M:%S", "2025-03-14 00:00:00"),
        ("%b %-d, %Y", "Mar 14, 2025"),
    ],
)
def test_a_date_alone_is_its_midnight(layout, text):
    day = datetime.date(2025, 3, 14)
    midnight = datetime.datetime.combine(day, datetime.time())
    assert write_date_as(layout, day) == write_date_as(layout, midnight) == text


@pytest.mark.parametrize("layout", ["%Y-%m", "%Y/%m", "%m/%Y", "%m-%Y"])
def test_months_in_texts_are_dates(layout):
    texts = pd.date_range("1998-11-01", "2001-02-01", freq="MS").strftime(layout)
    table = parse_text(pd.DataFrame({"month": texts}))
    column = table.schema["month"]
    assert (column.kind, column.format) == ("datetime", layout)
    assert format_column(table.frame["month"], column).tolist() == texts.tolist()
    for others in (texts[2:6], [*texts, "2001-13"], [*texts, "1007-12"], texts[2:14]):
        column = parse_text(pd.DataFrame({"month": [*others]})).schema["month"]
        assert column.kind == "categorical"
