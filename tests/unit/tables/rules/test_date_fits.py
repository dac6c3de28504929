import datetime

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.relations import Age, DatePart
from coclust_synth.tables.rules.dates import find_date_fits


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    born = pd.Timestamp("1940-01-01") + pd.to_timedelta(
        rng.integers(0, 25_000, 600), "D"
    )
    seen = pd.Timestamp("2018-01-01") + pd.to_timedelta(rng.integers(0, 2500, 600), "D")
    return pd.DataFrame({"born": born, "seen": seen, "x": rng.integers(0, 90, 600)})


def ages(born, seen):
    early = (seen.dt.month < born.dt.month) | (
        (seen.dt.month == born.dt.month) & (seen.dt.day < born.dt.day)
    )
    return seen.dt.year - born.dt.year - early


def test_parts_and_ages_are_found(people):
    people["year"], people["month"] = people["seen"].dt.year, people["seen"].dt.month
    people["day"] = people["born"].dt.day_of_week + 1
    people["age"] = ages(people["born"], people["seen"])
    people.loc[::50, "age"] = np.nan
    assert find_date_fits(evidence_of(people), 20) == [
        DatePart("year", "year", "seen"),
        DatePart("month", "month", "seen"),
        DatePart("day", "weekday from 1", "born"),
        Age("age", "born", "seen"),
    ]


def test_dates_with_a_time_zone_have_no_parts(people):
    """Those of the day in UTC were kept, wrong in .2 % of the rows."""
    zoned = people["seen"].dt.tz_localize("Europe/Paris")
    people["seen"], people["month"] = zoned, zoned.dt.month
    assert find_date_fits(evidence_of(people), 20) == []


def test_ages_at_one_day_give_a_round_day(people):
    on = pd.Series(pd.Timestamp("2023-01-01"), index=people.index)
    people["age"] = ages(people["born"], on)
    (fit,) = find_date_fits(evidence_of(people), 20)
    assert fit == Age("age", "born", datetime.date(2023, 1, 1))


def test_few_rows_and_rows_that_differ_are_no_rule(people):
    people["year"] = people["seen"].dt.year
    assert find_date_fits(evidence_of(people), 600)
    assert not find_date_fits(evidence_of(people), 601)
    people.loc[:3, "year"] += 1
    assert not find_date_fits(evidence_of(people), 20)


def test_a_number_of_one_value_is_no_part(people):
    people["seen"] = people["seen"].map(lambda date: date.replace(year=2020, day=1))
    people["one"] = 2020
    with pytest.warns(DataWarning, match="one value"):
        evidence = evidence_of(people)
    assert not find_date_fits(evidence, 20)
