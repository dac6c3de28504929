import datetime

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.relations import DATE_UNITS, Age, DateOf, DatePart, Fit
from coclust_synth.tables.rules.dates import (
    find_date_fits,
    find_dates_of_parts,
    find_distances,
)
from coclust_synth.tables.rules.found import rules_of


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


@pytest.mark.slow
def test_times_of_dates_are_found(people):
    """A receipt has the time at which a book was lent, and the hour in a column."""
    seconds = np.random.default_rng(1).integers(0, 86_400, 600)
    people["lent"] = people["seen"] + pd.to_timedelta(seconds, "s")
    people["receipt"] = people["lent"].dt.time
    people["till"] = people["lent"].dt.floor("min").dt.time
    people["hour"] = people["lent"].dt.hour
    people["x"] = people["lent"].sample(frac=1, random_state=0).dt.time.to_numpy()
    assert find_date_fits(evidence_of(people), 20) == [
        DatePart("seen", "date", "lent"),
        DatePart("receipt", "time", "lent"),
        DatePart("till", "time in minutes", "lent"),
        DatePart("hour", "hour", "lent"),
    ]


@pytest.mark.slow
def test_days_between_a_day_and_a_moment_are_found(people):
    """Of two days they are a sum."""
    minutes = np.random.default_rng(1).integers(0, 1440, 600)
    people["came"] = people["seen"] + pd.to_timedelta(minutes, "min")
    people["days"] = (people["seen"] - people["born"]).dt.days
    found = [DatePart("seen", "date", "came"), Age("days", "born", "came", "days")]
    assert find_date_fits(evidence_of(people), 20) == found
    people = people.drop(columns="came")
    assert find_date_fits(evidence_of(people), 20) == []


def test_dates_with_a_time_zone_have_no_parts(people):
    """Those of the day in UTC were kept, wrong in .2 % of the rows."""
    zoned = people["seen"].dt.tz_localize("Europe/Paris")
    people["seen"], people["month"] = zoned, zoned.dt.month
    assert find_date_fits(evidence_of(people), 20) == []


def test_moments_of_utc_are_compared_with_dates_without_a_zone(people):
    """Of `created_at`, ending on Z, the day in another column was no rule."""
    seconds = np.random.default_rng(1).integers(0, 86_400, 600)
    sent = people["seen"] + pd.to_timedelta(seconds, "s")
    people["sent"] = sent.dt.tz_localize("UTC")
    evidence = evidence_of(people)
    assert find_date_fits(evidence, 20) == [DatePart("seen", "date", "sent")]
    assert evidence.are_alike("seen", "sent")
    people["sent"] = people["sent"].dt.tz_convert("Europe/Paris")
    assert not evidence_of(people).are_alike("seen", "sent")


def test_ages_at_one_day_give_a_round_day(people):
    on = pd.Series(pd.Timestamp("2023-01-01"), index=people.index)
    people["age"] = ages(people["born"], on)
    (fit,) = find_date_fits(evidence_of(people), 20)
    assert fit == Age("age", "born", datetime.date(2023, 1, 1))


def completed(birth, at):
    """Months, by pandas."""
    pairs = zip(birth, at, strict=True)
    months = (
        12 * (a.year - b.year) + a.month - b.month - (a.day < b.day) for b, a in pairs
    )
    return np.array([*months], dtype=float)


@pytest.mark.parametrize("on", [None, "2023-03-31", "2023-03-01"])
def test_completed_months_are_found(people, on):
    at = people["seen"]
    if on is not None:
        at = pd.Series(pd.Timestamp(on), index=people.index)
    people["months"] = completed(people["born"], at)
    (fit,) = find_date_fits(evidence_of(people), 20)
    assert (fit.birth, fit.unit) == ("born", "months")
    assert "months = months from born to " in str(fit)
    born = people["born"].to_numpy().astype("datetime64[D]").astype(float)
    seen = people["seen"].to_numpy().astype("datetime64[D]").astype(float)
    own = fit.predict({"born": born, "seen": seen})
    np.testing.assert_array_equal(own, people["months"])


@pytest.mark.slow
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


def departures(n=1500, zone="America/New_York"):
    """Departures by the parts of their local time, and in UTC."""
    rng = np.random.default_rng(0)
    hours = pd.to_timedelta(rng.integers(0, 365 * 24, n), "h")
    utc = pd.Series(pd.Timestamp("2023-01-01T12:00") + hours)
    local = utc.dt.tz_localize("UTC").dt.tz_convert(zone)
    parts = {unit: getattr(local.dt, unit) for unit in ("year", "month", "day", "hour")}
    return pd.DataFrame({**parts, "utc": utc, "late": rng.integers(0, 60, n)})


PARTS = tuple((unit, unit) for unit in DATE_UNITS[:4])


def test_a_date_in_another_zone_is_told_by_its_parts():
    evidence = evidence_of(departures())
    assert find_dates_of_parts(evidence, 20) == [DateOf("utc", PARTS, about=True)]
    rules = rules_of(evidence, None, 20)
    assert set(rules.fits) == {"utc"}
    assert rules_of(evidence, rules.relations, 20).all == rules.all


