"""Persons who answer a survey once in each of its waves, or in some of them."""

import numpy as np
import pandas as pd
import pytest
from support.panels import fitted

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.structured.waves import left_on_waves, on_waves
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.rows import count_values

YEARS = np.array([2001, 2002, 2003, 2005, 2008, 2009, 2013, 2014])


def atoms(values):
    missing = np.zeros(len(values), dtype=bool)
    return learn_atoms(count_values(np.asarray(values), missing), None, SteppedRuler(1))


def answers(n=500, seed=0):
    """Each person answers in three to eight waves, in the table in any order."""
    rng = np.random.default_rng(seed)
    n_each = rng.integers(3, 9, n)
    chosen = [np.sort(rng.choice(8, m, replace=False)) for m in n_each]
    person, wave = np.repeat(np.arange(n) + 5000, n_each), np.concatenate(chosen)
    born = np.repeat(rng.integers(1930, 1985, n), n_each)
    table = pd.DataFrame(
        {
            "person": person,
            "born": born,
            "year": YEARS[wave],
            "age": YEARS[wave] - born,
            "index": np.round(100 * 1.02 ** (YEARS[wave] - 2001), 1),
            "visits": rng.poisson(3, len(person)),
        }
    )
    return table.iloc[rng.permutation(len(table))].reset_index(drop=True)


@pytest.fixture(scope="module")
def table():
    return answers()


@pytest.fixture(scope="module")
def model(table):
    return fitted(table, "person")


@pytest.fixture(scope="module")
def drawn(model):
    return model.sample()


@pytest.mark.slow
def test_nobody_answers_twice_in_a_wave_nor_between_waves(model, drawn):
    assert model.model_.structure.ordered_by == "year"
    assert set(drawn["year"]) == set(YEARS)
    assert not drawn.duplicated(["person", "year"]).any()
    assert (drawn.groupby("person")["year"].diff().dropna() > 0).all()


@pytest.mark.slow
def test_as_many_answer_in_each_wave_and_as_often(table, drawn):
    """An eighth of 2,750 rows, and a sixth of 500 persons; one seed."""
    for off, own in (
        (0.02, lambda t: t["year"]),
        (0.03, lambda t: t.groupby("person").size()),
    ):
        shares = [
            own(t).value_counts(normalize=True).sort_index() for t in (table, drawn)
        ]
        assert shares[1].to_numpy() == pytest.approx(shares[0].to_numpy(), abs=off)


@pytest.mark.slow
def test_what_stays_is_not_told_from_what_changes(drawn):
    assert (drawn.groupby("person")["born"].nunique() == 1).all()
    assert (drawn["age"] == drawn["year"] - drawn["born"]).all()


@pytest.mark.slow
def test_what_the_year_tells_is_not_told_nearly_from_the_row_before(table, drawn):
    real = table.drop_duplicates("year").set_index("year")["index"]
    assert (drawn["index"].to_numpy() == real[drawn["year"]].to_numpy()).all()


@pytest.mark.slow
def test_dates_of_waves_are_drawn_as_they_are():
    table = answers()
    days = np.datetime64("2001-01-03") + 372 * (table["year"].to_numpy() - 2001)
    table = table.assign(came=days.astype("datetime64[us]")).drop(
        columns=["year", "age", "index"]
    )
    drawn = fitted(table, "person").sample()
    assert set(drawn["came"]) == set(table["came"])
    assert not drawn.duplicated(["person", "came"]).any()


@pytest.mark.slow
def test_waves_have_times_of_day():
    """Seconds are no exact fractions of days: the last wave is not lost to rounding."""
    table = answers()
    came = np.datetime64("2016-01-03T00:00:21") + (
        (table["year"].to_numpy() - 2001) * 31_622_401
    ).astype("m8[s]")
    table = table.assign(came=came.astype("datetime64[us]"))
    table = table.drop(columns=["year", "age", "index"])
    drawn = fitted(table, "person").sample()
    shares = [t["came"].value_counts(normalize=True) for t in (table, drawn)]
    assert set(drawn["came"]) == set(table["came"])
    assert not drawn.duplicated(["person", "came"]).any()
    assert shares[1].sort_index().to_numpy() == pytest.approx(
        shares[0].sort_index().to_numpy(), abs=0.03
    )


@pytest.mark.slow
def test_nobody_answers_after_a_last_year_between_waves():
    table = answers().drop(columns=["born", "age", "index"])
    last = table.groupby("person")["year"].transform("max")
    table = table.assign(last=last.replace(2005, 2007).replace(2009, 2012))
    drawn = fitted(table, "person").sample()
    assert (drawn["year"] <= drawn["last"]).all()
    assert set(drawn["year"]) <= set(YEARS)


