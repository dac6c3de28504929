"""Columns that count how many of others have a value."""

import json

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of
from support.structures import drawn_from, learnt

from coclust_synth.exceptions import SchemaError
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.tables.relations import Count
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.values.counts import find_counts

NAMES = ["cough", "fever", "pain", "rash"]
RULE = Count("ill", tuple((name, "yes") for name in NAMES))


def patients(n=1200, seed=0):
    """Four symptoms, of which some lack all, and how many there are."""
    rng = np.random.default_rng(seed)
    has = rng.random((n, 4)) < rng.choice([0.1, 0.4], n)[:, None]
    frame = pd.DataFrame(np.where(has, "yes", "no"), columns=NAMES)
    frame["ill"] = has.sum(axis=1).astype(float)
    frame.loc[:80, [*NAMES, "ill"]] = [None] * 4 + [np.nan]
    frame["age"] = rng.integers(18, 90, n) + 2 * has[:, 0]
    return frame


def counted(frame, value="yes"):
    return (frame[NAMES] == value).sum(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [[*NAMES, "ill", "age"], ["ill", "age", *NAMES]])
def test_it_is_found_and_kept_wherever_it_stands(columns):
    structure = learnt(patients()[columns])
    assert structure.rules.fits["ill"] == Count(
        "ill", tuple((name, "yes") for name in columns if name in NAMES)
    )
    content, arrays = json.loads(json.dumps(structure.to_dict())), structure.arrays()
    drawn = drawn_from(Structure.from_dict(content, arrays), 1500)
    known = drawn["ill"].notna()
    assert (drawn["ill"] == counted(drawn))[known].all()
    assert 0.9 < known.mean() < 0.97
    assert structure.count_broken(drawn)[structure.rules.relations.index(RULE)] == 0


def test_any_value_counts_and_other_columns_do_not():
    frame = patients().dropna().reset_index(drop=True)
    frame["fever"] = frame["fever"].map({"yes": "normal", "no": "high"})
    frame["smokes"] = np.random.default_rng(1).random(len(frame)) < 0.3
    of = (("cough", "yes"), ("fever", "normal"), ("pain", "yes"), ("rash", "yes"))
    assert find_counts(evidence_of(frame), (), 20) == [Count("ill", of)]


@pytest.mark.parametrize("side", ["all", "yes", "count"])
def test_few_rows_differ_of_all_and_of_each_side(side):
    frame = patients(3000).dropna().reset_index(drop=True)
    if side == "yes":  # of a symptom that few have
        frame["rash"] = np.where(np.arange(len(frame)) < 40, "yes", "no")
        frame["ill"] = counted(frame)
    assert len(find_counts(evidence_of(frame), (), 20)) == 1
    rows = {
        "all": frame.index[:30],
        "yes": frame.index[:3],
        "count": frame.index[frame["ill"] > 0][:8],
    }[side]
    frame.loc[rows, "ill"] += 1
    assert find_counts(evidence_of(frame), (), 20) == []


def test_what_is_told_already_and_what_few_have_is_no_count():
    frame = patients().dropna().reset_index(drop=True)
    evidence = evidence_of(frame)
    assert find_counts(evidence, [RULE], 20) == []
    assert find_counts(evidence, (), len(frame) + 1) == []


def test_a_schema_can_say_it():
    evidence = evidence_of(patients())
    (rule,) = rules_of(evidence, [RULE], 20).all
    assert (rule.broken, rule.rows) == (0, 1119)
    wrong = Count("ill", RULE.of[:3])
    with pytest.raises(SchemaError, match="break"):
        rules_of(evidence, [wrong], 20)


def test_its_values_are_not_told_where_they_may_not():
    rules = rules_of(evidence_of(patients()), [RULE], 20)
    assert rules.without_values(["age"]).all == rules.all
    assert rules.without_values(["pain"]).all == ()
