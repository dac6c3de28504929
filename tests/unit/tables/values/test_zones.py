"""Times with the offset of a zone that has summer and winter."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import Schema
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.text import format_column
from coclust_synth.tables.values.zones import ahead, zone_of

_SUMMER_AND_WINTER = np.array(["2024-07-01T12:00", "2024-01-01T12:00"], dtype="M8[us]")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("minutes", "zone"),
    [
        ((120, 60), "Europe/Berlin"),
        ((60, 0), "Europe/London"),
        ((-240, -300), "America/New_York"),
        ((600, 660), "Australia/Sydney"),
        ((345, 345), "Asia/Kathmandu"),
        ((61, 0), None),
    ],
)
def test_a_zone_is_found_by_its_offsets(minutes, zone):
    offsets = np.array(minutes, dtype="m8[m]")
    assert zone_of(_SUMMER_AND_WINTER, offsets) == zone
    if zone is not None:
        assert (ahead(_SUMMER_AND_WINTER, zone) == offsets).all()


@pytest.mark.parametrize(
    "offsets", [("+02:00", "+01:00"), ("+0200", "+0100"), (" +0200", " +0100")]
)
def test_times_are_written_back_with_the_offset_of_their_day(offsets):
    summer, winter = offsets
    texts = [
        f"2023-10-29T02:30:00{summer}",
        f"2023-10-29T02:30:00{winter}",
        f"2023-07-01T00:15:00{summer}",
    ]
    table = parse_text(pd.DataFrame({"at": texts, "one": ["a", "b", "a"]}))
    column = table.schema["at"]
    assert (column.kind, column.dtype) == ("datetime", "datetime64[us, Europe/Berlin]")
    assert format_column(table.frame["at"], column).tolist() == texts


@pytest.mark.parametrize(
    ("behind", "dtype"),
    [
        (" UTC", "datetime64[us, UTC]"),
        ("UTC", "datetime64[us, UTC]"),
        (" -0800", "datetime64[us, UTC-08:00]"),
        (" +05:30", "datetime64[us, UTC+05:30]"),
    ],
)
def test_what_programs_write_behind_a_blank_is_a_zone(behind, dtype):
    texts = [f"2015-02-24 11:35:52{behind}", f"2015-02-25 01:05:00{behind}"]
    table = parse_text(pd.DataFrame({"at": texts}))
    column = table.schema["at"]
    assert (column.kind, column.dtype) == ("datetime", dtype)
    assert column.format == f"%Y-%m-%d %H:%M:%S{behind}"
    assert format_column(table.frame["at"], column).tolist() == texts
    again = parse_text(pd.DataFrame({"at": texts[::-1]}), Schema((column,)))
    assert again.schema["at"].format == column.format


def test_zones_with_a_blank_and_without_stay_texts():
    texts = ["2015-02-24 11:35:52 UTC", "2015-02-25 01:05:00UTC"]
    assert parse_text(pd.DataFrame({"at": texts})).schema["at"].kind == "categorical"


def test_a_schema_reads_times_of_summer_alone():
    texts = ["2023-06-29T02:30:00+02:00", "2023-12-29T02:30:00+01:00"]
    schema = parse_text(pd.DataFrame({"at": texts})).schema
    summer = ["2023-07-01T02:30:00+02:00", "2023-07-02T02:30:00+02:00"]
    again = parse_text(pd.DataFrame({"at": summer}), Schema(schema.columns))
    assert again.schema["at"].format == schema["at"].format
    assert again.schema["at"].dtype == schema["at"].dtype


@pytest.mark.slow
@pytest.mark.parametrize("other", ["2023-07-01T02:30:00+07:00", "2023-07-01T02:30:00Z"])
def test_times_of_several_places_stay_texts(other):
    texts = ["2023-07-01T02:30:00+02:00", other]
    assert parse_text(pd.DataFrame({"at": texts})).schema["at"].kind == "categorical"
