"""Calendars, prefixes and ladders: what each value is in, by hand."""

import datetime
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.tables.column import Column
from coclust_synth.tables.hierarchies.built_in import built_in_hierarchy
from coclust_synth.tables.hierarchies.columns import code_leaves
from coclust_synth.tables.hierarchy_formats import (
    read_amnesia,
    read_arx,
    write_hierarchy,
)
from coclust_synth.tables.reading.infer import conform
from coclust_synth.tables.schema import Schema


def suggested(values):
    frame = pd.DataFrame({"x": values})
    columns, leaves, _ = code_leaves(frame, infer_schema(frame).keep("x"))
    return built_in_hierarchy(columns[0], leaves[0])


def paths(hierarchy):
    return dict(zip(hierarchy.leaves, hierarchy.lines(), strict=True))


def test_dates_are_in_months_quarters_years_and_decades():
    days = pd.date_range("2009-01-01", "2022-12-31", freq="D")
    found = suggested(days)
    line = paths(found)[pd.Timestamp("2019-05-07")]
    assert line == (
        *("2019-05-07", "2019-05", "2019 Q2", "2019"),
        *("2015-2019", "2010s", "*"),
    )
    assert found.ordered and len(found.labels) == 7
    dates = [datetime.date(2019, 5, 7), datetime.date(2019, 5, 8)] * 3
    assert suggested(pd.Series(dates, dtype=object)) is None  # one month: no groups


def test_dates_in_texts_and_in_numbers_have_the_months_of_their_layout():
    days = pd.date_range("2019-01-01", "2020-12-31", freq="D")
    for written in (days.strftime("%d/%m/%Y"), days.strftime("%Y%m%d").astype(int)):
        found = suggested(written)
        months = [line[1] for line in found.lines()]
        assert months == list(days.strftime("%Y-%m"))


def test_moments_are_on_days():
    moments = pd.date_range("2019-05-06", "2019-06-30 23:00", freq="h")
    line = paths(suggested(moments))[pd.Timestamp("2019-05-07 13:00")]
    assert line == ("2019-05-07T13:00:00", "2019-05-07", "2019-05", "*")


def test_a_code_is_among_those_that_begin_with_it():
    codes = [f"{of}{end}" for of in ("A00", "A01", "B10") for end in ("", ".1", ".2")]
    found = paths(suggested(codes))
    assert found["A00"] == ("A00", "A00*", "A*", "*")
    assert found["A00.1"][1:] == found["A00"][1:] != found["A01"][1:]


def test_a_level_that_gathers_nothing_is_left_out():
    days = [f"{year}-01-0{day}" for year in range(1990, 2010) for day in (1, 2)]
    found = suggested(pd.to_datetime(days))
    assert [len(nodes) for nodes in found.labels] == [40, 20, 4, 2, 1]
    assert found.labels[1][0] == "1990-01"
    assert found.labels[2] == ("1990-1994", "1995-1999", "2000-2004", "2005-2009")


def test_codes_are_under_shorter_codes():
    codes = [
        f"{letter}{n:02d}.{d}" for letter in "ABC" for n in range(20) for d in "01"
    ]
    found = suggested(codes)
    assert paths(found)["B17.1"] == ("B17.1", "B17*", "B1*", "B*", "*")
    zips = [f"{n:05d}" for n in range(1000, 95000, 700)]
    assert paths(suggested(zips))["01000"][-2:] == ("0*", "*")


def test_numbers_that_are_codes_are_under_their_first_digits():
    zips = [501, *range(10_001, 10_020), *range(94_102, 94_140, 2)]
    own = Schema((Column(name="zip", kind="categorical"),))
    table = conform(pd.DataFrame({"zip": zips}), own)
    columns, leaves, _ = code_leaves(*table)
    found = paths(built_in_hierarchy(columns[0], leaves[0]))
    assert found[501] == ("501", "0050*", "0*", "*")
    assert found[10_013] == ("10013", "1001*", "1*", "*")


