"""Dates that are some days after others, at any hour."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.generators.plain.structured.targets.order import order_of_drawing
from coclust_synth.tables.relations import Age, DatePart, DayOf
from coclust_synth.tables.rules.dates import told_by_days
from coclust_synth.tables.rules.found import rules_of


def admissions(n=1500, seed=0):
    """Days ordered before a moment, most none or one, and nights after it."""
    rng = np.random.default_rng(seed)
    minutes = rng.integers(0, 730 * 1440, n)
    admitted = pd.Timestamp("2022-01-01") + pd.to_timedelta(minutes, "min")
    waited, nights = (rng.geometric(p, n) - 1 for p in (0.7, 0.4))
    leaving = pd.to_timedelta(rng.integers(1380, 1440, n), "min")
    return pd.DataFrame(
        {
            "ordered": admitted.normalize() - pd.to_timedelta(waited, "D"),
            "admitted": admitted.where(admitted.hour < 23, admitted.normalize()),
            "left": admitted.normalize() + pd.to_timedelta(nights, "D") + leaving,
            "waited": waited,
            "nights": nights,
        }
    )


ADMITTED = DayOf("admitted", "ordered", "waited")
LEFT = DayOf("left", "admitted", "nights")


def found_in(table):
    told = (rule.relation for rule in rules_of(evidence_of(table), None, 20).all)
    return {each.target: each for each in told if each.told}


@pytest.mark.slow
def test_the_day_of_the_later_date_is_told():
    found = found_in(admissions())
    assert {found["admitted"], found["left"]} == {ADMITTED, LEFT}
    assert str(ADMITTED) == "day of admitted = ordered + waited"


@pytest.mark.slow
def test_days_and_their_laws_are_kept():
    """The days, told from two dates, were one or none in half as many rows."""
    table = admissions()
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(table)
    drawn = model.sample(1500, random_state=1)
    for since, moment, days in (
        ("ordered", "admitted", "waited"),
        ("admitted", "left", "nights"),
    ):
        between = drawn[moment].dt.normalize() - drawn[since].dt.normalize()
        assert (between.dt.days == drawn[days]).all()
        shares = [t[days].value_counts(normalize=True) for t in (table, drawn)]
        assert (shares[0] - shares[1]).abs().max() < 0.02
    assert (drawn["left"] >= drawn["admitted"]).all()


@pytest.mark.slow
def test_a_day_after_a_moment_is_told():
    table = admissions()[["admitted", "left", "nights"]]
    table["left"] = table["left"].dt.normalize()
    assert found_in(table) == {"left": LEFT}


@pytest.mark.slow
def test_an_age_in_days_is_told():
    """It is drawn from a birth as it was, and of the visit next to nothing."""
    table = admissions()[["admitted"]]
    born = np.random.default_rng(1).integers(0, 30_000, len(table))
    table["born"] = pd.Timestamp("2021-01-01") - pd.to_timedelta(born, "D")
    table["age"] = (table["admitted"] - table["born"]).dt.days
    assert found_in(table) == {"age": Age("age", "born", "admitted", "days")}


@pytest.mark.slow
def test_days_of_three_dates_tell_two_of_these():
    """That one is another where a third is 1 takes the place of no date."""
    table = admissions(800)
    table["stay"] = (table["left"].dt.normalize() - table["ordered"]).dt.days
    stay = Age("stay", "ordered", "left", "days")
    assert {*found_in(table).values()} == {stay, ADMITTED, LEFT}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nights", "admitted"])
def test_a_date_that_is_there_without_the_days_is_not_told(name):
    """Where nothing tells it, its clock would be that of any moment."""
    table = admissions(400)[["admitted", "left", "nights"]]
    table[name] = table[name].where(np.arange(400) % 10 > 0)
    assert found_in(table)["nights"] == Age("nights", "admitted", "left", "days")
    table["left"] = table["left"].where(np.arange(400) % 10 > 0)
    assert found_in(table)["left"] == LEFT


def test_one_of_few_dates_is_not_told():
    """Some days after a day there is no mailing."""
    rng = np.random.default_rng(2)
    mailing, days = rng.integers(0, 8, 400), rng.geometric(0.3, 400) - 1
    sent = pd.Timestamp("2023-03-07 09:00") + pd.to_timedelta(14 * mailing, "D")
    signed = sent.normalize() - pd.to_timedelta(days, "D")
    found = found_in(pd.DataFrame({"signed": signed, "sent": sent, "days": days}))
    assert found == {"days": Age("days", "signed", "sent", "days")}


@pytest.mark.slow
def test_a_moment_soon_after_one_that_is_told_is_not_told():
    """Of how many minutes lie between two moments their days say nothing."""
    table = admissions(400)[["ordered", "admitted", "waited"]]
    rng = np.random.default_rng(4)
    minutes = pd.to_timedelta(rng.integers(1, 200, 400), "min")
    table["seen"] = table["admitted"] + minutes
    days = (table["seen"].dt.normalize() - table["ordered"]).dt.days
    found = found_in(table.assign(to_be_seen=days))
    assert found["admitted"] == ADMITTED
    assert found["to_be_seen"] == Age("to_be_seen", "ordered", "seen", "days")


def test_days_that_tell_the_dates_of_each_other_are_drawn_in_no_circle():
    fits = [("e", "a", "x"), ("f", "b", "y"), ("a", "c", "y"), ("b", "d", "x")]
    fits = {own[0]: DayOf(*own) for own in fits}
    order = order_of_drawing("abcdefxy", fits)
    assert sorted(order) == [*"abcdefxy"]
    for fit in fits.values():
        assert max(map(order.index, fit.parents)) < order.index(fit.target)


def visits(by_order):
    """Of persons, in the order of a moment or of a day some days before it."""
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(300), rng.integers(1, 6, 300))
    n = len(person)
    minutes = pd.Series(rng.integers(1440, 90 * 1440, n)).groupby(person).cumsum()
    minutes += rng.integers(0, 400 * 1440, 300)[person]
    came = pd.Timestamp("2022-01-01") + pd.to_timedelta(minutes, "min")
    waited = rng.geometric(0.5, n) - 1 if by_order else rng.integers(0, 60, n)
    apart = pd.to_timedelta(waited, "D")
    ordered = came.dt.normalize() - (0 if by_order else 1) * apart
    came += (1 if by_order else 0) * apart
    columns = {"ordered": ordered, "came": came, "waited": waited}
    return pd.DataFrame({"person": person.astype(str), **columns})


@pytest.mark.slow
@pytest.mark.parametrize("is_stated", [False, True])
def test_rows_of_persons_have_the_days_between_their_dates(is_stated):
    """With what they add up to, or told of a moment that rows are in the order of."""
    table = visits(by_order=not is_stated)
    if is_stated:
        schema = infer_schema(table).with_rules(DayOf("came", "ordered", "waited"))
    else:
        table["in_all"] = table.groupby("person")["waited"].transform("sum")
        schema = infer_schema(table)
    options = {"k": 20, "n_iterations": 1, "random_state": 0}
    model = CoclusterSynthesizer(person_id="person", **options).fit(table, schema)
    drawn = model.sample(300, random_state=1)
    between = drawn["came"].dt.normalize() - drawn["ordered"]
    assert (between.dt.days == drawn["waited"]).all()


@pytest.mark.slow
def test_a_moment_that_stays_is_on_the_day_that_is_told():
    """Where that of the row before is on another, it was moved to an end of the day."""
    rng = np.random.default_rng(2)
    table = visits(by_order=True)
    anew = ~table["person"].duplicated()
    for name in ("ordered", "waited"):
        changes = anew | (rng.random(len(table)) < 0.3)
        table[name] = table[name].where(changes).ffill()
    day = table["ordered"] + pd.to_timedelta(table["waited"], "D")
    clock = table["came"] - table["came"].dt.normalize()
    table["came"] = day + clock.where(anew | (day != day.shift())).ffill()
    table["visit"] = table.groupby("person").cumcount() + 1
    options = {"k": 20, "n_iterations": 1, "random_state": 0}
    model = CoclusterSynthesizer(person_id="person", **options).fit(table)
    drawn = model.sample(1000, random_state=1)
    between = drawn["came"].dt.normalize() - drawn["ordered"]
    assert (between.dt.days == drawn["waited"]).all()
    assert drawn["came"].dt.strftime("%H:%M").isin(["00:00", "23:59"]).mean() < 0.01


@pytest.mark.parametrize("name", ["admitted", "waited", "ordered"])
def test_what_is_told_already_is_told_once_and_in_no_circle(name):
    evidence = evidence_of(admissions())
    age = Age("waited", "ordered", "admitted", "days")
    other = {
        "admitted": DayOf("admitted", "left", "nights"),
        "waited": None,
        "ordered": DatePart("ordered", "date", "admitted"),
    }[name]
    told = [age] if other is None else [other, age]
    expected = [ADMITTED] if other is None else [other, age]
    assert told_by_days(told, evidence, ((), ()), 20) == expected


@pytest.mark.slow
def test_what_the_rows_of_a_person_are_in_the_order_of_is_not_told():
    """Nor is what stays told from what changes."""
    table = admissions().sort_values("admitted", ignore_index=True)
    persons = np.arange(1500) // 3
    evidence = evidence_of(table[["ordered", "admitted", "waited"]], persons)
    age = Age("waited", "ordered", "admitted", "days")
    assert told_by_days([age], evidence, ((), ()), 20) == [age]
    evidence = evidence_of(table)
    assert told_by_days([age], evidence, ((), ("admitted",)), 20) == [age]


def test_rows_on_another_day_break_the_rule():
    told = np.array([18_262.0, 18_262.0, 18_262.0, np.nan])
    own = np.array([18_262.0, 18_262.999, 18_263.0, 18_262.5])
    assert (LEFT.nearest(own, told) == own).tolist() == [True, True, False, False]
    numbers = {"admitted": np.array([18_260.7]), "nights": np.array([2.0])}
    assert LEFT.predict(numbers) == 18_262


@pytest.mark.parametrize("day", ["2024-12-31", "2199-12-31", "9999-12-30"])
@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_the_last_moment_of_a_day_is_on_it(day, unit):
    begin = np.datetime64(day, unit).astype(np.int64)
    a_day = np.timedelta64(1, "D") // np.timedelta64(1, unit)
    told = np.array([begin / a_day])
    assert LEFT.nearest(told + 1, told) < told + 1
    if day < "9999" or unit != "us":  # that doubles do not tell apart
        last = np.array([(begin + a_day - 1) / a_day])
        assert LEFT.nearest(last, told) == last
