"""When rows of persons come, and whether others can follow."""

from types import SimpleNamespace

import numpy as np
import pytest

from coclust_synth.generators.plain.persons.known.person_times import (
    Times,
    room_of_rows,
)

YEARS = np.array([2001.0, 2002, 2003, 2005, 2008])


def waves(since="year", above=()):
    return Times("year", since, above, YEARS, 1.0)


def days(since="day", above=()):
    return Times("day", since, above, np.array([100.0]), 1.0)


def numbers(**columns):
    return {name: np.array(x, dtype=float) for name, x in columns.items()}


def test_a_wave_follows_but_the_last():
    assert waves().goes_on(numbers(year=[2001, 2005, 2008])).tolist() == [1, 1, 0]


def test_no_wave_follows_that_is_after_an_end():
    own = numbers(year=[2001, 2003, 2003, 2003], end=[2001, 2004, 2005, np.nan])
    assert waves(above=("end",)).goes_on(own).tolist() == [0, 0, 1, 1]


def test_no_row_follows_before_the_last_one_ended():
    own = numbers(year=[2001, 2003, 2003], left=[2008, 2009, 2004])
    assert waves(since="left").goes_on(own).tolist() == [1, 0, 1]
    own = numbers(day=[10, 99, 100, 50], left=[100, 99, 100, 101])
    assert days(since="left").goes_on(own).tolist() == [1, 1, 0, 0]


def test_what_is_missing_ends_nothing():
    assert waves().goes_on(numbers(year=[np.nan])).all()
    assert days().goes_on(numbers(day=[np.nan])).all()
    own = numbers(year=[2001], left=[np.nan])
    assert waves(since="left").goes_on(own).all()


@pytest.mark.parametrize("n_rows, latest", [(1, 2008), (2, 2005), (5, 2001), (9, 2001)])
def test_waves_leave_room_for_more(n_rows, latest):
    first, last = waves().between("rows")(numbers(rows=[n_rows]))
    assert (first, last.tolist()) == (-np.inf, [latest])


def test_rows_come_after_the_last_one_and_leave_room_before_an_end():
    between = waves(above=("end",)).between("left", "year before")
    own = numbers(left=[2, 2], end=[2004, 2009]) | {
        "year before": np.array([2001, 2002])
    }
    first, last = between(own)
    assert first.tolist() == [2002, 2003]
    assert last.tolist() == [2002, 2005]
    between = days(above=("end",)).between("left", "day before")
    own = numbers(left=[3, 1], end=[50, 500]) | {"day before": np.array([7, 8])}
    first, last = between(own)
    assert first.tolist() == [8, 9]
    assert last.tolist() == [48, 100]


def test_any_time_will_do_before_it_is_known_how_many_come():
    assert waves().between("rows")({}) == (-np.inf, np.inf)


def test_a_row_leaves_room_for_those_to_come():
    times = Times("day", "day", ("end",), np.array([100.0]), 1.0, most_rooms=2.0)
    between = times.between("left", "day before")
    own = numbers(left=[5, 4, 3, 5, 5], end=[np.nan, np.nan, np.nan, 40, 10])
    first, last = between(own | {"day before": np.array([0.0, 0, 0, 0, 50])})
    assert first.tolist() == [1, 1, 1, 1, 51]
    # Twice a fifth or a fourth of what is left; of three rows anything.
    assert last.tolist() == [40, 50, 98, 16, 6]
    assert np.isinf(days().most_rooms)


def test_a_row_has_room_after_the_end_of_a_long_one():
    times = Times("day", "out", (), np.array([100.0]), 1.0, most_rooms=2.0)
    between = times.between("left", "day before", "out before")
    own = numbers(left=[5, 5, 5])
    own |= {"day before": np.zeros(3), "out before": np.array([10.0, 40, np.nan])}
    assert between(own)[1].tolist() == [40, 80, 40]


def test_room_is_told_of_any_span_and_step():
    """Of a century in nanoseconds, as of ten years."""
    for first, last, step, per_day in (
        (0, 100 * 366 * 86_400 * 10**9, 1, 86_400 * 10**9),
        (1990, 2000, 1, 1),
    ):
        parts = SimpleNamespace(lows=np.array([first]), highs=np.array([last]))
        scale = SimpleNamespace(per_day=per_day, ruler=SimpleNamespace(step=step))
        begin = np.array([first, first, last]) / per_day
        ends = {"end": np.array([np.nan, (first + last) / 2, np.nan]) / per_day}
        left = np.array([2, 2, 1])
        room = room_of_rows(begin, left, ends, ("end", "other"), parts, scale)
        assert room[0] == 2 * room[1] > room[2] == 0
        assert room.dtype == np.int64
