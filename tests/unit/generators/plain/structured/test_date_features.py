"""What goes with a month, a weekday or an hour."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from support.structures import drawn_from, learnt

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.structured.dates.date_features import (
    DateFeature,
    excess_of_persons,
)
from coclust_synth.generators.plain.structured.dates.drawn_dates import allowed_by_parts
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.trees.coarser import coarser
from coclust_synth.tables.draws.rulers import SteppedRuler

WEEK = pd.date_range("2020-01-01", "2022-12-31")
PARTS_OF_A_REGISTER = ("2016-03-22", "2016-06-15"), ("2016-11-22", "2016-12-04")


def appointments(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    day = pd.Series(rng.choice(WEEK[WEEK.day_of_week < 5], n))
    is_monday = day.dt.day_of_week == 0
    kind = np.where(is_monday, "surgery", rng.choice(["check", "scan"], n))
    return pd.DataFrame({"kind": kind, "day": day, "age": rng.integers(1, 90, n)})


@pytest.mark.parametrize("columns", [["kind", "day", "age"], ["day", "kind", "age"]])
def test_surgery_is_on_mondays_wherever_the_date_stands(columns):
    structure = learnt(appointments()[columns])
    of_day = columns.index("day")
    assert structure.features == (DateFeature(of_day, "weekday"),)
    new = drawn_from(structure)
    is_monday = new["day"].dt.day_of_week == 0
    assert (is_monday == (new["kind"] == "surgery")).mean() > 0.99
    assert (new["day"].dt.day_of_week < 5).all()
    assert abs(is_monday.mean() - 0.2) < 0.03


def test_dates_stay_in_their_years():
    frame = appointments()
    late = frame["day"] > "2021-07-01"
    frame["place"] = np.where(late, "new", "old")
    new = drawn_from(learnt(frame[["kind", "place", "day"]]))
    is_new = new["day"] > "2021-07-01"
    assert (is_new == (new["place"] == "new")).mean() > 0.98
    assert (
        (new["day"].dt.day_of_week == 0) == (new["kind"] == "surgery")
    ).mean() > 0.98


def test_seasons_and_missing_dates_are_kept():
    rng, n = np.random.default_rng(1), 4000
    day = pd.Series(rng.choice(WEEK, n))
    is_winter = day.dt.month.isin([12, 1, 2])
    what = np.where(rng.random(n) < np.where(is_winter, 0.6, 0.1), "flu", "other")
    frame = pd.DataFrame({"what": what, "day": day})
    frame.loc[rng.random(n) < np.where(what == "flu", 0.3, 0.05), "day"] = pd.NaT
    structure = learnt(frame)
    # Who has no date says nothing of weekdays.
    assert {own.part for own in structure.features} == {"month"}
    new = drawn_from(structure)
    for part in (frame, new):
        part["winter"] = part["day"].dt.month.isin([12, 1, 2])
        part["missing"] = part["day"].isna()
    for name in ("winter", "missing"):
        shares = [f.groupby("what")[name].mean().to_numpy() for f in (frame, new)]
        assert np.abs(shares[0] - shares[1]).max() < 0.05


@pytest.mark.slow
def test_no_date_has_a_weekday_that_its_month_lacks(rng):
    """The register ends on 4 December, a Sunday: its December has no Mondays."""
    spring, end = (pd.date_range(*ends) for ends in PARTS_OF_A_REGISTER)
    day = np.concatenate([rng.choice(spring, 3000), rng.choice(end, 3000)])
    frame = pd.DataFrame({"day": day})
    of_month = frame["day"].dt.month.isin([3, 5, 11])
    of_week = frame["day"].dt.day_of_week < 3
    for name, is_own in (("unit", of_month), ("crime", of_week)):
        frame[name] = np.where(rng.random(6000) < 0.2 + 0.6 * is_own, "a", "b")
    structure = learnt(frame)
    assert {own.part for own in structure.features} == {"month", "weekday"}
    new = drawn_from(structure)
    shares = [
        own["day"].dt.day_of_week.value_counts(normalize=True) for own in (frame, new)
    ]
    assert (shares[0] - shares[1]).abs().max() < 0.01


def calls(n=6000, seed=0):
    rng = np.random.default_rng(seed)
    day = pd.Series(rng.choice(pd.date_range("2022-01-01", "2022-03-31"), n))
    is_free = day.dt.day_of_week >= 5
    hour = np.where(is_free, rng.integers(15, 24, n), rng.integers(7, 17, n))
    at = day + pd.to_timedelta(hour * 3600 + rng.integers(0, 3600, n), unit="s")
    who = np.where(rng.random(n) < np.where(is_free | (hour > 14), 0.8, 0.1), "P", "B")
    return pd.DataFrame({"who": who, "at": at})


def test_hours_go_with_weekdays_and_with_others():
    new = drawn_from(learnt(calls()))
    hour, is_free = new["at"].dt.hour, new["at"].dt.day_of_week >= 5
    assert hour[is_free].between(15, 23).mean() > 0.99
    assert hour[~is_free].between(7, 16).mean() > 0.99
    is_private = new["who"] == "P"
    assert abs(is_private[is_free | (hour > 14)].mean() - 0.8) < 0.05
    assert abs(is_private[~is_free & (hour <= 14)].mean() - 0.1) < 0.05


@pytest.mark.slow
def test_what_a_stay_lasts_goes_with_the_weekday_of_its_begin():
    rng, n = np.random.default_rng(2), 4000
    begin = pd.Series(rng.choice(WEEK, n))
    days = np.where(begin.dt.day_of_week == 4, 3, 1) + rng.integers(0, 2, n)
    end = begin + pd.to_timedelta(days, unit="D")
    new = drawn_from(learnt(pd.DataFrame({"begin": begin, "end": end})))
    lasts = (new["end"] - new["begin"]).dt.days
    assert ((lasts >= 3) == (new["begin"].dt.day_of_week == 4)).mean() > 0.99


def test_a_date_stays_one_of_a_few_distances_from_another():
    rng, n = np.random.default_rng(2), 4000
    visit, how = pd.Series(rng.choice(WEEK[:500], n)), rng.choice(["cast", "cut"], n)
    days = np.where(how == "cast", rng.choice([30, 90], n), rng.choice([7, 14], n))
    check = (visit + pd.to_timedelta(days, unit="D")).where(rng.random(n) < 0.6)
    new = drawn_from(learnt(pd.DataFrame({"how": how, "check": check, "visit": visit})))
    apart = (new["check"] - new["visit"]).dt.days
    assert abs(apart.notna().mean() - 0.6) < 0.03
    is_cast = new["how"] == "cast"
    assert apart[is_cast].dropna().isin([30, 90]).all()
    assert apart[~is_cast].dropna().isin([7, 14]).all()


@pytest.mark.slow
def test_no_part_goes_with_what_is_independent(rng):
    for _ in range(10):
        n = 600
        seconds = rng.integers(0, 10**8, n)
        frame = pd.DataFrame(
            {
                "a": rng.choice(["x", "y", "z"], n),
                "at": pd.Timestamp("2020-01-01") + pd.to_timedelta(seconds, unit="s"),
                "b": rng.exponential(1, n).round(3),
            }
        )
        assert learnt(frame).features == ()


def test_rows_of_one_day_are_one_piece_of_evidence(rng):
    days = pd.Series(WEEK[:60])
    weather = rng.choice(["sun", "rain"], 60)
    frame = pd.DataFrame({"weather": np.repeat(weather, 50)})
    frame["day"] = np.repeat(days, 50).to_numpy()
    assert learnt(frame).features == ()


@pytest.mark.slow
def test_saved_and_coarser_ones_draw_the_same_way(tmp_path):
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0)
    synthesizer.fit(calls(4000))
    path = tmp_path / "calls.model"
    synthesizer.save(path)
    again = CoclusterSynthesizer.load(path, random_state=0)
    assert again.sample().equals(synthesizer.sample())
    new = again.sample(k=200)
    is_free = new["at"].dt.day_of_week >= 5
    assert new["at"].dt.hour[is_free].between(15, 23).mean() > 0.95


def test_trees_of_parts_are_checked_where_they_are_read():
    structure = learnt(appointments())
    content, arrays = json.loads(json.dumps(structure.to_dict())), structure.arrays()
    again = Structure.from_dict(content, arrays)
    assert again.features == structure.features
    merged = coarser(Structure.from_dict(content | {"cluster_merges": []}, arrays), 100)
    assert len(merged.columns[1].parts) == 1
    for damage in ({"column": 9, "part": "weekday"}, {"column": 1, "part": "year"}):
        with pytest.raises(ValueError):
            Structure.from_dict(content | {"features": [damage]}, arrays)


def test_runs_of_moments_hold_nothing_of_the_midnight_that_they_end_with():
    """Of dates, and of a single moment, the end is a value like all others."""
    hour = 3600
    of_seconds = SteppedRuler(1, unit="s")
    # January 30 and 31 of 1970, up to midnight; the same, to 1 s later; the midnight.
    lows = np.array([29, 29, 31]) * 24 * hour
    highs = np.array([31, 31, 31]) * 24 * hour + [0, 1, 0]
    runs = SimpleNamespace(lows=lows, highs=highs, n_parts=3, ruler=of_seconds)
    february = {DateFeature(0, "month"): np.array([1], dtype=np.int32)}
    assert allowed_by_parts(runs, february)[0].tolist() == [[False, True, True]]
    by_day = {"lows": np.array([29]), "highs": np.array([31]), "n_parts": 1}
    days = SimpleNamespace(**by_day, ruler=SteppedRuler(1, unit="D"))
    assert allowed_by_parts(days, february)[0].tolist() == [[True]]


@pytest.mark.slow
def test_weekdays_do_not_go_with_who_has_a_date():
    """Jobs begin on the first of a month; of the young few have one."""
    rng, n = np.random.default_rng(0), 4000
    age = rng.integers(15, 75, n)
    first = pd.date_range("1990-01-01", "2023-12-01", freq="MS")
    day = np.where(
        rng.random(n) < 0.6,
        rng.choice(first, n),
        rng.choice(pd.date_range("1990-01-01", "2023-12-31"), n),
    )
    day = pd.Series(day).where((age > 24) | (rng.random(n) < 0.1))
    structure = learnt(pd.DataFrame({"age": age, "day": day}))
    assert structure.features == ()
    new = drawn_from(structure)["day"].dropna()
    assert (new.dt.day == 1).mean() == pytest.approx(
        (day.dt.day == 1).mean() / day.notna().mean(), abs=0.03
    )


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.4])
def test_parts_of_a_missing_date_are_missing_together(share):
    """Surgery is on Mondays, flu in winter; of those still ill no date is known."""
    rng, n = np.random.default_rng(2), 4000
    day = pd.Series(rng.choice(WEEK, n))
    is_winter, is_monday = day.dt.month.isin([12, 1, 2]), day.dt.day_of_week == 0
    frame = pd.DataFrame(
        {
            "flu": np.where(rng.random(n) < np.where(is_winter, 0.6, 0.1), "f", "-"),
            "room": np.where(is_monday, "surgery", "ward"),
            "ill": np.where(rng.random(n) < share, "still", "no more"),
            "day": day,
        }
    )
    frame.loc[frame["ill"] == "still", "day"] = pd.NaT
    structure = learnt(frame)
    assert {own.part for own in structure.features} == {"month", "weekday"}
    new = drawn_from(structure)
    assert new["day"].isna().equals(new["ill"] == "still")
    assert new["day"].isna().mean() == pytest.approx(share, abs=0.02)


def letters(n=2000, seed=1):
    """Most are sent on the day that they came; one office opens on Mondays only."""
    rng = np.random.default_rng(seed)
    day = pd.Series(rng.choice(pd.date_range("2020-06-01", "2020-08-30"), n))
    is_monday = day.dt.day_of_week == 0
    way = rng.choice(["web", "post"], n, p=[0.85, 0.15])
    waits = rng.random(n) < np.where(way == "web", 0.03, 0.8)
    later = day + pd.to_timedelta(rng.integers(1, 60, n), unit="D")
    office = np.where(is_monday, "A", rng.choice(["B", "C"], n))
    sent = later.where(waits, day)
    return pd.DataFrame({"office": office, "way": way, "came": day, "sent": sent})


def test_a_date_that_is_mostly_that_of_another_is_so_as_often():
    frame = letters()
    new = drawn_from(learnt(frame))
    real, made = ((t["sent"] == t["came"]).mean() for t in (frame, new))
    assert made == pytest.approx(real, abs=0.005)


def test_rows_of_a_person_count_once_as_far_as_they_are_alike(rng):
    """A weekday of each person, with a place of each, says a third of three rows."""
    n, persons = 6000, np.repeat(np.arange(2000), 3)
    of_persons, of_rows = rng.integers(0, 5, 2000)[persons], rng.integers(0, 5, n)
    assert excess_of_persons(of_persons, of_persons, persons) == pytest.approx(3)
    for pair in ((of_persons, of_rows), (of_rows, of_persons), (of_rows, of_rows)):
        assert excess_of_persons(*pair, persons) == pytest.approx(1, abs=0.1)
    half = np.where(rng.random(n) < 0.5, of_persons, of_rows)
    assert 1.2 < excess_of_persons(of_persons, half, persons) < 2
    assert excess_of_persons(of_rows, of_rows, np.arange(n)) == 1


@pytest.mark.slow
def test_a_bill_of_later_stays_goes_with_their_length(rng):
    """Three stays of each: those after the first had any bill."""
    n = 2400
    came = np.sort(rng.integers(0, 2000, (n // 3, 3)), axis=1).ravel()
    lasted = rng.geometric(0.2, n)
    paid = np.round(200 * np.exp(rng.normal(0, 1, n)) * lasted**0.5)
    first = pd.Timestamp("2015-01-01")
    table = pd.DataFrame(
        {
            "who": np.repeat(np.arange(n // 3), 3),
            "came": first + pd.to_timedelta(came, "D"),
            "left": first + pd.to_timedelta(came + lasted, "D"),
            "paid": paid,
        }
    )
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0, person_id="who")
    drawn = model.fit(table).sample(n)
    together = []
    for rows in (table, drawn):
        later = rows[rows["who"].duplicated()]
        days = (later["left"] - later["came"]).dt.days
        together.append(days.corr(later["paid"], method="spearman"))
    assert together[0] > 0.3
    assert together[1] > 0.6 * together[0]