@pytest.mark.slow
def test_what_stays_may_be_the_year_of_the_days(rng):
    """It is told from the first day, which then is drawn before the number of rows."""
    n_each = rng.integers(1, 6, 400)
    person = np.repeat(np.arange(400), n_each)
    year = np.repeat(rng.integers(2001, 2009, 400), n_each)
    day = pd.Series(rng.integers(1, 60, len(person))).groupby(person).cumsum()
    came = pd.to_datetime(year.astype(str)) + pd.to_timedelta(day, "D")
    table = pd.DataFrame({"person": person, "year": year, "came": came})
    drawn = fitted(table, "person").sample()
    assert not drawn.duplicated(["person", "came"]).any()
    assert (drawn["came"].dt.year == drawn["year"]).mean() > 0.95


@pytest.mark.slow
def test_a_saved_model_draws_the_same(model, drawn, tmp_path):
    model.save(tmp_path / "m")
    again = PlainModel.load(tmp_path / "m")
    assert again.structure.is_once
    same = CoclusterSynthesizer.load(tmp_path / "m", random_state=0)
    pd.testing.assert_frame_equal(same.sample(len(drawn)), model.sample(len(drawn)))


@pytest.mark.slow
def test_who_may_answer_twice_does(table):
    table = table.assign(year=np.random.default_rng(0).choice(YEARS, len(table)))
    model = fitted(table.drop(columns=["age", "index"]).sort_values("year"), "person")
    structure = model.model_.structure  # of years, where these are drawn one by one
    assert not structure.is_once or structure.within is not None
    assert model.sample().duplicated(["person", "year"]).mean() > 0.1


@pytest.mark.slow
def test_nobody_stays_longer_than_they_were_followed(rng):
    """Visits are on any day, one at most, until a last day of each person."""
    n, n_each = 400, rng.integers(2, 7, 400)
    last = rng.integers(300, 3000, n)
    day = np.concatenate(
        [
            np.sort(rng.choice(own, m, replace=False))
            for own, m in zip(last, n_each, strict=True)
        ]
    )
    table = pd.DataFrame(
        {
            "person": np.repeat(np.arange(n), n_each),
            "last": np.repeat(last, n_each),
            "day": day,
            "blood": rng.poisson(9, len(day)),
        }
    )
    drawn = fitted(table, "person").sample()
    assert (drawn["day"] <= drawn["last"]).all()
    assert not drawn.duplicated(["person", "day"]).any()


@pytest.mark.slow
def test_stays_end_before_nobody_is_followed_any_more(rng):
    n_each = rng.integers(1, 5, 500)
    person = np.repeat(np.arange(500), n_each)
    begun = pd.Series(rng.integers(40, 300, len(person))).groupby(person).cumsum()
    stayed = rng.integers(0, 40, len(person))
    last = begun.groupby(person).transform("max") + np.repeat(
        rng.integers(0, 30, 500), n_each
    )
    table = pd.DataFrame(
        {"person": person, "last": last, "begun": begun, "ended": begun + stayed}
    )
    drawn = fitted(table, "person").sample()
    assert (drawn["begun"] <= drawn["last"]).mean() > 0.998
    ended = drawn.groupby("person")["ended"].shift()
    assert (drawn["begun"] >= ended)[ended.notna()].mean() > 0.998
    assert drawn["begun"].max() <= table["begun"].max() * 1.1


def test_distances_that_lead_to_a_wave():
    apart = atoms(np.repeat([1, 2, 4, 6], 30))
    group, allowed = left_on_waves(
        YEARS, np.array([2005, 2003]), apart, SteppedRuler(1)
    )
    assert group.tolist() == [0, 1, 2, 3]
    # From 2005: 2006, 2007, 2009 and 2011; from 2003: 2004, 2005, 2007 and 2009.
    assert allowed.tolist() == [[False, False, True, False], [False, True, False, True]]


def test_runs_of_distances_may_lead_to_a_wave_inside():
    apart = atoms(np.repeat(np.arange(5, 9), 8))
    assert len(apart.lows) == 1
    _, allowed = left_on_waves(YEARS, np.array([2001, 2014]), apart, SteppedRuler(1))
    assert allowed.tolist() == [[True], [False]]


def test_the_nearest_wave_within_limits():
    values = np.array([2004, 2007, 2011, 2020, 2002, 2002])
    lowest = np.array([-np.inf, -np.inf, 2010, 2009, 2003, 2015])
    highest = np.array([np.inf, 2006, np.inf, 2013, np.inf, np.inf])
    found = on_waves(YEARS, values, lowest, highest)
    assert found.tolist() == [2005, 2005, 2013, 2013, 2003, 2014]
