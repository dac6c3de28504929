"""What is told of values of few, by those next to them."""

import json

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.tables.relations import Dependence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.values.dependences import broken_by, learn_lookup
from coclust_synth.tables.rules.values.lookup import Lookup, with_neighbours

DAYS = Dependence(("weeks",), "days")


def births(few=(247, 252, 257, 270)):
    """Weeks and days, and all in days; fewer have some of them, or are the first."""
    days = np.repeat(np.arange(247, 281), 30)
    days = np.delete(days, np.flatnonzero(np.isin(days, few))[::2])
    weeks = [f"{d // 7}+{d % 7}" for d in days]
    return pd.DataFrame({"weeks": weeks, "days": days})


def told_of(lookup, evidence):
    """The number that is told of each category, and whether it is guessed."""
    listed, parts = evidence.coding.parts
    keys = lookup.keys[:, 0]
    numbers = lookup.numbers(lookup.keys)
    of_codes = parts.lows[lookup.codes]
    told = np.where(np.isnan(numbers), of_codes, numbers)
    is_guess = np.arange(len(keys)) >= len(keys) - lookup.n_guessed
    return {
        listed.labels[k]: (t, g) for k, t, g in zip(keys, told, is_guess, strict=True)
    }


def test_texts_tell_a_number_between_those_next_to_them_and_beyond():
    evidence = evidence_of(births())
    lookup = learn_lookup(evidence, DAYS)
    told = told_of(lookup, evidence)
    assert told["36+4"] == (256, False)
    assert told["36+5"] == (257, True)
    assert told["35+2"] == (247, True)  # all steps are of one day
    assert len(told) == 34 and lookup.n_guessed == 4
    again = Lookup.from_dict(json.loads(json.dumps(lookup.to_dict())))
    assert again.to_dict() == lookup.to_dict()
    assert len(lookup.learnt.keys) == 30 and not lookup.learnt.n_guessed
    assert with_neighbours(lookup.learnt, evidence).n_guessed == 4
    for change in ({"guessed": 40}, {"values": [1.0]}):
        with pytest.raises(ValueError, match="lookups"):
            Lookup.from_dict(lookup.to_dict() | change)
    # What is guessed is no rule that rows break.
    assert not broken_by(lookup, evidence)[0].any()
    assert broken_by(lookup, evidence)[2].sum() == 30 * 30


def test_nothing_is_told_beyond_steps_of_several_sizes():
    frame = births()
    frame["days"] = frame["days"] ** 2
    evidence = evidence_of(frame)
    told = told_of(learn_lookup(evidence, DAYS), evidence)
    assert "35+2" not in told
    assert told["36+5"] == ((256**2 + 258**2) / 2, True)


def test_no_value_is_told_that_nobody_has():
    """A rate is of two values: what is between these is none."""
    chapter = np.repeat(np.arange(10, 40), np.where(np.arange(30) % 5 == 4, 15, 30))
    rate = np.where(chapter < 25, 7, 19)
    frame = pd.DataFrame({"chapter": [f"c{c}" for c in chapter], "rate": rate})
    evidence = evidence_of(frame)
    lookup = learn_lookup(evidence, Dependence(("chapter",), "rate"))
    told = told_of(lookup, evidence)
    assert {number for number, _ in told.values()} == {7, 19}
    assert told["c14"] == (7, True) and told["c34"] == (19, True)
    assert "c24" not in told


def test_nothing_is_told_of_texts_in_no_order():
    frame = births()
    order = np.random.default_rng(0).permutation(34)
    frame["days"] = order[frame["days"] - 247]
    lookup = learn_lookup(evidence_of(frame), DAYS)
    assert lookup.n_guessed == 0 and len(lookup.keys) == 30


def test_numbers_between_two_tell_what_both_do():
    code = np.repeat(np.arange(1000, 1060), np.where(np.arange(60) % 3, 30, 6))
    town = np.where(code < 1029, "A", "B")
    town[code == 1010] = "C"
    frame = pd.DataFrame({"code": code, "town": town})
    evidence = evidence_of(frame)
    lookup = learn_lookup(evidence, Dependence(("code",), "town"))
    n = lookup.n_guessed
    assert n > 0
    parts, towns = evidence.coding.parts
    for key, own in zip(lookup.keys[-n:, 0], lookup.codes[-n:], strict=True):
        low, high = parts.lows[key], parts.highs[key]
        assert towns.labels[own] == ("A" if high < 1029 else "B")
        assert not low <= 1029 <= high


@pytest.mark.slow
def test_drawn_texts_are_beside_their_number():
    frame = births()
    frame["sex"] = np.random.default_rng(3).choice(["f", "m"], len(frame))
    assert str(DAYS) in map(str, rules_of(evidence_of(frame), None, 20).relations)
    synthesizer = CoclusterSynthesizer(
        within="trees", k=20, n_iterations=2, random_state=0
    ).fit(frame, infer_schema(frame))
    drawn = synthesizer.sample()
    parts = drawn["weeks"].str.split("+", expand=True).astype(int)
    assert (7 * parts[0] + parts[1] == drawn["days"]).all()
