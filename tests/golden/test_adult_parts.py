"""Parts and null cost of nine variables of UCI Adult, as Khiops 11 finds them."""

import numpy as np
import pytest
from support.shared import ADULT, needed

from coclust_synth import read_table
from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.tables.parts.coding import TableCoding

NAMES = (
    *("sex", "age", "race", "marital_status", "education", "native_country"),
    *("workclass", "occupation", "class"),
)


@pytest.fixture(scope="module")
def adult():
    return read_table(needed(ADULT))


@pytest.fixture(scope="module")
def rows(adult):
    frame, schema = adult
    schema = schema.drop(*(name for name in schema.names if name not in NAMES))
    coding = TableCoding.learn(frame, schema, binning="quantile")
    assert set(coding.names) == set(NAMES)
    return coding.distinct_rows(frame)[0]


@pytest.mark.slow
def test_parts(rows):
    assert rows.n_parts == 108
    assert rows.n_individuals == 48_842
    assert len(rows.counts) == 19_377
    assert (rows.codes >= 0).all()


@pytest.mark.slow
def test_null_cost(rows):
    contingency = Contingency.from_distinct_rows(rows)
    assert contingency.n_observations == 439_578
    assert contingency.n_values == (48_842, 108)
    assert f"{Grid.null(contingency).cost:.3f}" == "6337291.713"


@pytest.mark.slow
def test_missing_values_of_adult_are_three_parts(adult):
    frame, schema = adult
    holes = [name for name in NAMES if frame[name].isna().any()]
    assert sorted(holes) == ["native_country", "occupation", "workclass"]
    assert frame["age"].dtype == np.int64 and schema["workclass"].missing == ("?",)
