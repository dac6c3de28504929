"""Classes of a number, told by where each begins."""

import json

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.tables.relations import Dependence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.measured import count_broken
from coclust_synth.tables.rules.values.classes_of_numbers import (
    find_classes,
    learn_limits,
)
from coclust_synth.tables.rules.values.dependences import learn_lookup
from coclust_synth.tables.rules.values.lookup import Lookup

CLASS = Dependence(("weight",), "class")
NAMES = np.array(["<1500", "1500-2499", "2500-3999", "4000+"])


def births(n=2000, seed=0):
    weight = np.random.default_rng(seed).normal(3000, 800, n).clip(400).round()
    own = np.searchsorted([1500, 2500, 4000], weight, side="right")
    return pd.DataFrame({"weight": weight.astype(int), "class": NAMES[own]})


@pytest.fixture(scope="module")
def evidence():
    return evidence_of(births())


def test_limits_are_round_and_put_all_rows_into_their_class(evidence):
    limits, classes = learn_limits(evidence, "weight", "class")
    assert limits.tolist() == [1500, 2500, 4000]
    parts = evidence.coding.parts[1]
    categories = [parts.categories[parts.seen[code]] for code in classes]
    assert categories == NAMES.tolist()
    assert find_classes(evidence, {}, 20) == [CLASS]


def test_a_number_is_not_told_by_its_own_class(evidence):
    assert (
        find_classes(evidence, {"weight": Dependence(("class",), "weight")}, 20) == []
    )
    assert find_classes(evidence, {"class": CLASS}, 20) == []


def test_limits_are_no_numbers_of_single_persons():
    """Thirds of a number end at somebody's value, which is not told."""
    x = np.random.default_rng(1).lognormal(5, 1, 900).round(3)
    third = np.argsort(np.argsort(x)) // 300
    evidence = evidence_of({"x": x, "third": np.array(list("abc"))[third]})
    limits, _ = learn_limits(evidence, "x", "third")
    assert not np.isin(limits, x).any()
    assert [len(f"{limit:g}") for limit in limits] <= [4, 4]


def test_classes_of_few_are_not_told_at_an_end():
    frame = births()
    light = np.flatnonzero(frame["weight"] < 1500)
    frame = frame.drop(light[12:]).reset_index(drop=True)
    limits, classes = learn_limits(evidence_of(frame), "weight", "class")
    assert classes[0] == -1 and (classes[1:] >= 0).all()
    # The lowest limit is above twenty of the next class, too.
    own = frame["weight"][frame["class"] == "1500-2499"]
    assert (own < limits[0]).sum() >= 20
    assert limits[1:].tolist() == [2500, 4000]


def test_rows_of_one_person_are_one():
    frame, persons = births(), np.arange(2000)
    heavy = (frame["class"] == "4000+").to_numpy()
    persons[heavy] %= 12
    evidence = evidence_of(frame, persons=persons)
    assert learn_limits(evidence, "weight", "class")[1][-1] == -1


def test_no_limits_of_classes_that_overlap():
    frame = births()
    frame["class"] = np.random.default_rng(1).permutation(frame["class"])
    evidence = evidence_of(frame)
    assert learn_limits(evidence, "weight", "class") == (None, None)
    assert learn_limits(evidence, "class", "weight") == (None, None)
    assert find_classes(evidence, {}, 20) == []


def test_rows_of_another_class_are_counted(evidence):
    rules = rules_of(evidence, None, 20)
    assert [str(rule) for rule in rules.all] == ["weight -> class"]
    (rule,) = rules.all
    assert (rule.rows, rule.individuals, rule.broken) == (2000, 2000, 0)
    off = births().assign(
        weight=lambda frame: frame["weight"].where(frame.index > 9, 9)
    )
    drawn = type(evidence).of_drawn(off, evidence.coding, evidence.of_codes)
    n_others = (births()["class"][:10] != "<1500").sum()
    assert count_broken(rules, drawn) == [n_others]


def test_what_is_told_is_saved(evidence):
    lookup = learn_lookup(evidence, CLASS)
    again = Lookup.from_dict(json.loads(json.dumps(lookup.to_dict())))
    assert again.to_dict() == lookup.to_dict()
    numbers = {"weight": np.array([1499.0, 1500, 9000, np.nan])}
    codes = np.full((4, 1), -1)
    told = again.told_of_rows(codes, numbers)
    (classes,) = again.limits.classes
    assert told.tolist() == [*classes[[0, 1, 3]].tolist(), -1]
    # Atoms that are between two limits tell a class before a number is drawn.
    parts = evidence.coding.parts[0]
    inside = np.searchsorted([1500, 2500, 4000], parts.lows, side="right")
    inside = inside == np.searchsorted([1500, 2500, 4000], parts.highs, side="right")
    assert sorted(again.keys[:, 0]) == np.flatnonzero(inside).tolist()
    # Models that were saved before say it so.
    content = lookup.to_dict()
    limits = content.pop("class_limits")
    before = {name: limits[name][0] for name in ("limits", "classes")}
    assert Lookup.from_dict(content | before).to_dict() == lookup.to_dict()
    for change in ({"limits": [2, 1]}, {"classes": [0]}, {"rises": 2}):
        with pytest.raises(ValueError, match="lookups"):
            Lookup.from_dict(content | before | change)


@pytest.mark.slow
def test_drawn_rows_are_in_the_class_of_their_number():
    frame = births().assign(note=np.random.default_rng(5).choice(["a", "b"], 2000))
    synthesizer = CoclusterSynthesizer(
        within="trees", k=20, n_iterations=2, random_state=0
    ).fit(frame, infer_schema(frame))
    drawn = synthesizer.sample()
    own = np.searchsorted([1500, 2500, 4000], drawn["weight"], side="right")
    assert (drawn["class"] == NAMES[own]).all()
