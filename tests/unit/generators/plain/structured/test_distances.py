"""What goes with how far two dates, or two readings, are apart."""

import json

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of
from support.structures import drawn_from, learnt

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.trees.coarser import coarser


def stays(n=4000, seed=0):
    """Long ones in surgery; the bill of a day goes by how many there are."""
    rng = np.random.default_rng(seed)
    ward = rng.choice(["surgery", "eyes"], n)
    days = np.where(ward == "surgery", rng.integers(5, 20, n), rng.integers(0, 5, n))
    came = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    left = came + pd.to_timedelta(days, "D")
    return pd.DataFrame({"came": came, "left": left, "ward": ward})


def lengths(frame):
    return (frame["left"] - frame["came"]).dt.days


@pytest.mark.slow
@pytest.mark.parametrize(
    "columns", [["came", "left", "ward"], ["left", "came", "ward"]]
)
def test_a_ward_goes_with_the_length_of_the_stay(columns):
    table = stays()
    structure = learnt(table[columns])
    assert len(structure.distances) == 1
    new = drawn_from(structure)
    assert ((lengths(new) >= 5) == (new["ward"] == "surgery")).mean() > 0.97
    assert lengths(new).mean() == pytest.approx(lengths(table).mean(), rel=0.05)


@pytest.mark.slow
def test_a_moment_that_is_missing_has_no_distance():
    table = stays()
    table.loc[::7, "left"] = pd.NaT
    table["open"] = np.where(table["left"].isna(), "yes", "no")
    new = drawn_from(learnt(table))
    known = new["left"].notna()
    assert ((lengths(new) >= 5) == (new["ward"] == "surgery"))[known].mean() > 0.97
    assert (known == (new["open"] == "no")).all()


@pytest.mark.slow
def test_what_a_meter_counted_goes_with_who_lives_there():
    rng, n = np.random.default_rng(3), 4000
    begin = np.round(rng.gamma(3, 8000, n)).astype(int)
    home = rng.choice(["flat", "house"], n)
    used = np.where(home == "flat", rng.integers(50, 150, n), rng.integers(150, 400, n))
    table = pd.DataFrame({"begin": begin, "end": begin + used, "home": home})
    structure = learnt(table)
    assert [own.column for own in structure.distances] == [1]
    new = drawn_from(structure)
    used = new["end"] - new["begin"]
    assert ((used >= 150) == (new["home"] == "house")).mean() > 0.97


@pytest.mark.slow
def test_no_distance_goes_with_what_is_independent():
    for seed in range(10):
        table = stays(600, seed)
        rng = np.random.default_rng(100 + seed)
        table["ward"] = rng.permutation(table["ward"])
        table["age"] = rng.integers(1, 90, len(table))
        assert learnt(table).distances == ()


def test_an_age_says_what_the_date_of_birth_says():
    rng, n = np.random.default_rng(0), 3000
    born = pd.Timestamp("1930-01-01") + pd.to_timedelta(rng.integers(0, 25000, n), "D")
    came = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    ward = np.where(born < pd.Timestamp("1950-01-01"), "old", "young")
    table = pd.DataFrame({"born": born, "came": came, "ward": ward})
    assert learnt(table).distances == ()


@pytest.mark.slow
def test_runs_of_a_distance_hold_twenty_persons():
    table = stays(4000)
    person = np.arange(4000) // 8
    structure = learnt(table, persons=person)
    (own,) = structure.distances
    evidence = evidence_of(table)
    codes = own.codes(structure.coding.names, evidence.numbers, evidence.scales)
    holders = pd.Series(person).groupby(codes).nunique()
    assert len(holders) == own.n_codes == own.n_ordered and holders.min() >= 20


@pytest.mark.slow
def test_saved_and_coarser_ones_draw_the_same_way(tmp_path):
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0)
    synthesizer.fit(stays())
    path = tmp_path / "stays.model"
    synthesizer.save(path)
    again = CoclusterSynthesizer.load(path, random_state=0)
    assert again.sample().equals(synthesizer.sample())
    new = again.sample(k=200)
    assert ((lengths(new) >= 5) == (new["ward"] == "surgery")).mean() > 0.9


@pytest.mark.slow
def test_distances_are_checked_where_they_are_read():
    structure = learnt(stays())
    content, arrays = json.loads(json.dumps(structure.to_dict())), structure.arrays()
    again = Structure.from_dict(content, arrays)
    assert drawn_from(again).equals(drawn_from(structure))
    merged = coarser(Structure.from_dict(content | {"cluster_merges": []}, arrays), 100)
    assert merged.distances[0].column == 1
    (own,) = content["distances"]
    for damage in ({"column": 9}, {"since": 2}, {"parts": {}}):
        with pytest.raises((ValueError, KeyError, TypeError)):
            Structure.from_dict(content | {"distances": [own | damage]}, arrays)
    with pytest.raises(ValueError):
        Structure.from_dict(content | {"distances": []}, arrays)


def test_long_stays_are_as_long_as_those_of_their_ward():
    rng, n = np.random.default_rng(4), 3000
    ward = rng.choice(["surgery", "eyes"], n)
    days = np.where(ward == "eyes", rng.integers(1, 60, n), rng.integers(30, 120, n))
    came = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 800, n), "D")
    left = came + pd.to_timedelta(days, "D")
    table = pd.DataFrame({"ward": ward, "came": came, "left": left})
    structure = learnt(table)
    assert "left ~ came" in map(str, structure.rules.relations)
    new = drawn_from(structure)
    of_eyes = lengths(new)[new["ward"] == "eyes"]
    assert lengths(new).between(1, 119).mean() > 0.99
    assert of_eyes.between(1, 59).mean() > 0.98
