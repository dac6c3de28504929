"""Which columns that stay tell one that was changed."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.rules.undoing import undoing
from coclust_synth.tables.table import Table


def payroll(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    monthly, job = np.round(rng.lognormal(7, 0.5, n)), rng.integers(0, 12, n)
    return pd.DataFrame(
        {
            "job": [f"job {j:02}" for j in job],
            "code": [f"C{7 * j % 12:02}" for j in job],
            "branch": [f"B{j // 4}" for j in job],
            "monthly": monthly,
            "yearly": 12 * monthly,
            "age": rng.integers(18, 80, n),
        }
    )


def undone(frame, *changed):
    schema = infer_schema(frame)
    schema = schema.keep(*schema.undecided)
    return undoing(Table(frame, schema), schema, changed)


@pytest.mark.slow
@pytest.mark.parametrize("changed, by", [("monthly", "yearly"), ("yearly", "monthly")])
def test_a_multiple_tells_what_it_is_of_and_the_other_way_round(changed, by):
    assert undone(payroll(), changed) == {changed: "yearly = 12 * monthly"}
    assert by in undone(payroll(), changed)[changed]


@pytest.mark.slow
def test_a_code_tells_its_label_and_a_label_its_code_where_it_has_one():
    assert undone(payroll(), "job") == {"job": "code -> job"}
    assert undone(payroll(), "code") == {"code": "job -> code"}
    assert undone(payroll(), "branch") == {"branch": "job -> branch"}
    table = payroll().drop(columns="code")
    assert undone(table, "job") == {}  # four jobs of a branch


@pytest.mark.parametrize("changed", ["ill", "cough"])
def test_a_count_tells_what_it_counts_and_the_other_way_round(changed):
    has = np.random.default_rng(2).random((600, 3)) < 0.3
    table = pd.DataFrame(np.where(has, "yes", "no"), columns=["cough", "fever", "rash"])
    table["ill"] = has.sum(axis=1)
    rule = "ill = how many of cough yes, fever yes, rash yes"
    assert undone(table, changed) == {changed: rule}
    assert undone(table, "ill", "cough") == {}


@pytest.mark.parametrize("changed", ["middle", "low"])
def test_a_mean_tells_what_it_is_of_and_the_other_way_round(changed):
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.integers(0, 200, (600, 2)), columns=["low", "high"])
    table["middle"] = table.mean(axis=1)
    rule = "middle = mean of low, high"
    assert undone(table, changed) == {changed: rule}


@pytest.mark.slow
def test_columns_that_are_changed_together_undo_nothing():
    assert undone(payroll(), "monthly", "yearly", "job", "code", "branch") == {}


@pytest.mark.slow
def test_columns_that_nothing_tells_are_not_named():
    assert undone(payroll(), "age") == {}
    assert undone(payroll()[["age", "monthly"]], "monthly", "age") == {}


@pytest.mark.slow
def test_a_copy_of_two_values_and_codes_that_few_have_are_found():
    rng = np.random.default_rng(1)
    sex, place = rng.integers(0, 2, 2000), rng.integers(0, 400, 2000)
    table = pd.DataFrame(
        {
            "sex": np.array(["F", "M"])[sex],
            "sex_code": sex + 1,
            "place": [f"P{p}" for p in place],
            "place_code": [f"{p:04}" for p in rng.permutation(400)[place]],
            "other": rng.integers(0, 5, 2000),
        }
    )
    expected = {"sex": "sex_code -> sex", "place": "place_code -> place"}
    assert undone(table, "sex", "place") == expected
    # One half of the rows in another place: the code tells it to nobody.
    table.loc[::2, "place_code"] = [f"{p:04}" for p in rng.integers(0, 400, 1000)]
    assert undone(table, "place") == {}


@pytest.mark.slow
def test_a_column_of_nothing_tells_nothing():
    table = payroll().assign(nothing=None)
    for changed in ("age", "nothing"):
        with pytest.warns(DataWarning, match="at least two values"):
            assert undone(table, changed) == {}


@pytest.mark.slow
def test_year_month_and_day_together_tell_their_date():
    rng = np.random.default_rng(3)
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 9000, 300), "D")
    table = pd.DataFrame({"born": born, "y": born.year, "m": born.month, "d": born.day})
    told = "y = year of born, m = month of born, d = day of born"
    assert undone(table, "born") == {"born": told}
    assert undone(table, "born", "d") == {}
    assert undone(table, "d") == {"d": "d = day of born"}


@pytest.mark.slow
def test_dates_months_after_others_tell_what_was_changed(rng):
    lent = np.datetime64("2024-01-01") + rng.integers(0, 300, 1500)
    term = rng.choice([3, 6, 12], 1500)
    pairs = zip(lent, term, strict=True)
    ends = [pd.Timestamp(day) + pd.DateOffset(months=int(m)) for day, m in pairs]
    table = pd.DataFrame({"lent": lent, "term": term, "ends": ends})
    assert undone(table, "ends") == {"ends": "ends = lent + term months"}
    assert undone(table.drop(columns="term"), "ends") == {}
