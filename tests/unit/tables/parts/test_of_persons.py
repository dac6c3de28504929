"""Parts of a column of which somebody has many rows."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.values.columns import to_values

N, HEAVY = 400, 120


def visits():
    """Visits of 400 persons; the first one has 120 more, before all others."""
    rng = np.random.default_rng(0)
    person = np.append(np.arange(N), np.zeros(HEAVY, dtype=int))
    day = np.append(rng.integers(5000, 9000, N), np.arange(1000, 1000 + HEAVY))
    dates = pd.Timestamp("1990-01-01") + pd.to_timedelta(day, unit="D")
    price = np.where(rng.random(len(day)) < 0.1, np.nan, day * 0.25)
    often = np.where(rng.random(len(day)) < 0.3, 5000.0, day)
    return pd.DataFrame({"came": dates, "price": price, "often": often}), person


@pytest.mark.parametrize("binning", ["atoms", "heaped"])
def test_each_part_is_of_twenty_persons_or_of_missing_values(binning):
    table, person = visits()
    persons = Persons("who", person)
    schema = infer_schema(table)
    coding = TableCoding.learn(table, schema, binning=binning, persons=persons)
    for column, parts in zip(schema.columns, coding.parts, strict=True):
        values, missing = to_values(table[column.name], column)
        codes = parts.encode(values, missing)
        n_persons = persons.count(np.where(missing, -1, codes))
        assert n_persons[np.unique(codes[~missing])].min() >= 20
        assert parts.n_parts >= 8


def test_few_persons_are_one_part():
    table, person = visits()
    persons = Persons("who", person[-HEAVY - 1 :] * 0)
    few = table.iloc[-HEAVY - 1 :]
    coding = TableCoding.learn(few, infer_schema(few), binning="atoms", persons=persons)
    assert [parts.n_parts - parts.with_missing for parts in coding.parts] == [1, 1, 1]
