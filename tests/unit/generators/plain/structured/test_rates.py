"""Counts that are drawn as a rate of others, where a column shows the rate."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.exceptions import SchemaError
from coclust_synth.generators.plain.structured.drawing.rows import draw_rows
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.structured.targets.rated import with_rates
from coclust_synth.tables.relations import Fit, Rate
from coclust_synth.tables.rules.found import rules_of


def learn(frame, k=20, stated=None):
    evidence = evidence_of(frame, None, None)
    clusters = np.zeros(len(frame), dtype=np.int64)
    rules = with_rates(evidence, rules_of(evidence, stated, k), k)
    return learn_structure(evidence, rules, clusters, k)


def rates(structure):
    return {each.fit for each in structure.columns if isinstance(each.fit, Rate)}


def draw(structure, n, seed=1):
    clusters = np.zeros(n, dtype=np.int64)
    return draw_rows(structure, clusters, np.random.default_rng(seed))


@pytest.fixture
def districts(rng):
    """500 of any size, of whose people as many are poor as schools are bad."""
    n = 500
    people = np.rint(rng.lognormal(9, 1.3, n)).astype(int)
    score = np.round(rng.normal(650, 20, n), 1)
    share = np.clip(np.exp((640 - score) / 25 + rng.normal(0, 0.3, n)) / 20, 0, 1)
    poor = np.rint(people * share).astype(int)
    percent = np.round(100 * poor / people, 3)
    return pd.DataFrame(
        {"people": people, "score": score, "poor": poor, "percent": percent}
    )


@pytest.mark.slow
def test_a_percentage_keeps_its_law_and_what_it_goes_with(districts):
    structure = learn(districts)
    assert rates(structure) == {Rate("poor", "people")}
    again = Structure.from_dict(structure.to_dict(), structure.arrays())
    assert rates(again) == rates(structure)
    real, drawn = districts["percent"], draw(again, 5000)
    said = np.round(100 * drawn["poor"] / drawn["people"], 3)
    assert np.abs(said - drawn["percent"]).max() < 0.0011
    assert abs(drawn["percent"].mean() / real.mean() - 1) < 0.06
    assert abs(drawn["percent"].std() / real.std() - 1) < 0.15
    both = [each[["percent", "score"]].corr("spearman") for each in (districts, drawn)]
    assert abs(both[0] - both[1]).iloc[0, 1] < 0.08
    assert abs(np.log(drawn["poor"].mean() / districts["poor"].mean())) < 0.15


@pytest.mark.slow
def test_a_part_is_a_rate_of_the_whole_without_its_circle(rng):
    """A total that is told from its parts is not known before them."""
    n = 500
    most = np.rint(rng.lognormal(10, 1, n)).astype(int)
    few = np.rint(most * np.exp(rng.normal(-4, 1, n))).astype(int)
    frame = pd.DataFrame({"most": most, "few": few, "all": most + few})
    frame["percent"] = np.round(100 * frame["few"] / frame["all"], 5)
    structure = learn(frame)
    assert rates(structure) == {Rate("few", "most", together=True)}
    drawn = draw(structure, 5000)
    assert (drawn["all"] == drawn["most"] + drawn["few"]).all()
    said = 100 * drawn["few"] / drawn["all"]
    assert np.abs(said - drawn["percent"]).max() < 1.1e-5
    assert drawn["percent"].between(0, 100).all()
    assert abs(drawn["percent"].mean() / frame["percent"].mean() - 1) < 0.08


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_numbers_that_have_nothing_to_do_with_each_other_are_no_rates(seed):
    """People by the size of a district, of any size whoever lives there."""
    rng = np.random.default_rng(seed)
    people, size = rng.lognormal(9, 1.5, 600), rng.uniform(0.02, 0.11, 600)
    frame = pd.DataFrame({"people": np.rint(people), "size": np.round(size, 3)})
    frame["density"] = np.round(frame["people"] / frame["size"], 4)
    structure = learn(frame)
    assert any(each.fit is not None for each in structure.columns)
    assert not rates(structure)


@pytest.mark.slow
def test_amounts_of_a_list_are_no_rates(rng):
    """Six are taken off five prices, more in some weeks."""
    week = rng.integers(1, 53, 800)
    price = np.array([1.69, 1.79, 1.99, 2.09, 2.29])[week // 11]
    amounts = np.array([0, 0.1, 0.2, 0.24, 0.4, 0.54])
    off = amounts[np.clip(week // 9 + rng.integers(-1, 2, 800), 0, 5)]
    frame = pd.DataFrame({"week": week, "price": price, "off": off})
    frame["share"] = np.round(off / price, 6)
    structure = learn(frame)
    assert {each.fit.target for each in structure.columns if each.fit} == {"share"}
    drawn = draw(structure, 2000)
    shares = [
        each["off"].value_counts(normalize=True).reindex(amounts)
        for each in (frame, drawn)
    ]
    assert abs(shares[0] - shares[1]).max() < 0.02


@pytest.mark.parametrize("with_constant", [False, True])
def test_a_percentage_that_others_go_with_is_no_rate_of_its_own(rng, with_constant):
    """Of classes of 20 sizes, who answers goes with the score, not with the size."""
    students = rng.choice(np.unique(np.rint(np.geomspace(10, 500, 20))), 500)
    score = np.round(rng.normal(4, 0.5, 500), 1)
    share = np.clip(0.7 + 0.25 * (score - 4) + rng.normal(0, 0.05, 500), 0.2, 1)
    answered = np.rint(students * share)
    frame = pd.DataFrame({"score": score, "answered": answered})
    frame["percent"] = 100 * answered / students
    frame["students"] = students.astype(int)
    if with_constant:  # A year of one value where there are answers says nothing.
        frame["year"] = 2020
        others = frame.iloc[:100].assign(year=np.repeat([2019, 2021], 50))
        others[["answered", "percent"]] = np.nan
        frame = pd.concat([frame, others], ignore_index=True)
    told = Fit("students", ("answered", "percent"), (1.0, -1.0), 100.0, logarithms=True)
    own = {each.target for each in rates(learn(frame, stated=[told]))}
    assert own == {"answered"}  # Not the percentage, of which leaves tell as much.


@pytest.mark.slow
def test_orders_hold_beside_rates(districts):
    """There are no more poor than people, and bounds are those of rates."""
    districts = districts.assign(most=districts["poor"] + districts["people"] // 50 + 1)
    structure = learn(districts)
    assert Rate("poor", "people") in rates(structure)
    drawn = draw(structure, 3000)
    assert (drawn["poor"] <= drawn["people"]).all()
    assert (drawn["poor"] <= drawn["most"]).mean() > 0.99


@pytest.mark.parametrize("together", [False, True])
def test_a_factor_gives_back_what_it_is_of(together):
    rate = Rate("a", "b", together)
    own, whole = np.array([0.0, 3.0, 90.0, np.nan]), np.array([5.0, 12.0, 10.0, 4.0])
    factor = rate.factor(own, whole)
    assert factor[:2].tolist() == [0.0, 0.2 if together else 0.25]
    assert np.allclose(rate.times(whole, factor)[:3], own[:3])
    assert rate.factor(np.zeros(1), np.zeros(1)).tolist() == [0.0]


@pytest.mark.parametrize("together", [False, True])
def test_a_rate_of_what_is_0_or_less_is_refused(rng, together):
    """Losses as large as the rest are no rate of both: drawn they would be any."""
    rest = np.rint(rng.lognormal(6, 1, 300)) if together else np.zeros(300)
    own = -np.rint(rest * rng.uniform(0, 3, 300)) if together else rng.normal(9, 1, 300)
    frame = pd.DataFrame({"own": own.round(1), "rest": rest})
    frame.loc[:9, "rest"] += 5.0
    with pytest.raises(SchemaError, match=r"above 0 .* Received 'own ~ a rate of rest"):
        learn(frame, stated=[Rate("own", "rest", together)])