@pytest.mark.slow
def test_a_date_in_its_own_zone_or_in_one_without_summer_is_told_exactly():
    for zone, shift in (("UTC", 0.0), ("Asia/Tokyo", -0.375)):
        evidence = evidence_of(departures(zone=zone))
        (date,) = find_dates_of_parts(evidence, 20)
        assert date == DateOf("utc", PARTS, shift)
        rules = rules_of(evidence, None, 20)
        rule = next(rule for rule in rules.all if rule.relation == date)
        assert (rule.rows, rule.broken) == (1500, 0)


def test_minutes_are_looked_for_where_hours_leave_them():
    table = departures(zone="UTC")
    table["utc"] += pd.to_timedelta(table["late"], "min")
    (date,) = find_dates_of_parts(evidence_of(table), 20)
    assert date == DateOf("utc", (*PARTS, ("minute", "late")))


@pytest.mark.slow
def test_parts_of_other_dates_tell_none():
    table, rng = departures(), np.random.default_rng(1)
    for name in ("hour", "day"):
        other = table.assign(**{name: rng.permutation(table[name])})
        assert find_dates_of_parts(evidence_of(other), 20) == []
    # Three shifts of which each is a distance of its own tell nothing.
    of_shift = table.assign(hour=rng.choice([6, 14, 22], len(table)))
    of_shift["utc"] = of_shift["utc"].dt.floor("D")
    assert find_dates_of_parts(evidence_of(of_shift), 20) == []
    assert find_dates_of_parts(evidence_of(table), 1500) == []


@pytest.mark.slow
def test_times_of_a_day_are_no_rounding_of_a_day():
    """A date some hours after another was said to be so by the same in every row."""
    table = departures()[["utc"]]
    rng = np.random.default_rng(1)
    minutes = pd.to_timedelta(rng.integers(30, 600, len(table)), "min")
    table["arrived"] = table["utc"] + minutes
    table["zoned"] = table["utc"] + pd.Timedelta(hours=2)
    fits = rules_of(evidence_of(table), None, 20).fits
    assert not any(fit.about for fit in fits.values() if "arrived" not in fit.columns)
    assert any(fit.about for fit in fits.values() if "arrived" in fit.columns)
    assert all(isinstance(fit, Fit) and not fit.logarithms for fit in fits.values())


def visits(n=900, seed=0):
    """Visits, and checks a week to three months after half of them."""
    rng = np.random.default_rng(seed)
    days = rng.choice([7, 14, 30, 90], n)
    visit = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 540, n), "D")
    check = pd.Series(visit + pd.to_timedelta(days, "D")).where(rng.random(n) < 0.55)
    return pd.DataFrame({"check": check, "visit": visit}), days


@pytest.mark.slow
def test_a_date_that_is_a_few_distances_from_another_is_told_by_it():
    frame, days = visits()
    (fit,) = find_distances(evidence_of(frame), (), 20)
    assert fit == Fit("check", ("visit",), (1.0,), 0.0, False, about=True)
    assert fit in rules_of(evidence_of(frame), None, 20).relations
    # Told exactly, it is not told nearly.
    frame["days"] = pd.Series(days, dtype="float64")
    rules = rules_of(evidence_of(frame), None, 20).relations
    sums = [rule for rule in rules if isinstance(rule, Fit)]
    assert [(rule.target, rule.about) for rule in sums] == [("check", False)]


@pytest.mark.slow
def test_no_sum_nearly_tells_a_date_that_is_a_few_distances_from_another(people):
    """Later visits are rarer: their number nearly says when the next one is."""
    number = np.random.default_rng(0).integers(1, 22, 600)
    days = np.choose((number - 1) // 7 + np.arange(600) % 2, [7, 14, 56, 91])
    people["next"] = people["seen"] + pd.to_timedelta(days, "D")
    people["number"] = number
    rules = map(str, rules_of(evidence_of(people), None, 20).relations)
    assert [rule for rule in rules if "next ~" in rule] == ["next ~ seen"]


@pytest.mark.parametrize("others, is_found", [(2, True), (15, False)])
def test_few_rows_have_another_distance(others, is_found):
    frame, _ = visits()
    own = frame.index[frame["check"].notna()][:others]
    frame.loc[own, "check"] += pd.to_timedelta(range(91, 91 + others), unit="D")
    assert bool(find_distances(evidence_of(frame), (), 20)) == is_found


def test_dates_of_a_few_days_are_no_distances_apart(rng):
    """Of two rounds of a survey any date is one of a few distances from any other."""
    rounds = pd.to_datetime(["2020-03-01", "2021-03-01", "2022-03-01"])
    frame = pd.DataFrame({name: rng.choice(rounds, 900) for name in "ab"})
    assert find_distances(evidence_of(frame), (), 20) == []


@pytest.mark.slow
def test_months_of_many_values_are_told_from_dates_of_a_season(rng):
    n = 1500
    birth = np.datetime64("2015-01-01") + rng.integers(0, 2000, n)
    months = rng.integers(3, 60, n)
    # Most begin in August.
    month = birth.astype("M8[M]") + months
    august = month.astype(int) % 12
    month = np.where(rng.random(n) < 0.7, month + (7 - august), month)
    entry = month.astype("M8[D]")
    table = pd.DataFrame(
        {
            "birth": birth.astype("M8[us]"),
            "entry": entry.astype("M8[us]"),
            "months": (month - birth.astype("M8[M]")).astype(int),
        }
    )
    rules = [str(rule) for rule in rules_of(evidence_of(table), None, 20).all]
    assert "months = calendar months from birth to entry" in rules
    assert not any(rule.startswith("entry =") for rule in rules)
