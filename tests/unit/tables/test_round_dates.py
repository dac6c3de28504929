import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coclust_synth.tables.draws.rulers import (
    make_ruler,
    roundest_instant,
    ruler_from_dict,
)


def instants(*texts, unit):
    return np.array(texts, dtype=f"M8[{unit}]").astype(np.int64)


def between(first, last, unit, step=1):
    a, b = instants(first, last, unit=unit)
    found = roundest_instant(np.array([a]), np.array([b]), unit, step)
    return str(found.astype(f"M8[{unit}]")[0])


@pytest.mark.parametrize(
    "first, last, unit, expected",
    [
        ("1987-03-04", "2004-03-04", "D", "2000-01-01"),
        ("2003-03-04", "2009-03-04", "D", "2005-01-01"),
        ("2019-12-31", "2020-01-02", "D", "2020-01-01"),
        ("2020-01-01", "2020-12-01", "D", "2020-07-01"),
        ("2020-02-02", "2020-05-01", "D", "2020-04-01"),
        ("2020-02-02", "2020-03-02", "D", "2020-03-01"),
        ("2020-02-02", "2020-02-20", "D", "2020-02-11"),
        ("2020-02-11", "2020-02-19", "D", "2020-02-16"),
        ("1935-02-02", "1935-02-04", "D", "1935-02-03"),
        ("1935-02-02", "1935-02-03", "D", "1935-02-02"),
        ("2020-02-02T04:05:06", "2020-02-03T01:00:00", "s", "2020-02-03T00:00:00"),
        ("2020-02-02T04:05:06", "2020-02-02T04:50:00", "s", "2020-02-02T04:30:00"),
        ("2020-02-02T04:05:06", "2020-02-02T04:05:09", "s", "2020-02-02T04:05:08"),
        (
            "2020-02-02T04:05:06.123",
            "2020-02-02T04:05:06.789",
            "ms",
            "2020-02-02T04:05:06.500",
        ),
    ],
)
def test_first_of_the_largest_unit(first, last, unit, expected):
    assert between(first, last, unit) == expected


def roundness(day):
    """How round a day is, naively: a smaller number is rounder."""
    tests = [day.year % n == 0 for n in (100, 50, 20, 10, 5, 2, 1)]
    tests = [day.month == day.day == 1 and test for test in tests]
    tests += [day.day == 1 and (day.month - 1) % n == 0 for n in (6, 3, 1)]
    tests += [(day.day - 1) % n == 0 for n in (10, 5, 2, 1)]
    return tests.index(True)


@settings(deadline=None)
@given(
    st.dates(datetime.date(1800, 1, 1), datetime.date(2200, 1, 1)), st.integers(2, 900)
)
def test_no_day_between_is_rounder(first, gap):
    days = [first + datetime.timedelta(k) for k in range(1, gap)]
    expected = min(days, key=roundness)
    last = first + datetime.timedelta(gap)
    assert between(str(first), str(last), "D") == str(expected)


def test_a_step_is_kept_to():
    # Times to the minute; weeks, of which no first day is round here.
    assert between("2020-02-02T04:05", "2020-02-02T04:50", "s", 60)[11:] == "04:30:00"
    week = instants("2020-01-02", "2020-01-09", unit="D")
    assert (week % 7 == 0).all()
    assert between("2020-01-02", "2020-01-30", "D", 7) == "2020-01-02"


def test_the_ruler_of_a_column_of_dates():
    ruler = make_ruler("datetime", 1, unit="D")
    a, b = instants("2020-01-20", "2020-03-20", unit="D")
    cut = ruler.roundest([a], [b])
    assert str(cut.astype("M8[D]")[0]) == "2020-02-01"
    assert ruler_from_dict(ruler.to_dict()) == ruler
    # Where the calendar has nothing on the steps, a multiple of them.
    weekly = make_ruler("datetime", 7, unit="D")
    a, b = instants("2020-01-02", "2020-01-16", unit="D")
    assert str(weekly.roundest([a], [b]).astype("M8[D]")[0]) == "2020-01-09"
