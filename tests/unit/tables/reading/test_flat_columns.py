"""Columns of one value are told, unless ten rows have none: a box to be ticked."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import DataWarning, infer_schema
from coclust_synth.tables.reading.infer import CountedColumn, conform_counted

FLAT = [["snores"] * 40, [None] * 40, ["snores"] * 31 + [None] * 9]


@pytest.mark.parametrize("cells", FLAT)
def test_one_value_or_none_is_told(cells):
    table = pd.DataFrame({"reason": pd.Series(cells, dtype="str"), "y": [1, 2] * 20})
    with pytest.warns(DataWarning, match="one value, or none, in 'reason'"):
        infer_schema(table)


def test_of_many_columns_the_first_are_named():
    table = pd.DataFrame({f"c{i}": [1] * 40 for i in range(30)}).assign(y=[1, 2] * 20)
    with pytest.warns(DataWarning, match="'c11', and 18 more. Leave them out .--drop."):
        infer_schema(table)


def test_a_ticked_box_is_of_use():
    ticked = pd.DataFrame({"reason": ["snores", None] * 20, "y": [1, 2] * 20})
    assert infer_schema(ticked)["reason"].categories == ("snores",)


def test_counted_columns_are_told_alike():
    def counted(cells):
        rows = np.full(len(cells), 20)
        return {"reason": CountedColumn(pd.Series(cells, dtype="str"), rows)}

    schema = conform_counted(counted(["snores", None]))
    assert schema["reason"].categories == ("snores",)
    with pytest.warns(DataWarning, match="one value, or none, in 'reason'"):
        conform_counted(counted(["snores"]))
