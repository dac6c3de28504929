"""Dates and months that are written as whole numbers: 20201231, 202012."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, Column, Schema, infer_schema
from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.domain.domain import as_domain
from coclust_synth.tables.reading.infer import conform, parse_text
from coclust_synth.tables.reading.texts.odd_cells import odd_dates
from coclust_synth.tables.reading.texts.text import format_column
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.series import from_values

DAYS = ["20191130", "20200229", "20200131", "19991231", "18000101"]
MONTHS = ["201911", "202012", "202001", "199912", "189907"]


def as_reals(texts):
    return [f"{text}.0" for text in texts]


@pytest.mark.parametrize(
    ("cells", "layout"),
    [
        (DAYS, "%Y%m%d"),
        (MONTHS, "%Y%m"),
        (as_reals(DAYS), "%Y%m%d.0"),
        (as_reals(MONTHS), "%Y%m.0"),
    ],
)
def test_texts_are_dates_and_written_back(cells, layout):
    table = parse_text(pd.DataFrame({"day": [*cells, ""]}))
    (column,) = table.schema.columns
    assert (column.kind, column.format, column.unit) == ("datetime", layout, "D")
    assert format_column(table.frame["day"], column).tolist() == [*cells, ""]


@pytest.mark.parametrize(
    "dtype", ["int64", "Int64", "float64", "int64[pyarrow]", "str"]
)
@pytest.mark.parametrize("cells", [DAYS, MONTHS])
def test_frames_hold_dates_in_the_type_they_had(cells, dtype):
    numbers = pd.Series([*map(int, cells)]).astype(dtype)
    column = infer_schema(pd.DataFrame({"day": numbers}))["day"]
    assert column.kind == "datetime"
    values, missing = to_values(numbers, column)
    days = [f"{text[:4]}-{text[4:6]}-{text[6:] or '01'}" for text in cells]
    assert values.astype("M8[D]").astype(str).tolist() == days
    back = from_values(values, missing, column)
    assert back.dtype == numbers.dtype
    assert back.tolist() == numbers.tolist()


@pytest.mark.parametrize(
    "cells",
    [
        DAYS[:4],  # of so few
        [*DAYS, "20200230"],
        [*DAYS, "22000101"],
        [*DAYS, "0"],
        [*DAYS, *MONTHS],
        [*MONTHS, "202013"],
        [*MONTHS, "202000"],
        [str(200_101 + i) for i in range(12)],  # numbers in a row
        [str(20_200_101 + i) for i in range(31)],
    ],
)
def test_other_numbers_stay_numbers(cells):
    (column,) = parse_text(pd.DataFrame({"n": cells})).schema.columns
    assert column.kind == "integer"
    assert infer_schema(pd.DataFrame({"n": [*map(int, cells)]}))["n"].kind == "integer"


def test_codes_and_what_a_schema_says_stay_numbers():
    assert infer_schema(pd.DataFrame({"zip": [*map(int, MONTHS)]}))["zip"].kind == (
        "integer"
    )
    said = Schema((Column(name="day", kind="integer"),))
    for table in (
        parse_text(pd.DataFrame({"day": DAYS}), said),
        conform(pd.DataFrame({"day": [*map(int, DAYS)]}), said),
    ):
        assert table.schema["day"].kind == "integer"


@pytest.mark.slow
def test_missing_ones_are_told():
    many = [100 * y + m for y in range(1990, 2010) for m in range(1, 13)]
    assert odd_dates(np.array([0, *many, 999_999])) == [0, 999_999]
    assert odd_dates(np.array(many)) == odd_dates(np.arange(100)) == []
    assert odd_dates(np.array([*range(9), *many])) == []


@pytest.mark.slow
def test_drawn_days_are_days_and_keep_their_rules(rng):
    came = pd.Timestamp("2018-01-01") + pd.to_timedelta(rng.integers(0, 900, 600), "D")
    days = rng.poisson(4, 600)
    table = pd.DataFrame(
        {
            "came": came.strftime("%Y%m%d").astype(int),
            "days": days,
            "left": (came + pd.to_timedelta(days, "D")).strftime("%Y%m%d").astype(int),
            "period": came.strftime("%Y%m").astype(int),
        }
    )
    drawn = CoclusterSynthesizer(k=20, random_state=0).fit(table).sample()
    came, left = (
        pd.to_datetime(drawn[n].astype(str), format="%Y%m%d") for n in ("came", "left")
    )
    assert ((left - came).dt.days == drawn["days"]).all()
    assert (drawn["came"] // 100 == drawn["period"]).all()


def test_a_domain_may_have_months_in_numbers():
    column = {"low": "2019-01-01", "high": "2020-12-31", "bins": 8, "format": "%Y%m"}
    domain = as_domain({"month": column})
    codes = domain.encode(pd.DataFrame({"month": [201901, 202012]}))
    assert codes.ravel().tolist() == [0, 7]


def test_a_format_says_the_kind_of_few_numbers_too():
    said = Schema((Column(name="day", format="%Y%m%d"),))
    few = DAYS[:3]
    for table in (
        parse_text(pd.DataFrame({"day": few}), said),
        conform(pd.DataFrame({"day": [*map(int, few)]}), said),
    ):
        assert table.schema["day"].kind == "datetime"
    wrong = [*DAYS, "20150873"]
    with pytest.raises(SchemaError, match="Received '20150873'"):
        parse_text(pd.DataFrame({"day": wrong}), said)
    other = Schema((Column(name="day", kind="datetime", format="%d.%m.%Y"),))
    with pytest.raises(SchemaError, match="expected values of kind datetime"):
        conform(pd.DataFrame({"day": [*map(int, few)]}), other)
