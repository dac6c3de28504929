from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.persons.person_once import Seen, find_once


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def visits(rng, n_persons=300):
    """Each on another day, and booked up to two months before it."""
    rows = []
    for person in range(n_persons):
        days = 1 + rng.exponential(6, rng.integers(1, 8)).astype(int)
        rows += [
            (f"P{person:04d}", day) for day in rng.integers(0, 300) + days.cumsum()
        ]
    person, day = zip(*rows, strict=True)
    came = np.datetime64("2024-01-01") + np.array(day)
    booked = came - rng.integers(0, 60, len(rows))
    table = pd.DataFrame({"who": person, "booked": booked, "came": came})
    return table.sort_values(["who", "booked"], ignore_index=True)


def exams(rng, n_persons=300):
    """Each of another subject."""
    rows = [
        (f"P{person:04d}", subject, int(rng.integers(1, 7)))
        for person in range(n_persons)
        for subject in rng.permutation([*"abcdefgh"])[: rng.integers(1, 7)]
    ]
    return pd.DataFrame(rows, columns=["who", "subject", "grade"])


def once(table):
    persons = pd.factorize(table["who"])[0]
    evidence = evidence_of(table.drop(columns="who"), persons)
    return find_once(evidence, evidence.coding.names)


def test_days_and_subjects_that_nobody_has_twice(rng):
    table = visits(rng)
    assert once(table) == ("came",)
    hours = rng.integers(0, 24, len(table)).astype("timedelta64[h]")
    assert once(table.assign(came=table["came"] + hours)) == ("came",)
    assert once(exams(rng)) == ("subject",)


def test_what_some_have_twice_or_what_chance_explains_is_none(rng):
    table, others = visits(rng), exams(rng)
    table.loc[table.sample(100, random_state=0).index + 1, "came"] = np.nan
    table["came"] = table.groupby("who")["came"].ffill()
    assert "came" not in once(table.dropna())
    others.loc[::9, "subject"] = "a"
    assert once(others) == ()
    many = [f"s{i}" for i in rng.permutation(len(others))]
    assert once(others.assign(subject=many)) == ()


def test_rows_that_are_as_one_before_are_drawn_again():
    column = SimpleNamespace(kind="integer")
    row = SimpleNamespace(
        coding=SimpleNamespace(names=("a",), schema={"a": column}),
        codes=None,
        numbers={"a": np.array([3.0, 4.0, np.nan])},
    )

    def draw_again(rows):
        row.numbers["a"][rows] += 1

    row.draw_again = draw_again
    seen, person = Seen(("a",), 4), np.array([0, 2, 3])
    seen.draw_others(row, person)
    np.testing.assert_array_equal(row.numbers["a"], [3, 4, np.nan])
    seen.draw_others(row, person)
    np.testing.assert_array_equal(row.numbers["a"], [4, 5, np.nan])


@pytest.mark.slow
@pytest.mark.parametrize("make, name", [(visits, "came"), (exams, "subject")])
def test_nobody_has_one_twice_in_what_is_drawn(rng, make, name, tmp_path):
    table = make(rng)
    model = CoclusterSynthesizer(k=20, person_id="who", random_state=0).fit(table)
    model.save(tmp_path / "model")
    drawn = CoclusterSynthesizer.load(tmp_path / "model", random_state=0).sample(900)
    assert drawn.duplicated(["who", name]).mean() < 0.004
    assert f"hardly two rows of one {name}" in model.model_.structure.told_by_row_before
