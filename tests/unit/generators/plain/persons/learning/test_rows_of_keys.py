"""Rows that are told from the row before of the same key: loans, contracts."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.persons.learning.rows_of_keys import _RowsOfKeys


def loans(n=150, seed=0):
    """What is paid back of the loans of customers, who have several at a time."""
    rng, rows, number = np.random.default_rng(seed), [], 71_000
    for person in range(n):
        sex = rng.choice(["F", "M"])
        for _ in range(rng.integers(1, 4)):
            number, kind = number + rng.integers(1, 4), rng.choice(["car", "home"])
            owed, day = rng.integers(5, 60) * 100, rng.integers(0, 900)
            for i in range(rng.integers(1, 6)):
                paid = min(owed, rng.integers(1, 12) * 50) * (i > 0)
                owed, day = owed - paid, day + rng.integers(25, 40)
                rows.append((f"P{person:03}", number, kind, sex, day, paid, owed))
    names = ["who", "loan", "kind", "sex", "day", "paid", "owed"]
    table = pd.DataFrame(rows, columns=names).sort_values(["who", "day"])
    day = np.datetime64("2020-01-01") + table["day"].to_numpy()
    return table.assign(day=day).astype({"day": "datetime64[us]"})


@pytest.fixture(scope="module")
def table():
    return loans().reset_index(drop=True)


def fitted(table, k=20):
    schema = infer_schema(table).as_key("loan")
    options = {"k": k, "person_id": "who", "n_iterations": 1, "random_state": 0}
    return CoclusterSynthesizer(**options).fit(table, schema)


@pytest.fixture(scope="module")
def model(table):
    return fitted(table)


def test_rows_are_told_from_the_one_before_of_the_same_key(table, model):
    drawn = model.sample()
    assert list(drawn) == list(table) and len(drawn) == len(table)
    assert not set(drawn["loan"]) & set(table["loan"])
    each = drawn.groupby("loan")
    earlier = each["owed"].shift()
    told = earlier - drawn["paid"] == drawn["owed"]
    assert told[earlier.notna()].all()
    assert (each[["who", "kind"]].nunique() == 1).all(axis=None)
    assert (drawn.groupby("who")["sex"].nunique() == 1).all()
    days = each["day"].diff().dropna().dt.days
    assert days.between(25, 39).mean() > 0.95
    for by, name in (("loan", "day"), ("who", "loan")):
        sizes = [t.groupby(by)[name].nunique().mean() for t in (table, drawn)]
        assert sizes[1] == pytest.approx(sizes[0], rel=0.08)


def test_what_is_kept_is_said_of_persons_and_of_keys(model):
    structure = model.model_.structure
    assert structure.lasting == ("sex",)
    told = "owed = owed of the row before of one loan - paid"
    assert told in structure.told_by_row_before
    assert not any("loan of" in said for said in structure.told_by_row_before)


@pytest.mark.slow
def test_individuals_are_persons_and_not_keys(table, monkeypatch):
    found, of_later = [], _RowsOfKeys.evidence_of_later

    def noted(self):
        found.append(of_later.func(self))
        return found[-1]

    monkeypatch.setattr(_RowsOfKeys, "evidence_of_later", property(noted))
    fitted(table)
    several = table[table.duplicated("loan")]["who"].nunique()
    assert found and {own.persons.n for own, _ in found} == {several}


@pytest.mark.slow
def test_a_saved_model_with_keys_draws_the_same(model, tmp_path):
    path = tmp_path / "loans.model"
    model.save(path)
    own, again = model.model_.structure, PlainModel.load(path).structure
    assert again.to_dict() == own.to_dict()
    arrays = again.arrays()
    assert arrays.keys() == own.arrays().keys()
    for name, array in own.arrays().items():
        np.testing.assert_array_equal(arrays[name], array)
    clusters = np.repeat(np.arange(len(own.first.cluster_rows)), 20)
    drawn = (
        each.draw_persons(clusters, np.random.default_rng(1))[0]
        for each in (own, again)
    )
    pd.testing.assert_frame_equal(*drawn)


@pytest.mark.slow
def test_rows_of_few_who_have_several_are_left_as_they_are(table):
    person = table["who"].str[1:].astype(int)
    first = table["loan"] == table.groupby("who")["loan"].transform("first")
    few = table[first | (person < 15)].reset_index(drop=True)
    assert fitted(few).model_.structure.within is None
    assert fitted(table, k=60).model_.structure.within is not None


def test_an_age_is_told_of_persons_and_is_no_reason_to_draw_key_by_key():
    rng, n = np.random.default_rng(0), 150
    year = 2000 + np.sort(rng.integers(0, 20, (n, 6))).ravel()
    table = pd.DataFrame(
        {
            "who": np.repeat(np.arange(n), 6),
            "loan": 71_000 + np.repeat(np.arange(2 * n), 3),
            "year": year,
            "age": year - np.repeat(rng.integers(1940, 1980, n), 6),
        }
    )
    model = fitted(table)
    assert model.model_.structure.within is None
    drawn = model.sample()
    born = drawn["year"] - drawn["age"]
    assert (born.groupby(drawn["who"]).nunique() == 1).all()
