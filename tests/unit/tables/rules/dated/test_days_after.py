"""Dates that are some days after others, at any hour."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.tables.relations import Age, DatePart, DayOf
from coclust_synth.tables.rules.dated.days_after import told_by_days
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


def test_a_day_after_a_moment_is_told():
    table = admissions()[["admitted", "left", "nights"]]
    table["left"] = table["left"].dt.normalize()
    assert found_in(table) == {"left": LEFT}


def test_an_age_in_days_is_told():
    """It is drawn from a birth as it was, and of the visit next to nothing."""
    table = admissions()[["admitted"]]
    born = np.random.default_rng(1).integers(0, 30_000, len(table))
    table["born"] = pd.Timestamp("2021-01-01") - pd.to_timedelta(born, "D")
    table["age"] = (table["admitted"] - table["born"]).dt.days
    assert found_in(table) == {"age": Age("age", "born", "admitted", "days")}


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
