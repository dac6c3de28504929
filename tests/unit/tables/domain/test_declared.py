"""Rows as a domain reads them, with the values that are written there."""

import datetime

import numpy as np
import pandas as pd
import pytest

from coclust_synth import Domain, TableError
from coclust_synth.tables.domain.rows import declared_table

DOMAIN = Domain.from_dict(
    {
        "age": {"low": 0, "high": 99, "bins": 2, "clamp": True, "missing": "?"},
        "size": {"low": 0.5, "high": 2.5, "bins": 2},
        "work": {"categories": ["cook", "smith"], "other": "rest", "missing": "NA"},
        "deck": {"categories": [1, 2]},
        "came": {
            "low": datetime.date(2020, 1, 1),
            "high": datetime.date(2020, 12, 31),
            "step": "month",
        },
    }
)
ROWS = pd.DataFrame(
    {
        "age": ["17", "?", "130"],
        "size": ["0.75", "2", "1e0"],
        "work": ["cook", "NA", "diver"],
        "deck": ["1", "2.0", "02"],
        "came": ["2020-02-03", "2020-03-04", "2020-12-30"],
        "name": list("abc"),
    }
)


def test_values_are_as_they_are_written():
    frame, schema = declared_table(DOMAIN, ROWS)
    assert schema.names == DOMAIN.names
    kinds = ["integer", "real", "categorical", "categorical", "datetime"]
    assert [column.kind for column in schema.columns] == kinds
    assert np.array_equal(frame["age"], [17, np.nan, 130], equal_nan=True)
    assert frame["size"].tolist() == [0.75, 2, 1]
    assert frame["work"][[0, 2]].tolist() == ["cook", "rest"]
    assert pd.isna(frame["work"][1])
    assert frame["deck"].tolist() == [1, 2, 2]
    assert frame["came"].dt.strftime("%m-%d").tolist() == ["02-03", "03-04", "12-30"]


def test_what_the_domain_refuses_is_refused():
    with pytest.raises(TableError, match="declared domain"):
        declared_table(DOMAIN, ROWS.assign(deck="3"))


def test_a_column_of_one_value_gives_no_warning():
    declared_table(DOMAIN, ROWS.assign(deck="1"))
