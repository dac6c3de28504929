"""Dates that may be two different days, read as those of other columns."""

import pandas as pd
import pytest

from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.reading.texts.text import format_column

FIRSTS = pd.date_range("2001-01-01", "2004-12-01", freq="MS")
OTHERS = pd.date_range("1950-01-20", periods=len(FIRSTS), freq="37D")


def formats(**columns):
    table = parse_text(pd.DataFrame(columns))
    for column in table.schema.columns:
        written = format_column(table.frame[column.name], column).tolist()
        assert written == list(columns[column.name])
    return [column.format for column in table.schema.columns]


@pytest.mark.parametrize("layout", ["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y"])
def test_day_and_month_are_in_the_order_of_the_others(layout):
    firsts, others = FIRSTS.strftime(layout), OTHERS.strftime(layout)
    assert formats(start=firsts, born=others) == [layout, layout]
    with pytest.warns(DataWarning, match=r"no day after the 12th in 'start' \(%d"):
        assert formats(start=firsts) == [None]
    start = [*firsts[:-1], ""]
    assert formats(start=start, born=others) == [layout, layout]


@pytest.mark.filterwarnings("ignore:Expected dates whose day and month")
def test_others_of_both_orders_say_nothing():
    day, month = OTHERS.strftime("%d/%m/%Y"), OTHERS.strftime("%m/%d/%Y")
    found = formats(start=FIRSTS.strftime("%d/%m/%Y"), a=day, b=month)
    assert found == [None, "%d/%m/%Y", "%m/%d/%Y"]
    assert formats(
        start=FIRSTS.strftime("%d/%m/%Y"), a=OTHERS.strftime("%Y-%m-%d")
    ) == [None, "%Y-%m-%d"]


def test_before_a_point_the_day_is_first():
    assert formats(start=FIRSTS.strftime("%d.%m.%Y")) == ["%d.%m.%Y"]
    assert formats(start=[f"{d.day}.{d.month}.{d.year}" for d in FIRSTS]) == [
        "%-d.%-m.%Y"
    ]


def test_few_dates_and_other_texts_are_not_told():
    """A warning would be an error here."""
    assert formats(start=["01/02/2003", "02/01/2003"] * 9) == [None]
    assert formats(start=["level a", *FIRSTS.strftime("%d/%m/%Y")]) == [None]
