"""What rows of a person before the row before say of the next one."""

import numpy as np
import pandas as pd
import pytest
from support.panels import fitted

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.persons.known.earlier_rows import (
    mean_after,
    means_before,
    steps_between,
    tells_more,
)
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.rows import count_values


def of_persons(scores):
    """A table of scores, shape (persons, rows)."""
    n, rows = scores.shape
    return pd.DataFrame(
        {
            "who": np.repeat(np.arange(n), rows),
            "year": np.tile(np.arange(2001, 2001 + rows), n),
            "score": scores.ravel(),
        }
    )


def claims(n=1500, rows=3, seed=0):
    """Of some persons claims are likely in every year, of most they are not."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(n, 1)) + rng.normal(size=(n, rows)) > 0.8
    table = of_persons(own.astype(int))
    return table.assign(score=np.where(table["score"] > 0, "claim", "none"))


def growing(n=400, rows=8, seed=0):
    """Sizes that grow or shrink for years, of small and large ones."""
    rng = np.random.default_rng(seed)
    rates = np.empty((n, rows))
    rates[:, 0] = 0.05 * rng.normal(size=n)
    for year in range(1, rows):
        chance = 0.05 * np.sqrt(1 - 0.8**2) * rng.normal(size=n)
        rates[:, year] = 0.8 * rates[:, year - 1] + chance
    sizes = 1000 * np.exp(rng.normal(size=(n, 1)) + np.cumsum(rates, axis=1))
    return of_persons(np.round(sizes, 1))


def persisting(rows=6, n=600, share=0.7, seed=0):
    """What is told by the row before, and by no other one."""
    rng = np.random.default_rng(seed)
    scores = np.empty((n, rows))
    scores[:, 0] = rng.normal(size=n)
    for year in range(1, rows):
        chance = np.sqrt(1 - share**2) * rng.normal(size=n)
        scores[:, year] = share * scores[:, year - 1] + chance
    return of_persons(np.round(100 * scores))


def apart(table, years):
    """Correlation of rows of a person that are so far apart."""
    wide = table.pivot(index="who", columns="year", values="score")
    wide = wide.apply(lambda own: pd.factorize(own, sort=True)[0].astype(float))
    first = wide.iloc[:, :-years].to_numpy().ravel()
    return np.corrcoef(first, wide.iloc[:, years:].to_numpy().ravel())[0, 1]


def momentum(table):
    """Correlation of the growth of one year with that of the next one."""
    growth = np.log(table["score"]).groupby(table["who"]).diff()
    last = growth.groupby(table["who"]).shift()
    return growth.corr(last)


def known_of(model):
    """What is known before a row of a person, of earlier ones."""
    names = model.model_.structure.later.coding.names
    return {own.partition("\0")[2] for own in names} & {"so far", "last step"}


def test_means_are_of_the_rows_before_each():
    places = np.array([2.0, 4.0, 9.0, 5.0, np.nan, 7.0, 1.0, np.nan, 3.0])
    n_before = np.array([0, 1, 2, 0, 1, 2, 3, 0, 1])
    # A row that is missing has the mean of those before it.
    told = [2, 3, 5, 5, 6, np.nan]
    assert means_before(places, n_before).tolist() == pytest.approx(told, nan_ok=True)


def test_means_begin_with_the_first_row():
    means, places = np.array([9.0, np.nan]), np.array([2.0, 2.0])
    assert mean_after(means, places, 1).tolist() == [2, 2]
    assert mean_after(means, places, 7).tolist() == [8, 2]


def test_steps_of_numbers_above_0_are_ratios():
    def parts(values):
        none = np.zeros(60, dtype=bool)
        return learn_atoms(
            count_values(np.repeat(values, 20), none), None, SteppedRuler(1)
        )

    own, before = np.array([200.0, 20.0]), np.array([100.0, 10.0])
    ratios = steps_between(own, before, parts([10, 50, 200]))
    assert ratios.tolist() == [69_315, 69_315]
    shares = steps_between(own, before, parts([0, 50, 200]))
    assert shares.tolist() == [50_000, 5_000]


def test_what_chance_or_few_persons_have_tells_no_more():
    rng = np.random.default_rng(0)
    own, before, more = rng.normal(size=(3, 2000))
    person = np.arange(2000) // 2
    assert tells_more(own, [before], more, person, 20) == 0
    assert tells_more(own + more, [before], more, person, 20) > 0.6
    assert tells_more(own - more, [before], more, person, 20) < -0.6
    assert tells_more(own + more, [more], more, person, 20) == 0
    # Of three persons who have all the rows, and of few beside k.
    assert tells_more(own + more, [before], more, person % 3, 20) == 0
    assert tells_more(own + more, [before], more, person % 199, 20) == 0
    assert tells_more(own + more, [before], more, person % 200, 20) > 0.6


@pytest.mark.slow
def test_claims_of_three_years_go_together_as_in_the_table():
    table = claims()
    model = fitted(table, "who")
    assert known_of(model) == {"so far"}
    drawn = model.sample(len(table))
    # From year to year alone it would be the square of this, above the half of it.
    assert apart(drawn, 1) == pytest.approx(apart(table, 1), abs=0.05)
    assert apart(drawn, 2) == pytest.approx(apart(table, 2), abs=0.05)


@pytest.mark.slow
def test_growth_goes_on_as_in_the_table():
    table = growing()
    model = fitted(table, "who")
    assert "last step" in known_of(model)
    assert momentum(table) > 0.75
    assert momentum(model.sample(len(table))) > 0.55


@pytest.mark.slow
def test_what_the_row_before_tells_needs_no_other():
    model = fitted(persisting(), "who")
    assert known_of(model) == set()


@pytest.mark.slow
@pytest.mark.parametrize(("n_moving", "is_known"), [(12, False), (40, True)])
def test_the_last_step_is_known_where_k_persons_make_one(n_moving, is_known, rng):
    """All others stay where they are."""
    scores = np.repeat(np.round(300 * rng.normal(size=(600, 1))), 5, axis=1)
    rates = rng.choice([-70, 70], size=(n_moving, 1))
    scores[:n_moving] += rates * np.arange(5)
    assert ("last step" in known_of(fitted(of_persons(scores), "who"))) is is_known


@pytest.mark.slow
def test_a_saved_model_draws_the_same(tmp_path):
    model = fitted(growing(n=200), "who")
    model.save(tmp_path / "rows.model")
    again = CoclusterSynthesizer.load(tmp_path / "rows.model", random_state=0)
    pd.testing.assert_frame_equal(again.sample(300), model.sample(300))
