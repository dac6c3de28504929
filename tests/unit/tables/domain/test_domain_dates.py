"""Dates as numbers, and the calendar they are cut along."""

from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth.tables.domain.layouts import (
    SECONDS_A_DAY,
    parse_date,
    period_starts,
    seconds_of,
)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("2024-12-31", date(2024, 12, 31)),
        ("2024-12-31T23:59", datetime(2024, 12, 31, 23, 59)),
        ("2024-12-31 23:59:58", datetime(2024, 12, 31, 23, 59, 58)),
        ("2024-12-31T23:59:58.999", datetime(2024, 12, 31, 23, 59, 58)),
        ("0001-01-01", date(1, 1, 1)),
        ("2024-02-30", None),
        ("2024-12-31T24:01", None),
        ("2024-12-31T10:00Z", None),
        ("2024-12-31T10:00+01:00", None),
        ("20241231", None),
        ("2024-W01-1", None),
        ("24-12-31", None),
        ("31/12/2024", None),
        ("2024-12-31T", None),
        ("٢٠٢٤-12-31", None),
        ("", None),
    ],
)
def test_what_text_is_a_date(text, expected):
    found = parse_date(text)
    assert found == expected and type(found) is type(expected)


@given(st.datetimes())
def test_seconds_are_those_of_numpy(instant):
    instant = instant.replace(microsecond=0)
    assert seconds_of(instant) == int(np.datetime64(instant, "s").astype(np.int64))
    day = instant.date()
    assert seconds_of(day) == int(np.datetime64(day, "D").astype(int)) * SECONDS_A_DAY


@given(st.dates(), st.integers(0, 800), st.sampled_from(["week", "month", "year"]))
def test_periods_are_those_of_the_calendar(first, n_days, step):
    low = seconds_of(first) // SECONDS_A_DAY
    high = min(low + n_days, seconds_of(date.max) // SECONDS_A_DAY)
    period = {
        "week": lambda d: d.isocalendar()[:2],
        "month": lambda d: (d.year, d.month),
        "year": lambda d: d.year,
    }[step]
    days = [date.fromordinal(719163 + d) for d in range(low, high + 1)]
    # A period starts where the day before is of another one.
    expected = [low] + [
        low + i for i in range(1, len(days)) if period(days[i]) != period(days[i - 1])
    ]
    assert period_starts(low, high, step, 1).tolist() == expected


def test_periods_of_seconds_start_at_midnight():
    low, high = (seconds_of(datetime(2024, m, 15, 10)) for m in (1, 3))
    starts = period_starts(low, high, "month", SECONDS_A_DAY)
    midnights = [seconds_of(date(2024, m, 1)) for m in (2, 3)]
    assert starts.tolist() == [low, *midnights]
    weeks = period_starts(low, high, 7, SECONDS_A_DAY)
    assert (np.diff(weeks) == 7 * SECONDS_A_DAY).all() and weeks[0] == low
