"""Whose rows those of a table are."""

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
