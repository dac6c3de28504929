"""A check that counts persons and households, counted again by sets."""

import math

import numpy as np
import pandas as pd
import pytest
from naive import privacy as naive
from support.visits import visits

from coclust_synth.evaluation.checking.households import household_risk
from coclust_synth.evaluation.checking.privacy_check import check_release
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.privacy import (
    AlphaK,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
)
from coclust_synth.tables.people.people import Persons

QI = ["town", "sex"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_persons_of_classes_are_counted_once(seed):
    table = visits(np.random.default_rng(seed), 60)
    check = check_release(table, QI, ["ill"], k=5, person_id="who")
    classes = table.groupby(QI)
    persons = classes["who"].nunique()
    assert sorted(check.persons) == sorted(persons)
    assert check.k == check.smallest_class_persons == persons.min()
    assert check.smallest_class == classes.size().min()
    assert check.n_persons == 60
    assert check.holds == (persons.min() >= 5)
    assert check.models[0].n_failing == (persons < 5).sum()
    assert [risk.persons for risk in check.at_risk] == sorted(persons[persons < 5])
    alone = classes["who"].transform("nunique") == 1
    assert check.unique_share == pytest.approx(alone.mean())

    # A person counts for each value in distances, and for one value in all else.
    values = sorted(table["ill"].unique())
    held = {
        own: [rows.loc[rows["ill"] == value, "who"].nunique() for value in values]
        for own, rows in classes
    }
    total = [table.loc[table["ill"] == value, "who"].nunique() for value in values]
    found = check.sensitive[0]
    once = [
        naive.counted_once(rows.groupby("who")["ill"].agg(set), values)
        for _, rows in classes
    ]
    assert found.distinct_l == min(map(naive.distinct_l, once))
    assert found.entropy_l == pytest.approx(min(map(naive.entropy_l, once)))
    distances = {own: naive.equal_distance(c, total) for own, c in held.items()}
    assert found.t_equal == pytest.approx(max(distances.values()))
    shares = [max(held[own]) / n for own, n in persons.items()]
    assert found.largest_share == pytest.approx(max(shares))
    weighed = sum(n * distances[own] for own, n in persons.items())
    assert found.a_know == pytest.approx(weighed / persons.sum())


def test_a_value_that_all_hold_has_a_share_of_one():
    table = pd.DataFrame(
        {
            "who": [1, 1, 2, 2, 3],
            "town": "A",
            "ill": ["flu", "cut", "flu", "burn", "flu"],
        }
    )
    models = [AlphaK(0.9), DistinctLDiversity(2), EntropyLDiversity(1.1)]
    asked = [("ill", model) for model in (*models, RecursiveLDiversity(99, 2))]
    check = check_release(table, ["town"], ["ill"], person_id="who", models=asked)
    assert not any(asked.holds for asked in check.models)
    assert check.sensitive[0].largest_share == check.sensitive[0].distinct_l == 1
    rows = check_release(table, ["town"], ["ill"], models=asked)
    assert rows.holds and rows.persons is None


def test_the_original_is_counted_by_persons_too():
    released = pd.DataFrame({"who": [1, 2], "town": ["A", "A"], "ill": ["flu", "cut"]})
    original = pd.DataFrame({"who": [1, 1, 1, 2], "ill": ["flu", "flu", "flu", "cut"]})
    check = check_release(
        released, ["town"], ["ill"], original=original, person_id="who"
    )
    assert check.sensitive[0].t_equal == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"person_id": "town"}, "neither a quasi-identifier nor sensitive"),
        ({"household_id": "ill"}, "neither a quasi-identifier nor sensitive"),
        ({"person_id": "wo"}, "'who'"),
        ({"person_id": "who", "population": True}, "the share released is not defined"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    table = visits(np.random.default_rng(0), 20)
    if "population" in options:
        options = options | {"population": table}
    with pytest.raises(ParameterError, match=message):
        check_release(table, QI, ["ill"], **options)
    with pytest.raises(TableError, match="name its household"):
        nobody = table.assign(home=None)
        check_release(nobody, QI, household_id="home")


# Households


@pytest.mark.parametrize("by_person", [False, True])
def test_risks_of_households_from_their_definition(by_person):
    table = visits(np.random.default_rng(1), 40)
    table["home"] = table["who"].str[-2:].astype(int) // 3
    member = "who" if by_person else "pin"
    check = check_release(
        table, QI, k=4, household_id="home", person_id="who" if by_person else None
    )
    size = table.groupby(QI)[member].nunique()
    risks = []
    for _, rows in table.groupby("home"):
        safe = 1.0
        for _, own in rows.groupby(member):
            classes = zip(own["town"], own["sex"], strict=True)
            safe *= 1 - max(1 / size[key] for key in classes)
        risks.append(1 - safe)
    homes = table.groupby(QI)["home"].nunique()
    found = check.households
    assert found.n_households == len(risks)
    assert found.smallest_class == homes.min()
    assert found.mean == pytest.approx(np.mean(risks))
    assert found.largest == pytest.approx(max(risks))
    assert found.expected == pytest.approx(sum(risks))
    below = table.groupby(QI)["home"].transform("nunique") < 4
    assert found.share_below == pytest.approx(below.mean())


def test_a_household_of_one_in_a_class_alone_is_found():
    homes = Persons("home", np.array([0, 0, 1]))
    risk = household_risk(np.array([0, 1, 1]), homes, None)
    assert (risk.largest, risk.share_below) == (1, None)
    assert math.isclose(risk.mean, 0.75)
