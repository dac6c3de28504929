"""What is told by its step from the row before, and what by itself."""

import numpy as np
import pandas as pd
import pytest
from support import panels


def rows_of_persons(n=300, each=8, seed=3):
    """Numbers that hardly move, grow, mostly stay, come back, or do as they like."""
    rng, shape = np.random.default_rng(seed), (n, each)
    level = rng.normal(0, 1, (n, 1))
    moves = rng.choice([-1, 0, 1], shape, p=[0.05, 0.85, 0.1])
    slips = np.where(rng.random(shape) < 0.1, rng.normal(0, 25, shape), 0)
    columns = {
        "walk": 100 + 20 * level + rng.normal(0, 2, shape).cumsum(axis=1),
        "size": np.exp(8 + 2 * level + rng.normal(0, 0.05, shape).cumsum(axis=1)),
        "grade": np.clip(rng.integers(2, 9, (n, 1)) + moves.cumsum(axis=1), 0, 20),
        "slip": 40 + level + rng.normal(0, 1, shape) + slips,
        "chance": rng.gamma(2, 30, shape),
    }
    table = {name: x.ravel().round(1) for name, x in columns.items()}
    table["grade"] = table["grade"].astype(int)
    year = np.tile(np.arange(2000, 2000 + each), n)
    return pd.DataFrame({"who": np.repeat(np.arange(n), each), "year": year} | table)


@pytest.fixture(scope="module")
def table():
    return rows_of_persons()


@pytest.fixture(scope="module")
def model(table):
    return panels.fitted(table, "who")


@pytest.mark.slow
def test_what_takes_fewer_bits_as_a_step_is_told_so(model):
    later = model.model_.structure.later
    told = {
        own.fit.target: own.fit.logarithms
        for own in later.columns
        if own.fit is not None and own.fit.about and own.fit.target != "year"
    }
    assert told == {"walk": False, "size": True, "grade": False}


@pytest.mark.slow
def test_small_steps_are_as_many_as_in_the_table(table, model):
    drawn = model.sample()
    steps = [own.groupby("who")[["walk", "grade"]].diff() for own in (table, drawn)]
    small = np.abs(steps[0]["walk"]).quantile(0.25)
    assert (np.abs(steps[1]["walk"].dropna()) <= small).mean() > 0.22
    own = steps[1]["grade"].dropna()
    assert (own == 0).mean() == pytest.approx((steps[0]["grade"] == 0).mean(), abs=0.15)
    assert (np.abs(own) <= 1).mean() > 0.99


@pytest.mark.slow
def test_steps_lead_no_further_than_numbers_go(table, model):
    drawn = model.sample()
    for name in ("walk", "grade"):
        assert drawn[name].std() == pytest.approx(table[name].std(), rel=0.15)
    late = [own.groupby("who").tail(1)["walk"].std() for own in (table, drawn)]
    assert late[1] == pytest.approx(late[0], rel=0.2)
    assert drawn["grade"].between(table["grade"].min(), table["grade"].max()).all()


def test_few_persons_are_told_by_steps():
    """Of 16 lands half would be fewer than k."""
    lands = rows_of_persons(n=16, each=27)[["who", "year", "size"]]
    own = panels.fitted(lands, "who", k=10).sample()
    before, after = (
        np.log(each.groupby("who")["size"].pct_change().dropna() + 1).abs().median()
        for each in (lands, own)
    )
    assert after < 3 * before


@pytest.mark.slow
def test_kinds_of_persons_that_follow_each_other_are_told_by_steps():
    """Of the one kind no number is there, which every other person of a file is."""
    table = rows_of_persons(n=200)[["who", "year", "walk"]]
    table["kind"] = np.where(table["who"] % 2, "w", "m")
    for kind in "wm":
        table[kind] = table["walk"].where(table["kind"] == kind)
    model = panels.fitted(table.drop(columns="walk"), "who")
    later = model.model_.structure.later
    told = {c.fit.target for c in later.columns if c.fit is not None and c.fit.about}
    assert told >= {"w", "m"}
