"""Keys of what persons have several of: counted in each person, and named anew."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth import SchemaError, infer_schema
from coclust_synth.tables.column import Column
from coclust_synth.tables.people.nested_keys import (
    NestedKey,
    find_nested_keys,
    with_numbers,
)
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.keys import Key

FRAME = pd.DataFrame(
    {
        "who": ["b", "a", "a", "b", "a", "c"],
        "claim": ["C-07", "C-11", "C-11", "C-09", "C-13", "C-40"],
        "day": [3, 8, 8, 4, 9, 1],
        "paid": [5, 7, 2, 2, 9, 4],
        "sex": ["F", "M", "M", "F", "M", "F"],
    }
)
PERSONS = Persons.of(FRAME, "who")


def schema(frame=FRAME):
    return infer_schema(frame).as_key("claim").drop("who")


def test_keys_are_numbers_in_each_person():
    (own,) = find_nested_keys(FRAME, schema(), PERSONS, 1)
    values, numbered = with_numbers(TableValues(FRAME), schema(), [own], PERSONS)
    assert values.frame["claim"].tolist() == [1, 1, 1, 2, 2, 1]
    assert numbered.kept.names == ("claim", "day", "paid", "sex")
    column = numbered["claim"]
    assert (column.kind, column.bounds, column.role) == ("integer", (1, 6), "other")


def test_what_is_the_same_in_all_rows_of_a_key_stays():
    (own,) = find_nested_keys(FRAME, schema(), PERSONS, 1)
    assert own.constants == ("day",)  # sex is that of the person
    (few,) = find_nested_keys(FRAME, schema(), PERSONS, 2)
    assert few.constants == ()  # one person has a key in several rows
    drawn = pd.DataFrame({"claim": [1, 1, 2, 1, 1], "day": [5, 6, 6, 6, None]})
    person = np.array([0, 0, 0, 1, 1])
    named = own.named(own.held(drawn, person), person)
    assert named["claim"].tolist() == ["C-21", "C-21", "C-22", "C-23", "C-23"]
    assert named["day"].tolist() == [5, 5, 6, 6, 6]
    assert NestedKey.from_dict(own.to_dict()) == own


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_names_are_as_different_as_those_of_the_table(pairs):
    person, number = np.array(pairs).T
    frame = pd.DataFrame({"claim": 10 * person + number + 50})
    once = frame["claim"].drop_duplicates()
    column = Column(name="claim", kind="integer", dtype="int64")
    own = NestedKey(Key.of_persons(frame["claim"], column, 0))
    counted = own.numbered(frame, person)
    named = own.named(counted, person)
    assert not set(named["claim"]) & set(once)
    same = [
        t["claim"].to_numpy()[:, None] == t["claim"].to_numpy() for t in (named, frame)
    ]
    np.testing.assert_array_equal(*same)
    most = counted["claim"].groupby(person).max()
    assert most.tolist() == frame["claim"].groupby(person).nunique().tolist()


@pytest.mark.parametrize(
    "claims, received",
    [
        (
            ["C-07", "C-07", "C-11", "C-09", "C-13", "C-40"],
            "none in 0 of the rows, and 1 of the keys in rows of several",
        ),
        (["C-07", None, "C-11", "C-11", "C-13", "C-40"], "none in 1 of the rows"),
    ],
)
def test_keys_of_several_persons_or_of_none_are_refused(claims, received):
    frame = FRAME.assign(claim=claims)
    with pytest.raises(SchemaError, match=received):
        find_nested_keys(frame, schema(frame), PERSONS, 1)


def test_keys_that_differ_in_every_row_are_not_nested():
    frame = FRAME.assign(claim=[f"C-{i}" for i in range(10, 16)])
    assert find_nested_keys(frame, schema(frame), PERSONS, 1) == ()
    assert find_nested_keys(FRAME, schema(), None, 1) == ()


def test_keys_are_made_of_texts_and_whole_numbers():
    days = pd.to_datetime(["2020-01-01"] * 2 + ["2020-01-02"] * 4)
    frame = FRAME.assign(claim=days, who=list("aabbbb"))
    with pytest.raises(SchemaError, match="of kind datetime"):
        find_nested_keys(frame, schema(frame), Persons.of(frame, "who"), 1)
    numbers = pd.Series([7, 9, 9, 8, 11, 40], dtype="Int64")
    frame = FRAME.assign(claim=numbers)
    (own,) = find_nested_keys(frame, schema(frame), PERSONS, 1)
    drawn = pd.DataFrame({"claim": [1, 1, 2], "day": [3, 3, 4]})
    named = own.named(drawn, np.array([0, 0, 1]))["claim"]
    assert named.dtype == "Int64" and named.tolist() == [101, 101, 102]


def test_keys_in_keys_are_held_from_the_inside():
    """A stay has claims: the claims of a stay are of its day."""
    table = pd.DataFrame(
        {
            "who": [0] * 4 + [1] * 2,
            "stay": [5, 5, 5, 6, 7, 7],
            "claim": [11, 11, 12, 13, 14, 15],
            "day": [1, 1, 1, 2, 3, 3],
        }
    )
    people = Persons.of(table, "who")
    found = find_nested_keys(
        table, infer_schema(table).as_key("stay", "claim").drop("who"), people, 1
    )
    assert [(own.column, own.constants) for own in found] == [
        ("claim", ("stay", "day")),
        ("stay", ("day",)),
    ]
    drawn = pd.DataFrame({"stay": [1, 2, 2], "claim": [1, 1, 2], "day": [4, 5, 6]})
    for own in found:
        drawn = own.held(drawn, np.zeros(3, dtype=np.int64))
    assert drawn["stay"].tolist() == [1, 1, 2] and drawn["day"].tolist() == [4, 4, 6]
