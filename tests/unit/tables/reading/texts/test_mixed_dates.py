"""Columns of dates in several layouts are told, and stay categories."""

import warnings

import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.mixed_dates import date_layouts

ISO = [f"2020-{m:02}-{d:02}" for m in range(1, 13) for d in range(1, 29)]
# Of days to the 12th in both layouts nobody knows which number is the month.
EITHER = [f"{m:02}-{d:02}-2014" for m in range(1, 13) for d in range(1, 13)]
SLASHED = [f"{m}/{d}/15" for m in range(1, 13) for d in range(9, 29)]
TIMED = [f"{day} 08:{n % 60:02}" for n, day in enumerate(ISO)]
AREAS = [f"{a}-{b}-{c}" for a in range(40, 70) for b in (1, 50) for c in (7, 9)]


@pytest.mark.parametrize(
    ("texts", "layouts"),
    [
        ([*EITHER, *SLASHED], ["9/99/99", "99-99-9999"]),
        ([*ISO, *SLASHED], ["9999-99-99", "9/99/99"]),
        ([*ISO, *TIMED[:50]], ["9999-99-99", "9999-99-99 99:99"]),
        ([*ISO, *SLASHED[:6]], []),  # slips
        (ISO, []),
        ([*ISO, *map(str, range(30))], []),
        ([*AREAS, *(area.replace("-", "/") for area in AREAS)], []),  # no month
        ([*EITHER, *(day.replace("-", ".") for day in AREAS)], []),
        ([*ISO, *(f"level {n}" for n in range(20))], []),
        ([], []),
    ],
)
def test_layouts(texts, layouts):
    assert date_layouts(texts) == layouts


@pytest.fixture
def table():
    days = [*EITHER, *SLASHED] * 2
    return pd.DataFrame({"hired": days, "sex": ["F", "M"] * (len(days) // 2)})


def test_who_looks_at_a_table_is_told(table):
    for look in (infer_schema, parse_text):
        with pytest.warns(DataWarning, match=r"'hired' \(9/99/99, 99-99-9999\)"):
            look(table)


def test_what_is_said_is_not_told_again(table):
    with pytest.warns(DataWarning, match="one layout"):
        schema = infer_schema(table)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        parse_text(table, schema)
        parse_text(table, left_out=["hired"])
