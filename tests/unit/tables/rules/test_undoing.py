"""Which columns that stay tell one that was changed."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import infer_schema
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


@pytest.mark.parametrize("changed, by", [("monthly", "yearly"), ("yearly", "monthly")])
def test_a_multiple_tells_what_it_is_of_and_the_other_way_round(changed, by):
    assert undone(payroll(), changed) == {changed: "yearly = 12 * monthly"}
    assert by in undone(payroll(), changed)[changed]


def test_a_code_tells_its_label_and_a_label_its_code_where_it_has_one():
    assert list(undone(payroll(), "job")) == ["job"]
    assert list(undone(payroll(), "code")) == ["code"]
    assert list(undone(payroll(), "branch")) == ["branch"]
    table = payroll().drop(columns="code")
    assert undone(table, "job") == {}  # four jobs of a branch


def test_columns_that_are_changed_together_undo_nothing():
    assert undone(payroll(), "monthly", "yearly", "job", "code", "branch") == {}


def test_columns_that_nothing_tells_are_not_named():
    assert undone(payroll(), "age") == {}
    assert undone(payroll()[["age", "monthly"]], "monthly", "age") == {}
