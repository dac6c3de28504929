"""Classes of a number that begin elsewhere beside other values."""

import json

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.tables.relations import Dependence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.measured import count_broken
from coclust_synth.tables.rules.values.classes_beside import (
    _is_found,
    find_classes_beside,
    learn_class_limits,
)
from coclust_synth.tables.rules.values.lookup import ClassLimits, Lookup

NORMAL = {"sodium": (135, 145), "glucose": (70, 110), "potassium": (120, 160)}
FLAG = Dependence(("test", "result"), "flag")


def results(n=3000, seed=0):
    """Results of three tests, with what is normal of each."""
    rng = np.random.default_rng(seed)
    test = rng.choice([*NORMAL], n)
    result = rng.normal(0, 1, n)
    low, high = np.array([NORMAL[own] for own in test]).T
    result = np.round((low + high) / 2 + result * (high - low) / 3, 1)
    flag = np.select([result < low, result > high], ["L", "H"], "N")
    return pd.DataFrame({"test": test, "result": result, "flag": flag})


def is_right(frame):
    low, high = np.array([NORMAL[own] for own in frame["test"]]).T
    own = np.select([frame["result"] < low, frame["result"] > high], ["L", "H"], "N")
    return own == frame["flag"]


def test_limits_of_each_test_are_found():
    evidence = evidence_of(results())
    assert find_classes_beside(evidence, {}, 20) == [FLAG]
    limits = learn_class_limits(evidence, FLAG)
    assert limits.place == 1
    parts = evidence.coding.parts[0]
    for (code,), own in zip(limits.keys, limits.limits, strict=True):
        low, high = NORMAL[parts.categories[parts.seen[code]]]
        assert own[0] == low
        assert high <= own[1] < high + 1


@pytest.mark.slow
def test_drawn_rows_have_the_flag_of_their_test():
    frame = results()
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0)
    drawn = synthesizer.fit(frame).sample(3000)
    assert is_right(drawn).mean() > 0.995
    shares = [own["flag"].value_counts(normalize=True) for own in (frame, drawn)]
    assert (shares[0] - shares[1]).abs().max() < 0.02


def test_limits_by_two_columns():
    rng, n = np.random.default_rng(1), 6000
    test, sex = rng.choice(["a", "b"], n), rng.choice(["F", "M"], n)
    limit = np.where(test == "a", 12, 20) + np.where(sex == "F", 0, 6)
    result = np.round(limit + rng.normal(0, 8, n), 1)
    flag = np.where(result >= limit, "high", "low")
    frame = pd.DataFrame({"sex": sex, "test": test, "flag": flag, "result": result})
    evidence = evidence_of(frame)
    assert find_classes_beside(evidence, {}, 20) == [
        Dependence(("sex", "test", "result"), "flag")
    ]


def test_a_limit_that_stands_in_a_column_of_few_values():
    frame = results()
    frame.insert(1, "low", [NORMAL[own][0] for own in frame["test"]])
    (found,) = find_classes_beside(evidence_of(frame), {}, 20)
    assert found.target == "flag" and found.parents[-1] == "result"
    assert found.parents[0] in ("test", "low")


@pytest.mark.slow
def test_no_limits_beside_where_there_are_none():
    rng = np.random.default_rng(3)
    for _ in range(20):
        n = 2000
        frame = pd.DataFrame(
            {
                "a": rng.choice(["x", "y", "z"], n),
                "b": rng.choice(["u", "v"], n, p=[0.97, 0.03]),
                "c": rng.normal(0, 1, n).round(2),
                "d": rng.choice(["s", "t", "w"], n),
            }
        )
        assert find_classes_beside(evidence_of(frame), {}, 20) == []


def test_what_is_not_told_of_some_is_not_one_class_of_each_combination(rng):
    """Cars of four doors are saloons, but of those with one engine many are estates."""
    engine, doors = rng.choice([4, 6, 8], 2000), rng.choice([2, 4], 2000)
    tail = rng.choice(["boot", "hatch"], 2000)
    is_saloon = (doors == 4) & (tail == "boot")
    table = pd.DataFrame({"engine": engine, "doors": doors, "tail": tail})
    relation = Dependence(("doors", "tail", "engine"), "saloon")
    for share_of_estates in (0.0, 0.25):
        is_estate = (engine == 4) & (rng.random(2000) < share_of_estates)
        table["saloon"] = np.where(is_saloon & ~is_estate, "yes", "no")
        evidence = evidence_of(table)
        assert learn_class_limits(evidence, relation) is not None
        assert _is_found(evidence, relation, 20) == (share_of_estates == 0)


def test_flags_that_are_often_wrong_are_no_classes():
    frame = results()
    rows = np.random.default_rng(0).choice(len(frame), 60, replace=False)
    frame.loc[rows, "flag"] = np.roll(frame.loc[rows, "flag"], 1)
    assert find_classes_beside(evidence_of(frame), {}, 20) == []
    assert learn_class_limits(evidence_of(frame), FLAG) is None


def test_what_is_told_already_is_not_told_again():
    evidence = evidence_of(results())
    assert find_classes_beside(evidence, {"flag": FLAG}, 20) == []
    of_flag = {"result": Dependence(("flag",), "result")}
    assert find_classes_beside(evidence, of_flag, 20) == []


def test_tests_of_few_are_not_told():
    frame = results()
    rare = np.flatnonzero(frame["test"] == "sodium")[15:]
    evidence = evidence_of(frame.drop(rare).reset_index(drop=True))
    assert len(learn_class_limits(evidence, FLAG).keys) == 2


def test_missing_results_have_a_flag_of_their_own():
    frame = results()
    frame.loc[::10, ["result", "flag"]] = [np.nan, "none"]
    evidence = evidence_of(frame)
    rules = rules_of(evidence, None, 20)
    (rule,) = [rule for rule in rules.all if rule.relation == FLAG]
    assert rule.broken <= 3
    assert count_broken(rules, evidence)[rules.all.index(rule)] == rule.broken
    missing = np.isnan(evidence.numbers["result"])
    told = rules.lookup("flag").told_of_rows(evidence.codes[:, :2], evidence.numbers)
    assert (told[missing] == evidence.codes[missing, 2]).all()


def test_they_are_saved_and_checked():
    evidence = evidence_of(results())
    lookup = rules_of(evidence, None, 20).lookup("flag")
    content = json.loads(json.dumps(lookup.to_dict()))
    again = Lookup.from_dict(content)
    numbers = evidence.numbers
    told = lookup.told_of_rows(evidence.codes[:, [0, 1]], numbers)
    assert (told == evidence.codes[:, 2]).mean() > 0.998
    assert (again.told_of_rows(evidence.codes[:, [0, 1]], numbers) == told).all()
    limits = content["class_limits"]
    for damage in (
        {"place": 2},
        {"limits": [own[::-1] for own in limits["limits"]]},
        {"classes": [own[1:] for own in limits["classes"]]},
    ):
        with pytest.raises(ValueError):
            ClassLimits.from_dict(limits | damage, 2)
