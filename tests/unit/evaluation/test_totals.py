import numpy as np
import pandas as pd

from coclust_synth import infer_schema
from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.findings import carried_by_one, find_totals


def incomes(n=200):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"income": rng.integers(20, 60, n), "age": rng.integers(18, 90, n)}
    )
    frame.loc[7, "income"] = 5_000
    return frame


def test_a_total_that_one_individual_carries_and_that_falls_is_told():
    real = incomes()
    columns = infer_schema(real).columns
    usual = real.assign(income=real["income"].clip(upper=60))
    assert carried_by_one(columns, real, usual) == ["income"]
    assert carried_by_one(columns, real, usual.head(50)) == ["income"]
    assert carried_by_one(columns, real, real) == []
    # Many have less: no one's.
    assert carried_by_one(columns, usual, usual // 2) == []
    # Of the rows of a person each is little of all.
    shared = real.assign(income=np.where(real["age"] > 60, 1_000, 20))
    persons = np.where(real["age"] > 60, 0, np.arange(200))
    fallen = shared.assign(income=20)
    assert carried_by_one(columns, shared, fallen) == []
    assert carried_by_one(columns, shared, fallen, persons) == ["income"]


def test_the_page_says_so_without_the_value():
    real = incomes()
    usual = real.assign(income=real["income"].clip(upper=60))
    (finding,) = find_totals(AlikeTables.of(real, usual))
    assert finding.kind == "totals" and "'income'" in finding.text
    assert not any(digit in finding.text for digit in "0123456789")
    assert find_totals(AlikeTables.of(real, real)) == ()
