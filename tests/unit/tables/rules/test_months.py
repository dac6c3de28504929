"""Dates that are some months after others."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.exceptions import DataWarning, SchemaError
from coclust_synth.tables.relations import Fit, MonthsAfter, relation_from_dict
from coclust_synth.tables.rules.dates import find_months_after
from coclust_synth.tables.rules.found import rules_of


def after(date, months, days=0):
    """Dates of a row each, by pandas."""
    pairs = zip(date, np.broadcast_to(months, len(date)), strict=True)
    more = [
        d + pd.DateOffset(months=int(m)) + pd.Timedelta(days, "D") for d, m in pairs
    ]
    return pd.Series(more)


def contracts(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    began = pd.Series(
        pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 1500, n), "D")
    )
    term, years = rng.choice([6, 12, 18, 36], n), rng.integers(1, 6, n)
    ended = after(began, term)
    bills = began.dt.to_period("M")
    return pd.DataFrame(
        {
            "began": began,
            "term": term,
            "years": years,
            "ends": ended,
            "due": after(began, 3),
            "insured": after(began, 12 * years, -1),
            "month_end": bills.dt.end_time.dt.normalize(),
            "billed": (bills + 1).dt.start_time,
            "age": rng.integers(18, 90, n),
        }
    )


@pytest.mark.slow
def test_months_after_a_date_are_found():
    found = find_months_after(evidence_of(contracts()), (), 20)
    assert sorted(map(str, found)) == [
        "billed = first of the month of began + 1 month",
        "due = began + 3 months",
        "ends = began + term months",
        "insured = began + years years - 1 day",
        "month_end = last of the month of began",
    ]


def test_a_single_day_is_no_first_of_a_month():
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(600) % 31, "D")
    table = pd.DataFrame({"came": days, "period": pd.Timestamp("2020-01-01")})
    with pytest.warns(DataWarning, match="one value"):
        evidence = evidence_of(table)
    assert find_months_after(evidence, (), 20) == []


@pytest.mark.slow
def test_who_has_no_term_has_no_end():
    table = contracts()
    table.loc[::3, ["ends", "term"]] = None
    table.loc[1::3, "term"] = 0
    table.loc[1::3, "ends"] = None
    (found,) = find_months_after(evidence_of(table[["began", "term", "ends"]]), (), 20)
    assert found == MonthsAfter("ends", "began", by="term")


@pytest.mark.slow
@pytest.mark.parametrize(("n_broken", "n_found"), [(10, 1), (11, 0)])
def test_half_a_percent_may_differ(n_broken, n_found):
    table = contracts()[["began", "due"]]
    table.loc[: n_broken - 1, "due"] += pd.Timedelta(1, "D")
    assert len(find_months_after(evidence_of(table), (), 20)) == n_found


@pytest.mark.slow
def test_the_order_of_rows_hides_nothing():
    table = contracts()[["began", "term", "ends"]].sort_values("term")
    table = table.reset_index(drop=True)
    assert len(find_months_after(evidence_of(table), (), 20)) == 1
    table.loc[:300, "ends"] = None
    assert len(find_months_after(evidence_of(table), (), 20)) == 1


@pytest.mark.slow
def test_days_after_and_what_is_told_are_left_alone():
    table = contracts()[["began", "due"]]
    evidence = evidence_of(table.assign(due=table["began"] + pd.Timedelta(90, "D")))
    assert find_months_after(evidence, (), 20) == []
    told = [Fit("due", ("began",), (1.0,), 91.0, False, about=True)]
    assert find_months_after(evidence_of(table), told, 20) == []
    told = [Fit("began", ("due",), (1.0,), -91.0, False, about=True)]
    assert find_months_after(evidence_of(table), told, 20) == []
    assert find_months_after(evidence_of(table[:30]), (), 50) == []


def test_dates_that_have_nothing_to_do_with_each_other_have_none(rng):
    for n in (60, 400):
        day = rng.integers(0, 900, (n, 4))
        dates = {
            f"d{j}": pd.Timestamp("2020-01-01") + pd.to_timedelta(day[:, j], "D")
            for j in range(4)
        }
        table = pd.DataFrame(dates).assign(number=rng.integers(0, 30, n))
        assert find_months_after(evidence_of(table), (), 20) == []


@pytest.mark.parametrize(
    ("relation", "told"),
    [
        (MonthsAfter("b", "a", months=1), ["2024-02-29", "2024-04-10", None]),
        (MonthsAfter("b", "a", months=-12), ["2023-01-31", "2023-03-10", None]),
        (MonthsAfter("b", "a", "first", 1), ["2024-02-01", "2024-04-01", None]),
        (MonthsAfter("b", "a", "last", days=1), ["2024-02-01", "2024-04-01", None]),
        (MonthsAfter("b", "a", by="n", each=12, days=-1), ["2025-01-30", None, None]),
    ],
)
def test_what_is_told(relation, told):
    dates = np.array(["2024-01-31", "2024-03-10", "NaT"], "datetime64[D]")
    days = np.where(np.isnat(dates), np.nan, dates.astype(np.int64)) + 0.5
    numbers = {"a": days, "n": np.array([1.0, np.nan, 2.0])}
    expected = np.array(["NaT" if of is None else of for of in told], "datetime64[D]")
    own = relation.predict(numbers)
    np.testing.assert_array_equal(np.isnan(own), np.isnat(expected))
    known = ~np.isnan(own)
    np.testing.assert_array_equal(own[known], expected[known].astype(np.int64))
    assert relation_from_dict(relation.to_dict()) == relation


@pytest.mark.parametrize(
    "wrong",
    [
        {"day": "third"},
        {"each": 2},
        {"months": 1.5},
        {"by": "end"},
        {"each": 12},
        {"days": 10**30},
        {"months": -(10**6)},
        {"days": "1"},
    ],
)
def test_what_is_no_such_rule_is_refused(wrong):
    rule = {"kind": "months after", "target": "end", "date": "begin"} | wrong
    with pytest.raises(SchemaError, match=r'such as target = "end", date = "begin"'):
        relation_from_dict(rule)
    assert MonthsAfter("a", "b").wrong_kind({"a": "number"}) == "a"
    assert MonthsAfter("a", "b", by="c").wrong_kind({"c": "datetime"}) == "c"
    assert MonthsAfter("a", "b", by="c").wrong_kind({"b": "datetime"}) is None


@pytest.mark.slow
def test_drawn_rows_keep_them():
    table = contracts()
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(table)
    kept = [str(rule) for rule in model.rules_]
    assert "ends = began + term months" in kept
    drawn = model.sample(1000)
    assert (drawn["ends"] == after(drawn["began"], drawn["term"])).all()
    assert (drawn["due"] == after(drawn["began"], 3)).all()
    assert (drawn["insured"] == after(drawn["began"], 12 * drawn["years"], -1)).all()
    assert (
        drawn["month_end"].dt.is_month_end & (drawn["began"] <= drawn["month_end"])
    ).all()
    stated = rules_of(evidence_of(table), (MonthsAfter("due", "began", months=3),), 20)
    assert [str(rule) for rule in stated.all] == ["due = began + 3 months"]
