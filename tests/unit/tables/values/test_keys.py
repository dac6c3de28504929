import json

import numpy as np
import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.values.keys import (
    Key,
    learn_keys,
    person_key,
    schema_with_keys,
    with_keys,
)


def key_of(values, dtype=None):
    frame = pd.DataFrame(
        {"a": range(len(values)), "id": pd.Series(values, dtype=dtype)}
    )
    (key,) = learn_keys(frame, infer_schema(frame).keep("a").as_key("id"))
    assert key.position == 1
    return key


@pytest.mark.parametrize(
    "values, made",
    [
        ([3, 1, 2], [1, 2, 3]),
        ([0, 4, 7, 12], [1, 2, 3]),
        ([734, 812, 299], [100, 101, 102]),
        ([-12, 17, 33], [1, 2, 3]),
        ([7.0, 9.0, 11.0], [1.0, 2.0, 3.0]),
        (["AB-00123", "AB-71000", "AB-00009"], ["AB-00001", "AB-00002", "AB-00003"]),
        (["7590-VHV", "5575-GNV", "3668-QPY"], ["0000-AAB", "0000-AAC", "0000-AAD"]),
        (["x9f", "x0a", "x4e"], ["x0b", "x0c", "x0d"]),
        (["user7", "user12", "user1"], ["user1", "user2", "user3"]),
        (["ann@x.org", "bob@yy.org", "c@x.org"], ["1", "2", "3"]),
    ],
)
def test_keys_are_counted_in_the_pattern_of_the_tables(values, made):
    key = key_of(values)
    assert key.make(3).tolist() == made
    again = Key.from_dict(json.loads(json.dumps(key.to_dict())))
    assert again == key
    assert key.make(3).dtype == pd.Series(values).dtype


def test_no_key_of_the_table_is_kept():
    rng = np.random.default_rng(0)
    texts = [f"K{number:07d}" for number in rng.choice(10**7, 500, replace=False)]
    saved = json.dumps(key_of(texts).to_dict())
    assert not any(text in saved for text in texts)


@pytest.mark.parametrize("n", [10, 11, 1500])
def test_more_rows_than_the_pattern_has_are_different_all_the_same(n):
    texts = key_of(["A1", "A2", "A7"]).make(n).tolist()
    assert len(set(texts)) == n
    assert texts[0] == "A1"


@pytest.mark.parametrize(
    "values, match",
    [
        ([1, 2, 2], "1 with that of another"),
        (["a", None, "c"], "1 rows without"),
        ([1.5, 2.25, 3.0], "kind real"),
        (pd.to_datetime([1, 2, 3], unit="D"), "kind datetime"),
    ],
)
def test_what_is_no_key_is_refused(values, match):
    with pytest.raises(SchemaError, match=match):
        key_of(values)


def test_a_type_that_cannot_hold_them():
    key = key_of([1, 2, 3], "int8")
    assert key.make(127).dtype == "int8"
    with pytest.raises(ParameterError, match="int8"):
        key.make(128)


def test_keys_are_in_their_places():
    frame = pd.DataFrame({"k": ["A1", "A2"], "x": [1, 5], "n": [10, 11], "y": [2, 9]})
    schema = infer_schema(frame).as_key("k", "n")
    assert schema.kept.names == ("x", "y")
    keys = learn_keys(frame, schema)
    made = with_keys(frame[["x", "y"]], keys)
    assert list(made) == list(frame)
    assert schema_with_keys(made, schema.kept, keys).names == tuple(frame)
    assert "A1" not in schema.to_toml()


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([104, 9, 999], [1001, 1002]),
        ([-50, 7], [101, 102]),
        ([1, 2, 3], [11, 12]),
        (["p017", "p231"], ["1p000", "1p001"]),
        (["a", "b", "cc"], ["101", "102"]),
        (["x9", "x10", "x100"], ["x1001", "x1002"]),
        ([1.5, 22.5], ["10001", "10002"]),
    ],
)
def test_persons_are_named_by_none_of_their_names(ids, expected):
    who = [*ids, ids[0]]
    sex = ["F", "M", *"F" * (len(who) - 2)]
    table = pd.DataFrame({"age": range(len(who)), "who": who, "sex": sex})
    schema = infer_schema(table).keep("age", "sex").drop("who")
    key = person_key(table, schema, "who")
    made = key.make(300)
    assert made.head(2).tolist() == expected
    assert made.is_unique and not set(made.astype(str)) & set(map(str, ids))
    assert Key.from_dict(key.to_dict()) == key
    frame = key.moved(table[["age", "sex"]].assign(who=made[: len(table)]))
    assert list(frame) == ["age", "who", "sex"]
