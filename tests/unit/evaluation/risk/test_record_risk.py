"""The risk of each record: counted by hand, summed from its law, and of whom."""

import math

import numpy as np
import pandas as pd
import pytest

from coclust_synth.evaluation.risk.log_linear import (
    chance_to_be_found,
    expected_in_sample,
)
from coclust_synth.evaluation.risk.records import record_risk
from coclust_synth.exceptions import ParameterError, TableError

TABLE = pd.DataFrame(
    {
        "age": ["30", "30", "31", "31", "40", "50"],
        "sex": ["F", "F", "F", "M", "M", "M"],
        "home": [1, 1, 2, 2, 2, 3],
        "weight": [5.0, 15.0, 20.0, 1.0, 10.0, 4.0],
    }
)
PEOPLE = pd.DataFrame(
    {
        "age": ["30"] * 9 + ["31"] * 3 + ["40", "50", "60"],
        "sex": ["F"] * 9 + ["F", "M", "M"] + ["M", "M", "F"],
    }
)
QI = ["age", "sex"]


def test_a_table_is_all_there_is():
    found = record_risk(TABLE, QI)
    assert found.risk.tolist() == [0.5, 0.5, 1, 1, 1, 1]
    assert found.rows.tolist() == [1, 2, 3, 4, 5, 6]
    assert (found.uniques, found.expected, found.k_map) == (4, 5, 1)
    assert found.uniques_at_large is None and found.population_uniques is None
    assert found.worst(2)["row"].tolist() == [3, 4]
    assert "individuals 6" in repr(found) and "31" not in repr(found)


def test_a_population_is_counted():
    found = record_risk(TABLE, QI, population=PEOPLE)
    assert found.people.tolist() == [9, 9, 1, 2, 1, 1]
    assert found.risk.tolist() == pytest.approx([1 / 9, 1 / 9, 1, 0.5, 1, 1])
    # 31 F, 40 M and 50 M of the four uniques; and the woman of 60 besides.
    assert found.uniques_at_large == pytest.approx(3 / 4)
    assert found.population_uniques == pytest.approx(4 / 15)
    assert found.k_map == 1


def test_a_class_has_no_fewer_people_than_rows():
    found = record_risk(TABLE, QI, population=PEOPLE[5:])
    assert found.people.tolist()[:2] == [4, 4]
    found = record_risk(TABLE, QI, population=PEOPLE[9:])
    assert found.people.tolist()[:2] == [2, 2]


def test_weights_are_those_of_benedetti_and_franconi():
    found = record_risk(TABLE, QI, weights="weight")
    assert found.people.tolist() == [20, 20, 20, 1, 10, 4]
    p = 1 / 10
    alone = p / (1 - p) * -math.log(p)  # E(1/F) of f = 1, in closed form
    assert found.risk[4] == pytest.approx(alone)
    p = 2 / 20
    pair = p / (1 - p) - (p / (1 - p)) ** 2 * -math.log(p)
    assert found.risk[0] == pytest.approx(pair)
    assert found.risk[3] == 1
    chances = [1 / 20, 1, 1 / 10, 1 / 4]
    assert found.uniques_at_large == pytest.approx(sum(chances) / 4)
    assert found.population_uniques == pytest.approx(4 / 55)


@pytest.mark.parametrize("f", [1, 2, 7])
@pytest.mark.parametrize("outside", [0.0, 0.3, 4.0, 60.0])
def test_the_chance_is_the_mean_of_one_over_the_people(f, outside):
    law = [
        math.exp(-outside + m * math.log(outside) - math.lgamma(m + 1))
        if outside
        else float(m == 0)
        for m in range(400)
    ]
    mean = sum(share / (f + m) for m, share in enumerate(law))
    found = chance_to_be_found(np.array([f]), np.array([outside]))
    assert found.item() == pytest.approx(mean, rel=1e-9)


def test_a_sampling_fraction_asks_the_model_of_single_columns():
    found = record_risk(TABLE, QI, sampling_fraction=0.25)
    # 6 rows, 2/6 of age 30 and 3/6 women: 1 expected in the table, 3 outside.
    assert found.people.tolist()[:2] == [5, 5]
    assert found.people[4] == pytest.approx(1 + 3 * 6 * 1 / 6 * 1 / 2)
    outside = np.array([3, 3, 1.5, 1.5])  # of the four who are alone
    assert found.uniques_at_large == pytest.approx(np.exp(-outside).mean())
    assert found.population_uniques == pytest.approx(np.exp(-outside).sum() / 6)
    whole = record_risk(TABLE, QI, sampling_fraction=1)
    assert whole.risk.tolist() == [0.5, 0.5, 1, 1, 1, 1]
    assert whole.uniques_at_large == 1


def test_the_model_errs_little_where_columns_are_independent(rng):
    people = pd.DataFrame(rng.geometric(0.08, (20000, 2)), columns=QI)
    sample = people[rng.random(len(people)) < 0.1]
    by_model = record_risk(sample, QI, sampling_fraction=0.1)
    true = record_risk(sample, QI, population=people)
    assert by_model.uniques_at_large == pytest.approx(true.uniques_at_large, abs=0.04)
    assert by_model.expected == pytest.approx(true.expected, rel=0.1)
    expected = expected_in_sample(np.array([[0, 0], [1, 1]]), np.array([0]))
    assert expected.tolist() == [0.5]


def test_persons_count_once_and_their_easiest_row_counts():
    table = TABLE.assign(who=[7, 7, 8, 9, 9, 9])
    found = record_risk(table, QI, person_id="who")
    assert found.n_individuals == 3
    assert found.f.tolist() == [1] * 6 and found.mean == 1
    coarse = record_risk(table, ["sex"], person_id="who")
    assert coarse.f.tolist() == [2, 2, 2, 1, 1, 1]
    assert (coarse.mean, coarse.expected) == (pytest.approx(2 / 3), 2)


def test_households_are_found_by_one_member():
    found = record_risk(TABLE, QI, household_id="home").households
    assert found.n == 3 and found.expected == pytest.approx(0.75 + 1 + 1)


def test_suppressed_rows_are_in_no_class_and_rows_keep_their_numbers():
    found = record_risk(TABLE, QI, suppressed=np.arange(6) == 1)
    assert found.rows.tolist() == [1, 3, 4, 5, 6] and found.f[0] == 1


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"weights": "weight", "sampling_fraction": 0.5}, ParameterError, "one way"),
        ({"weights": "weight", "population": PEOPLE}, ParameterError, "one way"),
        ({"weights": "wait"}, ParameterError, "Did you mean 'weight'"),
        ({"weights": "sex"}, TableError, "numbers from 1 on"),
        ({"sampling_fraction": 0}, ParameterError, "above 0, up to 1"),
        ({"sampling_fraction": 1.5}, ParameterError, "above 0, up to 1"),
        ({"sampling_fraction": True}, ParameterError, "above 0, up to 1"),
        ({"population": PEOPLE[["age"]]}, ParameterError, "the population"),
        ({"person_id": "who"}, TableError, "'who'"),
    ],
)
def test_what_cannot_be_known_is_refused(options, error, said):
    with pytest.raises(error, match=said):
        record_risk(TABLE, QI, **options)
    with pytest.raises(ParameterError, match="Expected quasi-identifiers"):
        record_risk(TABLE, [])