def test_codes_of_several_lengths():
    codes = ["A1", *[f"A1{n}" for n in range(9)], *[f"B2{n}" for n in range(9)]]
    found = paths(suggested(codes))
    assert found["A1"] == ("A1", "A*", "*")  # A1* is all of them
    assert found["A13"] == ("A13", "A*", "*")


@pytest.mark.parametrize(
    "values",
    [
        ["cook", "nurse", "smith", "baker", "clerk", "priest", "farmer", "miner"],
        [*"ABCDEFGH"],
        ["A1", "B2"] * 5,
        ["no", "yes"] * 5,
        [True, False] * 5,
        [1, 2, 3],
    ],
)
def test_what_has_no_hierarchy_of_its_own(values):
    assert suggested(values) is None


def test_numbers_are_in_intervals_of_five_ten_and_fifty():
    found = suggested(np.arange(-12, 120))
    assert paths(found)[-12][1:] == (
        "[-15, -10[",
        "[-20, -10[",
        "[-50, 0[",
        "[-100, 0[",
        "*",
    )
    assert paths(found)[99][1:3] == ("[95, 100[", "[90, 100[")
    tenths = paths(suggested(np.arange(0, 30) / 10))
    assert tenths[0.7][1:] == ("[0.5, 1[", "[0, 1[", "*")
    assert tenths[2.9][1] == "[2.5, 3["


def test_missing_values_join_in_the_root():
    found = suggested(pd.Series([None, *range(40)], dtype="Int64"))
    assert found.leaves[-1] is None
    assert paths(found)[None] == ("", "", "", "*") or paths(found)[None][-1] == "*"
    assert all("" in labels for labels in found.labels[:-1])


def test_numbers_of_any_size_have_few_levels():
    values = np.array([1e-9, 3e-9, 5.0, 7e11, 9e14])
    found = suggested(values)
    assert found is None or len(found.labels) < 60
    far = suggested(np.array([*range(100), 1e20]))
    assert "[0, 10[" in paths(far)[3]
    heavy = np.round(np.exp(np.random.default_rng(0).normal(6, 2, 500)), 2)
    sizes = [len(nodes) for nodes in suggested(heavy).labels]
    assert all(b <= 0.8 * a for a, b in pairwise(sizes))


@pytest.mark.parametrize(
    "values", [[1e30, -1e30, 0.001, 1], [1e308, -1e308, 0, 1], [5e-324, 1e-300, 0, 1]]
)
def test_numbers_too_far_apart_for_a_ladder_have_none(values):
    assert suggested(np.array(values)) is None


@pytest.mark.parametrize(
    "values",
    [
        pd.date_range("2009-01-01", "2012-12-31", freq="D"),
        [f"{letter}{n:02d}.{d}" for letter in "ABC" for n in range(9) for d in "01"],
        np.arange(-30, 90),
    ],
)
def test_other_tools_read_them(values, tmp_path):
    """ARX: leaf first, root last, one parent and one group for each label."""
    found = suggested(values)
    write_hierarchy(found, tmp_path / "t_hierarchy_x.csv", "arx")
    lines = (tmp_path / "t_hierarchy_x.csv").read_text().splitlines()
    lines = [line.split(";") for line in lines]
    assert [line[0] for line in lines] == list(found.labels[0])
    assert {len(line) for line in lines} == {found.height + 1}
    assert {line[-1] for line in lines} == {"*"}
    for level in range(found.height):
        parents = {}
        for line in lines:
            assert parents.setdefault(line[level], line[level + 1]) == line[level + 1]
    assert read_arx(tmp_path / "t_hierarchy_x.csv").labels == found.labels
    write_hierarchy(found, tmp_path / "t_amnesia_x.txt", "amnesia")
    assert len(read_amnesia(tmp_path / "t_amnesia_x.txt").leaves) == len(found.leaves)
