from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.series import from_values
from coclust_synth.tables.writing import coded_bytes, table_bytes, with_codes


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    town = rng.choice(["Oslo", "Bergen", "Ål", "", None], n)
    return pd.DataFrame(
        {
            "age": rng.integers(17, 90, n),
            "town": pd.array(town, dtype="str"),
            "job": pd.array(rng.choice(["cook", "nurse", None], n), dtype="string"),
            "size": pd.Categorical(rng.choice(["S", "M"], n), ["S", "M"], ordered=True),
            "paid": pd.array(rng.choice([True, False], n)),
            "fee": [Decimal(f"{v}.50") for v in rng.integers(0, 9, n)],
            "note": pd.Series(rng.choice(["yes", "no"], n), dtype=object),
            "day": pd.to_datetime("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 90, n), unit="D"),
        }
    )


def cells(frame, schema, to):
    """A table whose columns have the dtypes of another schema of it."""
    return pd.DataFrame(
        {
            own.name: from_values(*to_values(frame[own.name], own), column)
            for own, column in zip(schema.columns, to.columns, strict=True)
        }
    )


@pytest.mark.parametrize("n", [1, 2, 300])
@pytest.mark.parametrize("seed", range(3))
def test_a_file_of_codes_is_that_of_texts(n, seed):
    schema = infer_schema(table(300))
    frame = table(300, seed).sample(n, random_state=seed).reset_index(drop=True)
    spelt = cells(frame, schema, schema)
    coded = cells(frame, schema, with_codes(schema))
    assert coded["town"].dtype == "category"
    assert coded["note"].dtype == object
    assert coded_bytes(coded, schema) == table_bytes(spelt, "people.parquet", schema)


def test_a_table_without_texts_is_written_as_it_is():
    schema = infer_schema(table(50)[["age", "paid"]])
    assert with_codes(schema) == schema
    frame = cells(table(50), schema, schema)
    assert coded_bytes(frame, schema) == table_bytes(frame, "a.parquet", schema)
