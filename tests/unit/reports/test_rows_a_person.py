"""What a release says of the number of persons, where it is another than the table's.

The numbers of infections are those of 128 patients of a trial of gamma interferon
(International CGD Cooperative Study Group 1991).
"""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer
from coclust_synth.reports.rows_a_person import persons_of


@pytest.fixture(scope="module")
def infections():
    """A model of 203 rows of 128 patients."""
    n_each = np.repeat([1, 2, 3, 4, 5, 6, 8], [84, 28, 8, 5, 1, 1, 1])
    rng = np.random.default_rng(0)
    n_each = rng.permutation(n_each)
    patient = np.repeat(np.arange(128) + 700, n_each)
    number = np.concatenate([np.arange(1, n + 1) for n in n_each])
    sex = rng.choice(["F", "M"], 128)[patient - 700]
    table = pd.DataFrame({"patient": patient, "sex": sex, "number": number})
    return CoclusterSynthesizer(
        k=20, person_id="patient", n_iterations=1, random_state=0
    ).fit(table)


def test_as_many_rows_a_person_are_drawn_where_few_have_most(infections):
    """They were of 152 persons, none of whom had three."""
    drawn = infections.sample()
    told = persons_of(infections.model_, drawn)
    assert told == {"persons": drawn["patient"].nunique()}
    assert told["persons"] == pytest.approx(128, rel=0.08)
    assert set(drawn["patient"].value_counts()) == {1, 2, 3, 4}


def test_it_is_said_where_persons_have_fewer_rows(infections):
    drawn = infections.sample().drop_duplicates("patient")
    told = persons_of(infections.model_, drawn)
    assert told["rows_a_person"] == (
        "A person has 1.00 rows on average, and 1.59 in the table: the rows are of "
        f"{len(drawn)} persons, and would be of {len(drawn) / 203 * 128:.0f}."
    )
    assert "rows_a_person" not in persons_of(infections.model_, drawn[:15])


def test_of_rows_that_are_nobodys_nothing_is_said():
    table = pd.DataFrame({"sex": ["F", "M"] * 50})
    model = CoclusterSynthesizer(k=10, n_iterations=1, random_state=0).fit(table)
    assert persons_of(model.model_, model.sample()) == {}
