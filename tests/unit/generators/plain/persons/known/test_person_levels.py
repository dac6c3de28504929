"""What a column is like in all rows of a person."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.persons.known.person_levels import learn_level

N, ROWS = 300, 6


def panel(share, seed=0, n=N, rows=ROWS):
    """Rows of persons, of whose variance this share is between them."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n), rows)
    own = np.sqrt(share) * np.repeat(rng.normal(size=n), rows)
    score = own + np.sqrt(1 - share) * rng.normal(size=n * rows)
    town = np.repeat(rng.integers(0, 6, n), rows)
    moved = rng.random(n * rows) > share
    town[moved] = rng.integers(0, 6, moved.sum())
    return pd.DataFrame(
        {
            "who": person,
            "score": np.round(100 * score),
            "is_in": np.where(score > 0, "yes", "no"),
            "town": [f"town {t}" for t in town],
        }
    )


def evidence(table):
    table = table.reset_index(drop=True)
    return evidence_of(table.drop(columns="who"), persons=table["who"])


def test_rows_by_chance_have_no_level():
    own = evidence(panel(0.0))
    assert [learn_level(own, name) for name in own.coding.names] == [None] * 3


def test_means_of_few_rows_are_drawn_nearer_to_the_mean_of_all():
    level = learn_level(evidence(panel(0.3)), "score")
    drawn, held = level.drawn[1] - 5000, level.held[1] - 5000
    # Of the variance of a mean of six rows .3 of .3 + .7 / 6 is between persons.
    reliability = 0.3 / (0.3 + 0.7 / ROWS)
    slope = (drawn @ held) / (held @ held)
    assert slope == pytest.approx(np.sqrt(reliability), abs=0.03)
    assert abs(np.corrcoef(drawn, held)[0, 1] - 1) < 1e-6


def test_missing_values_are_left_out_of_a_mean():
    table = panel(0.5)
    table.loc[table["who"] == 0, "score"] = np.nan
    table.loc[::ROWS, "score"] = np.nan
    level = learn_level(evidence(table), "score")
    assert np.isnan(level.held[1][0]) and not np.isnan(level.held[1][1:]).any()
    assert level.parts.with_missing
    assert level.drawn[0][0] == level.held[0][0] == level.parts.n_parts - 1


def test_persons_of_few_rows_have_none():
    table = panel(0.5)
    few = table[(table["who"] >= 100) | (table.index % ROWS < ROWS - 1)]
    for name in ("score", "town"):
        level = learn_level(evidence(few), name)
        none = level.parts.n_parts - 1
        assert (level.held[0][:100] == none).all()
        assert (level.held[0][100:] == none).mean() < 0.9
    few = table[table.index % ROWS < ROWS - 1]
    assert learn_level(evidence(few), "score") is None
    assert learn_level(evidence(few), "town") is None


def cells(stays=0.6, n=500, rows=6, n_cells=24, seed=0):
    """Numbers of the cells that persons call from, mostly at home."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n), rows)
    cell = np.repeat(rng.integers(1, n_cells + 1, n), rows)
    away = rng.random(n * rows) > stays
    cell[away] = rng.integers(1, n_cells + 1, away.sum())
    return pd.DataFrame({"who": person, "cell": cell})


def test_whole_numbers_that_are_codes_have_a_usual_one():
    table = cells()
    assert learn_level(evidence(table), "cell").column.kind == "categorical"
    assert learn_level(evidence(cells(stays=0.0)), "cell") is None
    # Numbers that differ are near each other: they are quantities.
    near = np.random.default_rng(1).integers(-1, 2, len(table))
    home = table.groupby("who")["cell"].transform("first")
    near = table.assign(cell=home + near)
    assert learn_level(evidence(near), "cell").column.kind == "integer"
    # So they are where only 0 comes more than once.
    rng = np.random.default_rng(2)
    none = np.repeat(rng.random(N) < 0.5, ROWS)
    some = rng.integers(1, 12, N * ROWS) * ~none
    table = pd.DataFrame({"who": np.repeat(np.arange(N), ROWS), "cell": some})
    assert learn_level(evidence(table), "cell").column.kind == "integer"


def test_the_next_row_has_the_same_code_as_often():
    """A tree that is grown for their order would mix codes with their neighbours."""
    table = cells()
    synthesizer = CoclusterSynthesizer(
        k=20, n_iterations=1, random_state=0, person_id="who"
    )
    drawn = synthesizer.fit(table).sample()
    shares = []
    for part in (table, drawn):
        last = part.groupby("who")["cell"].shift()
        shares.append((last == part["cell"])[last.notna()].mean())
    assert shares[1] == pytest.approx(shares[0], abs=0.05)


def test_the_usual_category_is_that_of_most_rows():
    table = panel(0.8)
    own = evidence(table)
    level = learn_level(own, "town")
    code = own.codes[:, own.coding.names.index("town")]
    usual = pd.Series(level.drawn[0])
    labels = np.array(level.column.categories)[usual]
    for who in range(N):
        held = np.bincount(code[who * ROWS : (who + 1) * ROWS], minlength=7)
        is_most = 2 * held.max() > ROWS
        assert labels[who] == str(held.argmax() if is_most else 6)
    counts = usual.value_counts()
    assert counts[counts.index != usual.max()].min() >= 20


def test_categories_of_fewer_than_twenty_persons_are_none():
    table = panel(0.9)
    table.loc[table["who"] < 15, "town"] = "village"
    own = evidence(table)
    level = learn_level(own, "town")
    village = own.codes[0, own.coding.names.index("town")]
    assert str(village) not in level.column.categories


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_rows_far_from_each_other_are_as_alike_as_in_the_table(share):
    """Without levels the first and the last row hardly go together."""
    table = panel(share, n=600, rows=8)
    synthesizer = CoclusterSynthesizer(
        person_id="who", k=20, n_iterations=2, random_state=0
    )
    drawn = synthesizer.fit(table).sample()

    def alike(frame):
        by_row = frame.assign(row=frame.groupby("who").cumcount())
        score = by_row.pivot(index="who", columns="row", values="score").dropna()
        town = by_row.pivot(index="who", columns="row", values="town").dropna()
        return score.corr()[0][7], (town[0] == town[7]).mean()

    np.testing.assert_allclose(alike(drawn), alike(table), atol=0.12)
    assert drawn["score"].std() == pytest.approx(table["score"].std(), rel=0.05)


def movers(n=400):
    """Rows of persons in one of two regions, of whom 4 of 10 move now and then."""
    rng = np.random.default_rng(0)
    n_rows = rng.integers(6, 16, n)
    person = np.repeat(np.arange(n), n_rows)
    wave = np.arange(len(person)) - np.repeat(np.cumsum(n_rows) - n_rows, n_rows)
    moves = (rng.random(n) < 0.4)[person] & (rng.random(len(person)) < 0.15)
    n_moves = np.cumsum(moves) - (np.cumsum(moves) - moves)[wave == 0][person]
    south = ((rng.random(n) < 0.4)[person] + n_moves) % 2 == 1
    return pd.DataFrame(
        {"who": person, "wave": wave, "south": np.where(south, "yes", "no")}
    )


def test_those_who_stay_are_drawn_as_they_are():
    table = movers()
    level = learn_level(evidence(table), "south")
    stays = (table.groupby("who")["south"].nunique() == 1).to_numpy()
    np.testing.assert_array_equal(level.drawn[1][stays], level.held[1][stays])
    assert (level.drawn[1] != level.held[1])[~stays].any()
