"""Whose rows those of a table are."""

import warnings

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.tables.people.people import People, Persons, set_aside
from coclust_synth.tables.reading.infer import infer_schema

VISITS = pd.DataFrame({"who": ["b", "a", "b", "c"], "day": [1, 2, 3, 4]})


def test_persons_are_numbered_and_counted():
    persons = Persons.of(VISITS, "who")
    assert persons.n == 3 and persons.codes.tolist() == [0, 1, 0, 2]
    assert persons.count(np.array([0, 0, 0, 2])).tolist() == [2, 0, 1]
    assert persons.count(np.array([0, -1, 1, -1])).tolist() == [1, 1]


def test_blanks_around_a_name_make_no_other_person():
    names = ["b", "a", " b", "b\u2003"]
    persons = Persons.of(VISITS.assign(who=names), "who")
    assert persons.n == 2 and persons.codes.tolist() == [0, 1, 0, 0]
    with pytest.raises(TableError, match="1 rows that do not"):
        Persons.of(VISITS.assign(who=["a", " ", "a", "b"]), "who")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["a", None, "a", np.nan], "2 rows that do not"),
        ([["a"], ["b"], ["a"], ["b"]], "'who'"),
    ],
)
def test_a_row_that_names_nobody(column, message):
    with pytest.raises(TableError, match=message):
        Persons.of(VISITS.assign(who=column), "who")
    with pytest.raises(TableError, match="'day'"):
        Persons.of(VISITS, "dya")


def test_the_column_is_nothing_else():
    schema = infer_schema(VISITS)
    assert set_aside(schema, "who").kept.names == ("day",)
    with pytest.raises(ParameterError, match="as sensitive too"):
        set_aside(schema, "who", sensitive=["who"], quasi_identifiers=None)


def test_it_is_no_quasi_identifier_by_default():
    people = People.of(
        VISITS,
        None,
        k=3,
        quasi_identifiers=None,
        sensitive=None,
        others="keep",
        person_id="who",
    )
    assert people.roles.quasi_identifiers == ("day",)
    assert people.roles.dropped == ("who",) and people.roles.others == ()


@pytest.mark.parametrize("of_persons", [False, True])
@pytest.mark.parametrize("column", ["phone", "room", "size"])
def test_what_is_kept_and_tells_people_apart_is_said(of_persons, column):
    """A phone is one person's, a room two persons'; sizes are many people's."""
    person = np.arange(120) // (3 if of_persons else 1)
    table = pd.DataFrame(
        {
            "who": person,
            "town": person % 4,
            "phone": person + 1000,
            "room": person // 2 + 70,
            "size": person % 5,
        }
    )[["who", "town", column]]
    asked = {"quasi_identifiers": ["town"], "sensitive": [], "others": "keep"}
    if of_persons:
        asked["person_id"] = "who"
    else:
        table = table.drop(columns="who")
    schema = infer_schema(table)
    schema = schema.keep(*schema.undecided)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        People.of(table, schema, k=2, **asked)
    told = [str(one.message) for one in said if "apart" in str(one.message)]
    assert len(told) == (column == "phone")
    assert all("'phone' (100%)" in text for text in told)


@pytest.mark.parametrize("least", [1, 3, 20])
def test_any_run_of_spread_rows_is_of_as_many_persons(least):
    rng = np.random.default_rng(least)
    person = rng.geometric(0.02, 3000) % 60
    values = rng.permutation(3000) / 8
    rows = Persons("who", person).spread(values, least)
    assert (np.diff(rows) > 0).all()
    known = rows[np.argsort(values[rows])]
    for start in range(len(known) - least + 1):
        assert len(set(person[known[start : start + least]])) == least
    assert len(known) > 3000 / 60
    if least == 1:
        assert len(known) == 3000


def test_spread_rows_are_all_holders_of_a_value_that_many_hold():
    """Whoever has other values right before it."""
    person = np.array([*range(30), *range(30), 25, 25])
    values = np.array([*range(30), *[30] * 30, 30, 31])
    rows = Persons("who", person).spread(values)
    assert rows.tolist() == [*range(60)]
