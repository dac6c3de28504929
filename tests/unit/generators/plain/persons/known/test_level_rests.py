"""What the level of a person leaves for the rows to come."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.persons.known.level_rests import rests_of
from coclust_synth.generators.plain.persons.learning.person_table import PersonTable
from coclust_synth.tables.rules.found import rules_of

N, ROWS, K = 800, 8, 20


def movers(seed=0, both_ways=True):
    """People who live in a city or not, of whom half move once, and stay."""
    rng = np.random.default_rng(seed)
    lives = rng.random(N) < 0.5 if both_ways else np.zeros(N, dtype=bool)
    moves = np.where(rng.random(N) < 0.5, rng.integers(1, ROWS, N), ROWS)
    city = lives[:, None] ^ (np.arange(ROWS) >= moves[:, None])
    return pd.DataFrame(
        {
            "who": np.repeat(np.arange(N), ROWS),
            "year": np.tile(np.arange(2000, 2000 + ROWS), N),
            "city": np.where(city, "yes", "no").ravel(),
        }
    )


def person_table(table):
    own = evidence_of(table.drop(columns="who"), persons=table["who"])
    return PersonTable.of(own, rules_of(own, None, K), K)


def test_it_is_the_share_of_the_rows_that_are_to_come():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (50, 6))
    level = np.rint(10_000 * codes.mean(axis=1))
    rest = rests_of(
        np.repeat(level, 6),
        codes.ravel(),
        np.tile(np.arange(6), 50),
        np.tile(np.arange(5, 0, -1), 50),
    ).reshape(50, 5)
    for place in range(1, 6):
        share = 10_000 * codes[:, place:].mean(axis=1)
        np.testing.assert_allclose(rest[:, place - 1], share, atol=8)


def test_who_has_no_level_has_no_rest():
    rest = rests_of(
        np.array([np.nan, np.nan, 5000.0, 5000.0, 5000.0]),
        np.array([0, 1, 0, 2, 1]),
        np.array([0, 1, 0, 1, 2]),
        np.array([1, 2, 1]),
    )
    # What is missing says nothing of what is to come.
    np.testing.assert_array_equal(rest, [np.nan, 7500, 7500])


@pytest.mark.parametrize("both_ways", [True, False])
def test_columns_that_go_one_way_have_none(both_ways):
    table = person_table(movers(both_ways=both_ways))
    assert table.levels.keys() == {"city"}
    assert (table.rests_of_levels.keys() == {"city"}) is both_ways
    drawn, held = table.levels["city"].drawn[1], table.levels["city"].held[1]
    assert (drawn == held).all() == both_ways


def test_levels_that_few_share_leave_none():
    """Who is ill often would be ill as seldom as most of those who are."""
    rng = np.random.default_rng(0)
    n_ill = np.repeat([0, 1, 5, 6], [740, 42, 9, 9])
    ill = rng.permuted(np.arange(ROWS) < n_ill[:, None], axis=1)
    table = movers().assign(city=np.where(ill, "yes", "no").ravel())
    table = person_table(table)
    assert table.levels.keys() == {"city"} and not table.rests_of_levels


@pytest.mark.slow
def test_who_has_moved_is_not_drawn_back(tmp_path):
    table = movers()
    synthesizer = CoclusterSynthesizer(
        k=K, n_iterations=1, random_state=0, person_id="who"
    )
    drawn = synthesizer.fit(table).sample()

    def moves(part):
        city = (part["city"] == "yes").to_numpy().reshape(-1, ROWS)
        n = (city[:, 1:] != city[:, :-1]).sum(axis=1)
        return (n == 0).mean(), (n == 1).mean(), city.mean()

    assert moves(drawn) == pytest.approx(moves(table), abs=0.06)
    # Columns of the model are known by their names: it is read as it was saved.
    synthesizer.save(tmp_path / "m.model")
    read = CoclusterSynthesizer.load(tmp_path / "m.model")
    pd.testing.assert_frame_equal(
        read.sample(random_state=1), synthesizer.sample(random_state=1)
    )
