"""Rows of a person that are of one moment, without a key: what is bought on one day."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.persons.learning.moments import find_moments
from coclust_synth.generators.plain.persons.learning.person_table import PersonTable
from coclust_synth.reports.plain_release import run_summary
from coclust_synth.tables.rules.found import rules_of


def visits(n=300, seed=0, latest_first=False):
    """What customers buy: two things a visit at least, in a shop, and what it comes to.

    Of latest visits first, if asked for; the things of each as they stand, numbered.
    """
    rng, rows = np.random.default_rng(seed), []
    for person in range(n):
        day, own = int(rng.integers(0, 300)), []
        for _ in range(1 + rng.poisson(2)):
            size, shop = 2 + rng.poisson(0.6), rng.choice(["north", "south", "west"])
            things = rng.choice(["milk", "bread", "eggs", "tea", "soap"], size)
            own.append([(f"P{person:03}", day, shop, thing) for thing in things])
            day += int(rng.integers(5, 120))
        for visit in own[::-1] if latest_first else own:
            rows += visit
    table = pd.DataFrame(rows, columns=["who", "day", "shop", "thing"])
    day = np.datetime64("2020-01-01") + table["day"].to_numpy()
    return table.assign(day=day.astype("M8[us]"))


def fitted(table):
    schema = infer_schema(table).keep(*table.columns[1:])
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    return CoclusterSynthesizer(**options).fit(table, schema)


@pytest.fixture(scope="module")
def table():
    return visits(n=400, seed=1)


@pytest.fixture(scope="module")
def model(table):
    return fitted(table)


@pytest.fixture(scope="module")
def drawn(model):
    return model.sample()


@pytest.mark.slow
def test_visits_have_as_many_rows_as_in_the_table(table, drawn):
    drawn = drawn[drawn["who"] != drawn["who"].iloc[-1]]  # has what is left
    real, own = (t.groupby(["who", "day"]).size() for t in (table, drawn))
    assert own.min() == 2
    shares = pd.DataFrame([each.value_counts(normalize=True) for each in (real, own)])
    assert shares.fillna(0).diff().iloc[1].abs().sum() / 2 < 0.05
    real, own = (t.groupby("who")["day"].nunique() for t in (table, drawn))
    assert own.mean() == pytest.approx(real.mean(), rel=0.05)
    assert drawn["who"].value_counts().min() == 2


@pytest.mark.slow
def test_what_stays_in_a_visit_does_and_is_said(table, model, drawn):
    assert (drawn.groupby(["who", "day"])["shop"].nunique() == 1).all()
    assert drawn.groupby("who")["day"].is_monotonic_increasing.all()
    assert run_summary(model.model_)["same_in_rows_of"] == "day: shop"


@pytest.mark.slow
def test_a_saved_model_with_moments_draws_the_same(model, tmp_path):
    path = tmp_path / "visits.model"
    model.save(path)
    again = PlainModel.load(path).structure
    clusters = np.repeat(np.arange(len(again.first.cluster_rows)), 20)
    drawn = (
        each.draw_persons(clusters, np.random.default_rng(1))[0]
        for each in (model.model_.structure, again)
    )
    pd.testing.assert_frame_equal(*drawn)


@pytest.mark.slow
def test_rows_of_a_moment_follow_each_other_as_all_do():
    """Of a table of latest rows first each is told by the one below it."""
    table = visits(latest_first=True)[["who", "day"]].iloc[::-1]
    rng = np.random.default_rng(1)
    paid = rng.integers(1, 50, len(table))
    owed = pd.Series(paid).groupby(table["who"].to_numpy()).cumsum().to_numpy()
    table = table.assign(paid=paid, owed=owed).iloc[::-1].reset_index(drop=True)
    model = fitted(table)
    assert model.model_.structure.within is not None
    drawn = model.sample()
    told = drawn.groupby("who")["paid"].cumsum()
    assert (told == drawn["owed"]).mean() > 0.99


def found_in(columns, person):
    evidence = evidence_of(columns, person)
    return find_moments(PersonTable.of(evidence, rules_of(evidence, None, 20), 20))


def test_rows_of_a_moment_are_more_than_by_chance(rng):
    n, size = 200, 6
    person = np.repeat(np.arange(n), size)
    day = 17_000 + rng.integers(0, 60, (n, size))
    pairs = np.repeat(day[:, ::2], 2, axis=1)
    thing = rng.choice(["a", "b", "c"], n * size)
    dates = (own.ravel().astype("M8[D]").astype("M8[us]") for own in (day, pairs))
    by_chance, together = ({"day": day, "thing": thing} for day in dates)
    assert found_in(by_chance, person) is None
    assert found_in(together, person) == "day"
    paid = rng.integers(1, 90, n * size)
    spent = np.repeat(paid.reshape(n, size).sum(axis=1), size)
    assert found_in(together | {"paid": paid, "spent": spent}, person) is None
    lacking = together["day"].copy()
    lacking[::50] = np.datetime64("NaT")
    assert found_in(together | {"day": lacking}, person) is None
