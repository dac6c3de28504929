"""A table with all that engines read differently, as Parquet files in a folder."""

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def odd_table(n, seed=0):
    """An Arrow table of 15 columns, with NULL, NaN, -0.0, '', dates and decimals."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 4, n)

    def texts(values, missing=0.0):
        cells = np.array(values, dtype=object)[(group + rng.integers(0, 3, n)) % 4]
        return pa.array(np.where(rng.random(n) < missing, None, cells), pa.string())

    reals = np.round(rng.normal(group, 1.0, n), 2)
    reals[rng.random(n) < 0.03] = np.nan
    zeros = np.where(rng.random(n) < 0.5, -0.0, rng.integers(0, 3, n) / 2.0)
    start = datetime.date(2020, 1, 1)
    days = rng.integers(0, 400, n)
    dates = [start + datetime.timedelta(int(day)) for day in days]
    instants = (np.datetime64("2021-03-27T00:00:00") + days * 3_600).astype("M8[us]")
    cents = rng.integers(-5_000, 90_000, n)
    digits = [None if c % 41 == 0 else Decimal(int(c)) / 100 for c in cents]
    columns = {
        "town": texts(["Ulm", "ulm", "Ulm ", ""]),
        "state": texts(["é", "e", "E", "Z"], missing=0.1),
        "kind": pa.array(np.array(["a", "b", "c", "d"])[group]).dictionary_encode(),
        "flag": pa.array(np.where(days % 5 == 0, None, days % 2 == 0), pa.bool_()),
        "age": pa.array(20 + group * 15 + rng.integers(0, 15, n)),
        "children": pa.array(rng.integers(0, 4, n), mask=rng.random(n) < 0.05),
        "small": pa.array(rng.integers(0, 200, n).astype(np.uint8)),
        "temperature": pa.array(reals, mask=rng.random(n) < 0.03, from_pandas=False),
        "zero": pa.array(zeros, from_pandas=False),
        "single": pa.array(np.round(rng.gamma(2, 9, n), 1).astype(np.float32)),
        "born": pa.array(dates, pa.date32()),
        "seen": pa.array(instants),
        "zoned": pa.array(instants, pa.timestamp("us", "Europe/Paris")),
        "fee": pa.array(digits, pa.decimal128(10, 2)),
        "written": pa.array([d.strftime("%d/%m/%Y") for d in dates]),
    }
    return pa.table(columns)


def as_folder(table, path, n_files=3):
    """The table in the files of a new folder."""
    path.mkdir()
    size = -(-len(table) // n_files)
    for i in range(n_files):
        part = table.slice(i * size, size)
        pq.write_table(part, path / f"part-{i}.parquet", row_group_size=size // 2)
    return path
