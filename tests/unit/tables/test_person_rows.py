"""At most some rows of each person, whatever they say."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.tables.person_rows import bound_rows

VISITS = pd.DataFrame({"who": ["a", "b", "a", "c", "a", "b", "a"], "day": range(7)})


@pytest.mark.parametrize("most", [1, 2, 3, 4, 9])
def test_nobody_keeps_more_than_allowed(most):
    kept = bound_rows(VISITS, "who", most, random_state=0)
    had = VISITS["who"].value_counts()
    assert kept["who"].value_counts().to_dict() == had.clip(upper=most).to_dict()
    assert kept.index.is_monotonic_increasing
    assert kept.equals(VISITS.loc[kept.index])


def test_any_row_may_be_kept():
    days = {
        day
        for seed in range(60)  # a row is never kept once in (4/3)^60 = 3e7 times
        for day in bound_rows(VISITS, "who", 1, random_state=seed)["day"]
    }
    assert days == set(range(7))


def test_other_people_and_columns_play_no_part():
    """Rows of one person, as many as allowed, do not depend on what they say."""
    changed = VISITS.assign(day=VISITS["day"].iloc[::-1].to_numpy())
    kept = bound_rows(VISITS, "who", 2, random_state=3).index
    assert kept.equals(bound_rows(changed, "who", 2, random_state=3).index)


def test_rows_of_nobody_are_refused():
    frame = VISITS.assign(who=["SECRET", *[None] * 6])
    with pytest.raises(TableError, match="6 rows that do not") as error:
        bound_rows(frame, "who", 1)
    assert "SECRET" not in str(error.value)
    with pytest.raises(TableError, match="'whom'"):
        bound_rows(VISITS, "whom", 1)
    with pytest.raises(ParameterError, match="max_rows"):
        bound_rows(VISITS, "who", 0)
    assert len(bound_rows(VISITS.iloc[:0], "who", 1)) == 0
    assert np.array_equal(bound_rows(VISITS, "who", 4).index, VISITS.index)
