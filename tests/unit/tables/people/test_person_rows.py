"""At most some rows of each person, whatever they say and whoever else is there."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.tables.people.bounded import bound_rows

VISITS = pd.DataFrame({"who": ["a", "b", "a", "c", "a", "b", "a"], "day": range(7)})


def key(number):
    return number.to_bytes(8)


@pytest.mark.parametrize("most", [1, 2, 3, 4, 9])
def test_nobody_keeps_more_than_allowed(most):
    kept = bound_rows(VISITS, "who", most)
    had = VISITS["who"].value_counts()
    assert kept["who"].value_counts().to_dict() == had.clip(upper=most).to_dict()
    assert kept.index.is_monotonic_increasing
    assert kept.equals(VISITS.loc[kept.index])


@pytest.mark.slow
def test_any_row_may_be_kept_as_often_as_another():
    days = pd.concat(
        bound_rows(VISITS, "who", 1, key=key(number))["day"] for number in range(600)
    )
    counts = days.value_counts()
    # Of a's four rows, each 150 times of 600; of b's two, 300.
    assert set(counts.index) == set(range(7))
    assert counts[[0, 2, 4, 6]].between(110, 190).all()
    assert counts[[1, 5]].between(250, 350).all() and counts[3] == 600
    assert bound_rows(VISITS, "who", 1, key=key(5)).equals(
        bound_rows(VISITS, "who", 1, key=key(5))
    )


def test_rows_are_chosen_anew_each_time():
    """Of 100 rows of one person: the same one 8 times has a chance of 1e-14."""
    frame = pd.DataFrame({"who": "a", "day": range(100)})
    assert len({bound_rows(frame, "who", 1).index[0] for _ in range(8)}) > 1


@pytest.mark.slow
@pytest.mark.parametrize("number", range(50))
def test_other_people_and_columns_play_no_part(number):
    """One person more, or with other rows: all others keep the rows that they kept."""
    rng = np.random.default_rng(number)
    frame = pd.DataFrame({"who": rng.choice(list("abcde"), 40), "day": range(40)})
    new = pd.DataFrame({"who": "new", "day": -1}, index=range(10))
    places = np.sort(rng.integers(0, 41, 10))
    more = pd.DataFrame(np.insert(frame.to_numpy(), places, new.to_numpy(), axis=0))
    more.columns = frame.columns
    tables = frame, more, frame[frame["who"] != "a"], frame.assign(say=0)
    kept = [
        bound_rows(table, "who", 2, key=key(number)).query(
            "who in ['b', 'c', 'd', 'e']"
        )
        for table in tables
    ]
    for others in kept[1:]:
        assert others["day"].tolist() == kept[0]["day"].tolist()


def test_names_are_texts_whoever_else_is_there():
    """Typed by the column, 1000.0 and 1000.00 would be one, were all others numbers."""
    raw = pd.DataFrame({"who": ["1000.0", "1000.00", "7"], "day": range(3)})
    assert len(bound_rows(raw, "who", 1)) == 3
    typed = pd.DataFrame({"who": [1000, 1000.0, "1000", " 1000 "]})
    assert len(bound_rows(typed, "who", 1)) == 1
    assert len(bound_rows(pd.DataFrame({"who": [1.0, 2.0, 1.0]}), "who", 1)) == 2


def test_rows_of_nobody_are_refused():
    frame = VISITS.assign(who=["SECRET", *[None] * 5, " "])
    with pytest.raises(
        TableError, match=r"rows that do not \(how many is not shown"
    ) as error:
        bound_rows(frame, "who", 1)
    assert "SECRET" not in str(error.value)
    with pytest.raises(TableError, match="'whom'"):
        bound_rows(VISITS, "whom", 1)
    twice = pd.DataFrame([["a", "b"]], columns=["who", "who"])
    with pytest.raises(TableError, match="one column 'who' of the persons"):
        bound_rows(twice, "who", 1)
    with pytest.raises(ParameterError, match="max_rows"):
        bound_rows(VISITS, "who", 0)
    assert len(bound_rows(VISITS.iloc[:0], "who", 1)) == 0
    assert np.array_equal(bound_rows(VISITS, "who", 4).index, VISITS.index)
